import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ALL_SCOPES, type Scope } from '../../src/lib/scopes.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp, registerClient } from '../support/harness.ts'
import { createSmallApp } from '../support/small-app.ts'

const test = await createTestApp()
await test.app.ready()

interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  name: string
  scope: Scope | undefined
  /** The names of the security schemes that are alternatives. */
  schemes: string[]
}

const routes = (): Route[] => {
  const { paths } = test.document() as {
    paths: Record<string, Record<string, { security: { oauth2?: Scope[]; session?: [] }[] }>>
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => ({
      method: method.toUpperCase() as Route['method'],
      url: path.replaceAll(/\{\w+\}/g, 'unknown'),
      name: `${method.toUpperCase()} ${path}`,
      scope: security[0]?.oauth2?.[0],
      schemes: security.map(alternative => Object.keys(alternative).join(' ')),
    })),
  )
}

const READ_SCOPES: Scope[] = ['applicants:read', 'cases:read', 'documents:read']

/** Operations whose scope depends on what is asked for, with an address. */
const BY_REQUEST = new Map([
  ['GET /v2/changes', '/v2/changes'],
  ['GET /v2/export', '/v2/export?kind=cases'],
])

/** Scopes beside that of the route. */
const ALSO_NEEDED: Record<string, Scope[]> = {
  'GET /v2/imports/{importId}/rows/{row}': ['applicants:read'],
  'POST /admin/v1/merges/{mergeId}/undo': ['applicants:write'],
}

describe('every operation', () => {
  it('needs a scope, except the public ones', () => {
    const open = routes().filter(({ schemes }) => schemes.length === 0)
    assert.deepEqual(open.map(({ name }) => name).sort(), [
      'GET /.well-known/jwks.json',
      'GET /.well-known/oauth-authorization-server',
      'GET /.well-known/oauth-protected-resource',
      'GET /auth/v1/methods',
      'GET /auth/v1/oidc/callback',
      'GET /auth/v1/oidc/start',
      'GET /calendar/{token}',
      'GET /docs',
      'GET /healthz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /readyz',
      'GET /sign-in',
      'POST /auth/v1/invitation',
      'POST /auth/v1/passkey/options',
      'POST /auth/v1/session',
      'POST /oauth/token',
    ])
    const unscoped = routes().filter(
      ({ name, scope, schemes }) => schemes.length > 0 && scope === undefined && !BY_REQUEST.has(name),
    )
    for (const { name, schemes } of unscoped)
      assert.deepEqual(schemes, name === 'GET /admin/v1/me' ? ['oauth2', 'session'] : ['session'], name)
    assert.ok(unscoped.every(({ name }) => name === 'GET /admin/v1/me' || / \/auth\/v1\//.test(name)))
    const secured = routes().filter(({ scope }) => scope !== undefined)
    assert.ok(secured.length >= 11)
    for (const { scope } of secured) assert.ok(ALL_SCOPES.includes(scope as Scope))
  })

  for (const [name, url] of BY_REQUEST)
    it(`${name} returns 401 without a token, and 403 with a token without the read scopes`, async () => {
      expectProblem(await test.call({ url, scopes: null }), { status: 401, code: 'token-required' })
      const others = ALL_SCOPES.filter(scope => scope !== 'admin' && !READ_SCOPES.includes(scope))
      expectProblem(await test.call({ url, scopes: others }), { status: 403, code: 'insufficient-scope' })
      assert.equal((await test.call({ url, scopes: READ_SCOPES })).status, 200)
    })

  for (const { method, url, name, scope } of routes()) {
    if (!scope) continue
    it(`${name} returns 401 without a token, and 403 with a token of all other scopes`, async () => {
      const without = await test.call({ method, url, scopes: null })
      expectProblem(without, { status: 401, code: 'token-required' })
      assert.equal(without.headers['www-authenticate'], 'Bearer realm="caseport"')

      const others = ALL_SCOPES.filter(other => other !== scope && other !== 'admin')
      const short = await test.call({ method, url, scopes: others })
      expectProblem(short, { status: 403, code: 'insufficient-scope' })
      assert.equal(short.headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${scope}"`)
      assert.ok(short.body.detail.includes(scope))

      for (const enough of [scope, 'admin'] as const) {
        const right = await test.call({
          method,
          url,
          scopes: [enough, ...(ALSO_NEEDED[name] ?? [])],
          headers: { 'x-api-key': test.client.apiKey },
        })
        assert.ok(right.status !== 401 && right.status !== 403, `${right.status} ${right.text}`)
      }
    })
  }
})

describe('every operation that a cookie opens', () => {
  for (const { method, url, name, schemes } of routes()) {
    if (!schemes.includes('session')) continue
    it(`${name} rejects an ended session, and a page of another origin`, async () => {
      const call = (origin: string) =>
        test.call({
          method,
          url,
          scopes: null,
          headers: { host: 'localhost', origin, cookie: 'caseport=ended' },
        })
      const ended = await call('http://localhost')
      expectProblem(ended, { status: 401, code: 'session-required' })
      assert.equal(ended.headers['www-authenticate'], 'Cookie realm="caseport"')
      const foreign = await call('http://evil.example')
      if (method === 'GET') expectProblem(foreign, { status: 401, code: 'session-required' })
      else expectProblem(foreign, { status: 403, code: 'cross-origin' })
    })
  }
})

describe('every operation for people alone', () => {
  for (const { method, url, name, schemes } of routes()) {
    if (schemes.join() !== 'session') continue
    it(`${name} rejects an access token with every scope`, async () => {
      expectProblem(await test.call({ method, url }), { status: 401, code: 'session-required' })
    })
  }
})

describe('Authorization', () => {
  const send = (authorization: string) =>
    test.call({ url: '/v2/case/health', headers: { authorization }, scopes: null })

  it('accepts the scheme Bearer in any case', async () => {
    const token = await test.token(['cases:read'])
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer '])
      assert.equal((await send(`${scheme} ${token}`)).status, 200)
  })

  it('is rejected with another scheme, or without a token', async () => {
    const token = await test.token(['cases:read'])
    const headers = [
      'Bearer',
      'Bearer ',
      `Basic ${token}`,
      token,
      `Bearer ${token} ${token}`,
      `Bearer "${token}"`,
    ]
    for (const header of headers) {
      const response = await send(header)
      expectProblem(response, { status: 401, code: 'invalid-token' })
      assert.match(String(response.headers['www-authenticate']), /^Bearer realm="caseport", error="invalid_/)
    }
  })

  it('is not read from the query or the body', async () => {
    const token = await test.token()
    const inQuery = await test.call({ url: `/v2/case/health?access_token=${token}`, scopes: null })
    expectProblem(inQuery, { status: 401, code: 'token-required' })
    const body = { access_token: token, primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt' } }
    const inBody = await test.call({ method: 'POST', url: '/v2/applicant', body, scopes: null })
    expectProblem(inBody, { status: 401, code: 'token-required' })
  })

  it('is ignored on a public route', async () => {
    const { status } = await test.call({
      url: '/healthz',
      headers: { authorization: 'Bearer nonsense' },
      scopes: null,
    })
    assert.equal(status, 200)
  })
})

const small = await createSmallApp(test)

describe('a route', () => {
  it('cannot be registered without a scope', async () => {
    const { app } = await createSmallApp(test)
    assert.throws(() => app.get('/open', async () => ({})), /GET \/open declares no known scope/)
  })

  it('cannot be registered with an unknown scope', async () => {
    const { app } = await createSmallApp(test)
    for (const scope of ['cases:delete', '', 'toString', 'Public'])
      assert.throws(
        () => app.post('/typo', { scope: scope as Scope }, async () => ({})),
        /POST \/typo declares no known scope/,
      )
  })

  it('that writes data of people cannot be registered without the identifiers that it returns', async () => {
    const { app } = await createSmallApp(test)
    for (const scope of ['applicants:write', 'cases:write', 'documents:write', 'desk:write'] as const)
      assert.throws(
        () => app.put('/whole', { scope }, async () => ({})),
        /PUT \/whole declares no identifiers/,
      )
    app.get('/read', { scope: 'desk:write' }, async () => ({}))
    app.put('/setup', { scope: 'setup:write' }, async () => ({}))
  })

  it('cannot be registered without a scope inside a plugin either', async () => {
    const { app } = await createSmallApp(test)
    app.register(async inner => {
      inner.delete('/inner', async () => ({}))
    })
    await assert.rejects(async () => await app.ready(), /DELETE \/inner declares no known scope/)
  })
})

describe('a route that also needs an API key', () => {
  const send = async (key?: string, scopes: Scope[] = ['cases:write']) => {
    const authorization = `Bearer ${await test.token(scopes)}`
    const headers = { authorization, ...(key !== undefined && { 'x-api-key': key }) }
    return small.get('/guarded', headers)
  }
  const expectRejected = (response: Awaited<ReturnType<typeof send>>) => {
    expectProblem(response, { status: 401, code: 'api-key-required' })
    assert.equal(response.headers['www-authenticate'], 'Bearer realm="caseport"')
  }

  it('accepts a key of the same client', async () => {
    const { status, body } = await send(test.client.apiKey)
    assert.equal(status, 200)
    assert.equal(body.clientId, test.client.clientId)
  })

  it('accepts it again when the token is cached', async () => {
    assert.equal((await send(test.client.apiKey)).status, 200)
    expectRejected(await send())
  })

  it('returns 401 without a key, or with a wrong one', async () => {
    for (const key of [undefined, '', 'wrong', `${test.client.apiKey}x`, test.client.apiKey.toUpperCase()])
      expectRejected(await send(key))
  })

  it('returns 401 with a key of another client', async () => {
    const other = await registerClient(test.db)
    expectRejected(await send(other.apiKey))
  })

  it('returns 401 once the key is revoked, while other keys remain valid', async () => {
    const keys = `/admin/v1/clients/${test.client.clientId}/api-keys`
    const { keyId, apiKey } = (await test.call({ method: 'POST', url: keys, body: { name: 'Second' } })).body
    assert.equal((await send(apiKey)).status, 200)
    assert.equal((await test.call({ method: 'DELETE', url: `${keys}/${keyId}` })).status, 204)
    expectRejected(await send(apiKey))
    assert.equal((await send(test.client.apiKey)).status, 200)
  })

  it('needs the scope too', async () => {
    expectProblem(await send(test.client.apiKey, ['cases:read']), { status: 403, code: 'insufficient-scope' })
  })
})

describe('wrong API keys', () => {
  it('get 429 after ten of a client and address, and do not lock out the right one', async () => {
    const { app } = await createSmallApp(test)
    const authorization = `Bearer ${await test.token(['cases:write'])}`
    const send = async (key: string, remoteAddress = '192.0.2.1') => {
      const headers = { authorization, 'x-api-key': key }
      const response = await app.inject({ url: '/guarded', headers, remoteAddress })
      return { status: response.statusCode, headers: response.headers, body: response.json() }
    }
    for (let n = 0; n < 10; n++)
      expectProblem(await send(`wrong-${n}`), { status: 401, code: 'api-key-required' })
    const blocked = await send('wrong')
    expectProblem(blocked, { status: 429, code: 'too-many-requests' })
    assert.equal(blocked.headers['retry-after'], '300')
    assert.equal((await send(test.client.apiKey)).status, 200)
    expectProblem(await send('wrong', '192.0.2.2'), { status: 401, code: 'api-key-required' })
  })

  it('do not include requests without a key', async () => {
    const { app } = await createSmallApp(test)
    const headers = { authorization: `Bearer ${await test.token(['cases:write'])}` }
    for (let n = 0; n < 12; n++)
      assert.equal((await app.inject({ url: '/guarded', headers })).statusCode, 401)
  })
})
