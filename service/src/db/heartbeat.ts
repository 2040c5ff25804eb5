// Detects a pool that no longer responds. When all its connections freeze (a lost route, a hung pooler), none is closed:
// queries would wait until the network times out, while new connections work.

interface Heartbeat {
  /** Notes that a query over the pool has got a response. */
  recordResponse(): void
  /** Resolves when the pool responds, or has responded within the last two seconds. */
  check(): Promise<void>
  close(): void
}

interface HeartbeatOptions {
  ping: () => Promise<unknown>
  /** Pings periodically, and calls `onTimeout` when there was no response at all for `timeoutMs`. */
  monitor?: { intervalMs: number; timeoutMs: number; onTimeout: () => void }
}

/** A response this recent makes a ping unnecessary; under load the ping would queue behind all other queries. */
const RECENT_MS = 2_000

export function createHeartbeat({ ping, monitor }: HeartbeatOptions): Heartbeat {
  let lastResponseAt = performance.now()
  let pinging: Promise<void> | undefined
  const recordResponse = () => {
    lastResponseAt = performance.now()
  }
  const pingOnce = () => {
    pinging ??= ping()
      .then(recordResponse)
      .finally(() => {
        pinging = undefined
      })
    return pinging
  }
  const timer =
    monitor &&
    setInterval(() => {
      pingOnce().catch(() => {})
      if (performance.now() - lastResponseAt < monitor.timeoutMs) return
      recordResponse()
      pinging = undefined
      monitor.onTimeout()
    }, monitor.intervalMs).unref()

  return {
    recordResponse,
    async check() {
      if (performance.now() - lastResponseAt > RECENT_MS) await pingOnce()
    },
    close: () => clearInterval(timer),
  }
}
