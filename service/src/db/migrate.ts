// Migrates the schema. Migrations are plain SQL, forward only; one that has landed is never edited.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import type { Database, Sql, Tx } from './database.ts'
import { dropLimitedSchema, ensureLimitedSchema, isLimitedSchemaCurrent } from './limited-schema.ts'
import { isDatabaseError } from './sqlstate.ts'

interface Migration {
  version: number
  name: string
  sql: string
  checksum: string
}

const FOLDER = new URL('../../migrations/', import.meta.url)
// An arbitrary number that no other advisory lock in the database uses.
const LOCK = 7_227_001

export async function readMigrations(folder = FOLDER): Promise<Migration[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const version = Number(file.slice(0, 4))
      if (version !== index + 1)
        throw new StartError(`Migration ${file} is out of sequence: expected number ${index + 1}.`)
      const sql = await readFile(new URL(file, folder), 'utf8')
      return { version, name: file, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Applies the missing migrations and returns their number. Safe when several services start at the same time. */
export async function migrate(db: Database, log: Log, migrations?: Migration[]): Promise<number> {
  const ofRelease = await readMigrations()
  const known = migrations ?? ofRelease
  // The views are those of the last migration.
  const withViews = known.length >= ofRelease.length
  try {
    // A login without DDL can start the service on a schema that is up to date.
    const isCurrent = countMissing(await listAppliedIfAny(db.sql), known) === 0
    if (isCurrent && (!withViews || (await isLimitedSchemaCurrent(db.sql)))) return 0
    return await applyMissing(db, log, { known, withViews })
  } catch (error) {
    if (!isDatabaseError(error) || error.code !== '42501') throw error
    const applied = await listAppliedIfAny(db.sql).catch(() => undefined)
    const state = applied
      ? `${known.length - applied.length} migrations are pending, and the login of DATABASE_URL may not change the schema.`
      : 'The login of DATABASE_URL may not read the tables.'
    throw new StartError(
      `${state} Run npm run migrate with the DATABASE_URL of the owner of the tables, then start the service again.`,
    )
  }
}

function applyMissing(
  db: Database,
  log: Log,
  { known, withViews }: { known: Migration[]; withViews: boolean },
): Promise<number> {
  return db.transaction(async tx => {
    // Other services that start at the same time wait here, without a timeout.
    await tx`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await createHistory(tx)
    const applied = await listApplied(tx)
    const missing = known.slice(known.length - countMissing(applied, known))
    if (missing.length > 0) await dropLimitedSchema(tx)
    for (const migration of missing) {
      await tx.unsafe(migration.sql)
      await recordApplied(tx, migration)
      log.info({ migration: migration.name }, 'migration applied')
    }
    if (withViews) await ensureLimitedSchema(tx)
    return missing.length
  })
}

interface AppliedMigration {
  version: number
  name: string
  checksum: string
}

/** Throws when the database is newer than this release, or is that of another one. */
function countMissing(applied: AppliedMigration[], known: Migration[]): number {
  if (applied.length > known.length)
    throw new StartError(
      `The database is at version ${applied.length}, newer than this release knows (${known.length}). Start a newer release, or restore a backup made before the upgrade.`,
    )
  for (const [index, row] of applied.entries()) {
    if (row.checksum !== known[index]?.checksum)
      throw new StartError(
        `Migration ${row.name} in the database is not the one of this release. Start the release that made this database.`,
      )
  }
  return known.length - applied.length
}

async function createHistory(tx: Tx): Promise<void> {
  await tx`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`
}

async function listAppliedIfAny(sql: Sql): Promise<AppliedMigration[]> {
  const [row] = await sql<[{ found: boolean }]>`select to_regclass('schema_migrations') is not null as found`
  return row.found ? listApplied(sql) : []
}

async function listApplied(sql: Sql): Promise<AppliedMigration[]> {
  return sql<AppliedMigration[]>`
    select version, name, checksum from schema_migrations order by version`
}

async function recordApplied(tx: Tx, { version, name, checksum }: Migration): Promise<void> {
  await tx`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksum})`
}
