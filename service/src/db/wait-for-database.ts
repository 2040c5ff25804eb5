// Waits at the start for the PostgreSQL of DATABASE_URL, and checks its version.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import type { Database } from './database.ts'
import { parseHosts } from './hosts.ts'
import { rejectsSettings } from './pooler.ts'
import { isDatabaseError, isUnavailable } from './sqlstate.ts'
import { isTlsError, lacksTls, readTls } from './tls.ts'

const MIN_VERSION = 15

/**
 * Resolves when the database responds; throws a StartError when it rejects us, or after the given time. The error of a pooler
 * that rejects the settings of the connection is thrown as it is.
 */
export async function waitForDatabase(
  db: Database,
  { url, log, seconds }: { url: string; log: Log; seconds: number },
): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  let code = ''
  for (let attempt = 1; ; attempt++) {
    try {
      return await requireSupported(db)
    } catch (error) {
      if (error instanceof StartError || rejectsSettings(error)) throw error
      const latest = isDatabaseError(error) ? error.code : String(error)
      // The error of a closed pool does not tell the cause; the error before it does.
      if (latest !== 'CONNECTION_ENDED' && latest !== 'CONNECTION_DESTROYED') code = latest
      if (isTlsError(error))
        throw new StartError(
          `TLS to the database of DATABASE_URL fails: ${(error as Error).message} (${code}). Check sslmode and sslrootcert.`,
        )
      if (attempt === 1) await requireTlsSupport(url)
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

/** The driver begins a handshake although the server has rejected it, which then fails without a clear reason. */
async function requireTlsSupport(url: string): Promise<void> {
  const [address] = parseHosts(url)
  if (address && readTls(url).required && (await lacksTls(address)))
    throw new StartError(
      'The database of DATABASE_URL does not support TLS, which its sslmode requires. Set ssl=on in its postgresql.conf.',
    )
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
