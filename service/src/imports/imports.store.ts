// Imports, their staged rows and the results of the rows.
import type { Sql, Tx } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { emptyGuard, type GuardState, type Held } from './guard.ts'
import type {
  Counts,
  Import,
  ImportFormat,
  ImportMode,
  ImportStatus,
  Outcome,
  RowProblem,
  RowResult,
} from './import.ts'

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

export interface StagedRow {
  row: number
  employeeNumber: string | null
  body: string | null
  /** Of the body. */
  hash: string | null
  problem: RowProblem | null
}

export async function insertRows(sql: Sql, importId: string, rows: StagedRow[]): Promise<void> {
  await sql`
    insert into import_rows (import_id, row, employee_number, body, hash, problem)
    select ${importId}, row, employee_number, body, hash, problem::jsonb
    from unnest(${rows.map(({ row }) => row)}::integer[], ${rows.map(one => one.employeeNumber)}::text[],
      ${rows.map(({ body }) => body)}::text[], ${rows.map(({ hash }) => hash)}::text[],
      ${rows.map(({ problem }) => problem && JSON.stringify(problem))}::text[])
      as r (row, employee_number, body, hash, problem)`
}

export interface StagedDependent {
  row: number
  primaryNumber: string
  body: string
  hash: string
}

export async function insertDependents(sql: Sql, importId: string, rows: StagedDependent[]): Promise<void> {
  await sql`
    insert into import_dependents (import_id, row, primary_number, body, hash)
    select ${importId}, row, primary_number, body, hash
    from unnest(${rows.map(({ row }) => row)}::integer[], ${rows.map(one => one.primaryNumber)}::text[],
      ${rows.map(({ body }) => body)}::text[], ${rows.map(({ hash }) => hash)}::text[])
      as r (row, primary_number, body, hash)`
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

/** Dependents whose primary applicant has no row become rows that merge them into that primary. */
export async function insertRowsOfOrphans(tx: Tx, importId: string): Promise<void> {
  await tx`
    insert into import_rows (import_id, row, employee_number)
    select d.import_id, min(d.row), d.primary_number from import_dependents d
    where d.import_id = ${importId} and not exists (
      select from import_rows r
      where r.import_id = d.import_id and r.employee_number = d.primary_number and r.problem is null)
    group by d.import_id, d.primary_number`
}

/** Dependents whose primary applicant has no row become rows that are rejected. */
export async function rejectOrphans(tx: Tx, importId: string, problem: RowProblem): Promise<void> {
  await tx`
    insert into import_rows (import_id, row, problem)
    select d.import_id, d.row, ${tx.json(problem as never)} from import_dependents d
    where d.import_id = ${importId} and not exists (
      select from import_rows r
      where r.import_id = d.import_id and r.employee_number = d.primary_number and r.problem is null)`
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

/** A row that is read to be checked or saved. */
export interface PendingRow extends StagedRow {
  /** The first row of the file with the same number that can be read. */
  firstRow: number | null
  /** What the check has found; null before it. */
  outcome: Exclude<Outcome, 'missing'> | null
  changed: string[] | null
  applicantId: string | null
}

const firstRow = (tx: Tx) => tx`(
  select min(e.row) from import_rows e
  where e.import_id = r.import_id and e.employee_number = r.employee_number and e.problem is null)`

/** Without their bodies, which are null: most rows need not be read. */
export async function listUnchecked(
  tx: Tx,
  { importId, after, limit }: { importId: string; after: number; limit: number },
): Promise<PendingRow[]> {
  return tx<PendingRow[]>`
    select r.row, r.employee_number as "employeeNumber", null as body, r.hash, r.problem, null as outcome,
      null as changed, null as "applicantId", ${firstRow(tx)} as "firstRow"
    from import_rows r
    where r.import_id = ${importId} and r.row > ${after}
    order by r.row
    limit ${limit}`
}

export async function listBodies(
  tx: Tx,
  importId: string,
  rows: number[],
): Promise<{ row: number; body: string | null }[]> {
  return tx<{ row: number; body: string | null }[]>`
    select row, body from import_rows where import_id = ${importId} and row = any(${rows}::integer[])`
}

export interface Fingerprint {
  applicantId: string
  hash: string
  state: string
  people: number
}

export async function listFingerprints(tx: Tx, applicantIds: string[]): Promise<Fingerprint[]> {
  return tx<Fingerprint[]>`
    select applicant_id as "applicantId", hash, state, people from import_fingerprints
    where applicant_id = any(${applicantIds}::text[])`
}

export async function saveFingerprints(tx: Tx, prints: Fingerprint[]): Promise<void> {
  await tx`
    insert into import_fingerprints (applicant_id, hash, state, people)
    select * from unnest(${prints.map(one => one.applicantId)}::text[], ${prints.map(({ hash }) => hash)}::text[],
      ${prints.map(({ state }) => state)}::text[], ${prints.map(({ people }) => people)}::integer[])
      as p (applicant_id, hash, state, people)
    order by applicant_id
    on conflict (applicant_id) do update set hash = excluded.hash, state = excluded.state, people = excluded.people`
}

export async function listUnapplied(
  tx: Tx,
  {
    importId,
    after,
    limit,
    outcomes,
  }: { importId: string; after: number; limit: number; outcomes: string[] },
): Promise<PendingRow[]> {
  return tx<PendingRow[]>`
    select r.row, r.employee_number as "employeeNumber", r.body, r.hash, r.problem, x.outcome, x.changed,
      x.applicant_id as "applicantId", ${firstRow(tx)} as "firstRow"
    from import_results x
    join import_rows r on r.import_id = x.import_id and r.row = x.position
    where x.import_id = ${importId} and x.position > ${after} and x.outcome = any(${outcomes}::text[])
    order by x.position
    limit ${limit}`
}

export async function findStagedRow(
  sql: Sql,
  importId: string,
  row: number,
): Promise<{ employeeNumber: string | null; body: string | null } | undefined> {
  const [found] = await sql<{ employeeNumber: string | null; body: string | null }[]>`
    select employee_number as "employeeNumber", body from import_rows
    where import_id = ${importId} and row = ${row}`
  return found
}

export async function listDependentsOf(
  tx: Sql | Tx,
  importId: string,
  numbers: string[],
): Promise<StagedDependent[]> {
  return tx<StagedDependent[]>`
    select row, primary_number as "primaryNumber", body, hash from import_dependents
    where import_id = ${importId} and primary_number = any(${numbers}::text[])
    order by row`
}

export async function insertResults(tx: Tx, importId: string, results: RowResult[]): Promise<void> {
  if (results.length === 0) return
  await tx`
    insert into import_results (import_id, position, row, employee_number, applicant_id, outcome, changed, problem)
    select ${importId}, row, row, employee_number, applicant_id, outcome,
      array(select json_array_elements_text(changed::json)), problem::jsonb
    from ${valuesOf(tx, results)}`
}

export async function updateResults(tx: Tx, importId: string, results: RowResult[]): Promise<void> {
  if (results.length === 0) return
  await tx`
    update import_results x
    set applicant_id = r.applicant_id, outcome = r.outcome, problem = r.problem::jsonb,
      changed = array(select json_array_elements_text(r.changed::json))
    from ${valuesOf(tx, results)}
    where x.import_id = ${importId} and x.position = r.row`
}

const valuesOf = (tx: Tx, results: RowResult[]) => tx`
  unnest(${results.map(({ row }) => row)}::integer[], ${results.map(one => one.employeeNumber)}::text[],
    ${results.map(({ applicantId }) => applicantId)}::text[], ${results.map(({ outcome }) => outcome)}::text[],
    ${results.map(({ changed }) => JSON.stringify(changed))}::text[],
    ${results.map(({ problem }) => problem && JSON.stringify(problem))}::text[])
    as r (row, employee_number, applicant_id, outcome, changed, problem)`

export interface MissingPerson {
  employeeNumber: string
  applicantId: string
}

/** Adds those of these people whose numbers are not in the file. Returns how many there are. */
export async function insertMissing(
  tx: Tx,
  { importId, people, position }: { importId: string; people: MissingPerson[]; position: number },
): Promise<number> {
  const { count } = await tx`
    insert into import_results (import_id, position, employee_number, applicant_id, outcome, changed)
    select ${importId}, ${position} + row_number() over (order by p.number), p.number, p.id, 'missing', '{}'
    from unnest(${people.map(one => one.employeeNumber)}::text[], ${people.map(one => one.applicantId)}::text[])
      as p (number, id)
    where not exists (
      select from import_rows r where r.import_id = ${importId} and r.employee_number = p.number)`
  return count
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

export interface ResultRow {
  position: number
  row: number | null
  employeeNumber: string | null
  applicantId: string | null
  outcome: Outcome
  changed: string[]
  problem: RowProblem | null
}

export async function listResults(
  sql: Sql,
  importId: string,
  { outcome, limit, after, before }: PageRequest<number> & { outcome?: string | undefined },
): Promise<ResultRow[]> {
  const rows = await sql<ResultRow[]>`
    select position, row, employee_number as "employeeNumber", applicant_id as "applicantId", outcome, changed, problem
    from import_results
    where import_id = ${importId} ${outcome === undefined ? sql`` : sql`and outcome = ${outcome}`}
      and ${before === undefined ? sql`position > ${after ?? -1}` : sql`position < ${before}`}
    order by position ${before === undefined ? sql`asc` : sql`desc`}
    limit ${limit}`
  return [...rows]
}

/** Ended imports whose bodies are not needed any more, and those that were not released in time. */
export async function listSpent(
  sql: Sql,
  { unreleasedBefore, limit }: { unreleasedBefore: Date; limit: number },
): Promise<{ importId: string; isUnreleased: boolean }[]> {
  return sql<{ importId: string; isUnreleased: boolean }[]>`
    select import_id as "importId", is_unreleased as "isUnreleased" from (
      select i.import_id, (i.status = 'held' or i.status = 'completed' and i.dry_run and i.released_at is null)
        as is_unreleased, i.updated_at
      from imports i
      where i.status not in ('receiving', 'checking', 'running')
        and (exists (select from import_rows r where r.import_id = i.import_id)
          or exists (select from import_dependents d where d.import_id = i.import_id))
    ) s
    where not is_unreleased or updated_at < ${unreleasedBefore}
    limit ${limit}`
}

/** Uploads whose service has crashed. */
export async function listStalled(sql: Sql, before: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select import_id as id from imports where status = 'receiving' and updated_at < ${before}`
  return rows.map(({ id }) => id)
}

/** Deletes some bodies of an import. Returns their number. */
export async function deleteRows(sql: Sql, importId: string, limit: number): Promise<number> {
  const { count } = await sql`
    delete from import_rows where import_id = ${importId} and row in (
      select row from import_rows where import_id = ${importId} limit ${limit})`
  return count
}

export async function deleteDependents(sql: Sql, importId: string, limit: number): Promise<number> {
  const { count } = await sql`
    delete from import_dependents where import_id = ${importId} and row in (
      select row from import_dependents where import_id = ${importId} limit ${limit})`
  return count
}

export async function deleteResults(sql: Sql, importId: string, limit: number): Promise<number> {
  const { count } = await sql`
    delete from import_results where import_id = ${importId} and position in (
      select position from import_results where import_id = ${importId} limit ${limit})`
  return count
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
