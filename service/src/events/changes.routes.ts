import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bindCaller } from '../db/caller.ts'
import type { RequestEntry } from '../db/unit-of-work.ts'
import type { App } from '../http/app-types.ts'
import { requireOneScope, requireScope } from '../http/authorization.ts'
import type { Pagination } from '../http/pagination.ts'
import { actorOf, auditRead, principalOf } from '../http/responses.ts'
import { EVENT_TYPES, type EventType, scopeOfEvent } from '../lib/event-types.ts'
import { excerpt } from '../lib/excerpt.ts'
import { nearest } from '../lib/nearest.ts'
import { invalid } from '../lib/problem.ts'
import { changeStream, HEARTBEAT_MS } from './change-stream.ts'
import * as schema from './changes.schema.ts'
import {
  type Change,
  type Changes,
  type ChangesPage,
  type FeedPosition,
  type Reader,
  readableTypes,
} from './changes.service.ts'
import { createFeedReaders } from './feed-readers.ts'

export const CHANGES_PATH = '/v2/changes'

/** A stream ends after this, and its client reconnects. */
const STREAM_MS = 15 * 60_000
/** In seconds: a stream whose client does not read is cut off. */
const TIME_LIMIT = STREAM_MS / 1000 + 60

interface Options {
  pagination: Pagination
  changes: Changes
  /** Audits what a stream sends after its begin. */
  record: (entry: RequestEntry) => Promise<void>
  heartbeatMs?: number
}

/** The feed as one request reads it. */
interface Feed {
  start: FeedPosition | 'now' | undefined
  page(after: Feed['start']): Promise<ChangesPage>
  /** Returns early when the client has hung up. */
  wait(through: number, milliseconds: number): Promise<void>
  cursorOf(position: FeedPosition): string
  isOver(): boolean
}

export function changesRoutes(
  app: App,
  { pagination, changes, record, heartbeatMs = HEARTBEAT_MS }: Options,
): void {
  const admit = createFeedReaders()

  const openFeed = (req: FastifyRequest, reply: FastifyReply, query: Query): Feed => {
    const reader = readerOf(req, query.types)
    const cursors = pagination.cursorsOf(req, CHANGES_PATH)
    const release = admit(principalOf(req).clientId)
    const ended = new AbortController()
    const { signal } = ended
    reply.raw.once('close', () => {
      release()
      ended.abort()
    })
    // A stream is read by events of the socket, which run for no caller.
    return {
      start: startOf(query.after, cursor => toPosition(cursors.decode(cursor))),
      page: bindCaller(after => changes.page(reader, { after, limit: query.maxRecords ?? 100 })),
      wait: bindCaller((through, milliseconds) => changes.wait(reader, { through, milliseconds, signal })),
      cursorOf: ({ number, mark }) => cursors.encode([number, mark]),
      isOver: () => signal.aborted || changes.isStopping(),
    }
  }

  /** The first page with changes, or the page at the end of the feed when the time is over. */
  const waitForPage = async (feed: Feed, seconds: number): Promise<ChangesPage> => {
    const end = performance.now() + seconds * 1000
    let page = await feed.page(feed.start)
    for (;;) {
      const left = end - performance.now()
      if (page.changes.length > 0 || page.more || left <= 0 || feed.isOver()) return page
      await feed.wait(page.through, left)
      page = await feed.page(page.next)
    }
  }

  const openStream = async (req: FastifyRequest, feed: Feed): Promise<Readable> => {
    const end = performance.now() + STREAM_MS
    // An error of the first page is a problem document; a later one breaks the stream off.
    const first = await feed.page(feed.start)
    const stream = changeStream({
      first,
      async next({ next, through, more }) {
        if (!more) await feed.wait(through, heartbeatMs)
        return feed.page(next)
      },
      audit: sent =>
        record({
          actor: actorOf(req),
          action: 'change.list',
          recordIds: recordIdsOf(sent),
          status: 200,
          code: undefined,
        }),
      isOver: async () => feed.isOver() || performance.now() > end || !(await app.isStillAllowed(req)),
      cursorOf: feed.cursorOf,
    })
    return Readable.from(stream, { objectMode: true, highWaterMark: 1 })
  }

  app.get(
    CHANGES_PATH,
    { schema: schema.listChanges, scope: 'any', timeLimit: TIME_LIMIT },
    async (req, reply) => {
      const isHead = req.method === 'HEAD'
      const isStream = !isHead && wantsStream(req)
      const lastId = isStream && req.headers['last-event-id']?.toString()
      const feed = openFeed(req, reply, { ...req.query, ...(lastId && { after: lastId }) })
      if (isStream) {
        const stream = await openStream(req, feed)
        auditRead(req, 'change.stream', [])
        return reply.headers(STREAM_HEADERS).send(stream as never) as never
      }
      const page = await waitForPage(feed, isHead ? 0 : (req.query.wait ?? 0))
      auditRead(req, 'change.list', recordIdsOf(page.changes))
      return reply.header('content-type', 'application/json; charset=utf-8').send(jsonOf(page, feed)) as never
    },
  )
}

interface Query {
  after?: string
  types?: string
  maxRecords?: number
}

/** Proxies must not collect events before they send them on. */
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }

const wantsStream = ({ headers }: FastifyRequest) =>
  /(?:^|,)\s*text\/event-stream\s*(?:[,;]|$)/i.test(headers.accept ?? '')

const toPosition = ([number, mark]: [number, string]): FeedPosition => ({ number, mark })

const startOf = (after: string | undefined, decode: (cursor: string) => FeedPosition): Feed['start'] =>
  after === 'now' ? 'now' : after ? decode(after) : undefined

/** What the caller asks for and may read. */
function readerOf(request: FastifyRequest, given: string | undefined): Reader {
  const { scopes, companies } = principalOf(request)
  if (given === undefined) {
    requireOneScope(request, READ_SCOPES)
    return { types: readableTypes(scopes), companies }
  }
  const types = [...new Set(given.split(',').map(type => type.trim()))]
  const unknown = types.filter(type => !EVENT_TYPES.includes(type as EventType))
  if (unknown.length > 0) throw invalid([{ pointer: '/types', detail: unknown.map(unknownType).join(' ') }])
  for (const type of types as EventType[]) requireScope(request, scopeOfEvent(type))
  return { types: types as EventType[], companies }
}

const READ_SCOPES = [...new Set(EVENT_TYPES.map(scopeOfEvent))]

function unknownType(type: string): string {
  const meant = nearest(type, EVENT_TYPES)
  return `There is no type ${excerpt(type)}. ${meant ? `Did you mean ${meant}?` : 'Leave it out.'}`
}

const recordIdsOf = (changes: Change[]) => [...new Set(changes.map(({ recordId }) => recordId))]

function jsonOf({ changes, next, more }: ChangesPage, { cursorOf }: Feed): string {
  const records = changes.map(schema.changeToJson).join(',')
  return `{"records":[${records}],"nextCursor":"${cursorOf(next)}","more":${more}}`
}
