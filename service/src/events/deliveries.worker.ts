// Takes events out of the outbox and sends them: at least once, in order for each webhook and record, each attempt by
// one service at a time. A claim is a time until which nobody else tries; after a crash it runs out by itself.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { retryAfter } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { isTimeout, post, reasonOf } from './post.ts'
import * as queue from './queue.store.ts'
import { signedHeaders } from './signature.ts'
import { disableWebhook } from './webhooks.store.ts'

const EVENTS_AT_ONCE = 500
// A look locks what it sees, so it is short; it is long only while there is a backlog to be put off.
const SHORT_LOOK = 16
const LONG_LOOK = 500
const IN_FLIGHT = 128
// A webhook begins with a few at once and gets twice as many with each answer, good or bad; one that stayed silent gets a
// single one. So those that are away leave the room to those that are there.
const FEW = 2
const MOST = 16
const TIMEOUT = 15_000
// Longer than an attempt can take; a claim that outlives its sender is noticed after this.
const CLAIM = 30_000
const LOOK_AGAIN = 250
const GATHER = 5
const LAST_WAIT = 5_000

const GONE = 410
const KEPT = 30 * 86_400_000

interface Options {
  db: Database
  clock: Clock
  log: Log
  allowPrivate: boolean
  /** Milliseconds for one attempt. */
  timeout?: number
}

export type Deliveries = ReturnType<typeof createDeliveries>

export function createDeliveries({ db, clock, log, allowPrivate, timeout = TIMEOUT }: Options) {
  const inFlight = new Map<Promise<void>, string>()
  const pace = new Map<string, number>()
  const mostOf = (webhookId: string) => pace.get(webhookId) ?? FEW
  let stopping = false
  const later = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds)

  const dispatchSome = () =>
    db.transaction(async tx => {
      // Where another service is at it there is nothing left to do.
      if (!(await queue.tryLockQueue(tx))) return 0
      return queue.dispatchEvents(tx, { limit: EVENTS_AT_ONCE, now: clock.now() })
    })

  const forgetSome = () =>
    db.transaction(async tx => {
      // Neither beside a dispatch nor beside a replay, which must find the event that it repeats.
      if (!(await queue.tryLockQueue(tx))) return 0
      return queue.deleteOldEvents(tx, { before: later(-KEPT), limit: EVENTS_AT_ONCE })
    })

  /** What may be sent now, and whether it is worth looking again at once. */
  const claimSome = (each: number) =>
    db.transaction(async tx => {
      const now = clock.now()
      const busy = new Map<string, number>()
      for (const webhookId of inFlight.values()) busy.set(webhookId, (busy.get(webhookId) ?? 0) + 1)
      const except = [...busy].filter(([id, count]) => count >= mostOf(id)).map(([id]) => id)
      const due = await queue.lockDue(tx, { each, except, now })
      if (due.length === 0) return { claimed: [], again: false }
      const held = await queue.parkHeld(tx, { seqs: due.map(({ seq }) => seq), now })
      const behind = new Set(held.map(({ seq }) => seq))
      const wanted = due.filter(({ seq, webhookId }) => {
        if (behind.has(seq)) return false
        const count = (busy.get(webhookId) ?? 0) + 1
        busy.set(webhookId, count)
        return count <= mostOf(webhookId)
      })
      const seqs = wanted.slice(0, IN_FLIGHT - inFlight.size).map(({ seq }) => seq)
      const claimed = seqs.length > 0 ? await queue.claim(tx, { seqs, until: later(CLAIM), now }) : []
      return { claimed, again: held.length > 0 }
    })

  const attempt = async (delivery: queue.Claimed) => {
    const { webhookId, deliveryId, attempts } = delivery
    const { status, error, silent } = await trySending(delivery)
    pace.set(webhookId, silent ? 1 : Math.min(MOST, mostOf(webhookId) * 2))
    const now = clock.now()
    if (status !== null && status >= 200 && status < 300)
      return queue.endDelivery(db.sql, { delivery, state: 'delivered', status, error: null, now })
    log.warn({ webhookId, deliveryId, attempts, status }, 'a webhook did not take a delivery')
    const wait = status === GONE ? undefined : retryAfter(attempts)
    if (wait !== undefined)
      return queue.postpone(db.sql, { delivery, until: later(wait * 1000), status, error, now })
    return db.transaction(async tx => {
      await queue.endDelivery(tx, { delivery, state: 'failed', status, error, now })
      const reason = 'The receiver answered 410: it wants nothing more.'
      if (status === GONE) await disableWebhook(tx, { webhookId, reason, now })
    })
  }

  const trySending = async (delivery: queue.Claimed) => {
    const { eventId, type, data, occurredAt, traceId, url, secrets } = delivery
    const body = JSON.stringify({ type, timestamp: occurredAt.toISOString(), data })
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Caseport',
      ...signedHeaders({ id: eventId, sentAt: clock.now(), body, secrets }),
      ...(traceId && { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` }),
    }
    try {
      const status = await post({ url, headers, body, allowPrivate, milliseconds: timeout })
      const redirected = status >= 300 && status < 400
      return { status, error: redirected ? 'A redirect is not followed.' : null, silent: false }
    } catch (error) {
      return { status: null, error: reasonOf(error, timeout), silent: isTimeout(error) }
    }
  }

  const start = (delivery: queue.Claimed) => {
    // What could not be recorded is tried again when the claim runs out.
    const running = attempt(delivery)
      .catch(error => log.warn({ code: error.code }, 'a delivery was not recorded; it is sent again'))
      .finally(() => inFlight.delete(running))
    inFlight.set(running, delivery.webhookId)
  }

  /** Begins as many as there is room for; answers how many. */
  const startDue = async () => {
    let started = 0
    let again = true
    let look = SHORT_LOOK
    while (again && !stopping && inFlight.size < IN_FLIGHT) {
      const some = await claimSome(look)
      for (const delivery of some.claimed) start(delivery)
      started += some.claimed.length
      again = some.again
      look = LONG_LOOK
    }
    return started
  }

  return {
    /** Makes deliveries of all events that have none yet. */
    async dispatch(): Promise<void> {
      while (!stopping && (await dispatchSome()) === EVENTS_AT_ONCE);
    },

    /** Removes the events of more than thirty days ago that everybody has had. */
    async forget(): Promise<void> {
      while (!stopping && (await forgetSome()) === EVENTS_AT_ONCE);
    },

    /** Sends what is due, until nothing is and nothing is under way. */
    async send(): Promise<void> {
      for (;;) {
        // A delivery that ends during the query makes the next one due without being seen by it.
        const idle = inFlight.size === 0
        const started = await startDue()
        if (started === 0 && idle) return
        const running = [...inFlight.keys()]
        if (running.length > 0) await Promise.race([...running, sleep(LOOK_AGAIN, undefined, { ref: false })])
        // Those that end together are followed by one look, not by one each.
        await sleep(GATHER)
      }
    },

    /** Begins nothing new, and gives what is under way a moment to end. */
    async stop(): Promise<void> {
      stopping = true
      await Promise.race([Promise.all(inFlight.keys()), sleep(LAST_WAIT, undefined, { ref: false })])
    },
  }
}
