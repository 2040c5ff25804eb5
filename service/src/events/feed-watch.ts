// Watches the end of the change feed for all readers of this process: one query at a time, however many readers wait. While
// a reader waits, events get their numbers within milliseconds of their commit instead of with the next run of the
// dispatcher.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { listNews, type News } from './changes.store.ts'
import { hasUndispatched } from './queue.store.ts'

const POLL_MS = 40
const ERROR_POLL_MS = 1_000
/** How many changes are looked at in one query. */
const NEWS = 2_000
/** While another service numbers events. */
const LOCKED_MS = 10
const MAX_LOCKED_MS = 1_000

interface Options {
  /** The whole database: what a reader gets is read by the reader, with what its caller may see. */
  sql: Sql
  /** Numbers all events that are committed; false where another service is at it. */
  dispatch: () => Promise<boolean>
  log: Log
}

interface Waiter {
  through: number
  isWanted: (news: News) => boolean
  wake: () => void
}

interface Wait {
  /** The number up to which the reader has looked at all changes. */
  through: number
  isWanted: (news: News) => boolean
  milliseconds: number
  signal: AbortSignal
}

export type FeedWatch = ReturnType<typeof createFeedWatch>

export function createFeedWatch({ sql, dispatch, log }: Options) {
  const waiters = new Set<Waiter>()
  let stopping = false
  /** The number up to which waiting readers know all changes; undefined while nothing is watched. */
  let seen: number | undefined

  const settleOnce = async (): Promise<void> => {
    for (let waited = 0; waited <= MAX_LOCKED_MS; waited += LOCKED_MS) {
      if (!(await hasUndispatched(sql)) || (await dispatch())) return
      await sleep(LOCKED_MS)
    }
  }
  const settle = shareNext(settleOnce)

  const look = async (from: number): Promise<number> => {
    await settle()
    const news = await listNews(sql, from, NEWS)
    for (const waiter of [...waiters])
      if (news.some(one => one.number > waiter.through && waiter.isWanted(one))) waiter.wake()
    return news.at(-1)?.number ?? from
  }

  const watch = async (): Promise<void> => {
    while (seen !== undefined) {
      try {
        seen = await look(seen)
        await sleep(POLL_MS)
      } catch (error) {
        log.warn({ code: (error as { code?: string }).code }, 'the change feed could not be read')
        await sleep(ERROR_POLL_MS)
      }
      if (waiters.size === 0 || stopping) seen = undefined
    }
  }

  return {
    /** Numbers every event that was committed before the call. */
    settle,

    /** Waits until there may be changes for the reader, the time is over, or the signal or the service ends it. */
    async wait({ through, isWanted, milliseconds, signal }: Wait): Promise<void> {
      if (signal.aborted || stopping || (seen !== undefined && seen > through)) return
      const woken = Promise.withResolvers<void>()
      const wake = () => woken.resolve()
      const waiter = { through, isWanted, wake }
      const timer = setTimeout(wake, milliseconds)
      signal.addEventListener('abort', wake)
      waiters.add(waiter)
      if (seen === undefined) {
        seen = through
        void watch()
      }
      try {
        await woken.promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        waiters.delete(waiter)
      }
    },

    isStopping: () => stopping,
    /** Ends all waits, now and later. */
    stop(): void {
      stopping = true
      for (const { wake } of waiters) wake()
    },
  }
}

/** The same work; callers that come while it runs share the next run, which begins after their call. */
function shareNext(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  return () => {
    if (next) return next
    const begun = (running ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        next = undefined
        running = work()
        return running
      })
    next = begun
    return begun
  }
}
