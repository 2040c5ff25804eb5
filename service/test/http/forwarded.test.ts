// The caller's address behind proxies: read from the right of X-Forwarded-For, never from the left.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { TrustProxy } from '../../src/http/forwarded.ts'
import { createServer } from '../../src/http/server.ts'
import { silent } from '../support/harness.ts'

function createApp(trustProxy: TrustProxy) {
  const app = createServer({ log: silent, trustProxy })
  after(() => app.close())
  app.get('/ip', { scope: 'public' }, async request => ({ ip: request.ip }))
  return async (forwarded: string | undefined, remoteAddress = '10.0.0.1') => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    return (await app.inject({ url: '/ip', headers, remoteAddress })).json().ip
  }
}

describe('the address of the caller', () => {
  it('is that of the connection without TRUST_PROXY', async () => {
    const ip = createApp(false)
    assert.equal(await ip('198.51.100.1'), '10.0.0.1')
    assert.equal(await ip(undefined, '2001:db8::7'), '2001:db8::7')
  })

  it('is the last entry with one proxy, whatever the client sent before', async () => {
    const ip = createApp(1)
    assert.equal(await ip('198.51.100.1'), '198.51.100.1')
    assert.equal(await ip('1.1.1.1, 2.2.2.2, 198.51.100.1'), '198.51.100.1')
    assert.equal(await ip('1.1.1.1,198.51.100.1 '), '198.51.100.1')
    assert.equal(await ip(undefined), '10.0.0.1')
    assert.equal(await ip(''), '10.0.0.1')
  })

  it('is the entry of the first proxy with several', async () => {
    const ip = createApp(2)
    assert.equal(await ip('1.1.1.1, 198.51.100.1, 10.0.0.2'), '198.51.100.1')
    assert.equal(await ip('198.51.100.1'), '198.51.100.1')
  })

  it('is the last entry that is no trusted proxy, where networks are listed', async () => {
    const ip = createApp(['10.0.0.0/8', 'fd00::/8'])
    assert.equal(await ip('1.1.1.1, 198.51.100.1, 10.0.0.2, fd00::5'), '198.51.100.1')
    assert.equal(await ip('1.1.1.1, 2001:db8::1, ::ffff:10.0.0.2'), '2001:db8::1')
    assert.equal(await ip('198.51.100.1', '192.0.2.9'), '192.0.2.9')
    assert.equal(await ip('198.51.100.1', '::ffff:10.0.0.1'), '198.51.100.1')
  })

  it('has no port and no brackets, and is IPv4 where it is mapped to IPv6', async () => {
    const ip = createApp(1)
    assert.equal(await ip('198.51.100.1:4711'), '198.51.100.1')
    assert.equal(await ip('[2001:DB8::1]:4711'), '2001:db8::1')
    assert.equal(await ip('"[2001:db8::1]"'), '2001:db8::1')
    assert.equal(await ip('::ffff:198.51.100.1'), '198.51.100.1')
    assert.equal(await ip('::ffff:c633:6401'), '198.51.100.1')
  })

  it('is that of the proxy where an entry is no address', async () => {
    const ip = createApp(1)
    for (const text of [
      'unknown',
      '_hidden',
      '198.51.100',
      '198.51.100.1, unknown',
      '198.51.100.1, <script>',
    ])
      assert.equal(await ip(text), '10.0.0.1', text)
    assert.equal(await ip('unknown, 198.51.100.1'), '198.51.100.1')
  })
})
