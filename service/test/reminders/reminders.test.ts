import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { minusDays } from '../../src/lib/dates.ts'
import { messageOf } from '../../src/reminders/message.ts'
import { setUpReminders } from './reminders-setup.ts'
import { startMailSink } from './reminders-sink.ts'

describe('a reminder ladder', () => {
  it('creates exactly one notification and one event for each rung', async () => {
    const { document, renewals, runDaily, rungs, events } = await setUpReminders()
    await document({ expiry: '2026-06-01T00:00:00' })
    await document({ id: 'doc-2', expiry: '2026-06-01', remind: false })
    await document({ id: 'doc-3', expiry: null })
    await runDaily(renewals(), 120)
    assert.deepEqual(await rungs(), [
      '2026-03-03 90 days recorded',
      '2026-05-02 30 days recorded',
      '2026-05-25 7 days recorded',
    ])
    assert.equal(await events(), 3)
  })

  it('counts calendar days and months across a leap day', async () => {
    const { document, renewals, runDaily, rungs } = await setUpReminders({ today: '2028-02-20' })
    await document({ expiry: '2028-03-01', reminder: 1 })
    await document({ id: 'doc-2', expiry: '2028-03-31', reminder: 'P1M' })
    await runDaily(renewals(), 12)
    assert.deepEqual((await rungs()).sort(), ['2028-02-29 1 day recorded', '2028-02-29 1 month recorded'])
  })

  it('restarts for a new expiry date, and repeats no rung for the same one', async () => {
    const { document, renewals, runDaily, rungs, sql } = await setUpReminders({ today: '2026-05-01' })
    await document({ expiry: '2026-05-10', reminder: '30,7' })
    await runDaily(renewals(), 5)
    assert.deepEqual(await rungs(), ['2026-04-10 30 days recorded', '2026-05-03 7 days recorded'])
    await sql`update documents set name = 'Renamed', expiry_date = expiry_date`
    await runDaily(renewals(), 1)
    assert.equal((await rungs()).length, 2)
    await sql`update documents set expiry_date = '2026-07-10'`
    await runDaily(renewals(), 70)
    assert.deepEqual((await rungs()).slice(2), ['2026-06-10 30 days recorded', '2026-07-03 7 days recorded'])
  })

  it('applies a schedule that is changed or enabled later', async () => {
    const { document, renewals, runDaily, rungs, sql } = await setUpReminders({ today: '2026-05-01' })
    await document({ expiry: '2026-06-30', remind: false })
    const worker = renewals()
    await runDaily(worker, 5)
    await sql`update documents set remind_about_renewal = true, expiry_reminder = '"2026-05-20"'`
    await runDaily(worker, 10)
    assert.deepEqual(await rungs(), [])
    await sql`update documents set expiry_reminder = '50'`
    await runDaily(worker, 60)
    assert.deepEqual(await rungs(), ['2026-05-11 50 days recorded'])
  })

  it('creates only the latest missed rung after an outage', async () => {
    const { document, renewals, rungs, clock } = await setUpReminders({ today: '2026-03-01' })
    await document({ expiry: '2026-03-25', reminder: '20,18,16,2' })
    clock.advance(9 * 86_400)
    await renewals().find()
    assert.deepEqual(await rungs(), ['2026-03-09 16 days recorded'])
    clock.advance(13 * 86_400)
    await renewals().find()
    assert.deepEqual((await rungs()).slice(1), ['2026-03-23 2 days recorded'])
  })

  it('creates no notification for an expired document', async () => {
    const { document, renewals, runDaily, rungs, sql } = await setUpReminders({ today: '2026-03-01' })
    await document({ expiry: '2026-02-28' })
    await document({ id: 'doc-2', expiry: '9999-12-31' })
    await runDaily(renewals(), 3)
    assert.deepEqual(await rungs(), [])
    const [row] = await sql<[{ count: number }]>`select count(*)::int as count from renewal_checks`
    assert.equal(row.count, 1)
  })

  it('is checked again if the default ladder has changed', async () => {
    const { document, renewals, rungs } = await setUpReminders({ today: '2026-03-01' })
    await document({ expiry: '2026-06-01' })
    await renewals([30]).find()
    assert.deepEqual(await rungs(), [])
    await renewals([100, 30]).find()
    assert.deepEqual(await rungs(), ['2026-02-21 100 days recorded'])
  })

  it('is checked again also among more documents than a batch has', async () => {
    const { renewals, sql } = await setUpReminders({ today: '2026-03-01' })
    await sql`
      insert into documents (document_id, applicant_id, name, expiry_date, remind_about_renewal, created_at, updated_at)
      select 'doc-' || n, 'anna', 'Permit', '2026-06-01', true, now(), now() from generate_series(1, 5200) n`
    await renewals([30]).find()
    await renewals([100, 30]).find()
    const [row] = await sql`select count(*)::int as count from notifications`
    assert.equal(row?.['count'], 5_200)
  })

  it('is paused while the applicant is archived', async () => {
    const { document, renewals, runDaily, rungs, sql } = await setUpReminders({ today: '2026-03-01' })
    await document({ expiry: '2026-03-20', reminder: 10 })
    await sql`update applicants set archived_at = now()`
    await runDaily(renewals(), 12)
    assert.deepEqual(await rungs(), [])
    await sql`update applicants set archived_at = null`
    await runDaily(renewals(), 2)
    assert.deepEqual(await rungs(), ['2026-03-10 10 days recorded'])
  })
})

describe('a reminder mail', () => {
  it('contains the expiry date and the id of the notification, and nothing of the record', async () => {
    const sink = await startMailSink()
    const mail = { ...sink.mail, cc: 'Desk <desk@example.com>' }
    const { document, renewals, mailer, rungs, sql } = await setUpReminders({ mail })
    await document({ expiry: '2026-03-08' })
    await renewals().find()
    assert.deepEqual(await rungs(), ['2026-03-01 7 days pending'])
    await mailer(mail).send()
    assert.deepEqual(await rungs(), ['2026-03-01 7 days sent'])
    assert.equal(sink.mails.length, 1)
    const [received] = sink.mails as [(typeof sink.mails)[0]]
    assert.equal(received.from, 'renewals@example.com')
    assert.deepEqual(received.to.sort(), ['anna@example.com', 'desk@example.com'])
    assert.match(received.headers, /^Subject: A document expires on 8 March 2026$/m)
    assert.match(received.headers, /^To: anna@example\.com$/m)
    assert.match(received.headers, /^Auto-Submitted: auto-generated$/m)
    const [row] = await sql<[{ id: string; sent: Date }]>`
      select notification_id as id, sent_at as sent from notifications`
    assert.ok(received.headers.includes(`Message-ID: <renewal.${row.id.replace('=', '')}@example.com>`))
    assert.ok(row.sent)
    assert.match(received.text, /text\/plain/)
    assert.match(received.text, /text\/html/)
    for (const fact of ['8 March 2026', row.id])
      assert.equal(received.text.split(fact).length > 2, true, fact)
    for (const fact of ['Work permit', 'WP-42', 'DE', 'Anna', 'Schmidt'])
      assert.ok(!received.text.replaceAll('anna@example.com', '').includes(fact), fact)
  })

  it('carries no text of a client, in the subject or elsewhere', async () => {
    const sink = await startMailSink()
    const { person, renewals, mailer, rungs, sql } = await setUpReminders({ mail: sink.mail })
    const lure = 'Your account is locked: https://evil.example/login'
    await person('lured', {
      firstName: lure,
      lastName: `x\r\nBcc: all@example.com\r\n\r\n${lure}`,
      email: 'victim@example.com',
    })
    await sql`
      insert into documents (document_id, applicant_id, name, type, description, reference_number, country, expiry_date,
        remind_about_renewal, created_at, updated_at)
      values ('lure', 'lured', ${lure}, ${lure}, ${lure}, ${lure}, 'DE', '2026-03-08', true, now(), now())`
    await renewals().find()
    await mailer(sink.mail).send()
    assert.deepEqual(await rungs(), ['2026-03-01 7 days sent'])
    const [received] = sink.mails as [(typeof sink.mails)[0]]
    assert.deepEqual(received.to, ['victim@example.com'])
    assert.doesNotMatch(received.text, /evil|locked|login|https?:|all@example/i)
    // At the beginning of a line, because the boundary between the parts is random.
    assert.doesNotMatch(received.text, /^Bcc/im)
  })

  it('says that the document has expired where it has', () => {
    const message = messageOf({ notificationId: 'n', expiry: '2026-03-08' }, '2026-03-09')
    assert.equal(message.subject, 'A document expired on 8 March 2026')
    for (const text of [message.text, message.html]) assert.match(text, /expired on 8 March 2026/)
  })

  it('is not sent to an address that could add recipients or headers', async () => {
    const sink = await startMailSink()
    const { document, person, renewals, mailer, rungs } = await setUpReminders({ mail: sink.mail })
    const addresses = [
      'a@example.com\r\nBcc: b@example.com',
      'a@example.com\nSubject: x',
      'a@example.com, b@example.com',
      '<a@example.com>',
      'a@example.com;b@example.com',
      'a@b@example.com',
      'group:a@example.com;',
    ]
    for (const [index, email] of addresses.entries()) {
      await person(`p${index}`, { firstName: 'X', email })
      await document({ id: `d${index}`, person: `p${index}`, expiry: '2026-03-08' })
    }
    await renewals().find()
    await mailer(sink.mail).send()
    assert.deepEqual(sink.mails, [])
    assert.ok((await rungs()).every(text => text.endsWith('recorded')))
    assert.equal((await rungs()).length, addresses.length)
  })

  it('is sent to the alternate address, the primary applicant or only the CC, or not at all', async () => {
    const sink = await startMailSink()
    const { document, person, renewals, mailer, rungs } = await setUpReminders({ mail: sink.mail })
    await person('other', { firstName: 'O', email: '', alternateEmail: 'other@example.com' })
    await person('child', { firstName: 'C', email: null }, 'anna')
    await person('noAddress', { firstName: 'N' })
    await person('comma', { firstName: 'X', email: 'a,b@example.com' })
    for (const id of ['other', 'child', 'noAddress']) await document({ id, person: id, expiry: '2026-03-08' })
    await renewals().find()
    await mailer(sink.mail).send()
    assert.deepEqual(sink.mails.flatMap(({ to }) => to).sort(), ['anna@example.com', 'other@example.com'])
    assert.deepEqual((await rungs()).filter(text => text.endsWith('recorded')).length, 1)

    const mail = { ...sink.mail, cc: 'desk@example.com' }
    const withCc = await setUpReminders({ mail })
    await withCc.person('noAddress', { firstName: 'N' })
    await withCc.document({ person: 'noAddress', expiry: '2026-03-08' })
    await withCc.renewals().find()
    await withCc.mailer(mail).send()
    assert.deepEqual(sink.mails.at(-1)?.to, ['desk@example.com'])
  })

  it('is sent to the first address that is one', async () => {
    const sink = await startMailSink()
    const { document, person, renewals, mailer } = await setUpReminders({ mail: sink.mail })
    await person('link', { firstName: 'L', email: '<l@example.com>', alternateEmail: 'l@example.com' })
    await person('mother', { firstName: 'M', email: '', alternateEmail: 'm@example.com' })
    await person('child', { firstName: 'C' }, 'mother')
    for (const id of ['link', 'child']) await document({ id, person: id, expiry: '2026-03-08' })
    await renewals().find()
    await mailer(sink.mail).send()
    assert.deepEqual(sink.mails.flatMap(({ to }) => to).sort(), ['l@example.com', 'm@example.com'])
  })

  it('is retried where only the CC was accepted', async () => {
    const sink = await startMailSink()
    const mail = { ...sink.mail, cc: 'desk@example.com' }
    const { document, renewals, mailer, rungs, sql, clock } = await setUpReminders({ mail })
    await document({ expiry: '2026-03-08' })
    await renewals().find()
    const one = mailer(mail)
    sink.rejectWith(450, 'anna@example.com')
    await one.send()
    assert.deepEqual(await rungs(), ['2026-03-01 7 days pending'])
    const [row] = await sql<[{ error: string; next: Date }]>`
      select last_error as error, next_attempt_at as next from notifications`
    assert.match(row.error, /450/)
    sink.rejectWith(undefined)
    clock.set(row.next)
    await one.send()
    assert.deepEqual(await rungs(), ['2026-03-01 7 days sent'])
    assert.deepEqual(sink.mails.at(-1)?.to, ['anna@example.com', 'desk@example.com'])
  })

  it('has one recipient for an address that contains a comma', async () => {
    const sink = await startMailSink()
    const { document, person, renewals, mailer } = await setUpReminders({ mail: sink.mail })
    await person('comma', { firstName: 'X', email: 'a,victim@example.com' })
    await document({ person: 'comma', expiry: '2026-03-08' })
    await renewals().find()
    await mailer(sink.mail).send()
    assert.deepEqual(
      sink.mails.map(({ to }) => to),
      [['"a,victim"@example.com']],
    )
  })

  it('is retried until the server accepts it, and marked as failed after days', async () => {
    const sink = await startMailSink()
    const { document, renewals, mailer, rungs, sql, clock } = await setUpReminders({ mail: sink.mail })
    await document({ expiry: '2026-03-08' })
    await renewals().find()
    const one = mailer(sink.mail)
    sink.rejectWith(451)
    await one.send()
    const [row] = await sql<[{ error: string; next: Date }]>`
      select last_error as error, next_attempt_at as next from notifications`
    assert.match(row.error, /451/)
    assert.ok(!row.error.includes('@'))
    await one.send()
    sink.rejectWith(undefined)
    clock.set(row.next)
    await one.send()
    await one.send()
    assert.equal(sink.mails.length, 1)
    assert.deepEqual(await rungs(), ['2026-03-01 7 days sent'])

    await document({ id: 'doc-2', expiry: '2026-03-08' })
    await renewals().find()
    sink.rejectWith(550)
    for (let tries = 0; tries < 16; tries++) {
      await one.send()
      clock.advance(10 * 3600)
    }
    assert.equal((await rungs())[1], '2026-03-01 7 days failed')
  })

  it('is not sent if the document has changed or a later rung is due', async () => {
    const sink = await startMailSink()
    const { document, renewals, mailer, rungs, sql, clock } = await setUpReminders({ mail: sink.mail })
    await document({ id: 'renewed', expiry: '2026-03-31', reminder: 30 })
    await document({ id: 'laddered', expiry: '2026-03-31', reminder: '30,29' })
    await renewals().find()
    await sql`update documents set expiry_date = '2030-01-01' where document_id = 'renewed'`
    clock.advance(86_400)
    await renewals().find()
    await mailer(sink.mail).send()
    assert.deepEqual((await rungs()).sort(), [
      '2026-03-01 30 days recorded',
      '2026-03-01 30 days recorded',
      '2026-03-02 29 days sent',
    ])
    assert.equal(sink.mails.length, 1)
  })

  it('is sent once by two concurrent services, and again only after the claim has expired', async () => {
    const sink = await startMailSink()
    const { document, renewals, mailer, rungs, clock } = await setUpReminders({ mail: sink.mail })
    for (let index = 0; index < 40; index++) await document({ id: `doc-${index}`, expiry: '2026-03-08' })
    await renewals().find()
    await Promise.all([mailer(sink.mail).send(), mailer(sink.mail).send()])
    assert.equal(sink.mails.length, 40)

    // A service that is killed after the server accepted the mail and before it is recorded as sent.
    await document({ id: 'killed', expiry: '2026-03-08' })
    await renewals().find()
    let release = () => {}
    sink.delayResponses(new Promise<void>(resolve => (release = resolve)))
    const killed = mailer(sink.mail)
    const sending = killed.send()
    while (sink.mails.length < 41) await sleep(10)
    await mailer(sink.mail).send()
    assert.equal(sink.mails.length, 41)
    clock.advance(301)
    sink.delayResponses(Promise.resolve())
    await mailer(sink.mail).send()
    release()
    await sending
    assert.equal(sink.mails.length, 42)
    const ids = sink.mails.slice(-2).map(({ headers }) => /Message-ID: (.*)/.exec(headers)?.[1])
    assert.equal(ids[0], ids[1])
    assert.ok((await rungs()).every(text => text.endsWith('sent')))
  })

  it('remains pending, like all others, while the server is unreachable', async () => {
    const mail = { smtpUrl: 'smtp://127.0.0.1:1', from: 'a@example.com', cc: undefined, requireTls: true }
    const { document, renewals, mailer, sql } = await setUpReminders({ mail })
    for (let index = 0; index < 12; index++) await document({ id: `doc-${index}`, expiry: '2026-03-08' })
    await renewals().find()
    await mailer(mail).send()
    const [row] = await sql<[{ tried: number; pending: number }]>`
      select count(*) filter (where attempts > 0)::int as tried, count(*) filter (where state = 'pending')::int as pending
      from notifications`
    assert.deepEqual({ ...row }, { tried: 5, pending: 12 })
  })
})

describe('an expiry date', () => {
  it('is a day in UTC', async () => {
    const { document, renewals, rungs, clock } = await setUpReminders({ today: '2026-03-28' })
    const expiry = '2026-03-30'
    await document({ expiry, reminder: 1 })
    const worker = renewals()
    clock.set(new Date(`${minusDays(expiry, 2)}T23:59:59.999Z`))
    await worker.find()
    assert.deepEqual(await rungs(), [])
    clock.set(new Date(`${minusDays(expiry, 1)}T00:00:00Z`))
    await worker.find()
    assert.deepEqual(await rungs(), ['2026-03-29 1 day recorded'])
  })
})
