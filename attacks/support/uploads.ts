// Files sent and fetched by an attack: made as a stream from a seed, so that none has to be held or stored here.
import { createHash, randomBytes } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

const CHUNK = 256 * 1024
const HEAD = Buffer.from('%PDF-1.7\n')
const noise = randomBytes(CHUNK)

/** Every chunk is another, so that a mix-up of blocks, or of files, shows in the hash. */
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

export interface Sending {
  caseId: string
  countryCode: string
  seed: number
  size: number
  /** The file before the fields that say where it belongs. */
  fileFirst?: boolean
}

export interface Sent {
  status: number
  documentId: string
  sha256: string
  text: string
}

/** Rejects where there was no whole answer: what became of the upload is then unknown. */
export async function upload({ url, token }: Target, sending: Sending): Promise<Sent> {
  const boundary = `----attack-${sending.seed}-${randomBytes(8).toString('hex')}`
  const { before, after } = framing(sending, boundary)
  const hash = createHash('sha256')
  async function* body() {
    yield before
    for (const chunk of contentOf(sending.seed, sending.size)) {
      hash.update(chunk)
      yield chunk
    }
    yield after
  }
  const outgoing = request(`${url}/v2/document`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': before.length + sending.size + after.length,
    },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject)
  })
  // A refusal comes while the body is still on its way; the answer tells then, not the broken pipe.
  const sent = pipeline(Readable.from(body(), { objectMode: false, highWaterMark: CHUNK }), outgoing)
  sent.catch(() => {})
  const answer = await answered
  const text = (await buffer(answer)).toString()
  if (!answer.complete) throw new Error('The answer was cut off.')
  const documentId = answer.statusCode === 201 ? (JSON.parse(text).documentId as string) : ''
  if (answer.statusCode === 201) await sent
  return { status: answer.statusCode ?? 0, documentId, sha256: hash.digest('hex'), text }
}

function framing({ caseId, countryCode, fileFirst, seed }: Sending, boundary: string) {
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const fields = field('caseId', caseId) + field('countryCode', countryCode)
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="document"; filename="file-${seed}.pdf"\r\nContent-Type: application/pdf\r\n\r\n`
  return {
    before: Buffer.from((fileFirst ? '' : fields) + file),
    after: Buffer.from(`\r\n${fileFirst ? fields : ''}--${boundary}--\r\n`),
  }
}

export interface Fetched {
  status: number
  sha256: string
  length: number
  /** Whether all came that the headers promised: a client takes only this for the file. */
  complete: boolean
}

interface Fetching {
  documentId: string
  range?: string
  /** Called for each piece; the next is read when it has ended. */
  each?: (read: number) => Promise<void> | void
}

export async function download(
  { url, token }: Target,
  { documentId, range, each }: Fetching,
): Promise<Fetched> {
  const path = `${url}/v2/document/${encodeURIComponent(documentId)}/file`
  const headers = { authorization: `Bearer ${token}`, ...(range && { range }) }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(path, { agent: false, headers }).on('response', resolve).on('error', reject).end()
  })
  const hash = createHash('sha256')
  let length = 0
  try {
    for await (const chunk of answer) {
      hash.update(chunk)
      length += chunk.length
      await each?.(length)
    }
  } catch {
    // It was broken off; `complete` says so.
  }
  return { status: answer.statusCode ?? 0, sha256: hash.digest('hex'), length, complete: answer.complete }
}

/** A case for documents to belong to. */
export async function createCase({ url, token }: Target): Promise<string> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const name = `Company ${randomBytes(6).toString('hex')}`
  await post('/admin/v1/companies', { name })
  const made = await post('/v2/case', {
    caseType: 'Work permit',
    hostCompany: name,
    sendingCompany: name,
    billingCompany: name,
    applicant: { firstName: 'Ana', lastName: 'Weber' },
  })
  return made['caseId'] ?? ''
}
