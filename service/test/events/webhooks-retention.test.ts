import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDeliveries } from '../../src/events/deliveries.worker.ts'
import { createTestDatabase, silent, testClock, testSealer } from '../support/harness.ts'

const DAY = 86_400

async function setUp() {
  const db = await createTestDatabase()
  const { sql } = db
  const clock = testClock(new Date('2026-03-01T09:00:00Z'))
  const deliveries = createDeliveries({ db, sealer: testSealer, clock, log: silent, allowPrivate: true })
  const webhook = (id: string) => sql`
    insert into webhooks (webhook_id, url, description, event_types, secret, created_at, updated_at)
    values (${id}, 'http://127.0.0.1:1/', '', '{}', 'whsec_AAAA', ${clock.now()}, ${clock.now()})`
  return {
    sql,
    clock,
    deliveries,
    webhook,
    addEvent: (id: string) => sql`
      insert into events (event_id, type, record_id, data, occurred_at)
      values (${id}, 'case.created', ${id}, '{}', ${clock.now()})`,
    setState: (id: string, state: string, webhookId = 'one') => sql`
      update webhook_deliveries d set state = ${state}, updated_at = ${clock.now()}
      from events e where e.seq = d.event_seq and e.event_id = ${id} and d.webhook_id = ${webhookId}`,
    remaining: async () =>
      (await sql<{ id: string }[]>`select event_id as id from events order by seq`).map(({ id }) => id),
  }
}

describe('events', () => {
  it('are deleted after thirty days, once every webhook has received them', async () => {
    const { clock, deliveries, webhook, addEvent, setState, remaining, sql } = await setUp()
    await addEvent('before there was a webhook')
    await deliveries.dispatch()
    await webhook('one')
    await webhook('two')
    const names = ['delivered to both', 'pending for two', 'failed for one', 'pending for both']
    for (const name of names) await addEvent(name)
    await deliveries.dispatch()
    for (const name of names.slice(0, 3)) await setState(name, 'delivered', 'two')
    for (const name of names.slice(0, 2)) await setState(name, 'delivered', 'one')
    await setState('pending for two', 'pending', 'two')
    await setState('failed for one', 'failed', 'one')
    clock.advance(29 * DAY)
    await addEvent('new')
    await deliveries.dispatch()
    await setState('new', 'delivered', 'one')
    await setState('new', 'delivered', 'two')
    await deliveries.deleteOld()
    assert.equal((await remaining()).length, 6)

    clock.advance(2 * DAY)
    await deliveries.deleteOld()
    assert.deepEqual(await remaining(), ['pending for two', 'failed for one', 'pending for both', 'new'])
    const [row] = await sql<[{ count: number }]>`select count(*)::int as count from webhook_deliveries`
    assert.equal(row.count, 8)
  })

  it('that were replayed after a failure are deleted thirty days after the replay', async () => {
    const { clock, deliveries, webhook, addEvent, setState, remaining, sql } = await setUp()
    await webhook('one')
    await addEvent('late')
    await deliveries.dispatch()
    await setState('late', 'failed')
    clock.advance(40 * DAY)
    await sql`
      insert into webhook_deliveries (delivery_id, webhook_id, event_seq, record_id, state, created_at, updated_at)
      select 'again', webhook_id, event_seq, record_id, 'delivered', ${clock.now()}, ${clock.now()} from webhook_deliveries`
    await deliveries.deleteOld()
    assert.deepEqual(await remaining(), ['late'])
    clock.advance(31 * DAY)
    await deliveries.deleteOld()
    assert.deepEqual(await remaining(), [])
  })

  it('are deleted also behind many that stay', async () => {
    const { clock, deliveries, webhook, sql } = await setUp()
    await webhook('one')
    await sql`
      insert into events (event_id, type, record_id, data, occurred_at)
      select 'evt_' || n, 'case.created', 'case-' || n, '{}', ${clock.now()} from generate_series(1, 2000) n`
    await deliveries.dispatch()
    await sql`
      update webhook_deliveries d set updated_at = ${clock.now()},
        state = case when e.seq % 1900 = 0 then 'delivered' else 'failed' end
      from events e where e.seq = d.event_seq`
    clock.advance(31 * DAY)
    await deliveries.deleteOld()
    const [row] = await sql<[{ count: number }]>`select count(*)::int as count from events`
    assert.equal(row.count, 1_999)
  })

  it('are deleted in batches', async () => {
    const { clock, deliveries, sql } = await setUp()
    await sql`
      insert into events (event_id, type, record_id, data, occurred_at)
      select 'evt_' || n, 'case.created', 'case-' || n, '{}', ${clock.now()} from generate_series(1, 5000) n`
    await deliveries.dispatch()
    clock.advance(31 * DAY)
    await deliveries.deleteOld()
    const [row] = await sql<[{ count: number }]>`select count(*)::int as count from events`
    assert.equal(row.count, 0)
  })
})
