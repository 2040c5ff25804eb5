import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemActor } from '../../src/db/unit-of-work.ts'
import { createDeliveries } from '../../src/events/deliveries.worker.ts'
import { appendEvents } from '../../src/events/outbox.store.ts'
import { createWebhooks, type WebhookInput } from '../../src/events/webhooks.service.ts'
import { expandScopes } from '../../src/lib/scopes.ts'
import { createTestDatabase, silent, testClock, testSealer } from '../support/harness.ts'
import { type Received, startSink } from './webhook-sink.ts'

const actor = systemActor('test', 'test')
/** An operator: it uses all webhooks, and none of its own. */
const caller = { clientId: 'test', scopes: expandScopes(['admin']) }

/** A database with the services of events, without HTTP. */
async function setUp({ allowPrivate = true } = {}) {
  const db = await createTestDatabase()
  const clock = testClock(new Date('2026-03-01T09:00:00Z'))
  const worker = (timeout?: number) =>
    createDeliveries({
      db,
      sealer: testSealer,
      clock,
      log: silent,
      allowPrivate,
      ...(timeout && { timeout }),
    })
  const webhooks = createWebhooks({ sql: db.sql, sealer: testSealer, clock, allowPrivate })
  const inUnit = <T>(work: (unit: never) => Promise<T>): Promise<T> =>
    db.transaction(tx =>
      work({ tx, actor, now: clock.now(), audit: () => {}, emit: () => {} } as unknown as never),
    )
  return {
    db,
    clock,
    worker,
    webhooks,
    inUnit,
    create: (input: WebhookInput) => inUnit(unit => webhooks.create(unit, input, caller)),
    emit: (recordId: string, type = 'case.created', traceId?: string) =>
      db.transaction(tx =>
        appendEvents(tx, [{ type, recordId, data: { caseId: recordId, mark: randomUUID() } }], {
          actor: { ...actor, traceId },
          now: clock.now(),
        }),
      ),
    states: async () =>
      (await db.sql<{ state: string }[]>`select state from webhook_deliveries order by seq`).map(
        ({ state }) => state,
      ),
  }
}

async function deliver(worker: ReturnType<typeof createDeliveries>): Promise<void> {
  await worker.dispatch()
  await worker.send()
}

/** Verifies a signature according to the standard, without the code of the service. */
function isSigned({ headers, text }: Received, secret: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(expected)
}

describe('a delivery', () => {
  it('is signed, contains the event, and is sent once', async () => {
    const { create, emit, worker, clock, states } = await setUp()
    const sink = await startSink()
    const { secret } = await create({ url: sink.url })
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    await emit('case-1', 'case.created', 'a'.repeat(32))
    const one = worker()
    await deliver(one)
    await deliver(one)
    assert.equal(sink.received.length, 1)
    const [received] = sink.received as [Received]
    assert.ok(isSigned(received, secret))
    assert.ok(!isSigned(received, `whsec_${Buffer.alloc(32).toString('base64')}`))
    assert.match(String(received.headers['webhook-id']), /^evt_/)
    assert.equal(Number(received.headers['webhook-timestamp']), clock.now().getTime() / 1000)
    assert.equal(received.headers['content-type'], 'application/json')
    assert.match(String(received.headers['traceparent']), /^00-a{32}-[\da-f]{16}-01$/)
    assert.deepEqual(Object.keys(received.body), ['type', 'timestamp', 'data'])
    assert.equal(received.body.type, 'case.created')
    assert.equal(received.body.timestamp, '2026-03-01T09:00:00.000Z')
    assert.equal(received.body.data.caseId, 'case-1')
    assert.deepEqual(await states(), ['delivered'])
  })

  it('is sent to the active webhooks that subscribe to its type', async () => {
    const { create, emit, worker } = await setUp()
    const sink = await startSink()
    await create({ url: `${sink.url}/all` })
    await create({ url: `${sink.url}/cases`, eventTypes: ['case.created', 'case.note_added'] })
    await create({ url: `${sink.url}/documents`, eventTypes: ['document.created'] })
    await create({ url: `${sink.url}/inactive`, active: false })
    await emit('case-1')
    await deliver(worker())
    assert.deepEqual(sink.received.map(({ path }) => path).sort(), ['/hook/all', '/hook/cases'])
  })

  it('has two signatures while an old secret is still valid', async () => {
    const { create, emit, worker, webhooks, inUnit, clock } = await setUp()
    const sink = await startSink()
    const { webhookId, secret: old } = await create({ url: sink.url })
    const { secret } = await inUnit(unit =>
      webhooks.rotateSecret(unit, webhookId, { graceSeconds: 3600, caller }),
    )
    await emit('case-1')
    await deliver(worker())
    clock.advance(3601)
    await emit('case-1')
    await deliver(worker())
    const [during, afterwards] = sink.received as [Received, Received]
    assert.ok(isSigned(during, old) && isSigned(during, secret))
    assert.ok(!isSigned(afterwards, old) && isSigned(afterwards, secret))
  })
})

describe('order', () => {
  it('is kept per record: a pending delivery blocks later ones of its record, and no others', async () => {
    const { create, emit, worker, clock, states } = await setUp()
    let rejecting = true
    const sink = await startSink(({ body }) => (rejecting && body.data.caseId === 'slow' ? 500 : 200))
    await create({ url: sink.url })
    for (const type of ['case.created', 'case.status_changed', 'case.note_added']) {
      await emit('slow', type)
      await emit('quick', type)
    }
    const one = worker()
    await deliver(one)
    const of = (id: string) =>
      sink.received.filter(({ body }) => body.data.caseId === id).map(({ body }) => body.type)
    const inOrder = ['case.created', 'case.status_changed', 'case.note_added']
    assert.deepEqual(of('quick'), inOrder)
    assert.deepEqual(of('slow'), ['case.created'])
    rejecting = false
    clock.advance(10)
    await deliver(one)
    assert.deepEqual(of('slow'), ['case.created', ...inOrder])
    assert.deepEqual(new Set(await states()), new Set(['delivered']))
    const [first, second] = sink.received.filter(({ body }) => body.data.caseId === 'slow')
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
    assert.equal(first?.text, second?.text)
  })

  it('is completed when a delivery ends during the query for the next ones', async () => {
    const { db, clock, create, emit } = await setUp()
    const sink = await startSink(async () => {
      await sleep(320)
      return 200
    })
    await create({ url: sink.url })
    const types = ['case.created', 'case.status_changed', 'case.note_added']
    for (const type of types) await emit('case-1', type)
    // Each query takes long enough for the concurrent request to end.
    const transaction: typeof db.transaction = async work => {
      const result = await db.transaction(work)
      await sleep(200)
      return result
    }
    await deliver(
      createDeliveries({
        db: { ...db, transaction },
        sealer: testSealer,
        clock,
        log: silent,
        allowPrivate: true,
      }),
    )
    assert.deepEqual(
      sink.received.map(({ body }) => body.type),
      types,
    )
  })

  it('is kept with several workers and many records, each event delivered once', async () => {
    const { create, emit, worker } = await setUp()
    let running = 0
    let most = 0
    const sink = await startSink(async () => {
      most = Math.max(most, ++running)
      await sleep(Math.random() * 5)
      running -= 1
      return 200
    })
    await create({ url: sink.url })
    await create({ url: `${sink.url}/other` })
    const records = Array.from({ length: 25 }, (_, index) => `case-${index}`)
    const types = ['case.created', 'case.status_changed', 'case.step_changed', 'case.note_added']
    for (const type of types) await Promise.all(records.map(record => emit(record, type)))
    await Promise.all([worker(), worker(), worker()].map(deliver))
    assert.equal(sink.received.length, 2 * records.length * types.length)
    for (const path of ['/hook', '/hook/other'])
      for (const record of records)
        assert.deepEqual(
          sink.received
            .filter(one => one.path === path && one.body.data.caseId === record)
            .map(({ body }) => body.type),
          types,
        )
    assert.ok(most > 1, 'different records go out in parallel')
  })

  it('of one webhook is not delayed by another that does not respond', async () => {
    const { create, emit, worker } = await setUp()
    const dead = await startSink(() => undefined)
    const sink = await startSink()
    await create({ url: dead.url })
    await create({ url: sink.url })
    for (let index = 0; index < 50; index++) await emit(`case-${index}`)
    // Longer than the other webhook needs on a busy machine: if it had to wait for a timeout, the test would fail.
    const one = worker(8_000)
    await one.dispatch()
    const sending = one.send()
    for (let waited = 0; sink.received.length < 50 && waited < 7_500; waited += 50) await sleep(50)
    assert.equal(sink.received.length, 50)
    assert.ok(dead.received.length <= 2, 'a webhook that has not responded yet has two requests in flight')
    await one.stop()
    await sending
  })
})

describe('an attempt that fails', () => {
  it('is retried with growing delays for three days, then marked as failed', async () => {
    const { db, create, emit, worker, clock } = await setUp()
    const sink = await startSink(() => 503)
    await create({ url: sink.url })
    await emit('case-1')
    await emit('case-1', 'case.note_added')
    const one = worker()
    await one.dispatch()
    const begin = clock.now().getTime()
    const delays: number[] = []
    for (;;) {
      await one.send()
      const [row] = await db.sql<{ state: string; next: Date | null; status: number }[]>`
        select state, next_attempt_at as next, last_status as status from webhook_deliveries order by seq limit 1`
      assert.equal(row?.status, 503)
      if (row?.state === 'failed') break
      assert.ok(row?.next)
      delays.push((row.next.getTime() - clock.now().getTime()) / 1000)
      clock.set(row.next)
    }
    assert.equal(delays.length, 15)
    for (const [index, seconds] of [5, 30, 120, 600, 3600, 14_400, 28_800].entries())
      assert.ok(Math.abs((delays[index] ?? 0) / seconds - 1) <= 0.21, `delay ${index}: ${delays[index]}`)
    assert.ok(clock.now().getTime() - begin > 2.4 * 86_400_000)
    // The blocked delivery is sent once the head has failed.
    assert.equal(sink.received.at(-1)?.body.type, 'case.note_added')
  })

  it('is one without a response in time, and one that is redirected', async () => {
    const { db, create, emit, worker } = await setUp()
    const silentSink = await startSink(() => undefined)
    const elsewhere = await startSink()
    const redirecting = await startSink((_received, response) => {
      response.writeHead(307, { location: elsewhere.url }).end()
      return undefined
    })
    await create({ url: silentSink.url })
    await create({ url: redirecting.url })
    await create({ url: 'http://127.0.0.1:1/closed' })
    await emit('case-1')
    await deliver(worker(300))
    const rows = await db.sql<{ state: string; error: string; status: number | null }[]>`
      select d.state, d.last_error as error, d.last_status as status
      from webhook_deliveries d join webhooks w using (webhook_id) order by d.seq`
    assert.deepEqual(new Set(rows.map(({ state }) => state)), new Set(['pending']))
    const errors = rows.map(({ error }) => error).sort()
    assert.deepEqual(errors, [
      'A redirect is not followed.',
      'The connection failed: ECONNREFUSED.',
      'There was no response within 0.3 seconds.',
    ])
    assert.equal(elsewhere.received.length, 0)
  })

  it('does not fail for a long response, of which only a little is read', async () => {
    const { create, emit, worker, states } = await setUp()
    let sent = 0
    const sink = await startSink((_received, response) => {
      const more = () => {
        while (sent < 500_000_000 && response.write(Buffer.alloc(65_536))) sent += 65_536
      }
      response.writeHead(200).on('drain', more)
      more()
      return undefined
    })
    await create({ url: sink.url })
    await emit('case-1')
    await deliver(worker())
    assert.deepEqual(await states(), ['delivered'])
    assert.ok(sent < 50_000_000, `${sent} bytes were sent`)
  })

  it('with 410 disables the webhook until an operator enables it', async () => {
    const { create, emit, worker, webhooks, inUnit, states } = await setUp()
    const sink = await startSink(() => 410)
    const { webhookId } = await create({ url: sink.url })
    await emit('case-1')
    await emit('case-1', 'case.note_added')
    const one = worker()
    await deliver(one)
    const disabled = await webhooks.get(webhookId, caller)
    assert.equal(disabled.active, false)
    assert.match(disabled.disabledReason ?? '', /410/)
    assert.deepEqual(await states(), ['failed', 'pending'])
    assert.equal(sink.received.length, 1)
    sink.respondWith(() => 200)
    await deliver(one)
    assert.equal(sink.received.length, 1)
    const enabled = await inUnit(unit =>
      webhooks.merge(unit, webhookId, { input: { active: true }, caller, requireState: () => {} }),
    )
    assert.equal(enabled.disabledReason, null)
    await deliver(one)
    assert.deepEqual(await states(), ['failed', 'delivered'])
  })
})

describe('a worker that is killed', () => {
  it('leaves a lease that expires; another worker then sends the same event', async () => {
    const { create, emit, worker, clock, states } = await setUp()
    const sink = await startSink(() => undefined)
    await create({ url: sink.url })
    await emit('case-1')
    const killed = worker(60_000)
    await killed.dispatch()
    void killed.send()
    while (sink.received.length === 0) await sleep(10)
    void killed.stop()
    sink.respondWith(() => 200)
    const other = worker()
    clock.advance(20)
    await deliver(other)
    assert.equal(sink.received.length, 1, 'the lease has not expired')
    clock.advance(11)
    await deliver(other)
    assert.equal(sink.received.length, 2)
    assert.equal(sink.received[0]?.headers['webhook-id'], sink.received[1]?.headers['webhook-id'])
    assert.deepEqual(await states(), ['delivered'])
  })

  it('does not overwrite the outcome that the other one recorded', async () => {
    const { db, create, emit, worker, clock, states } = await setUp()
    let release = (_status: number) => {}
    const sink = await startSink(() => new Promise(resolve => (release = resolve)))
    await create({ url: sink.url })
    await emit('case-1')
    const stalled = worker(60_000)
    await stalled.dispatch()
    const sending = stalled.send()
    while (sink.received.length === 0) await sleep(10)
    const respondLate = release
    sink.respondWith(() => 200)
    clock.advance(31)
    await deliver(worker())
    respondLate(500)
    await sending
    assert.deepEqual(await states(), ['delivered'])
    const [row] = await db.sql`select attempts, last_status as status from webhook_deliveries`
    assert.deepEqual({ ...row }, { attempts: 2, status: 200 })
  })
})

describe('a private address', () => {
  it('is rejected when a delivery is sent, also behind a host name', async () => {
    const { db, emit, worker } = await setUp({ allowPrivate: false })
    const sink = await startSink()
    const urls = [
      `http://localhost:${sink.port}/name`,
      sink.url,
      `http://[::ffff:127.0.0.1]:${sink.port}/mapped`,
    ]
    for (const [index, url] of urls.entries())
      await db.sql`
        insert into webhooks (webhook_id, url, description, event_types, secret, created_at, updated_at)
        values (${`hook-${index}`}, ${url}, '', '{}', 'whsec_AAAA', now(), now())`
    await emit('case-1')
    await deliver(worker())
    assert.equal(sink.received.length, 0)
    const rows = await db.sql<{ error: string }[]>`select last_error as error from webhook_deliveries`
    assert.equal(rows.length, 3)
    for (const { error } of rows) assert.match(error, /has no address that may be used/)
  })
})

describe('a replay', () => {
  it('sends one delivery again, with the same webhook-id', async () => {
    const { db, create, emit, worker, webhooks, inUnit } = await setUp()
    const sink = await startSink()
    const { webhookId } = await create({ url: sink.url })
    await emit('case-1')
    await deliver(worker())
    const [row] = await db.sql<[{ id: string }]>`select delivery_id as id from webhook_deliveries`
    await inUnit(unit => webhooks.replay(unit, webhookId, { deliveryId: row.id, caller }))
    await deliver(worker())
    assert.equal(sink.received.length, 2)
    assert.equal(sink.received[0]?.headers['webhook-id'], sink.received[1]?.headers['webhook-id'])
  })

  it('sends the events of some days in order, except those that are pending', async () => {
    const { create, emit, worker, webhooks, inUnit, clock } = await setUp()
    const sink = await startSink()
    await emit('before', 'case.created')
    clock.advance(86_400)
    await emit('case-1', 'case.created')
    await emit('case-1', 'case.note_added')
    await emit('case-1', 'document.created')
    clock.advance(86_400)
    await emit('later', 'case.created')
    const one = worker()
    await one.dispatch()
    const { webhookId } = await create({ url: sink.url, eventTypes: ['case.created', 'case.note_added'] })
    const range = { startDate: '2026-03-02', endDate: '2026-03-02', caller }
    const replay = () => inUnit(unit => webhooks.replayRange(unit, webhookId, range))
    assert.equal(await replay(), 2)
    assert.equal(await replay(), 0)
    await deliver(one)
    assert.deepEqual(
      sink.received.map(({ body }) => body.type),
      ['case.created', 'case.note_added'],
    )
    assert.equal(await replay(), 2)
  })
})
