// Owns paging by key: a page begins where another ended, found in an index on (date, seq), so that the thousandth costs
// what the first costs. Nothing is skipped or repeated that did not change meanwhile.
import type postgres from 'postgres'
import type { Sql } from './database.ts'

/** A place between records: their date and, among equal dates, the order in which they were made. */
export interface Place {
  at: string
  seq: number
}

interface Range {
  /** Whole days, both included. */
  startDate: string
  endDate: string
  /** Which date the range is about. */
  type: string
  limit: number
}

export type Window = Range & ({ offset: number } | { after: Place } | { before: Place })

/** A page of a list that is not by date, from a place of its own kind. */
export interface Walk<P> {
  limit: number
  after?: P
  before?: P
}

export interface Page<T> {
  records: T[]
  /** Undefined where there is no page to go to. */
  next: Place | undefined
  prev: Place | undefined
}

/** Says of a page, with each of its rows, whether there is anything on the side that it was entered from. */
export interface Sided {
  behind: boolean | null
}

/** Every row that a list gives has its place. */
export interface Placed {
  at: Date | string
  seq: string | number
}

export interface KeysetOptions {
  table: string
  /** The column of the window's type, and whether it holds days rather than moments. */
  column: string
  isDay: boolean
  /** The columns that the statement around it needs. */
  columns: string[]
  /** What else must hold of a row, such as `and k.name = …`. */
  filter?: postgres.Fragment
}

/**
 * Sizes and beginnings that most callers ask for. They stand in the statement itself: PostgreSQL then knows how little of an
 * index a page is, and plans it once. One's own is a parameter, so that there are not a thousand statements.
 */
const COMMON = { sizes: new Set([10, 20, 25, 50, 100, 200, 250, 500, 1000]), offsets: new Set([0, 1]) }

/** A limit, as part of the statement where it is a common one. */
export const pageSize = (sql: Sql, limit: number) =>
  limit === 1 || COMMON.sizes.has(limit) || COMMON.sizes.has(limit - 1)
    ? sql.unsafe(String(limit))
    : sql`${limit}`

/** The parts of a statement that pick a page out of `table`, which the statement calls `k`. */
export function keyset(
  sql: Sql,
  window: Window,
  { table, column, isDay, columns, filter = sql`` }: KeysetOptions,
) {
  const at = sql`k.${sql(column)}`
  // As queries of their own they are unknown when the statement is planned: plans for one range and for any then look alike,
  // and PostgreSQL keeps one instead of making one for every range, which in a large table took as long as the page.
  const since = isDay
    ? sql`${at} >= (select ${window.startDate}::date)`
    : sql`${at} >= (select ${`${window.startDate}T00:00:00Z`}::timestamptz)`
  const until = isDay
    ? sql`${at} <= (select ${window.endDate}::date)`
    : sql`${at} < (select (${window.endDate}::date + 1)::timestamp at time zone 'UTC')`
  const place = ({ at: date, seq }: Place) =>
    isDay ? sql`(${date}::date, ${seq}::bigint)` : sql`(${date}::timestamptz, ${seq}::bigint)`
  const key = sql`(${at}, k.seq)`
  const from = sql`${sql(table)} k`
  const wanted = sql`${at} as key_at, ${sql(['seq', ...columns].map(name => `k.${name}`))}`
  const backwards = 'before' in window
  const number = (value: number, isCommon: boolean) => (isCommon ? sql.unsafe(String(value)) : sql`${value}`)
  const limit = number(window.limit + 1, COMMON.sizes.has(window.limit))

  // A place lies within the range and alone bounds its side: given two bounds of one side, PostgreSQL begins at the plain
  // one and reads on to the other, and a page would cost more the deeper it lies.
  return {
    /** One more than asked for: whether there is another tells whether there is another page. */
    rows: backwards
      ? sql`select ${wanted} from ${from} where ${since} and ${key} < ${place(window.before)} ${filter}
          order by ${at} desc, k.seq desc limit ${limit}`
      : 'after' in window
        ? sql`select ${wanted} from ${from} where ${key} > ${place(window.after)} and ${until} ${filter}
            order by ${at}, k.seq limit ${limit}`
        : sql`select ${wanted} from ${from} where ${since} and ${until} ${filter}
            order by ${at}, k.seq limit ${limit} offset ${number(window.offset, COMMON.offsets.has(window.offset))}`,
    /** The order of the page, for the statement around it. */
    order: backwards ? sql`k.key_at desc, k.seq desc` : sql`k.key_at, k.seq`,
    /**
     * True where there is anything on the side that the page was entered from. Asked for as the record next to the page:
     * for any record, `exists` would let the planner read the table from its beginning until it meets one.
     */
    behind: backwards
      ? sql`(select true from ${from} where ${key} >= ${place(window.before)} and ${until} ${filter}
          order by ${at}, k.seq limit 1)`
      : 'after' in window
        ? sql`(select true from ${from} where ${since} and ${key} <= ${place(window.after)} ${filter}
            order by ${at} desc, k.seq desc limit 1)`
        : window.offset > 0
          ? sql`(select true from ${from} where ${since} and ${until} ${filter} order by ${at}, k.seq limit 1)`
          : sql`false`,
  }
}

/** Puts a page in order and says which pages lie beside it. Only an empty one has to ask what lies behind it. */
export async function pageOf<T extends Placed>(
  window: Window,
  rows: (T & Sided)[],
  ask: () => PromiseLike<Sided[]>,
): Promise<Page<T>> {
  const [{ behind } = { behind: null }] = rows.length > 0 ? rows : await ask()
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
    next: hasNext ? (last ? placeOf(last) : edgeOf(window, 'next')) : undefined,
    prev: hasPrev ? (first ? placeOf(first) : edgeOf(window, 'prev')) : undefined,
  }
}

function placeOf({ at, seq }: Placed): Place {
  return { at: at instanceof Date ? at.toISOString() : at, seq: Number(seq) }
}

/** From an empty page, the way back leads to the records just beyond where it was entered. */
function edgeOf(window: Window, side: 'next' | 'prev'): Place {
  if ('after' in window) return { at: window.after.at, seq: window.after.seq + 1 }
  if ('before' in window) return { at: window.before.at, seq: window.before.seq - 1 }
  if (side === 'prev') return { at: `${window.endDate}T23:59:59.999Z`, seq: Number.MAX_SAFE_INTEGER }
  return { at: `${window.startDate}T00:00:00Z`, seq: -1 }
}
