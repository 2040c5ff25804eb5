// Keyset pagination over an index on (date, seq): a page begins at the position where another ended, so that the thousandth
// page costs as much as the first. Records that do not change meanwhile are neither skipped nor repeated.
import type postgres from 'postgres'
import type { Sql } from './database.ts'

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

/** Fragments of a statement that selects a page of `table`, with the alias `k`. */
export function keyset(
  sql: Sql,
  window: Window,
  { table, column, isDay, columns, filter = sql`` }: KeysetOptions,
) {
  const at = sql`k.${sql(column)}`
  // Subqueries hide the dates from the planner, so that a custom plan costs the same as the generic one and PostgreSQL keeps
  // the generic plan. Planning each range took as long as reading the page in a large table.
  const since = isDay
    ? sql`${at} >= (select ${window.startDate}::date)`
    : sql`${at} >= (select ${`${window.startDate}T00:00:00Z`}::timestamptz)`
  const until = isDay
    ? sql`${at} <= (select ${window.endDate}::date)`
    : sql`${at} < (select (${window.endDate}::date + 1)::timestamp at time zone 'UTC')`
  const keyOf = ({ at: date, seq }: Position) =>
    isDay ? sql`(${date}::date, ${seq}::bigint)` : sql`(${date}::timestamptz, ${seq}::bigint)`
  const key = sql`(${at}, k.seq)`
  const from = sql`${sql(table)} k`
  const wanted = sql`${at} as key_at, ${sql(['seq', ...columns].map(name => `k.${name}`))}`
  const backwards = 'before' in window
  const number = (value: number, isCommon: boolean) => (isCommon ? sql.unsafe(String(value)) : sql`${value}`)
  const limit = number(window.limit + 1, COMMON.sizes.has(window.limit))

  // A position is within the range, so that it is the only bound on its side. With two bounds on one side, PostgreSQL starts
  // its index scan at the date and reads up to the position: deep pages would cost more.
  return {
    /** One more row than the limit, which tells whether there is another page. */
    rows: backwards
      ? sql`select ${wanted} from ${from} where ${since} and ${key} < ${keyOf(window.before)} ${filter}
          order by ${at} desc, k.seq desc limit ${limit}`
      : 'after' in window
        ? sql`select ${wanted} from ${from} where ${key} > ${keyOf(window.after)} and ${until} ${filter}
            order by ${at}, k.seq limit ${limit}`
        : sql`select ${wanted} from ${from} where ${since} and ${until} ${filter}
            order by ${at}, k.seq limit ${limit} offset ${number(window.offset, COMMON.offsets.has(window.offset))}`,
    /** The order of the page, for the enclosing statement. */
    order: backwards ? sql`k.key_at desc, k.seq desc` : sql`k.key_at, k.seq`,
    /**
     * True when there are records on the side that the page was entered from. It selects the record next to the page,
     * because for `exists` the planner may read the table from its beginning until it finds a match.
     */
    behind: backwards
      ? sql`(select true from ${from} where ${key} >= ${keyOf(window.before)} and ${until} ${filter}
          order by ${at}, k.seq limit 1)`
      : 'after' in window
        ? sql`(select true from ${from} where ${since} and ${key} <= ${keyOf(window.after)} ${filter}
            order by ${at} desc, k.seq desc limit 1)`
        : window.offset > 0
          ? sql`(select true from ${from} where ${since} and ${until} ${filter} order by ${at}, k.seq limit 1)`
          : sql`false`,
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
