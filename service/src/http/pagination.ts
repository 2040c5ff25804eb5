// Pagination of all lists: query parameters, cursors and the Link header. A cursor is signed and belongs to one list, one
// set of filters and one client.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Page, PageRequest, Position, Window } from '../db/keyset.ts'
import { declareProblem, invalid } from '../lib/problem.ts'

export const invalidCursor = declareProblem({
  code: 'invalid-cursor',
  status: 400,
  title: 'The cursor does not belong to this list and these filters.',
  remedy:
    'Send the cursor of an earlier response unchanged and with the same filters, or start without a cursor.',
})

const day = (description: string) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'day',
    expects: 'a real calendar day such as 2026-03-01',
    description,
    example: '2026-03-01',
  })

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
    nextCursor: Type.Optional(
      Type.String({
        maxLength: 500,
        description: '`nextCursor` of an earlier response; overrides `offset`. Empty is the same as absent.',
      }),
    ),
    prevCursor: Type.Optional(
      Type.String({
        maxLength: 500,
        description: '`prevCursor` of an earlier response; overrides `offset`. Empty is the same as absent.',
      }),
    ),
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
  const cursor = (name: string) =>
    Type.Optional(
      // Long enough for the longest position: a name of 200 characters, and an id.
      Type.String({
        maxLength: 2_000,
        description: `\`${name}\` of an earlier response. Empty is the same as absent.`,
      }),
    )
  return {
    maxRecords: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: maxRecords,
        description: 'Maximum records per page.',
      }),
    ),
    nextCursor: cursor('nextCursor'),
    prevCursor: cursor('prevCursor'),
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

/** The schema of one page with the total number of records. */
export function countedPageOf(title: string, record: object, mostCounted: number) {
  const total = {
    type: 'integer',
    minimum: 0,
    maximum: mostCounted,
    description: `Number of matching records on all pages. ${mostCounted} means that many or more.`,
  }
  return pageOf(title, record, { total })
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
    if (bytes.length < 14 || bytes.toString('base64url') !== cursor) throw invalidCursor()
    if (!timingSafeEqual(bytes.subarray(0, 12), sign(`${scope}\n${text}`))) throw invalidCursor()
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
      if (nextCursor) return { ...range, after: toPosition(decode(nextCursor, scope)) }
      if (prevCursor) return { ...range, before: toPosition(decode(prevCursor, scope)) }
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
      return sendPage(request, reply, {
        records,
        next: next && [next.at, next.seq],
        prev: prev && [prev.at, prev.seq],
      })
    },

    /** Sends one page of another list. */
    sendCounted: (request: FastifyRequest, reply: FastifyReply, page: CountedPage): never =>
      sendPage(request, reply, page),
  }
}

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
