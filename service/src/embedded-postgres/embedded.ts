// Starts and stops the PostgreSQL that comes with the service, in DATA_DIR. The lock keeps a second service out of it.
import { closeSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import type { SocketConnection } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import { chooseAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { connectionsTo, type EmbeddedConnections, socketPath } from './connections.ts'
import { dataDirError, ensureDataDir } from './data-dir.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { stopOrphans } from './orphans.ts'
import { ensurePasswords } from './passwords.ts'
import { type Supervisor, supervisePostmaster } from './supervisor.ts'

/** The paths of the connections are valid only in this process, and until stop(). */
export interface EmbeddedPostgres extends EmbeddedConnections {
  /** Fast shutdown; resolves when the server has stopped. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  log: Log
  /** False trades durability for speed; only for tests, which delete the data. */
  durable?: boolean
  /** For a service with several processes; operators can change it with ALTER SYSTEM. */
  maxConnections?: number | undefined
  /** PostgreSQL settings that override all others. */
  settings?: Record<string, string>
  /** Only for the tests of this module. */
  internals?: { packageDir?: string; copiesDir?: string }
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  ensureDataDir(dataDir)
  const lock = await lockDataDir(dataDir)
  try {
    const { owner, service, stop } = await startLocked({ ...options, dataDir, isLocked: lock.isLocked })
    let stopped: Promise<void> | undefined
    return {
      owner,
      service,
      stop() {
        stopped ??= stop().finally(lock.release)
        return stopped
      },
    }
  } catch (error) {
    lock.release()
    throw dataDirError(dataDir, error)
  }
}

async function startLocked(options: EmbeddedOptions & { isLocked: boolean }): Promise<EmbeddedPostgres> {
  const {
    dataDir,
    log,
    isLocked,
    durable = true,
    settings: extra = {},
    maxConnections,
    internals = {},
  } = options
  const pgData = join(dataDir, 'postgres')
  const account = chooseAccount(pgData)
  const binaries = findBinaries({ dataDir, account, ...internals })
  await prepareCluster({ dataDir, pgData, account, binaries, durable })

  const pgDataFd = openSync(pgData, 'r')
  let supervisor: Supervisor | undefined
  try {
    const settings = { durable, extra, maxConnections }
    const server = { dataDir, pgData, pgDataFd, account, binaries, settings }
    const passwords = await ensurePasswords({
      ...server,
      stopOrphans: async () => {
        if (isLocked) await stopOrphans(pgData, log)
      },
    })
    const connections = connectionsTo(socketPath(pgData, pgDataFd), passwords)
    supervisor = await supervisePostmaster({ ...server, log, isLocked })
    await ensureDatabase(connections.owner, dataDir)
    const { stop } = supervisor
    return { ...connections, stop: () => stop().finally(() => closeSync(pgDataFd)) }
  } catch (error) {
    await supervisor?.stop()
    closeSync(pgDataFd)
    throw error
  }
}

async function ensureDatabase(owner: SocketConnection, dataDir: string): Promise<void> {
  const sql = postgres({ ...owner, database: 'postgres', max: 1, fetch_types: false, onnotice: () => {} })
  const { database } = owner
  try {
    const found = await sql`select from pg_database where datname = ${database}`
    if (found.count === 0) await sql`create database ${sql(database)}`
  } catch (error) {
    if ((error as { code?: string }).code === '28P01')
      throw new StartError(
        `The passwords in ${join(dataDir, 'pgpass')} are not those of its database. Remove that file: the next start makes new ones.`,
      )
    throw new StartError(`PostgreSQL runs, but its database cannot be opened: ${(error as Error).message}`)
  } finally {
    await sql.end()
  }
}
