// Opens the database: starts or finds PostgreSQL, migrates as the owner of the tables, and connects as the role of the
// service.
import type { Config } from './config.ts'
import { alignAuditXids } from './db/audit-xids.ts'
import { type Connection, connect, type Database } from './db/database.ts'
import { isNew, isNewerThanRelease, migrate, requireMigrated } from './db/migrate.ts'
import { ignoresSettings, rejectsSettings, requireSessionMode } from './db/pooler.ts'
import { primaryFirst } from './db/primary.ts'
import { ensureServiceRole, findServiceRole, warnOfOtherRole } from './db/roles.ts'
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
  /** Infinity for commands whose statements may take long. */
  responseMs?: number
}

/** What is done to the database before it is used, as the login of DATABASE_URL or as the owner. */
type Preparation = (owner: Database, log: Log) => Promise<Preparing>

interface Preparing {
  /** How many migrations were applied. */
  applied: number
  /** The role to connect with, if it is not that of the login. */
  role: string | undefined
}

const setUpFor =
  ({ warns }: { warns: boolean }): Preparation =>
  async (owner, log) => {
    const applied = await migrate(owner, log)
    await owner.transaction(alignAuditXids)
    const isNewer = await isNewerThanRelease(owner.sql)
    return { applied, role: await ensureServiceRole(owner, log, { isNewer, warns }) }
  }

/** For a service: migrates, and makes its role. */
const setUp = setUpFor({ warns: true })

/** For commands: the service, or `npm run migrate`, has set up the database. */
const requireSetUp: Preparation = async owner => {
  await requireMigratedByOthers(owner)
  await owner.transaction(alignAuditXids)
  return { applied: 0, role: await findServiceRole(owner) }
}

/** An embedded database that a command starts for the first time is that of the service which is started next. */
const setUpIfNew: Preparation = async (owner, log) =>
  (await isNew(owner.sql)) ? setUp(owner, log) : requireSetUp(owner, log)

const requireMigratedByOthers = (db: Database) =>
  requireMigrated(
    db,
    'Start the service of this release, or run npm run migrate; this command does not migrate.',
  )

/** Processes of one service share the connections for writes, but each has some. */
export const poolSizeOf = (processes: number) =>
  Math.max(WRITE_CONNECTIONS.process, Math.ceil(WRITE_CONNECTIONS.service / processes))

/** For `npm run migrate`. Its login need not be the one of the service, whose start warns of what that may do. */
export const migrateDatabase = (config: Config, log: Log) =>
  prepareDatabase(config, log, { preparation: setUpFor({ warns: false }) })

/** Starts or finds PostgreSQL, and prepares it for so many processes that will connect. */
export async function prepareDatabase(
  config: Config,
  log: Log,
  { processes = 1, preparation = setUp }: { processes?: number; preparation?: Preparation } = {},
): Promise<PreparedDatabase> {
  if (config.databaseUrl) {
    const connection = { url: await primaryFirst(config.databaseUrl, DATABASE_WAIT_SECONDS) }
    const { applied, ...access } = await prepare(connection, log, preparation)
    return { access: { connection, ...access }, applied, stop: async () => {} }
  }
  // One more than there are, for the process that replaces another.
  const maxConnections =
    processes === 1 ? undefined : OTHER_CONNECTIONS + CONNECTIONS_OF_PROCESS * (processes + 1)
  const embedded = await startEmbedded({ dataDir: config.dataDir, log, maxConnections })
  try {
    const { applied } = await prepare(embedded.owner, log, preparation)
    const access = { connection: embedded.service, role: undefined, settingsByStatement: false }
    return { access, applied, stop: embedded.stop }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

/** For a service. */
export const openDatabase = (config: Config, log: Log): Promise<OpenedDatabase> => open(config, log)

async function open(
  config: Config,
  log: Log,
  { preparation = setUp, ...pool }: PoolOptions & { preparation?: Preparation } = {},
): Promise<OpenedDatabase> {
  const { access, applied, stop } = await prepareDatabase(config, log, { preparation })
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

/** For commands: uses the embedded database of a service that runs, or starts it. Migrates only a new one. */
export async function openSharedDatabase(
  config: Config,
  log: Log,
  pool: PoolOptions = {},
): Promise<OpenedDatabase> {
  try {
    const preparation = config.databaseUrl ? requireSetUp : setUpIfNew
    return await open(config, log, { ...pool, preparation })
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    return useRunning(connect({ connection: connectionsOf(config.dataDir).service, log, ...pool }))
  }
}

/** For commands that need the owner of the tables. With DATABASE_URL, that is whom it names. Does not migrate. */
export async function openAsOwner(config: Config, log: Log): Promise<OpenedDatabase> {
  const open = (connection: Connection, settingsByStatement: boolean) =>
    connect({ connection, log, poolSize: 2, responseMs: Infinity, settingsByStatement })
  try {
    const { access, applied, stop } = await prepareDatabase(config, log, { preparation: requireSetUp })
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
    return useRunning(open(connectionsOf(config.dataDir).owner, false))
  }
}

/** The database of a service that runs, which may be of an earlier release. */
async function useRunning(db: Database): Promise<OpenedDatabase> {
  try {
    await requireMigratedByOthers(db)
  } catch (error) {
    await db.close()
    throw error
  }
  return { db, applied: 0, stop: () => db.close() }
}

interface Prepared extends Preparing {
  /** Whether there is a pooler that does not pass on the settings of a connection. */
  settingsByStatement: boolean
}

/** Prepares the database over a connection of its own. */
async function prepare(connection: Connection, log: Log, preparation: Preparation): Promise<Prepared> {
  const prepared = (settingsByStatement: boolean) =>
    prepareWith(connection, log, { preparation, settingsByStatement })
  if (!('url' in connection)) return prepared(false)
  try {
    return await prepared(false)
  } catch (error) {
    if (!rejectsSettings(error) && !(error instanceof IgnoredSettings)) throw error
    await requireSessionMode(connection)
    log.info(
      {},
      'the database is behind a pooler: settings are sent as the first statement of each connection',
    )
    return prepared(true)
  }
}

class IgnoredSettings extends Error {}

async function prepareWith(
  connection: Connection,
  log: Log,
  { preparation, settingsByStatement }: { preparation: Preparation; settingsByStatement: boolean },
): Promise<Prepared> {
  const owner = connect({ connection, log, poolSize: 2, responseMs: Infinity, settingsByStatement })
  try {
    if ('url' in connection) {
      await waitForDatabase(owner, { url: connection.url, log, seconds: DATABASE_WAIT_SECONDS })
      if (await ignoresSettings(owner)) throw new IgnoredSettings('The settings are not in effect.')
    }
    return { ...(await preparation(owner, log)), settingsByStatement }
  } finally {
    await owner.close()
  }
}
