// The change feed: a walk through the events in the order of their numbers.
import type postgres from 'postgres'
import type { Sql } from '../db/database.ts'
import { forEachCompanySet, pageSize } from '../db/keyset.ts'
import { every, isLimited } from '../db/limited.ts'

/** A position in the feed: the number of an event and the start of its id, which shows whether the database was restored. */
export interface FeedPosition {
  number: number
  mark: string
}

export interface Change {
  number: number
  eventId: string
  type: string
  recordId: string
  data: Record<string, string | null>
  occurredAt: Date
}

export interface FeedPage {
  /** At most one more than the limit. */
  changes: Change[]
  /** The number of rows that were read, and the last of them; undefined where there was none. */
  scanned: number
  last: FeedPosition | undefined
  /** The last change that the caller may see, and the last one that is deleted of those. */
  head: FeedPosition
  deletedThrough: number
  /** The last number of all. */
  through: number
  /** Whether the position that was asked for is one of this feed. */
  isKnown: boolean
  /** Whether committed events wait for their numbers. */
  isBehind: boolean
}

export interface FeedRequest {
  /** Undefined for the oldest change. */
  after: FeedPosition | undefined
  /** The types of events; undefined for all. */
  types: readonly string[] | undefined
  limit: number
  /** How many rows are read at most. */
  scan: number
}

interface Row {
  head: string
  headEventId: string | null
  deletedThrough: string
  through: string
  isKnown: boolean
  isBehind: boolean
  scanned: number
  lastNumber: string | null
  lastEventId: string | null
  /** Null in the only row of an empty page. */
  number: string | null
  eventId: string
  type: string
  recordId: string
  data: Record<string, string | null>
  occurredAt: Date
}

const MARK_LENGTH = 12

export async function readFeed(sql: Sql, { after, types, limit, scan }: FeedRequest): Promise<FeedPage> {
  const start = after ? sql`${after.number}::bigint` : sql`(select deleted_through from state)`
  // A position whose event is deleted cannot be verified.
  const known = after
    ? sql`${after.number}::bigint <= f.deleted_through or exists (
        select from ${every(sql, 'events')} e
        where e.number = ${after.number}::bigint and left(e.event_id, ${MARK_LENGTH}::integer) = ${after.mark}
      )`
    : sql`true`
  const rows = await sql<Row[]>`
    with state as (${stateOf(sql)}),
    scanned as materialized (${scanOf(sql, { start, limit: pageSize(sql, scan) })}),
    last as (select number, event_id from scanned order by number desc limit 1)
    select s.head, s.head_event_id as "headEventId", s.deleted_through as "deletedThrough", f.head as through,
      ${known} as "isKnown",
      exists (select from ${every(sql, 'events')} where dispatched_at is null) as "isBehind",
      (select count(*)::integer from scanned) as scanned, (select number from last) as "lastNumber",
      (select event_id from last) as "lastEventId", m.number, m.event_id as "eventId", m.type,
      m.record_id as "recordId", m.data, m.occurred_at as "occurredAt"
    from state s
    cross join ${every(sql, 'change_feed')} f
    left join (
      select * from scanned where ${types ? sql`type = any(${[...types]}::text[])` : sql`true`}
      order by number limit ${pageSize(sql, limit + 1)}
    ) m on true
    order by m.number`
  const [first] = rows
  if (!first) throw new Error('The table change_feed has lost its row.')
  return {
    changes: rows.flatMap(({ number, eventId, type, recordId, data, occurredAt }) =>
      number === null ? [] : { number: Number(number), eventId, type, recordId, data, occurredAt },
    ),
    scanned: first.scanned,
    last: first.lastNumber === null ? undefined : positionOf(Number(first.lastNumber), first.lastEventId),
    head: positionOf(Number(first.head), first.headEventId),
    deletedThrough: Number(first.deletedThrough),
    through: Number(first.through),
    isKnown: first.isKnown,
    isBehind: first.isBehind,
  }
}

export const positionOf = (number: number, eventId: string | null): FeedPosition => ({
  number,
  mark: (eventId ?? '').slice(0, MARK_LENGTH),
})

/** The last number that there can be. */
const LAST = '9223372036854775807'

/** The end of the feed for the caller, and the last number that is deleted of what the caller may see. */
const stateOf = (sql: Sql) =>
  isLimited(sql)
    ? sql`
        select coalesce(max(head), 0) as head, (array_agg(head_event_id order by head desc))[1] as head_event_id,
          coalesce(max(deleted_through), 0) as deleted_through
        from change_feed_sets`
    : sql`select head, head_event_id, deleted_through from change_feed`

const COLUMNS = 'k.number, k.event_id, k.type, k.record_id, k.data, k.occurred_at'

/** A range of the index by number; for a limited caller, one of each set of companies. */
function scanOf(sql: Sql, { start, limit }: { start: postgres.Fragment; limit: postgres.Fragment }) {
  if (!isLimited(sql))
    return sql`
      select ${sql.unsafe(COLUMNS)} from events k where k.number > ${start} order by k.number limit ${limit}`
  return sql`
    select * from (${forEachCompanySet(
      sql,
      set => sql`
        select ${sql.unsafe(COLUMNS)} from events k
        where (k.company_set_id, k.number) > (${set}, ${start})
          and (k.company_set_id, k.number) <= (${set}, ${LAST}::bigint)
          and k.company_set_id is not null and k.number is not null
        order by k.company_set_id, k.number limit ${limit}`,
    )}) k order by k.number limit ${limit}`
}

/** The end of the feed for the caller. */
export async function findHead(sql: Sql): Promise<FeedPosition> {
  const [row] = await sql<[{ head: string; eventId: string | null }]>`
    select head, head_event_id as "eventId" from (${stateOf(sql)}) s`
  return positionOf(Number(row.head), row.eventId)
}

/** What is needed to decide who waits for a change. */
export interface News {
  number: number
  type: string
  /** Null for a record that belongs to no company. */
  companyIds: string[] | null
}

/** The changes after this number, of all companies. */
export async function listNews(sql: Sql, after: number, limit: number): Promise<News[]> {
  const rows = await sql<(Omit<News, 'number'> & { number: string })[]>`
    select e.number, e.type, s.company_ids as "companyIds"
    from events e left join company_sets s on s.company_set_id = e.company_set_id
    where e.number > ${after}::bigint order by e.number limit ${pageSize(sql, limit)}`
  return rows.map(row => ({ ...row, number: Number(row.number) }))
}
