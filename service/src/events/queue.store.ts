// The queue of deliveries: created by the dispatcher, claimed by one worker at a time with a lease that expires. Deliveries of
// one webhook about one record are sent in order: only the first pending one, the head of the line, can be claimed.
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts'
import type { Sql, Tx } from '../db/database.ts'
import { belongsToCompanies, ownerIsEnabled, ownerMayReceive } from './webhooks.store.ts'

/** Deliveries get their numbers under this lock, so that the order of numbers is the order of commits. */
export async function lockQueue(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.queue})`
}

export async function tryLockQueue(tx: Tx): Promise<boolean> {
  const [row] = await tx<
    { locked: boolean }[]
  >`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.queue}) as locked`
  return row?.locked === true
}

/**
 * Dispatches the next events: numbers them, and creates a delivery for each active webhook that subscribes to one. Returns the
 * number of events. The snapshot of the statement has only events of committed transactions, and numbers are assigned under
 * the lock of the queue: an event that is committed later gets a higher number, however long its transaction was open.
 */
export async function dispatchEvents(tx: Tx, { limit, now }: { limit: number; now: Date }): Promise<number> {
  const { count } = await tx`
    with batch as materialized (
      select seq, event_id, type, record_id, company_set_id, row_number() over (order by seq) as position
      from events where dispatched_at is null order by seq limit ${limit}
    ), created as (
      insert into webhook_deliveries
        (delivery_id, webhook_id, event_seq, record_id, state, next_attempt_at, created_at, updated_at)
      select 'dlv_' || gen_random_uuid(), w.webhook_id, t.seq, t.record_id, 'pending', ${now}, ${now}, ${now}
      from batch t
      join webhooks w on w.active and (w.event_types = '{}' or t.type = any(w.event_types))
        and ${ownerMayReceive(tx, tx`t.type`)} and ${belongsToCompanies(tx, tx`t.company_set_id`)}
      order by t.seq
    ), size as (
      select count(*) as events from batch
    ), feed as (
      update change_feed
      set head = head + size.events, head_event_id = (select event_id from batch order by position desc limit 1)
      from size where size.events > 0
      returning head - size.events as first
    ), sets as (
      insert into change_feed_sets (company_set_id, head, head_event_id, deleted_through)
      select distinct on (t.company_set_id) t.company_set_id, feed.first + t.position, t.event_id, 0
      from batch t, feed where t.company_set_id is not null
      order by t.company_set_id, t.position desc
      on conflict (company_set_id) do update set head = excluded.head, head_event_id = excluded.head_event_id
    )
    update events e set dispatched_at = ${now}, number = feed.first + t.position
    from batch t, feed where e.seq = t.seq`
  return count
}

/** Whether an event waits for its number. */
export async function hasUndispatched(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    select exists (select from events where dispatched_at is null) as found`
  return row.found
}

interface DueDelivery {
  seq: string
  webhookId: string
}

/** Locks due deliveries, a limited number per webhook, so that a long backlog of one does not hide the others. */
export async function lockDueDeliveries(
  tx: Tx,
  { limitPerWebhook, except, now }: { limitPerWebhook: number; except: string[]; now: Date },
): Promise<DueDelivery[]> {
  return tx<DueDelivery[]>`
    select d.seq, w.webhook_id as "webhookId"
    from webhooks w
    cross join lateral (
      select d.seq from webhook_deliveries d
      where d.webhook_id = w.webhook_id and d.state = 'pending' and d.next_attempt_at <= ${now}
      order by d.next_attempt_at, d.seq limit ${limitPerWebhook}
      for update skip locked
    ) d
    where w.active and ${ownerIsEnabled(tx)} and w.webhook_id <> all(${except}::text[])`
}

/**
 * Postpones deliveries that are blocked by an earlier pending one of the same record, until that one's next attempt; returns
 * them. It must be a separate statement after lockDueDeliveries: its snapshot then includes everything that was finished
 * before the lock, and a transaction that finishes the head later waits for our lock before it wakes the next delivery.
 */
export async function postponeBlocked(
  tx: Tx,
  { seqs, now }: { seqs: string[]; now: Date },
): Promise<{ seq: string }[]> {
  return tx<{ seq: string }[]>`
    update webhook_deliveries d
    set next_attempt_at = greatest(head.next_attempt_at, ${now}::timestamptz + interval '1 second')
    from webhook_deliveries c
    cross join lateral (
      select p.next_attempt_at from webhook_deliveries p
      where p.webhook_id = c.webhook_id and p.record_id = c.record_id and p.state = 'pending' and p.seq < c.seq
      order by p.seq limit 1
    ) head
    where c.seq = any(${seqs}::bigint[]) and d.seq = c.seq
    returning d.seq`
}

export interface ClaimedDelivery {
  seq: string
  deliveryId: string
  webhookId: string
  /** Including this one. It also identifies the claim: the next claim increments it. */
  attempts: number
  eventId: string
  type: string
  data: Record<string, string | null>
  occurredAt: Date
  traceId: string | null
  url: string
  /** As they are stored: sealed. */
  secrets: string[]
  /** Whether the owner of the webhook may receive this type of event, and events of these companies, now. */
  allowed: boolean
}

export async function claimDeliveries(
  tx: Tx,
  { seqs, leaseUntil, now }: { seqs: string[]; leaseUntil: Date; now: Date },
): Promise<ClaimedDelivery[]> {
  return tx<ClaimedDelivery[]>`
    update webhook_deliveries d
    set attempts = d.attempts + 1, next_attempt_at = ${leaseUntil}, updated_at = ${now}
    from events e, webhooks w
    where d.seq = any(${seqs}::bigint[]) and e.seq = d.event_seq and w.webhook_id = d.webhook_id
    returning d.seq, d.delivery_id as "deliveryId", d.webhook_id as "webhookId", d.attempts,
      e.event_id as "eventId", e.type, e.data, e.occurred_at as "occurredAt", e.trace_id as "traceId", w.url,
      array_remove(array[w.secret, case when w.previous_secret_until > ${now} then w.previous_secret end], null)
        as secrets,
      ${ownerMayReceive(tx, tx`e.type`)} and ${belongsToCompanies(tx, tx`e.company_set_id`)} as allowed`
}

interface Outcome {
  delivery: ClaimedDelivery
  state: 'delivered' | 'failed'
  status: number | null
  error: string | null
  now: Date
}

/** Finishes a delivery and makes the next one of its record due. A no-op when another worker has claimed it since. */
export async function finishDelivery(
  sql: Sql,
  { delivery, state, status, error, now }: Outcome,
): Promise<void> {
  await sql`
    with done as (
      update webhook_deliveries
      set state = ${state}, next_attempt_at = null, last_status = ${status}, last_error = ${error},
        updated_at = ${now}
      where seq = ${delivery.seq} and attempts = ${delivery.attempts} and state = 'pending'
      returning webhook_id, record_id, seq
    )
    update webhook_deliveries next set next_attempt_at = ${now}
    where next.state = 'pending' and next.seq = (
      select min(b.seq) from webhook_deliveries b, done
      where b.webhook_id = done.webhook_id and b.record_id = done.record_id and b.state = 'pending' and b.seq > done.seq)`
}

interface Retry {
  delivery: ClaimedDelivery
  retryAt: Date
  status: number | null
  error: string | null
  now: Date
}

export async function scheduleRetry(
  sql: Sql,
  { delivery, retryAt, status, error, now }: Retry,
): Promise<void> {
  await sql`
    update webhook_deliveries
    set next_attempt_at = ${retryAt}, last_status = ${status}, last_error = ${error}, updated_at = ${now}
    where seq = ${delivery.seq} and attempts = ${delivery.attempts} and state = 'pending'`
}

/** An event in the order of time. */
export interface EventPosition {
  at: Date
  seq: string
}

interface OldEvents {
  before: Date
  after: EventPosition | undefined
  limit: number
}

/**
 * Looks at so many events from before that time, from a position on, and deletes them with their deliveries. Returns the
 * position of the last one, or undefined at the end. Events with pending deliveries stay, and so do events with failed ones,
 * until they are replayed successfully or the webhook is deleted. The feed begins after the last number that was deleted, so
 * that it never has gaps.
 */
export async function deleteOldEvents(
  tx: Tx,
  { before, after, limit }: OldEvents,
): Promise<EventPosition | undefined> {
  const from = after && tx`and (e.occurred_at, e.seq) > (${after.at}, ${after.seq})`
  const rows = await tx<EventPosition[]>`
    with looked as materialized (
      select e.seq, e.number, e.company_set_id, e.occurred_at, e.dispatched_at from events e
      where e.occurred_at < ${before} ${from ?? tx``}
      order by e.occurred_at, e.seq limit ${limit}
    ), old as materialized (
      select e.seq, e.number, e.company_set_id from looked e
      where e.dispatched_at < ${before} and not exists (
        select from webhook_deliveries d
        where d.event_seq = e.seq and (d.updated_at >= ${before} or d.state <> 'delivered' and not exists (
          select from webhook_deliveries l
          where l.event_seq = d.event_seq and l.webhook_id = d.webhook_id and l.seq > d.seq and l.state = 'delivered')))
    ), deleted as (
      delete from webhook_deliveries d using old where d.event_seq = old.seq
    ), feed as (
      update change_feed f set deleted_through = last.number
      from (select max(number) as number from old) last
      where last.number > f.deleted_through
    ), sets as (
      update change_feed_sets s set deleted_through = last.number
      from (select company_set_id, max(number) as number from old group by company_set_id) last
      where s.company_set_id = last.company_set_id and last.number > s.deleted_through
    ), gone as (
      delete from events e using old where e.seq = old.seq
    )
    select occurred_at as at, seq from looked order by occurred_at, seq`
  return rows.length === limit ? rows.at(-1) : undefined
}
