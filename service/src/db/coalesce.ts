import { currentSpan, runInSpan, type Span } from '../lib/spans.ts'
import { currentCompanies } from './caller.ts'

interface Lookup<V> {
  key: string
  resolve: (value: V | undefined) => void
  reject: (error: unknown) => void
  /** That of the request, where it is traced. */
  span: Span | undefined
}

type Load<V> = (keys: string[]) => Promise<Map<string, V>>

/**
 * Coalesces concurrent lookups into one query. Lookups that arrive while a query runs go into the next one, which begins when
 * that has ended, or is slow: a connection may be frozen. A query has a fixed cost of about a dozen records. Callers with
 * other companies have queries of their own: each runs with the companies of the callers that it is for.
 */
export function coalesced<V>(load: Load<V>): (key: string) => Promise<V | undefined> {
  const unlimited = createQueue(load, () => {})
  const limited = new Map<string, ReturnType<typeof createQueue<V>>>()

  return key => {
    const companies = currentCompanies()
    if (companies === null) return unlimited(key)
    const callers = JSON.stringify(companies)
    const queue = limited.get(callers) ?? createQueue(load, () => limited.delete(callers))
    limited.set(callers, queue)
    return queue(key)
  }
}

/** A query that takes longer does not keep the next one waiting. */
const SLOW_MS = 100
const MAX_QUERIES = 4

/** `onIdle` is called when no lookup is queued or running. */
function createQueue<V>(load: Load<V>, onIdle: () => void): (key: string) => Promise<V | undefined> {
  let queued: Lookup<V>[] = []
  /** Queries that run, and those of them that are not slow yet. */
  let running = 0
  let fast = 0

  const flush = async () => {
    if (fast > 0 || running >= MAX_QUERIES) return
    if (queued.length === 0) {
      if (running === 0) onIdle()
      return
    }
    const lookups = queued
    queued = []
    running += 1
    fast += 1
    let isFast = true
    const endFast = () => {
      if (isFast) fast -= 1
      isFast = false
    }
    const slow = setTimeout(() => {
      endFast()
      void flush()
    }, SLOW_MS)
    try {
      const keys = [...new Set(lookups.map(({ key }) => key))]
      const found = await runInSpan(lookups[0]?.span, () => load(keys))
      for (const { key, resolve } of lookups) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    } finally {
      clearTimeout(slow)
      endFast()
      running -= 1
      void flush()
    }
  }

  return key =>
    new Promise((resolve, reject) => {
      // PostgreSQL rejects text with a NUL character, which would fail all lookups of the query.
      if (key.includes('\0')) return resolve(undefined)
      // Immediate callbacks run after the event loop has read all sockets. The second iteration also catches clients that
      // received a response in the first one and have sent their next request by now.
      if (queued.length === 0) setImmediate(setImmediate, flush)
      queued.push({ key, resolve, reject, span: currentSpan() })
    })
}
