// What Node lacks and browsers have, and the other way round: sessions by cookie; upload from a path, download to a path.
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { UNKEYED_POSTS } from './api-types.ts'
import { type CallOptions, setKey } from './calls.ts'
import type { Caseport } from './caseport.ts'
import { connectionOf } from './connections.ts'
import type { DownloadOptions, Resumption } from './download.ts'
import { CaseportError, isCaseportError } from './errors.ts'
import { createSha256 } from './sha256.ts'
import type { FileSource } from './upload-source.ts'

/** A file to upload. It is read while it is sent, and again for a retry. */
export async function fileFromPath(path: string): Promise<FileSource & { name: string; size: number }> {
  const failed = fileError(path)
  const { size } = await stat(path).catch(failed)
  async function* stream() {
    try {
      yield* createReadStream(path)
    } catch (error) {
      failed(error)
    }
  }
  return { name: basename(path), size, stream }
}

/** For `catch`: an error of the file system becomes a `file-error` with the path that the caller gave. */
const fileError = (path: string) => (error: unknown) => {
  if (!(error instanceof Error) || !('syscall' in error)) throw error
  throw new CaseportError('file-error', { detail: `${path}: ${error.message}.`, cause: error })
}

/**
 * Downloads a file to a path. The bytes go to `<path>.<digest>.part` first, so that the path has the whole file or none;
 * after an interruption, the next call continues there.
 */
export const downloadToPath = (
  caseport: Pick<Caseport, 'documents'>,
  documentId: string,
  path: string,
  options: DownloadOptions = {},
): Promise<{ size: number; sha256: string }> =>
  saveTo(path, caseport, documentId, options).catch(fileError(path))

async function saveTo(
  path: string,
  caseport: Pick<Caseport, 'documents'>,
  documentId: string,
  options: DownloadOptions,
): Promise<{ size: number; sha256: string }> {
  const { sha256, size } = await caseport.documents.get(documentId, callOptions(options))
  if (sha256 === null || size === null)
    throw new CaseportError('file-not-found', { detail: 'The document has no file.' })
  const part = `${path}.${sha256.slice(0, 16)}.part`
  const file = await open(part, 'a+')
  try {
    const start = await hashed(part, size)
    if (start.offset < size) {
      const from = start.offset > 0 ? { ...start, etag: `"${sha256}"` } : undefined
      const { body, offset } = await caseport.documents.download(documentId, options, from)
      await file.truncate(offset)
      for await (const chunk of body) await file.appendFile(chunk)
    } else if (start.hash.hex() !== sha256) {
      const detail =
        'The bytes of an earlier download were damaged, and are removed. Download the file again.'
      throw new CaseportError('digest-mismatch', { detail })
    }
    await file.sync()
  } catch (error) {
    // Nothing can be continued with these bytes.
    if (isCaseportError(error, 'digest-mismatch', 'file-changed')) await rm(part)
    throw error
  } finally {
    await file.close()
  }
  await rename(part, path)
  return { size, sha256 }
}

export interface PathRequest extends CallOptions {
  method?: string
  headers?: HeadersInit
  body?: string | Uint8Array<ArrayBuffer>
}

/**
 * Any request by its path, such as `/v2/applicant/employeenumber/E-1`, with the same authentication, `Idempotency-Key`, retries
 * and errors as by its method.
 */
export async function requestPath(
  caseport: Caseport,
  path: string,
  { method = 'GET', headers, body, signal, ...limits }: PathRequest = {},
): Promise<Response> {
  const { calls, baseUrl } = connectionOf(caseport)
  const init = {
    method,
    headers: headers ?? {},
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  }
  const request = new Request(baseUrl + path, init)
  if (method === 'POST') setKey(request.headers, isKeyed(path))
  return calls.transport.exchange(request, limits)
}

function isKeyed(path: string): boolean {
  const [pathname = ''] = path.split('?')
  return !UNKEYED_POSTS.some(template =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )
}

/**
 * A `fetch` for `auth: { kind: 'cookie' }` outside a browser: keeps the cookie of the session, and names the origin of the
 * service as a page does. It sends both to the service alone.
 */
export function createSessionFetch(baseUrl: string): typeof globalThis.fetch {
  const { origin } = new URL(baseUrl)
  const cookies = new Map<string, string>()
  return async (input, init) => {
    const request = new Request(input, init)
    if (new URL(request.url).origin !== origin) return fetch(request)
    request.headers.set('origin', origin)
    if (cookies.size > 0)
      request.headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(request)
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      // An empty one is how the service removes it.
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return response
  }
}

/** What there is of an earlier download. More bytes than the file has cannot be its beginning. */
async function hashed(part: string, size: number): Promise<Omit<Resumption, 'etag'>> {
  const hash = createSha256()
  let offset = 0
  for await (const chunk of createReadStream(part)) {
    hash.update(chunk)
    offset += chunk.length
  }
  return offset <= size ? { offset, hash } : { offset: 0, hash: createSha256() }
}

const callOptions = ({ signal, deadline, retries }: DownloadOptions) => ({
  ...(signal && { signal }),
  ...(deadline !== undefined && { deadline }),
  ...(retries !== undefined && { retries }),
})
