import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ALL_SCOPES, type Scope } from '../../src/lib/scopes.ts'
import { expectProblem, fieldErrorsOf } from '../support/expect-problem.ts'
import { createTestApp } from '../support/harness.ts'

const test = await createTestApp()
const path = '/admin/v1/clients'
const NO_ACCESS = ALL_SCOPES.filter(scope => scope !== 'admin' && scope !== 'access:write')

const create = async (body: object = {}) => {
  const response = await test.call({
    method: 'POST',
    url: path,
    body: { name: 'Nightly feed', scopes: ['cases:read'], ...body },
  })
  assert.equal(response.status, 201, response.text)
  return response.body as { clientId: string; clientSecret: string }
}

const act = (clientId: string, action: string, body?: object) =>
  test.call({
    method: 'POST',
    url: `${path}/${encodeURIComponent(clientId)}/${action}`,
    ...(body && { body }),
  })

const read = async (clientId: string) => (await test.call({ url: `${path}/${clientId}` })).body

async function tokenOf(
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  scope?: Scope,
) {
  const response = await test.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope && { scope }),
    }).toString(),
  })
  assert.equal(response.statusCode, 200, response.body)
  return response.json().access_token as string
}

const use = async (token: string, app = test.app) => {
  const headers = { authorization: `Bearer ${token}` }
  return (await app.inject({ url: '/v2/case/health', headers })).statusCode
}

/** Requests without a token, and without the scope, are rejected. */
function requiresAccess(method: 'GET' | 'POST' | 'DELETE', url: string, body?: object): void {
  it('responds with 401 without a token', async () => {
    const response = await test.call({ method, url, body, scopes: null })
    expectProblem(response, { status: 401, code: 'token-required' })
  })

  it('responds with 403 without the scope access:write', async () => {
    const response = await test.call({ method, url, body, scopes: NO_ACCESS })
    expectProblem(response, { status: 403, code: 'insufficient-scope' })
  })
}

/** The response to an unknown client id. */
function respondsNotFound(method: 'GET' | 'POST', url: string, body?: object): void {
  it('responds with 404 for an unknown client', async () => {
    const response = await test.call({ method, url: url.replace(':clientId', 'missing'), body })
    expectProblem(response, { status: 404, code: 'client-not-found' })
  })
}

describe('POST /admin/v1/clients', () => {
  requiresAccess('POST', path, { name: 'x', scopes: ['admin'] })

  it('creates a client with an id and a secret, and returns its location', async () => {
    const { status, headers, body } = await test.call({
      method: 'POST',
      url: path,
      body: { name: 'Nightly HR feed', scopes: ['applicants:read', 'cases:read'] },
    })
    assert.equal(status, 201)
    const { clientId, clientSecret, createdAt, updatedAt, ...rest } = body
    assert.deepEqual(rest, {
      name: 'Nightly HR feed',
      scopes: ['applicants:read', 'cases:read'],
      companies: null,
      apiKeys: [],
      disabledAt: null,
    })
    assert.match(clientId, /^[\w-]{23}$/)
    assert.match(clientSecret, /^[\w-]{43}$/)
    assert.equal(createdAt, updatedAt)
    assert.equal(createdAt, new Date(createdAt).toISOString())
    assert.equal(headers['location'], `${path}/${clientId}`)
  })

  it('generates a new id and a new secret each time', async () => {
    const [one, two] = [await create(), await create()]
    assert.notEqual(one.clientId, two.clientId)
    assert.notEqual(one.clientSecret, two.clientSecret)
  })

  it('accepts an id chosen by the caller, also one that needs escaping in a path', async () => {
    for (const clientId of ['from-elsewhere', 'https//login.example/a?b=c%20#d', 'x'.repeat(128), '!']) {
      const response = await test.call({
        method: 'POST',
        url: path,
        body: { name: 'x', scopes: ['admin'], clientId },
      })
      assert.equal(response.status, 201, clientId)
      assert.equal(response.body.clientId, clientId)
      const location = String(response.headers['location'])
      assert.equal((await test.call({ url: location })).body.clientId, clientId)
    }
  })

  it('rejects an id that exists', async () => {
    const { clientId } = await create()
    const response = await test.call({
      method: 'POST',
      url: path,
      body: { name: 'x', scopes: ['admin'], clientId },
    })
    expectProblem(response, { status: 409, code: 'client-id-in-use' })
    assert.equal((await read(clientId)).name, 'Nightly feed')
  })

  it('creates one client for concurrent requests with the same id', async () => {
    const body = { name: 'x', scopes: ['admin'], clientId: 'contended' }
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => test.call({ method: 'POST', url: path, body })),
    )
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
  })

  it('lists the invalid fields', async () => {
    const cases: [object, string[]][] = [
      [{}, ['/name', '/scopes']],
      [{ name: '', scopes: [] }, ['/name', '/scopes']],
      [{ name: 'x'.repeat(201), scopes: 'admin' }, ['/name', '/scopes']],
      [{ name: 5, scopes: ['admin', 'admin'] }, ['/name', '/scopes']],
      [{ name: 'x', scopes: ['nonsense'] }, ['/scopes/0']],
      [{ name: 'x', scopes: ['admin'], clientId: 'a:b' }, ['/clientId']],
      [{ name: 'x', scopes: ['admin'], clientId: 'a b' }, ['/clientId']],
      [{ name: 'x', scopes: ['admin'], clientId: '' }, ['/clientId']],
      [{ name: 'x', scopes: ['admin'], clientId: 'é' }, ['/clientId']],
      [{ name: 'x', scopes: ['admin'], clientId: 'x'.repeat(129) }, ['/clientId']],
      [{ name: 'x', scopes: ['admin'], clientSecret: 'mine' }, ['/clientSecret']],
    ]
    for (const [body, pointers] of cases) {
      const response = await test.call({ method: 'POST', url: path, body })
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.deepEqual(Object.keys(fieldErrorsOf(response)).sort(), pointers, JSON.stringify(body))
    }
  })

  it('stores only a hash of the secret', async () => {
    const { clientId, clientSecret } = await create()
    const [row] = await test.db.sql`select * from clients where client_id = ${clientId}`
    assert.match(row?.['secret_hash'], /^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    assert.ok(!JSON.stringify(row).includes(clientSecret))
  })
})

describe('GET /admin/v1/clients', () => {
  requiresAccess('GET', path)

  it('lists every client, disabled ones too, without secrets and keys', async () => {
    const made = await create({ name: 'Listed' })
    const key = (await act(made.clientId, 'api-keys', { name: 'Key' })).body
    await act(made.clientId, 'disable')
    const { status, body, text } = await test.call({ url: path })
    assert.equal(status, 200)
    const listed = body.find((client: { clientId: string }) => client.clientId === made.clientId)
    assert.equal(listed.name, 'Listed')
    assert.ok(listed.disabledAt)
    assert.equal(listed.apiKeys[0].keyId, key.keyId)
    const members = 'apiKeys,clientId,companies,createdAt,disabledAt,name,scopes,updatedAt'
    for (const client of body) assert.equal(Object.keys(client).sort().join(), members)
    for (const secret of [made.clientSecret, key.apiKey, 'scrypt']) assert.ok(!text.includes(secret))
  })

  it('lists them in the order of creation', async () => {
    const names = ['first', 'second', 'third']
    for (const name of names) await create({ name: `order ${name}` })
    const { body } = await test.call({ url: path })
    const listed = body.map((client: { name: string }) => client.name)
    assert.deepEqual(
      listed.filter((name: string) => name.startsWith('order ')),
      names.map(name => `order ${name}`),
    )
  })

  it('rejects an unknown query parameter', async () => {
    const response = await test.call({ url: `${path}?limit=5` })
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.deepEqual(Object.keys(fieldErrorsOf(response)), ['/limit'])
  })
})

describe('GET /admin/v1/clients/{clientId}', () => {
  requiresAccess('GET', `${path}/test-client-1`)
  respondsNotFound('GET', `${path}/:clientId`)

  it('reads a client without its secret', async () => {
    const { clientSecret, ...made } = await create()
    const { status, body, text } = await test.call({ url: `${path}/${made.clientId}` })
    assert.equal(status, 200)
    assert.deepEqual(body, made)
    assert.ok(!text.includes(clientSecret))
  })
})

describe('POST /admin/v1/clients/{clientId}/rotate-secret', () => {
  requiresAccess('POST', `${path}/test-client-1/rotate-secret`, {})
  respondsNotFound('POST', `${path}/:clientId/rotate-secret`, {})

  it('returns a new secret once', async () => {
    const made = await create()
    const { status, body } = await act(made.clientId, 'rotate-secret', {})
    assert.equal(status, 200)
    assert.match(body.clientSecret, /^[\w-]{43}$/)
    assert.notEqual(body.clientSecret, made.clientSecret)
    assert.equal((await read(made.clientId)).clientSecret, undefined)
    const [row] = await test.db.sql`select * from clients where client_id = ${made.clientId}`
    assert.ok(!JSON.stringify(row).includes(body.clientSecret))
    assert.equal(row?.['previous_secret_hash'], null)
  })

  it('leaves issued tokens valid', async () => {
    const made = await create()
    const token = await tokenOf(made)
    await act(made.clientId, 'rotate-secret', {})
    assert.equal(await use(token), 200)
  })

  it('rejects a grace period that is not a number of seconds up to a week', async () => {
    const { clientId } = await create()
    for (const graceSeconds of [-1, 604_801, 1.5, '60', null]) {
      const response = await act(clientId, 'rotate-secret', { graceSeconds })
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.deepEqual(Object.keys(fieldErrorsOf(response)), ['/graceSeconds'])
    }
    assert.equal((await act(clientId, 'rotate-secret', { graceSeconds: 604_800 })).status, 200)
  })
})

describe('POST /admin/v1/clients/{clientId}/disable', () => {
  requiresAccess('POST', `${path}/test-client-1/disable`)
  respondsNotFound('POST', `${path}/:clientId/disable`)

  it('rejects the tokens of the client at once, and no others', async () => {
    const [one, two] = [await create(), await create()]
    const [first, second] = [await tokenOf(one), await tokenOf(two)]
    assert.equal(await use(first), 200)
    const { status, body } = await act(one.clientId, 'disable')
    assert.equal(status, 200)
    assert.ok(Math.abs(Date.parse(body.disabledAt) - Date.now()) < 60_000)
    assert.equal(await use(first), 401)
    assert.equal(await use(second), 200)
  })

  it('also rejects a token that was not used before', async () => {
    const made = await create()
    const token = await tokenOf(made)
    await act(made.clientId, 'disable')
    assert.equal(await use(token), 401)
  })

  it('keeps the time at which the client was first disabled', async () => {
    const { clientId } = await create()
    const first = (await act(clientId, 'disable')).body.disabledAt
    assert.equal((await act(clientId, 'disable')).body.disabledAt, first)
  })

  it('reaches another service on the same database, which checks every five seconds', async () => {
    // Shortens only the interval of five seconds.
    const { setTimeout: real } = globalThis
    const patched = mock.method(globalThis, 'setTimeout', (work: () => void, delay?: number) =>
      real(work, delay === 5_000 ? 20 : delay),
    )
    const { app } = await createTestApp({ db: test.appDb })
    const made = await create()
    const token = await tokenOf(made)
    assert.equal(await use(token, app), 200)
    const becomes = async (status: number) => {
      for (let attempt = 0; (await use(token, app)) !== status; attempt++) {
        assert.ok(attempt < 200, `never became ${status}`)
        await sleep(20)
      }
    }
    await act(made.clientId, 'disable')
    await becomes(401)
    await act(made.clientId, 'enable')
    await becomes(200)
    assert.ok(patched.mock.calls.some(call => call.arguments[1] === 5_000))
    patched.mock.restore()
  })

  it('applies to a service that starts afterwards', async () => {
    const made = await create()
    const token = await tokenOf(made)
    await act(made.clientId, 'disable')
    const { app } = await createTestApp({ db: test.appDb })
    assert.equal(await use(token, app), 401)
  })
})

describe('POST /admin/v1/clients/{clientId}/enable', () => {
  requiresAccess('POST', `${path}/test-client-1/enable`)
  respondsNotFound('POST', `${path}/:clientId/enable`)

  it('makes the tokens of a disabled client valid again', async () => {
    const made = await create()
    const token = await tokenOf(made)
    await act(made.clientId, 'disable')
    assert.equal(await use(token), 401)
    const { status, body } = await act(made.clientId, 'enable')
    assert.equal(status, 200)
    assert.equal(body.disabledAt, null)
    assert.equal(await use(token), 200)
    assert.equal(await use(await tokenOf(made)), 200)
  })

  it('is a no-op for an enabled client', async () => {
    const { clientId } = await create()
    const { status, body } = await act(clientId, 'enable')
    assert.equal(status, 200)
    assert.equal(body.disabledAt, null)
  })
})

describe('POST /admin/v1/clients/{clientId}/api-keys', () => {
  requiresAccess('POST', `${path}/test-client-1/api-keys`, { name: 'x' })
  respondsNotFound('POST', `${path}/:clientId/api-keys`, { name: 'x' })

  it('creates a key, returns it once and stores only its hash', async () => {
    const { clientId } = await create()
    const { status, headers, body } = await act(clientId, 'api-keys', { name: 'Renumbering' })
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(body).sort(), ['apiKey', 'keyId', 'name'])
    assert.match(body.apiKey, /^[\w-]{43}$/)
    assert.equal(headers['location'], `${path}/${clientId}`)
    const client = await read(clientId)
    assert.equal(client.apiKeys.length, 1)
    const { createdAt, ...key } = client.apiKeys[0]
    assert.deepEqual(key, { keyId: body.keyId, name: 'Renumbering', revokedAt: null })
    assert.equal(createdAt, new Date(createdAt).toISOString())
    assert.ok(!JSON.stringify(client).includes(body.apiKey))
    const [row] = await test.db.sql`select * from api_keys where key_id = ${body.keyId}`
    assert.equal(row?.['key_hash'].length, 32)
    assert.ok(!JSON.stringify({ ...row, key_hash: row?.['key_hash'].toString() }).includes(body.apiKey))
  })

  it('rejects a key without a name', async () => {
    const { clientId } = await create()
    for (const body of [{}, { name: '' }, { name: 'x'.repeat(201) }, { name: null }]) {
      const response = await act(clientId, 'api-keys', body)
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.deepEqual(Object.keys(fieldErrorsOf(response)), ['/name'])
    }
  })
})

describe('DELETE /admin/v1/clients/{clientId}/api-keys/{keyId}', () => {
  requiresAccess('DELETE', `${path}/test-client-1/api-keys/x`)

  const revoke = (clientId: string, keyId: string) =>
    test.call({ method: 'DELETE', url: `${path}/${clientId}/api-keys/${encodeURIComponent(keyId)}` })

  it('revokes the key, which stays in the list', async () => {
    const { clientId } = await create()
    const { keyId } = (await act(clientId, 'api-keys', { name: 'One' })).body
    const { keyId: kept } = (await act(clientId, 'api-keys', { name: 'Two' })).body
    const { status, text } = await revoke(clientId, keyId)
    assert.equal(status, 204)
    assert.equal(text, '')
    const { apiKeys } = await read(clientId)
    const revoked = Object.fromEntries(
      apiKeys.map((key: { keyId: string; revokedAt: string | null }) => [key.keyId, key.revokedAt]),
    )
    assert.ok(Math.abs(Date.parse(revoked[keyId]) - Date.now()) < 60_000)
    assert.equal(revoked[kept], null)
  })

  it('responds with 404 for an unknown key, a key of another client and a revoked key', async () => {
    const [one, two] = [await create(), await create()]
    const { keyId } = (await act(one.clientId, 'api-keys', { name: 'One' })).body
    const notFound = { status: 404, code: 'api-key-not-found' }
    expectProblem(await revoke(one.clientId, 'nothing'), notFound)
    expectProblem(await revoke(two.clientId, keyId), notFound)
    expectProblem(await revoke('missing', keyId), notFound)
    assert.equal((await revoke(one.clientId, keyId)).status, 204)
    expectProblem(await revoke(one.clientId, keyId), notFound)
  })
})
