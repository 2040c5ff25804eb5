// Owns the PostgreSQL that the service brings along: its start in DATA_DIR, and its end.
// Must not be given a DATA_DIR that another service uses; the lock taken here sees to that.
import { closeSync, existsSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import { chooseAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { dataDirFault, ensureDataDir } from './data-dir.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { SOCKET_NAME } from './settings.ts'
import { type Supervisor, superviseServer } from './supervisor.ts'

export interface EmbeddedPostgres {
  /** Options for postgres.js. The path is good only in this process, and until stop(). */
  connection: { path: string; user: string; database: string }
  /** Fast shutdown; resolves when the server has ended. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  log: Log
  /** False gives up safety for speed: only for tests, which throw the data away. */
  durable?: boolean
  /** PostgreSQL settings that win over all others. */
  settings?: Record<string, string>
  /** Only for the tests of this module. */
  internals?: { packageDir?: string; copiesDir?: string }
}

const NAME = 'caseport'

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  ensureDataDir(dataDir)
  const lock = lockDataDir(dataDir)
  try {
    const { connection, stop } = await startLocked({ ...options, dataDir, locked: lock.held })
    let stopped: Promise<void> | undefined
    return {
      connection,
      stop() {
        stopped ??= stop().finally(lock.release)
        return stopped
      },
    }
  } catch (error) {
    lock.release()
    throw dataDirFault(dataDir, error)
  }
}

async function startLocked(options: EmbeddedOptions & { locked: boolean }): Promise<EmbeddedPostgres> {
  const { dataDir, log, locked, durable = true, settings: extra = {}, internals = {} } = options
  const databaseDir = join(dataDir, 'postgres')
  const account = chooseAccount(databaseDir)
  const binaries = findBinaries({ dataDir, account, ...internals })
  await prepareCluster({ dataDir, databaseDir, account, binaries, durable })

  const folderFd = openSync(databaseDir, 'r')
  let supervisor: Supervisor | undefined
  try {
    const connection = { path: socketPath(databaseDir, folderFd), user: NAME, database: NAME }
    const settings = { durable, extra }
    supervisor = await superviseServer({
      dataDir,
      databaseDir,
      folderFd,
      account,
      binaries,
      settings,
      log,
      locked,
    })
    await ensureDatabase(connection)
    const { stop } = supervisor
    return { connection, stop: () => stop().finally(() => closeSync(folderFd)) }
  } catch (error) {
    await supervisor?.stop()
    closeSync(folderFd)
    throw error
  }
}

/** The path of a socket may have some hundred bytes only; through the open folder any DATA_DIR is short enough. */
function socketPath(databaseDir: string, folderFd: number): string {
  const folder = `/proc/self/fd/${folderFd}`
  // Not every system has this, and Linux hides it from a node that was given capabilities, as for a port below 1024.
  if (existsSync(join(folder, 'PG_VERSION'))) return join(folder, SOCKET_NAME)
  const path = join(databaseDir, SOCKET_NAME)
  if (Buffer.byteLength(path) > 103)
    throw new StartError(`DATA_DIR is too long for the path of a socket: ${path}`)
  return path
}

async function ensureDatabase({ path, user, database }: EmbeddedPostgres['connection']): Promise<void> {
  const sql = postgres({ path, user, database: 'postgres', max: 1, fetch_types: false, onnotice: () => {} })
  try {
    const found = await sql`select from pg_database where datname = ${database}`
    if (found.count === 0) await sql`create database ${sql(database)}`
  } catch (error) {
    throw new StartError(`PostgreSQL runs, but its database cannot be opened: ${(error as Error).message}`)
  } finally {
    await sql.end()
  }
}
