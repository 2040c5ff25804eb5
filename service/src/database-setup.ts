// Opens the database: starts or finds PostgreSQL, migrates as the owner of the tables, and connects as the role of the
// service.
import type { Config } from './config.ts'
import { alignAuditXids } from './db/audit-xids.ts'
import { type Connection, connect, type Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { primaryFirst } from './db/primary.ts'
import { ensureServiceRole, warnOfOtherRole } from './db/roles.ts'
import { waitForDatabase } from './db/wait-for-database.ts'
import { connectionsOf } from './embedded-postgres/connections.ts'
import { DataDirInUse } from './embedded-postgres/data-dir-lock.ts'
import { startEmbedded } from './embedded-postgres/embedded.ts'
import type { Log } from './lib/log.ts'

const DATABASE_WAIT_SECONDS = 30

export interface OpenedDatabase {
  db: Database
  /** How many migrations were applied. */
  applied: number
  stop(): Promise<void>
}

interface PoolOptions {
  poolSize?: number
}

export async function openDatabase(
  config: Config,
  log: Log,
  pool: PoolOptions = {},
): Promise<OpenedDatabase> {
  if (config.databaseUrl) {
    const url = await primaryFirst(config.databaseUrl, DATABASE_WAIT_SECONDS)
    const { applied, role } = await prepare({ url }, log)
    const db = connect({ connection: { url }, role, log, ...pool })
    try {
      if (role) await warnOfOtherRole(db, role, log)
    } catch (error) {
      await db.close()
      throw error
    }
    return { db, applied, stop: () => db.close() }
  }
  const embedded = await startEmbedded({ dataDir: config.dataDir, log })
  try {
    const { applied } = await prepare(embedded.owner, log)
    const db = connect({ connection: embedded.service, log, ...pool })
    return {
      db,
      applied,
      async stop() {
        await db.close()
        await embedded.stop()
      },
    }
  } catch (error) {
    await embedded.stop()
    throw error
  }
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

/** Migrates, and makes the role of the service, over a connection of its own. */
async function prepare(connection: Connection, log: Log) {
  const owner = connect({ connection, log, poolSize: 1 })
  try {
    if ('url' in connection)
      await waitForDatabase(owner, { url: connection.url, log, seconds: DATABASE_WAIT_SECONDS })
    const applied = await migrate(owner, log)
    await alignAuditXids(owner.sql)
    return { applied, role: await ensureServiceRole(owner, log) }
  } finally {
    await owner.close()
  }
}
