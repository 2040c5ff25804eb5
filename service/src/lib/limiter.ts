// A fixed-window rate limiter in memory. It keeps at most `capacity` keys and drops the oldest windows first.
import { declareProblem } from './problem.ts'

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
}

export function createLimiter({ limit, windowSeconds, now, capacity = 50_000 }: LimiterOptions): Limiter {
  const windows = new Map<string, { ends: number; used: number }>()

  return {
    blockedFor(key) {
      const window = windows.get(key)
      if (!window || window.used < limit) return 0
      return Math.max(0, Math.ceil((window.ends - now()) / 1000))
    },
    count(key) {
      const time = now()
      let window = windows.get(key)
      if (!window || window.ends <= time) {
        window = { ends: time + windowSeconds * 1000, used: 0 }
        windows.delete(key)
        windows.set(key, window)
        if (windows.size > capacity) {
          const oldest = windows.keys().next().value
          if (oldest !== undefined) windows.delete(oldest)
        }
      }
      window.used += 1
      return window.used <= limit
    },
  }
}
