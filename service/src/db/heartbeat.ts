// Knows whether a pool still answers. A pool whose connections all froze (a lost route, a hung pooler) closes nothing: its
// queries would wait until the network gives up, while new connections work.

export interface Pulse {
  /** Something that was asked over the pool has been answered. */
  beat(): void
  /** Resolves where the pool answers, or has just answered. */
  check(): Promise<void>
  close(): void
}

interface PulseParts {
  ask: () => Promise<unknown>
  /** Asks every so often where this is set, and calls `onSilent` when nothing was answered for `silenceMs`. */
  watch?: { everyMs: number; silenceMs: number; onSilent: () => void }
}

/** An answer this recent says as much as another question would: under load that one would wait behind all others. */
const RECENT_MS = 2_000

export function createPulse({ ask, watch }: PulseParts): Pulse {
  let answeredAt = performance.now()
  let asking: Promise<void> | undefined
  const beat = () => {
    answeredAt = performance.now()
  }
  const askOnce = () => {
    asking ??= ask()
      .then(beat)
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  const timer =
    watch &&
    setInterval(() => {
      askOnce().catch(() => {})
      if (performance.now() - answeredAt < watch.silenceMs) return
      beat()
      asking = undefined
      watch.onSilent()
    }, watch.everyMs).unref()

  return {
    beat,
    async check() {
      if (performance.now() - answeredAt > RECENT_MS) await askOnce()
    },
    close: () => clearInterval(timer),
  }
}
