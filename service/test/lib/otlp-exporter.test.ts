import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOtlpExporter } from '../../src/lib/otlp-exporter.ts'
import type { EndedSpan } from '../../src/lib/tracer.ts'

const span = (name: string): EndedSpan => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: undefined,
  name,
  kind: 'server',
  startedAt: 1_700_000_000_000.25,
  endedAt: 1_700_000_000_001,
  attributes: {},
  errorType: undefined,
})

/** Responds with these statuses, one after the other, and then with 200. */
async function createCollector(statuses: number[]) {
  const batches: number[] = []
  const names: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const [{ scopeSpans }] = JSON.parse(body).resourceSpans
    batches.push(scopeSpans[0].spans.length)
    response.statusCode = statuses.shift() ?? 200
    if (response.statusCode === 200)
      names.push(...scopeSpans[0].spans.map(({ name }: { name: string }) => name))
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, batches, names }
}

function createExporter(url: string) {
  const lines: string[] = []
  const write = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: write, info: write, warn: write, error: write }
  const exporter = createOtlpExporter({ url, headers: {}, resource: { 'service.name': 'caseport' }, log })
  after(() => exporter.close())
  return { exporter, lines }
}

async function until(isTrue: () => boolean) {
  for (let tries = 0; tries < 200 && !isTrue(); tries++) await sleep(50)
  assert.ok(isTrue())
}

describe('the OTLP exporter', () => {
  it('repeats a batch that the collector cannot take now, and sends each span once', async () => {
    const { url, names } = await createCollector([503])
    const { exporter, lines } = createExporter(url)
    exporter.add(span('one'))
    exporter.add(span('two'))
    await until(() => names.length === 2)
    assert.deepEqual(names, ['one', 'two'])
    await until(() => lines.length === 2)
    assert.match(lines[0] ?? '', /cannot be sent.*status 503/)
    assert.match(lines[1] ?? '', /sent again/)
  })

  it('drops a batch that the collector rejects for good', async () => {
    const { url, names } = await createCollector([400])
    const { exporter } = createExporter(url)
    exporter.add(span('rejected'))
    await until(() => exporter.counts().dropped === 1)
    exporter.add(span('accepted'))
    await until(() => names.length === 1)
    assert.deepEqual(names, ['accepted'])
  })

  it('sends at most 512 spans at once, and what is left when it is closed', async () => {
    const { url, batches, names } = await createCollector([])
    const { exporter } = createExporter(url)
    for (let index = 0; index < 1_200; index++) exporter.add(span(String(index)))
    await exporter.close()
    assert.equal(names.length, 1_200)
    assert.ok(Math.max(...batches) <= 512)
  })

  it('keeps 2,048 spans while nothing listens, counts the rest as dropped, and closes in time', async () => {
    const { exporter } = createExporter('http://127.0.0.1:9/v1/traces')
    for (let index = 0; index < 100_000; index++) exporter.add(span('one'))
    assert.deepEqual(exporter.counts(), { queued: 2_048, dropped: 97_952 })
    const began = performance.now()
    await exporter.close()
    assert.ok(performance.now() - began < 4_000)
  })
})
