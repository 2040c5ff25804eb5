// Downloads a file. A connection that breaks is resumed where it broke, and the digest of the whole file is verified
// before the stream ends.
import type { CallOptions } from './calls.ts'
import { CaseportError, invalidResponse, isCaseportError, networkError } from './errors.ts'
import { delayAfter, mayRetry, onAbort, sleep } from './retry.ts'
import { createSha256, hexOf, type Sha256 } from './sha256.ts'
import type { Transport } from './transport.ts'
import type { Progress } from './upload.ts'

export interface DownloadOptions extends CallOptions {
  onProgress?: (progress: Progress) => void
}

/** Bytes that the caller has from an earlier download. */
export interface Resumption {
  offset: number
  etag: string
  /** Of the bytes before `offset`. */
  hash: Sha256
}

interface Target {
  transport: Transport
  url: string
}

export interface Download {
  fileName: string | undefined
  contentType: string
  /** Bytes of the whole file. */
  size: number | undefined
  /** In hexadecimal, of the whole file. */
  sha256: string | undefined
  /** Where `body` begins in the file: 0, unless a download was resumed. */
  offset: number
  /** Can be read once. It fails with `digest-mismatch` if the bytes are not those of the file. */
  body: ReadableStream<Uint8Array<ArrayBuffer>>
  blob(): Promise<Blob>
  bytes(): Promise<Uint8Array>
}

const MAX_FAILURES = 5

export async function download(
  { transport, url }: Target,
  { onProgress = () => {}, signal, ...limits }: DownloadOptions = {},
  from?: Resumption,
): Promise<Download> {
  // Ends the transfer when the caller aborts, or when the body is cancelled.
  const ended = new AbortController()
  const release = onAbort(signal, reason => ended.abort(reason))

  const open = (offset: number, etag: string | null) => {
    const headers = new Headers({ 'accept-encoding': 'identity' })
    if (offset > 0 && etag) {
      headers.set('range', `bytes=${offset}-`)
      headers.set('if-range', etag)
    }
    // The deadline is for the response to begin; the transfer may take hours.
    return transport.run({ ...limits, signal: ended.signal, repeatable: true }, sending =>
      // `sending.signal` ends with the call, and would not end the transfer.
      transport.send(
        { method: 'GET', url, headers },
        { ...sending, signal: AbortSignal.any([sending.signal, ended.signal]) },
      ),
    )
  }

  const first = await open(from?.offset ?? 0, from?.etag ?? null).catch(error => {
    release()
    throw error
  })
  const resumed = first.status === 206
  const offset = resumed && from ? from.offset : 0
  if (resumed) checkRange(first, offset)
  const hash = resumed && from ? from.hash : createSha256()
  const etag = first.headers.get('etag')
  const size = sizeOf(first)
  const sha256 = digestOf(first.headers.get('repr-digest'))
  let position = offset
  let failures = 0
  /** Bytes at the beginning of the response that arrived before. */
  let skip = 0
  let reader = readerOf(first)

  /** Continues at `position`. */
  const reopen = async (error: unknown) => {
    const cause = isCaseportError(error) ? error : networkError(error)
    failures += 1
    // Without an ETag it is not known whether the rest is of the same content.
    if (etag === null || ended.signal.aborted || failures > MAX_FAILURES || !mayRetry(cause, true))
      throw cause
    await sleep(delayAfter(failures), ended.signal)
    const response = await open(position, etag)
    if (response.headers.get('etag') !== etag) throw fileChanged()
    if (response.status === 206) checkRange(response, position)
    // A proxy may not know ranges, and return the whole file again.
    skip = response.status === 206 ? 0 : position
    reader = readerOf(response)
  }

  const next = async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    for (;;) {
      try {
        const { done, value } = await reader.read()
        const chunk = value?.subarray(skip)
        skip -= Math.min(skip, value?.length ?? 0)
        if (chunk?.length) return chunk
        if (!done) continue
        if (size === undefined || position === size) return undefined
        throw new Error(`the connection ended after ${position} of ${size} bytes`)
      } catch (error) {
        if (ended.signal.aborted) throw ended.signal.reason
        await reopen(error)
      }
    }
  }

  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const chunk = await next().catch(error => {
          release()
          throw error
        })
        if (chunk) {
          hash.update(chunk)
          position += chunk.length
          failures = 0
          onProgress({ loaded: position, total: size })
          controller.enqueue(chunk)
          return
        }
        release()
        if (sha256 !== undefined && hash.hex() !== sha256) throw digestMismatch()
        controller.close()
      },
      async cancel(reason) {
        release()
        await reader.cancel(reason).catch(() => {})
        ended.abort(reason)
      },
    },
    // Reads only on demand, so that a broken connection is noticed by the reader.
    { highWaterMark: 0 },
  )
  return describe(first, { size, sha256, offset, body })
}

function describe(
  { headers }: Response,
  about: Pick<Download, 'size' | 'sha256' | 'offset' | 'body'>,
): Download {
  const contentType = headers.get('content-type') ?? 'application/octet-stream'
  const whole = () => new Response(about.body, { headers: { 'content-type': contentType } })
  return {
    ...about,
    contentType,
    fileName: fileNameOf(headers.get('content-disposition')),
    blob: () => whole().blob(),
    bytes: async () => new Uint8Array(await whole().arrayBuffer()),
  }
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> {
  if (!response.body) throw invalidResponse('The response has no body.')
  return response.body.getReader()
}

function checkRange(response: Response, offset: number): void {
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1]
  if (Number(start) === offset) return
  throw invalidResponse(`The service returned the range "${start}" instead of one from ${offset}.`, {
    status: response.status,
  })
}

/** Bytes of the whole file. Unknown if a proxy compressed it on the way. */
function sizeOf({ headers }: Response): number | undefined {
  if (headers.has('content-encoding')) return undefined
  const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? headers.get('content-length')
  return total === null ? undefined : Number(total)
}

/** RFC 9530: `sha-256=:<Base64>:`. */
function digestOf(header: string | null): string | undefined {
  const encoded = /\bsha-256=:([A-Za-z0-9+/=]+):/.exec(header ?? '')?.[1]
  if (!encoded) return undefined
  return hexOf(Uint8Array.from(atob(encoded), byte => byte.charCodeAt(0)))
}

function fileNameOf(disposition: string | null): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  if (encoded) return decodeURIComponent(encoded)
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition ?? '')?.[1]?.replace(/\\(.)/g, '$1')
}

export const fileChanged = () =>
  new CaseportError('file-changed', {
    detail: 'The file was changed during the download. Start again.',
  })

const digestMismatch = () =>
  new CaseportError('digest-mismatch', {
    detail: 'The bytes are not those of the file. Download it again.',
  })
