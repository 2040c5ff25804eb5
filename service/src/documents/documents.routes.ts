import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app-types.ts'
import { matches } from '../http/etags.ts'
import type { Pagination } from '../http/pagination.ts'
import { preconditionsOf, type Responses } from '../http/responses.ts'
import { parseWallClock } from '../lib/dates.ts'
import { contentDisposition } from './document.ts'
import * as schema from './documents.schema.ts'
import type { Documents } from './documents.service.ts'
import type { StoredFile } from './documents.store.ts'
import type { Files } from './files.service.ts'
import { spanOf } from './range.ts'
import { reserve, streamBlocks, type Transfers, watchTransfer } from './transfers.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  documents: Documents
  files: Files
  transfers: Transfers
}

/** In seconds, for transfers of large files. */
export const TRANSFER_TIME_LIMIT = 6 * 3_600

export function documentRoutes(
  app: App,
  { responses, pagination, documents, files, transfers }: Options,
): void {
  const one = '/v2/document/:documentId'
  const read = { scope: 'documents:read' } as const

  app.get('/v2/documents', { schema: schema.listDocuments, ...read }, async (req, reply) => {
    const window = pagination.window({ request: req, defaultOffset: 0, defaultType: 'updated' })
    const page = await documents.list(window, req.query)
    responses.auditRead(
      req,
      'document.read',
      page.records.map(({ id }) => id),
    )
    return pagination.send(req, reply, { ...page, records: page.records.map(({ json }) => json) })
  })
  app.get(one, { schema: schema.getDocument, ...read }, async (req, reply) =>
    responses.one(req, reply, 'document.read', await documents.get(req.params.documentId)),
  )
  app.get(
    `${one}/file`,
    { schema: schema.downloadDocument, ...read, timeLimit: TRANSFER_TIME_LIMIT },
    async (req, reply) => {
      const file = await files.get(req.params.documentId)
      responses.auditRead(req, 'document.download', [req.params.documentId])
      return (await sendFile(req, reply, { file, files, transfers })) as never
    },
  )
  app.patch(`${one}/expiry`, { schema: schema.patchExpiry, scope: 'documents:write' }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { ExpiryDate, RemindAboutRenewal, ExpiryReminder } = req.body
      const expiry = {
        expiryDate: parseWallClock(ExpiryDate) ?? '',
        remindAboutRenewal: RemindAboutRenewal,
        expiryReminder: ExpiryReminder === '' ? null : ExpiryReminder,
      }
      const { json, etag } = await documents.setExpiry(unit, req.params.documentId, {
        change: expiry,
        requireState: preconditionsOf(req),
      })
      return { status: 200, json, headers: { etag } }
    }),
  )
}

export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, files, transfers }: { file: StoredFile; files: Files; transfers: Transfers },
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`
  const known = request.headers['if-none-match']
  if (known !== undefined && matches(known, etag, false)) return reply.header('etag', etag).code(304).send()

  const isHead = request.method === 'HEAD'
  // Only a GET has ranges (RFC 9110, section 14.2).
  const span = spanOf(isHead ? undefined : request.headers.range, {
    size: file.size,
    ifRange: request.headers['if-range']?.toString(),
    etag,
  })
  if (span === 'unsatisfiable')
    throw schema.rangeNotSatisfiable(undefined, { headers: { 'content-range': `bytes */${file.size}` } })
  const { start, end, partial } = span
  // Set with the stream, not before: an error response must not carry the name and digest of the file.
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'content-type': file.contentType,
    'content-length': end - start + 1,
    'content-disposition': contentDisposition(file.fileName),
    'repr-digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    ...(partial && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  }
  const status = partial ? 206 : 200
  // Of a text, Fastify would send the length; a stream leaves that of the file.
  if (isHead) return reply.code(status).headers(headers).send(Readable.from([]))
  const { socket } = request.raw
  const reservation = await reserve(transfers.downloads, files.memoryFor(file, { start, end }), socket)
  const watch = watchTransfer(socket, transfers.stallMs)
  const release = () => {
    watch.stop()
    reservation.release()
  }
  try {
    const blocks = await files.open(file, { start, end }, watch.signal)
    const stream = streamBlocks(blocks, watch).once('close', release)
    stream.once('error', ({ name }) => {
      request.log.error({ error: name, blobKey: file.blobKey }, 'a download was broken off')
    })
    return reply.code(status).headers(headers).send(stream)
  } catch (error) {
    release()
    throw error
  }
}
