// Cases, read with their steps in one statement. The employee number is always that of the applicant's record now.
import type { Sql, Tx } from '../db/database.ts'
import type { CaseApplicant, CaseDetails, CaseStatus } from './case.ts'
import { stepJson } from './steps.store.ts'

export interface CaseRow {
  caseId: string
  status: CaseStatus
  applicantId: string
  employeeNumber: string | null
  hostCompanyId: string
  sendingCompanyId: string
  billingCompanyId: string
  /** JSON text, passed on as it is. */
  details: string
  applicant: string
  steps: string
  version: number
  applicantVersion: number
  createdAt: Date
  updatedAt: Date
  closedAt: Date | null
}

const columns = (sql: Sql) => sql`
  c.case_id as "caseId", c.status, c.applicant_id as "applicantId", a.employee_number as "employeeNumber",
  c.host_company_id as "hostCompanyId", c.sending_company_id as "sendingCompanyId",
  c.billing_company_id as "billingCompanyId", c.details::text as details, c.applicant::text as applicant,
  coalesce((
    select json_agg(${stepJson(sql)} order by k.sequence)::text from case_steps k where k.case_id = c.case_id
  ), '[]') as steps,
  c.version, a.version as "applicantVersion", c.created_at as "createdAt", c.updated_at as "updatedAt",
  c.closed_at as "closedAt"`

export async function listCases(sql: Sql, ids: string[]): Promise<Map<string, CaseRow>> {
  const rows = await sql<CaseRow[]>`
    select ${columns(sql)}
    from cases c join applicants a on a.applicant_id = c.applicant_id
    where c.case_id = any(${ids}::text[])`
  return new Map(rows.map(row => [row.caseId, row]))
}

/** Undefined where there is no such applicant. */
export async function findCasesOf(
  sql: Sql,
  key: { id: string } | { number: string },
): Promise<CaseRow[] | undefined> {
  const owner =
    'id' in key
      ? sql`a.applicant_id = ${key.id}`
      : sql`a.employee_number = ${key.number} and a.archived_at is null`
  const rows = await sql<(CaseRow & { caseId: string | null })[]>`
    select ${columns(sql)}
    from applicants a left join cases c on c.applicant_id = a.applicant_id
    where ${owner}
    order by c.seq`
  return rows.length === 0 ? undefined : rows.filter(row => row.caseId !== null)
}

export interface NewCase {
  caseId: string
  applicantId: string
  companies: { hostCompany: string; sendingCompany: string; billingCompany: string }
  details: CaseDetails
  applicant: CaseApplicant
  now: Date
}

export async function insertCase(
  tx: Tx,
  { caseId, applicantId, companies, details, applicant, now }: NewCase,
): Promise<void> {
  await tx`
    insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
      applicant, created_at, updated_at)
    values (${caseId}, ${applicantId}, 'open', ${companies.hostCompany}, ${companies.sendingCompany},
      ${companies.billingCompany}, ${JSON.stringify(details)}::text::json, ${JSON.stringify(applicant)}::text::json,
      ${now}, ${now})`
}

/** Every change of a case, its steps or its notes locks the case first. */
export async function lockCase(
  tx: Tx,
  caseId: string,
): Promise<{ status: CaseStatus; applicantId: string } | undefined> {
  const [row] = await tx<{ status: CaseStatus; applicantId: string }[]>`
    select status, applicant_id as "applicantId" from cases where case_id = ${caseId} for update`
  return row
}

export async function updateStatus(
  tx: Tx,
  caseId: string,
  { status, now }: { status: CaseStatus; now: Date },
): Promise<void> {
  await tx`
    update cases
    set status = ${status}, closed_at = case when ${status} = 'closed' then ${now}::timestamptz end,
      version = version + 1, updated_at = ${now}
    where case_id = ${caseId}`
}

export async function touchCase(tx: Tx, caseId: string, now: Date): Promise<void> {
  await tx`update cases set version = version + 1, updated_at = ${now} where case_id = ${caseId}`
}

export async function countCases(tx: Tx, applicantId: string): Promise<number> {
  const [row] = await tx<
    [{ count: number }]
  >`select count(*)::int as count from cases where applicant_id = ${applicantId}`
  return row.count
}
