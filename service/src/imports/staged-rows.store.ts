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

/** Dependents whose primary applicant has no row become rows that are rejected. */
export async function rejectOrphans(tx: Tx, importId: string, problem: RowProblem): Promise<void> {
  await tx`
    insert into import_rows (import_id, row, problem)
    select d.import_id, d.row, ${tx.json(problem as never)} from import_dependents d
    where d.import_id = ${importId} and not exists (
      select from import_rows r
      where r.import_id = d.import_id and r.employee_number = d.primary_number and r.problem is null)`
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
