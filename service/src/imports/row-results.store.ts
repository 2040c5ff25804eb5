// What became of the rows of an import, and who is missing from its file.
import type { Sql, Tx } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import type { Outcome, RowProblem, RowResult } from './import.ts'

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

export async function deleteResults(sql: Sql, importId: string, limit: number): Promise<number> {
  const { count } = await sql`
    delete from import_results where import_id = ${importId} and position in (
      select position from import_results where import_id = ${importId} limit ${limit})`
  return count
}
