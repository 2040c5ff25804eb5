// Uploads a file as multipart/form-data, with progress. Fields come first, so that the service streams the file to the
// repository of its country. The digest that the service computed must be the one of the bytes that were read here.
import type { components } from './api-types.ts'
import { type CallOptions, randomText } from './calls.ts'
import { CaseportError, errorOf, invalidArgument, networkError } from './errors.ts'
import { createSha256 } from './sha256.ts'
import type { Sending, Transport } from './transport.ts'
import { blobSource, type Source, sourceOf, streamOf, type UploadContent } from './upload-source.ts'

type Document = components['schemas']['Document']

export interface Upload extends Omit<components['schemas']['DocumentUpload'], 'document'> {
  /** A stream can be read only once, so in Node its upload is not retried. */
  file: UploadContent
  /** The default is the name of a File or path. */
  fileName?: string
  /** The service detects the kind of most files; this is for the others. */
  contentType?: string
}

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

interface Sender {
  url: string
  headers: Headers
  source: Source
  head: Uint8Array<ArrayBuffer>
  tail: Uint8Array<ArrayBuffer>
  onProgress: (progress: Progress) => void
}

/** Sends one attempt. Returns the document, and the digest of what was sent. */
type Send = (sender: Sender, sending: Sending) => Promise<{ document: Document; sha256: string }>

export interface UploadTarget {
  transport: Transport
  url: string
  /** Set if the application brought a `fetch` of its own, which is then used in browsers too. */
  ownFetch: boolean
}

export async function upload(
  { transport, url, ownFetch }: UploadTarget,
  given: Upload,
  { idempotencyKey = randomText(), onProgress = () => {}, ...limits }: UploadOptions = {},
): Promise<Document> {
  const { file, fileName, contentType, ...fields } = given
  const found = sourceOf(file)
  const streams = isNode()
  const source = streams ? found : blobSource(await found.blob(), found)
  const part = { name: fileName ?? source.name, type: contentType ?? source.type }
  if (!part.name) throw invalidArgument('fileName', 'Required, because the file has no name of its own.')
  const { head, tail, type } = envelope(fields, part)
  const headers = new Headers({ 'content-type': type, 'idempotency-key': idempotencyKey })
  const sender = { url, headers, source, head, tail, onProgress }
  const send = streams
    ? sendStream(transport)
    : ownFetch || typeof XMLHttpRequest === 'undefined'
      ? sendBlob(transport)
      : sendXhr(transport.credentials)
  const { document, sha256 } = await transport.run(
    // Uploads may take hours: they have a deadline only if the caller sets one.
    { deadline: 0, ...limits, repeatable: true, once: !source.repeatable },
    sending => send(sender, sending),
  )
  // A client that may not read documents gets no digest, and cannot compare it.
  if (document.sha256 !== undefined && document.sha256 !== sha256) throw digestMismatch(document.documentId)
  return document
}

const sendStream =
  (transport: Transport): Send =>
  async ({ url, headers, source, head, tail, onProgress }, sending) => {
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
      const response = await transport.send({ method: 'POST', url, headers, body }, sending)
      return { document: await documentOf(response), sha256: hash.hex() }
    } catch (error) {
      // A file that cannot be read is no error of the network, and reading it again would not help.
      throw sourceError ?? error
    }
  }

const sendBlob =
  (transport: Transport): Send =>
  async ({ url, headers, source, head, tail, onProgress }, sending) => {
    const file = await source.blob()
    onProgress({ loaded: 0, total: file.size })
    const body = new Blob([head, file, tail])
    const [response, sha256] = await Promise.all([
      transport.send({ method: 'POST', url, headers, body }, sending),
      digestOf(source),
    ])
    onProgress({ loaded: file.size, total: file.size })
    return { document: await documentOf(response), sha256 }
  }

/** Only XMLHttpRequest reports the progress of an upload in browsers. */
const sendXhr =
  (credentials: RequestCredentials): Send =>
  async ({ url, headers, source, head, tail, onProgress }, { signal, authorization }) => {
    const file = await source.blob()
    const sent = new Headers(headers)
    if (authorization !== undefined) sent.set('authorization', authorization)
    const response = new Promise<Response>((resolve, reject) => {
      const request = new XMLHttpRequest()
      const abort = () => request.abort()
      request.open('POST', url)
      request.withCredentials = credentials === 'include'
      for (const [name, value] of sent) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded }) => {
        const bytes = Math.min(Math.max(0, loaded - head.length), file.size)
        onProgress({ loaded: bytes, total: file.size })
      }
      request.onload = () => {
        const { status, responseText } = request
        const received = new Response(responseText, { status, headers: headersOf(request) })
        if (received.ok) resolve(received)
        else reject(errorOf(received, responseText))
      }
      request.onerror = () => reject(networkError(new Error('the request failed')))
      request.onabort = () => reject(signal.reason)
      request.onloadend = () => signal.removeEventListener('abort', abort)
      signal.addEventListener('abort', abort)
      request.send(new Blob([head, file, tail]))
      if (signal.aborted) abort()
    })
    const [received, sha256] = await Promise.all([response, digestOf(source)])
    return { document: await documentOf(received), sha256 }
  }

function headersOf(request: XMLHttpRequest): Headers {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/)
  return new Headers(
    lines.map(line => [line.split(':', 1)[0] ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  )
}

async function documentOf(response: Response): Promise<Document> {
  const text = await response.text().catch(error => {
    throw networkError(error)
  })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CaseportError('invalid-response', { status: response.status, detail: 'No JSON.', cause })
  }
}

async function digestOf({ read }: Source): Promise<string> {
  const hash = createSha256()
  for await (const chunk of read()) hash.update(chunk)
  return hash.hex()
}

function envelope(
  fields: Record<string, string | undefined>,
  { name, type }: { name: string; type: string },
) {
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
const quotable = (text: string) => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const isNode = () => typeof globalThis.process?.versions?.node === 'string'

function digestMismatch(documentId: string): CaseportError {
  const detail = `The service stored other bytes than were sent, as document ${documentId}. Upload the file again.`
  return new CaseportError('digest-mismatch', { detail })
}
