// Pauses of work that computes for long, so that requests are served in between.
import { setImmediate as yieldToRequests } from 'node:timers/promises'

/** How long requests may have to wait for such work. */
const SLICE_MS = 10

export interface Pauses {
  /** Whether the work has run for long without one. */
  areDue(): boolean
  pause(): Promise<void>
}

/**
 * Returns a function that creates the pauses of one piece of work. Several of them resume one after the other, each in
 * another turn of the event loop: their slices do not add up.
 */
export function createPauses(): () => Pauses {
  let last = Promise.resolve()
  return () => {
    let resumedAt = performance.now()
    return {
      areDue: () => performance.now() - resumedAt > SLICE_MS,
      async pause() {
        last = last.then(() => yieldToRequests())
        await last
        resumedAt = performance.now()
      },
    }
  }
}
