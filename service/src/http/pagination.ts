// Pagination of all lists: query parameters, cursors and the Link header. A cursor is signed and belongs to one list, one
// set of filters and one client.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Page, PageRequest, Position, Window } from '../db/keyset.ts'
import { EXACT_TOTAL } from '../db/ordered-list.ts'
import { Type } from '../lib/json-schema.ts'
import { declareProblem, invalid } from '../lib/problem.ts'

const CURSOR_REMEDY =
  'A cursor is valid only for the client or person that got it. Send one of an earlier response of your own, unchanged and with the same filters, or start without a cursor.'

export const invalidCursor = declareProblem({
  code: 'invalid-cursor',
  status: 400,
  title: 'The cursor does not belong to this list, these filters and this caller.',
  remedy: CURSOR_REMEDY,
})

const day = (description: string) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'day',
    expects: 'a real calendar day such as 2026-03-01',
    description,
    example: '2026-03-01',
  })

const cursor = (name: string) =>
  Type.Optional(
    Type.String({
      // Long enough for the longest position: a name of 200 characters, and an id.
      maxLength: 2_000,
      description: `\`${name}\` of an earlier response; overrides \`offset\`, where there is one. Empty is the same as absent.`,
    }),
  )
const cursors = { nextCursor: cursor('nextCursor'), prevCursor: cursor('prevCursor') }

/** Query parameters of a list by date. `types` are the dates that it can be filtered by; the first is the default. */
export function listQuery({
  maxRecords,
  offset,
  types,
}: {
  maxRecords: number
  offset?: number
  types?: string[]
}) {
  return Type.Object({
    startDate: day('First day of the range, UTC, included.'),
    endDate: day('Last day of the range, UTC, included.'),
    maxRecords: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: maxRecords,
        description: 'Maximum records per page.',
      }),
    ),
    ...(offset !== undefined && {
      offset: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          pattern: '^\\d{0,9}$',
          expects: 'a whole number, or nothing for paging by cursor',
          documentedAs: {
            anyOf: [
              { type: 'integer', minimum: 0 },
              { type: 'string', maxLength: 0 },
            ],
            default: offset,
          },
          description:
            'Number of records to skip. Sent empty (`offset=`), the list begins at the first record and is paged by cursor.',
        }),
      ),
    }),
    ...cursors,
    ...(types && {
      type: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          enum: types,
          default: types[0],
          description: 'Date that must lie in the range.',
        }),
      ),
    }),
  })
}

/** Query parameters of a list that is not by date. */
export function walkQuery({ maxRecords }: { maxRecords: number }) {
  return {
    maxRecords: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: maxRecords,
        description: 'Maximum records per page.',
      }),
    ),
    ...cursors,
  }
}

const CURSOR = { type: ['string', 'null'], description: 'Null if there is no such page.' }

/** The schema of one page. */
export function pageOf(title: string, record: object, more: Record<string, object> = {}) {
  const properties = {
    records: { type: 'array', items: record },
    nextCursor: CURSOR,
    prevCursor: CURSOR,
    ...more,
  }
  return Type.Unsafe<unknown>({
    type: 'object',
    title,
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  })
}

/** The schema of a total that is exact up to `EXACT_TOTAL`. */
export const countOf = (description: string) => ({
  type: 'integer',
  minimum: 0,
  maximum: EXACT_TOTAL + 1,
  description: `${description} ${EXACT_TOTAL + 1} means more than ${EXACT_TOTAL}.`,
})

/** The schema of one page with the total number of records. */
export function countedPageOf(title: string, record: object) {
  return pageOf(title, record, { total: countOf('Number of matching records on all pages.') })
}

/** The query parameter of the order: one of these names, with `-` in front for descending. */
export const sortOf = (names: readonly string[], initial: string) => sortBy(names, { default: initial })

/** Where the default depends on the other parameters, it is said in `more`. */
export const sortBy = (names: readonly string[], { default: initial, more = '' }: SortOptions) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: names.flatMap(name => [name, `-${name}`]),
      ...(initial !== undefined && { default: initial }),
      description: `The order, with \`-\` in front for descending.${more}`,
    }),
  )

interface SortOptions {
  default?: string
  more?: string
}

interface WalkRequest {
  maxRecords?: number
  nextCursor?: string
  prevCursor?: string
}

interface ListRequest extends WalkRequest {
  startDate: string
  endDate: string
  offset?: string
  type?: string
  sort?: string
}

/** `next` and `prev` are positions in a form that the list chooses. */
interface CountedPage {
  records: string[]
  next: unknown
  prev: unknown
  total: number
}

export type Pagination = ReturnType<typeof createPagination>

interface Listing {
  request: FastifyRequest
  /** Records to skip where the query has no offset. */
  defaultOffset: number
  defaultType: string
}

export function createPagination(secret: () => Buffer) {
  const sign = (text: string) => createHmac('sha256', secret()).update(text).digest().subarray(0, 12)

  /** Everything that decides what is in the list. It is signed too, so that a cursor is valid for one list only. */
  const scopeOf = (request: FastifyRequest, query: WalkRequest) =>
    JSON.stringify([pathOf(request), request.principal?.clientId, filtersOf(query)])

  const encode = (position: unknown, scope: string) => {
    const text = JSON.stringify(position)
    return Buffer.concat([sign(`${scope}\n${text}`), Buffer.from(text)]).toString('base64url')
  }
  const decode = (cursor: string, scope: string) => {
    const bytes = Buffer.from(cursor, 'base64url')
    const text = bytes.subarray(12).toString()
    // Base64 decoding skips invalid characters, so a changed cursor may decode to the same bytes.
    if (bytes.length < 14 || bytes.toString('base64url') !== cursor) throw invalidCursor(CURSOR_REMEDY)
    if (!timingSafeEqual(bytes.subarray(0, 12), sign(`${scope}\n${text}`))) throw invalidCursor(CURSOR_REMEDY)
    return JSON.parse(text)
  }
  const toPosition = ([at, seq]: [string, number]): Position => ({ at, seq })

  const sendPage = (
    request: FastifyRequest,
    reply: FastifyReply,
    { records, next, prev, total }: Partial<CountedPage> & Pick<CountedPage, 'records'>,
  ): never => {
    const scope = scopeOf(request, request.query as WalkRequest)
    const cursors = {
      next: next === undefined ? undefined : encode(next, scope),
      prev: prev === undefined ? undefined : encode(prev, scope),
    }
    const links = [
      cursors.next && link(request, { nextCursor: cursors.next }, 'next'),
      cursors.prev && link(request, { prevCursor: cursors.prev }, 'prev'),
    ]
    const header = links.filter(Boolean).join(', ')
    if (header) reply.header('link', header)
    const cursor = (text: string | undefined) => (text ? `"${text}"` : 'null')
    const parts = [
      `"records":[${records.join(',')}]`,
      `"nextCursor":${cursor(cursors.next)}`,
      `"prevCursor":${cursor(cursors.prev)}`,
      ...(total === undefined ? [] : [`"total":${total}`]),
    ]
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(`{${parts.join(',')}}`) as never
  }

  return {
    /** The page that the query of a list by date asks for. */
    window({ request, defaultOffset, defaultType }: Listing): Window {
      const query = request.query as ListRequest
      const { startDate, endDate, maxRecords = 100, nextCursor, prevCursor, offset } = query
      if (endDate < startDate)
        throw invalid([{ pointer: '/endDate', detail: 'Must not be before startDate.' }])
      requireOneCursor(query)
      const scope = scopeOf(request, query)
      const range = { startDate, endDate, type: query.type ?? defaultType, limit: maxRecords }
      const newestFirst = isDescending(query)
      const [after, before] = newestFirst ? [prevCursor, nextCursor] : [nextCursor, prevCursor]
      if (after) return { ...range, after: toPosition(decode(after, scope)) }
      if (before) return { ...range, before: toPosition(decode(before, scope)) }
      if (newestFirst) return { ...range, before: { at: endOf(endDate), seq: 0 } }
      return { ...range, offset: offset === undefined ? defaultOffset : Number(offset) }
    },

    /** The page that the query of another list asks for. */
    walk<P>(request: FastifyRequest): PageRequest<P> {
      const query = request.query as WalkRequest
      const { maxRecords: limit = 100, nextCursor, prevCursor } = query
      requireOneCursor(query)
      const scope = scopeOf(request, query)
      if (nextCursor) return { limit, after: decode(nextCursor, scope) }
      return prevCursor ? { limit, before: decode(prevCursor, scope) } : { limit }
    },

    /** Sends one page of a list by date with its cursors, in the body and in the Link header. */
    send(request: FastifyRequest, reply: FastifyReply, { records, next, prev }: Page<string>): never {
      const [newer, older] = [next && [next.at, next.seq], prev && [prev.at, prev.seq]]
      return sendPage(
        request,
        reply,
        isDescending(request.query as ListRequest)
          ? { records: records.toReversed(), next: older, prev: newer }
          : { records, next: newer, prev: older },
      )
    },

    /**
     * Cursors of a list that is not sent by this module, such as a feed. One belongs to that list and to the caller, and is
     * valid with any filter.
     */
    cursorsOf: (request: FastifyRequest, list: string) => {
      const scope = JSON.stringify([list, request.principal?.clientId])
      return {
        encode: (position: unknown): string => encode(position, scope),
        /** As it was encoded. */
        decode: <P>(cursor: string): P => decode(cursor, scope),
      }
    },

    /** Sends one page of another list. */
    sendCounted: (request: FastifyRequest, reply: FastifyReply, page: CountedPage): never =>
      sendPage(request, reply, page),
  }
}

/** A list by date in descending order is walked backwards: the page after one is the page before it in time. */
const isDescending = ({ sort = '' }: ListRequest) => sort.startsWith('-')

/** The first moment after a day in UTC. */
const endOf = (date: string) => new Date(Date.parse(date) + 86_400_000).toISOString()

function requireOneCursor({ nextCursor, prevCursor }: WalkRequest): void {
  if (nextCursor && prevCursor)
    throw invalid([{ pointer: '/prevCursor', detail: 'Send nextCursor or prevCursor, not both.' }])
}

/** The path of the request, not the template: a list below a record is a list of its own. */
const pathOf = (request: FastifyRequest) => request.url.split('?')[0]

const PAGING = new Set(['maxRecords', 'offset', 'nextCursor', 'prevCursor'])

function filtersOf(query: WalkRequest): [string, string][] {
  const given = Object.entries(query).filter(([name, value]) => !PAGING.has(name) && value !== undefined)
  return given
    .map(([name, value]): [string, string] => [name, String(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function link(request: FastifyRequest, cursor: Record<string, string>, rel: string): string {
  const query = request.query as WalkRequest
  const parameters = new URLSearchParams([
    ...filtersOf(query),
    ['maxRecords', String(query.maxRecords)],
    ...Object.entries(cursor),
  ])
  return `<${pathOf(request)}?${parameters}>; rel="${rel}"`
}
