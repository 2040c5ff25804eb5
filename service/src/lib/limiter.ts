// A fixed-window rate limiter in memory. It keeps at most `capacity` keys and drops the oldest windows first. The processes of
// one service share their counts.
import { declareProblem } from './problem.ts'
import type { SharedCounts } from './worker-bus.ts'

export const tooManyRequests = declareProblem({
  code: 'too-many-requests',
  status: 429,
  title: 'Too many requests.',
  remedy: 'Retry after the seconds in Retry-After.',
})

interface Limiter {
  /** Seconds until the key's window ends where its limit is reached, else 0. */
  blockedFor(key: string): number
  /** Counts one event; returns whether it was within the limit. */
  count(key: string): boolean
}

interface LimiterOptions {
  limit: number
  windowSeconds: number
  now: () => number
  capacity?: number
  /** The counts of the other processes. */
  shared?: SharedCounts | undefined
}

export function createLimiter({
  limit,
  windowSeconds,
  now,
  capacity = 50_000,
  shared,
}: LimiterOptions): Limiter {
  const windows = new Map<string, { ends: number; used: number }>()

  /** The window of the key, or a new one that ends then. */
  const windowOf = (key: string, time: number, ends: number) => {
    const current = windows.get(key)
    if (current && current.ends > time) return current
    const window = { ends, used: 0 }
    windows.delete(key)
    windows.set(key, window)
    if (windows.size > capacity) {
      const oldest = windows.keys().next().value
      if (oldest !== undefined) windows.delete(oldest)
    }
    return window
  }

  shared?.subscribe((key, ends, events) => {
    const time = now()
    if (ends > time) windowOf(key, time, ends).used += events
  })

  return {
    blockedFor(key) {
      const window = windows.get(key)
      if (!window || window.used < limit) return 0
      return Math.max(0, Math.ceil((window.ends - now()) / 1000))
    },
    count(key) {
      const time = now()
      const window = windowOf(key, time, time + windowSeconds * 1000)
      window.used += 1
      shared?.add(key, window.ends)
      return window.used <= limit
    },
  }
}
