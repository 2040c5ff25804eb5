// Dispatches events from the outbox and sends them to webhooks: at least once, in order per webhook and record. A delivery is
// claimed with a lease, a time until which no other service attempts it; after a crash the lease expires by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { retryAfter } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Sealer } from '../lib/sealing.ts'
import * as queue from './queue.store.ts'
import { isSuccess, REQUEST_TIMEOUT_MS, sendEvent } from './send-event.ts'
import { disableWebhook } from './webhooks.store.ts'

const EVENT_BATCH = 500
// A claim locks the rows that it considers, so that the first one considers few. It considers many only while there is a
// backlog of blocked deliveries to postpone.
const CLAIM_BATCH = 16
const BACKLOG_BATCH = 500
const MAX_IN_FLIGHT = 128
// A webhook starts with two requests in flight. The limit doubles with each response, good or bad, and falls to one after a
// timeout, so that receivers that are down leave room for the others.
const INITIAL_LIMIT = 2
const MAX_LIMIT = 16
// Longer than a request can take. The delivery of a service that has crashed is retried after this.
const LEASE_MS = 30_000
const POLL_MS = 250
const BATCH_DELAY_MS = 5
const STOP_TIMEOUT_MS = 5_000
const RETENTION_MS = 30 * 86_400_000

/** The status with which a receiver says that it wants no more deliveries. */
const GONE = 410

interface Options {
  db: Database
  sealer: Sealer
  clock: Clock
  log: Log
  allowPrivate: boolean
  /** Milliseconds for one request. */
  timeout?: number
}

export type Deliveries = ReturnType<typeof createDeliveries>

export function createDeliveries({
  db,
  sealer,
  clock,
  log,
  allowPrivate,
  timeout = REQUEST_TIMEOUT_MS,
}: Options) {
  /** Running deliveries, with the id of their webhook. */
  const inFlight = new Map<Promise<void>, string>()
  const limits = new Map<string, number>()
  const limitOf = (webhookId: string) => limits.get(webhookId) ?? INITIAL_LIMIT
  let stopping = false
  const later = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds)

  const dispatchBatch = () =>
    db.transaction(async tx => {
      // Another service that has the lock dispatches the same events.
      if (!(await queue.tryLockQueue(tx))) return undefined
      return queue.dispatchEvents(tx, { limit: EVENT_BATCH, now: clock.now() })
    })

  const deleteBatch = (after: queue.EventPosition | undefined) =>
    db.transaction(async tx => {
      // Not concurrently with a dispatch or a replay, which must find the event that it repeats.
      if (!(await queue.tryLockQueue(tx))) return undefined
      return queue.deleteOldEvents(tx, { before: later(-RETENTION_MS), after, limit: EVENT_BATCH })
    })

  /** Claims due deliveries within the in-flight limits; `hasBacklog` tells whether to claim again at once. */
  const claimBatch = (limitPerWebhook: number) =>
    db.transaction(async tx => {
      const now = clock.now()
      const running = new Map<string, number>()
      for (const webhookId of inFlight.values()) running.set(webhookId, (running.get(webhookId) ?? 0) + 1)
      const busy = [...running].filter(([id, count]) => count >= limitOf(id)).map(([id]) => id)
      const due = await queue.lockDueDeliveries(tx, { limitPerWebhook, except: busy, now })
      if (due.length === 0) return { claimed: [], hasBacklog: false }
      const postponed = await queue.postponeBlocked(tx, { seqs: due.map(({ seq }) => seq), now })
      const blocked = new Set(postponed.map(({ seq }) => seq))
      const claimable = due.filter(({ seq, webhookId }) => {
        if (blocked.has(seq)) return false
        const count = (running.get(webhookId) ?? 0) + 1
        running.set(webhookId, count)
        return count <= limitOf(webhookId)
      })
      const seqs = claimable.slice(0, MAX_IN_FLIGHT - inFlight.size).map(({ seq }) => seq)
      const claimed =
        seqs.length > 0 ? await queue.claimDeliveries(tx, { seqs, leaseUntil: later(LEASE_MS), now }) : []
      return { claimed, hasBacklog: postponed.length > 0 }
    })

  const deliver = async (delivery: queue.ClaimedDelivery) => {
    const { webhookId, deliveryId, attempts } = delivery
    if (!delivery.allowed) {
      const error = 'The client that the webhook belongs to may not read this record any more.'
      return queue.finishDelivery(db.sql, {
        delivery,
        state: 'failed',
        status: null,
        error,
        now: clock.now(),
      })
    }
    const outcome = await sendEvent(delivery, {
      sealer,
      sentAt: clock.now(),
      allowPrivate,
      timeoutMs: timeout,
    })
    const { status, error, code, timedOut } = outcome
    limits.set(webhookId, timedOut ? 1 : Math.min(MAX_LIMIT, limitOf(webhookId) * 2))
    const now = clock.now()
    if (isSuccess(outcome))
      return queue.finishDelivery(db.sql, { delivery, state: 'delivered', status, error: null, now })
    log.warn({ webhookId, deliveryId, attempts, status, code }, 'a webhook did not accept a delivery')
    const wait = status === GONE ? undefined : retryAfter(attempts)
    if (wait !== undefined)
      return queue.scheduleRetry(db.sql, { delivery, retryAt: later(wait * 1000), status, error, now })
    return db.transaction(async tx => {
      await queue.finishDelivery(tx, { delivery, state: 'failed', status, error, now })
      const reason = 'The receiver responded with 410: it wants no more deliveries.'
      if (status === GONE) await disableWebhook(tx, { webhookId, reason, now })
    })
  }

  const start = (delivery: queue.ClaimedDelivery) => {
    // When the outcome cannot be recorded, the delivery is retried after its lease has expired.
    const running = deliver(delivery)
      .catch(error => log.warn({ code: error.code }, 'a delivery was not recorded; it is sent again'))
      .finally(() => inFlight.delete(running))
    inFlight.set(running, delivery.webhookId)
  }

  /** Starts as many due deliveries as the limits allow, and returns their number. */
  const startDue = async () => {
    let started = 0
    let hasBacklog = true
    let limitPerWebhook = CLAIM_BATCH
    while (hasBacklog && !stopping && inFlight.size < MAX_IN_FLIGHT) {
      const batch = await claimBatch(limitPerWebhook)
      for (const delivery of batch.claimed) start(delivery)
      started += batch.claimed.length
      hasBacklog = batch.hasBacklog
      limitPerWebhook = BACKLOG_BATCH
    }
    return started
  }

  return {
    /**
     * Numbers all events that are not dispatched yet, and creates their deliveries. Returns false where another service is
     * at it.
     */
    async dispatch(): Promise<boolean> {
      for (;;) {
        const dispatched = stopping ? undefined : await dispatchBatch()
        if (dispatched !== EVENT_BATCH) return dispatched !== undefined
      }
    },

    /** Deletes events older than thirty days that every webhook has received. */
    async deleteOld(): Promise<void> {
      let after: queue.EventPosition | undefined
      do after = await deleteBatch(after)
      while (after && !stopping)
    },

    /** Sends due deliveries until none is due and none is in flight. */
    async send(): Promise<void> {
      for (;;) {
        // A delivery that ends during the query makes the next one of its record due, which the query does not see.
        const wasIdle = inFlight.size === 0
        const started = await startDue()
        if (started === 0 && wasIdle) return
        const running = [...inFlight.keys()]
        if (running.length > 0) await Promise.race([...running, sleep(POLL_MS, undefined, { ref: false })])
        // Deliveries that end at about the same time are followed by one claim.
        await sleep(BATCH_DELAY_MS)
      }
    },

    /** Starts no further deliveries, and waits up to five seconds for those in flight. */
    async stop(): Promise<void> {
      stopping = true
      await Promise.race([Promise.all(inFlight.keys()), sleep(STOP_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}
