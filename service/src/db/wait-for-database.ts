// Owns the first meeting with a PostgreSQL that somebody else runs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import type { Database } from './database.ts'
import { isDatabaseError, isUnavailable } from './sqlstate.ts'

const OLDEST = 15

/** Waits for the database to answer, saying so, and gives up with one line after the given time. */
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
      const now = isDatabaseError(error) ? error.code : String(error)
      // Of a pool that was thrown away nobody learns anything: what was said before that counts.
      if (now !== 'CONNECTION_ENDED' && now !== 'CONNECTION_DESTROYED') code = now
      if (!isUnavailable(error))
        throw new StartError(`The database of DATABASE_URL refuses us: ${reason(error)} (${code}).`)
      if (performance.now() > deadline)
        throw new StartError(
          `The database of DATABASE_URL did not answer within ${seconds} seconds (${code}). Check that it runs, and its host and port.`,
        )
      if (attempt === 1) log.warn({ code, seconds }, 'the database does not answer yet; trying again')
      await sleep(500)
    }
  }
}

function reason(error: unknown): string {
  return (error as Error).message
}

async function requireSupported(db: Database): Promise<void> {
  const [row] = await db.sql<
    { version: number }[]
  >`select current_setting('server_version_num')::int / 10000 as version`
  const version = row?.version ?? 0
  if (version < OLDEST)
    throw new StartError(
      `The database of DATABASE_URL is PostgreSQL ${version}; ${OLDEST} or newer is needed.`,
    )
}
