// Runs work with limited concurrency, in groups that take turns: a group with much work delays the others by one piece of
// work, not by all of it. A group can be slowed down while its work waits.

/** Too much work of the group waits: this one was not run. */
export class QueueFullError extends Error {}

interface FairQueueOptions {
  concurrency: number
  /** How much work of one group may wait. */
  maxWaiting: number
  /** How much may wait in a group that is slowed down. The oldest is rejected first. */
  maxWaitingSlow: number
}

interface Work {
  /** Least time since the last start in the group, in milliseconds; asked until the work begins. */
  pace: () => number
  start(): void
  reject(error: Error): void
}

interface Group {
  waiting: Work[]
  /** When its last work began. */
  startedAt: number
}

/** After this time without work a group counts as new. Longer than any pace. */
const FORGET_MS = 1_000

export type FairQueue = ReturnType<typeof createFairQueue>

export function createFairQueue({ concurrency, maxWaiting, maxWaitingSlow }: FairQueueOptions) {
  // In the order of their turns. A group without waiting work is kept for a while, for its pace.
  const groups = new Map<string, Group>()
  let running = 0
  let timer: NodeJS.Timeout | undefined

  /** Starts the next work of each group whose turn it is. */
  const startNext = (): void => {
    clearTimeout(timer)
    const now = performance.now()
    let soonest = Number.POSITIVE_INFINITY
    let started = false
    for (const [name, group] of [...groups]) {
      const { waiting, startedAt } = group
      const pace = waiting[0]?.pace() ?? FORGET_MS
      if (pace > 0 && waiting.length > maxWaitingSlow)
        for (const { reject } of waiting.splice(0, waiting.length - maxWaitingSlow))
          reject(new QueueFullError())
      const wait = startedAt + pace - now
      if (waiting.length > 0 && wait > 0) soonest = Math.min(soonest, wait)
      if (wait > 0 || (waiting.length > 0 && running >= concurrency)) continue
      groups.delete(name)
      const next = waiting.shift()
      if (!next) continue
      group.startedAt = now
      groups.set(name, group)
      next.start()
      started = true
    }
    if (started) startNext()
    else if (soonest < Number.POSITIVE_INFINITY) timer = setTimeout(startNext, soonest + 1)
  }

  return {
    /** Rejects with QueueFullError where too much work of the group waits. */
    run<T>(name: string, work: () => Promise<T>, pace = () => 0): Promise<T> {
      const group = groups.get(name) ?? { waiting: [], startedAt: Number.NEGATIVE_INFINITY }
      if (group.waiting.length >= maxWaiting) return Promise.reject(new QueueFullError())
      groups.set(name, group)
      return new Promise<T>((resolve, reject) => {
        const start = () => {
          running += 1
          work()
            .then(resolve, reject)
            .finally(() => {
              running -= 1
              startNext()
            })
        }
        group.waiting.push({ pace, start, reject })
        startNext()
      })
    },
  }
}
