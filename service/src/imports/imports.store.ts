// Imports, their staged rows and the results of the rows.
import type { Sql, Tx } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { emptyGuard, type GuardState, type Held } from './guard.ts'
import type { Counts, Import, ImportFormat, ImportMode, ImportStatus, RowProblem } from './import.ts'

const columns = (sql: Sql) => sql`
  import_id as "importId", seq, status, mode, format, dry_run as "dryRun", complete, has_dependents as "hasDependents",
  client_id as "clientId", user_id as "userId", user_name as "userName", address, request_id as "requestId",
  trace_id as "traceId", companies, total, created, updated, unchanged, rejected, missing, checked,
  checked_to as "checkedTo", applied, applied_to as "appliedTo", missing_to as "missingTo",
  missing_done as "missingDone", guard, held_reasons as "heldReasons", problem, released_at as "releasedAt",
  finished_at as "finishedAt", version, created_at as "createdAt", updated_at as "updatedAt"`

export interface NewImport {
  importId: string
  mode: ImportMode
  format: ImportFormat
  dryRun: boolean
  complete: boolean
  clientId: string
  user: { userId: string; name: string } | undefined
  address: string | null
  requestId: string
  traceId: string | undefined
  companies: readonly string[] | null
  now: Date
}

export async function insertImport(sql: Sql, one: NewImport): Promise<void> {
  await sql`
    insert into imports (import_id, status, mode, format, dry_run, complete, client_id, user_id, user_name, address,
      request_id, trace_id, companies, guard, queued_at, created_at, updated_at)
    values (${one.importId}, 'receiving', ${one.mode}, ${one.format}, ${one.dryRun}, ${one.complete}, ${one.clientId},
      ${one.user?.userId ?? null}, ${one.user?.name ?? null}, ${one.address}, ${one.requestId}, ${one.traceId ?? null},
      ${one.companies && [...one.companies]}::text[], ${sql.json(emptyGuard() as never)}, ${one.now}, ${one.now},
      ${one.now})`
}

/** While the file is received; false where the import is no longer being received. */
export async function noteReceived(
  sql: Sql,
  { importId, bytes, rows, now }: { importId: string; bytes: number; rows: number; now: Date },
): Promise<boolean> {
  const { count } = await sql`
    update imports set bytes = ${bytes}, total = ${rows}, updated_at = ${now}, version = version + 1
    where import_id = ${importId} and status = 'receiving'`
  return count > 0
}

/** Returns undefined where the import is no longer being received. */
export async function endReceiving(
  tx: Tx,
  {
    importId,
    bytes,
    hasDependents,
    now,
  }: { importId: string; bytes: number; hasDependents: boolean; now: Date },
): Promise<Import | undefined> {
  const [row] = await tx<Import[]>`
    update imports
    set status = 'checking', bytes = ${bytes}, has_dependents = ${hasDependents}, queued_at = ${now},
      updated_at = ${now}, version = version + 1,
      total = (select count(*) from import_rows r where r.import_id = ${importId})
    where import_id = ${importId} and status = 'receiving'
    returning ${columns(tx)}`
  return row
}

export async function findImport(sql: Sql, importId: string): Promise<Import | undefined> {
  const [row] = await sql<Import[]>`select ${columns(sql)} from imports where import_id = ${importId}`
  return row
}

export async function lockImport(tx: Tx, importId: string): Promise<Import | undefined> {
  const [row] = await tx<Import[]>`
    select ${columns(tx)} from imports where import_id = ${importId} for update`
  return row
}

/** Undefined where another service works on the import now, or nothing is left to do. */
export async function claimImport(tx: Tx, importId: string): Promise<Import | undefined> {
  const [row] = await tx<Import[]>`
    select ${columns(tx)} from imports
    where import_id = ${importId} and status in ('checking', 'running')
    for update skip locked`
  return row
}

/** Imports that may run now: those that share a company with an earlier one wait for it. */
export async function listRunnable(sql: Sql): Promise<{ importId: string; companies: string[] | null }[]> {
  return sql<{ importId: string; companies: string[] | null }[]>`
    select i.import_id as "importId", i.companies from imports i
    where i.status in ('checking', 'running') and not exists (
      select from imports o
      where o.status in ('checking', 'running') and (o.queued_at, o.seq) < (i.queued_at, i.seq)
        and (o.companies is null or i.companies is null or o.companies && i.companies)
    )
    order by i.queued_at, i.seq`
}

export async function listImports(
  sql: Sql,
  status: string | undefined,
  { limit, after, before }: PageRequest<string>,
): Promise<Import[]> {
  const position = after ?? before
  const rows = await sql<Import[]>`
    select ${columns(sql)} from imports
    where (${status ?? null}::text is null or status = ${status ?? null})
      and (${position ?? null}::bigint is null
        or ${before === undefined ? sql`seq < ${position ?? null}::bigint` : sql`seq > ${position ?? null}::bigint`})
    order by seq ${before === undefined ? sql`desc` : sql`asc`}
    limit ${limit + 1}`
  return [...rows]
}

export async function countImports(sql: Sql, status: string | undefined, limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count from (
      select from imports where ${status ?? null}::text is null or status = ${status ?? null} limit ${limit}
    ) i`
  return row.count
}

export interface Progress {
  importId: string
  status: ImportStatus
  counts: Counts
  checked: number
  checkedTo: number
  applied: number
  appliedTo: number
  missingTo: string | null
  missingDone: boolean
  guard: GuardState
  heldReasons: Held | null
  finishedAt: Date | null
  now: Date
}

export async function saveProgress(tx: Tx, one: Progress): Promise<void> {
  await tx`
    update imports
    set status = ${one.status}, created = ${one.counts.created}, updated = ${one.counts.updated},
      unchanged = ${one.counts.unchanged}, rejected = ${one.counts.rejected}, missing = ${one.counts.missing},
      checked = ${one.checked}, checked_to = ${one.checkedTo}, applied = ${one.applied},
      applied_to = ${one.appliedTo}, missing_to = ${one.missingTo}, missing_done = ${one.missingDone},
      guard = ${tx.json(one.guard as never)},
      held_reasons = ${one.heldReasons && tx.json(one.heldReasons as never)}, finished_at = ${one.finishedAt},
      updated_at = ${one.now}, version = version + 1
    where import_id = ${one.importId}`
}

export async function releaseImport(tx: Tx, importId: string, now: Date): Promise<Import> {
  const [row] = await tx<[Import]>`
    update imports
    set status = 'running', released_at = ${now}, queued_at = ${now}, finished_at = null, updated_at = ${now},
      version = version + 1
    where import_id = ${importId}
    returning ${columns(tx)}`
  return row
}

/** Ends an import that is not over: with a problem if it failed, as cancelled otherwise. */
export async function endImport(
  sql: Sql,
  { importId, problem, now }: { importId: string; problem: RowProblem | null; now: Date },
): Promise<Import | undefined> {
  const [row] = await sql<Import[]>`
    update imports
    set status = ${problem ? 'failed' : 'cancelled'}, problem = ${problem && sql.json(problem as never)},
      finished_at = ${now}, updated_at = ${now}, version = version + 1
    where import_id = ${importId} and status not in ('cancelled', 'failed')
    returning ${columns(sql)}`
  return row
}

const isReleasable = (sql: Sql) =>
  sql`(status = 'held' or status = 'completed' and dry_run and released_at is null)`

/** Cancels imports that were not released in time. */
export async function endUnreleased(sql: Sql, { before, now }: { before: Date; now: Date }): Promise<void> {
  await sql`
    update imports set status = 'cancelled', finished_at = ${now}, updated_at = ${now}, version = version + 1
    where ${isReleasable(sql)} and updated_at < ${before}`
}

/** Ends uploads whose service has crashed. */
export async function endStalled(
  sql: Sql,
  { before, problem, now }: { before: Date; problem: RowProblem; now: Date },
): Promise<void> {
  await sql`
    update imports
    set status = 'failed', problem = ${sql.json(problem as never)}, finished_at = ${now}, updated_at = ${now},
      version = version + 1
    where status = 'receiving' and updated_at < ${before}`
}

/** Imports that have ended for good, whose bodies are not needed any more. */
export async function listSpent(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select import_id as id from imports i
    where status not in ('receiving', 'checking', 'running') and not ${isReleasable(sql)}
      and (exists (select from import_rows r where r.import_id = i.import_id)
        or exists (select from import_dependents d where d.import_id = i.import_id))
    limit ${limit}`
  return rows.map(({ id }) => id)
}

export async function deleteImport(sql: Sql, importId: string): Promise<void> {
  await sql`delete from imports where import_id = ${importId}`
}

export async function listExpired(sql: Sql, before: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select import_id as id from imports
    where status not in ('receiving', 'checking', 'running') and updated_at < ${before}
    limit ${limit}`
  return rows.map(({ id }) => id)
}
