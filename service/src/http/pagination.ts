// Owns the way through a list by date: the query parameters, the cursors and the Link header, for steps, notes and
// documents alike. A cursor is signed and belongs to one list, one set of filters and one client.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Page, Place, Window } from '../db/keyset.ts'
import { declareProblem } from '../lib/problem.ts'
import { invalid } from './problems.ts'

export const invalidCursor = declareProblem({
  code: 'invalid-cursor',
  status: 400,
  title: 'The cursor is not one that this list gave out for these filters.',
  remedy:
    'Send the cursor of an earlier answer as it is, with the same startDate, endDate and type; or begin anew without one.',
})

const day = (description: string) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'day',
    expects: 'a real calendar day such as 2026-03-01',
    description,
    example: '2026-03-01',
  })

/** Query parameters of a list. `types` are the dates it can be filtered by, the first being the default. */
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
          documentedAs: { type: 'integer', minimum: 0, default: offset },
          description: 'Records to skip. Sent empty (`offset=`), paging is by cursor from the first record.',
        }),
      ),
    }),
    nextCursor: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'nextCursor of an earlier answer; wins over offset. Empty is the same as absent.',
      }),
    ),
    prevCursor: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'prevCursor of an earlier answer; wins over offset. Empty is the same as absent.',
      }),
    ),
    ...(types && {
      type: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          enum: types,
          default: types[0],
          description: 'The date that the range is about.',
        }),
      ),
    }),
  })
}

/** The shape of one page. */
export function pageOf(title: string, record: object) {
  const cursor = { type: ['string', 'null'], description: 'Null where there is no page to go to.' }
  return Type.Unsafe<unknown>({
    type: 'object',
    title,
    properties: { records: { type: 'array', items: record }, nextCursor: cursor, prevCursor: cursor },
    required: ['records', 'nextCursor', 'prevCursor'],
    additionalProperties: false,
  })
}

export interface ListRequest {
  startDate: string
  endDate: string
  maxRecords?: number
  offset?: string
  nextCursor?: string
  prevCursor?: string
  type?: string
}

export type Pagination = ReturnType<typeof createPagination>

interface Listing {
  request: FastifyRequest
  /** Records to skip where the query says nothing of it. */
  defaultOffset: number
  defaultType: string
}

export function createPagination(secret: () => Buffer) {
  const sign = (text: string) => createHmac('sha256', secret()).update(text).digest().subarray(0, 12)

  /** Everything that decides what is in the list, so that a cursor of one list cannot lead into another. */
  const scopeOf = (request: FastifyRequest, query: ListRequest) =>
    JSON.stringify([pathOf(request), request.principal?.clientId, filtersOf(query)])

  const encode = (place: Place, scope: string) => {
    const text = JSON.stringify([place.at, place.seq])
    return Buffer.concat([sign(`${scope}\n${text}`), Buffer.from(text)]).toString('base64url')
  }
  const decode = (cursor: string, scope: string): Place => {
    const bytes = Buffer.from(cursor, 'base64url')
    const text = bytes.subarray(12).toString()
    // Decoding passes over what does not belong, so a changed cursor may decode to the same bytes.
    if (bytes.length < 14 || bytes.toString('base64url') !== cursor) throw invalidCursor()
    if (!timingSafeEqual(bytes.subarray(0, 12), sign(`${scope}\n${text}`))) throw invalidCursor()
    const [at, seq] = JSON.parse(text)
    return { at, seq }
  }

  return {
    /** What the query asks for. */
    window({ request, defaultOffset, defaultType }: Listing): Window {
      const query = request.query as ListRequest
      const { startDate, endDate, maxRecords = 100, nextCursor, prevCursor, offset } = query
      if (endDate < startDate)
        throw invalid([{ pointer: '/endDate', detail: 'Must not be before startDate.' }])
      if (nextCursor && prevCursor)
        throw invalid([{ pointer: '/prevCursor', detail: 'Send nextCursor or prevCursor, not both.' }])
      const scope = scopeOf(request, query)
      const range = { startDate, endDate, type: query.type ?? defaultType, limit: maxRecords }
      if (nextCursor) return { ...range, after: decode(nextCursor, scope) }
      if (prevCursor) return { ...range, before: decode(prevCursor, scope) }
      return { ...range, offset: offset === undefined ? defaultOffset : Number(offset) }
    },

    /** One page with its cursors, which also stand in the Link header. */
    send(request: FastifyRequest, reply: FastifyReply, page: Page<string>): never {
      const query = request.query as ListRequest
      const scope = scopeOf(request, query)
      const next = page.next && encode(page.next, scope)
      const prev = page.prev && encode(page.prev, scope)
      const links = [
        next && link(request, { nextCursor: next }, 'next'),
        prev && link(request, { prevCursor: prev }, 'prev'),
      ]
      const header = links.filter(Boolean).join(', ')
      if (header) reply.header('link', header)
      const cursor = (text: string | undefined) => (text ? `"${text}"` : 'null')
      return reply
        .header('content-type', 'application/json; charset=utf-8')
        .send(
          `{"records":[${page.records.join(',')}],"nextCursor":${cursor(next)},"prevCursor":${cursor(prev)}}`,
        ) as never
    },
  }
}

/** The path as it was called: a list below a record is a list of its own. */
const pathOf = (request: FastifyRequest) => request.url.split('?')[0]

const PAGING = new Set(['maxRecords', 'offset', 'nextCursor', 'prevCursor'])

function filtersOf(query: ListRequest): [string, string][] {
  const given = Object.entries(query).filter(([name, value]) => !PAGING.has(name) && value !== undefined)
  return given
    .map(([name, value]): [string, string] => [name, String(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function link(request: FastifyRequest, cursor: Record<string, string>, rel: string): string {
  const query = request.query as ListRequest
  const parameters = new URLSearchParams([
    ...filtersOf(query),
    ['maxRecords', String(query.maxRecords)],
    ...Object.entries(cursor),
  ])
  return `<${pathOf(request)}?${parameters}>; rel="${rel}"`
}
