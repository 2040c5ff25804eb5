import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createServer } from '../../src/http/server.ts'
import { createLog } from '../../src/log.ts'

const REQUEST_ID = '0b5b4c3e-1111-8222-9333-000000000001'

/** A server whose routes run as this client, and the text that it has logged. */
function createLoggedServer({ level = 'info', clientId }: { level?: string; clientId?: string } = {}) {
  let text = ''
  const log = createLog(level, {
    write(line) {
      text += line
    },
  })
  const app = createServer({ log, trustProxy: false })
  after(() => app.close())
  app.get('/things/:thingId', { scope: 'public' }, async request => {
    if (clientId !== undefined)
      request.principal = { clientId, scopes: new Set(), companies: null, expiresAt: 0 }
    return {}
  })
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { 'x-request-id': REQUEST_ID, ...headers } })
  return { get, text: () => text, masked: () => maskTimes(text) }
}

const maskTimes = (text: string) =>
  text
    .replaceAll(/"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"time":"-"')
    .replaceAll(/"ms":\d+(?:\.\d)?,/g, '"ms":0,')

const BEGIN = `{"level":30,"time":"-","requestId":"${REQUEST_ID}"`

describe('the log line of a request', () => {
  it('is one JSON object with time, request id, method, route template, status and duration', async () => {
    const { get, masked } = createLoggedServer()
    await get('/things/1?a=b')
    assert.equal(
      masked(),
      `${BEGIN},"method":"GET","route":"/things/:thingId","status":200,"ms":0,"msg":"request"}\n`,
    )
  })

  it('has no route where none matches', async () => {
    for (const [url, status] of [
      ['/nothing', '404'],
      ['/%zz', '400,"code":"invalid-request"'],
    ] as const) {
      const { get, masked } = createLoggedServer()
      await get(url)
      assert.equal(
        masked(),
        `${BEGIN},"method":"GET","route":null,"status":${status},"ms":0,"msg":"request"}\n`,
      )
    }
  })

  it('names the client and the trace, escaped as JSON', async () => {
    for (const clientId of ['hr', 'a "client" of\nours \\ Ä', '']) {
      const { get, masked } = createLoggedServer({ clientId })
      await get('/things/1', { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01' })
      assert.equal(
        masked(),
        `${BEGIN},"method":"GET","route":"/things/:thingId","status":200,"ms":0,"clientId":${JSON.stringify(clientId)},"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","msg":"request"}\n`,
      )
    }
  })

  it('is left out at a level above info', async () => {
    const { get, text } = createLoggedServer({ level: 'error' })
    assert.equal((await get('/things/1')).statusCode, 200)
    assert.equal(text(), '')
  })
})
