// Reads again what has changed: not more often than every two seconds, and not while a person is in the middle of something
// that a moving row would disturb.
import type { Changed } from './changed.ts'

interface RefresherOptions {
  /** Reads again what shows this. */
  refresh(changed: Changed): void
  isBusy(): boolean
  /** How many pages the longest list that is shown has: all of them are read again. */
  pages(): number
}

const INTERVAL_MS = 2_000
const BUSY_CHECK_MS = 250

export function createRefresher({ refresh, isBusy, pages }: RefresherOptions) {
  let pending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let next = 0

  const run = () => {
    timer = undefined
    if (isBusy()) {
      timer = setTimeout(run, BUSY_CHECK_MS)
      return
    }
    const due = pending
    pending = new Set()
    next = Date.now() + INTERVAL_MS * Math.max(1, pages())
    refresh(due)
  }

  return {
    changed(changed: Changed): void {
      for (const one of changed) pending.add(one)
      if (pending.size > 0) timer ??= setTimeout(run, Math.max(0, next - Date.now()))
    },
    stop: () => clearTimeout(timer),
  }
}
