// Uploads over real connections: stored whole in any segmentation, by the parser, the scanner and the next request.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { openRepositories } from '../../src/blobs/open-repository.ts'
import { createRepositories } from '../../src/documents/repositories.ts'
import { createScanner } from '../../src/documents/scanner.ts'
import { createUploads } from '../../src/documents/uploads.service.ts'
import { Problem } from '../../src/lib/problem.ts'
import { createTestApp, silent } from '../support/harness.ts'

const KIB = 1024
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const test = await createTestApp()
const address = new URL(await test.app.listen({ port: 0, host: '127.0.0.1' }))
const authorization = `Bearer ${await test.token()}`
let caseId = ''

before(async () => {
  await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
  const companies = { hostCompany: 'Acme', sendingCompany: 'Acme', billingCompany: 'Acme' }
  const made = await test.call({
    method: 'POST',
    url: '/v2/case',
    body: { caseType: 'Visa', ...companies, applicant: { firstName: 'Anna', lastName: 'Schmidt' } },
  })
  caseId = made.body.caseId
})

/** Much of it looks like the beginning of a boundary. */
function confusing(size: number): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  for (let length = 9; length < size; ) {
    const piece = Math.random() < 0.5 ? Buffer.from('\r\n--boun') : randomBytes(1 + Math.random() * 5_000)
    pieces.push(piece)
    length += piece.length
  }
  return Buffer.concat(pieces).subarray(0, size)
}

function multipart(content: Buffer, fileFirst: boolean): Buffer {
  const field = (name: string, value: string) =>
    Buffer.from(`--boundary\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  const fields = [field('caseId', caseId), field('countryCode', 'DE')]
  const file = [
    Buffer.from(
      '--boundary\r\ncontent-disposition: form-data; name="document"; filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\n',
    ),
    content,
    Buffer.from('\r\n'),
  ]
  return Buffer.concat([
    ...(fileFirst ? [...file, ...fields] : [...fields, ...file]),
    Buffer.from('--boundary--\r\n'),
  ])
}

/** The request, in chunks of these sizes over and over, and right behind it another one. */
function onTheWire(body: Buffer, chunks: number[]): Buffer {
  const parts: Buffer[] = [
    Buffer.from(
      `POST /v2/document HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-type: multipart/form-data; boundary=boundary\r\ntransfer-encoding: chunked\r\n\r\n`,
    ),
  ]
  for (let at = 0, index = 0; at < body.length; index++) {
    const chunk = body.subarray(at, at + (chunks[index % chunks.length] ?? 1))
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
    at += chunk.length
  }
  return Buffer.concat([
    ...parts,
    Buffer.from('0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
  ])
}

async function answersTo(bytes: Buffer): Promise<string> {
  const socket = connect({ port: Number(address.port), host: '127.0.0.1' })
  const responses: Buffer[] = []
  socket.on('data', data => responses.push(data))
  socket.write(bytes)
  await once(socket, 'close')
  return Buffer.concat(responses).toString()
}

describe('an upload', () => {
  it('is stored whole in any segmentation, and the next pipelined request is read', async () => {
    const sizes = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1_000, max: 200 * KIB })),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 9, max: 700 * KIB }),
        sizes,
        fc.boolean(),
        async (size, chunks, first) => {
          const content = confusing(size)
          const small = chunks.every(chunk => chunk <= 50)
          const responses = await answersTo(
            onTheWire(multipart(content, first), small ? [...chunks, 20 * KIB] : chunks),
          )
          assert.match(responses, /^HTTP\/1.1 201 /)
          assert.match(responses, /\r\n\r\n\{[^\r]*\}HTTP\/1.1 200 /)
          const { documentId } = JSON.parse(/\r\n\r\n(\{[^\r]*\})HTTP/.exec(responses)?.[1] ?? '')
          const back = await test.app.inject({
            url: `/v2/document/${documentId}/file`,
            headers: { authorization },
          })
          assert.equal(sha256(back.rawPayload), sha256(content))
        },
      ),
      { numRuns: 40 },
    )
  })

  for (const first of [false, true])
    it(`leaves nothing if the client disconnects${first ? ', with the file as the first part' : ''}`, async () => {
      const known = { stored: await left(), open: openFiles() }
      const socket = connect({ port: Number(address.port), host: '127.0.0.1' })
      const bytes = onTheWire(multipart(confusing(900 * KIB), first), [64 * KIB])
      socket.write(bytes.subarray(0, bytes.length - 100 * KIB))
      while (openFiles() === known.open) await sleep(10)
      await sleep(100)
      socket.destroy()
      const now = async () => ({ stored: await left(), open: openFiles() })
      for (let time = 0; time < 300 && !isDeepStrictEqual(await now(), known); time++) await sleep(10)
      assert.deepEqual(await now(), known)
    })

  it('is stored whole from chunks of any size, and leaves them unchanged', async () => {
    const { received, chunks } = await receive(undefined)
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [64 * KIB, 64 * KIB, 100],
    )
    assert.equal(received.sha256, sha256(Buffer.concat(chunks)))
    assert.equal(received.size, 128 * KIB + 100)
  })

  it('is passed whole to a slow scanner', async () => {
    const { scanned, url } = await slowScanner('stream: OK')
    const { received, chunks } = await receive(createScanner(url))
    assert.equal(received.sha256, sha256(Buffer.concat(chunks)))
    assert.equal(sha256(scanned()), received.sha256)
  })

  it('is rejected, and leaves nothing, if the scanner finds a virus', async () => {
    const { url } = await slowScanner('stream: Eicar-Signature FOUND')
    const known = await left()
    await assert.rejects(
      receive(createScanner(url)),
      error => error instanceof Problem && error.kind.code === 'file-infected',
    )
    assert.deepEqual(await left(), known)
  })

  it('is rejected for good if it is larger than the scanner accepts', async () => {
    const { url } = await slowScanner('INSTREAM size limit exceeded. ERROR')
    await assert.rejects(
      receive(createScanner(url)),
      error => error instanceof Problem && error.kind.code === 'file-too-large-to-scan',
    )
  })
})

/** The number of files that this process writes to, in repositories and in the spool. */
function openFiles(): number {
  const links = readdirSync('/proc/self/fd').map(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return links.filter(link => /\/\.new\/|\(deleted\)$/.test(link)).length
}

/** The number of pending uploads and of blobs. */
async function left(): Promise<number[]> {
  const blobs = await openRepositories(test.config.repositories)
  const [pending] = await test.db.sql`select count(*)::int as count from pending_uploads`
  return [pending?.['count'], (await Array.fromAsync(blobs.DE.list())).length]
}

/** Receives two chunks, and a slice of a third. */
async function receive(scanner: ReturnType<typeof createScanner> | undefined) {
  const chunks = [randomBytes(64 * KIB), randomBytes(64 * KIB), Buffer.alloc(1_000, 'x').subarray(0, 100)]
  const blobs = await openRepositories(test.config.repositories)
  const uploads = createUploads({
    db: test.db,
    clock: test.clock,
    repositories: createRepositories(blobs, silent),
    scanner,
    log: silent,
  })
  async function* content() {
    yield* chunks
  }
  const received = await uploads.receive({
    content: content(),
    countryCode: 'DE',
    contentType: 'application/pdf',
    fileName: 'a',
  })
  return { received, chunks }
}

/** A stand-in for clamd that reads slowly. */
async function slowScanner(verdict: string) {
  let bytes: Buffer = Buffer.alloc(0)
  const chunks: Buffer[] = []
  const server = createServer((socket: Socket) => {
    socket.on('data', async data => {
      bytes = Buffer.concat([bytes, data])
      socket.pause()
      setTimeout(() => socket.resume(), 5)
      if (!bytes.subarray(-4).equals(Buffer.alloc(4))) return
      for (let at = 'zINSTREAM\0'.length; ; ) {
        const length = bytes.readUInt32BE(at)
        if (length === 0) break
        chunks.push(bytes.subarray(at + 4, at + 4 + length))
        at += 4 + length
      }
      socket.end(`${verdict}\0`)
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { scanned: () => Buffer.concat(chunks), url: `tcp://127.0.0.1:${port}` }
}
