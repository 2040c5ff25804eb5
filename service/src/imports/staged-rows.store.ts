// The rows of a file while it is imported, and the fingerprints of those that were imported before.
import type { Sql, Tx } from '../db/database.ts'
import type { Outcome, RowProblem } from './import.ts'

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

/** Dependents whose primary applicant has no row, or one that cannot be read, become rows that are rejected. */
export async function rejectOrphans(
  tx: Tx,
  importId: string,
  { missing, unreadable }: { missing: RowProblem; unreadable: RowProblem },
): Promise<void> {
  await tx`
    insert into import_rows (import_id, row, problem)
    select d.import_id, d.row, case when exists (
        select from import_rows r where r.import_id = d.import_id and r.employee_number = d.primary_number
      ) then ${tx.json(unreadable as never)}::jsonb else ${tx.json(missing as never)}::jsonb end
    from import_dependents d
    where d.import_id = ${importId} and not exists (
      select from import_rows r
      where r.import_id = d.import_id and r.employee_number = d.primary_number and r.problem is null)`
}

/** A row that is read to be checked or saved. */
export interface PendingRow extends Omit<StagedRow, 'hash'> {
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

/** The row with its dependents, and what decides how they are read; null for a row that cannot be read. */
const fingerprint = (tx: Tx, reading: string) => tx`
  encode(sha256(convert_to(${reading} || r.hash || coalesce((
    select string_agg(d.hash, ' ' order by d.row) from import_dependents d
    where d.import_id = r.import_id and d.primary_number = r.employee_number
  ), ''), 'UTF8')), 'base64')`

/**
 * The family of the row, with its state, which changes whenever a record of the family does, or one joins or leaves it. The
 * limit keeps PostgreSQL from joining all people with all rows, as it does in a new database that has no statistics.
 */
const family = (tx: Tx) => tx`
  select a.applicant_id, a.version || ' ' || coalesce((
    select string_agg(d.applicant_id || '.' || d.version, ' ' order by d.seq) from applicants d
    where d.primary_id = a.applicant_id and d.archived_at is null
  ), '') as state
  from applicants a
  where a.employee_number = r.employee_number and a.archived_at is null and a.primary_id is null
  limit 1`

export interface CheckedRows {
  /** The last row of the batch; null where no row is left. */
  last: number | null
  /** How many rows are known to change nothing, and how many people they name. */
  known: number
  people: number
  others: UnknownRow[]
}

/** A row that is not known, with the family that it is to be compared with. */
export interface UnknownRow {
  row: number
  fingerprint: string | null
  applicantId: string | null
  state: string | null
  /** Of its body. */
  bytes: number
}

/**
 * Writes the results of those of the next rows that a former import has found to leave their family as it is, while
 * neither the row nor a record of the family has changed.
 */
export async function checkKnown(
  tx: Tx,
  { importId, reading, after, limit }: { importId: string; reading: string; after: number; limit: number },
): Promise<CheckedRows> {
  const [checked] = await tx<[CheckedRows]>`
    with next as materialized (
      select r.row, r.employee_number, r.problem, coalesce(octet_length(r.body), 0) as bytes,
        ${fingerprint(tx, reading)} as fingerprint, ${firstRow(tx)} as first_row
      from import_rows r
      where r.import_id = ${importId} and r.row > ${after}
      order by r.row
      limit ${limit}
    ), batch as materialized (
      select r.row, r.employee_number, r.bytes, r.fingerprint, a.applicant_id, a.state, f.people
      from next r
      left join lateral (${family(tx)}) a on r.problem is null and r.fingerprint is not null
      left join import_fingerprints f on f.applicant_id = a.applicant_id and f.hash = r.fingerprint and f.state = a.state
        and r.row = r.first_row
    ), inserted as (
      insert into import_results (import_id, position, row, employee_number, applicant_id, outcome, changed)
      select ${importId}, row, row, employee_number, applicant_id, 'unchanged', '{}' from batch where people is not null
    )
    select max(row) as last, count(people)::integer as known, coalesce(sum(people), 0)::integer as people,
      coalesce(json_agg(json_build_object('row', row, 'fingerprint', fingerprint, 'applicantId', applicant_id,
        'state', state, 'bytes', bytes) order by row) filter (where people is null), '[]') as others
    from batch`
  return checked
}

/** Remembers rows that leave their families as they are. The states were read before the comparison. */
export async function rememberCompared(tx: Tx, rows: (UnknownRow & { people: number })[]): Promise<void> {
  if (rows.length === 0) return
  await tx`
    insert into import_fingerprints (applicant_id, hash, state, people)
    select * from unnest(${rows.map(one => one.applicantId)}::text[], ${rows.map(one => one.fingerprint)}::text[],
      ${rows.map(({ state }) => state)}::text[], ${rows.map(({ people }) => people)}::integer[])
      as p (applicant_id, hash, state, people)
    order by applicant_id
    on conflict (applicant_id) do update set hash = excluded.hash, state = excluded.state, people = excluded.people`
}

/** Remembers rows that were applied in this transaction: they leave their families as they are when they come again. */
export async function rememberApplied(
  tx: Tx,
  { importId, reading, rows }: { importId: string; reading: string; rows: { row: number; people: number }[] },
): Promise<void> {
  if (rows.length === 0) return
  await tx`
    insert into import_fingerprints (applicant_id, hash, state, people)
    select a.applicant_id, ${fingerprint(tx, reading)}, a.state, p.people
    from unnest(${rows.map(({ row }) => row)}::integer[], ${rows.map(({ people }) => people)}::integer[]) p (row, people)
    join import_rows r on r.import_id = ${importId} and r.row = p.row and r.hash is not null
    cross join lateral (${family(tx)}) a
    order by a.applicant_id
    on conflict (applicant_id) do update set hash = excluded.hash, state = excluded.state, people = excluded.people`
}

/** The next row that is to be checked. */
export async function listNext(tx: Tx, importId: string, after: number): Promise<PendingRow[]> {
  const rows = await tx<{ row: number }[]>`
    select row from import_rows where import_id = ${importId} and row > ${after} order by row limit 1`
  return listUnchecked(
    tx,
    importId,
    rows.map(({ row }) => row),
  )
}

/** Rows that are to be checked. */
export async function listUnchecked(tx: Tx, importId: string, rows: number[]): Promise<PendingRow[]> {
  return tx<PendingRow[]>`
    select r.row, r.employee_number as "employeeNumber", r.body, r.problem, null as outcome, null as changed,
      null as "applicantId", ${firstRow(tx)} as "firstRow"
    from import_rows r
    where r.import_id = ${importId} and r.row = any(${rows}::integer[])
    order by r.row`
}

/** The same bound for both tables: a merge join would otherwise read all rows of the file that come before. */
export async function listUnapplied(
  tx: Tx,
  {
    importId,
    after,
    limit,
    maxBytes,
    outcomes,
  }: { importId: string; after: number; limit: number; maxBytes: number; outcomes: string[] },
): Promise<PendingRow[]> {
  return tx<PendingRow[]>`
    select row, "employeeNumber", body, problem, outcome, changed, "applicantId", "firstRow"
    from (
      select n.*, sum(n.bytes) over (order by n.row) - n.bytes as bytes_before
      from (
        select r.row, r.employee_number as "employeeNumber", r.body, r.problem, x.outcome, x.changed,
          x.applicant_id as "applicantId", ${firstRow(tx)} as "firstRow", coalesce(octet_length(r.body), 0) as bytes
        from import_results x
        join import_rows r on r.import_id = x.import_id and r.row = x.position
        where x.import_id = ${importId} and x.position > ${after} and r.row > ${after}
          and x.outcome = any(${outcomes}::text[])
        order by x.position
        limit ${limit}
      ) n
    ) n
    where bytes_before < ${maxBytes}
    order by row`
}

/** Undefined where the row cannot be read. */
export async function findStagedRow(
  sql: Sql,
  importId: string,
  row: number,
): Promise<{ employeeNumber: string | null; body: string | null } | undefined> {
  const [found] = await sql<{ employeeNumber: string | null; body: string | null }[]>`
    select employee_number as "employeeNumber", body from import_rows
    where import_id = ${importId} and row = ${row} and problem is null`
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
