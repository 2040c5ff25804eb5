// Uploads a file as multipart/form-data, with progress. Fields come first, so that the service streams the file to the
// repository of its country. The digest that the service computed must be the one of the bytes that were read here.
import type { components } from './api-types.ts'
import { type CallOptions, parsed, randomText, type Version } from './calls.ts'
import { CaseportError, errorOf, invalidArgument, networkError, throwNetworkError } from './errors.ts'
import { onAbort } from './retry.ts'
import { createSha256 } from './sha256.ts'
import { isRepeatable, type Sending, type Transport } from './transport.ts'
import { replayable, type Source, sourceOf, streamOf, type UploadContent } from './upload-source.ts'

type Schemas = components['schemas']
type Document = Schemas['Document']

interface FileFields {
  /** A stream can be read only once, so in Node its upload is not retried. */
  file: UploadContent
  /** The default is the name of a File or path. */
  fileName?: string
  /** The service detects the kind of most files; this is for the others. */
  contentType?: string
}

/** A file of a case. */
export type Upload = Omit<Schemas['DocumentUpload'], 'document'> & FileFields
/** A file of a person. */
export type ApplicantUpload = Omit<Schemas['ApplicantDocumentUpload'], 'document'> & FileFields
/** A new version of a file. */
export type FileUpload = Omit<Schemas['DocumentFileUpload'], 'document'> & FileFields

export interface Progress {
  /** Bytes so far, from 0 again when a transfer is retried. */
  loaded: number
  /** Undefined for a stream, whose size is not known. */
  total: number | undefined
}

export interface UploadOptions extends CallOptions {
  /** Random by default. The same key with the same file creates one document. */
  idempotencyKey?: string
  onProgress?: (progress: Progress) => void
}

export interface ReplaceOptions extends Omit<UploadOptions, 'idempotencyKey'> {
  /** Writes only over this version, or fails with `version-mismatch`. */
  ifMatch?: Version
}

interface Sender {
  method: string
  url: string
  headers: Headers
  source: Source
  head: Uint8Array<ArrayBuffer>
  tail: Uint8Array<ArrayBuffer>
  onProgress: (progress: Progress) => void
}

/** Sends one attempt. Returns the response, and the digest of what was sent. */
type Send = (sender: Sender, sending: Sending) => Promise<{ response: Response; sha256: string }>

export interface UploadTarget {
  transport: Transport
  method: string
  url: string
  /** Keeps the ETag of the document. */
  remember: (document: object, response: Response) => void
  /** Set if the application brought a `fetch` of its own, which is then used in browsers too. */
  ownFetch: boolean
}

export async function upload(
  { remember, ...target }: UploadTarget,
  given: FileFields & object,
  { idempotencyKey, onProgress, etag, ...limits }: UploadOptions & { etag?: string | undefined } = {},
): Promise<Document> {
  const { file, fileName, contentType, ...fields } = given
  const found = sourceOf(file)
  const part = { name: fileName ?? found.name, type: contentType ?? found.type }
  if (!part.name) throw invalidArgument('fileName', 'Required: the file has no name.')
  const { head, tail, type } = envelope(fields, part)
  const headers = new Headers({ 'content-type': type })
  if (target.method === 'POST') headers.set('idempotency-key', idempotencyKey ?? randomText())
  if (etag !== undefined) headers.set('if-match', etag)
  const sent = { ...target, headers, head, tail, onProgress }
  const { body, response, sha256 } = await transfer<Document>(sent, found, limits)
  remember(body, response)
  // A client that may not read documents gets no digest, and cannot compare it.
  if (body.sha256 !== undefined && body.sha256 !== sha256) throw digestMismatch(body.documentId)
  return body
}

interface Transfer extends Omit<UploadTarget, 'remember'> {
  headers: Headers
  head: Uint8Array<ArrayBuffer>
  tail: Uint8Array<ArrayBuffer>
  onProgress?: ((progress: Progress) => void) | undefined
}

/** Sends `head`, the bytes of the source and `tail`. Returns the JSON of the response, and the digest of the source. */
export async function transfer<T>(
  { transport, ownFetch, onProgress = () => {}, ...call }: Transfer,
  found: Source,
  limits: CallOptions,
): Promise<{ body: T; response: Response; sha256: string }> {
  const streams = isNode()
  const source = streams ? found : replayable(await found.blob(), found)
  const sender = { ...call, source, onProgress }
  const send = streams
    ? sendStream(transport)
    : ownFetch || typeof XMLHttpRequest === 'undefined'
      ? byFetch(transport)
      : byXhr(transport.credentials)
  return transport.run(
    // Uploads may take hours: they have a deadline only if the caller sets one.
    {
      deadline: 0,
      ...limits,
      repeatable: isRepeatable(call.method, call.headers),
      once: !source.repeatable,
    },
    async sending => {
      const { response, sha256 } = await send(sender, sending)
      const body: T = await parsed(response.text().catch(throwNetworkError).then(JSON.parse))
      return { body, response, sha256 }
    },
  )
}

const sendStream =
  (transport: Transport): Send =>
  async ({ source, head, tail, onProgress, ...call }, sending) => {
    const hash = createSha256()
    let sourceError: unknown
    async function* content() {
      yield head
      let loaded = 0
      onProgress({ loaded, total: source.size })
      try {
        for await (const chunk of source.read()) {
          hash.update(chunk)
          yield chunk
          loaded += chunk.length
          onProgress({ loaded, total: source.size })
        }
      } catch (error) {
        sourceError = error
        throw error
      }
      yield tail
    }
    try {
      const body = streamOf(content())
      const response = await transport.send({ ...call, body }, sending)
      return { response, sha256: hash.hex() }
    } catch (error) {
      // A file that cannot be read is no error of the network, and reading it again would not help.
      throw sourceError ?? error
    }
  }

/** The bytes and their digest at once, where streams cannot be sent. */
const sendBlob =
  (transmit: (sender: Sender, sending: Sending, file: Blob) => Promise<Response>): Send =>
  async (sender, sending) => {
    const [response, sha256] = await Promise.all([
      transmit(sender, sending, await sender.source.blob()),
      digestOf(sender.source),
    ])
    return { response, sha256 }
  }

const byFetch = (transport: Transport) =>
  sendBlob(async ({ head, tail, onProgress, ...call }, sending, file) => {
    const total = file.size
    onProgress({ loaded: 0, total })
    const response = await transport.send({ ...call, body: new Blob([head, file, tail]) }, sending)
    onProgress({ loaded: total, total })
    return response
  })

/** Only XMLHttpRequest reports the progress of an upload in browsers. */
const byXhr = (credentials: RequestCredentials) =>
  sendBlob(({ method, url, headers, head, tail, onProgress }, { signal, authorization }, file) => {
    const sent = new Headers(headers)
    if (authorization !== undefined) sent.set('authorization', authorization)
    return new Promise<Response>((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, url)
      request.withCredentials = credentials === 'include'
      for (const [name, value] of sent) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded }) => {
        const bytes = Math.min(Math.max(0, loaded - head.length), file.size)
        onProgress({ loaded: bytes, total: file.size })
      }
      request.onload = () => {
        const { status, responseText } = request
        const response = new Response(responseText, { status, headers: headersOf(request) })
        if (response.ok) resolve(response)
        else reject(errorOf(response, responseText))
      }
      request.onerror = () => reject(networkError(new Error('the request failed')))
      request.onabort = () => reject(signal.reason)
      request.send(new Blob([head, file, tail]))
      request.onloadend = onAbort(signal, () => request.abort())
    })
  })

function headersOf(request: XMLHttpRequest): Headers {
  const lines = request.getAllResponseHeaders().matchAll(/^([^:\s]+): *(.*)$/gm)
  return new Headers(Array.from(lines, ([, ...header]) => header as [string, string]))
}

async function digestOf({ read }: Source): Promise<string> {
  const hash = createSha256()
  for await (const chunk of read()) hash.update(chunk)
  return hash.hex()
}

function envelope(fields: object, { name, type }: { name: string; type: string }) {
  const boundary = `caseport-${randomText()}`
  const part = (disposition: string, rest: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}${rest}`
  const texts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => part(`name="${quotable(field)}"`, `\r\n\r\n${value}\r\n`))
  const contentType = `\r\ncontent-type: ${/^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream'}`
  const file = part(`name="document"; filename="${quotable(name)}"`, `${contentType}\r\n\r\n`)
  const encoder = new TextEncoder()
  return {
    head: encoder.encode(texts.join('') + file),
    tail: encoder.encode(`\r\n--${boundary}--\r\n`),
    type: `multipart/form-data; boundary=${boundary}`,
  }
}

/** As browsers write names of fields and files. */
const quotable = (text: string) => text.replace(/["\r\n]/g, encodeURIComponent)

const isNode = () => Boolean(globalThis.process?.versions?.node)

function digestMismatch(documentId: string): CaseportError {
  const detail = `The service stored other bytes, as document ${documentId}. Upload it again.`
  return new CaseportError('digest-mismatch', { detail })
}
