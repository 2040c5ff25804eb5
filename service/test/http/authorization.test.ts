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
}

const routes = (): Route[] => {
  const { paths } = test.document() as {
    paths: Record<string, Record<string, { security: { oauth2?: Scope[] }[] }>>
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => ({
      method: method.toUpperCase() as Route['method'],
      url: path.replaceAll(/\{\w+\}/g, 'nobody'),
      name: `${method.toUpperCase()} ${path}`,
      scope: security[0]?.oauth2?.[0],
    })),
  )
}

describe('every operation', () => {
  it('needs a scope, but for those that are meant to be public', () => {
    const open = routes().filter(({ scope }) => scope === undefined)
    assert.deepEqual(open.map(({ name }) => name).sort(), [
      'GET /.well-known/jwks.json',
      'GET /.well-known/oauth-authorization-server',
      'GET /.well-known/oauth-protected-resource',
      'GET /docs',
      'GET /healthz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /readyz',
      'POST /oauth/token',
    ])
    const secured = routes().filter(({ scope }) => scope !== undefined)
    assert.ok(secured.length >= 11)
    for (const { scope } of secured) assert.ok(ALL_SCOPES.includes(scope as Scope))
  })

  for (const { method, url, name, scope } of routes()) {
    if (!scope) continue
    it(`${name} is closed without a token, and with a token of every other scope`, async () => {
      const without = await test.call({ method, url, scopes: null })
      expectProblem(without, { status: 401, code: 'token-required' })
      assert.equal(without.headers['www-authenticate'], 'Bearer realm="caseport"')

      const others = ALL_SCOPES.filter(other => other !== scope)
      const short = await test.call({ method, url, scopes: others })
      expectProblem(short, { status: 403, code: 'insufficient-scope' })
      assert.equal(short.headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${scope}"`)
      assert.ok(short.body.detail.includes(scope))

      const right = await test.call({
        method,
        url,
        scopes: [scope],
        headers: { 'x-api-key': test.client.apiKey },
      })
      assert.ok(right.status !== 401 && right.status !== 403, `${right.status} ${right.text}`)
    })
  }
})

describe('Authorization', () => {
  const send = (authorization: string) =>
    test.call({ url: '/v2/case/health', headers: { authorization }, scopes: null })

  it('takes the word Bearer in any case', async () => {
    const token = await test.token(['cases:read'])
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer '])
      assert.equal((await send(`${scheme} ${token}`)).status, 200)
  })

  it('of another scheme, or without a token, is refused', async () => {
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
      const answer = await send(header)
      expectProblem(answer, { status: 401, code: 'invalid-token' })
      assert.match(String(answer.headers['www-authenticate']), /^Bearer realm="caseport", error="invalid_/)
    }
  })

  it('is not taken from the query or the body', async () => {
    const token = await test.token()
    const inQuery = await test.call({ url: `/v2/case/health?access_token=${token}`, scopes: null })
    expectProblem(inQuery, { status: 401, code: 'token-required' })
  })

  it('is not looked at on a public route', async () => {
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
  it('without a scope keeps the application from being built', async () => {
    const { app } = await createSmallApp(test)
    assert.throws(() => app.get('/open', async () => ({})), /GET \/open declares no known scope/)
  })

  it('with a scope that does not exist keeps the application from being built', async () => {
    const { app } = await createSmallApp(test)
    for (const scope of ['cases:delete', '', 'toString', 'Public'])
      assert.throws(
        () => app.post('/typo', { scope: scope as Scope }, async () => ({})),
        /POST \/typo declares no known scope/,
      )
  })

  it('without a scope is found inside a plugin too', async () => {
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
  const expectRefused = (answer: Awaited<ReturnType<typeof send>>) => {
    expectProblem(answer, { status: 401, code: 'api-key-required' })
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="caseport"')
  }

  it('opens with a key of the same client', async () => {
    const { status, body } = await send(test.client.apiKey)
    assert.equal(status, 200)
    assert.equal(body.clientId, test.client.clientId)
  })

  it('opens a second time, with the token already known', async () => {
    assert.equal((await send(test.client.apiKey)).status, 200)
    expectRefused(await send())
  })

  it('stays closed without a key, or with a wrong one', async () => {
    for (const key of [undefined, '', 'wrong', `${test.client.apiKey}x`, test.client.apiKey.toUpperCase()])
      expectRefused(await send(key))
  })

  it('stays closed with a key of another client', async () => {
    const other = await registerClient(test.db)
    expectRefused(await send(other.apiKey))
  })

  it('closes once the key is revoked, while the other keys stay good', async () => {
    const keys = `/admin/v1/clients/${test.client.clientId}/api-keys`
    const { keyId, apiKey } = (await test.call({ method: 'POST', url: keys, body: { name: 'Second' } })).body
    assert.equal((await send(apiKey)).status, 200)
    assert.equal((await test.call({ method: 'DELETE', url: `${keys}/${keyId}` })).status, 204)
    expectRefused(await send(apiKey))
    assert.equal((await send(test.client.apiKey)).status, 200)
  })

  it('needs the scope all the same', async () => {
    expectProblem(await send(test.client.apiKey, ['cases:read']), { status: 403, code: 'insufficient-scope' })
  })
})
