import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { Database } from '../../src/db/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp, createTestDatabase, testClock } from '../support/harness.ts'
import { createSmallApp, type SmallApp } from '../support/small-app.ts'

const AUDIENCE = 'caseport-api'
const db = await createTestDatabase()
const clock = testClock()

interface SigningPair {
  alg: string
  kid: string
  privateKey: CryptoKey
  publicJwk: JWK
}

async function createPair(alg: string, kid: string): Promise<SigningPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

const es = await createPair('ES256', 'es-1')
const rs = await createPair('RS256', 'rs-1')

/** An issuer on 127.0.0.1 that can be stopped and started, and can fail in part. */
async function createIssuer() {
  const published = [es.publicJwk, rs.publicJwk]
  const state = { jwksStatus: 200, documentStatus: 200, requests: 0, issuer: '' }
  const server: Server = createServer((request, response) => {
    state.requests += 1
    const documents: Record<string, { status: number; body: object }> = {
      '/.well-known/openid-configuration': {
        status: state.documentStatus,
        body: { issuer: state.issuer, jwks_uri: `${url}/keys` },
      },
      '/keys': { status: state.jwksStatus, body: { keys: published } },
    }
    const { status, body } = documents[request.url ?? ''] ?? { status: 404, body: {} }
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
    response.end(JSON.stringify(body))
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  state.issuer = url
  const down = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  after(down)
  return { url, state, published, up: () => listen(port), down }
}

const issuer = await createIssuer()
const app = await createTestApp({
  db,
  clock,
  config: { oidc: { issuer: issuer.url, audience: AUDIENCE } },
})
const smallAppFor = (url: string, own = { db: db as Database, clock }) =>
  createSmallApp({ ...own, oidc: { issuer: url, audience: AUDIENCE } })

const sign = (claims: object = {}, pair = es, header: object = {}) => {
  const now = Math.floor(clock.now().getTime() / 1000)
  const defaults = {
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'someone',
    azp: 'external-client',
    iat: now,
    exp: now + 600,
  }
  return new SignJWT({ ...defaults, scope: 'cases:read', ...claims })
    .setProtectedHeader({ alg: pair.alg, kid: pair.kid, ...header })
    .sign(pair.privateKey)
}

const use = (token: string, url = '/v2/case/health') =>
  app.call({ url, headers: { authorization: `Bearer ${token}` }, scopes: null })
const useOn = (on: SmallApp, token: string) => on.get('/cases', { authorization: `Bearer ${token}` })

async function expectRejected(token: string): Promise<void> {
  const response = await use(token)
  expectProblem(response, { status: 401, code: 'invalid-token' })
  assert.match(String(response.headers['www-authenticate']), /error="invalid_token"/)
}

describe('a token of the external issuer', { concurrency: true }, () => {
  it('is accepted, signed with ES256 or with RS256', async () => {
    assert.equal((await use(await sign({}, es))).status, 200)
    assert.equal((await use(await sign({}, rs))).status, 200)
  })

  it('has its scopes as text or as a list, in scope or in scp', async () => {
    const spellings = [
      { scope: 'openid cases:read profile' },
      { scope: undefined, scp: ['openid', 'cases:read'] },
      { scope: undefined, scp: 'cases:read' },
      { scope: ['cases:read'] },
    ]
    for (const claims of spellings) {
      const token = await sign(claims)
      assert.equal((await use(token)).status, 200, JSON.stringify(claims))
      const other = await use(token, '/v2/document/health')
      expectProblem(other, { status: 403, code: 'insufficient-scope' })
    }
  })

  it('without any of our scopes is rejected', async () => {
    for (const claims of [{ scope: 'openid' }, { scope: undefined }, { scope: '' }, { scope: 5 }]) {
      const response = await use(await sign(claims))
      assert.ok(response.status === 403 || response.status === 401, JSON.stringify(claims))
    }
  })

  it('is rejected for another audience, of another issuer, expired or not yet valid', async () => {
    const now = Math.floor(clock.now().getTime() / 1000)
    const claims = [
      { aud: 'other-api' },
      { aud: undefined },
      { iss: 'http://127.0.0.1:1' },
      { iss: `${issuer.url}/` },
      { iss: undefined },
      { exp: now - 1 },
      { exp: undefined },
      { nbf: now + 60 },
      { azp: undefined, sub: undefined },
    ]
    await Promise.all(claims.map(async changed => expectRejected(await sign(changed))))
  })

  it('is rejected when a foreign key has signed it, under a known or an unknown key id', async () => {
    const foreign = await createPair('ES256', 'es-1')
    const unknown = await createPair('ES256', 'unknown')
    await Promise.all([
      expectRejected(await sign({}, foreign)),
      expectRejected(await sign({}, foreign, { jwk: foreign.publicJwk })),
      expectRejected(await sign({}, unknown)),
    ])
  })

  it('is rejected when it is signed with HS256 or not at all', async () => {
    const [, body] = (await sign()).split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const secret = new TextEncoder().encode(JSON.stringify(es.publicJwk))
    const hs256 = await new SignJWT({ iss: issuer.url, aud: AUDIENCE, azp: 'x', scope: 'cases:read' })
      .setProtectedHeader({ alg: 'HS256', kid: 'es-1' })
      .setExpirationTime('1h')
      .sign(secret)
    await Promise.all([
      expectRejected(hs256),
      expectRejected(`${encode({ alg: 'none', kid: 'es-1' })}.${body}.`),
      expectRejected(`${encode({ alg: 'none' })}.${body}.`),
    ])
  })

  it('is cached until it expires', async () => {
    const token = await sign({ exp: Math.floor(clock.now().getTime() / 1000) + 30 })
    const own = testClock(clock.now())
    const other = await smallAppFor(issuer.url, { db, clock: own })
    assert.equal((await useOn(other, token)).status, 200)
    own.advance(31)
    expectProblem(await useOn(other, token), { status: 401, code: 'invalid-token' })
  })

  it('is rejected when its client is disabled here', async () => {
    const clientId = `oidc:${encodeURIComponent(new URL(issuer.url).host)}:someone:to-be-disabled`
    const disabled = await app.call({
      method: 'POST',
      url: '/admin/v1/clients',
      body: { name: 'External', scopes: ['cases:read'], clientId },
    })
    assert.equal(disabled.status, 201)
    const token = await sign({ azp: 'to-be-disabled' })
    assert.equal((await use(token)).status, 200)
    await app.call({ method: 'POST', url: `/admin/v1/clients/${encodeURIComponent(clientId)}/disable` })
    expectProblem(await use(token), { status: 401, code: 'invalid-token' })
  })

  it('is verified without reading our own keys', async () => {
    const own = await createTestDatabase()
    const other = await smallAppFor(issuer.url, { db: own, clock })
    await own.sql.unsafe('alter table signing_keys rename to elsewhere')
    assert.equal((await useOn(other, await sign())).status, 200)
  })

  it('is accepted beside our own tokens', async () => {
    assert.equal((await app.call({ url: '/v2/case/health' })).status, 200)
  })

  it('is rejected when no external issuer is configured', async () => {
    const plain = await createSmallApp({ db, clock })
    expectProblem(await useOn(plain, await sign()), { status: 401, code: 'invalid-token' })
  })
})

describe('an external issuer that does not respond', { concurrency: true }, () => {
  const expectUnavailable = async (token: string, on: SmallApp) => {
    const response = await useOn(on, token)
    expectProblem(response, { status: 503, code: 'issuer-unavailable' })
    assert.equal(response.headers['retry-after'], '5')
  }

  it('makes requests with its tokens fail with 503 until it is up', async () => {
    const late = await createIssuer()
    await late.down()
    const on = await smallAppFor(late.url)
    const token = await sign({ iss: late.url })
    await expectUnavailable(token, on)
    assert.equal((await useOn(on, await on.issue())).status, 200)
    await late.up()
    assert.equal((await useOn(on, token)).status, 200)
    await late.down()
    assert.equal((await useOn(on, token)).status, 200)
  })

  it('fails requests with 503 while its keys cannot be fetched, instead of rejecting the token', async () => {
    const broken = await createIssuer()
    broken.state.jwksStatus = 500
    const on = await smallAppFor(broken.url)
    const token = await sign({ iss: broken.url })
    await expectUnavailable(token, on)
    broken.state.jwksStatus = 200
    assert.equal((await useOn(on, token)).status, 200)
  })

  it('after its discovery document was read also fails requests with 503', async () => {
    const gone = await createIssuer()
    gone.state.jwksStatus = 500
    const on = await smallAppFor(gone.url)
    const token = await sign({ iss: gone.url })
    await expectUnavailable(token, on)
    await gone.down()
    await expectUnavailable(token, on)
    gone.state.jwksStatus = 200
    await gone.up()
    assert.equal((await useOn(on, token)).status, 200)
  })

  it('or whose discovery document fails or names another issuer is not trusted', async () => {
    const other = await createIssuer()
    const on = await smallAppFor(other.url)
    const token = await sign({ iss: other.url })
    other.state.issuer = 'https://other.example'
    await expectUnavailable(token, on)
    other.state.issuer = other.url
    other.state.documentStatus = 500
    await expectUnavailable(token, on)
    other.state.documentStatus = 200
    assert.equal((await useOn(on, token)).status, 200)
  })

  it('gets one request for its keys, not one per token', async () => {
    const counted = await createIssuer()
    const on = await smallAppFor(counted.url)
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => sign({ iss: counted.url, jti: `${n}` })),
    )
    for (const response of await Promise.all(tokens.map(token => useOn(on, token))))
      assert.equal(response.status, 200)
    assert.equal(counted.state.requests, 2)
  })
})
