import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Answers, actorOf, stateOf } from '../http/answers.ts'
import type { App } from '../http/app-types.ts'
import { matches } from '../http/etags.ts'
import type { Pagination } from '../http/pagination.ts'
import { parseWallClock } from '../lib/dates.ts'
import { contentDisposition } from './document.ts'
import * as schema from './documents.schema.ts'
import type { Documents } from './documents.service.ts'
import type { StoredFile } from './documents.store.ts'
import type { Files } from './files.service.ts'
import { spanOf } from './range.ts'

interface Options {
  answers: Answers
  pagination: Pagination
  documents: Documents
  files: Files
}

/** A large file may rightly take long. */
export const LONG = 6 * 3_600

export function documentRoutes(app: App, { answers, pagination, documents, files }: Options): void {
  const one = '/v2/document/:documentId'
  const read = { scope: 'documents:read' } as const

  app.get('/v2/documents', { schema: schema.listDocuments, ...read }, async (req, reply) => {
    const window = pagination.window({ request: req, defaultOffset: 0, defaultType: 'updated' })
    const page = await documents.list(window, req.query)
    answers.seen(
      actorOf(req),
      'document.read',
      page.records.map(({ id }) => id),
    )
    return pagination.send(req, reply, { ...page, records: page.records.map(({ json }) => json) })
  })
  app.get(one, { schema: schema.getDocument, ...read }, async (req, reply) =>
    answers.one(req, reply, 'document.read', await documents.get(req.params.documentId)),
  )
  app.get(
    `${one}/file`,
    { schema: schema.downloadDocument, ...read, timeLimit: LONG },
    async (req, reply) => {
      const file = await files.get(req.params.documentId)
      answers.seen(actorOf(req), 'document.download', [req.params.documentId])
      return sendFile(req, reply, { file, files }) as never
    },
  )
  app.patch(`${one}/expiry`, { schema: schema.patchExpiry, scope: 'documents:write' }, (req, reply) =>
    answers.write(req, reply, async unit => {
      const { ExpiryDate, RemindAboutRenewal, ExpiryReminder } = req.body
      const expiry = {
        expiryDate: parseWallClock(ExpiryDate) ?? '',
        remindAboutRenewal: RemindAboutRenewal,
        expiryReminder: ExpiryReminder === '' ? null : ExpiryReminder,
      }
      const { json, etag } = await documents.setExpiry(unit, req.params.documentId, {
        expiry,
        requireState: stateOf(req),
      })
      return { status: 200, json, headers: { etag } }
    }),
  )
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, files }: { file: StoredFile; files: Files },
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`
  reply.headers({ etag, 'accept-ranges': 'bytes' })
  const known = request.headers['if-none-match']
  if (known !== undefined && matches(known, etag, false)) return reply.code(304).send()

  const span = spanOf(request.headers.range, {
    size: file.size,
    ifRange: request.headers['if-range']?.toString(),
    etag,
  })
  if (span === 'unsatisfiable')
    throw schema.rangeNotSatisfiable(undefined, { headers: { 'content-range': `bytes */${file.size}` } })
  const { start, end, partial } = span
  reply.headers({
    'content-type': file.contentType,
    'content-length': end - start + 1,
    'content-disposition': contentDisposition(file.fileName),
    'repr-digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    ...(partial && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  })
  reply.code(partial ? 206 : 200)
  if (request.method === 'HEAD') return reply.send('')
  const spare: Buffer[] = []
  const blocks = await files.open(file, { start, end }, spare)
  // From here on we write ourselves: only that tells when a block has left and its memory can be used again.
  reply.hijack()
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  try {
    await sendBlocks(request.raw.socket, reply.raw, { blocks, spare })
  } catch (error) {
    reply.raw.destroy()
    const { name } = error as Error
    request.log.error(
      { requestId: request.id, error: name, blobKey: file.blobKey },
      'a download was broken off',
    )
  }
  return reply
}

/** Each block when the one before it is the system's; ends early, and quietly, where the caller hangs up. */
async function sendBlocks(
  socket: Socket,
  response: ServerResponse,
  { blocks, spare }: { blocks: AsyncIterable<Buffer>; spare: Buffer[] },
): Promise<void> {
  const gone = Promise.withResolvers<'gone'>()
  const leave = () => gone.resolve('gone')
  // A response that waits behind others of its connection is not told when that closes, nor are its writes.
  socket.once('close', leave)
  response.on('error', leave)
  try {
    for await (const block of blocks) {
      const sent = new Promise(resolve => response.write(block, resolve))
      if ((await Promise.race([sent, gone.promise])) || socket.destroyed) return void response.destroy()
      if (spare.length === 0) spare.push(block)
    }
    response.end()
  } finally {
    socket.off('close', leave)
  }
}
