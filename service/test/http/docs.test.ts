import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { docsRoutes } from '../../src/http/docs.routes.ts'
import { installProblems } from '../../src/http/problems.ts'
import { loadReferenceBundle } from '../../src/http/reference-bundle.ts'
import { createServer } from '../../src/http/server.ts'
import { createTestApp, silent } from '../support/harness.ts'

const { app } = await createTestApp()

const get = (url: string, encoding?: string) =>
  app.inject({ url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })
const page = await get('/docs')
const bundlePath = /src="([^"]*scalar-[^"]*)"/.exec(page.payload)?.[1] ?? ''

describe('GET /docs', () => {
  it('allows scripts from files of our own origin only, and no other origin at all', () => {
    const policy = String(page.headers['content-security-policy'])
    const directives = new Map(
      policy.split('; ').map(directive => directive.split(/ (.*)/) as [string, string]),
    )
    assert.equal(directives.get('default-src'), "'none'")
    assert.equal(directives.get('script-src'), "'self'")
    assert.equal(directives.get('connect-src'), "'self'")
    assert.equal(directives.get('frame-ancestors'), "'none'")
    assert.doesNotMatch(policy, /https?:|unsafe-eval/)
  })

  it('contains no inline script', () => {
    const scripts = [...page.payload.matchAll(/<script[^>]*>(.*?)<\/script>/gs)]
    assert.equal(scripts.length, 2)
    for (const [tag, content] of scripts) {
      assert.match(tag, /src="\/docs\//)
      assert.equal(content, '')
    }
  })
})

describe('the files of the reference page', () => {
  it('are revalidated before each use, unless their path contains their version', async () => {
    for (const file of ['docs.js', 'docs.css']) {
      const response = await get(`/docs/${file}`)
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['cache-control'], 'no-cache')
    }
  })

  it('include the bundle, compressed and immutable under the path of its version', async () => {
    const response = await get(bundlePath, 'gzip, deflate, br')
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(response.headers['content-encoding'], 'gzip')
    assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(response.headers['vary'], 'accept-encoding')
    assert.equal(response.headers['content-length'], String(response.rawPayload.length))
    assert.match(gunzipSync(response.rawPayload).toString(), /createApiReference/)
  })

  it('include the bundle uncompressed for a client that does not accept gzip', async () => {
    const compressed = await get(bundlePath, 'br;q=1, *;q=0.5')
    assert.equal(compressed.headers['content-encoding'], 'gzip')
    for (const encoding of [undefined, 'identity', 'gzip;q=0', 'br, gzip;q=0.000, deflate']) {
      const response = await get(bundlePath, encoding)
      assert.equal(response.headers['content-encoding'], undefined, encoding)
      assert.deepEqual(response.rawPayload, gunzipSync(compressed.rawPayload))
    }
  })

  it('decompress the bundle once for all clients', async () => {
    const bundle = await loadReferenceBundle()
    const [one, other] = await Promise.all([bundle.plain(), bundle.plain()])
    assert.equal(one, other)
    assert.equal(await bundle.plain(), one)
  })

  it('count as requests in progress, the bundle too', async () => {
    const small = createServer({ log: silent, trustProxy: false, slots: { min: 1, max: 1 } })
    installProblems(small, {})
    docsRoutes(small, { document: () => ({}) })
    const responses = await Promise.all([1, 2].map(() => small.inject(bundlePath)))
    assert.deepEqual(responses.map(({ statusCode }) => statusCode).sort(), [200, 503])
    await small.close()
  })
})
