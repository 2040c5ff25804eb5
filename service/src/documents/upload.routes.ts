import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bindCaller } from '../db/caller.ts'
import type { RenderedRecord } from '../db/etag-cache.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { App } from '../http/app-types.ts'
import { payloadTooLarge, requestTimeout, unsupportedMediaType } from '../http/problems.ts'
import { preconditionsOf, type Responses } from '../http/responses.ts'
import type { Reservation } from '../lib/budget.ts'
import { type DeclaredProblem, invalid, type Problem } from '../lib/problem.ts'
import { ACCEPTED_KINDS, RejectedFileError } from './accepted-kinds.ts'
import { putDocumentFile, uploadApplicantDocument } from './desk-documents.schema.ts'
import type { DeskDocuments } from './desk-documents.service.ts'
import { cleanFileName } from './document.ts'
import { TRANSFER_TIME_LIMIT } from './documents.routes.ts'
import { fileRefused, uploadDocument } from './documents.schema.ts'
import type { Documents } from './documents.service.ts'
import type { StoredFile } from './documents.store.ts'
import { kindOf } from './file-kind.ts'
import { reserve, type Transfers } from './transfers.ts'
import {
  type FilePart,
  FileTooLargeError,
  InvalidUploadError,
  readMultipart,
  StalledUploadError,
} from './upload.ts'
import { checked, peek } from './upload-content.ts'
import { DETAILS, faultsOf, valuesOf } from './upload-fields.ts'
import type { Uploads } from './uploads.service.ts'

interface Options {
  responses: Responses
  documents: Documents
  deskDocuments: DeskDocuments
  uploads: Uploads
  caseNotFound: DeclaredProblem
  applicantNotFound: DeclaredProblem
  maxBytes: number
  spoolFolder: string
  transfers: Transfers
}

const DRAIN_MS = 3_000
/** Bytes of headers and fields beside the file. */
const MULTIPART_OVERHEAD = 512 * 1024
/** What the parser buffers, and the least that an upload reserves. */
const PARSER_MEMORY = 2 * 1024 * 1024
const MIN_MEMORY = 64 * 1024

type Fields = Map<string, string>

/** What a route does with the file that it receives. */
interface Target {
  fields: readonly string[]
  required: readonly string[]
  /** The repository where no field names one. */
  countryCode?: string | undefined
  /** The person that the file is for. Called before the first byte is stored; throws where there is none. */
  findApplicant?(fields: Fields): Promise<string>
  /** Runs in the transaction. Returns whether the file is used; it is discarded otherwise. */
  save(unit: UnitOfWork, upload: Upload): Promise<{ used: boolean; document: RenderedRecord }>
}

interface Upload {
  file: StoredFile
  fields: Fields
  applicantId: string
}

interface Receiving {
  fields: Fields
  target: Target
  reservation: Reservation
  clientId: string
  /** Whether the same request may have stored this file before. */
  isRepeatable: boolean
}

export function uploadRoutes(root: App, options: Options): void {
  root.register(async scoped => {
    const app = scoped as App
    app.removeAllContentTypeParsers()
    // The handler parses the body as a stream.
    app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null))
    const receive = createReceiver(options)
    caseUploadRoute(app, options, receive)
    deskUploadRoutes(app, options, receive)
  })
}

type Receive = ReturnType<typeof createReceiver>

const timeLimit = TRANSFER_TIME_LIMIT

function caseUploadRoute(app: App, { documents, uploads, caseNotFound }: Options, receive: Receive): void {
  const schema = uploadDocument(caseNotFound)
  app.post('/v2/document', { schema, scope: 'documents:write', timeLimit }, (req, reply) =>
    receive(req, reply, async () => ({
      fields: ['caseId', 'countryCode', ...DETAILS],
      required: ['caseId', 'countryCode'],
      async findApplicant(fields) {
        const applicantId = await uploads.findApplicant(fields.get('caseId') ?? '')
        if (!applicantId) throw caseNotFound()
        return applicantId
      },
      async save(unit, { file, fields, applicantId }) {
        const documentId = await uploads.commit(unit, { file, fields: valuesOf(fields), applicantId })
        return { used: true, document: await documents.read(unit.tx, documentId) }
      },
    })),
  )
}

function deskUploadRoutes(
  app: App,
  { documents, deskDocuments, uploads, applicantNotFound }: Options,
  receive: Receive,
): void {
  const scope = 'desk:write'
  app.post(
    '/admin/v1/applicants/:applicantId/documents',
    { schema: uploadApplicantDocument(applicantNotFound), scope, timeLimit },
    (req, reply) =>
      receive(req, reply, async () => {
        const { applicantId } = req.params
        if (!(await uploads.hasApplicant(applicantId))) throw applicantNotFound()
        return {
          fields: ['countryCode', ...DETAILS],
          required: ['countryCode'],
          findApplicant: async () => applicantId,
          async save(unit, { file, fields }) {
            if (!(await uploads.lockApplicant(unit, applicantId))) throw applicantNotFound()
            const documentId = await uploads.commit(unit, { file, fields: valuesOf(fields), applicantId })
            return { used: true, document: await documents.read(unit.tx, documentId) }
          },
        }
      }),
  )
  app.put(
    '/admin/v1/documents/:documentId/file',
    { schema: putDocumentFile, scope, timeLimit },
    (req, reply) =>
      receive(req, reply, async () => {
        const { documentId } = req.params
        const countryCode = (await deskDocuments.countryOf(documentId)) ?? undefined
        return {
          fields: ['countryCode'],
          required: countryCode === undefined ? ['countryCode'] : [],
          countryCode,
          async save(unit, { file, fields }) {
            const save = () => uploads.commitVersion(unit, file)
            const isDefault = !fields.get('countryCode')
            const replacing = { file, isDefault, requireState: preconditionsOf(req), save }
            const { changed, document } = await deskDocuments.replaceFile(unit, documentId, replacing)
            return { used: changed, document }
          },
        }
      }),
  )
}

/** Receives the file of a request, within the memory budget of uploads, and saves it. */
function createReceiver({ responses, uploads, maxBytes, spoolFolder, transfers }: Options) {
  const storeFile = async (
    part: FilePart,
    { fields, target, reservation, clientId, isRepeatable }: Receiving,
  ): Promise<Upload> => {
    const faults = faultsOf(fields, target.required)
    if (faults.length > 0) throw invalid(faults)
    const countryCode = fields.get('countryCode') || target.countryCode || ''
    reservation.shrink(PARSER_MEMORY + uploads.memoryFor(countryCode))
    const applicantId = (await target.findApplicant?.(fields)) ?? ''
    // A repetition may need no room: the transaction that stores the document decides.
    if (!isRepeatable) await uploads.requireQuota(clientId)
    const fileName = cleanFileName(part.fileName)
    const { head, content } = await peek(part.content)
    if (head.length === 0) throw invalid([{ pointer: '/document', detail: 'The file is empty.' }])
    const kind = kindOf(head, fileName)
    const file = await uploads.receive({ ...checked(kind, { head, content }), countryCode, fileName })
    return { file, fields, applicantId }
  }

  /** Parses the request and stores its file. */
  const readUpload = async (req: FastifyRequest, target: Target) => {
    // A small request with a Content-Length reserves only its size.
    const length = req.headers['content-length'] ?? Number.POSITIVE_INFINITY
    const bytes = Math.min(PARSER_MEMORY + uploads.memoryFor(), Number(length) + MIN_MEMORY)
    const reservation = await reserve(transfers.uploads, bytes, req.raw.socket)
    let storing: Promise<Upload> | undefined
    try {
      return await readMultipart({
        message: req.raw,
        maxBytes,
        fields: target.fields,
        // A country that comes after the file decides too, where it may be left out.
        ready: (fields, all) =>
          [...target.required, ...(all ? [] : ['countryCode'])].every(name => fields.has(name)),
        store: bindCaller((part: FilePart, fields: Fields) => {
          const clientId = req.principal?.clientId ?? ''
          const isRepeatable = req.method === 'PUT' || req.headers['idempotency-key'] !== undefined
          storing = storeFile(part, { fields, target, reservation, clientId, isRepeatable })
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

  /** Discards the file unless its document has it: after an error, a repeated Idempotency-Key or a repeated file. */
  const commit = async (req: FastifyRequest, reply: FastifyReply, upload: Upload & { target: Target }) => {
    const { file, fields, target } = upload
    // Of the same request in another order of its fields, the Idempotency-Key has the same fingerprint.
    req.body = { ...Object.fromEntries([...fields].sort()), document: [file.fileName, file.sha256] }
    let isUsed = false
    try {
      return await responses.write(req, reply, async unit => {
        const { used, document } = await target.save(unit, upload)
        isUsed = used
        const { id, json, etag } = document
        return req.method === 'POST'
          ? { status: 201, json, headers: { location: `/v2/document/${encodeURIComponent(id)}`, etag } }
          : { status: 200, json, headers: { etag } }
      })
    } finally {
      if (!isUsed) await uploads.discard(file)
    }
  }

  return async (req: FastifyRequest, reply: FastifyReply, open: () => Promise<Target>): Promise<never> => {
    if (!/^multipart\/form-data\b/i.test(req.headers['content-type'] ?? ''))
      throw unsupportedMediaType('Send multipart/form-data.')
    if (Number(req.headers['content-length'] ?? 0) > maxBytes + MULTIPART_OVERHEAD) {
      await drain(req.raw)
      throw withConnectionClose(tooLarge(maxBytes))
    }
    const rejected = async (error: unknown) => {
      await drain(req.raw)
      throw withConnectionClose(toProblem(error, maxBytes))
    }
    const target = await open().catch(rejected)
    const faultsIn = ({ fields, hadFile }: Parts) => [
      ...faultsOf(fields, target.required),
      ...(hadFile ? [] : [{ pointer: '/document', detail: 'Required, but missing.' }]),
    ]
    const { fields, stored, hadFile } = await readUpload(req, target).catch(error => {
      if (!(error instanceof InvalidUploadError && error.parts)) return rejected(error)
      const known = new Set(error.faults.map(({ pointer }) => pointer))
      const others = faultsIn(error.parts).filter(({ pointer }) => !known.has(pointer))
      return rejected(invalid([...error.faults, ...others]))
    })
    const faults = faultsIn({ fields, hadFile })
    if (!stored || faults.length > 0) {
      if (stored) await uploads.discard(stored.file)
      throw invalid(faults)
    }
    return commit(req, reply, { ...stored, fields, target })
  }
}

type Parts = NonNullable<InvalidUploadError['parts']>

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
