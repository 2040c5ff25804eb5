// Heads of requests that two servers could read differently. Node's own client sends them; fetch does not.
import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { baseUrl, contract, observe, tokenFor } from './client.ts'

/** Sends exactly these headers, name after name, and checks the response against the OpenAPI document. */
async function get(path: string, headers: string[], method = 'GET') {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(baseUrl + path, { method, headers: [...headers, 'connection', 'close'], agent: false })
      .on('response', resolve)
      .on('error', reject)
      .end()
  })
  const body = JSON.parse((await buffer(response)).toString())
  const status = response.statusCode ?? 0
  observe({
    method,
    path,
    status,
    headers: new Headers(response.headers as Record<string, string>),
    body,
  })
  return { status, body }
}

const { host } = new URL(baseUrl)

describe('a head', () => {
  it('with two Host headers is rejected by every public operation', async () => {
    const open = contract.operations.filter(
      ({ path }) => !/^\/(v2|admin)\//.test(path) && path !== '/oauth/token',
    )
    assert.ok(open.length >= 8)
    for (const { method, path: template } of open) {
      const path = template.replace(/\{\w+\}/g, 'x')
      const { status, body } = await get(path, ['host', host, 'host', 'other.example'], method)
      assert.deepEqual([status, body.code], [400, 'invalid-request'], path)
      assert.match(body.detail, /host is there twice/)
    }
  })

  it('with two Authorization or X-API-Key headers is rejected', async () => {
    const bearer = `Bearer ${await tokenFor(['cases:read'])}`
    const once = ['host', host, 'authorization', bearer]
    assert.equal((await get('/v2/case/health', once)).status, 200)
    for (const more of [
      ['authorization', bearer],
      ['x-api-key', 'a', 'X-Api-Key', 'b'],
    ]) {
      const { status, body } = await get('/v2/case/health', [...once, ...more])
      assert.deepEqual([status, body.code], [400, 'invalid-request'])
    }
  })

  it('without a host is rejected where a browser signs in', async () => {
    for (const value of ['', '%']) {
      const { status, body } = await get(
        '/auth/v1/passkey/options',
        ['host', value, 'content-length', '0'],
        'POST',
      )
      assert.deepEqual([status, body.code], [400, 'invalid-request'])
    }
  })

  it('whose target names another host is rejected', async () => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const { hostname, port } = new URL(baseUrl)
      request({ hostname, port, path: 'http://other.example/healthz', headers: { host }, agent: false })
        .on('response', resolve)
        .on('error', reject)
        .end()
    })
    assert.equal(response.statusCode, 400)
    response.resume()
  })
})
