import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { ensureConfigured } from '../../src/auth/bootstrap.ts'
import { readConfig } from '../../src/config.ts'
import type { TrustProxy } from '../../src/http/forwarded.ts'
import { ALL_SCOPES } from '../../src/lib/scopes.ts'
import { createTestApp, registerClient, testClock } from '../support/harness.ts'
import { createSmallApp, type SmallApp } from '../support/small-app.ts'

const test = await createTestApp()
const { clientId, clientSecret } = test.client

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
const grant = { grant_type: 'client_credentials' }

interface TokenRequest {
  form?: Record<string, string> | string
  authorization?: string
  contentType?: string
  address?: string
}

async function requestToken(
  { form, authorization, contentType, address = '192.0.2.1' }: TokenRequest,
  { app }: Pick<SmallApp, 'app'> = test,
) {
  const payload = typeof form === 'object' ? new URLSearchParams(form).toString() : form
  const type = contentType ?? (payload === undefined ? undefined : 'application/x-www-form-urlencoded')
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    remoteAddress: address,
    headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
    ...(payload !== undefined && { payload }),
  })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}
type TokenResponse = Awaited<ReturnType<typeof requestToken>>

const requestTokenAs = (
  id: string,
  secret: string,
  rest: { address?: string } = {},
  app: Pick<SmallApp, 'app'> = test,
) => requestToken({ form: { ...grant, client_id: id, client_secret: secret }, ...rest }, app)

/** Errors have the format of RFC 6749, section 5.2. */
function expectError(response: TokenResponse, { status, error }: { status: number; error: string }): void {
  assert.equal(response.status, status, JSON.stringify(response.body))
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.deepEqual(Object.keys(response.body), ['error', 'error_description'])
  assert.equal(response.body.error, error)
  assert.match(response.body.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  assert.equal(response.headers['www-authenticate'], status === 401 ? 'Basic realm="caseport"' : undefined)
}

function expectToken({ status, body }: TokenResponse): void {
  assert.equal(status, 200, JSON.stringify(body))
  assert.match(body.access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
}

describe('POST /oauth/token', () => {
  it('issues a token for credentials in the form', async () => {
    const response = await requestTokenAs(clientId, clientSecret)
    expectToken(response)
    const { access_token, ...rest } = response.body
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: ALL_SCOPES.join(' ') })
    assert.equal(decodeJwt(access_token)['client_id'], clientId)
  })

  it('issues a token for credentials by HTTP Basic, whatever the case of the scheme', async () => {
    for (const scheme of ['Basic', 'basic', 'BASIC'])
      expectToken(
        await requestToken({
          form: grant,
          authorization: basic(clientId, clientSecret).replace('Basic', scheme),
        }),
      )
  })

  it('forbids caching the response', async () => {
    const { headers } = await requestTokenAs(clientId, clientSecret)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['pragma'], 'no-cache')
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  })

  it('returns the lifetime of the token, which TOKEN_TTL sets', async () => {
    const app = await createSmallApp({ ...test, tokenTtl: 60 })
    const { body } = await requestTokenAs(clientId, clientSecret, {}, app)
    assert.equal(body.expires_in, 60)
    const { exp = 0, iat = 0 } = decodeJwt(body.access_token)
    assert.equal(exp - iat, 60)
  })

  it('accepts a secret with %, +, & and a colon by HTTP Basic, unencoded and form-encoded, and in the form', async () => {
    for (const [index, secret] of ['50%+off', 'a b', 'x:y&z=%41 ☃'].entries()) {
      const id = `odd secret/${index}+%41`
      await ensureConfigured(test.db, { clientId: id, clientSecret: secret, apiKey: undefined })
      const encode = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)
      const plain = await requestToken({ form: grant, authorization: basic(id, secret) })
      expectToken(plain)
      const encoded = await requestToken({ form: grant, authorization: basic(encode(id), encode(secret)) })
      expectToken(encoded)
      const percent = basic(encodeURIComponent(id), encodeURIComponent(secret))
      expectToken(await requestToken({ form: grant, authorization: percent }))
      expectToken(await requestTokenAs(id, secret))
      for (const { body } of [plain, encoded]) assert.equal(decodeJwt(body.access_token)['client_id'], id)
    }
  })

  it('rejects credentials by HTTP Basic and in the form at once', async () => {
    const response = await requestToken({
      form: { ...grant, client_id: clientId, client_secret: clientSecret },
      authorization: basic(clientId, clientSecret),
    })
    expectError(response, { status: 400, error: 'invalid_request' })
  })

  it('accepts client_id in the form together with HTTP Basic', async () => {
    const form = { ...grant, client_id: clientId }
    expectToken(await requestToken({ form, authorization: basic(clientId, clientSecret) }))
  })

  it('rejects a request without credentials, or with half of them', async () => {
    const forms = [grant, { ...grant, client_id: clientId }, { ...grant, client_secret: clientSecret }]
    for (const form of forms)
      expectError(await requestToken({ form }), { status: 401, error: 'invalid_client' })
  })

  it('rejects an Authorization header that is not HTTP Basic with both parts', async () => {
    const encode = (text: string) => Buffer.from(text).toString('base64')
    for (const authorization of [
      'Basic',
      'Basic ',
      'Basic ???',
      'Bearer abc',
      `Basic ${encode('no-colon')}`,
      `Basic ${encode(':secret')}`,
      `Basic ${encode(`${clientId}:`)}`,
      encode(`${clientId}:${clientSecret}`),
    ])
      expectError(await requestToken({ form: grant, authorization }), {
        status: 401,
        error: 'invalid_client',
      })
  })

  it('rejects a wrong secret and an unknown client with the same response', async () => {
    const wrong = await requestTokenAs(clientId, 'wrong')
    const unknown = await requestTokenAs('unknown', clientSecret)
    expectError(wrong, { status: 401, error: 'invalid_client' })
    expectError(unknown, { status: 401, error: 'invalid_client' })
    assert.deepEqual(wrong.body, unknown.body)
  })

  it('rejects credentials with NUL or invalid UTF-8 as wrong ones', async () => {
    expectError(await requestTokenAs('nul\0', 'x'), { status: 401, error: 'invalid_client' })
    expectError(await requestTokenAs(clientId, 'x\0'), { status: 401, error: 'invalid_client' })
    const authorization = basic('nul\0', 'x%00')
    expectError(await requestToken({ form: grant, authorization }), { status: 401, error: 'invalid_client' })
    const bytes = Buffer.from([0xff, 0xfe, 0x3a, 0xff]).toString('base64')
    const response = await requestToken({ form: grant, authorization: `Basic ${bytes}` })
    expectError(response, { status: 401, error: 'invalid_client' })
  })

  it('rejects a missing grant_type, and any other than client_credentials', async () => {
    const authorization = basic(clientId, clientSecret)
    for (const form of ['', 'grant_type=', 'scope=admin'])
      expectError(await requestToken({ form, authorization }), { status: 400, error: 'invalid_request' })
    for (const type of ['password', 'authorization_code', 'refresh_token', 'Client_Credentials', 'x'])
      expectError(await requestToken({ form: { grant_type: type }, authorization }), {
        status: 400,
        error: 'unsupported_grant_type',
      })
  })

  it('rejects a duplicate parameter', async () => {
    const authorization = basic(clientId, clientSecret)
    const both = 'grant_type=client_credentials'
    for (const form of [
      `${both}&${both}`,
      `${both}&scope=admin&scope=cases:read`,
      `${both}&whatever=1&whatever=2`,
    ])
      expectError(await requestToken({ form, authorization }), { status: 400, error: 'invalid_request' })
  })

  it('ignores unknown parameters', async () => {
    const form = { ...grant, resource: 'https://example.com', audience: 'x' }
    expectToken(await requestToken({ form, authorization: basic(clientId, clientSecret) }))
  })

  it('narrows the scopes to the requested ones, each once', async () => {
    const authorization = basic(clientId, clientSecret)
    const response = await requestToken({
      form: { ...grant, scope: 'cases:read  admin cases:read' },
      authorization,
    })
    expectToken(response)
    assert.equal(response.body.scope, 'cases:read admin')
    assert.equal(decodeJwt(response.body.access_token)['scope'], 'cases:read admin')
    const empty = await requestToken({ form: { ...grant, scope: '' }, authorization })
    assert.equal(empty.body.scope, ALL_SCOPES.join(' '))
  })

  it('rejects a scope that does not exist, or that the client does not have', async () => {
    const authorization = basic(clientId, clientSecret)
    for (const scope of ['everything', 'cases:read everything', 'toString', 'CASES:READ'])
      expectError(await requestToken({ form: { ...grant, scope }, authorization }), {
        status: 400,
        error: 'invalid_scope',
      })
    const { body: limited } = await test.call({
      method: 'POST',
      url: '/admin/v1/clients',
      body: { name: 'Reader', scopes: ['cases:read'] },
    })
    const asLimited = basic(limited.clientId, limited.clientSecret)
    const response = await requestToken({
      form: { ...grant, scope: 'cases:read cases:write' },
      authorization: asLimited,
    })
    expectError(response, { status: 400, error: 'invalid_scope' })
    const all = await requestToken({ form: grant, authorization: asLimited })
    assert.equal(all.body.scope, 'cases:read')
  })

  it('rejects a body that is not a form', async () => {
    const authorization = basic(clientId, clientSecret)
    const body = JSON.stringify({ ...grant, client_id: clientId, client_secret: clientSecret })
    for (const contentType of ['application/json', 'text/plain', 'multipart/form-data', 'nonsense'])
      expectError(await requestToken({ form: body, contentType, authorization }), {
        status: 400,
        error: 'invalid_request',
      })
  })

  it('rejects a request without a body', async () => {
    const authorization = basic(clientId, clientSecret)
    expectError(await requestToken({ authorization }), { status: 400, error: 'invalid_request' })
    expectError(await requestToken({}), { status: 401, error: 'invalid_client' })
  })

  it('rejects a form of more than 16 KiB', async () => {
    const form = { ...grant, padding: 'x'.repeat(16_384) }
    const response = await requestToken({ form, authorization: basic(clientId, clientSecret) })
    expectError(response, { status: 413, error: 'invalid_request' })
  })

  it('rejects a form of more than 20 parameters before it parses them', async () => {
    const authorization = basic(clientId, clientSecret)
    const more = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`).join('&')
    const tooMany = await requestToken({ form: `grant_type=client_credentials&${more(20)}`, authorization })
    expectError(tooMany, { status: 400, error: 'invalid_request' })
    assert.match(tooMany.body.error_description, /at most 20 parameters/)
    expectToken(await requestToken({ form: `grant_type=client_credentials&${more(19)}`, authorization }))
    const hostile = more(2_700)
    const began = process.cpuUsage()
    for (let n = 0; n < 24; n++)
      expectError(await requestToken({ form: hostile }), { status: 400, error: 'invalid_request' })
    const { user, system } = process.cpuUsage(began)
    assert.ok(user + system < 500_000, `24 requests took ${(user + system) / 1_000} ms`)
  })

  it('rejects a disabled client, and issues a token once it is enabled again', async () => {
    const other = await registerClient(test.db)
    const change = (action: string) =>
      test.call({ method: 'POST', url: `/admin/v1/clients/${other.clientId}/${action}` })
    assert.equal((await change('disable')).status, 200)
    expectError(await requestTokenAs(other.clientId, other.clientSecret), {
      status: 401,
      error: 'invalid_client',
    })
    assert.equal((await change('enable')).status, 200)
    expectToken(await requestTokenAs(other.clientId, other.clientSecret))
  })
})

describe('wrong secrets', () => {
  it('get 429 for a client id and address after ten, and for no other address, for five minutes', async () => {
    const clock = testClock()
    const app = await createSmallApp({ db: test.db, clock })
    const attacked = await registerClient(test.db)
    const address = '198.51.100.7'
    for (let attempt = 1; attempt <= 10; attempt++)
      expectError(await requestTokenAs(attacked.clientId, 'wrong', { address }, app), {
        status: 401,
        error: 'invalid_client',
      })
    clock.advance(60)
    const response = await requestTokenAs(attacked.clientId, 'wrong', { address }, app)
    expectError(response, { status: 429, error: 'too_many_requests' })
    assert.equal(response.headers['retry-after'], '240')
    expectToken(await requestTokenAs(clientId, clientSecret, { address }, app))
    const elsewhere = { address: '198.51.100.8' }
    expectToken(await requestTokenAs(attacked.clientId, attacked.clientSecret, elsewhere, app))
    expectError(await requestTokenAs(attacked.clientId, 'wrong', elsewhere, app), {
      status: 401,
      error: 'invalid_client',
    })
    clock.advance(240)
    expectError(await requestTokenAs(attacked.clientId, 'wrong', { address }, app), {
      status: 401,
      error: 'invalid_client',
    })
  })

  it('do not lock out the right secret, also where all callers share the address of a proxy', async () => {
    const clock = testClock()
    const app = await createSmallApp({ db: test.db, clock })
    const attacked = await registerClient(test.db)
    for (let attempt = 1; attempt <= 15; attempt++)
      await requestTokenAs(attacked.clientId, `guess-${attempt}`, {}, app)
    // No secret is compared for an id that cannot exist, which makes a hundred requests cheap.
    for (let attempt = 1; attempt <= 100; attempt++) await requestTokenAs(`x-${attempt}\0`, 'wrong', {}, app)
    expectToken(await requestTokenAs(attacked.clientId, attacked.clientSecret, {}, app))
    expectToken(await requestTokenAs(clientId, clientSecret, {}, app))
    expectError(await requestTokenAs(attacked.clientId, 'wrong', {}, app), {
      status: 429,
      error: 'too_many_requests',
    })
  })

  it('share one limit, however the client id is percent-encoded', async () => {
    const clock = testClock()
    const app = await createSmallApp({ db: test.db, clock })
    const { clientId: id } = await registerClient(test.db)
    const encode = (text: string, at: number) => {
      const code = text.charCodeAt(at).toString(16)
      return `${text.slice(0, at)}%${at % 2 ? code : code.toUpperCase()}${text.slice(at + 1)}`
    }
    const spellings = Array.from({ length: 8 }, (_, at) => encode(id, at))
    const guess = (spelling: string) =>
      requestToken({ form: grant, authorization: basic(spelling, 'wrong') }, app)
    for (const spelling of [id, ...spellings, encodeURIComponent(encode(id, 2))])
      expectError(await guess(spelling), { status: 401, error: 'invalid_client' })
    for (const spelling of [id, encode(id, 9)])
      expectError(await guess(spelling), { status: 429, error: 'too_many_requests' })
    expectError(await requestTokenAs(id, 'wrong', {}, app), { status: 429, error: 'too_many_requests' })
  })

  it('do not include requests with the correct secret', async () => {
    const clock = testClock()
    const app = await createSmallApp({ db: test.db, clock })
    for (let attempt = 1; attempt <= 12; attempt++)
      expectToken(await requestTokenAs(clientId, clientSecret, {}, app))
  })

  it('sent concurrently are checked at most ten times', async () => {
    const clock = testClock()
    const app = await createSmallApp({ db: test.db, clock })
    const attacked = await registerClient(test.db)
    const secrets = [...Array.from({ length: 25 }, (_, n) => `guess-${n}`), attacked.clientSecret]
    const responses = await Promise.all(
      secrets.map(secret => requestTokenAs(attacked.clientId, secret, {}, app)),
    )
    const wrong = responses.filter(({ status }) => status === 401)
    assert.ok(wrong.length <= 10, `${wrong.length} guesses got a verdict`)
    assert.ok(responses.some(({ status }) => status === 429))
  })

  it('get 429 for an address after a hundred, whatever the client ids', async () => {
    const clock = testClock()
    const app = await createSmallApp({ db: test.db, clock })
    const address = '203.0.113.9'
    // No secret is compared for an id that cannot exist, which makes a hundred requests cheap.
    const guess = (n: number) => requestTokenAs(`guess-${n}\0`, 'wrong', { address }, app)
    for (let n = 0; n < 100; n++) expectError(await guess(n), { status: 401, error: 'invalid_client' })
    const response = await requestTokenAs(clientId, 'wrong', { address }, app)
    expectError(response, { status: 429, error: 'too_many_requests' })
    assert.equal(response.headers['retry-after'], '300')
    expectToken(await requestTokenAs(clientId, clientSecret, { address }, app))
    expectError(await requestTokenAs(clientId, 'wrong', { address: '203.0.113.10' }, app), {
      status: 401,
      error: 'invalid_client',
    })
  })
})

describe('the address that wrong secrets are counted for', () => {
  /** The response to a wrong secret of a second caller, after ten of a first one. */
  const afterTen = async (trustProxy: TrustProxy, [first, second]: [string, string]) => {
    const { app } = await createSmallApp({ ...test, trustProxy })
    const attacked = await registerClient(test.db)
    const from = async (forwarded: string) => {
      const response = await app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': forwarded },
        payload: new URLSearchParams({
          ...grant,
          client_id: attacked.clientId,
          client_secret: 'wrong',
        }).toString(),
      })
      return response.statusCode
    }
    for (let n = 0; n < 10; n++) assert.equal(await from(first), 401)
    return from(second)
  }

  it('is that of the connection, not of X-Forwarded-For', async () => {
    assert.equal(await afterTen(false, ['198.51.100.1', '198.51.100.2']), 429)
  })

  it('is that of X-Forwarded-For when TRUST_PROXY is on', async () => {
    assert.equal(await afterTen(1, ['198.51.100.1', '198.51.100.2']), 401)
  })

  it('is not what the client itself sent in X-Forwarded-For', async () => {
    for (const TRUST_PROXY of ['on', '127.0.0.0/8']) {
      const { trustProxy } = readConfig({ TRUST_PROXY })
      assert.equal(await afterTen(trustProxy, ['1.1.1.1, 198.51.100.1', '2.2.2.2, 198.51.100.1']), 429)
    }
  })
})

describe('a rotated secret', () => {
  const rotate = async (id: string, body: object) =>
    (await test.call({ method: 'POST', url: `/admin/v1/clients/${id}/rotate-secret`, body })).body
      .clientSecret

  it('works together with the old one during the grace period, and alone afterwards', async () => {
    const other = await registerClient(test.db)
    const secret = await rotate(other.clientId, { graceSeconds: 600 })
    expectToken(await requestTokenAs(other.clientId, secret))
    expectToken(await requestTokenAs(other.clientId, other.clientSecret))
    test.clock.advance(599)
    expectToken(await requestTokenAs(other.clientId, other.clientSecret))
    test.clock.advance(1)
    expectError(await requestTokenAs(other.clientId, other.clientSecret), {
      status: 401,
      error: 'invalid_client',
    })
    expectToken(await requestTokenAs(other.clientId, secret))
  })

  it('works alone at once without a grace period', async () => {
    const other = await registerClient(test.db)
    const secret = await rotate(other.clientId, {})
    expectError(await requestTokenAs(other.clientId, other.clientSecret), {
      status: 401,
      error: 'invalid_client',
    })
    expectToken(await requestTokenAs(other.clientId, secret))
  })

  it('rotated again without a grace period ends that of the previous secret', async () => {
    const other = await registerClient(test.db)
    const second = await rotate(other.clientId, { graceSeconds: 600 })
    const third = await rotate(other.clientId, { graceSeconds: 0 })
    for (const old of [other.clientSecret, second])
      expectError(await requestTokenAs(other.clientId, old), { status: 401, error: 'invalid_client' })
    expectToken(await requestTokenAs(other.clientId, third))
  })

  it('takes no longer to reject in its grace period than any other', async () => {
    const [rotated, other] = [await registerClient(test.db), await registerClient(test.db)]
    await rotate(rotated.clientId, { graceSeconds: 600 })
    const app = await createSmallApp({ db: test.db, clock: test.clock })
    /** CPU time of four wrong secrets. */
    const cost = async (id: string, address: string) => {
      const began = process.cpuUsage()
      for (let n = 0; n < 4; n++) await requestTokenAs(id, 'wrong', { address }, app)
      const { user, system } = process.cpuUsage(began)
      return user + system
    }
    await cost(other.clientId, '192.0.2.50')
    const ratios: number[] = []
    for (let round = 0; round < 3; round++) {
      const address = `192.0.2.${60 + round}`
      ratios.push((await cost(rotated.clientId, address)) / (await cost(other.clientId, address)))
    }
    assert.ok(Math.min(...ratios) < 1.5, `ratios ${ratios.join(', ')}`)
  })

  it('is not replaced by another one in the settings', async () => {
    const other = await registerClient(test.db)
    const secret = await rotate(other.clientId, { graceSeconds: 600 })
    await ensureConfigured(test.db, { ...other, clientSecret: 'from-the-settings' })
    expectError(await requestTokenAs(other.clientId, 'from-the-settings'), {
      status: 401,
      error: 'invalid_client',
    })
    for (const valid of [secret, other.clientSecret]) expectToken(await requestTokenAs(other.clientId, valid))
  })
})
