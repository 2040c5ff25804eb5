// What expires: passports and documents in one list, by date. Triggers keep the table (0021-….sql).
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { caseApplicants } from '../db/limited.ts'
import {
  companySets,
  countOrdered,
  type ListPosition,
  listOrdered,
  type OrderedList,
  valuesOf,
} from '../db/ordered-list.ts'
import { nameColumns, nameJoins } from './document-list.store.ts'

export const EXPIRING_KINDS = ['document', 'passport'] as const
export type ExpiringKind = (typeof EXPIRING_KINDS)[number]

export interface ExpiringFilters {
  kinds: readonly ExpiringKind[]
  companyId?: string | undefined
  /** Days: expires on or after the first and before the second. */
  since?: string | undefined
  until?: string | undefined
}

export interface ExpiringRow {
  kind: ExpiringKind
  itemId: string
  applicantId: string
  employeeNumber: string | null
  firstName: string | null
  lastName: string | null
  caseId: string | null
  expiresOn: string
  documentName: string | null
  documentType: string | null
  country: string | null
}

function listOf(
  sql: Sql,
  { kinds, companyId, since, until }: ExpiringFilters,
  descending: boolean,
): OrderedList {
  const sets = companySets(sql, companyId)
  const day = (value: string | undefined) =>
    value === undefined ? undefined : sql`(select ${value}::text::date)`
  return {
    walk: {
      table: 'expiries',
      dimensions: [
        ...(sets ? [{ column: 'company_set_id', values: sets }] : []),
        { column: 'kind', values: valuesOf(sql, kinds) },
      ],
      key: { column: 'expires_on', type: 'date' },
      since: day(since),
      until: day(until),
      indexed: sets ? sql`and k.company_set_id is not null` : sql``,
    },
    descending,
    isExact: true,
    accesses: [],
  }
}

export async function listExpiring(
  sql: Sql,
  { filters, descending }: { filters: ExpiringFilters; descending: boolean },
  page: PageRequest<ListPosition>,
) {
  return listOrdered(sql, listOf(sql, filters, descending), page, seqs => listBySeq(sql, seqs))
}

/** At most one more than `EXACT_TOTAL`. */
export async function countExpiring(sql: Sql, filters: ExpiringFilters): Promise<number> {
  return countOrdered(sql, listOf(sql, filters, false))
}

export interface NextExpiryRow {
  applicantId: string
  kind: ExpiringKind
  itemId: string
  name: string | null
  type: string | null
  caseId: string | null
  country: string | null
  expiryDate: string
}

/**
 * What expires next of each person, at most one of each kind: the first on or after this day or, where there is none, the last
 * one before it.
 */
export async function listNextExpiries(
  sql: Sql,
  applicantIds: readonly string[],
  today: string,
): Promise<NextExpiryRow[]> {
  return sql<NextExpiryRow[]>`
    select n.applicant_id as "applicantId", n.kind, n.item_id as "itemId", d.name, d.type, n.case_id as "caseId",
      coalesce(d.country, p.country) as country, n.expires_on as "expiryDate"
    from unnest(${[...applicantIds]}::text[]) as w (id)
    cross join lateral (
      select distinct on (e.kind) e.applicant_id, e.kind, e.item_id, e.case_id, e.expires_on from expiries e
      where e.applicant_id = w.id
      order by e.kind, e.expires_on < ${today}::text::date,
        abs(e.expires_on - ${today}::text::date), e.seq
    ) n
    left join lateral (
      select name, type, country from documents where n.kind = 'document' and document_id = n.item_id limit 1
    ) d on true
    left join lateral (
      select i.item->>'country' as country
      from applicants r, json_array_elements(r.record->'passports') as i (item)
      where n.kind = 'passport' and r.applicant_id = n.applicant_id and i.item->>'passportId' = n.item_id
      limit 1
    ) p on true
    order by n.expires_on, n.kind`
}

async function listBySeq(sql: Sql, seqs: readonly number[]): Promise<ExpiringRow[]> {
  if (seqs.length === 0) return []
  const rows = await sql<(ExpiringRow & { seq: string })[]>`
    select k.seq, k.kind, k.item_id as "itemId", k.applicant_id as "applicantId",
      a.employee_number as "employeeNumber", ${nameColumns(sql)}, k.case_id as "caseId", k.expires_on as "expiresOn",
      d.name as "documentName", d.type as "documentType", coalesce(d.country, p.country) as country
    from expiries k
    join ${caseApplicants(sql)} a on a.applicant_id = k.applicant_id
    ${nameJoins(sql)}
    left join documents d on k.kind = 'document' and d.document_id = k.item_id
    left join lateral (
      select i.item->>'country' as country from json_array_elements(r.record->'passports') as i (item)
      where k.kind = 'passport' and i.item->>'passportId' = k.item_id
      limit 1
    ) p on true
    where k.seq = any(${seqs.map(String)}::bigint[])`
  const bySeq = new Map(rows.map(({ seq, ...row }) => [Number(seq), row]))
  return seqs.flatMap(seq => bySeq.get(seq) ?? [])
}
