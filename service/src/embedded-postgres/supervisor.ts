// Restarts the postmaster after an unexpected exit, with exponential backoff, until the service stops it.
import { setTimeout as sleep } from 'node:timers/promises'
import { stopOrphans } from './orphans.ts'
import { type Postmaster, type PostmasterOptions, spawnPostmaster } from './postmaster.ts'

export interface Supervisor {
  stop(): Promise<void>
}

const MIN_DELAY_MS = 100
const MAX_DELAY_MS = 5000
/** A postmaster that exits sooner than this still has the same problem, so that the delay keeps growing. */
const STABLE_AFTER_MS = 10_000

interface SuperviseOptions extends PostmasterOptions {
  /** Whether DATA_DIR is locked, so that all processes in it are orphans. */
  isLocked: boolean
}

/** Resolves when the postmaster accepts queries; a first start that fails is not retried. */
export async function supervisePostmaster(options: SuperviseOptions): Promise<Supervisor> {
  const { isLocked, pgData, log } = options
  const stopping = new AbortController()
  let postmaster: Postmaster | undefined

  async function launch(): Promise<Postmaster | undefined> {
    if (isLocked) await stopOrphans(pgData, log)
    if (stopping.signal.aborted) return undefined
    // Assigned before it is ready, so that stop() can stop it while it recovers.
    postmaster = spawnPostmaster(options)
    try {
      await postmaster.ready()
    } catch (error) {
      await postmaster.stop()
      throw error
    }
    return postmaster
  }

  async function keepRunning(first: Postmaster | undefined): Promise<void> {
    let delay = MIN_DELAY_MS
    let running = first
    let since = Date.now()
    while (running) {
      const exit = await running.exited
      if (stopping.signal.aborted) return
      log.error({ ...exit }, 'PostgreSQL has ended unexpectedly and is started again')
      if (Date.now() - since > STABLE_AFTER_MS) delay = MIN_DELAY_MS
      running = undefined
      while (!running && !stopping.signal.aborted) {
        await sleep(delay, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
        delay = Math.min(delay * 2, MAX_DELAY_MS)
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
      await postmaster?.stop()
      await supervision
    },
  }
}
