import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { createAudit } from '../../src/audit/audit.service.ts'
import { connect } from '../../src/db/database.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { appendEvents } from '../../src/events/outbox.store.ts'
import { claimNotifications } from '../../src/reminders/notifications.store.ts'
import { createMailer, type MailSettings } from '../../src/reminders/notifications.worker.ts'
import { createPassportReminders } from '../../src/reminders/passports.worker.ts'
import { createTestApp, createTestDatabase, silent, testClock, testConnection } from '../support/harness.ts'
import { startMailSink } from './reminders-sink.ts'

async function setUp({ mail }: { mail?: MailSettings } = {}) {
  const db = await createTestDatabase()
  const { sql } = db
  const clock = testClock(new Date('2026-03-01T00:00:30Z'))
  const recorders = { audit: createAudit({ sql, clock }).append, emit: appendEvents }
  const worker = (days = [90, 30]) => createPassportReminders({ db, clock, recorders, days, mail })
  const person = (
    id: string,
    expiries: (string | null)[],
    fields: object = {},
    primary: string | null = null,
  ) => {
    const passports = expiries.map((expiryDate, index) => ({
      passportId: `${id}-p${index}`,
      country: `C${index}`,
      expiryDate,
    }))
    const record = { applicantId: id, email: `${id}@example.com`, passports, ...fields }
    return sql`
      insert into applicants (applicant_id, primary_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
      values (${id}, ${primary}, ${sql.json(record as never)}, '', '', '{}', now(), now())`
  }
  return {
    db,
    sql,
    clock,
    worker,
    person,
    recorded: async () =>
      (
        await sql<{ text: string }[]>`
          select passport_id || ' ' || due_on || ' ' || rung || ' ' || state as text from notifications order by seq`
      ).map(({ text }) => text),
    events: () => sql<{ recordId: string; data: object }[]>`
      select record_id as "recordId", data from events where type = 'passport.renewal_due' order by seq`,
    async runDaily(reminders: { find(): Promise<void> }, days: number) {
      for (let day = 0; day < days; day++) {
        await reminders.find()
        clock.advance(86_400)
      }
    },
  }
}

describe('reminders of passports', () => {
  it('are recorded once for each passport and rung, with an event and an audit entry', async () => {
    const { sql, worker, person, recorded, events, runDaily } = await setUp()
    await person('anna', ['2026-06-01T00:00:00', '2031-01-01T00:00:00', null])
    await person('ben', ['2026-04-10T00:00:00'], {}, 'anna')
    await runDaily(worker(), 100)
    assert.deepEqual(await recorded(), [
      'ben-p0 2026-01-10 90 days recorded',
      'anna-p0 2026-03-03 90 days recorded',
      'ben-p0 2026-03-11 30 days recorded',
      'anna-p0 2026-05-02 30 days recorded',
    ])
    assert.deepEqual((await events()).slice(0, 2), [
      { recordId: 'ben', data: { applicantId: 'ben', passportId: 'ben-p0', employeeNumber: null } },
      { recordId: 'anna', data: { applicantId: 'anna', passportId: 'anna-p0', employeeNumber: null } },
    ])
    const [entries] = await sql<{ count: number }[]>`
      select count(*)::int as count from audit where action = 'passport.remind'`
    assert.equal(entries?.count, 4)
  })

  it('are recorded for the latest passport of each country only', async () => {
    const { sql, worker, recorded, runDaily } = await setUp()
    const passport = (passportId: string, country: string | null, expiryDate: string) => ({
      passportId,
      country,
      expiryDate: `${expiryDate}T00:00:00`,
    })
    const passports = [
      passport('old', 'DE', '2026-03-10'),
      passport('new', 'de', '2026-03-15'),
      passport('other', 'FR', '2026-03-20'),
      passport('none', null, '2026-03-25'),
    ]
    await sql`
      insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
      values ('anna', ${sql.json({ passports })}, '', '', '{}', now(), now())`
    await runDaily(worker([30]), 1)
    assert.deepEqual((await recorded()).map(text => text.split(' ')[0]).sort(), ['new', 'none', 'other'])
  })

  it('are off without days', async () => {
    const { worker, person, recorded, runDaily } = await setUp()
    await person('anna', ['2026-03-20T00:00:00'])
    await runDaily(worker([]), 3)
    assert.deepEqual(await recorded(), [])
  })

  it('are not recorded for archived people, nor after the expiry', async () => {
    const { sql, worker, person, recorded, runDaily } = await setUp()
    await person('anna', ['2026-02-28T00:00:00'])
    await person('ben', ['2026-03-20T00:00:00'], {}, 'anna')
    await sql`update applicants set archived_at = now() where applicant_id = 'ben'`
    await runDaily(worker(), 2)
    assert.deepEqual(await recorded(), [])
    await sql`update applicants set archived_at = null where applicant_id = 'ben'`
    await runDaily(worker(), 1)
    assert.deepEqual(await recorded(), ['ben-p0 2026-02-18 30 days recorded'])
  })

  it('walk through more people than a batch has, once a day, and continue where a crash stopped', async () => {
    const { sql, worker, recorded, clock } = await setUp()
    await sql`
      insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
      select 'person-' || n, json_build_object('passports', json_build_array(json_build_object(
        'passportId', 'passport-' || n, 'expiryDate', '2026-03-10T00:00:00'))), '', '', '{}', now(), now()
      from generate_series(1, 1234) as n`
    await sql`update passport_walk set walked_on = '2026-03-01', ladder = '90,30', after_id = 'person-9'`
    await worker().find()
    const after = (await recorded()).length
    assert.ok(after > 0 && after < 1234, String(after))
    await sql`update applicants set record = json_build_object('passports', json_build_array(json_build_object(
      'passportId', 'late', 'expiryDate', '2026-03-10T00:00:00'))) where applicant_id = 'person-1'`
    await worker().find()
    assert.equal((await recorded()).length, after, 'a second walk on the same day')
    clock.advance(86_400)
    await Promise.all([worker().find(), worker().find(), worker().find()])
    assert.equal((await recorded()).length, 1234)
  })

  it('start again with another expiry date, and with other days', async () => {
    const { sql, worker, person, recorded, runDaily } = await setUp()
    await person('anna', ['2026-03-20T00:00:00'])
    await runDaily(worker(), 2)
    await sql`update applicants set record = ${sql.json({ passports: [{ passportId: 'anna-p0', expiryDate: '2026-03-25T00:00:00' }] })}`
    await runDaily(worker(), 1)
    await runDaily(worker([15]), 20)
    assert.deepEqual(await recorded(), [
      'anna-p0 2026-02-18 30 days recorded',
      'anna-p0 2026-02-23 30 days recorded',
      'anna-p0 2026-03-10 15 days recorded',
    ])
  })

  it('are sent with the fixed text, and not once the passport was changed', async () => {
    const { mails, mail } = await startMailSink()
    const { db, sql, worker, person, clock } = await setUp({ mail })
    await person('anna', ['2026-03-20T00:00:00'], { firstName: 'Anna' })
    await person('ben', ['2026-03-20T00:00:00'])
    await worker().find()
    await sql`update applicants set record = '{"email":"ben@example.com","passports":[]}' where applicant_id = 'ben'`
    const mailer = createMailer({ db, clock, log: silent, mail })
    after(() => mailer.stop())
    await mailer.send()
    assert.deepEqual(
      mails.map(({ to }) => to),
      [['anna@example.com']],
    )
    assert.match(mails[0]?.text ?? '', /A document that is kept for you/)
    assert.doesNotMatch(mails[0]?.text ?? '', /Anna|[Pp]assport/)
    const states = await sql`select state from notifications order by passport_id`
    assert.deepEqual(
      states.map(({ state }) => state),
      ['sent', 'recorded'],
    )
  })

  it('are listed with the passport, within the companies of the caller, and not repeated by a no-op write', async () => {
    const app = await createTestApp({ config: { passportReminderDays: [90], tokenTtl: 30 * 86_400 } })
    const { body: company } = await app.call({
      method: 'POST',
      url: '/admin/v1/companies',
      body: { name: 'Acme' },
    })
    const soon = new Date(app.clock.now().getTime() + 20 * 86_400_000).toISOString().slice(0, 10)
    const primaryApplicant = {
      firstName: 'Anna',
      lastName: 'Schmidt',
      sendingCompany: 'Acme',
      passports: [{ passportNumber: 'C01X00T47', country: 'DE', expiryDate: soon }],
    }
    const put = () =>
      app.call({ method: 'PUT', url: '/v2/applicant/employeenumber/E-1', body: { primaryApplicant } })
    const { body: family } = await put()
    const { sql } = app.db
    const recorders = { audit: createAudit({ sql, clock: app.clock }).append, emit: appendEvents }
    const worker = createPassportReminders({
      db: app.db,
      clock: app.clock,
      recorders,
      days: [90],
      mail: undefined,
    })
    app.clock.advance(86_400)
    await worker.find()
    await put()
    app.clock.advance(86_400)
    await worker.find()
    const day = app.clock.now().toISOString().slice(0, 10)
    const from = new Date(app.clock.now().getTime() - 5 * 86_400_000).toISOString().slice(0, 10)
    const { body } = await app.call({ url: `/admin/v1/notifications?startDate=${from}&endDate=${day}` })
    const [passport] = family.primaryApplicant.passports
    assert.deepEqual(
      body.records.map(({ passportId, documentId, applicantId, rung }: Record<string, unknown>) => [
        passportId,
        documentId,
        applicantId,
        rung,
      ]),
      [[passport.passportId, null, family.primaryApplicant.applicantId, '90 days']],
    )
    const [row] = await sql<{ companies: string[] }[]>`
      select s.company_ids as companies from notifications n join company_sets s using (company_set_id)`
    assert.deepEqual(row?.companies, [company.companyId])
    await app.call({
      method: 'PATCH',
      url: '/v2/applicant/employeenumber/E-1',
      body: { primaryApplicant: { sendingCompany: null } },
    })
    const [moved] = await sql<{ set: number | null }[]>`select company_set_id as set from notifications`
    assert.equal(moved?.set, null)
  })
})

describe('notifications of an earlier release', () => {
  it('stay those of their documents', async () => {
    const name = `test_${randomBytes(6).toString('hex')}`
    const server = connect({ connection: testConnection('postgres'), log: silent, poolSize: 1 })
    await server.sql.unsafe(`create database ${name}`)
    const db = connect({ connection: testConnection(name), log: silent })
    after(async () => {
      await db.close()
      await server.sql.unsafe(`drop database ${name} with (force)`)
      await server.close()
    })
    await migrate(db, silent, (await readMigrations()).slice(0, 18))
    await db.sql`
      insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
      values ('anna', '{"email":"anna@example.com"}', '', '', '{}', now(), now())`
    await db.sql`
      insert into documents (document_id, applicant_id, name, expiry_date, remind_about_renewal, created_at, updated_at)
      values ('permit', 'anna', 'Permit', '2026-03-20', true, now(), now())`
    await db.sql`
      insert into notifications (notification_id, document_id, expiry_date, rung, due_on, state, next_attempt_at, created_at)
      values ('n1', 'permit', '2026-03-20', '30 days', '2026-02-18', 'pending', now(), now())`
    await migrate(db, silent)
    const [claimed] = await claimNotifications(db.sql, {
      limit: 5,
      until: new Date(Date.now() + 60_000),
      now: new Date(Date.now() + 1_000),
    })
    assert.deepEqual(claimed, {
      notificationId: 'n1',
      expiry: '2026-03-20',
      attempts: 1,
      addresses: ['anna@example.com'],
      current: true,
      superseded: false,
    })
  })
})
