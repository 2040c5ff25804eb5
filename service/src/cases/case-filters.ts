// Filters and orders of the list of cases, as conditions and as walks of indexes.
import type postgres from 'postgres'
import type { NamePrefix } from '../applicants/search-keys.ts'
import type { Sql } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'
import {
  type Access,
  companySets,
  joined,
  type OrderedList,
  valuesOf,
  type Walk,
} from '../db/ordered-list.ts'
import { CASE_STATUSES, type CaseStatus } from './case.ts'

type Fragment = postgres.Fragment

/** A listed case matches all filters. */
export interface CaseFilters {
  /** Folded names begin with `prefix`, or the applicant or the case is one of these. */
  q?: (NamePrefix & { applicantIds: string[]; caseId: string }) | undefined
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
export const END = '\u{10ffff}'
const end = (prefix: string) => prefix + END

const isNamed = (sql: Sql, column: 'name_key' | 'name_key_reversed', prefix: string) =>
  sql`k.${sql(column)} >= ${prefix} and k.${sql(column)} < ${end(prefix)}`

type Named = NonNullable<CaseFilters['q']>

/** The ranges of names that a text begins, in their order. */
const rangesOf = ({ prefix, rotated }: Named) => [
  { column: 'name_key' as const, prefix },
  { column: 'name_key_reversed' as const, prefix },
  ...rotated.map(prefix => ({ column: 'name_key' as const, prefix })),
]

const namesOf = (sql: Sql, q: Named) => rangesOf(q).map(({ column, prefix }) => isNamed(sql, column, prefix))

/** A condition for each filter, by its name. Values are subqueries, so that one plan serves rare and frequent ones. */
function conditionsOf(sql: Sql, filters: CaseFilters): Map<string, Fragment> {
  const { q, statuses, caseType, hostCountries, companyId, assigneeId, vip, due, updatedSince } = filters
  const conditions = new Map<string, Fragment>()
  if (q)
    conditions.set(
      'q',
      sql`(${joined(sql, namesOf(sql, q), sql` or `)}
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

export function listOf(sql: Sql, filters: CaseFilters, { by, descending }: CaseOrder): OrderedList {
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

function namedAccess(sql: Sql, q: Named, ofCompany: Walk['dimensions']): Pick<Access, 'walks' | 'others'> {
  const names = namesOf(sql, q)
  const noneOf = (earlier: Fragment[]) =>
    joined(
      sql,
      earlier.map(name => sql`and not (${name})`),
      sql` `,
    )
  const company = ofCompany[0]
  return {
    walks: rangesOf(q).map(({ column, prefix }, at) => ({
      table: 'cases',
      dimensions: ofCompany,
      key: { column, type: 'text' },
      since: sql`(select ${prefix}::text)`,
      until: sql`(select ${end(prefix)}::text)`,
      where: at === 0 ? undefined : noneOf(names.slice(0, at)),
    })),
    others: sql`(k.applicant_id = any(${q.applicantIds}::text[]) or k.case_id = ${q.caseId})
      ${noneOf(names)}
      ${company ? sql`and k.company_set_id = any(array(${company.values}))` : sql``}`,
  }
}
