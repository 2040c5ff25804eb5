// The role that the service runs as, with real logins on real servers.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type postgres from 'postgres'
import { connect, type Database } from '../../src/db/database.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { ensureServiceRole, SERVICE_ROLE, warnOfOtherRole } from '../../src/db/roles.ts'
import { StartError } from '../../src/lib/problem.ts'
import { createExternalPostgres, type ExternalPostgres } from '../support/external-postgres.ts'
import { createTestDatabase, silent } from '../support/harness.ts'

const isDenied = (error: unknown) => (error as { code?: string }).code === '42501'

function recordWarnings() {
  const warnings: { fields: Record<string, unknown>; text: string }[] = []
  const warn = (fields: object, text: string) =>
    void warnings.push({ fields: fields as Record<string, unknown>, text })
  return { warnings, log: { debug() {}, info() {}, error() {}, warn } }
}

const DENIED = [
  "update audit set action = 'x'",
  'delete from audit',
  'truncate audit',
  "update audit_default set action = 'x'",
  'delete from audit_first',
  'select from audit_records_default',
  'delete from audit_anchors',
  'insert into audit_anchors select * from audit_anchors',
  'alter table audit add column x int',
  'drop table audit',
  'create table own (id int)',
  'create function own() returns int language sql as $$ select 1 $$',
  'create index own on companies (name)',
  'alter table companies add column x int',
  'truncate companies',
  'insert into schema_migrations (version, name, checksum) values (999, $$x$$, $$x$$)',
  'delete from schema_migrations',
  'create schema own',
  'create role own',
  'set role caseport',
  'set session authorization caseport',
  'alter system set work_mem = $$1MB$$',
  'copy audit to program $$true$$',
  'select pg_read_file($$/etc/passwd$$)',
  'select * from pg_authid',
]

async function expectLimited(sql: Database['sql']): Promise<void> {
  for (const statement of DENIED)
    await assert.rejects(sql.unsafe(statement), isDenied, `${statement} is not denied`)
  await sql`
    insert into audit (at, client_id, action, record_id, request_id) values (now(), 'c', 'test', 'r-1', 'q')`
  const rows = await sql`select action from audit where record_id = 'r-1'`
  assert.equal(rows[0]?.['action'], 'test')
}

describe('the role of the service', () => {
  it('can append to the audit and change all other tables, and has no DDL', async () => {
    const db = await createTestDatabase()
    const { sql } = db.service
    const [row] = await sql`
      select current_user as user, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
      from pg_roles where rolname = current_user`
    assert.deepEqual(row, {
      user: SERVICE_ROLE,
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
    })
    await expectLimited(sql)
    const tables = await db.sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition
        and relname not in ('audit_chain', 'audit_anchors', 'schema_migrations')`
    assert.ok(tables.length > 15)
    for (const { name } of tables) {
      await sql`select from ${sql(name)} limit 1`
      await sql`delete from ${sql(name)} where false`
    }
    const { count } = await db.sql`
      select from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r'
        and has_table_privilege(${SERVICE_ROLE}, c.oid, 'TRUNCATE, REFERENCES, TRIGGER')`
    assert.equal(count, 0)
  })

  it('gets missing privileges, loses excess ones, and nothing is executed once they are right', async () => {
    const db = await createTestDatabase()
    const state = async () =>
      (
        await db.sql`select oid, xmin::text from pg_class where relnamespace = 'public'::regnamespace order by 1`
      )
        .map(({ oid, xmin }) => `${oid} ${xmin}`)
        .join('\n')
    const right = await state()
    assert.equal(await ensureServiceRole(db, silent), SERVICE_ROLE)
    assert.equal(await state(), right)

    await db.sql.unsafe(`
      grant update, delete, truncate on audit to ${SERVICE_ROLE};
      grant create on schema public to public;
      revoke all on companies from ${SERVICE_ROLE};
      create table newer (id int generated always as identity);
      drop schema limited cascade;
      create schema limited;
      create view limited.companies as select * from companies;
      create view limited.audit as select * from audit`)
    await assert.rejects(db.service.sql`select from companies`, isDenied)
    await ensureServiceRole(db, silent)
    await expectLimited(db.service.sql)
    await db.service.sql`select from companies`
    await db.service.sql`insert into newer default values`
    await db.service.sql`update limited.companies set name = name`
    await assert.rejects(db.service.sql`update limited.audit set action = 'x'`, isDenied)
    await assert.rejects(db.service.sql.unsafe('create table limited.own (id int)'), isDenied)
  })

  it('is reported where it may do more than it needs', async () => {
    const db = await createTestDatabase()
    await db.sql.unsafe('grant update on audit to public')
    const { warnings, log } = recordWarnings()
    await ensureServiceRole(db, log)
    assert.deepEqual(warnings[0]?.fields['problems'], ['may change audit'])
    const other = recordWarnings()
    await warnOfOtherRole(db, SERVICE_ROLE, other.log)
    await warnOfOtherRole(db.service, SERVICE_ROLE, other.log)
    assert.equal(other.warnings.length, 1)
  })
})

const INSTALLED = '/usr/lib/postgresql/15/bin'
const servers: Record<string, string | undefined> = {
  'the included PostgreSQL': undefined,
  ...(existsSync(join(INSTALLED, 'initdb')) && { 'PostgreSQL 15': INSTALLED }),
}

for (const [name, programs] of Object.entries(servers))
  describe(`a login of DATABASE_URL on ${name}`, () => {
    let server: ExternalPostgres
    let admin: postgres.Sql
    const root = mkdtempSync(join(tmpdir(), 'caseport-roles-'))
    before(async () => {
      server = await createExternalPostgres({
        folder: join(root, 'server'),
        ...(programs && { programs }),
      })
      admin = server.sql()
    })
    after(async () => {
      await admin.end()
      await server.kill()
      rmSync(root, { recursive: true, force: true, maxRetries: 20 })
    })

    const opened: Database[] = []
    after(() => Promise.all(opened.map(db => db.close())))
    function open(login: string, database: string, role?: string): Database {
      const url = `postgres://${login}@${server.host}/${database}`
      const db = connect({ connection: { url }, log: silent, poolSize: 2, role })
      opened.push(db)
      return db
    }
    /** A login with these attributes, and a database that it owns. */
    async function createOwner(attributes: string) {
      const id = `t${randomBytes(4).toString('hex')}`
      await admin.unsafe(`create role ${id} login ${attributes}`)
      await admin.unsafe(`create database ${id} owner ${id}`)
      return id
    }
    const dropServiceRole = async (databases: string[]) => {
      for (const database of databases) {
        const db = open('caseport', database)
        await db.sql.unsafe(`drop owned by ${SERVICE_ROLE}`)
      }
      await admin.unsafe(`drop role ${SERVICE_ROLE}`)
    }

    it('that may create roles makes the role of the service and uses it', async () => {
      const databases: string[] = []
      for (const attributes of ['superuser', 'createrole']) {
        const login = await createOwner(attributes)
        databases.push(login)
        const owner = open(login, login)
        await migrate(owner, silent)
        const { warnings, log } = recordWarnings()
        assert.equal(await ensureServiceRole(owner, log), SERVICE_ROLE)
        assert.deepEqual(warnings, [])
        const service = open(login, login, SERVICE_ROLE)
        const [row] = await service.sql`select current_user as user, session_user as login`
        assert.deepEqual(row, { user: SERVICE_ROLE, login })
        await service.lookup(sql => sql`select from companies`)
        if (attributes === 'createrole') {
          await assert.rejects(service.sql.unsafe("update audit set action = 'x'"), isDenied)
          await assert.rejects(service.sql.unsafe('create table own (id int)'), isDenied)
        }
        await dropServiceRole(databases)
        databases.pop()
      }
    })

    it('makes the role once when services on several databases start at the same time', async () => {
      const logins = await Promise.all([1, 2, 3].map(() => createOwner('createrole')))
      const owners = logins.map(login => open(login, login))
      await Promise.all(owners.map(owner => migrate(owner, silent)))
      const roles = await Promise.all(owners.map(owner => ensureServiceRole(owner, silent)))
      // One login has made the role; on PostgreSQL 16 and newer only that one can grant it.
      assert.ok(roles.includes(SERVICE_ROLE))
      await dropServiceRole(logins)
    })

    it('that may not create roles runs as itself, with a warning that has the statements to run', async () => {
      const login = await createOwner('')
      const owner = open(login, login)
      await migrate(owner, silent)
      const { warnings, log } = recordWarnings()
      assert.equal(await ensureServiceRole(owner, log), undefined)
      assert.equal(warnings.length, 1)
      assert.deepEqual(
        new Set(warnings[0]?.fields['problems'] as string[]),
        new Set([
          'may create tables',
          'may change audit',
          'may change audit_chain',
          'may change audit_records',
        ]),
      )
      await admin.unsafe(String(warnings[0]?.fields['sql']))

      const after = recordWarnings()
      assert.equal(await ensureServiceRole(owner, after.log), SERVICE_ROLE)
      assert.deepEqual(after.warnings, [])
      await expectDeniedAudit(open(login, login, SERVICE_ROLE))
      await dropServiceRole([login])
    })

    it('without DDL starts on a migrated database, and reports pending migrations on another', async () => {
      const owner = await createOwner('')
      await admin.unsafe(`create role ${SERVICE_ROLE} nologin`)
      await admin.unsafe(`create role ${owner}_app login in role ${SERVICE_ROLE}`)
      const [owning, app] = [open(owner, owner), open(`${owner}_app`, owner)]
      const all = await readMigrations()
      await assert.rejects(migrate(app, silent), /\d+ migrations are pending, .* npm run migrate/)
      await migrate(owning, silent, all.slice(0, -1))
      await assert.rejects(migrate(app, silent), (error: unknown) => {
        assert.ok(error instanceof StartError)
        assert.match(error.message, /may not read the tables\. Run npm run migrate/)
        return true
      })
      await ensureServiceRole(owning, silent)
      await assert.rejects(migrate(app, silent), (error: unknown) => {
        assert.ok(error instanceof StartError)
        assert.match(error.message, /^1 migrations are pending, .* Run npm run migrate/)
        return true
      })
      await migrate(owning, silent)
      await ensureServiceRole(owning, silent)

      const { warnings, log } = recordWarnings()
      assert.equal(await migrate(app, log), 0)
      assert.equal(await ensureServiceRole(app, log), SERVICE_ROLE)
      assert.deepEqual(warnings, [])
      await expectDeniedAudit(open(`${owner}_app`, owner, SERVICE_ROLE))

      await owning.sql.unsafe(`revoke select on companies, clients from ${SERVICE_ROLE}`)
      await assert.rejects(ensureServiceRole(app, silent), /may not use 2 tables \(clients, companies\)/)
      await dropServiceRole([owner])
    })

    it('that is the role of the service itself needs nothing else', async () => {
      const owner = await createOwner('')
      await admin.unsafe(`create role ${SERVICE_ROLE} login`)
      const owning = open(owner, owner)
      await migrate(owning, silent)
      await ensureServiceRole(owning, silent)
      const app = open(SERVICE_ROLE, owner)
      const { warnings, log } = recordWarnings()
      assert.equal(await migrate(app, log), 0)
      assert.equal(await ensureServiceRole(app, log), SERVICE_ROLE)
      assert.deepEqual(warnings, [])
      await expectDeniedAudit(open(SERVICE_ROLE, owner, SERVICE_ROLE))
      await dropServiceRole([owner])
    })

    async function expectDeniedAudit({ sql }: Database): Promise<void> {
      await assert.rejects(sql`update audit set action = 'x'`, isDenied)
      await assert.rejects(sql`delete from audit`, isDenied)
      await assert.rejects(sql`create table own (id int)`, isDenied)
      await sql`insert into audit (at, client_id, action, record_id, request_id) values (now(), 'c', 'a', 'r', 'q')`
      await sql`update companies set name = name`
    }
  })
