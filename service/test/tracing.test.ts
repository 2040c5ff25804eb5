import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../src/config.ts'
import { createTracing } from '../src/tracing.ts'
import { createTestApp, silent } from './support/harness.ts'

interface Received {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  status: { code?: number }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A collector that keeps what it gets. */
async function createCollector() {
  const spans: Received[] = []
  const bodies: string[] = []
  const requests: { path: string | undefined; headers: Record<string, unknown> }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ path: request.url, headers: request.headers })
    bodies.push(body)
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const { spans: some } of scopeSpans) spans.push(...some)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const url = await listen(server)
  const settled = async (isThere: (all: Received[]) => boolean) => {
    for (let tries = 0; tries < 200 && !isThere(spans); tries++) await sleep(50)
    assert.ok(isThere(spans), `missing: ${JSON.stringify(spans.map(({ name }) => name))}`)
    return spans
  }
  return { url, spans, bodies, requests, settled }
}

async function createTracedApp(endpoint: string, env: Record<string, string> = {}) {
  const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env })
  assert.ok(tracing)
  const created = createTracing(tracing, silent)
  return { ...(await createTestApp({ tracing: created })), counts: created.counts }
}

const PARENT = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
const attributesOf = (span: Received | undefined) =>
  Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  )
const person = (lastName: string) => ({
  primaryApplicant: { firstName: 'Zebulon', lastName, dateOfBirth: '1990-05-31' },
})

describe('traces over OTLP', () => {
  it('sends a span for a request and one for each of its statements, within the trace of the caller', async () => {
    const collector = await createCollector()
    const app = await createTracedApp(collector.url, {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=case%20desk,authorization=Basic abc',
      OTEL_SERVICE_NAME: 'caseport-eu',
    })
    const { status } = await app.call({
      method: 'PUT',
      url: '/v2/applicant/employeenumber/E-TRACE-77?unknown-to-spans=Quillfeather',
      headers: { traceparent: `00-${PARENT.trace}-${PARENT.span}-01` },
      body: person('Quillfeather'),
    })
    assert.equal(status, 400, 'an unknown query parameter is an error, and traced all the same')
    const saved = await app.call({
      method: 'PUT',
      url: '/v2/applicant/employeenumber/E-TRACE-77',
      headers: { traceparent: `00-${PARENT.trace}-${PARENT.span}-01` },
      body: person('Quillfeather'),
    })
    assert.equal(saved.status, 201)
    const inTrace = () => collector.spans.filter(({ traceId }) => traceId === PARENT.trace)
    const isSaved = (span: Received) => attributesOf(span)['http.response.status_code'] === 201
    await collector.settled(() => inTrace().some(isSaved))

    const root = inTrace().find(isSaved)
    assert.equal(root?.name, 'PUT /v2/applicant/employeenumber/:employeeNumber')
    assert.equal(root?.kind, 2)
    assert.equal(root?.parentSpanId, PARENT.span)
    assert.deepEqual(attributesOf(root), {
      'http.request.method': 'PUT',
      'http.route': '/v2/applicant/employeenumber/:employeeNumber',
      'http.response.status_code': 201,
    })
    const transaction = inTrace().find(({ name }) => name === 'transaction')
    assert.equal(transaction?.parentSpanId, root?.spanId)
    const insert = inTrace().find(({ name }) => name === 'insert applicants')
    assert.equal(insert?.parentSpanId, transaction?.spanId)
    assert.equal(insert?.kind, 3)
    assert.equal(attributesOf(insert)['db.system.name'], 'postgresql')
    assert.ok(BigInt(insert?.endTimeUnixNano ?? 0) >= BigInt(insert?.startTimeUnixNano ?? 0))
    assert.ok(BigInt(insert?.startTimeUnixNano ?? 0) >= BigInt(root?.startTimeUnixNano ?? 0))

    const [first] = collector.requests
    assert.equal(first?.path, '/v1/traces')
    assert.equal(first?.headers['x-team'], 'case desk')
    assert.equal(first?.headers['authorization'], 'Basic abc')
    const all = collector.bodies.join('\n')
    assert.match(all, /"service.name","value":{"stringValue":"caseport-eu"}/)
    for (const personal of ['E-TRACE-77', 'Zebulon', 'Quillfeather', 'unknown-to-spans', '1990-05-31'])
      assert.ok(!all.includes(personal), `spans contain ${personal}`)
  })

  it('marks a request that failed, and gives it the trace id of the log', async () => {
    const collector = await createCollector()
    const app = await createTracedApp(collector.url)
    app.app.get('/failing', { scope: 'public' }, async () => {
      throw new Error('Zebulon')
    })
    assert.equal((await app.call({ url: '/failing', scopes: null })).status, 500)
    const spans = await collector.settled(all => all.some(({ name }) => name === 'GET /failing'))
    const root = spans.find(({ name }) => name === 'GET /failing')
    assert.equal(root?.parentSpanId, undefined)
    assert.match(root?.traceId ?? '', /^[\da-f]{32}$/)
    assert.deepEqual(root?.status, { code: 2 })
    assert.equal(attributesOf(root)['error.type'], '500')
    assert.ok(!collector.bodies.join().includes('Zebulon'))
  })

  it('attributes a coalesced lookup to a request that waits for it', async () => {
    const collector = await createCollector()
    const app = await createTracedApp(collector.url)
    await app.call({ method: 'PUT', url: '/v2/applicant/employeenumber/E-1', body: person('A') })
    const reads = Array.from({ length: 8 }, () => app.call({ url: '/v2/applicant/employeenumber/E-1' }))
    await Promise.all(reads)
    const name = 'GET /v2/applicant/employeenumber/:employeeNumber'
    const spans = await collector.settled(all => all.filter(span => span.name === name).length === 8)
    const roots = new Map(spans.filter(span => span.name === name).map(span => [span.spanId, span]))
    const lookups = spans.filter(span => span.name.startsWith('select') && roots.has(span.parentSpanId ?? ''))
    assert.ok(lookups.length > 0)
    for (const lookup of lookups) {
      const root = roots.get(lookup.parentSpanId ?? '')
      assert.ok(BigInt(lookup.startTimeUnixNano) <= BigInt(root?.endTimeUnixNano ?? 0))
    }
  })

  it('records nothing for a caller that does not record its trace, by the ratio, or of health checks', async () => {
    const collector = await createCollector()
    const app = await createTracedApp(collector.url, { OTEL_TRACES_SAMPLER_ARG: '0' })
    await app.call({ url: '/v2/applicant/employeenumber/E-9' })
    await app.call({
      url: '/healthz',
      scopes: null,
      headers: { traceparent: `00-${PARENT.trace}-${PARENT.span}-01` },
    })
    const notSampled = { traceparent: `00-${PARENT.trace}-${PARENT.span}-00` }
    await app.call({ url: '/v2/applicant/employeenumber/E-9', headers: notSampled })
    const sampled = { traceparent: `00-${PARENT.trace}-${PARENT.span}-01` }
    await app.call({ url: '/v2/applicant/employeenumber/E-9', headers: sampled })
    const spans = await collector.settled(all => all.some(({ kind }) => kind === 2))
    assert.equal(spans.filter(({ kind }) => kind === 2).length, 1)
    assert.ok(spans.every(({ traceId }) => traceId === PARENT.trace))
  })

  it('neither slows nor breaks requests while the collector does not respond, and keeps a bounded number', async () => {
    const silentCollector = await listen(createServer(() => {}))
    const app = await createTracedApp(silentCollector)
    const token = await app.token()
    const began = performance.now()
    for (let round = 0; round < 40; round++)
      await Promise.all(
        Array.from({ length: 25 }, async () => {
          const { statusCode } = await app.app.inject({
            url: '/v2/applicant/employeenumber/E-1',
            headers: { authorization: `Bearer ${token}` },
          })
          assert.equal(statusCode, 404)
        }),
      )
    assert.ok(performance.now() - began < 20_000, 'a thousand reads wait for no collector')
    // The collector has 10 s for the first batch: everything after that waits, or is dropped.
    const { queued, dropped } = app.counts()
    assert.ok(queued <= 2_048, `${queued} spans wait`)
    assert.ok(queued + dropped >= 1_000)
  })
})
