// Simulates a year for one family: an HR system sends the same file without ids every night, the clock advances by a day,
// and a mail server records the mails. Exactly one mail is sent for each document, expiry date and rung, whatever is
// written in between.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createAudit } from '../../src/audit/audit.service.ts'
import { appendEvents } from '../../src/events/outbox.store.ts'
import { minusDays } from '../../src/lib/dates.ts'
import { createMailer } from '../../src/reminders/notifications.worker.ts'
import { createRenewals } from '../../src/reminders/renewals.worker.ts'
import { startMailSink } from '../reminders/reminders-sink.ts'
import { createTestApp, silent, testClock } from '../support/harness.ts'

const DAY = 86_400
const FIRST_NIGHT = '2026-01-01'
const LAST_NIGHT = '2026-12-31'

interface Permit {
  name: string
  expiry: string
  /** Days before expiry; 0 is the default ladder of 90, 30 and 7 days. */
  reminder?: number
  /** Nights on which the file omits it. */
  omittedOn?: string[]
  /** New expiry dates, by the first night on which the file has them. */
  changes?: Record<string, string>
}

const nightsAround = (expiry: string, rungs: number[], offsets: number[]) =>
  rungs.flatMap(rung => offsets.map(offset => minusDays(expiry, rung + offset)))

const PERMITS = {
  plain: { name: 'Work permit', expiry: '2026-07-01' },
  own: { name: 'Tax card', expiry: '2026-05-20', reminder: 45 },
  // Omitted on the nights before and after each mail.
  intermittent: {
    name: 'Residence card',
    expiry: '2026-08-15',
    omittedOn: nightsAround('2026-08-15', [90, 30, 7], [1, -1]),
  },
  // Omitted on the night on which a rung is due.
  late: { name: 'Travel letter', expiry: '2026-10-01', omittedOn: nightsAround('2026-10-01', [30], [0]) },
  // Renewed, reset, and renewed again, in the middle of both ladders.
  renewed: {
    name: 'Visa',
    expiry: '2026-09-30',
    changes: { '2026-09-10': '2026-12-15', '2026-09-18': '2026-09-30', '2026-09-25': '2026-12-15' },
  },
} satisfies Record<string, Permit>

const CHILD: Permit = { name: 'Student visa', expiry: '2026-06-10' }
/** Nights on which the file omits the child. */
const CHILD_OMITTED_ON = nightsAround(CHILD.expiry, [90, 30, 7], [-1])

function documentsOn(night: string, permits: Permit[]) {
  return permits
    .filter(({ omittedOn = [] }) => !omittedOn.includes(night))
    .map(({ name, expiry, reminder = 0, changes = {} }) => {
      const changed = Object.keys(changes).findLast(day => day <= night)
      return {
        name,
        referenceNumber: name.toUpperCase(),
        expiryDate: changed ? changes[changed] : expiry,
        remindAboutRenewal: true,
        expiryReminder: reminder,
      }
    })
}

const fileOn = (night: string) => ({
  primaryApplicant: {
    firstName: 'Anna',
    lastName: 'Schmidt',
    dateOfBirth: '1990-05-31',
    email: 'anna@example.com',
    metaData: [{ tagName: 'costCentre', value: '4711' }],
    passports: [{ passportNumber: 'C01X00T47', country: 'DE', expiryDate: '2031-02-28' }],
    previousNames: [{ firstName: 'Anna', lastName: 'Weber' }],
    documents: documentsOn(night, Object.values(PERMITS)),
  },
  dependents: CHILD_OMITTED_ON.includes(night)
    ? []
    : [
        {
          firstName: 'Ben',
          lastName: 'Schmidt',
          relationship: 'Child',
          dateOfBirth: '2018-09-12',
          documents: documentsOn(night, [CHILD]),
        },
      ],
})

describe('reminders over a year of identical nightly files', () => {
  /** The night, the document and the subject of each mail. */
  const mails: string[] = []
  const about = (name: string) => mails.filter(text => text.includes(`: ${name}: `))
  const expected = (permit: Permit, expiry: string, nights: string[]) => {
    const date = new Date(expiry)
    const day = `${date.getUTCDate()} ${date.toLocaleString('en', { month: 'long', timeZone: 'UTC' })} ${date.getUTCFullYear()}`
    return nights.map(night => `${night}: ${permit.name}: A document expires on ${day}`)
  }
  const ladder = (expiry: string, rungs = [90, 30, 7]) => rungs.map(rung => minusDays(expiry, rung))

  before(async () => {
    const sink = await startMailSink()
    // The clock of the service is ten years behind, so that nothing is due for its own workers. The two workers below send
    // all mails.
    const serviceClock = testClock(new Date('2016-01-01T01:00:00Z'))
    const test = await createTestApp({ clock: serviceClock, config: { tokenTtl: 400 * DAY } })
    const { db } = test
    const clock = testClock(new Date(`${FIRST_NIGHT}T01:00:00Z`))
    const recorders = { audit: createAudit({ sql: db.sql, clock }).append, emit: appendEvents }
    const renewals = createRenewals({ db, clock, recorders, defaultDays: [90, 30, 7], mail: sink.mail })
    const mailer = createMailer({ db, clock, log: silent, mail: sink.mail })
    for (let night = FIRST_NIGHT; night <= LAST_NIGHT; night = minusDays(night, -1)) {
      const url = '/v2/applicant/employeenumber/E-1'
      const { status, text } = await test.call({ method: 'PUT', url, body: fileOn(night) })
      assert.equal(status, night === FIRST_NIGHT ? 201 : 200, text)
      await renewals.find()
      await mailer.send()
      for (const { headers, text } of sink.mails.splice(0)) {
        const id = /^Notification: (\S+)$/m.exec(text)?.[1] ?? ''
        const [document] = await db.sql`
          select d.name from notifications n join documents d using (document_id) where n.notification_id = ${id}`
        mails.push(`${night}: ${document?.['name']}: ${/^Subject: (.*)$/m.exec(headers)?.[1]}`)
      }
      clock.advance(DAY)
      serviceClock.advance(DAY)
    }
    await mailer.stop()
  })

  it('sends one mail for each rung of the default ladder', () => {
    const { plain } = PERMITS
    assert.deepEqual(about(plain.name), expected(plain, plain.expiry, ladder(plain.expiry)))
  })

  it('sends one mail for a document with its own single rung', () => {
    const { own } = PERMITS
    assert.deepEqual(about(own.name), expected(own, own.expiry, ladder(own.expiry, [45])))
  })

  it('sends no second mail for a document that the file omits for a night', () => {
    const { intermittent } = PERMITS
    assert.deepEqual(
      about(intermittent.name),
      expected(intermittent, intermittent.expiry, ladder(intermittent.expiry)),
    )
  })

  it('sends a mail one night late if the file omits the document on the due day', () => {
    const { late } = PERMITS
    const [first, second, third] = ladder(late.expiry) as [string, string, string]
    assert.deepEqual(about(late.name), expected(late, late.expiry, [first, minusDays(second, -1), third]))
  })

  it('sends no second mail for the document of a child that the file omits for a night', () => {
    assert.deepEqual(about(CHILD.name), expected(CHILD, CHILD.expiry, ladder(CHILD.expiry)))
  })

  it('starts a new ladder for a new expiry date, and repeats no rung when the date is changed back', () => {
    const { renewed } = PERMITS
    const [old, other] = ['2026-09-30', '2026-12-15']
    assert.deepEqual(about(renewed.name), [
      ...expected(renewed, old, ladder(old, [90, 30])),
      ...expected(renewed, other, ladder(other, [90])),
      ...expected(renewed, old, ladder(old, [7])),
      ...expected(renewed, other, ladder(other, [30, 7])),
    ])
  })

  it('sends nothing else', () => {
    const counts = { plain: 3, own: 1, intermittent: 3, late: 3, child: 3, renewed: 6 }
    assert.equal(
      mails.length,
      Object.values(counts).reduce((sum, count) => sum + count, 0),
    )
  })
})
