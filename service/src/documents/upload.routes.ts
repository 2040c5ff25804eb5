import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { bindCaller } from '../db/caller.ts'
import type { App } from '../http/app-types.ts'
import { payloadTooLarge, requestTimeout, unsupportedMediaType } from '../http/problems.ts'
import type { Responses } from '../http/responses.ts'
import type { Reservation } from '../lib/budget.ts'
import { COUNTRY_CODES } from '../lib/countries.ts'
import { parseWallClock } from '../lib/dates.ts'
import type { DeclaredProblem, FieldError, Problem } from '../lib/problem.ts'
import { invalid } from '../lib/problem.ts'
import { ACCEPTED_KINDS, OUTLOOK_TYPE, type ReadBytes, RejectedFileError } from './accepted-kinds.ts'
import { cleanFileName } from './document.ts'
import { TRANSFER_TIME_LIMIT } from './documents.routes.ts'
import { fileRefused, uploadDocument } from './documents.schema.ts'
import type { Documents } from './documents.service.ts'
import type { StoredFile } from './documents.store.ts'
import { type FileKind, kindOf, SNIFFED_BYTES } from './file-kind.ts'
import { officeTypeOf } from './office-file.ts'
import { checkOutlookMessage } from './outlook-message.ts'
import { checkText } from './text-file.ts'
import { reserve, type Transfers } from './transfers.ts'
import {
  type FilePart,
  FileTooLargeError,
  InvalidUploadError,
  readMultipart,
  StalledUploadError,
} from './upload.ts'
import type { UploadFields, Uploads } from './uploads.service.ts'

interface Options {
  responses: Responses
  documents: Documents
  uploads: Uploads
  caseNotFound: DeclaredProblem
  maxBytes: number
  spoolFolder: string
  transfers: Transfers
}

const DRAIN_MS = 3_000
const FIELDS = [
  'caseId',
  'countryCode',
  'name',
  'type',
  'description',
  'expiryDate',
  'issueDate',
  'referenceNumber',
  'country',
]
/** Bytes of headers and fields beside the file. */
const MULTIPART_OVERHEAD = 512 * 1024
/** What the parser buffers, and the least that an upload reserves. */
const PARSER_MEMORY = 2 * 1024 * 1024
const MIN_MEMORY = 64 * 1024

interface Stored {
  file: StoredFile
  applicantId: string
}

export function uploadRoutes(root: App, options: Options): void {
  root.register(async scoped => {
    const app = scoped as App
    app.removeAllContentTypeParsers()
    // The handler parses the body as a stream.
    app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null))
    uploadRoute(app, options)
  })
}

function uploadRoute(
  app: App,
  { responses, documents, uploads, caseNotFound, maxBytes, spoolFolder, transfers }: Options,
): void {
  const store = async (
    part: FilePart,
    {
      fields,
      reservation,
      clientId,
    }: { fields: Map<string, string>; reservation: Reservation; clientId: string },
  ): Promise<Stored> => {
    const faults = faultsOf(fields)
    if (faults.length > 0) throw invalid(faults)
    const countryCode = fields.get('countryCode') ?? ''
    reservation.shrink(PARSER_MEMORY + uploads.memoryFor(countryCode))
    const applicantId = await uploads.findApplicant(fields.get('caseId') ?? '')
    if (!applicantId) throw caseNotFound()
    await uploads.requireQuota(clientId)
    const fileName = cleanFileName(part.fileName)
    const { head, content } = await peek(part.content)
    if (head.length === 0) throw invalid([{ pointer: '/document', detail: 'The file is empty.' }])
    const kind = kindOf(head, fileName)
    const file = await uploads.receive({ ...checked(kind, { head, content }), countryCode, fileName })
    return { file, applicantId }
  }
  const ready = (fields: Map<string, string>) => fields.has('caseId') && fields.has('countryCode')

  app.post(
    '/v2/document',
    { schema: uploadDocument(caseNotFound), scope: 'documents:write', timeLimit: TRANSFER_TIME_LIMIT },
    async (req, reply) => {
      if (!/^multipart\/form-data\b/i.test(req.headers['content-type'] ?? ''))
        throw unsupportedMediaType('Send multipart/form-data.')
      if (Number(req.headers['content-length'] ?? 0) > maxBytes + MULTIPART_OVERHEAD) {
        await drain(req.raw)
        throw withConnectionClose(tooLarge(maxBytes))
      }
      const { fields, stored, hadFile } = await receive(req).catch(async error => {
        await drain(req.raw)
        throw withConnectionClose(toProblem(error, maxBytes))
      })
      const faults = [
        ...faultsOf(fields),
        ...(hadFile ? [] : [{ pointer: '/document', detail: 'Required, but missing.' }]),
      ]
      if (!stored || faults.length > 0) {
        if (stored) await uploads.discard(stored.file)
        throw invalid(faults)
      }
      return commit(req, { fields, ...stored }, work => responses.write(req, reply, work))
    },
  )

  /** Parses the request and stores its file, within the memory budget of uploads. */
  async function receive(req: FastifyRequest) {
    // A small request with a Content-Length reserves only its size.
    const length = req.headers['content-length'] ?? Number.POSITIVE_INFINITY
    const bytes = Math.min(PARSER_MEMORY + uploads.memoryFor(), Number(length) + MIN_MEMORY)
    const reservation = await reserve(transfers.uploads, bytes, req.raw.socket)
    let storing: Promise<Stored> | undefined
    try {
      return await readMultipart({
        message: req.raw,
        maxBytes,
        fields: FIELDS,
        ready,
        store: bindCaller((part: FilePart, fields: Map<string, string>) => {
          storing = store(part, { fields, reservation, clientId: req.principal?.clientId ?? '' })
          return storing
        }),
        spoolFolder,
      })
    } catch (error) {
      // The file may be stored already when a later part of the request is rejected.
      void storing?.then(
        ({ file }) => uploads.discard(file),
        () => {},
      )
      throw error
    } finally {
      // After an error, requests to the repository may still run and use the memory.
      void Promise.allSettled([storing]).then(() => reservation.release())
    }
  }

  type Write = Parameters<Responses['write']>[2]

  /** Discards the file unless its document is created: after an error, or a repeated Idempotency-Key. */
  async function commit(
    req: FastifyRequest,
    { fields, file, applicantId }: Stored & { fields: Map<string, string> },
    write: (work: Write) => Promise<never>,
  ): Promise<never> {
    req.body = { ...Object.fromEntries(fields), document: file.sha256 }
    let committed = false
    try {
      return await write(async unit => {
        const documentId = await uploads.commit(unit, { file, fields: valuesOf(fields), applicantId })
        const { json, etag } = await documents.read(unit.tx, documentId)
        committed = true
        return {
          status: 201,
          json,
          headers: { location: `/v2/document/${encodeURIComponent(documentId)}`, etag },
        }
      })
    } finally {
      if (!committed) await uploads.discard(file)
    }
  }
}

/** The content with the checks that its kind needs beyond its first bytes. */
function checked(
  { contentType, check }: FileKind,
  { head, content }: { head: Buffer; content: AsyncIterable<Buffer> },
) {
  if (check === 'text' || check === 'mail') {
    const rejection = new RejectedFileError('It contains characters that no text has.')
    return { contentType, content: checkText(content, { kind: check, head, rejection }) }
  }
  if (check === 'outlook')
    return {
      contentType,
      content,
      inspect: async (read: ReadBytes) => {
        await checkOutlookMessage(read)
        return OUTLOOK_TYPE
      },
    }
  if (check !== 'office') return { contentType, content }
  const inspect = async (read: ReadBytes, size: number) => {
    const type = await officeTypeOf(read, size)
    if (contentType && type !== contentType)
      throw new RejectedFileError('The extension of the name does not match the content.')
    return type
  }
  return { contentType, content, inspect }
}

/** Returns the first bytes, and the whole content including them. */
async function peek(content: AsyncIterable<Buffer>) {
  const iterator = content[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  let length = 0
  while (length < SNIFFED_BYTES) {
    const { value, done } = await iterator.next()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  async function* all() {
    yield* chunks
    for (;;) {
      const { value, done } = await iterator.next()
      if (done) return
      yield value
    }
  }
  return { head: Buffer.concat(chunks).subarray(0, SNIFFED_BYTES), content: all() }
}

function faultsOf(fields: Map<string, string>): FieldError[] {
  const faults: FieldError[] = []
  for (const name of ['caseId', 'countryCode'])
    if (!fields.get(name)) faults.push({ pointer: `/${name}`, detail: 'Required, but missing.' })
  const code = fields.get('countryCode')
  if (code && !(COUNTRY_CODES as readonly string[]).includes(code))
    faults.push({ pointer: '/countryCode', detail: `Expected one of ${COUNTRY_CODES.join(', ')}.` })
  for (const name of ['issueDate', 'expiryDate']) {
    const text = fields.get(name)
    if (text && !parseWallClock(text))
      faults.push({ pointer: `/${name}`, detail: 'Expected a real calendar date such as 2027-06-30.' })
  }
  const country = fields.get('country')
  if (country && !/^[A-Za-z]{2,3}$/.test(country))
    faults.push({ pointer: '/country', detail: 'Expected a country code of two or three letters.' })
  for (const [name, text] of fields) {
    if (text.includes('\0')) faults.push({ pointer: `/${name}`, detail: 'Must not hold a NUL character.' })
    else if (text.length > 4_000)
      faults.push({ pointer: `/${name}`, detail: 'Must have at most 4000 characters.' })
  }
  return faults
}

function valuesOf(fields: Map<string, string>): UploadFields {
  const text = (name: string) => fields.get(name) || null
  const date = (name: string) => parseWallClock(fields.get(name) ?? '') ?? null
  return {
    caseId: fields.get('caseId') ?? '',
    type: text('type'),
    name: text('name'),
    description: text('description'),
    issueDate: date('issueDate'),
    expiryDate: date('expiryDate'),
    referenceNumber: text('referenceNumber'),
    country: text('country'),
  }
}

const tooLarge = (maxBytes: number) => payloadTooLarge(`A file may have at most ${maxBytes} bytes.`)

function toProblem(error: unknown, maxBytes: number): unknown {
  if (error instanceof InvalidUploadError) return invalid(error.faults)
  if (error instanceof FileTooLargeError) return tooLarge(maxBytes)
  if (error instanceof RejectedFileError) return fileRefused(`${error.message} ${ACCEPTED_KINDS}`)
  if (error instanceof StalledUploadError) return requestTimeout()
  return error
}

/** A client that is still sending would not see the response, so the rest of a short body is read and dropped. */
async function drain(message: IncomingMessage): Promise<void> {
  if (message.complete || message.destroyed) return
  message.resume()
  const ended = new Promise(resolve => message.once('close', resolve).once('end', resolve))
  await Promise.race([ended, sleep(DRAIN_MS, undefined, { ref: false })])
}

/** The body may be unread, so the connection cannot be reused. */
function withConnectionClose<T>(error: T): T {
  const problem = error as Problem
  return problem.kind
    ? (Object.assign(error as object, { headers: { ...problem.headers, connection: 'close' } }) as T)
    : error
}
