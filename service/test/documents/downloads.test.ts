// Downloads over real connections: complete under backpressure, and no file stays open after a disconnect.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRepositories } from '../../src/blobs/open-repository.ts'
import { createFiles } from '../../src/documents/files.service.ts'
import { createRepositories } from '../../src/documents/repositories.ts'
import { streamBlocks, watchTransfer } from '../../src/documents/transfers.ts'
import { Problem } from '../../src/lib/problem.ts'
import { createTestApp, silent } from '../support/harness.ts'

const MIB = 1024 * 1024
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('a download', async () => {
  const { app, call, config, db, token } = await createTestApp()
  const address = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const authorization = `Bearer ${await token()}`
  const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(9 * MIB + 12_345)])
  let documentId = ''
  let path = ''

  before(async () => {
    await call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
    const companies = { hostCompany: 'Acme', sendingCompany: 'Acme', billingCompany: 'Acme' }
    const made = await call({
      method: 'POST',
      url: '/v2/case',
      body: { caseType: 'Visa', ...companies, applicant: { firstName: 'Anna', lastName: 'Schmidt' } },
    })
    const form = new FormData()
    form.set('caseId', made.body.caseId)
    form.set('countryCode', 'DE')
    form.set('document', new Blob([content], { type: 'application/pdf' }), 'scan.pdf')
    const response = await fetch(new URL('/v2/document', address), {
      method: 'POST',
      headers: { authorization },
      body: form,
    })
    assert.equal(response.status, 201)
    documentId = ((await response.json()) as { documentId: string }).documentId
    path = `/v2/document/${encodeURIComponent(documentId)}/file`
  })

  const ask = async (times = 1): Promise<Socket> => {
    const socket = connect({ port: Number(address.port), host: '127.0.0.1' })
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`.repeat(times))
    return socket
  }

  /** Files of the repositories that this process has open. */
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter(descriptor => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(config.dataDir)
      } catch {
        return false
      }
    }).length

  const untilClosed = async () => {
    for (let tries = 0; openFiles() > 0 && tries < 30; tries++) await sleep(10)
    assert.equal(openFiles(), 0)
  }

  it('returns the file to slow and to concurrent clients', async () => {
    const read = async (pause: number) => {
      const socket = await ask()
      const chunks: Buffer[] = []
      let length = 0
      for await (const chunk of socket) {
        chunks.push(chunk)
        length += chunk.length
        if (pause > 0 && chunks.length % 8 === 0) await sleep(pause)
        const head = chunks[0]?.indexOf('\r\n\r\n') ?? 0
        if (length >= head + 4 + content.length) break
      }
      const all = Buffer.concat(chunks)
      return sha256(all.subarray(all.indexOf('\r\n\r\n') + 4))
    }
    const digests = await Promise.all([read(3), read(0), read(1), read(0), read(7), read(0)])
    assert.deepEqual(new Set(digests), new Set([sha256(content)]))
    await untilClosed()
  })

  it('returns a range across blocks', async () => {
    const [start, end] = [MIB - 7, 3 * MIB + 5]
    const response = await fetch(new URL(path, address), {
      headers: { authorization, range: `bytes=${start}-${end}` },
    })
    assert.equal(response.status, 206)
    const part = Buffer.from(await response.arrayBuffer())
    assert.equal(sha256(part), sha256(content.subarray(start, end + 1)))
  })

  it('closes the file when the reader stops after the first block', async () => {
    const repositories = createRepositories(await openRepositories(config.repositories), silent)
    const files = createFiles({ sql: db.sql, repositories, exists: async () => undefined })
    const file = await files.get(documentId)
    for await (const block of await files.open(file, { start: 0, end: file.size - 1 })) {
      assert.equal(block.length, MIB)
      break
    }
    await untilClosed()
  })

  it('can be tried again where the repository broke off, and is damaged where the bytes are wrong', async () => {
    const blobs = await openRepositories(config.repositories)
    const openWith = async (read: () => AsyncGenerator<Buffer>) => {
      const broken = { ...blobs, DE: { ...blobs.DE, get: async () => Readable.from(read()) } }
      const repositories = createRepositories(broken, silent)
      const files = createFiles({ sql: db.sql, repositories, exists: async () => undefined })
      const file = await files.get(documentId)
      return files.open(file, { start: 0, end: file.size - 1 })
    }
    const hasCode = (code: string) => (error: unknown) => error instanceof Problem && error.kind.code === code
    const breaksOff = openWith(async function* () {
      yield content.subarray(0, 1_000)
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    })
    await assert.rejects(breaksOff, hasCode('repository-unavailable'))
    const isShort = openWith(async function* () {
      yield content.subarray(0, 1_000)
    })
    await assert.rejects(isShort, hasCode('file-damaged'))
  })

  it('closes the file when the transfer ends before the first block was read', async () => {
    const repositories = createRepositories(await openRepositories(config.repositories), silent)
    const files = createFiles({ sql: db.sql, repositories, exists: async () => undefined })
    const file = await files.get(documentId)
    const watch = watchTransfer(new Socket(), 60_000)
    const stream = streamBlocks(
      await files.open(file, { start: 0, end: file.size - 1 }, watch.signal),
      watch,
    ).once('close', () => watch.stop())
    stream.destroy()
    await untilClosed()
  })

  it('closes the file when the client disconnects in the middle, at the start, or with a pipelined request', async () => {
    const middle = await ask()
    await once(middle, 'data')
    middle.destroy()
    const start = await ask()
    start.destroy()
    const two = await ask(2)
    await once(two, 'data')
    two.destroy()
    while (app.inFlight.count() > 0) await sleep(10)
    await untilClosed()
    const { status } = await fetch(new URL('/healthz', address))
    assert.equal(status, 200)
  })
})
