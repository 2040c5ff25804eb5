// Webhooks that belong to clients: what they receive, and test deliveries.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { systemActor, type UnitOfWork } from '../../src/db/unit-of-work.ts'
import { createDeliveries } from '../../src/events/deliveries.worker.ts'
import { appendEvents } from '../../src/events/outbox.store.ts'
import { createWebhooks, type WebhookInput } from '../../src/events/webhooks.service.ts'
import { Problem } from '../../src/lib/problem.ts'
import { expandScopes } from '../../src/lib/scopes.ts'
import { createTestApp, createTestDatabase, silent, testClock, testSealer } from '../support/harness.ts'
import { type Received, startSink } from './webhook-sink.ts'

const READS = ['applicants:read', 'cases:read', 'documents:read']

async function setUp({ allowPrivate = true, timeout = 15_000 } = {}) {
  const db = await createTestDatabase()
  const clock = testClock(new Date('2026-03-01T09:00:00Z'))
  const worker = createDeliveries({ db, sealer: testSealer, clock, log: silent, allowPrivate })
  const webhooks = createWebhooks({ sql: db.sql, sealer: testSealer, clock, allowPrivate, timeout })
  const { sql } = db
  const callerOf = (clientId: string, scopes: string[]) => ({ clientId, scopes: expandScopes(scopes) })
  const actor = systemActor('test', 'test')
  const inUnit = <T>(work: (unit: UnitOfWork) => Promise<T>) =>
    db.transaction(tx => work({ tx, actor, now: clock.now(), audit: () => {}, emit: () => {} }))
  return {
    sql,
    webhooks,
    clock,
    callerOf,
    /** A client with these scopes, and a webhook of it for these types. */
    async own(clientId: string, scopes: string[], input: WebhookInput) {
      await sql`
        insert into clients (client_id, name, scopes, secret_hash) values (${clientId}, '', ${scopes}, '')`
      return this.create(callerOf(clientId, scopes), input)
    },
    inUnit,
    create: (caller: ReturnType<typeof callerOf>, input: WebhookInput) =>
      inUnit(unit => webhooks.create(unit, input, caller)),
    emit: (type: string, recordId = type) =>
      db.transaction(tx => appendEvents(tx, [{ type, recordId, data: {} }], { actor, now: clock.now() })),
    dispatch: () => worker.dispatch(),
    async deliver() {
      await worker.dispatch()
      await worker.send()
    },
    setScopes: (clientId: string, scopes: string[]) =>
      sql`update clients set scopes = ${scopes} where client_id = ${clientId}`,
    setDisabled: (clientId: string, disabled: boolean) =>
      sql`update clients set disabled_at = case when ${disabled} then now() end where client_id = ${clientId}`,
    states: () => sql<{ state: string; error: string | null }[]>`
      select state, last_error as error from webhook_deliveries order by seq`,
  }
}

const typesOf = (received: Received[]) => received.map(({ body }) => body.type).sort()
const ALL = ['applicant.created', 'case.created', 'dependent.archived', 'document.renewal_due']

describe('a webhook of a client', () => {
  it('receives events of the records that its client may read, and one of the operator receives all', async () => {
    const test = await setUp()
    const [all, operators, admins] = [await startSink(), await startSink(), await startSink()]
    await test.own('client', READS, { url: all.url })
    await test.own('admin', ['admin'], { url: admins.url })
    const { clientId } = await test.create(test.callerOf('user:1', ['admin']), { url: operators.url })
    assert.equal(clientId, null)
    for (const type of ALL) await test.emit(type)
    await test.deliver()
    for (const sink of [all, operators, admins]) assert.deepEqual(typesOf(sink.received), ALL)
    await test.setScopes('client', ['cases:read', 'applicants:write', 'desk:read'])
    for (const type of ALL) await test.emit(type)
    await test.deliver()
    assert.deepEqual(typesOf(all.received.slice(4)), ['case.created'])
    assert.equal(operators.received.length, 8)
    assert.equal(admins.received.length, 8)
  })

  it('receives nothing while its client is disabled; what was pending is sent once it is enabled', async () => {
    const test = await setUp()
    const sink = await startSink()
    await test.own('client', READS, { url: sink.url })
    await test.emit('case.created')
    await test.dispatch()
    await test.setDisabled('client', true)
    await test.emit('case.note_added')
    await test.deliver()
    assert.equal(sink.received.length, 0)
    await test.setDisabled('client', false)
    await test.deliver()
    assert.deepEqual(typesOf(sink.received), ['case.created'])
  })

  it('does not receive what was pending when its client lost the scope', async () => {
    const test = await setUp()
    const sink = await startSink()
    await test.own('client', READS, { url: sink.url })
    await test.emit('case.created')
    await test.emit('applicant.created')
    await test.dispatch()
    await test.setScopes('client', ['applicants:read'])
    await test.deliver()
    assert.deepEqual(typesOf(sink.received), ['applicant.created'])
    const states = (await test.states()).map(({ state }) => state)
    assert.deepEqual(states.sort(), ['delivered', 'failed'])
    const failed = (await test.states()).find(({ state }) => state === 'failed')
    assert.match(failed?.error ?? '', /may not read/)
  })

  it('does not receive what was pending when its client lost the company, nor a replay of it', async () => {
    const test = await setUp()
    const sink = await startSink()
    const { webhookId } = await test.own('client', READS, { url: sink.url })
    const [set] = await test.sql<{ id: number }[]>`
      insert into company_sets (company_ids) values (array['company-B']) returning company_set_id as id`
    await test.emit('case.created')
    await test.sql`update events set company_set_id = ${set?.id ?? 0}`
    await test.dispatch()
    await test.sql`update clients set companies = array['company-A'] where client_id = 'client'`
    await test.deliver()
    const [pending] = await test.sql<{ deliveryId: string }[]>`
      select delivery_id as "deliveryId" from webhook_deliveries`
    const replay = { deliveryId: pending?.deliveryId ?? '', caller: test.callerOf('operator', ['admin']) }
    await test.inUnit(unit => test.webhooks.replay(unit, webhookId, replay))
    await test.deliver()
    assert.equal(sink.received.length, 0)
    for (const { state, error } of await test.states()) {
      assert.equal(state, 'failed')
      assert.match(error ?? '', /may not read/)
    }
  })

  it('receives nothing while its owner, a caller of the external issuer, is blocked or disabled in any form', async () => {
    const test = await setUp()
    const owner = 'oidc:login.example.com:anna:desk'
    for (const [index, name] of [
      owner,
      'oidc:login.example.com:anna',
      'oidc:login.example.com::desk',
    ].entries()) {
      const sink = await startSink()
      if (index === 0) await test.own(owner, READS, { url: sink.url })
      else await test.create(test.callerOf(owner, READS), { url: sink.url })
      await test.sql`
        insert into blocked_callers (block_id, caller, reason, created_by, created_at)
        values ('block', ${name}, '', 'test', now())`
      await test.emit('case.created')
      await test.deliver()
      assert.equal(sink.received.length, 0, name)
      await test.sql`delete from blocked_callers`
      if (index > 0)
        await test.sql`
          insert into clients (client_id, name, scopes, secret_hash, disabled_at)
          values (${name}, '', '{}', '', now())`
      else await test.setDisabled(name, true)
      await test.emit('case.created')
      await test.deliver()
      assert.equal(sink.received.length, 0, name)
      await test.setDisabled(name, false)
      await test.emit('case.created')
      await test.deliver()
      assert.equal(sink.received.length, 1, name)
    }
    await test.sql`
      insert into blocked_callers (block_id, caller, reason, created_by, created_at)
      values ('other', 'oidc:login.example.com:ben', '', 'test', now()), ('more', 'oidc:other.example::desk', '', 'test', now())`
    const sink = await startSink()
    await test.create(test.callerOf(owner, READS), { url: sink.url })
    await test.emit('case.created')
    await test.deliver()
    assert.equal(sink.received.length, 1)
  })

  it('has only the companies that its owner has under each of its names', async () => {
    const test = await setUp()
    const sink = await startSink()
    const owner = 'oidc:login.example.com:anna:desk'
    const { webhookId } = await test.own(owner, READS, { url: sink.url })
    await test.sql`
      insert into clients (client_id, name, scopes, secret_hash, companies)
      values ('oidc:login.example.com:anna', '', '{}', '', '{company-A,company-B}'),
        ('oidc:login.example.com::desk', '', '{}', '', '{company-B,company-C}')`
    for (const companies of [['company-A'], ['company-A', 'company-C'], ['company-B'], null]) {
      const [set] =
        companies === null
          ? []
          : await test.sql<{ id: number }[]>`
              insert into company_sets (company_ids) values (${companies}) returning company_set_id as id`
      await test.emit('case.created', JSON.stringify(companies))
      await test.sql`update events set company_set_id = ${set?.id ?? null} where dispatched_at is null`
      await test.deliver()
    }
    assert.equal(sink.received.length, 1)
    const limit = (clientId: string, companies: string[]) =>
      test.inUnit(unit => test.webhooks.limitOf(unit, clientId, companies))
    const companiesNow = async () =>
      (await test.webhooks.get(webhookId, test.callerOf(owner, READS))).companies
    await limit('oidc:login.example.com:ben', ['company-D'])
    assert.equal(await companiesNow(), null)
    await limit('oidc:login.example.com:anna', ['company-A', 'company-B'])
    assert.deepEqual(await companiesNow(), ['company-A', 'company-B'])
    await limit('oidc:login.example.com::desk', ['company-B', 'company-C'])
    assert.deepEqual(await companiesNow(), ['company-B'])
  })

  it('gets no replay of types that its client may not read', async () => {
    const test = await setUp()
    const sink = await startSink()
    const caller = test.callerOf('client', READS)
    const { webhookId } = await test.own('client', READS, { url: sink.url, active: false })
    for (const type of ALL) await test.emit(type)
    await test.dispatch()
    await test.setScopes('client', ['documents:read'])
    const range = { startDate: '2026-03-01', endDate: '2026-03-01', caller }
    const count = await test.inUnit(unit => test.webhooks.replayRange(unit, webhookId, range))
    assert.equal(count, 1)
  })

  it('cannot be created by a caller that is no client, unless it has admin', async () => {
    const test = await setUp()
    await assert.rejects(
      test.create(test.callerOf('oidc:somebody', READS), { url: 'https://receiver.invalid/' }),
      (error: Problem) => error instanceof Problem && error.kind.code === 'cannot-grant',
    )
  })
})

describe('a webhook of the release before', () => {
  it('belongs to the operator', async () => {
    const { sql, webhooks, callerOf } = await setUp()
    await sql`drop schema limited cascade`
    await sql`drop index webhooks_of_client`
    await sql`alter table webhooks drop column client_id`
    await sql`
      insert into webhooks (webhook_id, url, description, event_types, secret, created_at, updated_at)
      values ('old', 'https://receiver.invalid/', '', '{}', 'whsec_AAAA', now(), now())`
    const file = new URL('../../migrations/0014-own-webhooks.sql', import.meta.url)
    await sql.unsafe(await readFile(file, 'utf8'))
    const operator = callerOf('operator', ['admin'])
    assert.equal((await webhooks.get('old', operator)).clientId, null)
    assert.equal((await webhooks.list(callerOf('client', READS))).length, 0)
  })
})

describe('a test delivery', () => {
  const operator = { clientId: 'operator', scopes: expandScopes(['admin']) }

  it('is a signed event that is sent at once and returns the outcome', async () => {
    const test = await setUp()
    const sink = await startSink()
    const { webhookId, secret } = await test.create(operator, { url: sink.url, active: false })
    const outcome = await test.webhooks.test(webhookId, operator)
    const [received] = sink.received as [Received]
    assert.deepEqual(outcome, {
      delivered: true,
      status: 204,
      error: null,
      milliseconds: outcome.milliseconds,
    })
    assert.ok(Number.isInteger(outcome.milliseconds))
    assert.deepEqual(received.body, {
      type: 'webhook.test',
      timestamp: '2026-03-01T09:00:00.000Z',
      data: { webhookId },
    })
    const {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = received.headers
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${received.text}`).digest('base64')
    assert.equal(signature, `v1,${expected}`)
    assert.equal(Number(timestamp), test.clock.now().getTime() / 1000)
    assert.equal((await test.states()).length, 0)
  })

  it('reports an error status, a redirect, a timeout and a refused connection, and disables nothing', async () => {
    const test = await setUp({ timeout: 300 })
    const sink = await startSink()
    const { webhookId } = await test.create(operator, { url: sink.url })
    const outcomes = []
    for (const status of [500, 410, 302, undefined]) {
      sink.respondWith(() => status)
      outcomes.push(await test.webhooks.test(webhookId, operator))
    }
    assert.deepEqual(
      outcomes.map(({ delivered, status, error }) => [delivered, status, error]),
      [
        [false, 500, null],
        [false, 410, null],
        [false, 302, 'A redirect is not followed.'],
        [false, null, 'There was no response within 0.3 seconds.'],
      ],
    )
    assert.ok((outcomes[3]?.milliseconds ?? 0) >= 290)
    assert.equal((await test.webhooks.get(webhookId, operator)).active, true)
    const closed = await test.create(operator, { url: 'http://127.0.0.1:1/' })
    const { status, error } = await test.webhooks.test(closed.webhookId, operator)
    assert.deepEqual([status, error], [null, 'The connection failed: ECONNREFUSED.'])
  })

  it('is not sent to a private address, and does not tell it from a name that there is not', async () => {
    const test = await setUp({ allowPrivate: false })
    const sink = await startSink()
    const { port } = new URL(sink.url)
    const urls = [sink.url, `http://localhost:${port}`, 'http://receiver.invalid/', 'http://no..name/']
    for (const [index, url] of urls.entries()) {
      const id = `inside-${index}`
      await test.sql`
        insert into webhooks (webhook_id, url, description, event_types, secret, created_at, updated_at)
        values (${id}, ${url}, '', '{}', 'whsec_AAAA', now(), now())`
      const { delivered, status, error } = await test.webhooks.test(id, operator)
      const text = 'The host has no address that may be used.'
      assert.deepEqual([delivered, status, error], [false, null, text], url)
    }
    assert.equal(sink.received.length, 0)
  })

  it('is in the audit log', async () => {
    const app = await createTestApp({ config: { webhookAllowPrivate: true } })
    const sink = await startSink()
    const { body } = await app.call({ method: 'POST', url: '/admin/v1/webhooks', body: { url: sink.url } })
    const url = `/admin/v1/webhooks/${body.webhookId}/test`
    const response = await app.call({ method: 'POST', url })
    assert.deepEqual([response.status, response.body.delivered], [200, true])
    const entries = await app.db.sql<{ action: string }[]>`
      select action from audit where record_id = ${body.webhookId} order by seq`
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['webhook.create', 'webhook.test'],
    )
  })
})
