// The queue of deliveries: made by the dispatcher, claimed by one sender at a time, let go when the claim runs out.
// Of the deliveries of one webhook about one record only the first that is pending, the head, is ever claimed.
import type { Sql, Tx } from '../db/database.ts'

// Any fixed number will do, as long as nothing else in the database takes the same advisory lock.
const QUEUE_LOCK = 7_227_005

/** Deliveries are numbered by one transaction at a time, so that the order of numbers is the order of commits. */
export async function lockQueue(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${QUEUE_LOCK})`
}

export async function tryLockQueue(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ locked: boolean }[]>`select pg_try_advisory_xact_lock(${QUEUE_LOCK}) as locked`
  return row?.locked === true
}

/** One delivery for each of the next events and each active webhook that asks for it; answers how many events there were. */
export async function dispatchEvents(tx: Tx, { limit, now }: { limit: number; now: Date }): Promise<number> {
  const { count } = await tx`
    with taken as materialized (
      select seq, type, record_id from events where dispatched_at is null order by seq limit ${limit}
      for update skip locked
    ), made as (
      insert into webhook_deliveries
        (delivery_id, webhook_id, event_seq, record_id, state, next_attempt_at, created_at, updated_at)
      select 'dlv_' || gen_random_uuid(), w.webhook_id, t.seq, t.record_id, 'pending', ${now}, ${now}, ${now}
      from taken t
      join webhooks w on w.active and (w.event_types = '{}' or t.type = any(w.event_types))
      order by t.seq
    )
    update events e set dispatched_at = ${now} from taken t where e.seq = t.seq`
  return count
}

export interface Candidate {
  seq: string
  webhookId: string
}

/** Locks what is due, a few of each webhook, so that one with a long backlog does not hide the others. */
export async function lockDue(
  tx: Tx,
  { each, except, now }: { each: number; except: string[]; now: Date },
): Promise<Candidate[]> {
  return tx<Candidate[]>`
    select d.seq, w.webhook_id as "webhookId"
    from webhooks w
    cross join lateral (
      select d.seq from webhook_deliveries d
      where d.webhook_id = w.webhook_id and d.state = 'pending' and d.next_attempt_at <= ${now}
      order by d.next_attempt_at, d.seq limit ${each}
      for update skip locked
    ) d
    where w.active and w.webhook_id <> all(${except}::text[])`
}

/**
 * Puts off those that stand behind another, until that one's next attempt; answers which they are. Must be a statement
 * of its own after lockDue: its snapshot sees what was finished before the lock, and whoever finishes the other later
 * waits for our lock and then wakes the one behind it.
 */
export async function parkHeld(
  tx: Tx,
  { seqs, now }: { seqs: string[]; now: Date },
): Promise<{ seq: string }[]> {
  return tx<{ seq: string }[]>`
    update webhook_deliveries d
    set next_attempt_at = greatest(first.next_attempt_at, ${now}::timestamptz + interval '1 second')
    from webhook_deliveries c
    cross join lateral (
      select p.next_attempt_at from webhook_deliveries p
      where p.webhook_id = c.webhook_id and p.record_id = c.record_id and p.state = 'pending' and p.seq < c.seq
      order by p.seq limit 1
    ) first
    where c.seq = any(${seqs}::bigint[]) and d.seq = c.seq
    returning d.seq`
}

export interface Claimed {
  seq: string
  deliveryId: string
  webhookId: string
  /** With this one. It is also the proof of the claim: whoever claims next counts on. */
  attempts: number
  eventId: string
  type: string
  data: Record<string, string | null>
  occurredAt: Date
  traceId: string | null
  url: string
  secrets: string[]
}

export async function claim(
  tx: Tx,
  { seqs, until, now }: { seqs: string[]; until: Date; now: Date },
): Promise<Claimed[]> {
  return tx<Claimed[]>`
    update webhook_deliveries d
    set attempts = d.attempts + 1, next_attempt_at = ${until}, updated_at = ${now}
    from events e, webhooks w
    where d.seq = any(${seqs}::bigint[]) and e.seq = d.event_seq and w.webhook_id = d.webhook_id
    returning d.seq, d.delivery_id as "deliveryId", d.webhook_id as "webhookId", d.attempts,
      e.event_id as "eventId", e.type, e.data, e.occurred_at as "occurredAt", e.trace_id as "traceId", w.url,
      array_remove(array[w.secret, case when w.previous_secret_until > ${now} then w.previous_secret end], null)
        as secrets`
}

interface Ending {
  delivery: Claimed
  state: 'delivered' | 'failed'
  status: number | null
  error: string | null
  now: Date
}

/** Ends a delivery and wakes the one that stood behind it. Does nothing where the claim has passed to another. */
export async function endDelivery(sql: Sql, { delivery, state, status, error, now }: Ending): Promise<void> {
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

interface Postponement {
  delivery: Claimed
  until: Date
  status: number | null
  error: string | null
  now: Date
}

export async function postpone(
  sql: Sql,
  { delivery, until, status, error, now }: Postponement,
): Promise<void> {
  await sql`
    update webhook_deliveries
    set next_attempt_at = ${until}, last_status = ${status}, last_error = ${error}, updated_at = ${now}
    where seq = ${delivery.seq} and attempts = ${delivery.attempts} and state = 'pending'`
}

/**
 * Removes events from before that time, with their deliveries; answers how many. What is still to be sent stays, and so
 * does what a webhook never took, until it is sent again or the webhook is deleted.
 */
export async function deleteOldEvents(
  tx: Tx,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { count } = await tx`
    with old as materialized (
      select e.seq from events e
      where e.occurred_at < ${before} and e.dispatched_at is not null and not exists (
        select from webhook_deliveries d
        where d.event_seq = e.seq and (d.updated_at >= ${before} or d.state <> 'delivered' and not exists (
          select from webhook_deliveries l
          where l.event_seq = d.event_seq and l.webhook_id = d.webhook_id and l.seq > d.seq and l.state = 'delivered')))
      order by e.occurred_at, e.seq limit ${limit}
    ), forgotten as (
      delete from webhook_deliveries d using old where d.event_seq = old.seq
    )
    delete from events e using old where e.seq = old.seq`
  return count
}
