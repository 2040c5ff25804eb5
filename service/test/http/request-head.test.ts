// Heads of requests that two servers could read differently, sent over a socket, because HTTP clients do not send them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const test = await createTestApp()

let port = 0
before(async () => {
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  port = (test.app.server.address() as { port: number }).port
})

/** The status and the text of the response. */
async function send(lines: string[], body = '') {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  let text = ''
  for await (const chunk of socket) text += chunk
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]), text }
}

async function expectRejected(lines: string[], detail: RegExp) {
  const { status, text } = await send(lines)
  assert.equal(status, 400, text)
  assert.match(text, /content-type: application\/problem\+json/i)
  assert.match(text, /"code":"invalid-request"/)
  assert.match(text, detail)
}

describe('the Host header', () => {
  it('may be there once', async () => {
    for (const lines of [
      ['GET /healthz HTTP/1.1', 'Host: a.example', 'Host: b.example'],
      ['GET /healthz HTTP/1.1', 'Host: a.example', 'host: a.example'],
      ['GET /healthz HTTP/1.1', 'HOST: a.example', 'X-Other: 1', 'hOsT:'],
      ['GET /nowhere HTTP/1.1', 'Host: a.example', 'Host: b.example'],
    ])
      await expectRejected(lines, /host is there twice/)
  })

  it('must be there in HTTP/1.1', async () => {
    await expectRejected(['GET /healthz HTTP/1.1'], /no Host header/)
    assert.equal((await send(['GET /healthz HTTP/1.0'])).status, 200)
  })

  it('is a host with an optional port', async () => {
    for (const host of ['a.example', 'a.example:8080', '[::1]:8080', '192.0.2.1', 'under_score', ''])
      assert.equal((await send(['GET /healthz HTTP/1.1', `Host: ${host}`])).status, 200, host)
    for (const host of [
      'a.example, b.example',
      'user@a.example',
      'a.example/x',
      'a b',
      '[::1',
      'a:b',
      'a:80:80',
      '<x>',
    ])
      await expectRejected(['GET /healthz HTTP/1.1', `Host: ${host}`], /not a host/)
  })
})

describe('a header that must not be repeated', () => {
  it('is rejected when it is there twice', async () => {
    const token = await test.token()
    const headers: [string, string][] = [
      ['Authorization', `Bearer ${token}`],
      ['X-API-Key', test.client.apiKey],
      ['Content-Type', 'application/json'],
      ['Idempotency-Key', 'one'],
    ]
    for (const [name, value] of headers) {
      const lines = ['GET /v2/case/health HTTP/1.1', 'Host: a.example', `${name}: ${value}`]
      await expectRejected([...lines, `${name.toLowerCase()}: ${value}`], /is there twice/)
    }
    const lengths = [
      'POST /oauth/token HTTP/1.1',
      'Host: a.example',
      'Content-Length: 0',
      'Content-Length: 0',
    ]
    assert.equal((await send(lengths)).status, 400)
  })

  it('is different from lists, which may be repeated', async () => {
    const lines = [
      'GET /v2/case/health HTTP/1.1',
      'Host: a.example',
      `Authorization: Bearer ${await test.token()}`,
    ]
    const lists = [
      'Accept: a/b',
      'Accept: */*',
      'If-None-Match: "a"',
      'If-None-Match: "b"',
      'X-Forwarded-For: 1.1.1.1',
    ]
    assert.equal((await send([...lines, ...lists, 'X-Forwarded-For: 2.2.2.2'])).status, 200)
  })
})

describe('a request target in absolute form', () => {
  it('is handled as its path where it names the host of the Host header', async () => {
    const target = 'http://a.example:8080/v2/applicant/nobody'
    const response = await send([
      `GET ${target} HTTP/1.1`,
      'Host: A.example:8080',
      `Authorization: Bearer ${await test.token()}`,
    ])
    assert.equal(response.status, 404)
    assert.match(response.text, /applicant-not-found/)
    assert.equal((await send(['GET http://a.example/healthz HTTP/1.1', 'Host: a.example'])).status, 200)
    assert.match((await send(['GET http://a.example HTTP/1.1', 'Host: a.example'])).text, /route-not-found/)
  })

  it('is rejected where it names another host, or another scheme', async () => {
    for (const target of [
      'http://b.example/healthz',
      'https://a.example:1/healthz',
      'ftp://a.example/healthz',
      'healthz',
    ])
      assert.equal((await send([`GET ${target} HTTP/1.1`, 'Host: a.example'])).status, 400, target)
  })
})
