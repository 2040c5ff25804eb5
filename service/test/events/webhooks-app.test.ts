// End to end: a change by HTTP, and the deliveries that follow it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAudit } from '../../src/audit/audit.service.ts'
import { createDeliveries } from '../../src/events/deliveries.worker.ts'
import { appendEvents } from '../../src/events/outbox.store.ts'
import { createRenewals } from '../../src/reminders/renewals.worker.ts'
import { createTestApp, createTestDatabase, silent, testClock, testSealer } from '../support/harness.ts'
import { startSink } from './webhook-sink.ts'

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !condition(); tries++) await sleep(20)
  assert.ok(condition())
}

describe('a service', () => {
  it('delivers events of a new applicant and of a document that is due for renewal', async () => {
    const test = await createTestApp({ config: { webhookAllowPrivate: true } })
    const sink = await startSink()
    const hook = await test.call({ method: 'POST', url: '/admin/v1/webhooks', body: { url: sink.url } })
    assert.equal(hook.status, 201)
    const today = test.clock.now().toISOString().slice(0, 10)
    const documents = [
      { name: 'Visa', expiryDate: today, remindAboutRenewal: true },
      { name: 'Permit', expiryDate: today, remindAboutRenewal: false },
    ]
    const body = { primaryApplicant: { firstName: 'Ada', lastName: 'Hook', documents } }
    const made = await test.call({
      method: 'POST',
      url: '/v2/applicant',
      body,
      headers: { traceparent: `00-${'b'.repeat(32)}-${'c'.repeat(16)}-01` },
    })
    assert.equal(made.status, 201, made.text)
    const { applicantId } = made.body.primaryApplicant
    const types = () => sink.received.map(({ body: sent }) => sent.type).sort()
    await until(() => types().length >= 3)
    const created = sink.received.find(({ body: sent }) => sent.type === 'applicant.created')
    assert.deepEqual(created?.body.data, { applicantId, employeeNumber: null })
    assert.match(String(created?.headers['traceparent']), /^00-b{32}-/)

    const { db, clock } = test
    const recorders = { audit: createAudit({ sql: db.sql, clock }).append, emit: appendEvents }
    await createRenewals({ db, clock, recorders, defaultDays: [7], mail: undefined }).find()
    await until(() => types().includes('document.renewal_due'))
    assert.deepEqual(types(), [
      'applicant.created',
      'document.created',
      'document.created',
      'document.renewal_due',
    ])
    const url = `/admin/v1/notifications?startDate=${today}&endDate=${today}`
    const listed = await test.call({ url })
    assert.equal(listed.body.records.length, 1)
    const [record] = listed.body.records
    assert.deepEqual(
      [record.applicantId, record.expiryDate, record.rung, record.state, record.sentAt],
      [applicantId, today, '7 days', 'recorded', null],
    )
    const sent = sink.received.find(({ body: one }) => one.type === 'document.renewal_due')
    assert.deepEqual(sent?.body.data, {
      documentId: record.documentId,
      applicantId,
      employeeNumber: null,
      caseId: null,
    })
    assert.equal((await test.call({ url: `${url}&state=sent` })).body.records.length, 0)
  })
})

describe('a backlog', () => {
  it('of a webhook that is down does not delay the others', async t => {
    const db = await createTestDatabase()
    const clock = testClock()
    const sink = await startSink()
    const worker = createDeliveries({ db, sealer: testSealer, clock, log: silent, allowPrivate: true })
    const hook = (id: string, url: string) => db.sql`
      insert into webhooks (webhook_id, url, description, event_types, secret, created_at, updated_at)
      values (${id}, ${url}, '', '{}', 'whsec_AAAA', now(), now())`
    const happen = (count: number, each: number) => db.sql`
      insert into events (event_id, type, record_id, data, occurred_at)
      select 'evt_' || gen_random_uuid(), 'case.note_added', 'case-' || n / ${each}::int, '{}', ${clock.now()}
      from generate_series(1, ${count}::int) n`
    await hook('down', 'http://127.0.0.1:1/')
    await happen(20_000, 100)
    let begin = performance.now()
    await worker.dispatch()
    const dispatched = performance.now() - begin
    begin = performance.now()
    await worker.send()
    const tried = performance.now() - begin
    await hook('up', sink.url)
    await happen(500, 1)
    await worker.dispatch()
    begin = performance.now()
    await worker.send()
    const sent = performance.now() - begin
    assert.equal(sink.received.length, 500)
    begin = performance.now()
    await worker.send()
    const idle = performance.now() - begin
    t.diagnostic(
      `20,000 dispatched in ${dispatched.toFixed(0)} ms, claimed in ${tried.toFixed(0)} ms; 500 delivered in ${sent.toFixed(0)} ms; an idle run ${idle.toFixed(1)} ms`,
    )
    assert.ok(idle < 1000)
  })

  it('of many webhooks that do not respond leaves room for one that does', async () => {
    const db = await createTestDatabase()
    const clock = testClock()
    const unresponsive = await startSink(() => undefined)
    const sink = await startSink()
    // Longer than the other webhook needs on a busy machine: if it had to wait for a timeout, the test would fail.
    const worker = createDeliveries({
      db,
      sealer: testSealer,
      clock,
      log: silent,
      allowPrivate: true,
      timeout: 8_000,
    })
    for (const url of [...Array<string>(30).fill(unresponsive.url), sink.url])
      await db.sql`
        insert into webhooks (webhook_id, url, description, event_types, secret, created_at, updated_at)
        values (gen_random_uuid(), ${url}, '', '{}', 'whsec_AAAA', now(), now())`
    await db.sql`
      insert into events (event_id, type, record_id, data, occurred_at)
      select 'evt_' || n, 'case.note_added', 'case-' || n, '{}', ${clock.now()} from generate_series(1, 20) n`
    await worker.dispatch()
    const sending = worker.send()
    for (let waited = 0; sink.received.length < 20 && waited < 7_500; waited += 50) await sleep(50)
    assert.equal(sink.received.length, 20)
    await worker.stop()
    await sending
  })
})
