// The list of cases for operators, and the cases of the global search. A page is first read from an index, as the `seq` of its
// cases, and then these cases with their steps.
import type postgres from 'postgres'
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { caseApplicants, isLimited, userNames } from '../db/limited.ts'
import {
  type Access,
  companySets,
  countOrdered,
  joined,
  type ListPosition,
  listOrdered,
  type OrderedList,
  valuesOf,
  type Walk,
} from '../db/ordered-list.ts'
import { CASE_STATUSES, type CaseStatus, type StepStatus } from './case.ts'

type Fragment = postgres.Fragment

/** A listed case matches all filters. */
export interface CaseFilters {
  /** Folded names begin with `prefix`, or the applicant or the case is one of these. */
  q?: { prefix: string; applicantIds: string[]; caseId: string } | undefined
  statuses?: CaseStatus[] | undefined
  caseType?: string | undefined
  /** All spellings of one country. */
  hostCountries?: string[] | undefined
  companyId?: string | undefined
  /** The id of a user; null for cases without an assignee. */
  assigneeId?: string | null | undefined
  vip?: boolean | undefined
  /** Days: not closed, and due on or after the first and before the second. */
  due?: { since: string | undefined; until: string } | undefined
  updatedSince?: Date | undefined
}

const SORTS = {
  dueDate: { column: 'next_due', type: 'date' },
  updatedAt: { column: 'updated_at', type: 'timestamptz' },
  createdAt: { column: 'created_at', type: 'timestamptz' },
  name: { column: 'name_key', type: 'text' },
} as const

export type CaseSort = keyof typeof SORTS
export const CASE_SORTS = Object.keys(SORTS) as CaseSort[]

export interface CaseOrder {
  by: CaseSort
  descending: boolean
}

/** A prefix and this sort after every text with that prefix: no character sorts after it. */
const END = '\u{10ffff}'
const end = (prefix: string) => prefix + END

const isNamed = (sql: Sql, column: 'name_key' | 'name_key_reversed', prefix: string) =>
  sql`k.${sql(column)} >= ${prefix} and k.${sql(column)} < ${end(prefix)}`

/** A condition for each filter, by its name. Values are subqueries, so that one plan serves rare and frequent ones. */
function conditionsOf(sql: Sql, filters: CaseFilters): Map<string, Fragment> {
  const { q, statuses, caseType, hostCountries, companyId, assigneeId, vip, due, updatedSince } = filters
  const conditions = new Map<string, Fragment>()
  if (q)
    conditions.set(
      'q',
      sql`(${isNamed(sql, 'name_key', q.prefix)} or ${isNamed(sql, 'name_key_reversed', q.prefix)}
        or k.applicant_id = any(${q.applicantIds}::text[]) or k.case_id = ${q.caseId})`,
    )
  if (statuses || due) conditions.set('status', sql`k.status = any(${statusesOf(filters)}::text[])`)
  if (caseType !== undefined)
    conditions.set('caseType', sql`k.case_type_key = any(array${typeKey(sql, caseType)})`)
  if (hostCountries) conditions.set('hostCountry', sql`k.host_country = any(${hostCountries}::text[])`)
  if (companyId !== undefined)
    conditions.set('company', sql`k.company_set_id = any(array(${companySets(sql, companyId) as Fragment}))`)
  if (assigneeId === null) conditions.set('assignee', sql`k.assignee_id is null`)
  else if (assigneeId !== undefined)
    conditions.set('assignee', sql`k.assignee_id = (select ${assigneeId}::text)`)
  if (vip !== undefined) conditions.set('vip', vip ? sql`k.vip` : sql`not k.vip`)
  if (due)
    conditions.set(
      'due',
      sql`${due.since === undefined ? sql`` : sql`k.next_due >= ${day(sql, due.since)} and`}
        k.next_due < ${day(sql, due.until)}`,
    )
  if (updatedSince) conditions.set('updatedSince', sql`k.updated_at >= ${time(sql, updatedSince)}`)
  return conditions
}

const day = (sql: Sql, value: string) => sql`(select ${value}::text::date)`
const time = (sql: Sql, value: Date) => sql`(select ${value.toISOString()}::text::timestamptz)`
const typeKey = (sql: Sql, value: string) => sql`(select lower(left(btrim(${value}::text), 100)))`

/** A closed case is never due. */
const statusesOf = ({ statuses = CASE_STATUSES, due }: CaseFilters): CaseStatus[] =>
  CASE_STATUSES.filter(status => statuses.includes(status) && !(due && status === 'closed'))

const allBut = (sql: Sql, conditions: Map<string, Fragment>, ...covered: string[]) =>
  joined(
    sql,
    [...conditions].filter(([name]) => !covered.includes(name)).map(([, condition]) => sql`and ${condition}`),
  )

function listOf(sql: Sql, filters: CaseFilters, { by, descending }: CaseOrder): OrderedList {
  const conditions = conditionsOf(sql, filters)
  const { companyId, due, updatedSince } = filters
  const sets = companySets(sql, companyId)
  const key = SORTS[by]
  // The indexes in the order of names do not begin with the status.
  const status = by === 'name' ? [] : [{ column: 'status', values: valuesOf(sql, statusesOf(filters)) }]
  const covered = ['company', ...(by === 'name' ? [] : ['status'])]
  const first = sets || by !== 'dueDate' ? undefined : firstFilter(sql, filters)
  if (first) covered.push(first.name)
  if (by === 'dueDate') covered.push('due')
  if (by === 'updatedAt') covered.push('updatedSince')
  const isExact = [...conditions.keys()].every(name => covered.includes(name))
  const walk: Walk = {
    table: 'cases',
    dimensions: [
      ...(sets ? [{ column: 'company_set_id', values: sets }] : []),
      ...(first?.dimension ? [first.dimension] : []),
      ...status,
    ],
    key,
    ...(by === 'dueDate' &&
      due && {
        since: due.since === undefined ? undefined : day(sql, due.since),
        until: day(sql, due.until),
      }),
    ...(by === 'updatedAt' && updatedSince && { since: time(sql, updatedSince) }),
    ...(first && { indexed: sql`and ${first.condition}` }),
    where: isExact ? undefined : allBut(sql, conditions, ...covered),
  }
  return {
    walk,
    descending,
    isExact,
    accesses: accessesOf(sql, filters, sets),
  }
}

interface FirstFilter {
  name: string
  /** Undefined where the condition is that of a partial index. */
  dimension?: Walk['dimensions'][number]
  /** The condition of the index. */
  condition: Fragment
}

/** Filters that an index on (filter, status, next_due, seq) begins with. */
function filterIndexes(sql: Sql, { assigneeId, vip, hostCountries, caseType }: CaseFilters): FirstFilter[] {
  const found: FirstFilter[] = []
  if (assigneeId === null) found.push({ name: 'assignee', condition: sql`k.assignee_id is null` })
  else if (assigneeId !== undefined)
    found.push({
      name: 'assignee',
      dimension: { column: 'assignee_id', values: valuesOf(sql, [assigneeId]) },
      condition: sql`k.assignee_id is not null`,
    })
  if (vip) found.push({ name: 'vip', condition: sql`k.vip` })
  if (hostCountries)
    found.push({
      name: 'hostCountry',
      dimension: { column: 'host_country', values: valuesOf(sql, hostCountries) },
      condition: sql`k.host_country is not null`,
    })
  if (caseType !== undefined)
    found.push({
      name: 'caseType',
      dimension: { column: 'case_type_key', values: sql`select ${typeKey(sql, caseType)}` },
      condition: sql`true`,
    })
  return found
}

const firstFilter = (sql: Sql, filters: CaseFilters) => filterIndexes(sql, filters)[0]

/**
 * Ways to the rows by one filter. A limited caller uses the indexes on its companies, and that on the cases of a person: all
 * others begin with a filter that the cases of other companies match too.
 */
function accessesOf(sql: Sql, filters: CaseFilters, sets: Fragment | undefined): Access[] {
  const conditions = conditionsOf(sql, filters)
  const statuses = { column: 'status', values: valuesOf(sql, statusesOf(filters)) }
  const ofCompany = sets ? [{ column: 'company_set_id', values: sets }] : []
  const walk = (part: Partial<Walk> = {}): Walk => ({
    table: 'cases',
    dimensions: [...ofCompany, statuses],
    key: SORTS.dueDate,
    ...part,
  })
  /** The filters that an access does not begin with. */
  const restOf = (...covered: string[]) =>
    [...conditions.keys()].every(name => covered.includes(name))
      ? undefined
      : allBut(sql, conditions, ...covered)
  const { due, updatedSince, q } = filters
  const accesses: Access[] = []
  const indexes = filterIndexes(sql, filters)
  // Each of the other indexes begins with the status too, and with another filter before it.
  if (sets || (filters.statuses && indexes.length === 0))
    accesses.push({ walks: [walk()], rest: restOf('company', 'status') })
  for (const { name, dimension, condition } of indexes) {
    const isOfPerson = name === 'assignee' && filters.assigneeId !== null
    if (isLimited(sql) && !isOfPerson) continue
    const dimensions = dimension ? [dimension, statuses] : [statuses]
    accesses.push({
      walks: [walk({ dimensions, indexed: sql`and ${condition}` })],
      rest: restOf(name, 'status'),
      isLast: isLimited(sql),
    })
  }
  if (due)
    accesses.push({
      walks: [
        walk({
          since: due.since === undefined ? undefined : day(sql, due.since),
          until: day(sql, due.until),
        }),
      ],
      rest: restOf('company', 'status', 'due'),
    })
  if (updatedSince)
    accesses.push({
      walks: [walk({ key: SORTS.updatedAt, since: time(sql, updatedSince) })],
      rest: restOf('company', 'status', 'updatedSince'),
    })
  if (q) accesses.push({ ...namedAccess(sql, q, ofCompany), rest: restOf('q', 'company') })
  return accesses
}

function namedAccess(
  sql: Sql,
  q: NonNullable<CaseFilters['q']>,
  ofCompany: Walk['dimensions'],
): Pick<Access, 'walks' | 'others'> {
  const range = (column: 'name_key' | 'name_key_reversed', where?: Fragment): Walk => ({
    table: 'cases',
    dimensions: ofCompany,
    key: { column, type: 'text' },
    since: sql`(select ${q.prefix}::text)`,
    until: sql`(select ${end(q.prefix)}::text)`,
    where,
  })
  const byName = isNamed(sql, 'name_key', q.prefix)
  const byFirstName = isNamed(sql, 'name_key_reversed', q.prefix)
  const company = ofCompany[0]
  return {
    walks: [range('name_key'), range('name_key_reversed', sql`and not (${byName})`)],
    others: sql`(k.applicant_id = any(${q.applicantIds}::text[]) or k.case_id = ${q.caseId})
      and not (${byName}) and not (${byFirstName})
      ${company ? sql`and k.company_set_id = any(array(${company.values}))` : sql``}`,
  }
}

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
  const rows = await sql<{ id: string }[]>`
    (select applicant_id as id from applicants where search_keys && ${keys}::text[] limit 1000)
    union
    select applicant_id from ${caseApplicants(sql)} where employee_number = ${employeeNumber} and archived_at is null`
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
