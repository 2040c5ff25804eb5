// Searches applicants, live and archived. Every page starts in an index, so that its cost does not depend on the size of
// the table.
import type postgres from 'postgres'
import type { Sql, Tx } from '../db/database.ts'
import { forEachCompanySet, pageSize } from '../db/keyset.ts'
import { isLimited } from '../db/limited.ts'
import { KEYS_VERSION, type SearchKeys } from './search-keys.ts'

export interface FoundRow {
  applicantId: string
  primaryApplicantId: string | null
  employeeNumber: string | null
  firstName: string | null
  lastName: string | null
  dateOfBirth: string | null
  email: string | null
  relationship: string | null
  createdAt: Date
  updatedAt: Date
  archivedAt: Date | null
}

/** All criteria that are given must hold. */
export interface Criteria {
  archived: boolean
  /** A folded prefix of a name, or one of the keys. */
  any: { name: string; keys: string[] } | undefined
  /** A folded prefix of a name. */
  name: string | undefined
  employeeNumber: string | undefined
  /** Keys that the record must all have. */
  keys: string[]
}

/** A keyset position: before or after a record of a search. */
export interface SearchPosition {
  /** The part of the search that the record is in. */
  part: number
  /** The text by which that part is sorted. */
  key: string
  applicantId: string
  /** Whether a page from here includes the record itself. */
  inclusive: boolean
}

export type FoundAt = FoundRow & { part: number; key: string }

interface Step {
  from: SearchPosition | undefined
  backwards: boolean
  limit: number
}

const found = (sql: Sql) => sql`
  a.applicant_id as "applicantId", a.primary_id as "primaryApplicantId", a.employee_number as "employeeNumber",
  a.record->>'firstName' as "firstName", a.record->>'lastName' as "lastName",
  a.record->>'dateOfBirth' as "dateOfBirth", a.record->>'email' as email, a.record->>'relationship' as relationship,
  a.created_at as "createdAt", a.updated_at as "updatedAt", a.archived_at as "archivedAt"`

type Column = 'name_key' | 'name_key_reversed'

/** A part of a search: a range of one index, or a few rows that are looked up by key and sorted. */
interface Part {
  column: Column
  prefix: string | undefined
  keys: string[] | undefined
}

/**
 * Matches of whole numbers and addresses come first, then of last names, then of first names. Each part has its own order:
 * with one order for all, every page would read and sort everyone who shares a first name.
 */
function partsOf({ any, name }: Criteria): Part[] {
  const named = (prefix: string): Part[] => [
    { column: 'name_key', prefix, keys: undefined },
    { column: 'name_key_reversed', prefix, keys: undefined },
  ]
  if (any) return [{ column: 'name_key', prefix: undefined, keys: any.keys }, ...named(any.name)]
  return name === undefined ? [{ column: 'name_key', prefix: undefined, keys: undefined }] : named(name)
}

const joined = (sql: Sql, parts: postgres.Fragment[]) =>
  parts.reduce((before, part) => sql`${before} ${part}`, sql``)

const archivedOrNot = (sql: Sql, archived: boolean) =>
  archived ? sql`a.archived_at is not null` : sql`a.archived_at is null`

/** Sorts after every text with this prefix: no character sorts after the one that is appended. */
const end = (prefix: string) => `${prefix}\u{10ffff}`

const within = (sql: Sql, column: Column, prefix: string) => {
  const key = sql`a.${sql(column)}`
  return sql`${key} >= ${prefix} and ${key} < ${end(prefix)}`
}

/** The condition for a row to be in the part. */
const belongs = (sql: Sql, { column, prefix, keys }: Part) =>
  keys
    ? sql`a.search_keys && ${keys}::text[]`
    : prefix === undefined
      ? sql`true`
      : within(sql, column, prefix)

/**
 * Where the criteria have whole keys or a number, the rows with these are looked up first. `offset 0` keeps PostgreSQL
 * from scanning the index on names instead, which it estimates to be cheaper in a large table.
 */
function source(sql: Sql, { keys: some }: Part, { archived, keys, employeeNumber }: Criteria) {
  const wanted = [
    ...(some ? [sql`and a.search_keys && ${some}::text[]`] : []),
    ...(keys.length > 0 ? [sql`and a.search_keys @> ${keys}::text[]`] : []),
    ...(employeeNumber === undefined ? [] : [sql`and a.employee_number = ${employeeNumber}`]),
  ]
  return wanted.length === 0
    ? sql`applicants a`
    : sql`(select * from applicants a where ${archivedOrNot(sql, archived)} ${joined(sql, wanted)} offset 0) a`
}

/** The rows of a part that are not in an earlier part. */
function rowsOf(sql: Sql, criteria: Criteria, { index, range }: { index: number; range: postgres.Fragment }) {
  const parts = partsOf(criteria)
  const part = parts[index] as Part
  const earlier = parts.slice(0, index).map(other => sql`and not (${belongs(sql, other)})`)
  const { any, name } = criteria
  const both =
    any && name !== undefined
      ? sql`and (${within(sql, 'name_key', name)} or ${within(sql, 'name_key_reversed', name)})`
      : sql``
  return sql`from ${source(sql, part, criteria)}
    where ${archivedOrNot(sql, criteria.archived)} and ${range} ${joined(sql, earlier)} ${both}`
}

/** Whether the rows of a part are a range of an index on names. */
const isRange = ({ keys: some }: Part, { keys, employeeNumber }: Criteria) =>
  !some && keys.length === 0 && employeeNumber === undefined

/** The select as it is or, for a limited caller who reads a range, once for each set of companies. */
const forCaller = (sql: Sql, range: boolean, select: (set?: postgres.Fragment) => postgres.Fragment) =>
  range && isLimited(sql) ? forEachCompanySet(sql, select) : select()

/**
 * A position replaces the bound on its side of the range. With two bounds on one side PostgreSQL starts at the first one
 * and reads on to the other, and a page would cost more the deeper it is.
 */
function rangeOf(
  sql: Sql,
  part: Part,
  { from, backwards, set }: Omit<Step, 'limit'> & { set?: postgres.Fragment | undefined },
) {
  if (set) return rangeOfSet(sql, part, { from, backwards, set })
  if (!from) return belongs(sql, part)
  const { column, prefix } = part
  const { key, applicantId, inclusive } = from
  const at = sql`(a.${sql(column)}, a.applicant_id)`
  const position = sql`(${key}, ${applicantId})`
  const side = backwards
    ? inclusive
      ? sql`${at} <= ${position}`
      : sql`${at} < ${position}`
    : inclusive
      ? sql`${at} >= ${position}`
      : sql`${at} > ${position}`
  if (prefix === undefined) return side
  return backwards
    ? sql`${side} and a.${sql(column)} >= ${prefix}`
    : sql`${side} and a.${sql(column)} < ${end(prefix)}`
}

/** The same range of the rows of one set of companies, in an index that begins with the set. */
function rangeOfSet(
  sql: Sql,
  { column, prefix }: Part,
  { from, backwards, set }: Omit<Step, 'limit'> & { set: postgres.Fragment },
) {
  const name = sql`(a.company_set_id, a.${sql(column)})`
  const side = (position: SearchPosition) => {
    const at = sql`(a.company_set_id, a.${sql(column)}, a.applicant_id)`
    const operator = sql.unsafe((backwards ? '<' : '>') + (position.inclusive ? '=' : ''))
    return sql`${at} ${operator} (${set}, ${position.key}, ${position.applicantId})`
  }
  const first = prefix === undefined ? sql`a.company_set_id >= ${set}` : sql`${name} >= (${set}, ${prefix})`
  const last =
    prefix === undefined ? sql`a.company_set_id <= ${set}` : sql`${name} < (${set}, ${end(prefix)})`
  return sql`a.company_set_id is not null
    and ${from && !backwards ? side(from) : first} and ${from && backwards ? side(from) : last}`
}

const unionAll = (sql: Sql, selects: postgres.Fragment[]) =>
  joined(
    sql,
    selects.map((select, index) => (index === 0 ? sql`(${select})` : sql`union all (${select})`)),
  )

/** The next records from a position, in the direction of the step. */
export async function listApplicants(
  sql: Sql,
  criteria: Criteria,
  { from, backwards, limit }: Step,
): Promise<FoundAt[]> {
  const size = pageSize(sql, limit)
  const selects = partsOf(criteria).flatMap((part, index) => {
    if (from && (backwards ? index > from.part : index < from.part)) return []
    const start = from?.part === index ? from : undefined
    const key = sql`a.${sql(part.column)}`
    const order = backwards ? sql`${key} desc, a.applicant_id desc` : sql`${key}, a.applicant_id`
    const bySet = backwards ? sql`a.company_set_id desc,` : sql`a.company_set_id,`
    return forCaller(sql, isRange(part, criteria), set => {
      const range = rangeOf(sql, part, { from: start, backwards, set })
      return sql`
        select ${sql.unsafe(String(index))} as part, ${key} as key, ${found(sql)}
        ${rowsOf(sql, criteria, { index, range })}
        order by ${set ? bySet : sql``} ${order}
        limit ${size}`
    })
  })
  const order = backwards ? sql`part desc, key desc, "applicantId" desc` : sql`part, key, "applicantId"`
  return sql<FoundAt[]>`
    select * from (${unionAll(sql, selects)}) parts
    order by ${order}
    limit ${size}`
}

/** The number of records, at most `most`. */
export async function countApplicants(sql: Sql, criteria: Criteria, most: number): Promise<number> {
  const limit = sql.unsafe(String(most))
  const selects = partsOf(criteria).map((part, index) => {
    // Ordered like the index, so that PostgreSQL reads the index instead of scanning the table until it has enough rows.
    const order = sql`a.${sql(part.column)}, a.applicant_id`
    return forCaller(sql, isRange(part, criteria), set => {
      const range = rangeOf(sql, part, { from: undefined, backwards: false, set })
      const bySet = set ? sql`a.company_set_id,` : sql``
      return sql`select ${rowsOf(sql, criteria, { index, range })} order by ${bySet} ${order} limit ${limit}`
    })
  })
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (select from (${unionAll(sql, selects)}) parts limit ${limit}) counted`
  return row.count
}

/** Locks rows whose search keys are of an older version, and skips those that another transaction has locked. */
export async function lockOldKeys(
  tx: Tx,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; record: string; primaryId: string | null }[]> {
  // The version is a literal, because PostgreSQL must match it with the condition of the partial index.
  return tx<{ id: string; record: string; primaryId: string | null }[]>`
    select applicant_id as id, record::text as record, primary_id as "primaryId" from applicants
    where keys_version < ${tx.unsafe(String(KEYS_VERSION))} and applicant_id > ${after}
    order by applicant_id
    limit ${limit}
    for no key update skip locked`
}

/** Leaves version and updated_at alone: nothing that a client reads has changed. */
export async function updateKeys(
  tx: Tx,
  keys: (SearchKeys & { id: string; company: string | null })[],
): Promise<void> {
  await tx`
    update applicants a
    set name_key = k.name, name_key_reversed = k."nameReversed", search_keys = k.keys, company_key = k.company,
      keys_version = ${KEYS_VERSION}
    from json_to_recordset(${JSON.stringify(keys)}::text::json)
      as k (id text, name text, "nameReversed" text, keys text[], company text)
    where a.applicant_id = k.id`
}
