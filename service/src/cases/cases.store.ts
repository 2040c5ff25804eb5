// Cases, read with their steps in one statement, so that a case never shows the steps of another version.
import type { Sql, Tx } from '../db/database.ts'
import { caseApplicants, every, isLimited } from '../db/limited.ts'
import { openCursor } from '../db/server-cursor.ts'
import { type Assignee, assigneeText, usersFor, versionText } from './assignee.store.ts'
import type { CaseApplicant, CaseCompanies, CaseDetails, CaseStatus } from './case.ts'
import type { Step, StepRow } from './steps.store.ts'

export interface CaseVersion {
  /** Id of the case. */
  key: string
  version: number
  /** The number that the applicant has now. */
  employeeNumber: string | null
  /** Sum of the versions of all users that the case and its steps are assigned to. */
  assigneeVersions: number
}

export interface CaseRow extends CaseVersion {
  status: CaseStatus
  applicantId: string
  hostCompanyId: string
  sendingCompanyId: string
  billingCompanyId: string
  assignee: Assignee | null
  dueDate: string | null
  /** As stored: a case of an earlier release lacks the fields that were added since. */
  details: Partial<CaseDetails>
  applicant: Partial<CaseApplicant>
  steps: StepRow[]
  createdAt: Date
  updatedAt: Date
  closedAt: Date | null
}

/** Steps come as a JSON array, in which times are text, without what they share with their case. */
type StoredCase = Omit<CaseRow, 'steps' | 'assigneeVersions'> & { steps: StoredStep[] }
type StoredStep = Step & { assignee: Assignee | null; createdAt: string; updatedAt: string }

const columnsOf = (users: string) => `
  c.case_id as key, c.version, c.status, c.applicant_id as "applicantId",
  a.employee_number as "employeeNumber", c.host_company_id as "hostCompanyId",
  c.sending_company_id as "sendingCompanyId", c.billing_company_id as "billingCompanyId",
  ${assigneeText(users, 'c')} as assignee, c.due_date as "dueDate", c.details, c.applicant, c.created_at as "createdAt",
  c.updated_at as "updatedAt", c.closed_at as "closedAt",
  (
    select coalesce(json_agg(s order by s.sequence), '[]')
    from (
      select k.step_id as "stepId", k.sequence, k.name, k.status, k.start_date as "startDate",
        k.completion_date as "completionDate", k.due_date as "dueDate", ${assigneeText(users, 'k')} as assignee,
        k.created_at as "createdAt", k.updated_at as "updatedAt"
      from case_steps k where k.case_id = c.case_id
    ) s
  ) as steps`

// Constant text: building it from fragments for each read takes as long as reading the result.
const lookups = (applicants: string, users: string) => ({
  versions: `
    select c.case_id as key, c.version, a.employee_number as "employeeNumber",
      coalesce(${versionText(users, 'c')}, 0) + coalesce((
        select sum(${versionText(users, 'k')})
        from case_steps k where k.case_id = c.case_id and k.assignee_id is not null
      ), 0)::integer as "assigneeVersions"
    from cases c join ${applicants} a on a.applicant_id = c.applicant_id
    where c.case_id = any($1::text[])`,
  rows: `
    select ${columnsOf(users)}
    from cases c join ${applicants} a on a.applicant_id = c.applicant_id
    where c.case_id = any($1::text[])`,
})
const LOOKUPS = { all: lookups('applicants', 'users'), limited: lookups('case_applicants', 'user_names') }
const lookupsFor = (sql: Sql) => (isLimited(sql) ? LOOKUPS.limited : LOOKUPS.all)

export async function listVersions(sql: Sql, ids: string[]): Promise<CaseVersion[]> {
  return sql.unsafe<CaseVersion[]>(lookupsFor(sql).versions, [ids], { prepare: true })
}

export async function listCases(sql: Sql, ids: string[]): Promise<CaseRow[]> {
  const rows = await sql.unsafe<StoredCase[]>(lookupsFor(sql).rows, [ids], { prepare: true })
  return rows.map(toCaseRow)
}

/** The ids of all cases. */
export const openCaseIds = (tx: Tx): Promise<void> => openCursor(tx, 'select case_id as id from cases')

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
    select ${sql.unsafe(columnsOf(usersFor(sql)))}
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
  const assignees = [row.assignee, ...steps.map(({ assignee }) => assignee)]
  const assigneeVersions = assignees.reduce((sum, assignee) => sum + (assignee?.version ?? 0), 0)
  return { ...row, steps, assigneeVersions }
}

export interface NewCase {
  caseId: string
  applicantId: string
  companies: CaseCompanies
  details: CaseDetails
  applicant: CaseApplicant
  /** What it is searched by. */
  keys: { name: string; nameReversed: string; version: number }
  now: Date
}

export async function insertCase(
  tx: Tx,
  { caseId, applicantId, companies, details, applicant, keys, now }: NewCase,
): Promise<void> {
  await tx`
    insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
      applicant, name_key, name_key_reversed, keys_version, created_at, updated_at)
    values (${caseId}, ${applicantId}, 'open', ${companies.hostCompany}, ${companies.sendingCompany},
      ${companies.billingCompany}, ${JSON.stringify(details)}::text::json, ${JSON.stringify(applicant)}::text::json,
      ${keys.name}, ${keys.nameReversed}, ${keys.version}, ${now}, ${now})`
}

/** Undefined where there is no such case. */
export async function findApplicantOf(sql: Sql, caseId: string): Promise<string | undefined> {
  const [row] = await sql<{ applicantId: string }[]>`
    select applicant_id as "applicantId" from cases where case_id = ${caseId}`
  return row?.applicantId
}

export async function listCaseIdsOf(sql: Sql, applicantId: string): Promise<string[]> {
  const rows = await sql<{ caseId: string }[]>`
    select case_id as "caseId" from cases where applicant_id = ${applicantId} order by seq`
  return rows.map(({ caseId }) => caseId)
}

/** Lock order: every change of a case, its steps or its notes locks the case first. */
export async function lockCase(
  tx: Tx,
  caseId: string,
): Promise<{ applicantId: string; companyIds: string[] } | undefined> {
  const [row] = await tx<{ applicantId: string; companyIds: string[] }[]>`
    select applicant_id as "applicantId",
      array[host_company_id, sending_company_id, billing_company_id] as "companyIds"
    from cases where case_id = ${caseId} for update`
  return row
}

export interface CaseChange {
  status: CaseStatus
  closedAt: Date | null
  details: Partial<CaseDetails>
  assigneeId: string | null
  dueDate: string | null
  /** Undefined where they stay. Setting them also sets which companies see the case. */
  companies: CaseCompanies | undefined
}

export async function updateCase(
  tx: Tx,
  caseId: string,
  { change, now }: { change: CaseChange; now: Date },
): Promise<void> {
  const { status, closedAt, details, assigneeId, dueDate, companies } = change
  const moved = companies
    ? tx`host_company_id = ${companies.hostCompany}, sending_company_id = ${companies.sendingCompany},
        billing_company_id = ${companies.billingCompany},`
    : tx``
  await tx`
    update cases
    set ${moved} status = ${status}, closed_at = ${closedAt}, details = ${JSON.stringify(details)}::text::json,
      assignee_id = ${assigneeId}, due_date = ${dueDate}, version = version + 1,
      updated_at = greatest(updated_at, ${now})
    where case_id = ${caseId}`
}

export async function touchCase(tx: Tx, caseId: string, now: Date): Promise<void> {
  await tx`
    update cases set version = version + 1, updated_at = greatest(updated_at, ${now}) where case_id = ${caseId}`
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

export interface CaseOfApplicant {
  caseId: string
  applicantId: string
}

/** All cases of these applicants, also those that the caller does not see: for the record of a merge, never for a response. */
export async function listAllCasesOf(tx: Tx, applicantIds: string[]): Promise<CaseOfApplicant[]> {
  return tx<CaseOfApplicant[]>`
    select case_id as "caseId", applicant_id as "applicantId" from ${every(tx, 'cases')}
    where applicant_id = any(${applicantIds}::text[])
    order by seq`
}

export async function moveCases(
  tx: Tx,
  { caseIds, to, now }: { caseIds: string[]; to: string; now: Date },
): Promise<void> {
  await tx`
    update ${every(tx, 'cases')}
    set applicant_id = ${to}, version = version + 1, updated_at = greatest(updated_at, ${now})
    where case_id = any(${caseIds}::text[])`
}

/** Those of the cases that the caller sees. */
export async function listVisible(tx: Tx, caseIds: string[]): Promise<string[]> {
  const rows = await tx<{ caseId: string }[]>`
    select case_id as "caseId" from cases where case_id = any(${caseIds}::text[]) order by seq`
  return rows.map(({ caseId }) => caseId)
}
