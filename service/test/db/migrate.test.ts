import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import postgres from 'postgres'
import { type Access, connect, type Database } from '../../src/db/database.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { StartError } from '../../src/lib/problem.ts'
import { reminderDays } from '../../src/lib/schedule.ts'
import { silent, testConnection } from '../support/harness.ts'

const server = connect({ connection: testConnection('postgres'), log: silent, poolSize: 1 })
const dropped: string[] = []
after(async () => {
  for (const name of dropped) await server.sql.unsafe(`drop database ${name} with (force)`)
  await server.close()
})

/** An empty database, opened by as many services, each with its own connections. */
async function createEmptyDatabase(services = 1): Promise<[Database, ...Database[]]> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await server.sql.unsafe(`create database ${name} template template0`)
  dropped.push(name)
  const databases = Array.from({ length: services }, () =>
    connect({ connection: testConnection(name), log: silent, poolSize: 2 }),
  )
  after(() => Promise.all(databases.map(db => db.close())))
  return databases as [Database, ...Database[]]
}

const history = (db: Database) =>
  db.sql<{ version: number; name: string; checksum: string }[]>`
    select version, name, checksum from schema_migrations order by version`

/** Writes migration files as they are in the repository, and reads them. */
async function writeMigrations(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'caseport-migrations-'))
  for (const [name, sql] of Object.entries(files)) await writeFile(join(folder, name), sql)
  after(() => rm(folder, { recursive: true }))
  return readMigrations(pathToFileURL(`${folder}/`))
}

const FIRST = { '0001-first.sql': 'create table first (id int); insert into first values (1)' }
const SECOND = { '0002-second.sql': 'alter table first add name text; create table second (id int)' }

describe('migrate', () => {
  it('migrates an empty database to the newest version, and is a no-op on a migrated one', async () => {
    const [db] = await createEmptyDatabase()
    const known = await readMigrations()
    assert.equal(await migrate(db, silent), known.length)
    assert.deepEqual(
      [...(await history(db))],
      known.map(({ version, name, checksum }) => ({ version, name, checksum })),
    )
    assert.equal(await migrate(db, silent), 0)
    assert.equal((await history(db)).length, known.length)
  })

  it('applies each migration once, however many services start at the same time', async () => {
    const databases = await createEmptyDatabase(5)
    const migrations = await writeMigrations({ ...FIRST, ...SECOND })
    const applied = await Promise.all(databases.map(db => migrate(db, silent, migrations)))
    assert.equal(
      applied.reduce((sum, count) => sum + count),
      2,
    )
    const [{ count } = { count: 0 }] = await databases[0].sql<
      { count: number }[]
    >`select count(*)::int as count from first`
    assert.equal(count, 1)
  })

  it('applies missing migrations in order', async () => {
    const [db] = await createEmptyDatabase()
    assert.equal(await migrate(db, silent, await writeMigrations(FIRST)), 1)
    assert.equal(await migrate(db, silent, await writeMigrations({ ...FIRST, ...SECOND })), 1)
    assert.deepEqual(
      (await history(db)).map(row => row.name),
      ['0001-first.sql', '0002-second.sql'],
    )
  })

  it('rolls back a migration that fails, keeps those before it, and goes on after it is corrected', async () => {
    const [db] = await createEmptyDatabase()
    const broken = await writeMigrations({
      ...FIRST,
      '0002-broken.sql': 'create table half (id int); select 1/0',
    })
    await assert.rejects(migrate(db, silent, broken), { code: '22012' })
    const tables = await db.sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' order by 1`
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['first', 'schema_migrations'],
    )
    assert.equal(await migrate(db, silent, await writeMigrations({ ...FIRST, ...SECOND })), 1)
  })

  it('rejects a database that is newer than this release, with a remedy', async () => {
    const [db] = await createEmptyDatabase()
    await migrate(db, silent, await writeMigrations({ ...FIRST, ...SECOND }))
    await assert.rejects(
      migrate(db, silent, await writeMigrations(FIRST)),
      (error: Error) =>
        error instanceof StartError &&
        /^The database is at version 2, newer than this release knows \(1\)\. Start a newer release/.test(
          error.message,
        ),
    )
    assert.equal((await history(db)).length, 2)
  })

  it('rejects a database with other migrations, and changes nothing', async () => {
    const [db] = await createEmptyDatabase()
    await migrate(db, silent, await writeMigrations(FIRST))
    const edited = await writeMigrations({ '0001-first.sql': 'create table first (id bigint)', ...SECOND })
    await assert.rejects(
      migrate(db, silent, edited),
      (error: Error) =>
        error instanceof StartError &&
        /^Migration 0001-first\.sql in the database is not the one/.test(error.message),
    )
    assert.equal((await history(db)).length, 1)
  })

  it('works on the schema of a newer release that tolerates it, and changes nothing there', async () => {
    const [db] = await createEmptyDatabase()
    const tolerant = { '0002-second.sql': `-- tolerated by releases from 1\n${SECOND['0002-second.sql']}` }
    await migrate(db, silent, await writeMigrations({ ...FIRST, ...tolerant }))
    assert.equal(await migrate(db, silent, await writeMigrations(FIRST)), 0)
    assert.equal((await history(db)).length, 2)
    const third = { '0003-third.sql': '-- tolerated by releases from 2\ndrop table second' }
    await migrate(db, silent, await writeMigrations({ ...FIRST, ...tolerant, ...third }))
    assert.equal(await migrate(db, silent, await writeMigrations({ ...FIRST, ...tolerant })), 0)
    await assert.rejects(
      migrate(db, silent, await writeMigrations(FIRST)),
      /newer than this release knows \(1\)/,
    )
  })

  it('reads the history of a release that did not keep the oldest one that is tolerated', async () => {
    const [db] = await createEmptyDatabase()
    await migrate(db, silent, await writeMigrations(FIRST))
    await db.sql`alter table schema_migrations drop column oldest_release`
    assert.equal(await migrate(db, silent, await writeMigrations({ ...FIRST, ...SECOND })), 1)
    await assert.rejects(migrate(db, silent, await writeMigrations(FIRST)), /newer than this release knows/)
  })

  it('builds indexes outside a transaction, once, and repeats what an interruption has left', async () => {
    const databases = await createEmptyDatabase(8)
    const [db] = databases
    const index = {
      '0002-index.sql':
        '-- outside a transaction\n-- tolerated by releases from 1\ncreate unique index concurrently if not exists first_id on first (id);\n',
    }
    await migrate(db, silent, await writeMigrations(FIRST))
    await db.sql`insert into first values (1)`
    const migrations = await writeMigrations({ ...FIRST, ...index })
    await assert.rejects(migrate(db, silent, migrations), { code: '23505' })
    const valid = () => db.sql<{ valid: boolean }[]>`
      select indisvalid as valid from pg_index where indexrelid = to_regclass('first_id')`
    assert.deepEqual([...(await valid())], [{ valid: false }])
    assert.equal((await history(db)).length, 1)

    await db.sql`delete from first where ctid = '(0,2)'`
    const applied = await Promise.all(databases.map(each => migrate(each, silent, migrations)))
    assert.deepEqual(applied.sort(), [0, 0, 0, 0, 0, 0, 0, 1])
    assert.deepEqual([...(await valid())], [{ valid: true }])
  })

  it('keeps no one waiting behind it for long while it waits for a locked table', async () => {
    const [db, other = db] = await createEmptyDatabase(2)
    await migrate(db, silent, await writeMigrations(FIRST))
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    // A dump holds such a lock for as long as it takes.
    const dump = other.transaction(async tx => {
      await tx`select from first`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const migration = migrate(db, silent, await writeMigrations({ ...FIRST, ...SECOND }))
    let longest = 0
    for (let round = 0; round < 8; round++) {
      await new Promise(resolve => setTimeout(resolve, 500))
      const began = performance.now()
      await other.sql`insert into first values (2)`
      longest = Math.max(longest, performance.now() - began)
    }
    release.resolve()
    await dump
    assert.equal(await migration, 1)
    assert.ok(longest < 4_000, `an insert waited for ${Math.round(longest)} ms`)
  })

  it('keeps the views of limited callers while it changes other things, and drops them where it must', async () => {
    const [db] = await createEmptyDatabase()
    await migrate(db, silent, await writeMigrations(FIRST))
    await db.sql.unsafe('create schema limited; create view limited.first as select id from first')
    await migrate(db, silent, await writeMigrations({ ...FIRST, ...SECOND }))
    assert.equal((await db.sql`select from limited.first`).length, 1)
    const third = { '0003-third.sql': 'alter table first alter column id type bigint' }
    assert.equal(await migrate(db, silent, await writeMigrations({ ...FIRST, ...SECOND, ...third })), 1)
    assert.equal((await db.sql`select from pg_namespace where nspname = 'limited'`).length, 0)
  })

  it('waits for the migration of another service for longer than the lock timeout', async () => {
    const [one] = await createEmptyDatabase()
    const slow = { '0001-slow.sql': 'create table slow (id int); select pg_sleep(0.6)' }
    const migrations = await writeMigrations(slow)
    const hurried = await connectWithTimeouts(one)
    const applied = await Promise.all([
      migrate(one, silent, migrations),
      migrate(hurried, silent, migrations),
    ])
    assert.deepEqual(applied.sort(), [0, 1])
  })
})

/** A service whose lock and statement timeouts are 100 ms. */
async function connectWithTimeouts(db: Database): Promise<Database> {
  const [row] = await db.sql<{ name: string }[]>`select current_database() as name`
  const connection = { lock_timeout: 100, statement_timeout: 100 }
  const sql = postgres({ ...testConnection(row?.name ?? ''), max: 1, onnotice: () => {}, connection })
  after(() => sql.end())
  const access: Access = {
    sql,
    lookup: work => work(sql),
    transaction: async work => (await sql.begin(work)) as never,
    snapshot: async work => (await sql.begin(work)) as never,
  }
  return {
    ...access,
    forCompanies: () => access,
    append: work => work(sql),
    ping: async () => void (await sql`select 1`),
    close: () => sql.end(),
  }
}

describe('readMigrations', () => {
  it('rejects a gap and a duplicate number', async () => {
    await assert.rejects(writeMigrations({ '0002-second.sql': '' }), StartError)
    await assert.rejects(
      writeMigrations({ '0001-a.sql': '', '0001-b.sql': '' }),
      /0001-b\.sql is out of sequence: expected number 2/,
    )
    await assert.rejects(writeMigrations({ '0001-a.sql': '', '0003-c.sql': '' }), StartError)
  })

  it('reads only SQL files', async () => {
    const found = await writeMigrations({ ...FIRST, 'README.md': 'notes', '0002-second.sql.orig': 'x' })
    assert.deepEqual(
      found.map(({ name }) => name),
      ['0001-first.sql'],
    )
  })
})

describe('0011-recognised-without-ids', () => {
  it('backfills item ids and reminder days', async () => {
    const [db] = await createEmptyDatabase()
    const { sql } = db
    await migrate(db, silent, (await readMigrations()).slice(0, 10))
    const record = {
      passports: [{ passportId: 'p-1' }, { passportId: 'p-2' }],
      metaData: [{ noteId: 'n-1' }],
      previousNames: [{ previousNameId: 'v-1' }],
    }
    await sql`
      insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
      values ('a-1', ${JSON.stringify(record)}::text::json, '', '', '{}', now(), now()),
        ('a-2', '{"passports":[],"metaData":[],"previousNames":[]}', '', '', '{}', now(), now())`
    const schedules = [
      null, 0, 30, '45', '7, 90,30', 'P3M', 'P1Y', 'P2W', 'P1M10D', '2027-03-31', '2027-03-31T10:00:00', '2028-01-01', ' 60 ', '\t2027-03-31', '\nP3M', '\u00a090', 'P11Y', '1999-01-01',
    ] // biome-ignore format: a table
    const expiries = ['2027-06-30T00:00:00', '2024-02-29T12:00:00', null]
    const documents = schedules.flatMap((schedule, index) =>
      expiries.map((expiry, other) => ({ id: `d-${index}-${other}`, schedule, expiry })),
    )
    for (const { id, schedule, expiry } of documents)
      await sql`
        insert into documents (document_id, applicant_id, expiry_date, expiry_reminder, created_at, updated_at)
        values (${id}, 'a-1', ${expiry}::timestamp, ${schedule === null ? null : JSON.stringify(schedule)}::text::jsonb,
          now(), now())`
    await migrate(db, silent)
    const rows = await sql<{ id: string; days: number }[]>`
      select document_id as id, reminder_days as days from documents`
    const days = new Map(rows.map(row => [row.id, row.days]))
    for (const { id, schedule, expiry } of documents)
      assert.equal(days.get(id), reminderDays(schedule, expiry), `${schedule} before ${expiry}`)
    const items = await sql<{ ids: string[] }[]>`
      select array(select unnest(item_ids) order by 1) as ids from applicants order by applicant_id`
    assert.deepEqual(
      items.map(({ ids }) => ids),
      [['n-1', 'p-1', 'p-2', 'v-1'], []],
    )
  })
})
