// Uploads and downloads files: through the service, and through the pipe.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { serve } from './children.ts'
import type { Measured } from './http-load.ts'

export interface FilesMessage {
  target: 'service' | 'pipe'
  direction: 'up' | 'down'
  port: number
  token: string
  caseId: string
  /** The document to fetch. */
  documentId?: string
  bytes: number
  connections: number
  /** Files per connection. */
  times: number
}

export interface FilesMeasured extends Measured {
  documentId: string | undefined
  bytesPerSecond: number
}

const CHUNK = randomBytes(1024 * 1024)

serve(async (message: FilesMessage): Promise<FilesMeasured> => {
  const times: number[] = []
  let documentId = message.documentId
  const began = performance.now()
  await Promise.all(
    Array.from({ length: message.connections }, async () => {
      const socket = connect({ port: message.port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
      const reader = readerOf(socket)
      // The pipe returns the last file of this connection, so one has to be sent first.
      if (message.target === 'pipe' && message.direction === 'down')
        await pipeUp(socket, reader, message.bytes)
      for (let time = 0; time < message.times; time++) {
        const sent = performance.now()
        if (message.target === 'pipe')
          await (message.direction === 'up' ? pipeUp : pipeDown)(socket, reader, message.bytes)
        else if (message.direction === 'up') documentId = await upload(socket, reader, message)
        else await download(socket, reader, message)
        times.push(performance.now() - sent)
      }
      socket.end()
    }),
  )
  // The upload before a first download does not count.
  const took =
    message.connections === 1 ? times.reduce((sum, time) => sum + time, 0) : performance.now() - began
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  const rate = (times.length / took) * 1000
  return {
    requests: times.length,
    rate,
    p50: at(0.5),
    p99: at(0.99),
    failures: {},
    documentId,
    bytesPerSecond: rate * message.bytes,
  }
})

interface Reader {
  /** Reads exactly so many bytes and passes them to `use`; nothing is buffered. */
  skip(bytes: number, use?: (chunk: Buffer) => void): Promise<void>
  head(): Promise<string>
}

function readerOf(socket: Socket): Reader {
  const source = socket[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const more = async () => {
    const { value, done } = await source.next()
    if (done) throw new Error('The server closed the connection.')
    return value as Buffer
  }
  return {
    async skip(bytes, use) {
      for (let missing = bytes; missing > 0; ) {
        if (rest.length === 0) rest = await more()
        const chunkPart = rest.subarray(0, missing)
        rest = rest.subarray(chunkPart.length)
        missing -= chunkPart.length
        use?.(chunkPart)
      }
    },
    async head() {
      let end = rest.indexOf('\r\n\r\n')
      while (end < 0) {
        rest = Buffer.concat([rest, await more()])
        end = rest.indexOf('\r\n\r\n')
      }
      const head = rest.toString('latin1', 0, end)
      rest = rest.subarray(end + 4)
      return head
    },
  }
}

async function sendContent(socket: Socket, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; ) {
    const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length))
    left -= chunk.length
    if (!socket.write(chunk)) await once(socket, 'drain')
  }
}

async function pipeUp(socket: Socket, reader: Reader, bytes: number): Promise<void> {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(bytes))
  socket.write(length)
  await sendContent(socket, bytes)
  await reader.skip(32)
}

async function pipeDown(socket: Socket, reader: Reader, bytes: number): Promise<void> {
  socket.write(Buffer.alloc(8))
  await reader.skip(bytes)
}

const BOUNDARY = 'caseport-bench'
const START = '%PDF-1.7\n'

async function upload(
  socket: Socket,
  reader: Reader,
  { token, caseId, bytes }: FilesMessage,
): Promise<string> {
  const field = (name: string, value: string) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const before = `${field('caseId', caseId)}${field('countryCode', 'DE')}--${BOUNDARY}\r\ncontent-disposition: form-data; name="document"; filename="scan.pdf"\r\ncontent-type: application/pdf\r\n\r\n${START}`
  const after = `\r\n--${BOUNDARY}--\r\n`
  const length = before.length + (bytes - START.length) + after.length
  socket.write(
    `POST /v2/document HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: multipart/form-data; boundary=${BOUNDARY}\r\ncontent-length: ${length}\r\n\r\n${before}`,
  )
  await sendContent(socket, bytes - START.length)
  socket.write(after)
  const { status, body } = await readResponse(reader)
  if (status !== 201) throw new Error(`An upload got ${status}: ${body}`)
  return (JSON.parse(body) as { documentId: string }).documentId
}

async function readResponse(reader: Reader): Promise<{ status: number; body: string }> {
  const head = await reader.head()
  let body = ''
  await reader.skip(Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0), chunk => {
    body += chunk
  })
  return { status: Number(head.slice(9, 12)), body }
}

async function download(
  socket: Socket,
  reader: Reader,
  { token, documentId = '', bytes }: FilesMessage,
): Promise<void> {
  socket.write(
    `GET /v2/document/${encodeURIComponent(documentId)}/file HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  const head = await reader.head()
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
  if (!head.startsWith('HTTP/1.1 200') || length !== bytes) throw new Error(`A download got ${head}`)
  await reader.skip(bytes)
}
