// Migrates the schema. Migrations are plain SQL, forward only; one that has landed is never edited. Services of the release
// before go on meanwhile: each migration is a transaction of its own and waits for locks only briefly, and builds indexes
// outside of one. docs/decisions/0036.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import type { Database, Sql, Tx } from './database.ts'
import { dropLimitedSchema, ensureLimitedSchema, isLimitedSchemaCurrent } from './limited-schema.ts'
import { grantServiceRole } from './roles.ts'
import { isDatabaseError, isLockUnavailable } from './sqlstate.ts'

interface Migration {
  version: number
  name: string
  sql: string
  checksum: string
  /** The oldest release that works on the schema after it: the number of migrations that this release has. */
  oldestRelease: number
  /** Whether its statements run one by one, because PostgreSQL runs them in no transaction. */
  isConcurrent: boolean
}

const FOLDER = new URL('../../migrations/', import.meta.url)
const OLDEST_RELEASE = /^-- tolerated by releases from (\d+)$/m
const CONCURRENT = /^-- outside a transaction$/m
/** While a migration waits for a table, all others that need the table wait behind it. */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_ATTEMPTS = 60
const LOCK_PAUSE_MS = 1_000
const ASK_AGAIN_MS = 100

/** What a view depends on cannot be changed: 2BP01 for dropping it, 0A000 for altering the type of a column. */
const NEEDED_BY_VIEWS = ['2BP01', '0A000']

export async function readMigrations(folder = FOLDER): Promise<Migration[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const version = Number(file.slice(0, 4))
      if (version !== index + 1)
        throw new StartError(`Migration ${file} is out of sequence: expected number ${index + 1}.`)
      const sql = await readFile(new URL(file, folder), 'utf8')
      return {
        version,
        name: file,
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        ...readComments(sql, version),
      }
    }),
  )
}

/** What the comments of a migration declare. */
export function readComments(
  sql: string,
  version: number,
): Pick<Migration, 'oldestRelease' | 'isConcurrent'> {
  return {
    oldestRelease: Number(OLDEST_RELEASE.exec(sql)?.[1] ?? version),
    isConcurrent: CONCURRENT.test(sql),
  }
}

/** Applies the missing migrations and returns their number. Safe when several services start at the same time. */
export async function migrate(db: Database, log: Log, migrations?: Migration[]): Promise<number> {
  const ofRelease = await readMigrations()
  const known = migrations ?? ofRelease
  // The views are those of the last migration.
  const withViews = known.length >= ofRelease.length
  try {
    const applied = await listAppliedIfAny(db.sql)
    const missing = findMissing(applied, known)
    if (applied.length > known.length) {
      log.warn(
        { database: applied.length, release: known.length },
        'the database was migrated by a newer release, which this one can work beside',
      )
      return 0
    }
    // A login without DDL can start the service on a schema that is up to date.
    if (missing.length === 0 && (!withViews || (await isLimitedSchemaCurrent(db.sql)))) return 0
    return await applyMissing(db, log, { known, missing, withViews })
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

/** Whether a newer release has migrated this database: then its tables and privileges are left as they are. */
export async function isNewerThanRelease(sql: Sql): Promise<boolean> {
  return (await listAppliedIfAny(sql)).length > (await readMigrations()).length
}

/** Whether the database has nothing of the service yet. */
export const isNew = async (sql: Sql): Promise<boolean> => (await listAppliedIfAny(sql)).length === 0

/** For what does not migrate itself: a worker, which may be of a newer release than its primary process, and commands. */
export async function requireMigrated(db: Database, remedy: string): Promise<void> {
  const applied = await listAppliedIfAny(db.sql).catch(error => {
    if (!isDatabaseError(error) || error.code !== '42501') throw error
    throw new StartError(
      'The login of DATABASE_URL may not read the tables. Use that of the service, or of their owner.',
    )
  })
  const { length: missing } = findMissing(applied, await readMigrations())
  if (missing > 0) throw new StartError(`${missing} migrations of this release are pending. ${remedy}`)
}

async function applyMissing(
  db: Database,
  log: Log,
  { known, missing, withViews }: { known: Migration[]; missing: Migration[]; withViews: boolean },
): Promise<number> {
  let count = 0
  for (const migration of missing) {
    const isApplied = migration.isConcurrent
      ? await applyConcurrently(db, log, { migration, known })
      : await applyInTransaction(db, log, { migration, known })
    if (!isApplied) continue
    count += 1
    log.info({ migration: migration.name }, 'migration applied')
  }
  if (withViews)
    await withShortLocks(db, log, { name: 'the views of limited callers' }, async tx => {
      await ensureLimitedSchema(tx)
      await grantServiceRole(tx)
    })
  return count
}

interface Step {
  migration: Migration
  known: Migration[]
}

/** Returns false where it was applied already. */
async function applyInTransaction(db: Database, log: Log, { migration, known }: Step): Promise<boolean> {
  const apply = (withoutViews: boolean) =>
    withShortLocks(db, log, migration, async tx => {
      if (!(await isMissing(tx, migration, known))) return false
      if (withoutViews) await dropLimitedSchema(tx)
      await tx.unsafe(migration.sql)
      await recordApplied(tx, migration)
      return true
    })
  try {
    return await apply(false)
  } catch (error) {
    if (!isDatabaseError(error) || !NEEDED_BY_VIEWS.includes(error.code)) throw error
    // Limited callers of running services get errors until the views are made again, after the last migration.
    log.warn({ migration: migration.name }, 'the migration changes what views of limited callers need')
    return apply(true)
  }
}

/**
 * Its statements run on a connection beside the transaction that has the lock, which sees and blocks nothing. Each of them can
 * be repeated: what an interruption has left is an invalid index, which is dropped first.
 */
function applyConcurrently(db: Database, log: Log, { migration, known }: Step): Promise<boolean> {
  return withMigrationLock(db, async tx => {
    if (!(await isMissing(tx, migration, known))) return false
    await releaseSnapshot(tx)
    for (const statement of statementsOf(migration.sql)) {
      const [, index] = /^create (?:unique )?index concurrently if not exists (\w+)/i.exec(statement) ?? []
      if (index && (await isInvalidIndex(db.sql, index))) {
        log.info({ migration: migration.name, index }, 'an unfinished index is built again')
        await db.sql.unsafe(`drop index concurrently if exists ${index}`)
      }
      await db.sql.unsafe(statement)
    }
    await recordApplied(tx, migration)
    return true
  })
}

/** The statements of a migration outside a transaction, which has no functions. */
const statementsOf = (sql: string): string[] =>
  sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map(statement => statement.trim())
    .filter(statement => statement !== '')

async function isInvalidIndex(sql: Sql, name: string): Promise<boolean> {
  const { count } = await sql`
    select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`
  return count > 0
}

/** Repeats the work, in a transaction, until it gets its locks without a long wait. */
async function withShortLocks<T>(
  db: Database,
  log: Log,
  { name }: { name: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withMigrationLock(db, async tx => {
        await tx`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`
        return work(tx)
      })
    } catch (error) {
      if (!isLockUnavailable(error)) throw error
      if (attempt === LOCK_ATTEMPTS)
        throw new StartError(
          `Migration ${name} needs a table that another session has locked for minutes, such as a dump or a long transaction. See pg_stat_activity; start again when it has ended.`,
        )
      log.warn({ migration: name, attempt }, 'a table is locked by another session; the migration is retried')
      await sleep(LOCK_PAUSE_MS * (0.5 + Math.random()))
    }
  }
}

/**
 * Runs the work in a transaction that has the lock of migrations, without timeouts. Other services that start at the same time
 * ask again in transactions of their own: a concurrent index waits for the end of each transaction that it sees with a snapshot.
 */
async function withMigrationLock<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (;;) {
    const done = await db.transaction(async tx => {
      const [row] = await tx<
        [{ locked: boolean }]
      >`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.migrations}) as locked`
      if (!row.locked) return
      await tx`
        select set_config(name, '0', true)
        from unnest(array['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']) name`
      return { result: await work(tx) }
    })
    if (done) return done.result
    await sleep(ASK_AGAIN_MS)
  }
}

/**
 * The last statement of a transaction has a snapshot until the next one replaces its portal. A concurrent index would wait for
 * the end of the transaction. Statements of the simple protocol, as this one, leave no portal.
 */
const releaseSnapshot = (tx: Tx) => tx.unsafe('select 1')

interface AppliedMigration {
  version: number
  name: string
  checksum: string
  /** Null for migrations of releases that did not tell. */
  oldestRelease: number | null
}

/** Throws when the database is of a newer release that does not tolerate this one, or of another one. */
function findMissing(applied: AppliedMigration[], known: Migration[]): Migration[] {
  const intolerant = applied
    .slice(known.length)
    .find(({ version, oldestRelease }) => (oldestRelease ?? version) > known.length)
  if (intolerant)
    throw new StartError(
      `The database is at version ${applied.length}, newer than this release knows (${known.length}). Start a newer release, or restore a backup made before the upgrade.`,
    )
  for (const [index, row] of applied.slice(0, known.length).entries()) {
    if (row.checksum !== known[index]?.checksum)
      throw new StartError(
        `Migration ${row.name} in the database is not the one of this release. Start the release that made this database.`,
      )
  }
  return known.slice(applied.length)
}

/** Asked under the lock: another service may have applied it. */
async function isMissing(tx: Tx, migration: Migration, known: Migration[]): Promise<boolean> {
  await createHistory(tx)
  return findMissing(await listApplied(tx), known).includes(migration)
}

/** Changes nothing that is there already: a lock on the table would wait for a dump. */
async function createHistory(tx: Tx): Promise<void> {
  const { count } = await tx`
    select from pg_attribute where attrelid = to_regclass('schema_migrations') and attname = 'oldest_release'`
  if (count > 0) return
  await tx`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`
  await tx`alter table schema_migrations add column oldest_release integer`
}

async function listAppliedIfAny(sql: Sql): Promise<AppliedMigration[]> {
  const [row] = await sql<[{ found: boolean }]>`select to_regclass('schema_migrations') is not null as found`
  return row.found ? listApplied(sql) : []
}

/** The history of an earlier release has no column for the oldest release. */
async function listApplied(sql: Sql): Promise<AppliedMigration[]> {
  return sql<AppliedMigration[]>`
    select version, name, checksum, (to_jsonb(m) ->> 'oldest_release')::integer as "oldestRelease"
    from schema_migrations m order by version`
}

async function recordApplied(tx: Tx, { version, name, checksum, oldestRelease }: Migration): Promise<void> {
  await tx`
    insert into schema_migrations (version, name, checksum, oldest_release)
    values (${version}, ${name}, ${checksum}, ${oldestRelease})`
}
