// Searches applicants, live and archived. Every page starts in an index, so that its cost does not depend on the size of
// the table.
import type postgres from 'postgres'
import type { Sql, Tx } from '../db/database.ts'
import { pageSize } from '../db/keyset.ts'
import { companySets, joined as listed, manyOf, soleCompanySet } from '../db/ordered-list.ts'
import { KEYS_VERSION, type NamePrefix, type SearchKeys } from './search-keys.ts'

export interface FoundRow {
  applicantId: string
  primaryApplicantId: string | null
  employeeNumber: string | null
  firstName: string | null
  lastName: string | null
  dateOfBirth: string | null
  email: string | null
  relationship: string | null
  status: string | null
  nationality: string | null
  sendingCompany: string | null
  createdAt: Date
  updatedAt: Date
  archivedAt: Date | null
}

/** All criteria that are given must hold. */
export interface Criteria {
  archived: boolean
  /** The beginning of a name, or one of the keys. */
  any: { name: NamePrefix; keys: string[] } | undefined
  name: NamePrefix | undefined
  employeeNumber: string | undefined
  /** Keys that the record must all have. */
  keys: string[]
  companyId: string | undefined
  /** All spellings of one nationality. */
  nationalities: string[] | undefined
  status: string | undefined
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
  a.record->>'status' as status, a.record->>'nationality' as nationality, a.record->>'sendingCompany' as "sendingCompany",
  a.created_at as "createdAt", a.updated_at as "updatedAt", a.archived_at as "archivedAt"`

/** One record, live or archived, primary or dependent. */
export async function findApplicant(sql: Sql, applicantId: string): Promise<FoundRow | undefined> {
  const rows = await sql<
    FoundRow[]
  >`select ${found(sql)} from applicants a where a.applicant_id = ${applicantId}`
  return rows[0]
}

/** The dependents of these primary applicants that are not archived, in the order in which they were added. */
export async function listDependents(sql: Sql, primaryIds: readonly string[]): Promise<FoundRow[]> {
  return sql<FoundRow[]>`
    select ${found(sql)} from unnest(${[...primaryIds]}::text[]) as w (id)
    cross join lateral (
      select * from applicants d where d.primary_id = w.id and d.archived_at is null
    ) a
    order by a.seq`
}

type Column = 'name_key' | 'name_key_reversed'

/** A part of a search: a range of one index, or a few rows that are looked up by key and sorted. */
interface Part {
  column: Column
  prefix: string | undefined
  keys: string[] | undefined
}

/**
 * Matches of whole numbers and addresses come first, then of last names, then of first names, then of a last name after the
 * first one. Each part has its own order: with one order for all, every page would read and sort everyone who shares a first
 * name.
 */
function partsOf({ any, name }: Criteria): Part[] {
  if (any) return [{ column: 'name_key', prefix: undefined, keys: any.keys }, ...named(any.name)]
  return name === undefined ? [{ column: 'name_key', prefix: undefined, keys: undefined }] : named(name)
}

const named = ({ prefix, rotated }: NamePrefix): Part[] => [
  { column: 'name_key', prefix, keys: undefined },
  { column: 'name_key_reversed', prefix, keys: undefined },
  ...rotated.map((prefix): Part => ({ column: 'name_key', prefix, keys: undefined })),
]

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

interface Rows {
  part: Part
  /** Parts whose rows are left out. */
  earlier: Part[]
  range: postgres.Fragment
  order: postgres.Fragment
}

/** The rows of a part that are not in an earlier part, in order. */
function rowsOf(sql: Sql, criteria: Criteria, { part, earlier, range, order }: Rows) {
  const others = earlier.map(other => sql`and not (${belongs(sql, other)})`)
  const { any, name } = criteria
  const both =
    any && name !== undefined
      ? sql`and (${listed(
          sql,
          named(name).map(part => belongs(sql, part)),
          sql` or `,
        )})`
      : sql``
  const rest = sql`${joined(sql, others)} ${both} ${joined(sql, filtersOf(sql, part, criteria))}`
  const isLive = archivedOrNot(sql, criteria.archived)
  if (!isRange(part, criteria))
    return sql`from ${source(sql, part, criteria)} where ${isLive} and ${range} ${rest} order by ${order}`
  // `offset 0` keeps the further conditions out of this part: with them PostgreSQL would expect hardly any row, and read
  // whichever index, to sort what it finds.
  return sql`from (
      select * from applicants a where ${isLive} and ${range} order by ${order} offset 0
    ) a where true ${rest}`
}

const setsOf = (sql: Sql, companyId: string | undefined) =>
  companyId === undefined ? companySets(sql, undefined) : soleCompanySet(sql, companyId)

/** Which filters an index begins with. Those on nationality and status are by last name, and have live records only. */
function indexedFilters(part: Part, criteria: Criteria) {
  const { archived, nationalities, status: letter, companyId } = criteria
  const isLastName = isRange(part, criteria) && !archived && part.column === 'name_key'
  const byNationality = isLastName && nationalities !== undefined
  return {
    company: isRange(part, criteria) && companyId !== undefined,
    nationality: byNationality,
    status: isLastName && !byNationality && letter !== undefined,
  }
}

/** The filters that the index of the part does not begin with. */
function filtersOf(sql: Sql, part: Part, criteria: Criteria): postgres.Fragment[] {
  const { nationalities, status: letter, companyId } = criteria
  const indexed = indexedFilters(part, criteria)
  return [
    ...(nationalities && !indexed.nationality
      ? [sql`and a.nationality_key = any(${nationalities}::text[])`]
      : []),
    ...(letter !== undefined && !indexed.status ? [sql`and a.status_key = ${letter}`] : []),
    ...(companyId !== undefined && !indexed.company
      ? [sql`and a.company_set_id = any(array(${soleCompanySet(sql, companyId)}))`]
      : []),
  ]
}

/** What an index begins with, before the name: each value is read for itself, and the results are merged. */
interface Prefix {
  column: postgres.Fragment
  values: postgres.Fragment
  /** The condition of the partial index, where the comparison does not imply it. */
  condition?: postgres.Fragment
}

function prefixesOf(sql: Sql, part: Part, criteria: Criteria): Prefix[] {
  if (!isRange(part, criteria)) return []
  const { nationalities = [], status: letter = '', companyId } = criteria
  const indexed = indexedFilters(part, criteria)
  const sets = setsOf(sql, companyId)
  return [
    ...(sets
      ? [{ column: sql`a.company_set_id`, values: sets, condition: sql`a.company_set_id is not null` }]
      : []),
    ...(indexed.nationality
      ? [{ column: sql`a.nationality_key`, values: sql`select unnest(${nationalities}::text[])` }]
      : []),
    ...(indexed.status ? [{ column: sql`a.status_key`, values: sql`select ${letter}::text` }] : []),
  ]
}

/** Whether the rows of a part are a range of an index on names. */
const isRange = ({ keys: some }: Part, { keys, employeeNumber }: Criteria) =>
  !some && keys.length === 0 && employeeNumber === undefined

/** The select as it is or, where an index begins with other columns than the name, once for each of their values. */
function forEachValue(sql: Sql, prefixes: Prefix[], select: postgres.Fragment): postgres.Fragment {
  if (prefixes.length === 0) return select
  const sources = prefixes.map(({ values }, at) => sql`(${values}) as ${sql.unsafe(`d${at}`)} (value)`)
  return sql`select s.* from ${listed(sql, sources, sql` cross join `)} cross join lateral (${select}) s`
}

/**
 * A position replaces the bound on its side of the range. With two bounds on one side PostgreSQL starts at the first one
 * and reads on to the other, and a page would cost more the deeper it is. What the index begins with is compared as part of
 * a row: with an equality, PostgreSQL may prefer another index.
 */
function rangeOf(
  sql: Sql,
  { column, prefix, keys }: Part,
  { from, backwards, prefixes }: Omit<Step, 'limit'> & { prefixes: Prefix[] },
) {
  const columns = prefixes.map(one => one.column)
  const values = prefixes.map((_, at) => sql.unsafe(`d${at}.value`))
  const name = sql`a.${sql(column)}`
  const row = (parts: postgres.Fragment[]) => sql`(${listed(sql, parts, sql`, `)})`
  const side = (position: SearchPosition) => {
    const operator = sql.unsafe((backwards ? '<' : '>') + (position.inclusive ? '=' : ''))
    const { key, applicantId } = position
    return sql`${row([...columns, name, sql`a.applicant_id`])} ${operator} ${row([...values, sql`${key}`, sql`${applicantId}`])}`
  }
  const bound = (text: string | undefined, operator: string, ofPrefix: string) =>
    text !== undefined
      ? [sql`${row([...columns, name])} ${sql.unsafe(operator)} ${row([...values, sql`${text}`])}`]
      : columns.length > 0
        ? [sql`${row(columns)} ${sql.unsafe(ofPrefix)} ${row(values)}`]
        : []
  const conditions = [
    ...prefixes.flatMap(({ condition }) => condition ?? []),
    ...(keys ? [sql`a.search_keys && ${keys}::text[]`] : []),
    ...(from && !backwards ? [side(from)] : bound(prefix, '>=', '>=')),
    ...(from && backwards ? [side(from)] : bound(prefix === undefined ? undefined : end(prefix), '<', '<=')),
  ]
  return conditions.length === 0 ? sql`true` : listed(sql, conditions, sql` and `)
}

/** The order of the index. */
const orderOf = (
  sql: Sql,
  { column }: Part,
  { prefixes, backwards }: { prefixes: Prefix[]; backwards: boolean },
) =>
  listed(
    sql,
    [...prefixes.map(one => one.column), sql`a.${sql(column)}`, sql`a.applicant_id`].map(one =>
      backwards ? sql`${one} desc` : one,
    ),
    sql`, `,
  )

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
  const selects = partsOf(criteria).flatMap((part, index, parts) => {
    if (from && (backwards ? index > from.part : index < from.part)) return []
    const start = from?.part === index ? from : undefined
    const key = sql`a.${sql(part.column)}`
    const prefixes = prefixesOf(sql, part, criteria)
    const range = rangeOf(sql, part, { from: start, backwards, prefixes })
    const select = sql`
      select ${sql.unsafe(String(index))} as part, ${key} as key, ${found(sql)}
      ${rowsOf(sql, criteria, { part, earlier: parts.slice(0, index), range, order: orderOf(sql, part, { prefixes, backwards }) })}
      limit ${size}`
    return forEachValue(sql, prefixes, select)
  })
  const order = backwards ? sql`part desc, key desc, "applicantId" desc` : sql`part, key, "applicantId"`
  return sql<FoundAt[]>`
    select * from (${unionAll(sql, selects)}) parts
    order by ${order}
    limit ${size}`
}

/**
 * The number of records, at most `counted`. Names are counted first, and only parts that have rows are left out of later ones:
 * where no last name matches, first names are counted in their index, without reading the table.
 */
export async function countApplicants(sql: Sql, criteria: Criteria, counted: number): Promise<number> {
  const parts = partsOf(criteria)
  const earlier: Part[] = []
  let total = 0
  for (const part of [...parts.filter(({ keys }) => !keys), ...parts.filter(({ keys }) => keys)]) {
    const count = await countPart(sql, criteria, { part, earlier, counted })
    if (count > 0) earlier.push(part)
    total = Math.min(total + count, counted)
    if (total === counted) break
  }
  return total
}

async function countPart(
  sql: Sql,
  criteria: Criteria,
  { part, earlier, counted }: Pick<Rows, 'part' | 'earlier'> & { counted: number },
): Promise<number> {
  const prefixes = prefixesOf(sql, part, criteria)
  const range = rangeOf(sql, part, { from: undefined, backwards: false, prefixes })
  // Ordered like the index, so that PostgreSQL reads the index instead of scanning the table until it has enough rows.
  const order = orderOf(sql, part, { prefixes, backwards: false })
  const select = sql`select ${rowsOf(sql, criteria, { part, earlier, range, order })} limit ${manyOf(sql, counted)}`
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select from (${forEachValue(sql, prefixes, select)}) part limit ${sql.unsafe(String(counted))}
    ) counted`
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
