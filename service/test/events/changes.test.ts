// The change feed over HTTP: what cannot be seen from outside within seconds.
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeStream } from '../../src/events/change-stream.ts'
import type { ChangesPage } from '../../src/events/changes.service.ts'
import { createTestApp, type TestApp } from '../support/harness.ts'
import { startSink } from './webhook-sink.ts'

const DAY = 86_400

async function setUp(t: TestContext, options: Parameters<typeof createTestApp>[0] = {}) {
  const test = await createTestApp(options)
  // Connections that are kept alive would delay the end of the service.
  t.after(() => test.app.server.closeAllConnections())
  const create = async () => {
    const body = { primaryApplicant: { firstName: 'Ada', lastName: 'Feed' } }
    const { status, body: made } = await test.call({ method: 'POST', url: '/v2/applicant', body })
    assert.equal(status, 201)
    return made.primaryApplicant.applicantId as string
  }
  const listen = async () => {
    await test.app.listen({ port: 0, host: '127.0.0.1' })
    return `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}`
  }
  const headers = async () => ({ authorization: `Bearer ${await test.token()}` })
  return { ...test, create, listen, headers }
}

const stream = { accept: 'text/event-stream' }

describe('GET /v2/changes', () => {
  it('has the ids and fields of the events that webhooks receive', async t => {
    const { call, create } = await setUp(t, { config: { webhookAllowPrivate: true } })
    const sink = await startSink()
    await call({ method: 'POST', url: '/admin/v1/webhooks', body: { url: sink.url } })
    for (let n = 0; n < 3; n++) await create()
    for (let tries = 0; tries < 300 && sink.received.length < 3; tries++) await sleep(20)
    const { body } = await call({ url: '/v2/changes' })
    const sent = sink.received.map(({ headers, body: { type, timestamp, data } }) => ({
      id: headers['webhook-id'],
      type,
      at: timestamp,
      ...data,
    }))
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    assert.deepEqual(sent.sort(byId as never), body.records.sort(byId))
  })

  it('rejects a cursor whose changes are deleted with 410, also on a stream', async t => {
    const { call, create, clock, db, token } = await setUp(t)
    await create()
    const { body } = await call({ url: '/v2/changes' })
    await create()
    await call({ url: '/v2/changes?after=now' })
    const bearer = await token()
    clock.advance(31 * DAY)
    await db.sql`with gone as (delete from events returning number)
      update change_feed set deleted_through = (select max(number) from gone)`
    clock.advance(-31 * DAY)
    const url = `/v2/changes?after=${body.nextCursor}`
    for (const headers of [{}, stream]) {
      const response = await call({ url, headers: { authorization: `Bearer ${bearer}`, ...headers } })
      assert.equal(response.status, 410, response.text)
      assert.equal(response.body.code, 'feed-expired')
    }
    const { body: fresh } = await call({ url: '/v2/changes' })
    assert.deepEqual([fresh.records, fresh.more], [[], false])
    assert.equal((await call({ url: `/v2/changes?after=${fresh.nextCursor}` })).status, 200)
  })

  it('audits each page with the records that it names', async t => {
    const { call, create, db } = await setUp(t)
    const id = await create()
    await call({ url: '/v2/changes' })
    const rows = await db.sql`select action, record_id, outcome from audit where action = 'change.list'`
    assert.deepEqual([...rows], [{ action: 'change.list', record_id: id, outcome: 'ok' }])
  })

  it('reads as often as it likes, and waits at most fifty times at once', async t => {
    const { call, listen, headers, create } = await setUp(t)
    for (let n = 0; n < 60; n++) assert.equal((await call({ url: '/v2/changes' })).status, 200)
    const address = await listen()
    const authorized = await headers()
    const waiting = Array.from({ length: 50 }, () =>
      fetch(`${address}/v2/changes?after=now&wait=20`, { headers: authorized }),
    )
    let rejected: Response | undefined
    for (let tries = 0; tries < 100 && rejected?.status !== 429; tries++) {
      await sleep(50)
      rejected = await fetch(`${address}/v2/changes`, { headers: authorized })
    }
    assert.equal(rejected?.status, 429)
    assert.equal(rejected?.headers.get('retry-after'), '5')
    await create()
    const statuses = await Promise.all(waiting.map(async response => (await response).status))
    assert.deepEqual(new Set(statuses), new Set([200]))
    assert.equal((await call({ url: '/v2/changes' })).status, 200)
  })

  it('responds at once when the service stops', async t => {
    const { app, listen, headers } = await setUp(t)
    const address = await listen()
    const authorized = await headers()
    const waiting = fetch(`${address}/v2/changes?after=now&wait=30`, { headers: authorized })
    const open = await fetch(`${address}/v2/changes?after=now`, { headers: { ...authorized, ...stream } })
    await sleep(300)
    const began = performance.now()
    const closing = app.close()
    const response = await waiting
    assert.equal(response.status, 200)
    const { records, more } = (await response.json()) as { records: unknown[]; more: boolean }
    assert.deepEqual([records, more], [[], false])
    await open.text()
    assert.ok(performance.now() - began < 5_000)
    app.server.closeAllConnections()
    await closing
  })
})

/** The stream of a client of its own. */
async function openStream(address: string, call: TestApp['call']) {
  const body = { name: 'Mirror', scopes: ['applicants:read'] }
  const { clientId, clientSecret } = (await call({ method: 'POST', url: '/admin/v1/clients', body })).body
  const granted = await fetch(`${address}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  })
  const { access_token: token } = (await granted.json()) as { access_token: string }
  const response = await fetch(`${address}/v2/changes?after=now`, {
    headers: { authorization: `Bearer ${token}`, ...stream },
  })
  assert.equal(response.status, 200)
  return { clientId, response }
}

describe('a stream of changes', () => {
  it('ends when its client is disabled, and audits what it has sent', async t => {
    const { call, listen, headers, create, db } = await setUp(t)
    const { clientId, response } = await openStream(await listen(), call)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    await reader?.read()
    const id = await create()
    let text = ''
    while (!text.includes(id)) text += (await reader?.read())?.value ?? ''
    const rows = await db.sql`
      select action, record_id from audit where client_id = ${clientId} and action like 'change.%' order by seq`
    assert.deepEqual(
      rows.map(({ action, record_id: record }) => [action, record]),
      [
        ['change.stream', ''],
        ['change.list', id],
      ],
    )
    await call({ method: 'POST', url: `/admin/v1/clients/${clientId}/disable`, headers: await headers() })
    const unseen = await create()
    let rest = ''
    for (;;) {
      const part = await reader?.read()
      if (!part || part.done) break
      rest += part.value
    }
    assert.equal(rest.includes(unseen), false)
  })

  it('ends within five seconds when its client is disabled, also while nothing changes', async t => {
    const { call, listen, headers } = await setUp(t)
    const { clientId, response } = await openStream(await listen(), call)
    await call({ method: 'POST', url: `/admin/v1/clients/${clientId}/disable`, headers: await headers() })
    const began = performance.now()
    await response.text().catch(() => {})
    assert.ok(performance.now() - began < 5_000)
  })

  it('sends its position while nothing changes, so that a client that reconnects is not behind', async () => {
    const pages: ChangesPage[] = [4, 9].map(number => ({
      changes: [],
      next: { number, mark: 'm' },
      through: number,
      more: false,
    }))
    let read = 0
    const events = changeStream({
      first: pages[0] as ChangesPage,
      next: async () => {
        read += 1
        return pages[1] as ChangesPage
      },
      audit: async () => assert.fail('Nothing was sent.'),
      isOver: async () => read > 1,
      cursorOf: ({ number }) => `cursor-${number}`,
    })
    assert.deepEqual(await Array.fromAsync(events), ['retry: 2000\n', 'id: cursor-4\n\n', 'id: cursor-9\n\n'])
  })
})
