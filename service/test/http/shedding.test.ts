import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../src/http/app-types.ts'
import { installAuthorization } from '../../src/http/authorization.ts'
import { installProblems } from '../../src/http/problems.ts'
import { createServer } from '../../src/http/server.ts'
import { createLog } from '../../src/log.ts'

/** A service with two slots; requests to /slow end when the test tells them to. */
async function createTwoSlotService(install: (app: App) => void = () => {}) {
  const lines: string[] = []
  const app = createServer({
    log: createLog('warn', { write: line => lines.push(line) }),
    trustProxy: false,
    slots: { min: 2, max: 2 },
  })
  installProblems(app, {})
  install(app)
  const waiting: PromiseWithResolvers<object>[] = []
  const slow = () => {
    const work = Promise.withResolvers<object>()
    waiting.push(work)
    return work.promise
  }
  app.get('/slow', { scope: 'public' }, slow)
  app.post('/slow', { scope: 'public' }, slow)
  // More than the buffers of both ends of a connection can have.
  const large = 'x'.repeat(16 * 1024 * 1024)
  app.get('/large', { scope: 'public' }, async () => ({ large }))
  app.get('/guarded', { scope: 'cases:read' }, slow)
  app.get('/healthz', { scope: 'public' }, async () => ({ status: 'ok' }))
  app.get('/file', { scope: 'public', timeLimit: 60 }, slow)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  after(() => app.close())
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { headers })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as { code?: string },
    }
  }
  const finish = () => {
    for (const work of waiting.splice(0)) work.resolve({ done: true })
  }
  const finishOne = () => waiting.shift()?.resolve({ done: true })
  const failOne = () => waiting.shift()?.reject(new Error('failed'))
  const untilWaiting = async (count: number) => {
    while (waiting.length < count) await sleep(5)
  }
  return { url, get, finish, finishOne, failOne, untilWaiting, lines }
}

describe('load shedding', () => {
  it('rejects a request without a free slot at once with 503, Retry-After and no error in the log', async () => {
    const { get, finish, untilWaiting, lines } = await createTwoSlotService()
    const admitted = [get('/slow'), get('/slow')]
    await untilWaiting(2)
    const rejected = await get('/slow')
    assert.equal(rejected.status, 503)
    assert.equal(rejected.body.code, 'too-busy')
    assert.equal(rejected.headers.get('retry-after'), '1')
    assert.deepEqual(lines, [])
    finish()
    for (const { status } of await Promise.all(admitted)) assert.equal(status, 200)
  })

  it('admits the next request as soon as one has ended', async () => {
    const { get, finishOne, finish, untilWaiting } = await createTwoSlotService()
    const admitted = [get('/slow'), get('/slow')]
    await untilWaiting(2)
    assert.equal((await get('/slow')).status, 503)
    finishOne()
    await Promise.race(admitted)
    const next = get('/slow')
    await untilWaiting(2)
    finish()
    for (const { status } of await Promise.all([...admitted, next])) assert.equal(status, 200)
  })

  it('keeps the slot of a client that hung up until the handler has ended', async () => {
    const { url, get, finish, finishOne, untilWaiting } = await createTwoSlotService()
    const hangUp = new AbortController()
    const impatient = fetch(`${url}/slow`, { signal: hangUp.signal }).catch(() => undefined)
    await untilWaiting(1)
    const admitted = get('/slow')
    await untilWaiting(2)
    hangUp.abort()
    await impatient
    await sleep(50)
    const rejected = await get('/slow')
    assert.deepEqual([rejected.status, rejected.body.code], [503, 'too-busy'])
    finishOne()
    await sleep(50)
    const next = get('/slow')
    await untilWaiting(2)
    finish()
    assert.deepEqual([(await admitted).status, (await next).status], [200, 200])
  })

  it('keeps the slot of a failing handler until it has failed', async () => {
    const { url, get, finish, failOne, untilWaiting } = await createTwoSlotService()
    const hangUp = new AbortController()
    const impatient = fetch(`${url}/slow`, { signal: hangUp.signal }).catch(() => undefined)
    await untilWaiting(1)
    const admitted = get('/slow')
    await untilWaiting(2)
    hangUp.abort()
    await impatient
    await sleep(50)
    assert.equal((await get('/slow')).status, 503)
    failOne()
    await sleep(50)
    const next = get('/slow')
    await untilWaiting(2)
    finish()
    assert.deepEqual([(await admitted).status, (await next).status], [200, 200])
  })

  it('rejects a request before its caller is looked up', async () => {
    const lookups: string[] = []
    const { get, finish, untilWaiting } = await createTwoSlotService(app =>
      installAuthorization(app, {
        authenticator: {
          async verify(token) {
            lookups.push(token)
            return undefined
          },
          verifyApiKey: async () => false,
          stillHas: async () => false,
        },
        now: Date.now,
        rateLimit: undefined,
      }),
    )
    const headers = { authorization: 'Bearer x' }
    assert.equal((await get('/guarded', headers)).status, 401)
    const admitted = [get('/slow'), get('/slow')]
    await untilWaiting(2)
    const rejected = await get('/guarded', headers)
    assert.deepEqual([rejected.status, rejected.body.code], [503, 'too-busy'])
    assert.ok(rejected.headers.get('x-request-id'))
    assert.deepEqual(lookups, ['x'])
    finish()
    await Promise.all(admitted)
  })

  it('never rejects GET /healthz', async () => {
    const { get, finish, untilWaiting } = await createTwoSlotService()
    const admitted = [get('/slow'), get('/slow')]
    await untilWaiting(2)
    assert.equal((await get('/healthz')).status, 200)
    finish()
    await Promise.all(admitted)
  })

  it('occupies no slot for file transfers, nor for a request whose body is still arriving', async () => {
    const { url, get, finish, untilWaiting } = await createTwoSlotService()
    const files = [get('/file'), get('/file'), get('/file')]
    await untilWaiting(3)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    const head =
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n'
    socket.write(`${head}{"a"`)
    await sleep(50)
    const admitted = [get('/slow'), get('/slow')]
    await untilWaiting(5)
    finish()
    for (const { status } of await Promise.all([...files, ...admitted])) assert.equal(status, 200)
    socket.destroy()
  })

  it('gets the slots of clients that do not read their responses back after the time limit', async () => {
    const { url, get, finish } = await createTwoSlotService()
    const sockets = [1, 2].map(() => connect(Number(new URL(url).port), '127.0.0.1'))
    for (const socket of sockets) {
      socket.on('error', () => {})
      // Without a listener for data, nothing is read.
      await once(socket, 'connect')
      socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    }
    try {
      await sleep(1_000)
      const rejected = await get('/slow')
      assert.deepEqual([rejected.status, rejected.body.code], [503, 'too-busy'])
      await sleep(26_500)
      const admitted = get('/slow')
      await sleep(100)
      finish()
      assert.equal((await admitted).status, 200)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })
})
