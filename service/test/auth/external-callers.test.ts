// Callers with tokens of an external issuer: who they are, which of their tokens are accepted, and how they are blocked.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp, createTestDatabase, testClock } from '../support/harness.ts'
import { createPerson } from '../support/people.ts'
import { createSmallApp } from '../support/small-app.ts'

const AUDIENCE = 'caseport-api'
const DAY = 86_400
const db = await createTestDatabase()
const clock = testClock()
const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await exportJWK(publicKey)), kid: 'es-1', alg: 'ES256', use: 'sig' }

const server = createServer((request, response) => {
  const body = request.url === '/realm/keys' ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys` }
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(body))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}/realm`
/** How ids of callers of this issuer begin. */
const PREFIX = `oidc:127.0.0.1%3A${port}%2Frealm:`

const oidc = { issuer: url, audience: AUDIENCE }
const test = await createTestApp({ db, clock, config: { oidc } })
const small = await createSmallApp({ db, clock, oidc })
const nowSeconds = () => Math.floor(clock.now().getTime() / 1000)

interface Token {
  header?: object
  [claim: string]: unknown
}

function sign({ header = { typ: 'at+jwt' }, ...claims }: Token = {}): Promise<string> {
  const now = nowSeconds()
  const defaults = { iss: url, aud: AUDIENCE, sub: 'anna', client_id: 'desk', iat: now, exp: now + 600 }
  return new SignJWT({ ...defaults, scope: 'cases:read cases:write admin', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'es-1', ...header })
    .sign(privateKey)
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const statusOf = async (token: Token) => (await small.get('/cases', bearer(await sign(token)))).status
/** The id under which the caller is audited and limited. */
const callerOf = async (token: Token): Promise<string> =>
  (await small.get('/cases', bearer(await sign(token)))).body.clientId

describe('the caller of an external token', () => {
  it('is its issuer, subject and client, never a local client of that name', async () => {
    assert.equal(await callerOf({}), `${PREFIX}anna:desk`)
    assert.equal(await callerOf({ client_id: 'caseport' }), `${PREFIX}anna:caseport`)
    assert.equal(await callerOf({ client_id: undefined, azp: 'caseport' }), `${PREFIX}anna:caseport`)
    assert.equal(await callerOf({ sub: 'caseport', client_id: 'caseport' }), `${PREFIX}caseport`)
    assert.equal(await callerOf({ sub: 'caseport', client_id: undefined }), `${PREFIX}caseport`)
    assert.equal(await callerOf({ sub: undefined, client_id: 'caseport' }), `${PREFIX}:caseport`)
  })

  it('differs for two subjects of one client, and for two clients of one subject', async () => {
    const callers = await Promise.all([
      callerOf({ sub: 'anna', client_id: 'desk' }),
      callerOf({ sub: 'ben', client_id: 'desk' }),
      callerOf({ sub: 'anna', client_id: 'feed' }),
      callerOf({ sub: 'anna:desk', client_id: undefined }),
      callerOf({ sub: 'anna', client_id: undefined }),
      callerOf({ sub: undefined, client_id: 'anna' }),
      callerOf({ sub: 'a/b c%ü', client_id: undefined }),
    ])
    assert.equal(new Set(callers).size, callers.length, callers.join('\n'))
    assert.equal(callers.at(-1), `${PREFIX}a%2Fb%20c%25%C3%BC`)
  })

  it('cannot use the API key of a local client of that name', async () => {
    const { clientId, apiKey } = test.client
    const token = await sign({ sub: clientId, client_id: clientId })
    const response = await small.get('/guarded', { ...bearer(token), 'x-api-key': apiKey })
    expectProblem(response, { status: 401, code: 'api-key-required' })
  })

  it('is not a local client that is disabled, nor does it disable one', async () => {
    const body = { name: 'Namesake', scopes: ['cases:read'], clientId: 'namesake' }
    assert.equal((await test.call({ method: 'POST', url: '/admin/v1/clients', body })).status, 201)
    const token = await sign({ sub: 'namesake', client_id: 'namesake' })
    await test.call({ method: 'POST', url: '/admin/v1/clients/namesake/disable' })
    const response = await test.call({ url: '/v2/case/health', headers: bearer(token), scopes: null })
    assert.equal(response.status, 200)
  })

  it('is too long for an id, or no text, and is then rejected', async () => {
    for (const sub of ['x'.repeat(300), 5, {}, ['a']]) assert.equal(await statusOf({ sub }), 401)
    assert.equal(await statusOf({ client_id: 'x'.repeat(300) }), 401)
    assert.equal(await statusOf({ client_id: 5 }), 401)
    assert.equal(await statusOf({ sub: '', client_id: '' }), 401)
  })
})

describe('an external token', () => {
  it('is accepted as at+jwt, also in its long form, and as JWT or without a type', async () => {
    for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt', undefined])
      assert.equal(await statusOf({ header: { typ } }), 200, String(typ))
  })

  it('is rejected with any other type', async () => {
    for (const typ of ['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'id_token+jwt', 'application/jwt', '', 'x'])
      assert.equal(await statusOf({ header: { typ } }), 401, typ)
  })

  it('is rejected when it is an ID token or another kind of token, unless its type says access token', async () => {
    const others = [
      { nonce: 'n' },
      { at_hash: 'h' },
      { c_hash: 'h' },
      { s_hash: 'h' },
      { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
      { typ: 'ID' },
      { typ: 'Refresh' },
      { token_use: 'id' },
      { scope: undefined },
    ]
    for (const claims of others)
      for (const typ of ['JWT', undefined])
        assert.equal(await statusOf({ header: { typ }, ...claims }), 401, JSON.stringify(claims))
    assert.equal(await statusOf({ header: { typ: 'JWT' }, typ: 'Bearer', nonce: 'n' }), 200)
    assert.equal(await statusOf({ header: { typ: undefined }, token_use: 'access' }), 200)
    assert.equal(await statusOf({ typ: 'ID' }), 401)
    assert.equal(await statusOf({ token_use: 'id' }), 401)
  })

  it('is rejected when it lives longer than a day', async () => {
    const now = nowSeconds()
    assert.equal(await statusOf({ exp: now + DAY }), 200)
    assert.equal(await statusOf({ exp: now + DAY + 1 }), 401)
    assert.equal(await statusOf({ exp: now + 10 * 365 * DAY }), 401)
    // Almost over, but issued for ten years.
    assert.equal(await statusOf({ iat: now - 10 * 365 * DAY, exp: now + 60 }), 401)
    assert.equal(await statusOf({ iat: now - DAY + 60, exp: now + 60 }), 200)
  })

  it('is rejected without a time of issue, or with one in the future or after its end', async () => {
    const now = nowSeconds()
    assert.equal(await statusOf({ iat: undefined }), 401)
    assert.equal(await statusOf({ iat: '0' }), 401)
    assert.equal(await statusOf({ iat: now + 3_600, exp: now + 7_200 }), 401)
    assert.equal(await statusOf({ iat: now + 30, exp: now + 20 }), 401)
    // Clocks differ by seconds.
    assert.equal(await statusOf({ iat: now + 30 }), 200)
    assert.equal(await statusOf({ nbf: now + 3_600, exp: now + 7_200 }), 401)
  })
})

describe('an API key of an external caller', () => {
  it('belongs to a client with the id of the caller, which has no secret', async () => {
    const clientId = `${PREFIX}keyed:feed`
    const body = { name: 'Feed of the external issuer', scopes: ['cases:write'], clientId }
    const created = await test.call({ method: 'POST', url: '/admin/v1/clients', body })
    assert.deepEqual([created.status, created.body.clientSecret], [201, null])
    const path = `/admin/v1/clients/${encodeURIComponent(clientId)}`
    const { apiKey } = (
      await test.call({ method: 'POST', url: `${path}/api-keys`, body: { name: 'Renumbering' } })
    ).body
    const use = async (claims: Token) =>
      (await small.get('/guarded', { ...bearer(await sign(claims)), 'x-api-key': apiKey })).status
    assert.equal(await use({ sub: 'keyed', client_id: 'feed' }), 200)
    assert.equal(await use({ sub: 'keyed', client_id: 'other' }), 401)
    assert.equal(await use({ sub: 'other', client_id: 'feed' }), 401)
    const rotated = await test.call({ method: 'POST', url: `${path}/rotate-secret`, body: {} })
    expectProblem(rotated, { status: 409, code: 'external-client' })
  })

  it('gives no way to get a token here, with any secret', async () => {
    const clientId = `${PREFIX}keyed:feed`
    for (const secret of ['none', '', 'null']) {
      const response = await test.app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: secret,
        }).toString(),
      })
      assert.equal(response.statusCode, 401)
    }
  })

  it('is not given to an id of another issuer, or of a person', async () => {
    for (const clientId of ['oidc:other.example:anna', 'user:anna', 'oidc:', 'oidc:x', 'oidc:x:', 'a:b']) {
      const body = { name: 'x', scopes: ['cases:read'], clientId }
      const response = await test.call({ method: 'POST', url: '/admin/v1/clients', body })
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.equal(response.body.errors[0].pointer, '/clientId')
    }
  })
})

describe('an administrator who is limited to a company', () => {
  it('cannot create, change, disable or enable the client of an external caller', async () => {
    const { companyId } = (
      await test.call({
        method: 'POST',
        url: '/admin/v1/companies',
        body: { code: 'OUT', name: 'Outer GmbH' },
      })
    ).body
    const { visitor } = await createPerson(test, { roles: ['admin'], companies: [companyId] })
    const path = '/admin/v1/clients'
    const body = { name: 'Desk', scopes: ['desk:read'], companies: [companyId] }
    const make = (clientId: string) => ({ method: 'POST', url: path, body: { ...body, clientId } }) as const
    const expected = { status: 403, code: 'all-companies-required' }
    expectProblem(await visitor.call(make(`${PREFIX}:outer`)), expected)
    assert.equal(await statusOf({ sub: 'otto', client_id: 'outer' }), 200)

    // It sees the client that others have made and limited to its company.
    assert.equal((await test.call(make(`${PREFIX}:outer`))).status, 201)
    const one = `${path}/${encodeURIComponent(`${PREFIX}:outer`)}`
    assert.equal((await visitor.call({ url: one })).status, 200)
    expectProblem(await visitor.call({ method: 'PATCH', url: one, body: { name: 'Other' } }), expected)
    for (const verb of ['disable', 'enable'])
      expectProblem(await visitor.call({ method: 'POST', url: `${one}/${verb}` }), expected)
    assert.equal((await test.call({ method: 'POST', url: `${one}/disable` })).status, 200)
  })

  it('can do all of it with a local client', async () => {
    const { companyId } = (
      await test.call({
        method: 'POST',
        url: '/admin/v1/companies',
        body: { code: 'INN', name: 'Inner GmbH' },
      })
    ).body
    const { visitor } = await createPerson(test, { roles: ['admin'], companies: [companyId] })
    const path = '/admin/v1/clients'
    const body = { name: 'Desk', scopes: ['desk:read'], companies: [companyId], clientId: 'inner' }
    assert.equal((await visitor.call({ method: 'POST', url: path, body })).status, 201)
    const one = `${path}/inner`
    assert.equal((await visitor.call({ method: 'PATCH', url: one, body: { name: 'Other' } })).status, 200)
    for (const verb of ['disable', 'enable'])
      assert.equal((await visitor.call({ method: 'POST', url: `${one}/${verb}` })).status, 200)
  })
})

describe('POST /admin/v1/blocked-callers', () => {
  const use = async (claims: Token) =>
    (await test.call({ url: '/v2/case/health', headers: bearer(await sign(claims)), scopes: null })).status
  const block = (caller: string) =>
    test.call({ method: 'POST', url: '/admin/v1/blocked-callers', body: { caller, reason: 'Laptop lost' } })
  const unblock = (blockId: string) =>
    test.call({ method: 'DELETE', url: `/admin/v1/blocked-callers/${encodeURIComponent(blockId)}` })

  for (const [form, caller, blocked, free] of [
    [
      'one subject with one client',
      'eva:desk',
      [['eva', 'desk']],
      [
        ['eva', 'feed'],
        ['ben', 'desk'],
      ],
    ],
    [
      'a subject with all its clients',
      'eva',
      [
        ['eva', 'desk'],
        ['eva', 'feed'],
      ],
      [['ben', 'desk']],
    ],
    [
      'a client with all its subjects',
      ':desk',
      [
        ['eva', 'desk'],
        ['ben', 'desk'],
      ],
      [['eva', 'feed']],
    ],
  ] as const)
    it(`rejects the tokens of ${form} at once, those in use included, until it is unblocked`, async () => {
      const statuses = async (callers: readonly (readonly [string, string])[]) =>
        Promise.all(callers.map(([sub, client_id]) => use({ sub, client_id, jti: form })))
      assert.deepEqual(
        await statuses(blocked),
        blocked.map(() => 200),
      )
      const created = await block(PREFIX + caller)
      assert.equal(created.status, 201)
      assert.deepEqual(
        await statuses(blocked),
        blocked.map(() => 401),
      )
      assert.deepEqual(
        await statuses(free),
        free.map(() => 200),
      )
      const again = await block(PREFIX + caller)
      assert.deepEqual([again.status, again.body], [200, created.body])
      assert.equal((await unblock(created.body.blockId)).status, 204)
      assert.deepEqual(
        await statuses(blocked),
        blocked.map(() => 200),
      )
      expectProblem(await unblock(created.body.blockId), { status: 404, code: 'block-not-found' })
    })

  it('rejects an id that is not of the configured issuer', async () => {
    for (const caller of [
      'oidc:other.example:anna',
      'anna',
      PREFIX,
      `${PREFIX}a:b:c`,
      test.client.clientId,
    ]) {
      const response = await block(caller)
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.equal(response.body.errors[0].pointer, '/caller')
    }
  })

  it('is audited, and holds in another service within five seconds', async () => {
    const other = await createTestApp({ db, config: { oidc } })
    const onOther = async (token: string) =>
      (await other.call({ url: '/v2/case/health', headers: bearer(token), scopes: null })).status
    const token = await sign({ sub: 'elsewhere' })
    assert.equal(await onOther(token), 200)
    const began = performance.now()
    const { caller, blockId } = (await block(`${PREFIX}elsewhere`)).body
    while ((await onOther(token)) === 200 && performance.now() - began < 6_000)
      await new Promise(resolve => setTimeout(resolve, 100))
    assert.equal(await onOther(token), 401)
    await unblock(blockId)
    const rows = await db.sql`select action from audit where record_id = ${caller} order by seq`
    assert.deepEqual(
      rows.map(row => row['action']),
      ['caller.block', 'caller.unblock'],
    )
  })
})
