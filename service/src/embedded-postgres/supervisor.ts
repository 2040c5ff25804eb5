// Owns that the server runs again after an unexpected end, until the service stops it.
import { setTimeout as sleep } from 'node:timers/promises'
import { endLeftovers } from './orphans.ts'
import { type Server, type ServerPlace, spawnServer } from './server.ts'

export interface Supervisor {
  stop(): Promise<void>
}

const FIRST_DELAY_MS = 100
const LAST_DELAY_MS = 5000
/** A server that ends sooner than this has not got over its trouble, and the delays go on growing. */
const STEADY_MS = 10_000

export interface SuperviseOptions extends ServerPlace {
  /** Whether DATA_DIR is locked, so that whatever runs in it is nobody else's. */
  locked: boolean
}

/** Resolves when the server answers; a first start that fails is not tried again. */
export async function superviseServer(options: SuperviseOptions): Promise<Supervisor> {
  const { locked, databaseDir, log } = options
  const stopping = new AbortController()
  let server: Server | undefined

  async function launch(): Promise<Server | undefined> {
    if (locked) await endLeftovers(databaseDir, log)
    if (stopping.signal.aborted) return undefined
    // It is noted before it is ready, so that stop() finds it while it recovers.
    server = spawnServer(options)
    try {
      await server.ready()
    } catch (error) {
      await server.end()
      throw error
    }
    return server
  }

  async function keepRunning(first: Server | undefined): Promise<void> {
    let delay = FIRST_DELAY_MS
    let running = first
    let since = Date.now()
    while (running) {
      const exit = await running.exited
      if (stopping.signal.aborted) return
      log.error({ ...exit }, 'PostgreSQL has ended unexpectedly and is started again')
      if (Date.now() - since > STEADY_MS) delay = FIRST_DELAY_MS
      running = undefined
      while (!running && !stopping.signal.aborted) {
        await sleep(delay, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
        delay = Math.min(delay * 2, LAST_DELAY_MS)
        running = await launch().catch((error: Error) => {
          if (!stopping.signal.aborted) log.warn({ reason: error.message }, 'PostgreSQL is not back yet')
          return undefined
        })
      }
      since = Date.now()
      if (running) log.info({}, 'PostgreSQL is running again')
    }
  }

  const supervision = keepRunning(await launch())
  return {
    async stop() {
      stopping.abort()
      await server?.end()
      await supervision
    },
  }
}
