// The role that the service runs as: it reads and writes rows, but has no DDL, and can only append to the audit. Migrations
// run as the owner of the tables.

import type { Log } from '../lib/log.ts'
import { StartError } from '../lib/problem.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import type { Database, Sql, Tx } from './database.ts'
import { isDatabaseError } from './sqlstate.ts'

export const SERVICE_ROLE = 'caseport_service'

/** Rows of these tables are never changed or deleted by the service. */
const APPEND_ONLY = ['audit', 'audit_records', 'audit_chain']
/** Only migrations and commands of the owner write these tables. */
const READ_ONLY = ['schema_migrations', 'audit_anchors']
/** `limited` has views of the tables, under the same names. */
const SCHEMAS = ['public', 'limited']

const MAX_ATTEMPTS = 3

/**
 * Makes the role where the login may, and grants it what the service needs; nothing is executed where that is so already.
 * Returns the role to connect with, or undefined to run as the login itself. `isNewer`: a newer release has migrated the
 * database, and has granted what its tables need. `warns`: whether this login is the one of the service.
 */
export async function ensureServiceRole(
  db: Database,
  log: Log,
  { isNewer = false, warns = true } = {},
): Promise<string | undefined> {
  const { login, usable, problems } = await db.transaction(async tx => {
    await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.roles})`
    const facts = await readLogin(tx)
    const usable = await ensureRole(tx, facts)
    if (isNewer) return { login: facts.login, usable, problems: [] }
    // A login of the service owns no tables: their owner has granted the privileges, with `npm run migrate`.
    await grantServiceRole(tx)
    const role = usable ? SERVICE_ROLE : facts.login
    const missing = await listMissing(tx, role)
    if (missing.length > 0)
      throw new StartError(
        `The database role ${role} may not use ${missing.length} tables (${missing.slice(0, 3).join(', ')}). Run npm run migrate with the DATABASE_URL of their owner, which grants it what it needs.`,
      )
    return { login: facts.login, usable, problems: await listExcess(tx, role) }
  })
  if (warns && usable && problems.length > 0)
    log.warn({ role: SERVICE_ROLE, problems }, 'the database role of the service may do more than it needs')
  if (warns && !usable && problems.length > 0)
    log.warn(
      { login, problems, sql: setUpStatements(login) },
      `the service runs as its database login, which may do more than it needs: run the statements in sql as a superuser, then restart`,
    )
  return usable ? SERVICE_ROLE : undefined
}

/** The role to connect with, without making it: undefined to run as the login itself. */
export async function findServiceRole(db: Database): Promise<string | undefined> {
  return db.transaction(async tx => {
    const { membership } = await readLogin(tx)
    return (await isUsable(tx, membership)) ? SERVICE_ROLE : undefined
  })
}

/** A pooler may ignore the role that a connection asks for. */
export async function warnOfOtherRole(db: Database, role: string, log: Log): Promise<void> {
  const [row] = await db.sql<[{ user: string }]>`select current_user as user`
  if (row.user !== role)
    log.warn(
      { role, user: row.user },
      'the connections do not use the role of the service: connect to PostgreSQL directly, or with a login that is this role',
    )
}

const setUpStatements = (login: string) =>
  `create role ${SERVICE_ROLE} nologin; grant ${SERVICE_ROLE} to "${login.replaceAll('"', '""')}";`

interface Login {
  login: string
  mayCreateRoles: boolean
  ownsTables: boolean
  /** The privilege that `set role` needs, which has a name of its own since PostgreSQL 16. */
  membership: 'SET' | 'MEMBER'
}

async function readLogin(tx: Tx): Promise<Login> {
  const [row] = await tx<[Login]>`
    select current_user as login, rolsuper or rolcreaterole as "mayCreateRoles",
      coalesce((
        select pg_has_role(c.relowner, 'USAGE') from pg_class c where c.oid = to_regclass('schema_migrations')
      ), false) as "ownsTables",
      case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end as membership
    from pg_roles where rolname = current_user`
  return row
}

/** Whether the login may connect as the role. */
async function isUsable(tx: Tx, membership: Login['membership']): Promise<boolean> {
  const [row] = await tx<{ usable: boolean }[]>`
    select pg_has_role(oid, ${membership}) as usable from pg_roles where rolname = ${SERVICE_ROLE}`
  return row?.usable === true
}

async function roleExists(sql: Sql): Promise<boolean> {
  const { count } = await sql`select from pg_roles where rolname = ${SERVICE_ROLE}`
  return count === 1
}

/** Returns whether the login can use the role, which is made and granted to it where necessary and possible. */
async function ensureRole(tx: Tx, { login, mayCreateRoles, membership }: Login): Promise<boolean> {
  const canUse = () => isUsable(tx, membership)
  if (await canUse()) return true
  if (!mayCreateRoles) return false
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
    if (!(await roleExists(tx))) await attempt(tx, `create role ${SERVICE_ROLE} nologin`)
    if (await canUse()) return true
    await attempt(tx, `grant ${SERVICE_ROLE} to "${login.replaceAll('"', '""')}"`)
    if (await canUse()) return true
  }
  return false
}

/**
 * Runs a statement on roles, which all databases of a server share: a service on another database may do the same at the
 * same time. The caller looks at the result, not at the error.
 */
async function attempt(tx: Tx, statement: string): Promise<void> {
  try {
    await tx.savepoint(savepoint => savepoint.unsafe(statement))
  } catch (error) {
    if (!isDatabaseError(error)) throw error
    // Made or changed meanwhile (XX000: tuple concurrently updated; 42704: not visible to this statement yet), or not permitted.
    if (!['42710', '23505', 'XX000', '42704', '42501'].includes(error.code)) throw error
  }
}

/** Grants the role what the tables and views of this transaction need, if there is the role and they are the login's. */
export async function grantServiceRole(tx: Tx): Promise<void> {
  const { ownsTables } = await readLogin(tx)
  if (ownsTables && (await roleExists(tx))) await grantPrivileges(tx)
}

/** Grants what is missing and revokes what is too much. */
async function grantPrivileges(tx: Tx): Promise<void> {
  for (const { statement } of await listGrants(tx)) await tx.unsafe(statement)
}

async function listGrants(tx: Tx): Promise<{ statement: string }[]> {
  return tx<{ statement: string }[]>`
    with role as (
      select oid from pg_roles where rolname = ${SERVICE_ROLE}
    ), relation as (
      select c.oid, n.nspname, c.relname, c.relkind = 'S' as is_sequence,
        ${wantedPrivileges(tx)} as wanted,
        array(
          select a.privilege_type from aclexplode(c.relacl) a, role where a.grantee = role.oid
        ) as granted
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      cross join role
      where n.nspname = any(${SCHEMAS}::text[]) and c.relkind in ('r', 'p', 'v', 'm', 'S')
        and c.relowner <> role.oid and pg_has_role(c.relowner, 'USAGE')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    )
    select format('grant %s on %s %I.%I to %I', missing.list, case when is_sequence then 'sequence' else 'table' end,
      nspname, relname, ${SERVICE_ROLE}::text) as statement
    from relation
    cross join lateral (
      select string_agg(p, ', ') as list from unnest(wanted) p where p <> all(granted)
    ) missing
    where missing.list is not null
    union all
    select format('revoke %s on %s %I.%I from %I', excess.list, case when is_sequence then 'sequence' else 'table' end,
      nspname, relname, ${SERVICE_ROLE}::text)
    from relation
    cross join lateral (
      select string_agg(p, ', ') as list from unnest(granted) p where p <> all(wanted)
    ) excess
    where excess.list is not null
    union all
    select format('grant usage on schema %I to %I', n.nspname, ${SERVICE_ROLE}::text)
    from pg_namespace n, role
    where n.nspname = any(${SCHEMAS}::text[]) and not has_schema_privilege(role.oid, n.oid, 'USAGE')
    union all
    -- As in every database that was made with PostgreSQL 15 or newer.
    select format('revoke create on schema %I from public, %I', n.nspname, ${SERVICE_ROLE}::text)
    from pg_namespace n, role
    where n.nspname = any(${SCHEMAS}::text[]) and has_schema_privilege(role.oid, n.oid, 'CREATE')
      and n.nspowner <> role.oid and pg_has_role(n.nspowner, 'USAGE')`
}

/** Tables and views that the role cannot use as the service does. */
async function listMissing(tx: Tx, role: string): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select c.relname as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_class history on history.oid = to_regclass('schema_migrations') and history.relowner = c.relowner
    where n.nspname = any(${SCHEMAS}::text[]) and c.relkind in ('r', 'p', 'v')
      and exists (
        select from unnest(${wantedPrivileges(tx)}) p
        where not has_schema_privilege(${role}::name, n.oid, 'USAGE') or not has_table_privilege(${role}::name, c.oid, p))
    order by 1`
  return rows.map(({ name }) => name)
}

const wantedPrivileges = (tx: Tx) => tx`
  case
    when c.relkind = 'S' then array['SELECT', 'USAGE']
    -- Partitions are used through their table, with its privileges.
    when c.relispartition then array[]::text[]
    when c.relname = any(${READ_ONLY}::text[]) then array['SELECT']
    when c.relname = any(${APPEND_ONLY}::text[]) then array['SELECT', 'INSERT']
    else array['SELECT', 'INSERT', 'UPDATE', 'DELETE']
  end`

/** What the role may do that the service does not need. */
async function listExcess(tx: Tx, role: string): Promise<string[]> {
  const rows = await tx<{ problem: string }[]>`
    select problem
    from pg_roles r
    cross join lateral (
      values (r.rolsuper, 'is a superuser'), (r.rolcreaterole, 'may create roles'), (r.rolcreatedb, 'may create databases'),
        (r.rolbypassrls, 'bypasses row-level security'),
        (has_schema_privilege(r.oid, 'public', 'CREATE'), 'may create tables')
      union all
      select has_table_privilege(r.oid, c.oid, 'UPDATE, DELETE, TRUNCATE'), 'may change ' || c.relname
      from pg_class c where c.oid in (select to_regclass(name) from unnest(${APPEND_ONLY}::text[]) name)
    ) found (applies, problem)
    where r.rolname = ${role} and applies`
  return rows.map(({ problem }) => problem)
}
