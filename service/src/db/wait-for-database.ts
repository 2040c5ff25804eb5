// Waits at the start for the PostgreSQL of DATABASE_URL, and checks its version.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import type { Database } from './database.ts'
import { isDatabaseError, isUnavailable } from './sqlstate.ts'

const MIN_VERSION = 15

/** Resolves when the database responds; throws a StartError when it rejects us, or after the given time. */
export async function waitForDatabase(
  db: Database,
  { log, seconds }: { log: Log; seconds: number },
): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  let code = ''
  for (let attempt = 1; ; attempt++) {
    try {
      return await requireSupported(db)
    } catch (error) {
      if (error instanceof StartError) throw error
      const latest = isDatabaseError(error) ? error.code : String(error)
      // The error of a closed pool does not tell the cause; the error before it does.
      if (latest !== 'CONNECTION_ENDED' && latest !== 'CONNECTION_DESTROYED') code = latest
      if (!isUnavailable(error))
        throw new StartError(
          `The database of DATABASE_URL rejects the connection: ${(error as Error).message} (${code}).`,
        )
      if (performance.now() > deadline)
        throw new StartError(
          `The database of DATABASE_URL did not respond within ${seconds} seconds (${code}). Check that it runs, and its host and port.`,
        )
      if (attempt === 1) log.warn({ code, seconds }, 'the database does not respond yet; retrying')
      await sleep(500)
    }
  }
}

async function requireSupported(db: Database): Promise<void> {
  const [row] = await db.sql<
    { version: number }[]
  >`select current_setting('server_version_num')::int / 10000 as version`
  const version = row?.version ?? 0
  if (version < MIN_VERSION)
    throw new StartError(
      `The database of DATABASE_URL is PostgreSQL ${version}; ${MIN_VERSION} or newer is needed.`,
    )
}
