// An audit of the release before becomes the first partition: nothing is rewritten, renumbered or lost.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { createAudit } from '../../src/audit/audit.service.ts'
import { verifyChain } from '../../src/audit/chain-verification.ts'
import { listPartitions } from '../../src/audit/partitions.store.ts'
import { connect, type Database } from '../../src/db/database.ts'
import { ensureLimitedSchema } from '../../src/db/limited-schema.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { ensureServiceRole, SERVICE_ROLE } from '../../src/db/roles.ts'
import { systemActor } from '../../src/db/unit-of-work.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silent, testConnection } from '../support/harness.ts'

async function createDatabaseOfRelease(version: number) {
  const server = connect({ connection: testConnection('postgres'), log: silent, poolSize: 1 })
  const name = `test_${randomBytes(6).toString('hex')}`
  await server.sql.unsafe(`create database ${name} template template0`)
  const db = connect({ connection: testConnection(name), log: silent })
  const service = connect({ connection: testConnection(name, 'service'), log: silent })
  after(async () => {
    await Promise.all([db.close(), service.close()])
    await server.sql.unsafe(`drop database ${name} with (force)`)
    await server.close()
  })
  await migrate(db, silent, (await readMigrations()).slice(0, version))
  await db.transaction(ensureLimitedSchema)
  await ensureServiceRole(db, silent, {})
  return { db, service }
}

/** The files of a table and its indexes: another number is another file. */
const filesOf = async ({ sql }: Database, table: string) =>
  (
    await sql<{ file: number }[]>`
      select relfilenode as file from pg_class
      where oid = ${table}::regclass or oid in (select indexrelid from pg_index where indrelid = ${table}::regclass)`
  )
    .map(({ file }) => file)
    .sort()

describe('the migration to an audit by month', () => {
  it('keeps the files, numbers, privileges and the chain, and services of the release before go on', async () => {
    const { db, service } = await createDatabaseOfRelease(25)
    const audit = createAudit({ sql: service.sql, append: service.append, clock: systemClock })
    const read = (...recordIds: string[]) =>
      audit.record({
        actor: systemActor('c', 'q'),
        action: 'case.read',
        recordIds,
        status: 200,
        code: undefined,
      })
    for (let each = 0; each < 20; each++) await read(`a${each}`, `b${each}`)
    await audit.chain()
    const files = [await filesOf(db, 'audit'), await filesOf(db, 'audit_records')]
    const [before] = await db.sql<[{ last: string }]>`select max(seq) as last from audit`

    // Written with the statements of the release before, prepared on its connections, while migrations run.
    let isMigrated = false
    let written = 0
    const migrating = migrate(db, silent).finally(() => {
      isMigrated = true
    })
    do {
      await read(`during-${written}`, 'and another')
      written += 1
    } while (!isMigrated)
    assert.equal(await migrating, (await readMigrations()).length - 25)
    await read('after')

    assert.deepEqual([await filesOf(db, 'audit_first'), await filesOf(db, 'audit_records_first')], files)
    const [numbers] = await db.sql<[{ count: number; distinct: number; next: boolean }]>`
      select count(*)::int as count, count(distinct seq)::int as distinct, max(seq) > ${before.last} as next from audit`
    assert.deepEqual(numbers, { count: 21 + written, distinct: 21 + written, next: true })
    const [seen] = await db.sql<[{ last: boolean }]>`
      select seq = (select max(seq) from audit) as last from audit where record_id = 'after'`
    assert.ok(seen.last)

    const privileges = await db.sql`
      select c.relname as name, a.privilege_type as privilege
      from pg_class c cross join lateral aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
      where c.relname like 'audit%' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and r.rolname = ${SERVICE_ROLE} order by 1, 2`
    assert.deepEqual(
      privileges.map(({ name, privilege }) => `${name} ${privilege}`),
      [
        'audit INSERT', 'audit SELECT', 'audit_anchors SELECT', 'audit_chain INSERT', 'audit_chain SELECT',
        'audit_records INSERT', 'audit_records SELECT',
      ], // biome-ignore format: a table reads better than a column
    )
    for (const view of ['limited.audit', 'audit_of_further_records']) {
      const [{ count } = { count: 0 }] = await db.sql<{ count: number }[]>`
        select count(*)::int as count from pg_depend d join pg_rewrite r on r.oid = d.objid
        where r.ev_class = ${view}::regclass and d.refobjid = 'audit_first'::regclass`
      assert.equal(count, 0, `${view} still reads the old table`)
    }
    const constraints = await db.sql`select conname from pg_constraint where conname = 'before_partitions'`
    assert.equal(constraints.count, 0)
    for (let tries = 0; tries < 300 && (await verifyChain(db.sql)).waiting > 0; tries++) await audit.chain()
    const { entries, waiting, findings } = await verifyChain(db.sql)
    assert.deepEqual({ entries, waiting, findings }, { entries: 21 + written, waiting: 0, findings: [] })
  })

  it('begins an empty database with this month', async () => {
    const { db } = await createDatabaseOfRelease(25)
    await migrate(db, silent)
    const now = new Date()
    const first = (await listPartitions(db.sql)).find(({ name }) => name === 'audit_first')
    assert.deepEqual(first?.endsAt, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)))
  })
})
