// Uploads and downloads of generated files. Content is streamed from a seed, so that no file is kept in memory or on disk.
import { createHash, randomBytes } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const CHUNK = 256 * 1024
const HEAD = Buffer.from('%PDF-1.7\n')
const noise = randomBytes(CHUNK)

/** All chunks differ, so that swapped chunks or files change the hash. */
export function* contentOf(seed: number, size: number): Generator<Buffer> {
  for (let at = 0; at < size; at += CHUNK) {
    const chunk = Buffer.from(noise)
    chunk.writeUInt32LE(seed, 16)
    chunk.writeDoubleLE(at, 20)
    if (at === 0) HEAD.copy(chunk)
    yield chunk.subarray(0, Math.min(CHUNK, size - at))
  }
}

export interface Target {
  url: string
  token: string
}

export interface UploadOptions {
  caseId: string
  countryCode: string
  seed: number
  size: number
  /** Sends the file before the fields caseId and countryCode. */
  fileFirst?: boolean
  /** Milliseconds to wait after each 256 KiB. */
  pause?: number
}

export interface UploadResult {
  status: number
  documentId: string
  sha256: string
  text: string
}

/** Rejects if there was no complete response; the outcome of the upload is then unknown. */
export async function upload({ url, token }: Target, options: UploadOptions): Promise<UploadResult> {
  const boundary = `----attack-${options.seed}-${randomBytes(8).toString('hex')}`
  const { before, after } = framing(options, boundary)
  const hash = createHash('sha256')
  async function* body() {
    yield before
    for (const chunk of contentOf(options.seed, options.size)) {
      hash.update(chunk)
      yield chunk
      if (options.pause) await sleep(options.pause)
    }
    yield after
  }
  const outgoing = request(`${url}/v2/document`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': before.length + options.size + after.length,
    },
  })
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject)
  })
  // An early rejection closes the connection during the upload; the response counts then, not the broken pipe.
  const sent = pipeline(Readable.from(body(), { objectMode: false, highWaterMark: CHUNK }), outgoing)
  sent.catch(() => {})
  const response = await responded
  const text = (await buffer(response)).toString()
  if (!response.complete) throw new Error('The response was cut off.')
  const documentId = response.statusCode === 201 ? (JSON.parse(text).documentId as string) : ''
  if (response.statusCode === 201) await sent
  return { status: response.statusCode ?? 0, documentId, sha256: hash.digest('hex'), text }
}

function framing({ caseId, countryCode, fileFirst, seed }: UploadOptions, boundary: string) {
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const fields = field('caseId', caseId) + field('countryCode', countryCode)
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="document"; filename="file-${seed}.pdf"\r\nContent-Type: application/pdf\r\n\r\n`
  return {
    before: Buffer.from((fileFirst ? '' : fields) + file),
    after: Buffer.from(`\r\n${fileFirst ? fields : ''}--${boundary}--\r\n`),
  }
}

export interface DownloadResult {
  status: number
  sha256: string
  length: number
  /** Whether the whole body arrived; clients discard an incomplete one. */
  complete: boolean
}

interface DownloadOptions {
  documentId: string
  range?: string
  /** Called after each chunk with the bytes read so far; the next chunk is read when it resolves. */
  onChunk?: (read: number) => Promise<void> | void
}

export async function download(
  { url, token }: Target,
  { documentId, range, onChunk }: DownloadOptions,
): Promise<DownloadResult> {
  const path = `${url}/v2/document/${encodeURIComponent(documentId)}/file`
  const headers = { authorization: `Bearer ${token}`, ...(range && { range }) }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(path, { agent: false, headers }).on('response', resolve).on('error', reject).end()
  })
  const hash = createHash('sha256')
  let length = 0
  try {
    for await (const chunk of response) {
      hash.update(chunk)
      length += chunk.length
      await onChunk?.(length)
    }
  } catch {
    // The connection closed early; `complete` is false then.
  }
  return { status: response.statusCode ?? 0, sha256: hash.digest('hex'), length, complete: response.complete }
}

/** Creates a case, to attach documents to. */
export async function createCase({ url, token }: Target): Promise<string> {
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const name = `Company ${randomBytes(6).toString('hex')}`
  await post('/admin/v1/companies', { name })
  const created = await post('/v2/case', {
    caseType: 'Work permit',
    hostCompany: name,
    sendingCompany: name,
    billingCompany: name,
    applicant: { firstName: 'Ana', lastName: 'Weber' },
  })
  return created['caseId'] ?? ''
}
