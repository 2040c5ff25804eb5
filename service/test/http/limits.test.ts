// Slow and malformed connections, against a server that listens. The tests run concurrently, because most of them wait.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestApp } from '../support/harness.ts'

const test = await createTestApp()
await test.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = test.app.server.address() as net.AddressInfo
const token = await test.token()

/** The server's end of every connection, by the port of the client's end. */
const serverEnds = new Map<number | undefined, net.Socket>()
test.app.server.on('connection', (socket: net.Socket) => serverEnds.set(socket.remotePort, socket))

interface Received {
  status: number
  headers: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any response.
  body: any
  text: string
}

/** A client that never hangs up: the connection ends only when the server ends it. */
async function openConnection() {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  after(() => socket.destroy())
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  const ended = new Promise<void>(resolve => {
    socket.once('end', resolve)
    socket.once('error', () => resolve())
  })
  await once(socket, 'connect')
  const { localPort } = socket
  const received = (): Received => {
    const [headers = '', ...rest] = text.split('\r\n\r\n')
    const body = rest.join('\r\n\r\n')
    const json = /content-type: application\/(problem\+)?json/i.test(headers)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1])
    return { status, headers, body: json ? JSON.parse(body) : body, text }
  }
  return {
    write: (data: string) => socket.writable && !socket.destroyed && socket.write(data),
    /** The response, once the server has ended its side of the connection. */
    ended: async () => {
      await Promise.race([ended, sleep(34_000, undefined, { ref: false })])
      return received()
    },
    /** Whether the server has destroyed its socket. */
    isGone: async () => {
      for (let attempt = 0; attempt < 60; attempt++) {
        if (serverEnds.get(localPort)?.destroyed) return true
        await sleep(50)
      }
      return false
    },
  }
}

/** Writes the chunk repeatedly, to the end of the test. */
function drip(write: (data: string) => unknown, chunk: string): void {
  const timer = setInterval(() => write(chunk), 400)
  after(() => clearInterval(timer))
}

function expectRawProblem(
  { status, headers, body, text }: Received,
  expected: { status: number; code: string },
) {
  assert.equal(status, expected.status, text)
  assert.match(headers, /^content-type: application\/problem\+json; charset=utf-8\r?$/im)
  assert.match(headers, /^connection: close\r?$/im)
  assert.equal(body.code, expected.code)
  assert.equal(body.status, expected.status)
  assert.equal(body.type, `/docs#error-${expected.code}`)
  assert.ok(body.title && body.detail)
}

const within = (started: number, seconds: number) => {
  const took = (performance.now() - started) / 1000
  assert.ok(took < seconds, `It took ${took} seconds.`)
}

describe('a slow client', { concurrency: true }, () => {
  it('that sends headers byte by byte gets 408 within 15 seconds and is disconnected', async () => {
    const started = performance.now()
    const connection = await openConnection()
    connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    drip(connection.write, 'a')
    expectRawProblem(await connection.ended(), { status: 408, code: 'request-timeout' })
    assert.ok(await connection.isGone())
    within(started, 15)
  })

  it('that sends nothing is disconnected within 15 seconds', async () => {
    const started = performance.now()
    const connection = await openConnection()
    await connection.ended()
    assert.ok(await connection.isGone())
    within(started, 15)
  })

  it('that sends a body byte by byte gets 408 within 30 seconds and is disconnected', async () => {
    const started = performance.now()
    const connection = await openConnection()
    connection.write(
      `POST /admin/v1/clients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":"',
    )
    drip(connection.write, 'x')
    const received = await connection.ended()
    expectRawProblem(received, { status: 408, code: 'request-timeout' })
    assert.ok(received.body.requestId)
    assert.ok(await connection.isGone())
    within(started, 30)
  })

  it('that keeps sending a body after the response is disconnected within 15 seconds', async () => {
    const started = performance.now()
    const connection = await openConnection()
    connection.write(
      'POST /admin/v1/clients HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    )
    drip(connection.write, 'x')
    const { status, body } = await connection.ended()
    assert.equal(status, 401)
    assert.equal(body.code, 'token-required')
    assert.ok(await connection.isGone())
    within(started, 15)
  })

  it('of the token endpoint gets 408 and is disconnected', async () => {
    const started = performance.now()
    const connection = await openConnection()
    connection.write(
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n5\r\ngrant\r\n',
    )
    drip(connection.write, '1\r\nx\r\n')
    const { status, body } = await connection.ended()
    assert.equal(status, 408)
    assert.equal(body.error, 'invalid_request')
    assert.ok(await connection.isGone())
    within(started, 30)
  })
})

describe('a request that is not HTTP', { concurrency: true }, () => {
  const malformed: Record<string, string> = {
    'of another protocol': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'that is noise': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'with a method that does not exist': 'FETCH /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    'with a header that is none': 'GET /healthz HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n',
    'with two lengths':
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    'with a length and chunks':
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'without a host': 'GET /healthz HTTP/1.1\r\n\r\n',
  }
  for (const [what, text] of Object.entries(malformed))
    it(`${what} gets 400 as a problem document, and the connection ends`, async () => {
      const connection = await openConnection()
      connection.write(text)
      expectRawProblem(await connection.ended(), { status: 400, code: 'invalid-request' })
      assert.ok(await connection.isGone())
    })

  it('with 17 KiB of headers gets 400 as a problem document', async () => {
    const connection = await openConnection()
    connection.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17 * 1024)}\r\n\r\n`)
    expectRawProblem(await connection.ended(), { status: 400, code: 'invalid-request' })
    assert.ok(await connection.isGone())
  })

  it('does not affect other connections', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`)
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { status: 'ok' })
  })
})

describe('a body that is too large', () => {
  const size = 3 * 1024 * 1024
  const framings: [string, (length: number) => string][] = [
    [`content-length: ${size}`, length => 'x'.repeat(length)],
    ['transfer-encoding: chunked', length => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`],
  ]
  for (const [header, frame] of framings)
    it(`gets 413 before it has arrived completely, on a connection that stays usable (${header})`, async () => {
      const socket = net.connect({ port, noDelay: true })
      const received: string[] = []
      socket.on('data', data => received.push(String(data)))
      const responses = () => received.join('').match(/HTTP\/1\.1 \d+/g) ?? []
      const until = async (count: number) => {
        while (responses().length < count && !socket.closed) await sleep(10)
      }
      const head = (line: string) => `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`
      socket.write(`${head('POST /admin/v1/clients')}content-type: application/json\r\n${header}\r\n\r\n`)
      socket.write(frame(size / 2))
      await until(1)
      assert.deepEqual(responses(), ['HTTP/1.1 413'])
      assert.match(received.join(''), /content-type: application\/problem\+json/)
      socket.write(frame(size / 2))
      if (header.includes('chunked')) socket.write('0\r\n\r\n')
      socket.write(`${head('GET /admin/v1/clients')}\r\n`)
      await until(2)
      assert.deepEqual(responses(), ['HTTP/1.1 413', 'HTTP/1.1 200'])
      socket.destroy()
    })
})

describe('closing', () => {
  it('finishes a request in flight and accepts no new connections', async () => {
    const own = await createTestApp()
    const address = await own.app.listen({ host: '127.0.0.1', port: 0 })
    const headers = { authorization: `Bearer ${await own.token()}` }
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = own.db.transaction(async tx => {
      await tx`lock table clients in access exclusive mode`
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const pending = fetch(`${address}/admin/v1/clients`, { headers })
    // In this database only: other test files use the same server.
    const isWaiting = () => own.db.sql`
      select from pg_locks
      where not granted and relation = 'clients'::regclass
        and database = (select oid from pg_database where datname = current_database())`
    while ((await isWaiting()).length === 0) await sleep(20)

    let closed = false
    const closing = own.app.close().then(() => {
      closed = true
    })
    await sleep(200)
    assert.equal(closed, false)
    await assert.rejects(fetch(`${address}/healthz`))

    released.resolve()
    await holding
    const response = await pending
    assert.equal(response.status, 200)
    assert.equal(((await response.json()) as object[]).length, 1)
    own.app.server.closeIdleConnections()
    await closing
  })
})
