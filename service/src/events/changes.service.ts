// The change feed for its readers: pages of what the caller may read, in the order of commits, and waiting for the next.
import type { Sql } from '../db/database.ts'
import { EVENT_TYPES, type EventType, scopeOfEvent } from '../lib/event-types.ts'
import type { Principal } from '../lib/principal.ts'
import { declareProblem } from '../lib/problem.ts'
import { type Change, type FeedPosition, findHead, type News, positionOf, readFeed } from './changes.store.ts'
import type { FeedWatch } from './feed-watch.ts'

export type { Change, FeedPosition }

export const feedExpired = declareProblem({
  code: 'feed-expired',
  status: 410,
  title: 'Changes after this cursor are no longer kept, so that some would be missed.',
  remedy: 'Take a new copy with GET /v2/export, and go on from its cursor.',
})

/** A page of some types reads at most this many changes, so that a rare type costs no more than any other. */
const MAX_SCANNED = 5_000

/** What a reader sees of the feed. */
export interface Reader {
  /** Undefined for all types. */
  types: readonly EventType[] | undefined
  companies: Principal['companies']
}

export interface PageRequest {
  /** Undefined for the oldest change that is kept. */
  after: FeedPosition | 'now' | undefined
  limit: number
}

export interface ChangesPage {
  changes: Change[]
  next: FeedPosition
  /** The number up to which all changes were looked at, also those that the caller does not see. */
  through: number
  /** Whether there are more changes to read now. The page may be empty all the same. */
  more: boolean
}

export type Changes = ReturnType<typeof createChanges>

export function createChanges({ sql, watch }: { sql: Sql; watch: FeedWatch }) {
  const read = async (
    { types }: Reader,
    { after, limit }: { after: FeedPosition | undefined; limit: number },
  ): Promise<ChangesPage & { isBehind: boolean }> => {
    const scan = types ? Math.max(MAX_SCANNED, limit + 1) : limit + 1
    const page = await readFeed(sql, { after, types, limit, scan })
    if (after && after.number < page.deletedThrough) throw feedExpired()
    if (!page.isKnown)
      throw feedExpired(
        'The cursor is of another state of the database: it was restored from a backup since.',
      )
    const { through } = page
    const changes = page.changes.slice(0, limit)
    const last = changes.at(-1)
    if (page.changes.length > limit && last)
      return { changes, next: positionAfter(last), through, more: true, isBehind: false }
    if (page.scanned === scan && page.last)
      return { changes, next: page.last, through, more: true, isBehind: false }
    // The end of the feed, so that a reader of types that change rarely does not fall behind. Not before the position: the
    // caller may have seen more companies then.
    const next = after && after.number > page.head.number ? after : page.head
    return { changes, next, through, more: false, isBehind: page.isBehind }
  }

  return {
    isStopping: watch.isStopping,

    /** The position in a snapshot: every change after it is one that the snapshot may not have. */
    head: (tx: Sql): Promise<FeedPosition> => findHead(tx),

    /** Every change that was committed before the call is in this page or in one after it. */
    async page(reader: Reader, { after, limit }: PageRequest): Promise<ChangesPage> {
      if (after === 'now') {
        await watch.settle()
        const next = await findHead(sql)
        return { changes: [], next, through: next.number, more: false }
      }
      const page = await read(reader, { after, limit })
      if (!page.isBehind) return page
      await watch.settle()
      return read(reader, { after, limit })
    },

    /** Waits until there may be changes after those that were looked at. */
    async wait(
      { types, companies }: Reader,
      wait: { through: number; milliseconds: number; signal: AbortSignal },
    ): Promise<void> {
      const isWanted = (news: News) =>
        (!types || types.includes(news.type as EventType)) &&
        (companies === null || companies.some(company => news.companyIds?.includes(company) === true))
      await watch.wait({ ...wait, isWanted })
    },
  }
}

export const positionAfter = ({ number, eventId }: Change): FeedPosition => positionOf(number, eventId)

/** The types that the caller may read; undefined for all of them. */
export function readableTypes(scopes: ReadonlySet<string>): readonly EventType[] | undefined {
  const readable = EVENT_TYPES.filter(type => scopes.has(scopeOfEvent(type)))
  return readable.length === EVENT_TYPES.length ? undefined : readable
}
