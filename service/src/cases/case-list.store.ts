// The list of cases for operators, and the cases of the global search. A page is first read from an index, as the `seq` of its
// cases, and then these cases with their steps.
import type postgres from 'postgres'
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { caseApplicants, userNames } from '../db/limited.ts'
import { companySets, countOrdered, joined, type ListPosition, listOrdered } from '../db/ordered-list.ts'
import type { CaseStatus, StepStatus } from './case.ts'
import { type CaseFilters, type CaseOrder, END, listOf } from './case-filters.ts'

type Fragment = postgres.Fragment

export interface ListedCase {
  caseId: string
  status: CaseStatus
  caseType: string | null
  processName: string | null
  hostCountry: string | null
  hostCompanyId: string
  sendingCompanyId: string
  billingCompanyId: string
  applicantId: string
  employeeNumber: string | null
  firstName: string | null
  lastName: string | null
  vip: boolean
  assigneeId: string | null
  assigneeName: string | null
  dueDate: string | null
  nextDue: string
  stepId: string | null
  stepName: string | null
  stepStatus: StepStatus | null
  stepDueDate: string | null
  stepAssigneeId: string | null
  stepAssigneeName: string | null
  stepsFinished: number
  stepsTotal: number
  createdAt: Date
  updatedAt: Date
}

/** The cases of these numbers, in their order. One that was deleted meanwhile is left out. */
async function listBySeq(sql: Sql, seqs: readonly (number | string)[]): Promise<ListedCase[]> {
  if (seqs.length === 0) return []
  const rows = await sql<(ListedCase & { seq: string })[]>`
    select c.seq, c.case_id as "caseId", c.status, c.details->>'caseType' as "caseType",
      nullif(c.details->>'processName', '') as "processName", c.details->>'hostCountry' as "hostCountry",
      c.host_company_id as "hostCompanyId", c.sending_company_id as "sendingCompanyId",
      c.billing_company_id as "billingCompanyId", c.applicant_id as "applicantId",
      a.employee_number as "employeeNumber", c.applicant->>'firstName' as "firstName",
      c.applicant->>'lastName' as "lastName", c.vip, c.assignee_id as "assigneeId", u.name as "assigneeName",
      c.due_date as "dueDate", c.next_due as "nextDue", s.step_id as "stepId", s.name as "stepName",
      s.status as "stepStatus", s.due_date as "stepDueDate", s.assignee_id as "stepAssigneeId",
      su.name as "stepAssigneeName", p.finished as "stepsFinished", p.total as "stepsTotal",
      c.created_at as "createdAt", c.updated_at as "updatedAt"
    from cases c
    join ${caseApplicants(sql)} a on a.applicant_id = c.applicant_id
    left join ${userNames(sql)} u on u.user_id = c.assignee_id
    left join lateral (
      select k.step_id, k.name, k.status, k.due_date, k.assignee_id from case_steps k
      where k.case_id = c.case_id and k.status in ('inProgress', 'notStarted')
      order by k.status = 'inProgress' desc, k.sequence
      limit 1
    ) s on true
    left join ${userNames(sql)} su on su.user_id = s.assignee_id
    cross join lateral (
      select count(*) filter (where k.status in ('completed', 'waived'))::int as finished, count(*)::int as total
      from case_steps k where k.case_id = c.case_id
    ) p
    where c.seq = any(${seqs.map(String)}::bigint[])`
  const bySeq = new Map(rows.map(({ seq, ...row }) => [Number(seq), row]))
  return seqs.flatMap(seq => bySeq.get(Number(seq)) ?? [])
}

export async function listCases(
  sql: Sql,
  query: { filters: CaseFilters; order: CaseOrder },
  page: PageRequest<ListPosition>,
) {
  return listOrdered(sql, listOf(sql, query.filters, query.order), page, seqs => listBySeq(sql, seqs))
}

/** At most one more than `EXACT_TOTAL`. */
export async function countCases(sql: Sql, filters: CaseFilters): Promise<number> {
  return countOrdered(sql, listOf(sql, filters, { by: 'dueDate', descending: false }))
}

/** How many cases each of these people has in one of these statuses. Those without any are left out. */
export async function countByApplicant(
  sql: Sql,
  applicantIds: readonly string[],
  statuses: readonly CaseStatus[],
): Promise<{ applicantId: string; count: number }[]> {
  return sql<{ applicantId: string; count: number }[]>`
    select w.id as "applicantId", n.count
    from unnest(${[...applicantIds]}::text[]) as w (id)
    cross join lateral (
      select count(*)::int as count from cases c
      where c.applicant_id = w.id and c.status = any(${[...statuses]}::text[])
    ) n
    where n.count > 0`
}

/** Applicants with one of these keys: those that the caller sees, and the owner of the number, who may only be seen in a case. */
export async function listApplicantIds(
  sql: Sql,
  { keys, employeeNumber }: { keys: string[]; employeeNumber: string },
): Promise<string[]> {
  // A person of another company has no folded keys here, only the number that its case shows: as it was typed, or in one case.
  const spellings = [employeeNumber, employeeNumber.toUpperCase(), employeeNumber.toLowerCase()]
  const rows = await sql<{ id: string }[]>`
    (select applicant_id as id from applicants where search_keys && ${keys}::text[] limit 1000)
    union
    select applicant_id from ${caseApplicants(sql)} where employee_number = any(${spellings}::text[]) and archived_at is null`
  return rows.map(({ id }) => id)
}

/**
 * The best matches: cases of a person with this number, address or passport, and the case with this id, then by last name, by
 * first name, by process. Each part is a range of an index.
 */
export async function searchCases(
  sql: Sql,
  { q, process, limit }: { q: NonNullable<CaseFilters['q']>; process: string; limit: number },
): Promise<ListedCase[]> {
  const sets = companySets(sql, undefined)
  const most = sql.unsafe(String(limit))
  const prefixed = (column: string, prefix: Fragment) => {
    const key = sql`k.${sql(column)}`
    const last = sql`(${prefix} || ${END})`
    if (!sets)
      return sql`select k.seq, ${key} as key from cases k where ${key} >= ${prefix} and ${key} < ${last}
        order by ${key}, k.seq limit ${most}`
    return sql`select s.* from (${sets}) as v (value) cross join lateral (
        select k.seq, ${key} as key from cases k
        where ${key} is not null
          and (k.company_set_id, ${key}) >= (v.value, ${prefix}) and (k.company_set_id, ${key}) < (v.value, ${last})
        order by k.company_set_id, ${key}, k.seq limit ${most}
      ) s`
  }
  const name = sql`(select ${q.prefix}::text)`
  const processKey = sql`(select public.search_key(${process}::text))`
  const parts = [
    sql`select k.seq, ''::text as key from cases k
      where k.applicant_id = any(${q.applicantIds}::text[]) or k.case_id = ${q.caseId} limit ${most}`,
    prefixed('name_key', name),
    prefixed('name_key_reversed', name),
    ...q.rotated.map(rotated => prefixed('name_key', sql`(select ${rotated}::text)`)),
    prefixed('process_key', processKey),
  ].map((part, at) => sql`select ${sql.unsafe(String(at))} as part, p.key, p.seq from (${part}) p`)
  const rows = await sql<{ seq: string }[]>`
    select m.seq from (
      select distinct on (u.seq) u.seq, u.part, u.key from (${joined(sql, parts, sql` union all `)}) u
      order by u.seq, u.part
    ) m
    order by m.part, m.key, m.seq limit ${most}`
  return listBySeq(
    sql,
    rows.map(({ seq }) => seq),
  )
}
