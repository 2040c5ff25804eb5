// The operators' list of documents, and the documents of the global search.
import type postgres from 'postgres'
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { isLimited } from '../db/limited.ts'
import {
  type Access,
  companySets,
  joined,
  type ListPosition,
  listOrdered,
  type OrderedList,
  valuesOf,
  type Walk,
} from '../db/ordered-list.ts'
import { COUNTRY_CODES } from '../lib/countries.ts'
import { type DocumentRow, documentColumns, documentJoins } from './documents.store.ts'

type Fragment = postgres.Fragment

/** A listed document matches all filters. */
export interface DocumentListFilters {
  applicantId?: string | undefined
  caseId?: string | undefined
  type?: string | undefined
  countryCode?: string | undefined
  hasFile?: boolean | undefined
  /** Days: expires on or after the first and before the second. A document that never expires does so at infinity. */
  expires?: { since?: string | undefined; until?: string | undefined } | undefined
}

const SORTS = {
  expiryDate: { column: 'expiry_key', type: 'date' },
  updatedAt: { column: 'updated_at', type: 'timestamptz' },
} as const

export type DocumentSort = keyof typeof SORTS
export const DOCUMENT_SORTS = Object.keys(SORTS) as DocumentSort[]

const day = (sql: Sql, value: string) => sql`(select ${value}::text::date)`
const dayOrNone = (sql: Sql, value: string | undefined) => (value === undefined ? undefined : day(sql, value))
const typeKey = (sql: Sql, value: string) => sql`(select lower(left(btrim(${value}::text), 100)))`

/** A condition for each filter, by its name. */
function conditionsOf(
  sql: Sql,
  { applicantId, caseId, type, countryCode, hasFile, expires }: DocumentListFilters,
): Map<string, Fragment> {
  const conditions = new Map<string, Fragment>()
  if (applicantId !== undefined)
    conditions.set('applicantId', sql`k.applicant_id = (select ${applicantId}::text)`)
  if (caseId !== undefined) conditions.set('caseId', sql`k.case_id = (select ${caseId}::text)`)
  if (type !== undefined) conditions.set('type', sql`k.type_key = ${typeKey(sql, type)}`)
  if (countryCode !== undefined)
    conditions.set('countryCode', sql`k.country_code = (select ${countryCode}::text)`)
  if (hasFile !== undefined)
    conditions.set('hasFile', hasFile ? sql`k.country_code is not null` : sql`k.country_code is null`)
  if (expires) {
    const { since, until } = expires
    const bounds = [
      ...(since === undefined ? [] : [sql`k.expiry_key >= ${day(sql, since)}`]),
      ...(until === undefined ? [] : [sql`k.expiry_key < ${day(sql, until)}`]),
    ]
    if (bounds.length > 0) conditions.set('expires', joined(sql, bounds, sql` and `))
  }
  return conditions
}

interface FilterIndex {
  name: string
  /** Undefined where the condition is that of a partial index. */
  dimension?: Walk['dimensions'][number]
  condition: Fragment
}

/** Filters that an index on (filter, expiry_key, seq) begins with. */
function filterIndexes(sql: Sql, { type, countryCode, hasFile }: DocumentListFilters): FilterIndex[] {
  return [
    ...(countryCode === undefined
      ? []
      : [
          {
            name: 'countryCode',
            dimension: { column: 'country_code', values: valuesOf(sql, [countryCode]) },
            condition: sql`k.country_code is not null`,
          },
        ]),
    ...(type === undefined
      ? []
      : [
          {
            name: 'type',
            dimension: { column: 'type_key', values: sql`select ${typeKey(sql, type)}` },
            condition: sql`true`,
          },
        ]),
    ...(hasFile === false ? [{ name: 'hasFile', condition: sql`k.country_code is null` }] : []),
    ...(hasFile && countryCode === undefined
      ? [
          {
            name: 'hasFile',
            dimension: { column: 'country_code', values: valuesOf(sql, COUNTRY_CODES) },
            condition: sql`k.country_code is not null`,
          },
        ]
      : []),
  ]
}

const KEPT = 'and k.removed_at is null'

function listOf(
  sql: Sql,
  filters: DocumentListFilters,
  { by, descending }: { by: DocumentSort; descending: boolean },
): OrderedList {
  const conditions = conditionsOf(sql, filters)
  const sets = companySets(sql, undefined)
  const ofSets = sets ? [{ column: 'company_set_id', values: sets }] : []
  const kept = sql`${sql.unsafe(KEPT)} ${sets ? sql`and k.company_set_id is not null` : sql``}`
  const isByExpiry = by === 'expiryDate'
  const first = sets || !isByExpiry ? undefined : filterIndexes(sql, filters)[0]
  const covered = [...(first ? [first.name] : []), ...(isByExpiry ? ['expires'] : [])]
  const rest = [...conditions].filter(([name]) => !covered.includes(name))
  const bounds = {
    since: dayOrNone(sql, filters.expires?.since),
    until: dayOrNone(sql, filters.expires?.until),
  }
  return {
    walk: {
      table: 'documents',
      dimensions: [...ofSets, ...(first?.dimension ? [first.dimension] : [])],
      key: SORTS[by],
      ...(isByExpiry && bounds),
      indexed: sql`${kept} ${first ? sql`and ${first.condition}` : sql``}`,
      where:
        rest.length === 0
          ? undefined
          : joined(
              sql,
              rest.map(([, condition]) => sql`and ${condition}`),
            ),
    },
    descending,
    isExact: rest.length === 0,
    accesses: accessesOf(sql, filters, { conditions, kept, ofSets, bounds }),
  }
}

interface AccessParts {
  conditions: Map<string, Fragment>
  kept: Fragment
  ofSets: Walk['dimensions']
  bounds: Pick<Walk, 'since' | 'until'>
}

/** Ways to the rows by one filter. A limited caller uses those on its companies, on a person or on a case. */
function accessesOf(
  sql: Sql,
  filters: DocumentListFilters,
  { conditions, kept, ofSets, bounds }: AccessParts,
): Access[] {
  const walk = (part: Partial<Walk>): Walk => ({
    table: 'documents',
    dimensions: [],
    key: SORTS.expiryDate,
    indexed: sql.unsafe(KEPT),
    ...part,
  })
  /** The filters that an access does not begin with. */
  const restOf = (covered: string) => {
    const rest = [...conditions].filter(([name]) => name !== covered)
    return rest.length === 0
      ? undefined
      : joined(
          sql,
          rest.map(([, condition]) => sql`and ${condition}`),
        )
  }
  const accesses: Access[] = []
  for (const [name, column] of [
    ['caseId', 'case_id'],
    ['applicantId', 'applicant_id'],
  ] as const) {
    const id = filters[name]
    if (id === undefined) continue
    const where = name === 'caseId' ? sql`and k.case_id is not null` : sql``
    const dimensions = [{ column, values: valuesOf(sql, [id]) }]
    accesses.push({
      walks: [walk({ dimensions, key: SORTS.updatedAt, indexed: sql`${sql.unsafe(KEPT)} ${where}` })],
      rest: restOf(name),
    })
  }
  if (ofSets.length > 0 || conditions.has('expires'))
    accesses.push({
      walks: [walk({ dimensions: ofSets, indexed: kept, ...bounds })],
      rest: restOf('expires'),
    })
  if (isLimited(sql)) return accesses
  for (const { name, dimension, condition } of filterIndexes(sql, filters))
    accesses.push({
      walks: [walk({ dimensions: dimension ? [dimension] : [], indexed: sql`${kept} and ${condition}` })],
      rest: restOf(name),
    })
  return accesses
}

/** A document, and the name of its applicant. */
export type NamedDocument = DocumentRow & { firstName: string | null; lastName: string | null }

/**
 * The documents of these numbers, in their order, with the name of the person. The name is that of the record, if the caller
 * sees it, or that which the case has.
 */
async function listBySeq(sql: Sql, seqs: readonly (number | string)[]): Promise<NamedDocument[]> {
  if (seqs.length === 0) return []
  const rows = await sql<(NamedDocument & { seq: string })[]>`
    select k.seq, ${documentColumns(sql)}, ${nameColumns(sql)}
    from documents k ${documentJoins(sql)} ${nameJoins(sql)}
    where k.seq = any(${seqs.map(String)}::bigint[]) and k.removed_at is null`
  const bySeq = new Map(rows.map(({ seq, ...row }) => [Number(seq), row as NamedDocument]))
  return seqs.flatMap(seq => bySeq.get(Number(seq)) ?? [])
}

/** The name of the person of `k`, which has an applicant and perhaps a case. */
export const nameColumns = (sql: Sql) => sql`
  coalesce(r.record->>'firstName', c.applicant->>'firstName') as "firstName",
  coalesce(r.record->>'lastName', c.applicant->>'lastName') as "lastName"`
export const nameJoins = (sql: Sql) => sql`
  left join applicants r on r.applicant_id = k.applicant_id
  left join cases c on c.case_id = k.case_id`

export async function listDocuments(
  sql: Sql,
  query: { filters: DocumentListFilters; order: { by: DocumentSort; descending: boolean } },
  page: PageRequest<ListPosition>,
) {
  return listOrdered(sql, listOf(sql, query.filters, query.order), page, seqs => listBySeq(sql, seqs))
}

/** The best matches: by whole reference number, then by the beginning of the name. */
export async function searchDocuments(sql: Sql, q: string, limit: number): Promise<NamedDocument[]> {
  const most = sql.unsafe(String(limit))
  const key = sql`(select public.search_key(${q}::text))`
  const end = sql`(${key} || ${'\u{10ffff}'})`
  const sets = companySets(sql, undefined)
  const byName = sets
    ? sql`select s.* from (${sets}) as v (value) cross join lateral (
        select k.seq, k.name_key as key from documents k
        where k.company_set_id is not null and k.name_key is not null and k.removed_at is null
          and (k.company_set_id, k.name_key) >= (v.value, ${key}) and (k.company_set_id, k.name_key) < (v.value, ${end})
        order by k.company_set_id, k.name_key, k.seq limit ${most}
      ) s`
    : sql`select k.seq, k.name_key as key from documents k
        where k.name_key >= ${key} and k.name_key < ${end} and k.removed_at is null
        order by k.name_key, k.seq limit ${most}`
  const rows = await sql<{ seq: string }[]>`
    select m.seq from (
      select distinct on (u.seq) u.seq, u.part, u.key from (
        (
          select 0 as part, ''::text as key, k.seq from documents k
          where k.reference_key = ${key} and k.removed_at is null
          order by k.reference_key, k.seq limit ${most}
        )
        union all
        select 1, p.key, p.seq from (${byName}) p
      ) u
      order by u.seq, u.part
    ) m
    order by m.part, m.key, m.seq limit ${most}`
  return listBySeq(
    sql,
    rows.map(({ seq }) => seq),
  )
}
