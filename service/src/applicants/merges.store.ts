// Merges, and what they do to the tables of applicants. The absorbed record is deleted: its row is in the state of the
// merge, and its id in merged_applicants, where nothing else can take it.
import type postgres from 'postgres'
import type { Sql, Tx } from '../db/database.ts'
import { forEachTwoCompanySets, pageSize, type TwoSets } from '../db/keyset.ts'
import { isLimited } from '../db/limited.ts'
import type { ApplicantValues, Key } from './applicants.store.ts'
import { KEYS_VERSION } from './search-keys.ts'

/** The record that has absorbed the one of this key, through all merges since, if the caller sees it. */
export async function findMergedInto(sql: Sql, key: Key): Promise<string | undefined> {
  const first =
    'id' in key
      ? sql`select m.target_id from merged_applicants m where m.source_id = ${key.id}`
      : sql`select m.target_id from retired_employee_numbers r join merges m on m.merge_id = r.merge_id
          where r.employee_number = ${key.number}`
  const [row] = await sql<{ id: string }[]>`
    with recursive chain (id) as (
      ${first}
      union
      select m.target_id from chain c join merged_applicants m on m.source_id = c.id
    )
    select a.applicant_id as id from chain c join applicants a on a.applicant_id = c.id and a.archived_at is null
    limit 1`
  return row?.id
}

/** The position among the dependents of a family. */
export async function listSeqs(tx: Tx, ids: string[]): Promise<Map<string, string>> {
  const rows = await tx<{ id: string; seq: string }[]>`
    select applicant_id as id, seq::text as seq from applicants where applicant_id = any(${ids}::text[])`
  return new Map(rows.map(({ id, seq }) => [id, seq]))
}

export interface NewMerge {
  mergeId: string
  targetId: string
  sourceId: string
  state: object
  by: string
  now: Date
}

/** Inserted while both records exist: it belongs to the companies of both. */
export async function insertMerge(
  tx: Tx,
  { mergeId, targetId, sourceId, state, by, now }: NewMerge,
): Promise<void> {
  await tx`
    insert into merges (merge_id, target_id, source_id, state, merged_by, merged_at)
    values (${mergeId}, ${targetId}, ${sourceId}, ${JSON.stringify(state)}::text::json, ${by}, ${now})`
}

interface Absorbed {
  sourceId: string
  targetId: string
}

/** Deletes the absorbed records. What belongs to them has been moved before. */
export async function absorb(tx: Tx, mergeId: string, absorbed: Absorbed[]): Promise<void> {
  const ids = absorbed.map(({ sourceId }) => sourceId)
  await tx`delete from applicants where applicant_id = any(${ids}::text[])`
  await tx`
    insert into merged_applicants (source_id, target_id, merge_id)
    select m."sourceId", m."targetId", ${mergeId}
    from json_to_recordset(${JSON.stringify(absorbed)}::text::json) as m ("sourceId" text, "targetId" text)`
}

/** The ids of absorbed records are free again. */
export async function deleteAbsorbed(tx: Tx, mergeId: string): Promise<void> {
  await tx`delete from merged_applicants where merge_id = ${mergeId}`
}

/** Moves the dependents of one family, live and archived, to another, and returns their ids. */
export async function moveDependents(
  tx: Tx,
  { from, to, except, now }: { from: string; to: string; except: string[]; now: Date },
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update applicants set primary_id = ${to}, version = version + 1, updated_at = ${now}
    where primary_id = ${from} and applicant_id <> all(${except}::text[])
    returning applicant_id as id`
  return rows.map(({ id }) => id)
}

/** Moves these dependents back. */
export async function returnDependents(
  tx: Tx,
  { ids, from, to, now }: { ids: string[]; from: string; to: string; now: Date },
): Promise<void> {
  await tx`
    update applicants set primary_id = ${to}, version = version + 1, updated_at = ${now}
    where applicant_id = any(${ids}::text[]) and primary_id = ${from}`
}

/** Numbers that the absorbed person once had belong to the remaining one. Returns them. */
export async function moveRetiredNumbers(
  tx: Tx,
  { from, to }: { from: string; to: string },
): Promise<string[]> {
  const rows = await tx<{ number: string }[]>`
    update retired_employee_numbers set applicant_id = ${to} where applicant_id = ${from}
    returning employee_number as number`
  return rows.map(({ number }) => number)
}

export async function returnRetiredNumbers(tx: Tx, numbers: string[], to: string): Promise<void> {
  await tx`
    update retired_employee_numbers set applicant_id = ${to} where employee_number = any(${numbers}::text[])`
}

export async function retireNumberByMerge(
  tx: Tx,
  number: string,
  { applicantId, mergeId, now }: { applicantId: string; mergeId: string; now: Date },
): Promise<void> {
  await tx`
    insert into retired_employee_numbers (employee_number, applicant_id, retired_at, merge_id)
    values (${number}, ${applicantId}, ${now}, ${mergeId})`
}

/** Numbers that this merge has retired can be assigned again. */
export async function releaseNumbers(tx: Tx, mergeId: string): Promise<void> {
  await tx`delete from retired_employee_numbers where merge_id = ${mergeId}`
}

export interface RestoredRow {
  values: ApplicantValues
  seq: string
  version: number
  createdAt: Date
  updatedAt: Date
}

/** Inserts an absorbed record as it was, with its place among the dependents of a family. */
export async function restoreApplicant(
  tx: Tx,
  { values, seq, version, createdAt, updatedAt }: RestoredRow,
): Promise<void> {
  const { record, primaryId, itemIds, searchKeys, companyKey } = values
  await tx`
    insert into applicants (applicant_id, primary_id, employee_number, record, item_ids, name_key, name_key_reversed,
      search_keys, keys_version, company_key, created_at, updated_at, version, seq)
    overriding system value
    values (${record.applicantId}, ${primaryId}, ${record.employeeNumber}, ${JSON.stringify(record)}::text::json,
      ${itemIds}::text[], ${searchKeys.name}, ${searchKeys.nameReversed}, ${searchKeys.keys}::text[], ${KEYS_VERSION},
      ${companyKey}, ${createdAt}, ${updatedAt}, ${version}, ${seq})`
}

export interface MergeRow {
  mergeId: string
  targetId: string
  sourceId: string
  mergedBy: string
  mergedAt: Date
  undoneBy: string | null
  undoneAt: Date | null
  seq: string
  employeeNumber: string | null
  retiredEmployeeNumber: string | null
  mergedDependents: { applicantId: string; absorbedApplicantId: string }[]
}

const columns = (sql: Sql) => sql`
  m.merge_id as "mergeId", m.target_id as "targetId", m.source_id as "sourceId", m.merged_by as "mergedBy",
  m.merged_at as "mergedAt", m.undone_by as "undoneBy", m.undone_at as "undoneAt", m.seq::text as seq,
  m.state->>'employeeNumber' as "employeeNumber", m.state->>'retiredNumber' as "retiredEmployeeNumber",
  m.state->'mergedDependents' as "mergedDependents"`

export async function findMerge(
  tx: Tx,
  mergeId: string,
): Promise<(MergeRow & { state: string }) | undefined> {
  const [row] = await tx<(MergeRow & { state: string })[]>`
    select ${columns(tx)}, m.state::text as state from merges m where m.merge_id = ${mergeId}`
  return row
}

export async function markUndone(
  tx: Tx,
  mergeId: string,
  { by, now }: { by: string; now: Date },
): Promise<void> {
  await tx`update merges set undone_by = ${by}, undone_at = ${now} where merge_id = ${mergeId}`
}

/** A keyset position; the latest merges are listed first. */
export interface MergePosition {
  at: string
  seq: string
  inclusive: boolean
}

export interface MergeFilters {
  /** As the remaining or the absorbed record. */
  applicantId: string | undefined
}

interface Step {
  from: MergePosition | undefined
  /** Towards later merges. */
  backwards: boolean
  limit: number
}

const pageOf = (sql: Sql, { applicantId }: MergeFilters, { from, backwards, limit }: Step) => {
  const size = pageSize(sql, limit)
  const way = sql.unsafe(backwards ? '' : 'desc')
  const operator = sql.unsafe((backwards ? '>' : '<') + (from?.inclusive ? '=' : ''))
  const select = (condition: postgres.Fragment, sets?: TwoSets) => {
    const place = sets ? sql`m.company_set_id, m.other_company_set_id,` : sql``
    const values = sets ? sql`${sets.one}, ${sets.other},` : sql``
    const position = from
      ? sql`and (${place} m.merged_at, m.seq) ${operator}
          (${values} ${from.at}::timestamptz, ${from.seq}::bigint)`
      : sql``
    // A position bounds one side of the range of the two companies.
    const bound = (side: string) =>
      sql`and (m.company_set_id, m.other_company_set_id) ${sql.unsafe(side)} (${sets?.one ?? sql``}, ${sets?.other ?? sql``})`
    const range = sets
      ? sql`and m.company_set_id is not null and m.other_company_set_id is not null
          ${from && backwards ? sql`` : bound('>=')} ${from && !backwards ? sql`` : bound('<=')}`
      : sql``
    const bySets = sets ? sql`m.company_set_id ${way}, m.other_company_set_id ${way},` : sql``
    return sql`
      select m.merge_id, m.merged_at, m.seq from merges m
      where ${condition} ${range} ${position}
      order by ${bySets} m.merged_at ${way}, m.seq ${way}
      limit ${size}`
  }
  const merged = (parts: postgres.Fragment) => sql`
    select k.* from (${parts}) k order by k.merged_at ${way}, k.seq ${way} limit ${size}`
  if (applicantId !== undefined)
    return merged(sql`
      (${select(sql`m.target_id = ${applicantId}`)}) union all (${select(sql`m.source_id = ${applicantId}`)})`)
  if (!isLimited(sql)) return select(sql`true`)
  return merged(forEachTwoCompanySets(sql, sets => select(sql`true`, sets)))
}

/** The next merges from a position, in the direction of the step. */
export async function listMerges(sql: Sql, filters: MergeFilters, step: Step): Promise<MergeRow[]> {
  const way = sql.unsafe(step.backwards ? '' : 'desc')
  return sql<MergeRow[]>`
    select ${columns(sql)}
    from (${pageOf(sql, filters, step)}) k
    join merges m on m.merge_id = k.merge_id
    order by k.merged_at ${way}, k.seq ${way}`
}

/** The number of merges, at most `most`. */
export async function countMerges(sql: Sql, filters: MergeFilters, most: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      ${pageOf(sql, filters, { from: undefined, backwards: false, limit: most })}
    ) counted`
  return row.count
}

export async function listAbsorbed(sql: Sql, targetId: string): Promise<string[]> {
  const rows = await sql<{ sourceId: string }[]>`
    with recursive absorbed as (
      select m.source_id from merged_applicants m where m.target_id = ${targetId}
      union
      select m.source_id from absorbed a join merged_applicants m on m.target_id = a.source_id
    )
    select source_id as "sourceId" from absorbed`
  return rows.map(row => row.sourceId)
}
