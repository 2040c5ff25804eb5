import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { installProblems } from '../../src/http/problems.ts'
import { createServer } from '../../src/http/server.ts'
import { createLog } from '../../src/log.ts'

/** A service that takes two requests at once; those to /slow end when they are told to. */
async function createBusy() {
  const lines: string[] = []
  const app = createServer({
    log: createLog('warn', { write: line => lines.push(line) }),
    trustProxy: false,
    places: { least: 2, most: 2 },
  })
  installProblems(app, {})
  const waiting: PromiseWithResolvers<object>[] = []
  const slow = () => {
    const work = Promise.withResolvers<object>()
    waiting.push(work)
    return work.promise
  }
  app.get('/slow', { scope: 'public' }, slow)
  app.post('/slow', { scope: 'public' }, slow)
  app.get('/healthz', { scope: 'public' }, async () => ({ status: 'ok' }))
  app.get('/file', { scope: 'public', timeLimit: 60 }, slow)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  after(() => app.close())
  const get = async (path: string) => {
    const answer = await fetch(url + path)
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as { code?: string },
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

describe('a service with more to do than it takes', () => {
  it('refuses the next request at once, without a line of error, and says when to come again', async () => {
    const { get, finish, untilWaiting, lines } = await createBusy()
    const taken = [get('/slow'), get('/slow')]
    await untilWaiting(2)
    const refused = await get('/slow')
    assert.equal(refused.status, 503)
    assert.equal(refused.body.code, 'too-busy')
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.deepEqual(lines, [])
    finish()
    for (const answer of await Promise.all(taken)) assert.equal(answer.status, 200)
  })

  it('takes the next one as soon as one has ended', async () => {
    const { get, finishOne, finish, untilWaiting } = await createBusy()
    const taken = [get('/slow'), get('/slow')]
    await untilWaiting(2)
    assert.equal((await get('/slow')).status, 503)
    finishOne()
    await Promise.race(taken)
    const next = get('/slow')
    await untilWaiting(2)
    finish()
    for (const answer of await Promise.all([...taken, next])) assert.equal(answer.status, 200)
  })

  it('keeps the slot of a caller who hung up until the handler has ended', async () => {
    const { url, get, finish, finishOne, untilWaiting } = await createBusy()
    const hangUp = new AbortController()
    const impatient = fetch(`${url}/slow`, { signal: hangUp.signal }).catch(() => undefined)
    await untilWaiting(1)
    const taken = get('/slow')
    await untilWaiting(2)
    hangUp.abort()
    await impatient
    await sleep(50)
    const refused = await get('/slow')
    assert.deepEqual([refused.status, refused.body.code], [503, 'too-busy'])
    finishOne()
    await sleep(50)
    const next = get('/slow')
    await untilWaiting(2)
    finish()
    assert.deepEqual([(await taken).status, (await next).status], [200, 200])
  })

  it('keeps the slot of a failing handler until it has failed', async () => {
    const { url, get, finish, failOne, untilWaiting } = await createBusy()
    const hangUp = new AbortController()
    const impatient = fetch(`${url}/slow`, { signal: hangUp.signal }).catch(() => undefined)
    await untilWaiting(1)
    const taken = get('/slow')
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
    assert.deepEqual([(await taken).status, (await next).status], [200, 200])
  })

  it('still says that it is up', async () => {
    const { get, finish, untilWaiting } = await createBusy()
    const taken = [get('/slow'), get('/slow')]
    await untilWaiting(2)
    assert.equal((await get('/healthz')).status, 200)
    finish()
    await Promise.all(taken)
  })

  it('gives no place to files, nor to those whose body is still coming', async () => {
    const { url, get, finish, untilWaiting } = await createBusy()
    const files = [get('/file'), get('/file'), get('/file')]
    await untilWaiting(3)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    const head =
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n'
    socket.write(`${head}{"a"`)
    await sleep(50)
    const taken = [get('/slow'), get('/slow')]
    await untilWaiting(5)
    finish()
    for (const answer of await Promise.all([...files, ...taken])) assert.equal(answer.status, 200)
    socket.destroy()
  })
})
