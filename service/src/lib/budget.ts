// A semaphore for a limited resource, such as memory: work reserves what it needs before it begins and releases it at its
// end. Beyond the limit it waits its turn, in a queue of limited length and for a limited time.

/** There is no room now, and there was none within the time that work may wait. */
export class BudgetExceeded extends Error {}

export interface Reservation {
  /** Releases all but this much, once it is known that less is needed. */
  shrink(amount: number): void
  /** Releases the rest; a second call does nothing. */
  release(): void
}

export interface Budget {
  /** Rejects with BudgetExceeded, or with the reason of the signal where that is aborted while it waits. */
  reserve(amount: number, signal?: AbortSignal): Promise<Reservation>
  reserved(): number
  waiting(): number
}

export interface BudgetOptions {
  capacity: number
  maxWaiting: number
  maxWaitMs: number
}

export function createBudget({ capacity, maxWaiting, maxWaitMs }: BudgetOptions): Budget {
  let used = 0
  const queue: { amount: number; admit: () => void }[] = []

  const admitWaiting = () => {
    // First come, first served: a large amount that waits is not overtaken for ever by small ones.
    while (queue[0] && used + queue[0].amount <= capacity) {
      const next = queue.shift()
      next?.admit()
    }
  }

  const take = (amount: number): Reservation => {
    let held = amount
    used += held
    const shrink = (to: number) => {
      if (to >= held) return
      used -= held - to
      held = to
      admitWaiting()
    }
    return { shrink, release: () => shrink(0) }
  }

  const wait = (amount: number, signal: AbortSignal | undefined): Promise<Reservation> =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const entry = {
        amount,
        admit() {
          end()
          resolve(take(amount))
        },
      }
      const giveUp = (reason: unknown) => {
        end()
        queue.splice(queue.indexOf(entry), 1)
        reject(reason)
        // It may have been the one that did not fit.
        admitWaiting()
      }
      const onAbort = () => giveUp(signal?.reason)
      const timer = setTimeout(() => giveUp(new BudgetExceeded()), maxWaitMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      queue.push(entry)
    })

  return {
    async reserve(wanted, signal) {
      signal?.throwIfAborted()
      // More than there is would never fit; it gets all of it.
      const amount = Math.min(wanted, capacity)
      if (queue.length === 0 && used + amount <= capacity) return take(amount)
      if (queue.length >= maxWaiting) throw new BudgetExceeded()
      return wait(amount, signal)
    },
    reserved: () => used,
    waiting: () => queue.length,
  }
}
