// The counts of all processes, in the primary process: a worker that is started later gets them, so that a restart of a worker
// resets no limit.
import type { CountEntry } from './messages.ts'

/** As many keys as a limiter keeps. */
const CAPACITY = 50_000

export function createSharedCounts(now: () => number, capacity = CAPACITY) {
  const byName = new Map<string, Map<string, { ends: number; events: number }>>()

  return {
    add(entries: CountEntry[]): void {
      for (const [name, key, ends, events] of entries) {
        const windows = byName.get(name) ?? new Map<string, { ends: number; events: number }>()
        byName.set(name, windows)
        const window = windows.get(key)
        if (window && window.ends > now()) {
          window.events += events
          continue
        }
        windows.delete(key)
        windows.set(key, { ends, events })
        const oldest = windows.keys().next().value
        if (windows.size > capacity && oldest !== undefined) windows.delete(oldest)
      }
    },
    /** Those of windows that have not ended. */
    list(): CountEntry[] {
      const time = now()
      return [...byName].flatMap(([name, windows]) =>
        [...windows]
          .filter(([, { ends }]) => ends > time)
          .map(([key, { ends, events }]): CountEntry => [name, key, ends, events]),
      )
    },
  }
}
