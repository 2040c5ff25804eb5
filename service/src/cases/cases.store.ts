// Cases, read with their steps in one statement. The employee number is always that of the applicant's record now.
import type { Sql, Tx } from '../db/database.ts'
import type { KeyEtag } from '../db/etag-cache.ts'
import { utcText } from '../db/types.ts'
import type { CaseApplicant, CaseDetails, CaseStatus } from './case.ts'
import { stepsJson, WHOSE_STEP } from './steps.store.ts'

/** A case on its way out: pieces of its JSON, which are put one after the other and not parsed. */
export interface CaseRow {
  /** Its id. */
  key: string
  start: string
  /** What was sent with the case, as it was sent. */
  details: string
  middle: string
  applicant: string
  end: string
  version: number
  applicantVersion: number
}

const COLUMNS = `
  c.case_id as key, c.version, a.version as "applicantVersion",
  '{"caseId":"' || c.case_id || '","status":"' || c.status || '",' as start, c.details::text as details,
  ',' || p.person || ',"hostCompanyId":"' || c.host_company_id || '","sendingCompanyId":"' || c.sending_company_id
    || '","billingCompanyId":"' || c.billing_company_id || '","applicant":{' || p.person || ',' as middle,
  c.applicant::text as applicant,
  '},"steps":' || ${stepsJson('p.whose')} || ',"createdAt":"' || ${utcText('c.created_at')}
    || '","updatedAt":"' || ${utcText('c.updated_at')} || '","closedAt":'
    || coalesce('"' || ${utcText('c.closed_at')} || '"', 'null') || '}' as end`

/** What is the same in a case and in each of its steps; `offset 0` has it made once. */
const ONCE = `
  lateral (
    select ${WHOSE_STEP} as whose, '"applicantId":"' || c.applicant_id || '","employeeNumber":'
      || coalesce(to_json(a.employee_number)::text, 'null') as person
    offset 0
  ) p`

// Text, put together once: for each read anew it would cost as much as the answer takes to be read.
const TAGS = `
  select c.case_id as key, '"' || c.version || '-' || a.version || '"' as etag
  from cases c join applicants a on a.applicant_id = c.applicant_id
  where c.case_id = any($1::text[])`
const ROWS = `
  select ${COLUMNS}
  from cases c join applicants a on a.applicant_id = c.applicant_id cross join ${ONCE}
  where c.case_id = any($1::text[])`

export async function listEtags(sql: Sql, ids: string[]): Promise<KeyEtag[]> {
  return sql.unsafe<KeyEtag[]>(TAGS, [ids], { prepare: true })
}

export async function listCases(sql: Sql, ids: string[]): Promise<CaseRow[]> {
  return sql.unsafe<CaseRow[]>(ROWS, [ids], { prepare: true })
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
  const rows = await sql<(CaseRow & { key: string | null })[]>`
    select ${sql.unsafe(COLUMNS)}
    from applicants a left join cases c on c.applicant_id = a.applicant_id cross join ${sql.unsafe(ONCE)}
    where ${owner}
    order by c.seq`
  return rows.length === 0 ? undefined : rows.filter(row => row.key !== null)
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

/** Locks the cases of these applicants in the order of their ids, without keeping new documents from naming them. */
export async function lockCasesOf(tx: Tx, applicantIds: string[]): Promise<void> {
  await tx`
    select from cases where applicant_id = any(${applicantIds}::text[]) order by case_id for no key update`
}

/** Returns how many there are. */
export async function touchCasesOf(tx: Tx, applicantIds: string[], now: Date): Promise<number> {
  const { count } = await tx`
    update cases
    set version = version + 1, updated_at = greatest(updated_at, ${now})
    where applicant_id = any(${applicantIds}::text[])`
  return count
}
