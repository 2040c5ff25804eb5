// Starts and stops the PostgreSQL that comes with the service, in DATA_DIR. The lock keeps a second service out of it.
import { closeSync, existsSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import { chooseAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { dataDirError, ensureDataDir } from './data-dir.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { isAlive, readPostmasterFile } from './orphans.ts'
import { SOCKET_NAME } from './settings.ts'
import { type Supervisor, supervisePostmaster } from './supervisor.ts'

export interface EmbeddedPostgres {
  /** Options for postgres.js. The path is valid only in this process, and until stop(). */
  connection: { path: string; user: string; database: string }
  /** Fast shutdown; resolves when the server has stopped. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  log: Log
  /** False trades durability for speed; only for tests, which delete the data. */
  durable?: boolean
  /** PostgreSQL settings that override all others. */
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
    const { connection, stop } = await startLocked({ ...options, dataDir, isLocked: lock.isLocked })
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
    throw dataDirError(dataDir, error)
  }
}

/** The PostgreSQL that another process of this service runs in DATA_DIR; undefined where none is ready. */
export function findRunning(dataDir: string): EmbeddedPostgres['connection'] | undefined {
  const pgData = join(resolve(dataDir), 'postgres')
  if (!existsSync(pgData)) return undefined
  try {
    const { pid, state } = readPostmasterFile(pgData)
    if (pid === undefined || state !== 'ready' || !isAlive(pid)) return undefined
    // Stays open: the path leads through it.
    return { path: socketPath(pgData, openSync(pgData, 'r')), user: NAME, database: NAME }
  } catch (error) {
    throw dataDirError(dataDir, error)
  }
}

async function startLocked(options: EmbeddedOptions & { isLocked: boolean }): Promise<EmbeddedPostgres> {
  const { dataDir, log, isLocked, durable = true, settings: extra = {}, internals = {} } = options
  const pgData = join(dataDir, 'postgres')
  const account = chooseAccount(pgData)
  const binaries = findBinaries({ dataDir, account, ...internals })
  await prepareCluster({ dataDir, pgData, account, binaries, durable })

  const pgDataFd = openSync(pgData, 'r')
  let supervisor: Supervisor | undefined
  try {
    const connection = { path: socketPath(pgData, pgDataFd), user: NAME, database: NAME }
    const settings = { durable, extra }
    supervisor = await supervisePostmaster({
      dataDir,
      pgData,
      pgDataFd,
      account,
      binaries,
      settings,
      log,
      isLocked,
    })
    await ensureDatabase(connection)
    const { stop } = supervisor
    return { connection, stop: () => stop().finally(() => closeSync(pgDataFd)) }
  } catch (error) {
    await supervisor?.stop()
    closeSync(pgDataFd)
    throw error
  }
}

/** The path of a socket may have about a hundred bytes; the path through an open directory is short for any DATA_DIR. */
function socketPath(pgData: string, pgDataFd: number): string {
  const openDirectory = `/proc/self/fd/${pgDataFd}`
  // Not every system has /proc, and Linux hides it from a process with capabilities, such as for a port below 1024.
  if (existsSync(join(openDirectory, 'PG_VERSION'))) return join(openDirectory, SOCKET_NAME)
  const path = join(pgData, SOCKET_NAME)
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
