// Lists in an order that the client chooses, with filters: a page is read from an index that begins with some of the filters
// and ends in (key, seq), so that a deep page costs as much as the first one. Filters that the index does not begin with are
// compared row by row, unless one of them alone leaves few rows: those are then read and sorted.
import type postgres from 'postgres'
import type { Sql } from './database.ts'
import { type PageRequest, pageSize } from './keyset.ts'
import { isLimited } from './limited.ts'

type Fragment = postgres.Fragment

/** A total is exact up to this number; one more means that there are more. */
export const EXACT_TOTAL = 10_000

/** The position of a record: the value that the list is sorted by and, among equal ones, the order of creation. */
export interface ListPosition {
  key: string
  seq: number
  /** Whether a page from here includes the record itself. */
  inclusive: boolean
}

/** A column that the index begins with. A row for each of `values` (a select of one column `value`) is read and merged. */
interface Dimension {
  column: string
  values: Fragment
}

/** A range of an index on (dimensions, key, seq) of `table`, which has the alias `k`. */
export interface Walk {
  table: string
  dimensions: Dimension[]
  key: { column: string; type: 'date' | 'timestamptz' | 'text' }
  /** The first value of the key, and the one after the last. */
  since?: Fragment | undefined
  until?: Fragment | undefined
  /** The condition of the index, where it has one: `and …`. */
  indexed?: Fragment
  /** Filters that the index does not begin with: `and …`; undefined where there are none. */
  where?: Fragment | undefined
}

/** Another way to the rows of a list, by some of its filters: ranges of indexes that have no row in common. */
export interface Access {
  /** Filters may only compare what the index has, so that counting is cheap. */
  walks: Walk[]
  /** The condition of further rows, which are few and looked up by id. */
  others?: Fragment
  /** The filters that are left: `and …`; undefined where these ranges are all rows of the list and no others. */
  rest: Fragment | undefined
  /** Reads more rows than it counts: those that the caller does not see. Used where no other one leaves few rows. */
  isLast?: boolean
}

export interface OrderedList {
  /** The rows in the order of the list, with all filters. */
  walk: Walk
  descending: boolean
  /** Whether the walk begins with all filters, so that all rows that it reads are in the list. */
  isExact: boolean
  /** Where the walk is not exact. */
  accesses: Access[]
}

export interface OrderedPage<T> {
  records: T[]
  next: ListPosition | undefined
  prev: ListPosition | undefined
  /** `EXACT_TOTAL + 1` means more than that. */
  total: number
}

interface KeyRow {
  key: Date | string
  seq: string
}

interface Step {
  from: ListPosition | undefined
  descending: boolean
  limit: number
}

/** Reads rows from one source, in either direction. */
interface Source {
  select(step: Step): Fragment
  /** The number of rows, at most `most`. */
  count(most?: number): Fragment
}

/** Rows that are read by another filter and sorted, at most: each of them may be in another block of the table. */
const FEW = 5_000

/** `load` returns the records of these `seq`, in their order. All rows are counted meanwhile, which takes as long. */
export async function listOrdered<T>(
  sql: Sql,
  list: OrderedList,
  { limit, after, before }: PageRequest<ListPosition>,
  load: (seqs: number[]) => Promise<T[]>,
): Promise<OrderedPage<T>> {
  const { source, countAll } = await planOf(sql, list)
  const from = after ?? before
  const isBackwards = before !== undefined
  const descending = list.descending !== isBackwards
  const opposite = from && { ...from, inclusive: !from.inclusive }
  const read = (step: Step) => sql<KeyRow[]>`${source.select(step)}`
  const [rows, behind] = await Promise.all([
    read({ from, descending, limit: limit + 1 }),
    opposite && read({ from: opposite, descending: !descending, limit: 1 }),
  ])
  const more = rows.length > limit
  const kept = rows.slice(0, limit)
  const ordered = isBackwards ? kept.reverse() : kept
  const hasBehind = behind !== undefined && behind.length > 0
  const [hasNext, hasPrev] = isBackwards ? [hasBehind, more] : [more, hasBehind]
  // An empty page leads back to the position it was entered from.
  const positionAt = (row: KeyRow | undefined) => (row ? positionOf(row) : opposite)
  const [records, total] = await Promise.all([
    load(ordered.map(({ seq }) => Number(seq))),
    from || more ? countAll() : rows.length,
  ])
  return {
    records,
    next: hasNext ? positionAt(ordered.at(-1)) : undefined,
    prev: hasPrev ? positionAt(ordered[0]) : undefined,
    total,
  }
}

/** The number of rows in the list, at most `EXACT_TOTAL + 1`. */
export async function countOrdered(sql: Sql, list: OrderedList): Promise<number> {
  return (await planOf(sql, list)).countAll()
}

async function countOf(sql: Sql, count: Fragment): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select least(${count}, ${sql.unsafe(String(MOST))}) as count`
  return row.count
}

const MOST = EXACT_TOTAL + 1

/**
 * A limit that the planner does not know, so that it expects a tenth of the rows to be read. It underestimates ranges, and with
 * a limit beyond its estimate it would rather sort the whole range of another index.
 */
export const manyOf = (sql: Sql, limit: number): Fragment => sql`(select ${sql.unsafe(String(limit))})`

interface Plan {
  source: Source
  countAll: () => Promise<number>
}

/** Where the rows are read: in the order of the list or, where a filter alone leaves few of them, by that filter. */
async function planOf(sql: Sql, list: OrderedList): Promise<Plan> {
  const walk = walkSource(sql, list.walk)
  const byWalk = { source: walk, countAll: () => countOf(sql, walk.count()) }
  if (list.isExact || list.accesses.length === 0) return byWalk
  // The size of one that has all filters is the total; of others it matters whether they are few.
  const sizes = list.accesses.map(access =>
    sizeOf(sql, { table: list.walk.table, access, most: access.rest ? FEW + 1 : MOST }),
  )
  const [{ counts }] = await sql<[{ counts: number[] }]>`
    select array[${joined(sql, sizes, sql`, `)}] as counts`
  // Infinity keeps one that comes last out of the choice.
  const bounded = counts.map((count, at) => (list.accesses[at]?.isLast ? Infinity : count))
  const choice = Math.min(...bounded) <= FEW ? bounded : counts
  const fewest = Math.min(...choice)
  const access = list.accesses[choice.lastIndexOf(fewest)] as Access
  const sorted = sortedSource(sql, list, access)
  const isFew = fewest <= FEW
  const exact = list.accesses.findIndex(({ rest }) => rest === undefined)
  const total = counts[exact]
  // Rows that are in one of several ranges are counted range by range: all others by whichever index PostgreSQL chooses.
  const counted = isFew || access.walks.length > 1 ? sorted : walk
  return {
    source: isFew ? sorted : walk,
    countAll: total === undefined ? () => countOf(sql, counted.count()) : async () => Math.min(total, MOST),
  }
}

/** The number of rows that an access reads; each of its parts is counted up to `most`. */
function sizeOf(
  sql: Sql,
  { table, access: { walks, others }, most }: { table: string; access: Access; most: number },
): Fragment {
  const counts = walks.map(walk => walkSource(sql, walk).count(most))
  const more = others
    ? [
        sql`(select count(*)::int from (
          select 1 from ${sql(table)} k where ${others} limit ${sql.unsafe(String(most))}) counted)`,
      ]
    : []
  return joined(sql, [...counts, ...more], sql` + `)
}

export const joined = (sql: Sql, parts: Fragment[], by: Fragment = sql` `): Fragment =>
  parts.length === 0
    ? sql``
    : parts.slice(1).reduce((before, part) => sql`${before}${by}${part}`, parts[0] as Fragment)

function walkSource(sql: Sql, walk: Walk): Source & { all: (columns: Fragment, most: number) => Fragment } {
  const { table, dimensions, key } = walk
  const column = sql`k.${sql(key.column)}`
  const columns = dimensions.map(dimension => sql`k.${sql(dimension.column)}`)
  const values = dimensions.map((_, at) => sql.unsafe(`d${at}.value`))
  const row = (parts: Fragment[]) => sql`(${joined(sql, parts, sql`, `)})`
  const direction = (descending: boolean) => (descending ? sql` desc` : sql``)
  const ordered = (descending: boolean) =>
    joined(
      sql,
      [...columns, column, sql`k.seq`].map(one => sql`${one}${direction(descending)}`),
      sql`, `,
    )

  /** The rows from one side of the range to the other. A position replaces the bound on its side, which lies behind it. */
  const range = ({ from, descending }: Pick<Step, 'from' | 'descending'>) => {
    const position =
      from &&
      sql`${row([...columns, column, sql`k.seq`])} ${operator(sql, from, descending)}
      ${row([...values, keyOf(sql, key, from), sql`${from.seq}::bigint`])}`
    const bound = (value: Fragment | undefined, comparison: string, ofPrefix: string) =>
      value
        ? sql`${row([...columns, column])} ${sql.unsafe(comparison)} ${row([...values, value])}`
        : columns.length > 0
          ? sql`${row(columns)} ${sql.unsafe(ofPrefix)} ${row(values)}`
          : undefined
    const low = position && !descending ? position : bound(walk.since, '>=', '>=')
    const high = position && descending ? position : bound(walk.until, '<', '<=')
    const bounds = [low, high].filter(one => one !== undefined)
    return bounds.length === 0 ? sql`true` : joined(sql, bounds, sql` and `)
  }
  /**
   * The rows in the order of the index. `offset 0` keeps the filters out of this part: with them PostgreSQL would expect hardly
   * any row, and read whichever index, to sort what it finds.
   */
  const scan = (step: Pick<Step, 'from' | 'descending'>) => {
    const rows = sql`${sql(table)} k where ${range(step)} ${walk.indexed ?? sql``} order by ${ordered(step.descending)}`
    return walk.where ? sql`(select k.* from ${rows} offset 0) k where true ${walk.where}` : rows
  }
  const forEachValue = (select: Fragment) => {
    if (dimensions.length === 0) return select
    const sources = dimensions.map(
      (dimension, at) => sql`(${dimension.values}) as ${sql.unsafe(`d${at}`)} (value)`,
    )
    return sql`select s.* from ${joined(sql, sources, sql` cross join `)} cross join lateral (${select}) s`
  }

  // With a bound on both sides PostgreSQL expects too few rows to stop at the limit, and might read the whole range.
  const isAnyOrder = !(walk.since && walk.until)
  return {
    select({ from, descending, limit }) {
      const size = pageSize(sql, limit)
      const each = sql`
        select ${column} as key, k.seq from ${scan({ from, descending })} limit ${size}`
      return sql`
        select p.key, p.seq from (${forEachValue(each)}) p
        order by p.key${direction(descending)}, p.seq${direction(descending)} limit ${size}`
    },
    count: (most = MOST) =>
      sql`(select count(*)::int from (${
        isAnyOrder ? inAnyOrder() : sql`select 1 from (${all(sql`1`, most)}) p`
      } limit ${sql.unsafe(String(most))}) counted)`,
    all,
  }

  /** The rows of the range, in any order: any index is as good to count them. */
  function inAnyOrder(): Fragment {
    const conditions = dimensions.map(
      (dimension, at) => sql`and ${columns[at] as Fragment} = any(array(${dimension.values}))`,
    )
    if (walk.since) conditions.push(sql`and ${column} >= ${walk.since}`)
    if (walk.until) conditions.push(sql`and ${column} < ${walk.until}`)
    return sql`
      select 1 from ${sql(table)} k
      where true ${joined(sql, conditions)} ${walk.indexed ?? sql``} ${walk.where ?? sql``}`
  }

  function all(columns: Fragment, most: number): Fragment {
    return forEachValue(sql`
      select ${columns} from ${scan({ from: undefined, descending: false })} limit ${manyOf(sql, most)}`)
  }
}

/** Few rows, which are read by one of the filters, compared with the others, and sorted. */
function sortedSource(sql: Sql, { walk: { table, key } }: OrderedList, access: Access): Source {
  const rest = access.rest ?? sql``
  const columns = sql`k.${sql(key.column)} as key, k.seq`
  const selects = access.walks.map(
    walk =>
      sql`(${walkSource(sql, { ...walk, where: sql`${walk.where ?? sql``} ${rest}` }).all(columns, MOST)})`,
  )
  if (access.others)
    selects.push(sql`(select ${columns} from ${sql(table)} k where ${access.others} ${rest})`)
  const all = joined(sql, selects, sql` union all `)
  return {
    select({ from, descending, limit }) {
      const direction = descending ? sql` desc` : sql``
      const side = from
        ? sql`where (p.key, p.seq) ${operator(sql, from, descending)} (${keyOf(sql, key, from)}, ${from.seq}::bigint)`
        : sql``
      return sql`
        select p.key, p.seq from (${all}) p ${side}
        order by p.key${direction}, p.seq${direction} limit ${pageSize(sql, limit)}`
    },
    count: () => sql`(select count(*)::int from (${all}) counted)`,
  }
}

const operator = (sql: Sql, { inclusive }: ListPosition, descending: boolean) =>
  sql.unsafe((descending ? '<' : '>') + (inclusive ? '=' : ''))

const keyOf = (sql: Sql, { type }: Walk['key'], { key }: ListPosition): Fragment =>
  type === 'date'
    ? sql`${key}::text::date`
    : type === 'timestamptz'
      ? sql`${key}::text::timestamptz`
      : sql`${key}::text collate "C"`

function positionOf({ key, seq }: KeyRow): ListPosition {
  return { key: key instanceof Date ? key.toISOString() : key, seq: Number(seq), inclusive: false }
}

/**
 * The sets of companies that a list is read by: those that the company is in, of all that the caller sees. Undefined where
 * neither the caller nor the list is limited to companies.
 */
export function companySets(sql: Sql, companyId: string | undefined): Fragment | undefined {
  if (companyId !== undefined)
    return sql`select company_set_id from company_sets where company_ids @> ${[companyId]}::text[]`
  return isLimited(sql) ? sql`select company_set_id from company_sets` : undefined
}

/** The set of one company alone, which its people belong to. */
export const soleCompanySet = (sql: Sql, companyId: string): Fragment =>
  sql`select company_set_id from company_sets where company_ids = ${[companyId]}::text[]`

/** The values of a dimension that are known. */
export const valuesOf = (sql: Sql, values: readonly string[]): Fragment =>
  sql`select unnest(${[...values]}::text[])`
