import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app-types.ts'
import { requireScope } from '../http/authorization.ts'
import type { Pagination } from '../http/pagination.ts'
import { payloadTooLarge, requestTimeout, unsupportedMediaType } from '../http/problems.ts'
import { actorOf, type Responses } from '../http/responses.ts'
import { tooBusy } from '../http/shedding.ts'
import { createPauses } from '../lib/pauses.ts'
import { invalid, invalidRequest, Problem } from '../lib/problem.ts'
import { FileError, FileTooLargeError } from './file-error.ts'
import { etagOf, type Import, type ImportFormat } from './import.ts'
import { CSV_HEADER, rowToCsv, rowToWire, toWire } from './imports.mapper.ts'
import * as schema from './imports.schema.ts'
import type { Imports } from './imports.service.ts'
import { receive } from './receiving.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  imports: Imports
  /** Begins an import at once. */
  worker: { wake(): void }
  maxBytes: number
}

/** In seconds; the client sets the pace. */
const TRANSFER_TIME_LIMIT = 6 * 3_600
/** Longer than the longest wait. */
const WAIT_TIME_LIMIT = 90
const MAX_WAIT_SECONDS = 60
const POLL_MS = 100
/** Files that one service receives at a time. Each needs some MiB. */
const MAX_UPLOADS = 16
/** Rows are 32-bit integers. */
const MAX_ROW = 2_147_483_647
const STALL_MS = 60_000

const FORMATS: Record<string, ImportFormat> = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' }
const ENDED = new Set(['held', 'completed', 'cancelled', 'failed'])

const jsonOf = (one: Import) => JSON.stringify(toWire(one))

export function importRoutes(root: App, { responses, pagination, imports, worker, maxBytes }: Options): void {
  const path = '/v2/imports'
  const one = `${path}/:importId`
  const scope = 'applicants:write'

  /** The import once it has ended, or after the time that the client wants to wait. */
  const waited = async (req: FastifyRequest, reply: FastifyReply, current: Import): Promise<Import> => {
    const seconds = waitOf(req)
    if (seconds === undefined) return current
    reply.header('preference-applied', `wait=${seconds}`)
    const end = performance.now() + seconds * 1_000
    let latest = current
    while (!ENDED.has(latest.status) && performance.now() < end && !req.raw.socket.destroyed) {
      await sleep(POLL_MS)
      latest = await imports.get(current.importId)
    }
    return latest
  }

  const pausesOfUpload = createPauses()
  let uploads = 0
  /** Stages the file of a request. Returns its import, which is not committed yet. */
  const upload = async (req: FastifyRequest, format: ImportFormat, options: schema.ImportQuery) => {
    if (uploads >= MAX_UPLOADS) throw tooBusy(undefined, { headers: { 'retry-after': '10' } })
    uploads += 1
    try {
      const { mode = 'replace', dryRun = false, complete = false } = options
      const importId = await imports.open(actorOf(req), { mode, format, dryRun, complete })
      try {
        const received = await receive({
          content: watched(req),
          gzip: /gzip/i.test(req.headers['content-encoding'] ?? ''),
          format,
          maxBytes,
          pauses: pausesOfUpload(),
          stage: batch => imports.stage(importId, batch),
        })
        return { importId, mode, ...received }
      } catch (error) {
        const problem = problemOf(error, maxBytes)
        // Where this fails too, the import ends later as interrupted. The client gets what was wrong with its file.
        await imports
          .fail(importId, problem ?? invalidRequest('The file was not received whole.'))
          .catch(failure => req.log.error(failure, 'an import could not be ended'))
        throw problem ?? error
      }
    } finally {
      uploads -= 1
    }
  }

  root.register(async scoped => {
    const app = scoped as App
    app.removeAllContentTypeParsers()
    // The handler parses the body as a stream.
    app.addContentTypeParser(Object.keys(FORMATS), (_request, _payload, done) => done(null))
    app.post(
      path,
      { schema: schema.createImport, scope, timeLimit: TRANSFER_TIME_LIMIT, gzip: true },
      async (req, reply) => {
        const format = FORMATS[(req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '']
        if (!format) throw unsupportedMediaType('Send application/x-ndjson or text/csv.')
        if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
        const { importId, mode, bytes, hasDependents, sha256 } = await upload(req, format, req.query)
        req.body = { file: sha256 }
        let created: Import | undefined
        const response = await responses
          .commit(req, reply, async unit => {
            created = await imports.commit(unit, importId, { bytes, hasDependents, mode })
            const location = `${path}/${encodeURIComponent(importId)}`
            return { status: 202, json: jsonOf(created), headers: { location } }
          })
          .catch(async error => {
            await imports.discard(importId)
            throw error
          })
        // The response of an earlier request with the same key: the file is here for the second time.
        const isReplayed = response.headers?.['idempotent-replayed'] === 'true'
        if (isReplayed || !created) {
          await imports.discard(importId)
          const earlier = await imports.get(JSON.parse(response.json).importId)
          return responses.send(req, reply, { ...response, json: jsonOf(await waited(req, reply, earlier)) })
        }
        worker.wake()
        return responses.send(req, reply, { ...response, json: jsonOf(await waited(req, reply, created)) })
      },
    )
  })

  root.get(path, { schema: schema.listImports, scope }, async (req, reply) => {
    const { records, ...page } = await imports.list(req.query.status, pagination.walk<string>(req))
    responses.auditRead(
      req,
      'import.list',
      records.map(({ importId }) => importId),
    )
    return pagination.sendCounted(req, reply, { ...page, records: records.map(jsonOf) })
  })

  root.get(one, { schema: schema.getImport, scope, timeLimit: WAIT_TIME_LIMIT }, async (req, reply) => {
    const found = await waited(req, reply, await imports.get(req.params.importId))
    return responses.one(req, reply, 'import.read', {
      id: found.importId,
      json: jsonOf(found),
      etag: etagOf(found),
    })
  })

  root.get(
    `${one}/rows`,
    { schema: schema.getImportRows, scope, timeLimit: TRANSFER_TIME_LIMIT },
    async (req, reply) => {
      const found = await imports.get(req.params.importId)
      const { outcome } = req.query
      responses.auditRead(req, 'import.read_rows', [found.importId])
      const type = downloadTypeOf(req)
      if (type) {
        const rows = linesOf(found, imports.allRows(found.importId, outcome), type)
        return reply
          .header('content-type', `${type}; charset=utf-8`)
          .send(Readable.from(rows, { objectMode: true, highWaterMark: 1 }) as never) as never
      }
      // Positions are text in cursors: a short number would make a cursor that is too short.
      const { limit, after, before } = pagination.walk<string>(req)
      const { records, next, prev, total } = await imports.listRows(found, {
        limit,
        outcome,
        ...(after !== undefined && { after: Number(after) }),
        ...(before !== undefined && { before: Number(before) }),
      })
      const textOf = (position: number | undefined) => (position === undefined ? undefined : String(position))
      const json = records.map(row => JSON.stringify(rowToWire(found, row)))
      return pagination.sendCounted(req, reply, {
        records: json,
        next: textOf(next),
        prev: textOf(prev),
        total,
      })
    },
  )

  root.get(`${one}/rows/:row`, { schema: schema.getImportRowContent, scope }, async req => {
    requireScope(req, 'applicants:read')
    const found = await imports.get(req.params.importId)
    const row = /^\d{1,10}$/.test(req.params.row) ? Number(req.params.row) : 0
    if (row < 1 || row > MAX_ROW)
      throw invalid([{ pointer: '/row', detail: 'Expected the number of a row, from 1.' }])
    responses.auditRead(req, 'import.read_rows', [found.importId])
    return { row, content: await imports.findContent(found, row) }
  })

  root.post(
    `${one}/release`,
    { schema: schema.releaseImport, scope, timeLimit: WAIT_TIME_LIMIT },
    async (req, reply) => {
      let released: Import | undefined
      const response = await responses.commit(req, reply, async unit => {
        released = await imports.release(unit, req.params.importId)
        return { status: 200, json: jsonOf(released) }
      })
      if (!released) return responses.send(req, reply, response)
      worker.wake()
      return responses.send(req, reply, { ...response, json: jsonOf(await waited(req, reply, released)) })
    },
  )

  root.post(`${one}/cancel`, { schema: schema.cancelImport, scope }, (req, reply) =>
    responses.write(req, reply, async unit => ({
      status: 200,
      json: jsonOf(await imports.cancel(unit, req.params.importId)),
    })),
  )
}

/** Seconds of `Prefer: wait=…`, at most a minute. */
function waitOf({ headers }: FastifyRequest): number | undefined {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})/i.exec(String(headers['prefer'] ?? ''))?.[1]
  return seconds === undefined ? undefined : Math.min(Number(seconds), MAX_WAIT_SECONDS)
}

/** The first media type of Accept that the rows can be downloaded as; undefined for JSON. */
function downloadTypeOf({ headers }: FastifyRequest): string | undefined {
  const wanted = String(headers.accept ?? '').split(',')
  const types = wanted.map(type => type.split(';')[0]?.trim().toLowerCase() ?? '')
  const first = types.find(type => type === 'application/json' || type === '*/*' || FORMATS[type])
  return first && FORMATS[first] ? first : undefined
}

async function* linesOf(
  one: Import,
  pages: ReturnType<Imports['allRows']>,
  type: string,
): AsyncGenerator<string> {
  const isCsv = FORMATS[type] === 'csv'
  if (isCsv) yield CSV_HEADER
  for await (const page of pages)
    yield page
      .map(row => rowToWire(one, row))
      .map(row => (isCsv ? rowToCsv(row) : `${JSON.stringify(row)}\n`))
      .join('')
}

class StalledError extends Error {}

/** The body, which ends with an error when the client sends nothing for a minute while it is waited for. */
function watched({ raw }: FastifyRequest): Readable {
  let timer: NodeJS.Timeout | undefined
  async function* chunks() {
    const stall = () => {
      timer = setTimeout(() => raw.destroy(new StalledError()), STALL_MS)
    }
    try {
      stall()
      for await (const chunk of raw) {
        clearTimeout(timer)
        yield chunk
        stall()
      }
    } finally {
      clearTimeout(timer)
    }
  }
  return Readable.from(chunks(), { objectMode: false })
}

/** The body may be unread, so the connection cannot be reused. */
const headers = { connection: 'close' }

const tooLarge = (maxBytes: number) =>
  payloadTooLarge(`A file may have at most ${maxBytes} bytes, also unpacked.`, { headers })

function problemOf(error: unknown, maxBytes: number): Problem | undefined {
  if (error instanceof Problem) return error
  if (error instanceof FileTooLargeError) return tooLarge(maxBytes)
  if (error instanceof StalledError) return requestTimeout(undefined, { headers })
  if (!(error instanceof FileError)) return undefined
  return error.errors
    ? invalidRequest(error.message, { errors: error.errors, headers })
    : invalidRequest(error.message, { headers })
}
