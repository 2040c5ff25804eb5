// Opens the database: starts or finds PostgreSQL, migrates as the owner of the tables, and connects as the role of the
// service.
import type { Config } from './config.ts'
import { alignAuditXids } from './db/audit-xids.ts'
import { type Connection, connect, type Database } from './db/database.ts'
import { isNewerThanRelease, migrate } from './db/migrate.ts'
import { ignoresSettings, rejectsSettings, requireSessionMode } from './db/pooler.ts'
import { primaryFirst } from './db/primary.ts'
import { ensureServiceRole, warnOfOtherRole } from './db/roles.ts'
import { waitForDatabase } from './db/wait-for-database.ts'
import { connectionsOf } from './embedded-postgres/connections.ts'
import { DataDirInUse } from './embedded-postgres/data-dir-lock.ts'
import { startEmbedded } from './embedded-postgres/embedded.ts'
import type { Log } from './lib/log.ts'

const DATABASE_WAIT_SECONDS = 30
/** Connections for writes of a whole service, and the fewest of one process. */
const WRITE_CONNECTIONS = { service: 10, process: 4 }
/** Most connections that a process of several opens, with those of limited callers and for exports. */
const CONNECTIONS_OF_PROCESS = 28
/** For commands, psql and backups beside the service, and those that PostgreSQL reserves. */
const OTHER_CONNECTIONS = 24

/** How to connect, once the database is prepared. */
export interface DatabaseAccess {
  connection: Connection
  /** The role that the connections use, if it is not that of the login. */
  role: string | undefined
  /** Whether there is a pooler that does not pass on the settings of a connection. */
  settingsByStatement: boolean
}

export interface PreparedDatabase {
  access: DatabaseAccess
  /** How many migrations were applied. */
  applied: number
  /** Stops the embedded PostgreSQL. */
  stop(): Promise<void>
}

export interface OpenedDatabase {
  db: Database
  /** How many migrations were applied. */
  applied: number
  stop(): Promise<void>
}

interface PoolOptions {
  poolSize?: number
}

/** Processes of one service share the connections for writes, but each has some. */
export const poolSizeOf = (processes: number) =>
  Math.max(WRITE_CONNECTIONS.process, Math.ceil(WRITE_CONNECTIONS.service / processes))

/** Starts or finds PostgreSQL, and migrates, for so many processes that will connect. */
export async function prepareDatabase(config: Config, log: Log, processes = 1): Promise<PreparedDatabase> {
  if (config.databaseUrl) {
    const connection = { url: await primaryFirst(config.databaseUrl, DATABASE_WAIT_SECONDS) }
    const { applied, ...access } = await prepare(connection, log)
    return { access: { connection, ...access }, applied, stop: async () => {} }
  }
  // One more than there are, for the process that replaces another.
  const maxConnections =
    processes === 1 ? undefined : OTHER_CONNECTIONS + CONNECTIONS_OF_PROCESS * (processes + 1)
  const embedded = await startEmbedded({ dataDir: config.dataDir, log, maxConnections })
  try {
    const { applied } = await prepare(embedded.owner, log)
    const access = { connection: embedded.service, role: undefined, settingsByStatement: false }
    return { access, applied, stop: embedded.stop }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

export async function openDatabase(
  config: Config,
  log: Log,
  pool: PoolOptions = {},
): Promise<OpenedDatabase> {
  const { access, applied, stop } = await prepareDatabase(config, log)
  const db = connect({ ...access, log, ...pool })
  const close = async () => {
    await db.close()
    await stop()
  }
  try {
    if (access.role) await warnOfOtherRole(db, access.role, log)
  } catch (error) {
    await close()
    throw error
  }
  return { db, applied, stop: close }
}

/** For a worker: its primary process has prepared the database, and runs the embedded one. */
export function connectAsWorker(config: Config, log: Log, access: DatabaseAccess): Database {
  const { connection: known, ...settings } = access
  // The path of the primary process is valid in that process only.
  const connection = 'url' in known ? known : connectionsOf(config.dataDir).service
  return connect({ connection, ...settings, log, poolSize: poolSizeOf(config.workers) })
}

/** For commands: uses the embedded database of a service that runs, or starts it. */
export async function openSharedDatabase(
  config: Config,
  log: Log,
  pool: PoolOptions = {},
): Promise<OpenedDatabase> {
  try {
    return await openDatabase(config, log, pool)
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    const db = connect({ connection: connectionsOf(config.dataDir).service, log, ...pool })
    return { db, applied: 0, stop: () => db.close() }
  }
}

/** For commands that need the owner of the tables. With DATABASE_URL, that is whom it names. */
export async function openAsOwner(config: Config, log: Log): Promise<OpenedDatabase> {
  const open = (connection: Connection, settingsByStatement: boolean) =>
    connect({ connection, log, poolSize: 2, responseMs: Infinity, settingsByStatement })
  try {
    const { access, applied, stop } = await prepareDatabase(config, log)
    const connection = config.databaseUrl ? access.connection : connectionsOf(config.dataDir).owner
    const db = open(connection, access.settingsByStatement)
    return {
      db,
      applied,
      async stop() {
        await db.close()
        await stop()
      },
    }
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    const db = open(connectionsOf(config.dataDir).owner, false)
    return { db, applied: 0, stop: () => db.close() }
  }
}

interface Prepared {
  applied: number
  role: string | undefined
  /** Whether there is a pooler that does not pass on the settings of a connection. */
  settingsByStatement: boolean
}

/** Migrates, and makes the role of the service, over a connection of its own. */
async function prepare(connection: Connection, log: Log): Promise<Prepared> {
  if (!('url' in connection)) return prepareWith(connection, log, false)
  try {
    return await prepareWith(connection, log, false)
  } catch (error) {
    if (!rejectsSettings(error) && !(error instanceof IgnoredSettings)) throw error
    await requireSessionMode(connection)
    log.info(
      {},
      'the database is behind a pooler: settings are sent as the first statement of each connection',
    )
    return prepareWith(connection, log, true)
  }
}

class IgnoredSettings extends Error {}

async function prepareWith(
  connection: Connection,
  log: Log,
  settingsByStatement: boolean,
): Promise<Prepared> {
  const owner = connect({ connection, log, poolSize: 2, responseMs: Infinity, settingsByStatement })
  try {
    if ('url' in connection) {
      await waitForDatabase(owner, { url: connection.url, log, seconds: DATABASE_WAIT_SECONDS })
      if (await ignoresSettings(owner)) throw new IgnoredSettings('The settings are not in effect.')
    }
    const applied = await migrate(owner, log)
    await owner.transaction(alignAuditXids)
    return {
      applied,
      role: await ensureServiceRole(owner, log, { isNewer: await isNewerThanRelease(owner.sql) }),
      settingsByStatement,
    }
  } finally {
    await owner.close()
  }
}
