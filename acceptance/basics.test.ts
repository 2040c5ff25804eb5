import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { call, credentials, tokenFor } from './client.ts'

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

describe('public endpoints', () => {
  it('return 200 from /healthz and /readyz', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const response = await call({ path, scopes: null })
      assert.equal(response.status, 200)
      assert.deepEqual(response.body, { status: 'ok' })
    }
  })

  it('return metrics in the Prometheus format', async () => {
    const response = await call({ path: '/metrics', scopes: null })
    assert.equal(response.status, 200)
    assert.match(
      response.bytes.toString(),
      /^http_request_duration_seconds_count\{.*route="\/healthz".*\} \d+$/m,
    )
  })

  it('serve the API reference without external assets', async () => {
    const page = await call({ path: '/docs', scopes: null })
    assert.equal(page.status, 200)
    const references = [...page.bytes.toString().matchAll(/(?:src|href)="([^"#]+)"/g)].map(
      match => match[1] ?? '',
    )
    const assets = references.filter(reference => !reference.startsWith('data:'))
    assert.ok(assets.length > 1)
    for (const path of assets) {
      assert.match(path, /^\//)
      assert.equal((await call({ path, scopes: null })).status, 200)
    }
    assert.equal((await call({ path: '/openapi.json', scopes: null })).status, 200)
  })

  it('publish the keys that verify access tokens', async () => {
    const jwks = await call({ path: '/.well-known/jwks.json', scopes: null })
    const metadata = await call({ path: '/.well-known/oauth-authorization-server', scopes: null })
    const resource = await call({ path: '/.well-known/oauth-protected-resource', scopes: null })
    const { payload } = await jwtVerify(await tokenFor(['cases:read']), createLocalJWKSet(jwks.body), {
      issuer: metadata.body.issuer,
      audience: resource.body.resource,
    })
    assert.equal(payload['scope'], 'cases:read')
  })
})

describe('POST /oauth/token', () => {
  it('issues a token by HTTP Basic and by form', async () => {
    const form = { grant_type: 'client_credentials' }
    const { clientId, clientSecret } = credentials
    const byBasic = await call({
      method: 'POST',
      path: '/oauth/token',
      headers: basic(clientId, clientSecret),
      body: new URLSearchParams(form),
      scopes: null,
    })
    const byForm = await call({
      method: 'POST',
      path: '/oauth/token',
      body: new URLSearchParams({
        ...form,
        client_id: clientId,
        client_secret: clientSecret,
        scope: 'cases:read',
      }),
      scopes: null,
    })
    for (const response of [byBasic, byForm]) {
      assert.equal(response.status, 200)
      assert.equal(response.body.token_type, 'Bearer')
      assert.equal(response.headers.get('cache-control'), 'no-store')
    }
    assert.equal(byForm.body.scope, 'cases:read')
    const health = await call({ path: '/v2/case/health', token: byForm.body.access_token })
    assert.equal(health.status, 200)
  })

  it('returns errors in the format of RFC 6749', async () => {
    const cases: [Record<string, string>, Record<string, string>, number, string][] = [
      [{}, { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic('unknown', 'wrong'), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic(credentials.clientId, credentials.clientSecret), {}, 400, 'invalid_request'],
      [
        basic(credentials.clientId, credentials.clientSecret),
        { grant_type: 'password' },
        400,
        'unsupported_grant_type',
      ],
      [
        basic(credentials.clientId, credentials.clientSecret),
        { grant_type: 'client_credentials', scope: 'everything' },
        400,
        'invalid_scope',
      ],
    ]
    for (const [headers, form, status, error] of cases) {
      const response = await call({
        method: 'POST',
        path: '/oauth/token',
        headers,
        body: new URLSearchParams(form),
        scopes: null,
      })
      assert.equal(response.status, status)
      assert.equal(response.body.error, error)
    }
  })

  it('rate-limits a client that guesses secrets', async () => {
    const guess = () =>
      call({
        method: 'POST',
        path: '/oauth/token',
        headers: basic('guessed-client', 'wrong'),
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        scopes: null,
      })
    let response = await guess()
    for (let tries = 0; tries < 12 && response.status === 401; tries++) response = await guess()
    assert.equal(response.status, 429)
    assert.ok(Number(response.headers.get('retry-after')) > 0)
  })
})

describe('wrong secrets of a client', () => {
  it('do not lock out its right secret from the same address', async () => {
    const { body: client } = await call({
      method: 'POST',
      path: '/admin/v1/clients',
      body: { name: 'Guessed', scopes: ['cases:read'] },
    })
    const token = (secret: string) =>
      call({
        method: 'POST',
        path: '/oauth/token',
        headers: basic(client.clientId, secret),
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        scopes: null,
      })
    for (let guess = 0; guess < 12; guess++) await token(`guess-${guess}`)
    assert.equal((await token('wrong')).status, 429)
    assert.equal((await token(client.clientSecret)).status, 200)
  })
})

describe('GET /v2/{applicant,case,document}/health', () => {
  it('accepts a token with the scope of its API', async () => {
    for (const [api, scope] of [
      ['applicant', 'applicants:read'],
      ['case', 'cases:read'],
      ['document', 'documents:read'],
    ] as const) {
      const response = await call({ path: `/v2/${api}/health`, scopes: [scope] })
      assert.equal(response.status, 200)
      assert.equal(response.body.status, 'ok')
    }
  })
})

describe('/admin/v1/clients', () => {
  const path = '/admin/v1/clients'
  const create = (body: object) => call({ method: 'POST', path, body })

  it('creates a client with scopes, rotates its secret, and disables it', async () => {
    const made = await create({ name: 'Feed', scopes: ['applicants:read'] })
    assert.equal(made.status, 201)
    const { clientId, clientSecret } = made.body
    const location = made.headers.get('location') ?? ''
    assert.equal((await call({ path: location })).body.clientId, clientId)
    assert.ok(
      (await call({ path })).body.some((client: { clientId: string }) => client.clientId === clientId),
    )

    const tokenBy = async (secret: string) =>
      call({
        method: 'POST',
        path: '/oauth/token',
        headers: basic(clientId, secret),
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        scopes: null,
      })
    const token = (await tokenBy(clientSecret)).body.access_token
    assert.equal((await call({ path: '/v2/applicant/health', token })).status, 200)
    assert.equal((await call({ path, token })).status, 403)

    const rotated = await call({ method: 'POST', path: `${location}/rotate-secret`, body: {} })
    assert.equal(rotated.status, 200)
    assert.equal((await tokenBy(clientSecret)).status, 401)
    assert.equal((await tokenBy(rotated.body.clientSecret)).status, 200)

    assert.equal((await call({ method: 'POST', path: `${location}/disable` })).status, 200)
    assert.equal((await call({ path: '/v2/applicant/health', token })).status, 401)
    assert.equal((await tokenBy(rotated.body.clientSecret)).status, 401)
    assert.equal((await call({ method: 'POST', path: `${location}/enable` })).status, 200)
    assert.equal((await call({ path: '/v2/applicant/health', token })).status, 200)
  })

  it('creates and revokes API keys of a client', async () => {
    const { headers, body } = await create({ name: 'Renumbering', scopes: ['applicants:write'] })
    const location = headers.get('location') ?? ''
    const key = await call({ method: 'POST', path: `${location}/api-keys`, body: { name: 'first' } })
    assert.equal(key.status, 201)
    const revoke = () => call({ method: 'DELETE', path: `${location}/api-keys/${key.body.keyId}` })
    assert.equal((await revoke()).status, 204)
    assert.equal((await revoke()).body.code, 'api-key-not-found')
    assert.ok((await call({ path: `${path}/${body.clientId}` })).body.apiKeys[0].revokedAt)
  })

  it('responds with 404 for an unknown client, and 409 for an id in use', async () => {
    const none = `${path}/unknown`
    const responses = await Promise.all([
      call({ path: none }),
      call({ method: 'POST', path: `${none}/rotate-secret`, body: {} }),
      call({ method: 'POST', path: `${none}/disable` }),
      call({ method: 'POST', path: `${none}/enable` }),
      call({ method: 'POST', path: `${none}/api-keys`, body: { name: 'x' } }),
    ])
    for (const response of responses) {
      assert.equal(response.status, 404)
      assert.equal(response.body.code, 'client-not-found')
    }
    const taken = await create({ clientId: credentials.clientId, name: 'x', scopes: ['admin'] })
    assert.equal(taken.status, 409)
    assert.equal(taken.body.code, 'client-id-in-use')
  })
})
