// The memory budgets of uploads and downloads: how many run at once, and that each releases its reservation.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobStore } from '../../src/blobs/blob-store.ts'
import { createTransfers } from '../../src/documents/transfers.ts'
import type { Budget } from '../../src/lib/budget.ts'
import { createTestApp } from '../support/harness.ts'

const MIB = 1024 * 1024
/** Room for two at a time, three more may wait. */
const limits = { capacity: 9 * MIB, maxWaiting: 3, maxWaitMs: 60_000 }
const transfers = createTransfers({
  uploads: limits,
  downloads: { ...limits, capacity: 7 * MIB },
  stallMs: 1_000,
})

/** Replaces operations of the repository in a test. */
let override: Partial<BlobStore> = {}
let [puts, mostPuts] = [0, 0]
const test = await createTestApp({
  transfers,
  blobs: repositories => ({
    ...repositories,
    DE: {
      ...repositories.DE,
      async put(...parameters) {
        puts += 1
        mostPuts = Math.max(mostPuts, puts)
        try {
          return await (override.put ?? repositories.DE.put)(...parameters)
        } finally {
          puts -= 1
        }
      },
      get: (...parameters) => (override.get ?? repositories.DE.get)(...parameters),
    },
  }),
})
const address = new URL(await test.app.listen({ port: 0, host: '127.0.0.1' }))
const authorization = `Bearer ${await test.token()}`
const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(20 * MIB)])
let caseId = ''
let filePath = ''

const part = (name: string, value: string, more = '') =>
  `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
const fileHead = '--x\r\ncontent-disposition: form-data; name="document"; filename="a.pdf"\r\n\r\n'
const bodyOf = (file: Buffer) =>
  Buffer.concat([
    Buffer.from(part('caseId', caseId) + part('countryCode', 'DE') + fileHead),
    file,
    Buffer.from('\r\n--x--\r\n'),
  ])

/** Sends no Content-Length, so that the largest reservation is made. */
const upload = (body: Buffer) =>
  fetch(new URL('/v2/document', address), {
    method: 'POST',
    headers: { authorization, 'content-type': 'multipart/form-data; boundary=x' },
    body: Readable.from([body]) as never,
    duplex: 'half',
  } as RequestInit)

/** Sends the beginning of an upload and keeps the connection open. */
async function beginUpload(): Promise<Socket> {
  const socket = connect({ port: Number(address.port), host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const body = bodyOf(content)
  socket.write(
    `POST /v2/document HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.subarray(0, 100_000))
  return socket
}

/** Requests the file and does not read from the socket. */
async function beginDownload(): Promise<Socket> {
  const socket = connect({ port: Number(address.port), host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write(`GET ${filePath} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`)
  return socket
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (holds()) return
    await sleep(10)
  }
  assert.fail(what)
}

const isFree = (budget: Budget) =>
  until('Something is still reserved.', () => budget.reserved() === 0 && budget.waiting() === 0)

before(async () => {
  await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
  const companies = { hostCompany: 'Acme', sendingCompany: 'Acme', billingCompany: 'Acme' }
  const made = await test.call({
    method: 'POST',
    url: '/v2/case',
    body: { caseType: 'Visa', ...companies, applicant: { firstName: 'Anna', lastName: 'Schmidt' } },
  })
  caseId = made.body.caseId
  const response = await upload(bodyOf(content))
  assert.equal(response.status, 201)
  const { documentId } = (await response.json()) as { documentId: string }
  filePath = `/v2/document/${encodeURIComponent(documentId)}/file`
})

afterEach(async () => {
  override = {}
  await isFree(transfers.uploads)
  await isFree(transfers.downloads)
})

describe('concurrent uploads', () => {
  it('wait while the memory budget is used', async () => {
    mostPuts = 0
    const responses = await Promise.all(Array.from({ length: 5 }, () => upload(bodyOf(content))))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 201, 201, 201, 201],
    )
    assert.ok(mostPuts <= 2, `${mostPuts} were under way`)
  })

  it('reserve their Content-Length, so that many small ones run at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => {
        const form = new FormData()
        form.set('caseId', caseId)
        form.set('countryCode', 'DE')
        form.set('document', new Blob(['%PDF-1.7 small']), 'a.pdf')
        return fetch(new URL('/v2/document', address), {
          method: 'POST',
          headers: { authorization },
          body: form,
        })
      }),
    )
    assert.ok(responses.every(({ status }) => status === 201))
  })

  it('get 503 too-busy and Retry-After beyond the queue; a disconnect makes room', async () => {
    const sockets = [await beginUpload(), await beginUpload()]
    await until('Two should be under way.', () => transfers.uploads.reserved() > 4 * MIB)
    for (let count = 0; count < 3; count++) sockets.push(await beginUpload())
    await until('Three should wait.', () => transfers.uploads.waiting() === 3)
    const rejected = await upload(bodyOf(Buffer.from('%PDF-1.7')))
    assert.equal(rejected.status, 503)
    assert.equal(rejected.headers.get('retry-after'), '5')
    assert.equal(((await rejected.json()) as { code: string }).code, 'too-busy')
    for (const socket of sockets.reverse()) socket.destroy()
    await isFree(transfers.uploads)
    assert.equal((await upload(bodyOf(Buffer.from('%PDF-1.7')))).status, 201)
  })

  it('get 503 too-busy when they wait for too long', async () => {
    const short = createTransfers({ uploads: { ...limits, maxWaitMs: 50 } })
    const other = await createTestApp({ db: test.db, transfers: short })
    const reservation = await short.uploads.reserve(limits.capacity)
    const rejected = await other.call({
      method: 'POST',
      url: '/v2/document',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: bodyOf(Buffer.from('%PDF-1.7')),
    })
    assert.deepEqual(
      [rejected.status, rejected.body.code, rejected.headers['retry-after']],
      [503, 'too-busy', '5'],
    )
    reservation.release()
    assert.equal(short.uploads.reserved(), 0)
  })

  it('release their memory after any error', async () => {
    const program = Buffer.concat([Buffer.from('7f454c4602010100', 'hex'), randomBytes(1_000)])
    assert.equal((await upload(bodyOf(program))).status, 415)
    assert.equal((await upload(Buffer.from('--x\r\nnothing'))).status, 400)
    await isFree(transfers.uploads)
    override.put = async () => {
      throw new Error('broken')
    }
    assert.equal((await upload(bodyOf(Buffer.from('%PDF-1.7')))).status, 500)
  })

  it('keep their memory reserved until the put has settled', async () => {
    const released = Promise.withResolvers<never>()
    override.put = () => released.promise
    const socket = await beginUpload()
    await until('It should be stored.', () => puts === 1)
    socket.destroy()
    await until('It should have ended.', () => test.app.inFlight.count() === 0)
    assert.ok(transfers.uploads.reserved() > 0)
    released.reject(new Error('aborted'))
    await isFree(transfers.uploads)
  })
})

describe('concurrent downloads', () => {
  it('wait while the memory budget is used, and get 503 too-busy beyond the queue', async () => {
    transfers.stallMs = 60_000
    const sockets: Socket[] = []
    for (let count = 0; count < 5; count++) sockets.push(await beginDownload())
    await until('Three should wait.', () => transfers.downloads.waiting() === 3)
    const rejected = await fetch(new URL(filePath, address), { headers: { authorization } })
    assert.equal(rejected.status, 503)
    assert.equal(rejected.headers.get('retry-after'), '5')
    assert.equal(((await rejected.json()) as { code: string }).code, 'too-busy')
    for (const name of ['etag', 'content-disposition', 'repr-digest', 'accept-ranges'])
      assert.equal(rejected.headers.get(name), null)
    sockets[4]?.destroy()
    await until('Two should wait.', () => transfers.downloads.waiting() === 2)
    const waiting = fetch(new URL(filePath, address), { headers: { authorization } })
    for (const socket of sockets) socket.destroy()
    assert.ok(Buffer.from(await (await waiting).arrayBuffer()).equals(content))
  })

  it('end when the client stops reading', async () => {
    transfers.stallMs = 300
    const socket = await beginDownload()
    await until('It should be under way.', () => transfers.downloads.reserved() > 0)
    await isFree(transfers.downloads)
    socket.resume()
    await once(socket, 'close')
    assert.ok(socket.bytesRead < content.length)
  })

  it('end when the repository stalls, before the first byte and later', async () => {
    transfers.stallMs = 300
    override.get = async () => new Readable({ read() {} })
    const before = await fetch(new URL(filePath, address), { headers: { authorization } })
    assert.equal(((await before.json()) as { code: string }).code, 'repository-unavailable')
    override.get = async () => {
      const stream = new Readable({ read() {} })
      stream.push(content.subarray(0, MIB))
      return stream
    }
    const later = await fetch(new URL(filePath, address), { headers: { authorization } })
    await assert.rejects(later.arrayBuffer())
  })

  it('take no Range for HEAD', async () => {
    const head = await fetch(new URL(filePath, address), {
      method: 'HEAD',
      headers: { authorization, range: 'bytes=0-3' },
    })
    assert.equal(head.status, 200)
    assert.equal(head.headers.get('content-range'), null)
    assert.equal(head.headers.get('content-length'), String(content.length))
  })

  it('reserve nothing for HEAD and 304', async () => {
    const reservation = await transfers.downloads.reserve(7 * MIB)
    const head = await fetch(new URL(filePath, address), { method: 'HEAD', headers: { authorization } })
    assert.equal(head.status, 200)
    assert.equal(head.headers.get('content-length'), String(content.length))
    const etag = head.headers.get('etag') ?? ''
    const known = await fetch(new URL(filePath, address), {
      headers: { authorization, 'if-none-match': etag },
    })
    assert.equal(known.status, 304)
    reservation.release()
  })
})
