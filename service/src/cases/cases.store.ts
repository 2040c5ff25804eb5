// Cases, read with their steps in one statement, so that a case never shows the steps of another version.
import type { Sql, Tx } from '../db/database.ts'
import { caseApplicants, every, isLimited } from '../db/limited.ts'
import type { CaseApplicant, CaseDetails, CaseStatus } from './case.ts'
import type { Step, StepRow } from './steps.store.ts'

export interface CaseVersion {
  /** Id of the case. */
  key: string
  version: number
  applicantVersion: number
}

export interface CaseRow extends CaseVersion {
  status: CaseStatus
  applicantId: string
  /** The number that the applicant has now. */
  employeeNumber: string | null
  hostCompanyId: string
  sendingCompanyId: string
  billingCompanyId: string
  /** As stored: a case of an earlier release lacks the fields that were added since. */
  details: Partial<CaseDetails>
  applicant: Partial<CaseApplicant>
  steps: StepRow[]
  createdAt: Date
  updatedAt: Date
  closedAt: Date | null
}

/** Steps come as a JSON array, in which times are text, without what they share with their case. */
type StoredCase = Omit<CaseRow, 'steps'> & { steps: StoredStep[] }
type StoredStep = Step & { createdAt: string; updatedAt: string }

const COLUMNS = `
  c.case_id as key, c.version, a.version as "applicantVersion", c.status, c.applicant_id as "applicantId",
  a.employee_number as "employeeNumber", c.host_company_id as "hostCompanyId",
  c.sending_company_id as "sendingCompanyId", c.billing_company_id as "billingCompanyId", c.details, c.applicant,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.closed_at as "closedAt",
  (
    select coalesce(json_agg(s order by s.sequence), '[]')
    from (
      select k.step_id as "stepId", k.sequence, k.name, k.status, k.start_date as "startDate",
        k.completion_date as "completionDate", k.created_at as "createdAt", k.updated_at as "updatedAt"
      from case_steps k where k.case_id = c.case_id
    ) s
  ) as steps`

// Constant text: building it from fragments for each read takes as long as reading the result.
const lookups = (applicants: string) => ({
  versions: `
    select c.case_id as key, c.version, a.version as "applicantVersion"
    from cases c join ${applicants} a on a.applicant_id = c.applicant_id
    where c.case_id = any($1::text[])`,
  rows: `
    select ${COLUMNS}
    from cases c join ${applicants} a on a.applicant_id = c.applicant_id
    where c.case_id = any($1::text[])`,
})
const LOOKUPS = { all: lookups('applicants'), limited: lookups('case_applicants') }
const lookupsFor = (sql: Sql) => (isLimited(sql) ? LOOKUPS.limited : LOOKUPS.all)

export async function listVersions(sql: Sql, ids: string[]): Promise<CaseVersion[]> {
  return sql.unsafe<CaseVersion[]>(lookupsFor(sql).versions, [ids], { prepare: true })
}

export async function listCases(sql: Sql, ids: string[]): Promise<CaseRow[]> {
  const rows = await sql.unsafe<StoredCase[]>(lookupsFor(sql).rows, [ids], { prepare: true })
  return rows.map(toCaseRow)
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
  const rows = await sql<(StoredCase | { key: null })[]>`
    select ${sql.unsafe(COLUMNS)}
    from ${caseApplicants(sql)} a left join cases c on c.applicant_id = a.applicant_id
    where ${owner}
    order by c.seq`
  return rows.length === 0 ? undefined : rows.filter(row => row.key !== null).map(toCaseRow)
}

function toCaseRow(row: StoredCase): CaseRow {
  const { key: caseId, applicantId, employeeNumber } = row
  const steps = row.steps.map(step => ({
    ...step,
    caseId,
    applicantId,
    employeeNumber,
    createdAt: new Date(step.createdAt),
    updatedAt: new Date(step.updatedAt),
  }))
  return { ...row, steps }
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

/** Lock order: every change of a case, its steps or its notes locks the case first. */
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

/** Locks the cases of these applicants in order of id. `no key update` lets documents be added to them meanwhile. */
export async function lockCasesOf(tx: Tx, applicantIds: string[]): Promise<void> {
  await tx`
    select from ${every(tx, 'cases')} where applicant_id = any(${applicantIds}::text[])
    order by case_id for no key update`
}

/** Returns the number of cases that the caller sees; those of other companies show the new number too. */
export async function touchCasesOf(tx: Tx, applicantIds: string[], now: Date): Promise<number> {
  const { count } = await tx`
    update ${every(tx, 'cases')}
    set version = version + 1, updated_at = greatest(updated_at, ${now})
    where applicant_id = any(${applicantIds}::text[])`
  if (!isLimited(tx)) return count
  const [row] = await tx<[{ count: number }]>`
    select count(*)::int as count from cases where applicant_id = any(${applicantIds}::text[])`
  return row.count
}
