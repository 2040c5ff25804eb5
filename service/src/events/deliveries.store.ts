// The operators' view of deliveries, and their replays.
import type { Sql, Tx } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, type PositionedRow, pageOf, type Window } from '../db/keyset.ts'
import { isLimited } from '../db/limited.ts'
import { utc } from '../db/types.ts'
import { lockQueue } from './queue.store.ts'
import { belongsToCompanies, ownerMayReceive } from './webhooks.store.ts'

interface Listed extends PositionedRow {
  json: string
}

/** A delivery `d` of the event `e`, as JSON. */
const deliveryJson = (sql: Sql) => sql`
  select row_to_json(r)::text from (
    select d.delivery_id as "deliveryId", e.event_id as "eventId", e.type as "eventType", d.record_id as "recordId",
      d.state, d.attempts,
      case when d.state = 'pending' then ${utc(sql, 'd.next_attempt_at')} end as "nextAttemptAt",
      d.last_status as "lastStatus", d.last_error as "lastError",
      ${utc(sql, 'd.created_at')} as "createdAt", ${utc(sql, 'd.updated_at')} as "updatedAt"
  ) r`

export async function listDeliveries(
  sql: Sql,
  window: Window,
  { webhookId, state }: { webhookId: string; state?: string },
): Promise<Page<Listed>> {
  // Of a webhook that has lost companies, the deliveries of their events are not visible to a limited caller.
  const visible = isLimited(sql) ? sql`and exists (select from events v where v.seq = k.event_seq)` : sql``
  const filter = sql`
    and k.webhook_id = ${webhookId} ${state === undefined ? sql`` : sql`and k.state = ${state}`} ${visible}`
  const page = keyset(sql, window, {
    table: 'webhook_deliveries',
    column: 'created_at',
    isDay: false,
    columns: [],
    filter,
  })
  const rows = await sql<(Listed & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${page.behind} as behind, (${deliveryJson(sql)}) as json
    from (${page.rows}) k
    join webhook_deliveries d on d.seq = k.seq
    join events e on e.seq = d.event_seq
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}

interface Replay {
  webhookId: string
  deliveryId: string
  now: Date
}

/** Creates another delivery of the same event, after all pending deliveries about the same record. */
export async function replayDelivery(
  tx: Tx,
  { webhookId, deliveryId, now }: Replay,
): Promise<string | undefined> {
  await lockQueue(tx)
  const [row] = await tx<{ json: string }[]>`
    with d as (
      insert into webhook_deliveries
        (delivery_id, webhook_id, event_seq, record_id, state, next_attempt_at, created_at, updated_at)
      select 'dlv_' || gen_random_uuid(), webhook_id, event_seq, record_id, 'pending', ${now}, ${now}, ${now}
      from webhook_deliveries
      where webhook_id = ${webhookId} and delivery_id = ${deliveryId}
      returning *
    )
    select (${deliveryJson(tx)}) as json from d join events e on e.seq = d.event_seq`
  return row?.json
}

interface RangeReplay {
  webhookId: string
  startDate: string
  endDate: string
  now: Date
}

/** Creates deliveries of all events of these days that the webhook subscribes to, unless one is pending; returns their number. */
export async function replayRange(
  tx: Tx,
  { webhookId, startDate, endDate, now }: RangeReplay,
): Promise<number> {
  await lockQueue(tx)
  const { count } = await tx`
    insert into webhook_deliveries
      (delivery_id, webhook_id, event_seq, record_id, state, next_attempt_at, created_at, updated_at)
    select 'dlv_' || gen_random_uuid(), w.webhook_id, e.seq, e.record_id, 'pending', ${now}, ${now}, ${now}
    from webhooks w
    join events e on w.event_types = '{}' or e.type = any(w.event_types)
    where w.webhook_id = ${webhookId}
      and ${belongsToCompanies(tx, tx`e.company_set_id`)}
      and e.occurred_at >= ${`${startDate}T00:00:00Z`}::timestamptz
      and e.occurred_at < (${endDate}::date + 1)::timestamp at time zone 'UTC'
      and e.dispatched_at is not null
      and ${ownerMayReceive(tx, tx`e.type`)}
      and not exists (
        select from webhook_deliveries p
        where p.webhook_id = w.webhook_id and p.record_id = e.record_id and p.state = 'pending' and p.event_seq = e.seq)
    order by e.seq`
  return count
}
