// What Node lacks and browsers have, and the other way round: sessions by cookie; upload from a path, download to a path.
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { UNKEYED_POSTS } from './api-types.ts'
import { type CallOptions, randomText, setKey } from './calls.ts'
import type { Caseport } from './caseport.ts'
import { connectionOf } from './connections.ts'
import { type Download, type DownloadOptions, fileChanged, type Resumption } from './download.ts'
import { CaseportError, isCaseportError } from './errors.ts'
import { createSha256 } from './sha256.ts'
import { openResponse } from './streams.ts'
import { buffered } from './transport.ts'
import type { FileSource } from './upload-source.ts'

/** A file to upload. It is read while it is sent, and again for a retry. */
export async function fileFromPath(path: string): Promise<FileSource & { name: string; size: number }> {
  const failed = fileError(path)
  const found = await stat(path).catch(failed)
  if (found.isDirectory()) throw folderGiven(path)
  const { size } = found
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

const folderGiven = (path: string) =>
  new CaseportError('file-error', { detail: `${path} is a folder. Expected the path of a file.` })

interface Saved {
  size: number
  sha256: string
}

/**
 * Downloads a file to a path. The bytes go to `<path>.<digest>.part` first, so that the path has the whole file or none;
 * after an interruption, the next call continues there. Several calls may download to one path at once.
 */
export const downloadToPath = (
  caseport: Pick<Caseport, 'documents'>,
  documentId: string,
  path: string,
  options: DownloadOptions = {},
): Promise<Saved> => saveTo(path, caseport, documentId, options).catch(fileError(path))

const MAX_TRIES = 10

async function saveTo(
  path: string,
  { documents }: Pick<Caseport, 'documents'>,
  documentId: string,
  options: DownloadOptions,
): Promise<Saved> {
  const isFolder = await stat(path).then(
    found => found.isDirectory(),
    () => false,
  )
  if (isFolder) throw folderGiven(path)
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const { sha256, size } = await documents.get(documentId, callOptions(options))
    if (sha256 === null || size === null)
      throw new CaseportError('file-not-found', { detail: 'The document has no file.' })
    const begin = (from?: Resumption) => documents.download(documentId, options, from)
    if (await isSaved({ path, sha256, size }, begin)) return { size, sha256 }
  }
  throw fileChanged()
}

/** False if the document has another file by now, or if another call removed the bytes of this one. */
async function isSaved(
  { path, sha256, size }: Saved & { path: string },
  begin: (from?: Resumption) => Promise<Download>,
): Promise<boolean> {
  const part = `${path}.${sha256.slice(0, 16)}.part`
  // Calls at once write the same bytes to the same positions. None truncates what another one has written.
  const file = await open(part, constants.O_RDWR | constants.O_CREAT)
  try {
    const { offset, hash } = await hashed(file)
    if (offset < size) {
      const download = await begin(offset > 0 ? { offset, hash, etag: `"${sha256}"` } : undefined)
      if ((download.sha256 ?? sha256) !== sha256) {
        await download.body.cancel()
        await rm(part, { force: true })
        return false
      }
      await writeFrom(file, download)
    } else if (offset > size) {
      await rm(part, { force: true })
      return false
    } else if (hash.hex() !== sha256) {
      const detail =
        'The bytes of an earlier download were damaged, and are removed. Download the file again.'
      throw new CaseportError('digest-mismatch', { detail })
    }
    await file.sync()
    return await isRenamed(file, part, path)
  } catch (error) {
    // Nothing can be continued with these bytes.
    if (isCaseportError(error, 'digest-mismatch', 'file-changed')) await rm(part, { force: true })
    throw error
  } finally {
    const { size } = await file.stat()
    await file.close()
    if (size === 0) await rm(part, { force: true })
  }
}

async function writeFrom(file: FileHandle, { body, offset }: Download): Promise<void> {
  let position = offset
  for await (const chunk of body)
    for (let rest = chunk; rest.length > 0; ) {
      const { bytesWritten } = await file.write(rest, 0, rest.length, position)
      position += bytesWritten
      rest = rest.subarray(bytesWritten)
    }
}

/** Gives the whole file its name, unless another call that wrote the same one did. */
async function isRenamed(file: FileHandle, part: string, path: string): Promise<boolean> {
  const own = await file.stat({ bigint: true })
  const isOwn = (name: string) =>
    stat(name, { bigint: true }).then(
      ({ dev, ino }) => dev === own.dev && ino === own.ino,
      () => false,
    )
  if (!(await isOwn(part))) return isOwn(path)
  // Meanwhile, another call may have renamed the file, and a third one begun a new part: what is under a name of one's own
  // cannot be exchanged any more.
  const taken = `${part}.${randomText()}`
  try {
    await rename(part, taken)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return isOwn(path)
    throw error
  }
  const isMine = await isOwn(taken)
  await rename(taken, isMine ? path : part).catch(async error => {
    await rename(taken, part)
    throw error
  })
  return isMine || isOwn(path)
}

export interface PathRequest extends CallOptions {
  method?: string
  headers?: HeadersInit
  body?: string | Uint8Array<ArrayBuffer>
  /** For GET: a body that is no JSON can be read while it arrives. The deadline and the retries are for it to begin. */
  stream?: boolean
}

/**
 * Any request by its path, such as `/v2/applicant/employeenumber/E-1`, with the same authentication, `Idempotency-Key`, retries
 * and errors as by its method.
 */
export async function requestPath(
  caseport: Caseport,
  path: string,
  { method = 'GET', headers, body, signal, stream = false, ...limits }: PathRequest = {},
): Promise<Response> {
  const { calls, baseUrl } = connectionOf(caseport)
  const init = {
    method,
    headers: headers ?? {},
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  }
  const request = new Request(baseUrl + path, init)
  if (stream && method === 'GET') {
    const call = { method, url: request.url, headers: request.headers }
    const options = { ...limits, ...(signal && { signal }) }
    return openResponse(calls.transport, call, options, async response =>
      isJson(response) ? buffered(response) : response,
    )
  }
  if (method === 'POST') setKey(request.headers, isKeyed(path))
  // That of the request is lost with the request, which may be collected as garbage.
  return calls.transport.exchange(request, { ...limits, signal })
}

const isJson = ({ headers }: Response) => /\bjson\b/i.test(headers.get('content-type') ?? '')

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

/** What there is of an earlier download. */
async function hashed(file: FileHandle): Promise<Omit<Resumption, 'etag'>> {
  const hash = createSha256()
  let offset = 0
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
    hash.update(chunk)
    offset += chunk.length
  }
  return { offset, hash }
}

const callOptions = ({ signal, deadline, retries }: DownloadOptions) => ({
  ...(signal && { signal }),
  ...(deadline !== undefined && { deadline }),
  ...(retries !== undefined && { retries }),
})
