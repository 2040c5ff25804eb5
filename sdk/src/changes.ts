// The change feed, and the export that a copy begins with. An entry point of its own, so that pages load it only where it is used.
import type { CallOptions } from './calls.ts'
import type { Caseport } from './caseport.ts'
import { connectionOf, untyped } from './connections.ts'
import { invalidResponse } from './errors.ts'
import { linesOf } from './lines.ts'
import { PATIENT } from './retry.ts'
import { eventsOf } from './server-sent-events.ts'
import { openStream } from './streams.ts'
import type { WebhookEvent } from './webhooks.ts'

/** An event, as webhooks deliver it. It has the fields of its type beside these. */
export interface Change {
  id: string
  type: WebhookEvent['type']
  /** UTC. */
  at: string
  applicantId: string
  employeeNumber: string | null
  previousEmployeeNumber?: string | null
  caseId?: string | null
  stepId?: string | null
  noteId?: string | null
  documentId?: string | null
  [field: string]: string | null | undefined
}

export interface ChangePage {
  records: Change[]
  /** Where to go on, on the last page too. */
  nextCursor: string
  /** Whether there is more to read now. */
  more: boolean
}

/** Changes that arrived together. Without changes: the position alone, which a stream sends every few seconds. */
export type ChangeBatch = Pick<ChangePage, 'records' | 'nextCursor'>

export interface ChangeQuery {
  /** A cursor, or `now` for the end of the feed. Without it: the oldest change that is kept. */
  after?: string | undefined
  types?: readonly Change['type'][] | undefined
  maxRecords?: number
}

/** `for await (const change of feed)` reads changes; `feed.pages()` the pages, whose cursors can be stored. */
export interface ChangeFeed extends AsyncIterable<Change> {
  pages(): AsyncGenerator<ChangePage, void, undefined>
}

const LONG_POLL_SECONDS = 25
export function createChanges(caseport: Caseport) {
  const { calls, baseUrl } = connectionOf(caseport)
  const { read } = untyped(calls)

  const page = ({ types, ...query }: ChangeQuery & { wait?: number }, options?: CallOptions) =>
    read<ChangePage>('/v2/changes', {}, options, { ...query, ...(types && { types: types.join(',') }) })

  const feed = (query: ChangeQuery, options: CallOptions, wait: number): ChangeFeed => {
    async function* pages() {
      let after = query.after
      for (;;) {
        // At the end of the feed, the position is read at once: what happens from here on is then not missed.
        const found = await page({ ...query, after, wait: after === 'now' ? 0 : wait }, options)
        yield found
        if (!found.more && wait === 0) return
        after = found.nextCursor
      }
    }
    return {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const { records } of pages()) yield* records
      },
    }
  }

  return {
    /** One page. */
    page,

    /** The changes that there are now. */
    list: (query: ChangeQuery = {}, options: CallOptions = {}) => feed(query, options, 0),

    /** The changes that there are, and then each new one as it happens. Ends with the signal only. */
    follow: (query: ChangeQuery = {}, options: CallOptions = {}) =>
      feed(query, { ...PATIENT, ...options }, LONG_POLL_SECONDS),

    /**
     * The same in one request, by server-sent events: for a page that waits most of the time. The service ends a stream after
     * some minutes, and when it stops. Begin another one after the last `nextCursor`.
     */
    async *stream(
      { types, after, maxRecords }: ChangeQuery = {},
      options: CallOptions = {},
    ): AsyncGenerator<ChangeBatch, void, undefined> {
      const url = new URL(`${baseUrl}/v2/changes`)
      if (after !== undefined) url.searchParams.set('after', after)
      if (types) url.searchParams.set('types', types.join(','))
      if (maxRecords !== undefined) url.searchParams.set('maxRecords', String(maxRecords))
      const headers = new Headers({ accept: 'text/event-stream' })
      const body = await openStream(calls.transport, { method: 'GET', url: url.href, headers }, options)
      let records: Change[] = []
      for await (const { id, data } of eventsOf(body)) {
        if (data) records.push(JSON.parse(data))
        else if (id) {
          yield { records, nextCursor: id }
          records = []
        }
      }
    },
  }
}

export type ExportKind = 'applicants' | 'cases' | 'documents'

/** All records of a kind at one moment, as they arrive. */
export interface Export<T> extends AsyncIterable<T> {
  /** Where changes go on after this copy. Known when all records were read. */
  cursor: string | undefined
}

/** One that breaks off must be started again: the next one has another moment. */
export function createExport<T = Record<string, unknown>>(
  caseport: Caseport,
  kind: ExportKind,
  options: CallOptions = {},
): Export<T> {
  const { calls, baseUrl } = connectionOf(caseport)
  const result: Export<T> = {
    cursor: undefined,
    async *[Symbol.asyncIterator]() {
      const url = `${baseUrl}/v2/export?kind=${kind}`
      const headers = new Headers({ accept: 'application/x-ndjson' })
      const body = await openStream(calls.transport, { method: 'GET', url, headers }, options)
      for await (const line of linesOf<T & { cursor?: string }>(body)) {
        if (typeof line.cursor === 'string' && Object.keys(line).length === 1) result.cursor = line.cursor
        else yield line
      }
      if (result.cursor === undefined) throw invalidResponse('The export broke off. Start it again.')
    },
  }
  return result
}
