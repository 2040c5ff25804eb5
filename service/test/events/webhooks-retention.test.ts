import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createDeliveries } from '../../src/events/deliveries.worker.ts'
import { createTestDatabase, silent, testClock } from '../support/harness.ts'

const DAY = 86_400

async function setUp() {
  const db = await createTestDatabase()
  const { sql } = db
  const clock = testClock(new Date('2026-03-01T09:00:00Z'))
  const deliveries = createDeliveries({ db, clock, log: silent, allowPrivate: true })
  const webhook = (id: string) => sql`
    insert into webhooks (webhook_id, url, description, event_types, secret, created_at, updated_at)
    values (${id}, 'http://127.0.0.1:1/', '', '{}', 'whsec_AAAA', ${clock.now()}, ${clock.now()})`
  return {
    sql,
    clock,
    deliveries,
    webhook,
    happen: (id: string) => sql`
      insert into events (event_id, type, record_id, data, occurred_at)
      values (${id}, 'case.created', ${id}, '{}', ${clock.now()})`,
    end: (id: string, state: string, webhookId = 'one') => sql`
      update webhook_deliveries d set state = ${state}, updated_at = ${clock.now()}
      from events e where e.seq = d.event_seq and e.event_id = ${id} and d.webhook_id = ${webhookId}`,
    left: async () =>
      (await sql<{ id: string }[]>`select event_id as id from events order by seq`).map(({ id }) => id),
  }
}

describe('events', () => {
  it('are removed after thirty days, once every webhook has had them', async () => {
    const { clock, deliveries, webhook, happen, end, left, sql } = await setUp()
    await happen('before there was a webhook')
    await deliveries.dispatch()
    await webhook('one')
    await webhook('two')
    const names = ['both had it', 'one had it', 'one gave up', 'nobody has had it']
    for (const name of names) await happen(name)
    await deliveries.dispatch()
    for (const name of names.slice(0, 3)) await end(name, 'delivered', 'two')
    for (const name of names.slice(0, 2)) await end(name, 'delivered', 'one')
    await end('one had it', 'pending', 'two')
    await end('one gave up', 'failed', 'one')
    clock.advance(29 * DAY)
    await happen('new')
    await deliveries.dispatch()
    await end('new', 'delivered', 'one')
    await end('new', 'delivered', 'two')
    await deliveries.forget()
    assert.equal((await left()).length, 6)

    clock.advance(2 * DAY)
    await deliveries.forget()
    assert.deepEqual(await left(), ['one had it', 'one gave up', 'nobody has had it', 'new'])
    const [row] = await sql<[{ count: number }]>`select count(*)::int as count from webhook_deliveries`
    assert.equal(row.count, 8)
  })

  it('that were sent again after a failure go too, thirty days after that', async () => {
    const { clock, deliveries, webhook, happen, end, left, sql } = await setUp()
    await webhook('one')
    await happen('late')
    await deliveries.dispatch()
    await end('late', 'failed')
    clock.advance(40 * DAY)
    await sql`
      insert into webhook_deliveries (delivery_id, webhook_id, event_seq, record_id, state, created_at, updated_at)
      select 'again', webhook_id, event_seq, record_id, 'delivered', ${clock.now()}, ${clock.now()} from webhook_deliveries`
    await deliveries.forget()
    assert.deepEqual(await left(), ['late'])
    clock.advance(31 * DAY)
    await deliveries.forget()
    assert.deepEqual(await left(), [])
  })

  it('are removed by the thousand', async () => {
    const { clock, deliveries, sql } = await setUp()
    await sql`
      insert into events (event_id, type, record_id, data, occurred_at)
      select 'evt_' || n, 'case.created', 'case-' || n, '{}', ${clock.now()} from generate_series(1, 5000) n`
    await deliveries.dispatch()
    clock.advance(31 * DAY)
    await deliveries.forget()
    const [row] = await sql<[{ count: number }]>`select count(*)::int as count from events`
    assert.equal(row.count, 0)
  })
})
