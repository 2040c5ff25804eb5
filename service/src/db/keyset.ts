// Keyset pagination over an index on (date, seq): a page begins at the position where another ended, so that the thousandth
// page costs as much as the first. Records that do not change meanwhile are neither skipped nor repeated.
import type postgres from 'postgres'
import type { Sql } from './database.ts'
import { isLimited } from './limited.ts'

/** The position of a record: its date and, among equal dates, the order of creation. */
export interface Position {
  at: string
  seq: number
}

interface Range {
  /** Days in UTC, both included. */
  startDate: string
  endDate: string
  /** Which date of the record must be in the range. */
  type: string
  limit: number
}

export type Window = Range & ({ offset: number } | { after: Position } | { before: Position })

/** A page of a list that is not ordered by date; `P` is its type of position. */
export interface PageRequest<P> {
  limit: number
  after?: P
  before?: P
}

/** The records next to a position, which is excluded: the older ones, newest first, or the newer ones, oldest first. */
export interface Slice {
  from: Position
  isNewer: boolean
  limit: number
}

export interface Page<T> {
  records: T[]
  /** Undefined on the last page, or on the first. */
  next: Position | undefined
  prev: Position | undefined
}

/** Each row of a page tells whether there are records behind the page, on the side that it was entered from. */
export interface BehindFlag {
  behind: boolean | null
}

export interface PositionedRow {
  at: Date | string
  seq: string | number
}

interface KeysetOptions {
  table: string
  /** The column of the window's type, and whether it is a date rather than a timestamp. */
  column: string
  isDay: boolean
  /** The columns that the enclosing statement needs. */
  columns: string[]
  /** Further conditions, such as `and k.name = …`. */
  filter?: postgres.Fragment
  /** Whether the table has an index on (company_set_id, column, seq). */
  byCompany?: boolean
}

/**
 * Common page sizes and offsets are literals in the statement: PostgreSQL then knows how small a page is, and plans it once.
 * All others are parameters, so that there are not a thousand prepared statements.
 */
const COMMON = { sizes: new Set([10, 20, 25, 50, 100, 200, 250, 500, 1000]), offsets: new Set([0, 1]) }

/** A limit: a literal when it is a common one, else a parameter. */
export const pageSize = (sql: Sql, limit: number) =>
  limit === 1 || COMMON.sizes.has(limit) || COMMON.sizes.has(limit - 1)
    ? sql.unsafe(String(limit))
    : sql`${limit}`

/**
 * Runs a select once for each set of companies that a limited caller sees, so that each is read from an index that begins
 * with the set. One scan would read the rows of all other companies in between. The select compares the set as part of a
 * row, `(company_set_id, date) >= (set, …)`, and orders by it: with `company_set_id = set`, the planner may prefer the index
 * without the set.
 */
export const forEachCompanySet = (
  sql: Sql,
  select: (set: postgres.Fragment) => postgres.Fragment,
): postgres.Fragment => sql`
  select s.* from company_sets v cross join lateral (${select(sql`v.company_set_id`)}) s`

export interface TwoSets {
  one: postgres.Fragment
  other: postgres.Fragment
}

/** The same for rows about two records: once for each two sets that occur together and that the caller sees. */
export const forEachTwoCompanySets = (
  sql: Sql,
  select: (sets: TwoSets) => postgres.Fragment,
): postgres.Fragment => sql`
  select s.* from company_set_pairs v
  cross join lateral (
    ${select({ one: sql`v.company_set_id`, other: sql`v.other_company_set_id` })}
  ) s`

/** Fragments of a statement that selects a page of `table`, with the alias `k`. */
export function keyset(
  sql: Sql,
  window: Window,
  { table, column, isDay, columns, filter = sql``, byCompany = false }: KeysetOptions,
) {
  const at = sql`k.${sql(column)}`
  const from = sql`${sql(table)} k`
  const wanted = sql`${at} as key_at, ${sql(['seq', ...columns].map(name => `k.${name}`))}`
  const backwards = 'before' in window
  const number = (value: number, isCommon: boolean) => (isCommon ? sql.unsafe(String(value)) : sql`${value}`)
  const limit = number(window.limit + 1, COMMON.sizes.has(window.limit))
  const isFromPosition = backwards || 'after' in window
  const skipped = isFromPosition ? 0 : window.offset
  const page = isFromPosition
    ? sql`limit ${limit}`
    : sql`limit ${limit} offset ${number(skipped, COMMON.offsets.has(skipped))}`

  /** The parts of a scan; of the rows of one set of companies, if there is one. */
  const partsOf = (set: postgres.Fragment | undefined) => {
    const columnsOf = (keys: postgres.Fragment) => (set ? sql`(k.company_set_id, ${keys})` : keys)
    const valuesOf = (values: postgres.Fragment) => (set ? sql`(${set}, ${values})` : values)
    // Subqueries hide the dates from the planner, so that a custom plan costs the same as the generic one and PostgreSQL
    // keeps the generic plan. Planning each range took as long as reading the page in a large table.
    const since = isDay
      ? sql`${columnsOf(at)} >= ${valuesOf(sql`(select ${window.startDate}::date)`)}`
      : sql`${columnsOf(at)} >= ${valuesOf(sql`(select ${`${window.startDate}T00:00:00Z`}::timestamptz)`)}`
    const until = isDay
      ? sql`${columnsOf(at)} <= ${valuesOf(sql`(select ${window.endDate}::date)`)}`
      : sql`${columnsOf(at)} < ${valuesOf(sql`(select (${window.endDate}::date + 1)::timestamp at time zone 'UTC')`)}`
    const key = set ? sql`(k.company_set_id, ${at}, k.seq)` : sql`(${at}, k.seq)`
    const keyOf = ({ at: date, seq }: Position) => {
      const values = isDay ? sql`${date}::date, ${seq}::bigint` : sql`${date}::timestamptz, ${seq}::bigint`
      return set ? sql`(${set}, ${values})` : sql`(${values})`
    }
    // The conditions of the partial indexes, which follow from a comparison of the column alone.
    const indexed = set
      ? sql`and k.company_set_id is not null ${isDay ? sql`and ${at} is not null` : sql``} ${filter}`
      : filter
    return {
      since,
      until,
      key,
      keyOf,
      indexed,
      ascending: set ? sql`k.company_set_id, ${at}, k.seq` : sql`${at}, k.seq`,
      descending: set ? sql`k.company_set_id desc, ${at} desc, k.seq desc` : sql`${at} desc, k.seq desc`,
    }
  }

  // A position is within the range, so that it is the only bound on its side. With two bounds on one side, PostgreSQL starts
  // its index scan at the date and reads up to the position: deep pages would cost more.
  const scan = (end: postgres.Fragment, set?: postgres.Fragment) => {
    const { since, until, key, keyOf, indexed, ascending, descending } = partsOf(set)
    return 'before' in window
      ? sql`select ${wanted} from ${from} where ${since} and ${key} < ${keyOf(window.before)} ${indexed}
          order by ${descending} ${end}`
      : 'after' in window
        ? sql`select ${wanted} from ${from} where ${key} > ${keyOf(window.after)} and ${until} ${indexed}
            order by ${ascending} ${end}`
        : sql`select ${wanted} from ${from} where ${since} and ${until} ${indexed}
            order by ${ascending} ${end}`
  }
  /** The record next to the page, on the side that it was entered from. */
  const neighbour = (set?: postgres.Fragment) => {
    const { since, until, key, keyOf, indexed, ascending, descending } = partsOf(set)
    return 'before' in window
      ? sql`select true from ${from} where ${key} >= ${keyOf(window.before)} and ${until} ${indexed}
          order by ${ascending} limit 1`
      : 'after' in window
        ? sql`select true from ${from} where ${since} and ${key} <= ${keyOf(window.after)} ${indexed}
            order by ${descending} limit 1`
        : sql`select true from ${from} where ${since} and ${until} ${indexed} order by ${ascending} limit 1`
  }
  const hasNeighbour = isFromPosition || skipped > 0
  const merged = byCompany && isLimited(sql)
  const order = backwards ? sql`k.key_at desc, k.seq desc` : sql`k.key_at, k.seq`

  return {
    /** One more row than the limit, which tells whether there is another page. */
    rows: merged
      ? sql`select * from (
          ${forEachCompanySet(sql, set => scan(sql`limit ${pageSize(sql, window.limit + 1 + skipped)}`, set))}
        ) k order by ${order} ${page}`
      : scan(page),
    /** The order of the page, for the enclosing statement. */
    order,
    /**
     * True when there are records on the side that the page was entered from. It selects the record next to the page,
     * because for `exists` the planner may read the table from its beginning until it finds a match.
     */
    behind: !hasNeighbour
      ? sql`false`
      : merged
        ? sql`(${forEachCompanySet(sql, neighbour)} limit 1)`
        : sql`(${neighbour()})`,
  }
}

/** Fragments of a statement that selects a slice by these columns of the table with the alias `k`. */
export function sliceOf(sql: Sql, { from, isNewer, limit }: Slice, column: string) {
  const key = sql`(k.${sql(column)}, k.seq)`
  // Hidden from the planner, as in a page.
  const position = sql`((select ${from.at}::timestamptz), (select ${from.seq}::bigint))`
  const size = pageSize(sql, limit)
  return {
    where: isNewer ? sql`${key} > ${position}` : sql`${key} < ${position}`,
    order: isNewer
      ? sql`order by k.${sql(column)}, k.seq limit ${size}`
      : sql`order by k.${sql(column)} desc, k.seq desc limit ${size}`,
  }
}

/** The records of a page in ascending order, with the positions of its neighbours. `loadBehind` is for empty pages. */
export async function pageOf<T extends PositionedRow>(
  window: Window,
  rows: (T & BehindFlag)[],
  loadBehind: () => PromiseLike<BehindFlag[]>,
): Promise<Page<T>> {
  const [{ behind } = { behind: null }] = rows.length > 0 ? rows : await loadBehind()
  const backwards = 'before' in window
  const more = rows.length > window.limit
  const kept = rows.slice(0, window.limit)
  const records = backwards ? kept.reverse() : kept
  const first = records[0]
  const last = records.at(-1)
  const hasNext = backwards ? behind === true : more
  const hasPrev = backwards ? more : behind === true
  return {
    records,
    next: hasNext ? (last ? positionOf(last) : edgeOf(window, 'next')) : undefined,
    prev: hasPrev ? (first ? positionOf(first) : edgeOf(window, 'prev')) : undefined,
  }
}

function positionOf({ at, seq }: PositionedRow): Position {
  return { at: at instanceof Date ? at.toISOString() : at, seq: Number(seq) }
}

/** An empty page has no records to take a position from: its neighbour begins at the position that it was entered from. */
function edgeOf(window: Window, side: 'next' | 'prev'): Position {
  if ('after' in window) return { at: window.after.at, seq: window.after.seq + 1 }
  if ('before' in window) return { at: window.before.at, seq: window.before.seq - 1 }
  if (side === 'prev') return { at: `${window.endDate}T23:59:59.999Z`, seq: Number.MAX_SAFE_INTEGER }
  return { at: `${window.startDate}T00:00:00Z`, seq: -1 }
}
