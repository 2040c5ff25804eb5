// Ends a process that serves requests: accepted requests are finished, for a limited time.
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './http/app-types.ts'
import type { Log } from './lib/log.ts'

/** Less than the 30 seconds after which process managers commonly send SIGKILL. */
const DRAIN_SECONDS = 20
const STOP_SECONDS = 10
/** Ctrl-C reaches the service twice, from the terminal and from npm: within this time it counts as one signal. */
const SAME_SIGNAL_MS = 1_000
const PARENT_CHECK_MS = 1_000
/** How long a leaving worker waits for connections that are idle to be used once more. */
const IDLE_MS = 5_000
const POLL_MS = 50

/** Finishes the requests in flight, then calls `stop`, and exits. */
export async function drain(app: App, { stop, log }: { stop: () => Promise<void>; log: Log }): Promise<void> {
  // A connection would otherwise stay open for its keep-alive time after its last request.
  const closeIdle = setInterval(() => app.server.closeIdleConnections(), POLL_MS)
  // A transfer of a large file could go on for hours. An interrupted upload leaves nothing; an interrupted download can
  // be resumed.
  const closeAll = setTimeout(() => {
    log.warn({ requests: app.inFlight.count() }, 'stopping: requests that are still in flight are aborted')
    app.server.closeAllConnections()
  }, DRAIN_SECONDS * 1000)
  // A database that does not respond must not keep the process alive.
  const exit = setTimeout(
    async () => {
      log.error({}, 'stopping: not everything ended in time')
      await Promise.race([stop(), sleep(STOP_SECONDS * 1000)])
      process.exit(1)
    },
    (DRAIN_SECONDS + STOP_SECONDS) * 1000,
  )
  await app.close()
  clearTimeout(closeAll)
  clearInterval(closeIdle)
  await stop()
  clearTimeout(exit)
  log.info({}, 'stopped')
  process.exit(0)
}

/**
 * Accepts no more connections, and lets each one that is open end with its next response, so that no client writes to a
 * connection that is being closed. Connections that stay idle are closed after a while. Resolves when none is left, or the
 * time is over. The service must have another process that has the port.
 */
export async function releaseConnections(app: App): Promise<void> {
  const { server } = app
  // That of the HTTP server would also close idle connections, which a client may be about to use.
  Server.prototype.close.call(server)
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  app.inFlight.closeConnections()
  const began = performance.now()
  const elapsed = () => performance.now() - began
  while (elapsed() < DRAIN_SECONDS * 1000) {
    if ((await countConnections(server)) === 0) return
    if (elapsed() > IDLE_MS) server.closeIdleConnections()
    await sleep(POLL_MS)
  }
}

const countConnections = (server: Server) =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

interface Signals {
  /** Called once. */
  drain: () => Promise<void>
  /** Before the exit at a second signal. */
  onSecond?: () => void
  log: Log
  /** A process whose end counts as a signal: npm forwards none when it is killed. */
  parent: number | undefined
}

/** The first signal drains; a second one exits at once. */
export function drainOnSignal({ drain, onSecond, log, parent }: Signals): void {
  let stoppingSince: number | undefined
  const onSignal = (signal: string) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince <= SAME_SIGNAL_MS) return
      onSecond?.()
      process.exit(1)
    }
    stoppingSince = performance.now()
    clearInterval(watchParent)
    log.info({ signal }, 'stopping: no new connections; requests in flight are finished')
    void drain()
  }
  const watchParent = setInterval(() => {
    if (parent !== undefined && process.ppid !== parent) onSignal('npm has ended')
  }, PARENT_CHECK_MS).unref()
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => onSignal(signal))
}
