import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { installMetrics } from '../../src/http/metrics.ts'
import { createServer } from '../../src/http/server.ts'
import { silent } from '../support/harness.ts'

async function createMeasured() {
  const app = createServer({ log: silent, trustProxy: false })
  after(() => app.close())
  const registry = installMetrics(app)
  app.get('/things/:thingId', { scope: 'public' }, async () => ({}))
  const lines = async (name: string) =>
    (await registry.metrics()).split('\n').filter(line => line.startsWith(name))
  return { app, lines }
}

describe('http_request_duration_seconds', () => {
  it('counts requests by method, route template and status', async () => {
    const { app, lines } = await createMeasured()
    for (const url of ['/things/1', '/things/2?a=b', '/nothing']) await app.inject({ url })
    await app.inject({ method: 'HEAD', url: '/things/1' })
    assert.deepEqual((await lines('http_request_duration_seconds_count')).sort(), [
      'http_request_duration_seconds_count{method="GET",route="/things/:thingId",status="200"} 2',
      'http_request_duration_seconds_count{method="GET",route="none",status="404"} 1',
      'http_request_duration_seconds_count{method="HEAD",route="/things/:thingId",status="200"} 1',
    ])
  })

  it('marks the requests of routes with a time limit of their own', async () => {
    const { app, lines } = await createMeasured()
    app.get('/files', { scope: 'public', timeLimit: 60 }, async () => ({}))
    app.post('/things/:thingId', { scope: 'public', timeLimit: 60 }, async () => ({}))
    for (const url of ['/files', '/things/1']) await app.inject({ url })
    await app.inject({ method: 'POST', url: '/things/1' })
    assert.deepEqual(await lines('http_request_duration_seconds_count'), [
      'http_request_duration_seconds_count{method="GET",route="/files",status="200",long="true"} 1',
      'http_request_duration_seconds_count{method="GET",route="/things/:thingId",status="200"} 1',
      'http_request_duration_seconds_count{method="POST",route="/things/:thingId",status="200",long="true"} 1',
    ])
  })

  it('has the documented buckets, which are cumulative', async () => {
    const { app, lines } = await createMeasured()
    await app.inject({ url: '/things/1' })
    const buckets = await lines('http_request_duration_seconds_bucket')
    const bounds = [
      '0.001',
      '0.0025',
      '0.005',
      '0.01',
      '0.025',
      '0.05',
      '0.1',
      '0.25',
      '0.5',
      '1',
      '2.5',
      '10',
    ]
    assert.deepEqual(
      buckets.map(line => /le="([^"]+)"/.exec(line)?.[1]),
      [...bounds, '+Inf'],
    )
    const counts = buckets.map(line => Number(line.split(' ').at(-1)))
    assert.deepEqual(counts, counts.toSorted())
    assert.equal(counts.at(-1), 1)
    const [sum = ''] = await lines('http_request_duration_seconds_sum')
    assert.ok(Number(sum.split(' ').at(-1)) > 0, sum)
  })

  it('belongs to one application: another one in the process counts by itself', async () => {
    const [one, other] = [await createMeasured(), await createMeasured()]
    await one.app.inject({ url: '/things/1' })
    assert.equal((await one.lines('http_request_duration_seconds_count')).length, 1)
    assert.deepEqual(await other.lines('http_request_duration_seconds_count'), [])
  })
})

describe('http_internal_errors_total', () => {
  it('starts at 0 for each route, and counts its responses with status 500', async () => {
    const { app, lines } = await createMeasured()
    app.get('/broken', { scope: 'public' }, (_request, reply) => reply.code(500).send({}))
    app.get('/unavailable', { scope: 'public' }, (_request, reply) => reply.code(503).send({}))
    const expected = (broken: number) => [
      'http_internal_errors_total{route="none"} 0',
      'http_internal_errors_total{route="/things/:thingId"} 0',
      `http_internal_errors_total{route="/broken"} ${broken}`,
      'http_internal_errors_total{route="/unavailable"} 0',
    ]
    assert.deepEqual(await lines('http_internal_errors_total'), expected(0))
    for (const url of ['/broken', '/unavailable', '/things/1']) await app.inject({ url })
    assert.deepEqual(await lines('http_internal_errors_total'), expected(1))
  })
})

describe('http_requests_in_flight', () => {
  it('is the number of requests that have begun and not ended', async () => {
    const { app, lines } = await createMeasured()
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()]
    app.get('/slow', { scope: 'public' }, () => {
      begun.resolve()
      return ended.promise
    })
    const slow = app.inject({ url: '/slow' }).then(({ statusCode }) => statusCode)
    await begun.promise
    assert.deepEqual(await lines('http_requests_in_flight'), ['http_requests_in_flight 1'])
    ended.resolve({})
    assert.equal(await slow, 200)
    assert.deepEqual(await lines('http_requests_in_flight'), ['http_requests_in_flight 0'])
  })
})
