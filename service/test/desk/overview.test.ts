// The overview: webhooks that do not get their deliveries through.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const app = await createTestApp()

describe('GET /admin/v1/overview', () => {
  it('counts, and GET /admin/v1/webhooks?failing=true lists, webhooks that were disabled for failures, or whose deliveries are tried again', async () => {
    const { sql } = app.db
    const listed = async (query: string) =>
      (await app.call({ url: `/admin/v1/webhooks${query}` })).body.map(
        ({ webhookId }: { webhookId: string }) => webhookId,
      )
    const failing = async () => {
      const { failingWebhooks } = (await app.call({ url: '/admin/v1/overview' })).body
      assert.equal((await listed('?failing=true')).length, failingWebhooks)
      return failingWebhooks
    }
    await sql`
      insert into webhooks (webhook_id, url, description, event_types, secret, active, disabled_reason, created_at, updated_at)
      values ('hook-1', 'https://one.invalid/', '', '{}', 'x', true, null, now(), now()),
        ('hook-2', 'https://two.invalid/', '', '{}', 'x', false, 'It failed for days.', now(), now()),
        ('hook-3', 'https://three.invalid/', '', '{}', 'x', false, null, now(), now())`
    assert.equal(await failing(), 1)
    await sql`
      insert into events (event_id, type, record_id, data, occurred_at, dispatched_at)
      values ('event-1', 'case.created', 'case-1', '{}', now(), now())`
    const deliver = (webhookId: string, state: string) => sql`
      insert into webhook_deliveries (delivery_id, webhook_id, event_seq, record_id, state, next_attempt_at, created_at, updated_at)
      select 'delivery-' || ${webhookId}, ${webhookId}, seq, 'case-1', ${state}, now() + interval '1 day', now(), now()
      from events`
    await deliver('hook-1', 'pending')
    assert.equal(await failing(), 1)
    await sql`update webhook_deliveries set attempts = 1, last_status = 500`
    assert.equal(await failing(), 2)
    assert.deepEqual(await listed('?failing=true'), ['hook-1', 'hook-2'])
    assert.deepEqual(await listed('?failing=false'), ['hook-3'])
    assert.deepEqual(await listed(''), ['hook-1', 'hook-2', 'hook-3'])
    await sql`update webhook_deliveries set state = 'delivered', last_status = 200`
    assert.equal(await failing(), 1)
  })
})
