import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ensureConfigured } from '../../src/auth/bootstrap.ts'
import type { Database } from '../../src/db/database.ts'
import { parseJson } from '../../src/http/json-body.ts'
import { Problem } from '../../src/lib/problem.ts'
import { createLog } from '../../src/log.ts'
import { expectProblem, fieldErrorsOf } from '../support/expect-problem.ts'
import { createTestApp, createTestDatabase } from '../support/harness.ts'

const test = await createTestApp()
const clients = '/admin/v1/clients'
const json = { 'content-type': 'application/json' }

/** Sends the bytes of a body unchanged. */
const post = (body: string | Buffer, headers: Record<string, string> = json) =>
  test.call({ method: 'POST', url: clients, body, headers })

describe('a problem document', () => {
  it('lists every error of a body at once, with pointers and the nearest known name', async () => {
    const response = await test.call({
      method: 'POST',
      url: clients,
      body: { nmae: 'x', scopes: ['admin', 'nonsense'] },
    })
    expectProblem(response, { status: 400, code: 'invalid-request' })
    const errors = fieldErrorsOf(response)
    assert.deepEqual(Object.keys(errors).sort(), ['/name', '/nmae', '/scopes/1'])
    assert.equal(errors['/name'], 'Required, but missing.')
    assert.match(errors['/nmae'] ?? '', /Did you mean name\?$/)
    assert.match(errors['/scopes/1'] ?? '', /^Expected one of applicants:read, .*, admin\.$/)
    assert.match(response.body.detail, /3 fields are invalid/)
  })

  it('responds with 404 to an unknown path', async () => {
    expectProblem(await test.call({ url: '/nowhere' }), { status: 404, code: 'route-not-found' })
  })

  it('responds with 404 to an unknown path with any body', async () => {
    for (const [type, body] of [
      ['text/plain', 'x'],
      ['application/json', '{'],
      ['application/json', ''],
      ['application/json', 'x'.repeat(1024 * 1024 + 1)],
    ] as const) {
      const response = await test.call({
        method: 'POST',
        url: '/nowhere',
        body,
        headers: { 'content-type': type },
      })
      expectProblem(response, { status: 404, code: 'route-not-found' })
    }
  })

  it('responds with 404 to an unknown path below one that needs a token, without a token', async () => {
    const response = await test.call({ url: '/admin/v1/nowhere', scopes: null })
    expectProblem(response, { status: 404, code: 'route-not-found' })
  })

  it('responds with 405 and the allowed methods', async () => {
    const response = await test.call({ method: 'DELETE', url: clients, scopes: null })
    expectProblem(response, { status: 405, code: 'method-not-allowed' })
    assert.equal(response.headers['allow'], 'GET, HEAD, POST')
  })

  it('responds with 405 and the allowed methods of a path with parameters', async () => {
    const response = await test.call({ method: 'PUT', url: `${clients}/some-client?a=b`, scopes: null })
    expectProblem(response, { status: 405, code: 'method-not-allowed' })
    assert.equal(response.headers['allow'], 'GET, HEAD, PATCH')
  })

  it('responds with 405 to OPTIONS and unusual methods', async () => {
    for (const method of ['OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      const response = await test.app.inject({ method: method as 'OPTIONS', url: clients })
      const problem = { status: response.statusCode, headers: response.headers, body: response.json() }
      expectProblem(problem, { status: 405, code: 'method-not-allowed' })
    }
  })

  it('responds with 400 to a path with invalid escapes, without repeating it', async () => {
    for (const url of [`${clients}/%E0%A4%A`, `${clients}/%zz`, '/%', `${clients}/%ff`]) {
      const response = await test.call({ url })
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.ok(!response.text.includes('%'), response.text)
    }
  })

  it('responds with 404 to an id of any length, without repeating it', async () => {
    const response = await test.call({ url: `${clients}/${'x'.repeat(600)}` })
    expectProblem(response, { status: 404, code: 'client-not-found' })
    assert.ok(!response.text.includes('xxx'))
  })

  it('responds with 404 to an id of a record with a NUL character', async () => {
    for (const url of [
      '/v2/document/a%00b/file',
      '/admin/v1/documents/a%00b',
      '/admin/v1/documents/a%00b/files',
      '/admin/v1/documents/a%00b/files/1',
      '/admin/v1/applicants/a%00b',
    ]) {
      const { status, text } = await test.call({ url })
      assert.equal(status, 404, `${url}: ${text}`)
    }
  })

  it('responds with 400 to a path with a NUL character', async () => {
    expectProblem(await test.call({ url: `${clients}/a%00b` }), { status: 400, code: 'invalid-request' })
  })
})

describe('HEAD', () => {
  it('responds as GET does, without a body', async () => {
    const response = await test.app.inject({ method: 'HEAD', url: '/healthz' })
    assert.equal(response.statusCode, 200)
    assert.equal(response.body, '')
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  })

  it('needs the same token', async () => {
    const head = (headers: Record<string, string>) =>
      test.app.inject({ method: 'HEAD', url: clients, headers })
    assert.equal((await head({})).statusCode, 401)
    assert.equal(
      (await head({ authorization: `Bearer ${await test.token(['cases:read'])}` })).statusCode,
      403,
    )
    assert.equal((await head({ authorization: `Bearer ${await test.token()}` })).statusCode, 200)
  })
})

describe('a JSON body', () => {
  it('that is malformed gets 400 with the position of the error, and is not quoted', async () => {
    const cases: [string, number][] = [
      ['{"name":canary}', 8],
      ['{"name":"canary",}', 17],
      ['{"name":"canary" "scopes"', 17],
      ['{"name":"canary', 15],
      ['{"canary"', 9],
      ['["canary" 1]', 10],
      ['{"a":tru', 8],
      ['{"a":trux}', 5],
      ['{"a": nulL}', 6],
      ['{"a":-}', 6],
      ['{"a":01}', 6],
      ['{"a":1.}', 7],
      ['{"a":"\\x"}', 7],
      ["{'canary':1}", 1],
      ['[,"canary"]', 1],
      ['["canary",]', 10],
      ['{"canary":}', 10],
      ['[[], {"canary":[]}, ]', 20],
      [']', 0],
      ['["canary", " in JSON at position 1", x]', 37],
      ['\ufeff\ufeff{}', 0],
      ['canary', 0],
      ['{}canary', 2],
      [`{"a":"${'x'.repeat(300)}",\n"b":canary${'y'.repeat(300)}}`, 313],
    ]
    for (const [body, position] of cases) {
      const response = await post(body)
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.match(
        response.body.detail,
        new RegExp(`at position ${position} \\(line \\d+ column \\d+\\)\\.$`),
        body,
      )
      assert.ok(!response.text.includes('canary'), response.text)
    }
  })

  it('that is empty gets 400', async () => {
    const response = await post('')
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.match(response.body.detail, /empty/)
  })

  it('that is missing gets 400', async () => {
    const response = await test.call({ method: 'POST', url: clients })
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.deepEqual(fieldErrorsOf(response), { '': 'Expected object.' })
  })

  it('may be missing, with any Content-Type, where an operation has no body', async () => {
    for (const headers of [{}, json]) {
      const response = await test.call({ method: 'POST', url: `${clients}/unknown/disable`, headers })
      expectProblem(response, { status: 404, code: 'client-not-found' })
    }
  })

  it('that is not an object gets 400', async () => {
    for (const body of ['null', '[]', '"text"', '1', 'true']) {
      const response = await post(body)
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.deepEqual(fieldErrorsOf(response), { '': 'Expected object.' })
    }
  })

  it('that is not valid UTF-8 gets 400', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')])
      const response = await post(body)
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.match(response.body.detail, /UTF-8/)
    }
  })

  it('with a NUL character or half a surrogate pair gets 400 with a pointer to it', async () => {
    const response = await post('{"name":"a\\u0000b","scopes":["\\ud800","admin"],"a/b~c":{"d":"\\udc00"}}')
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.deepEqual(fieldErrorsOf(response), {
      '/name': 'Must not contain a NUL character.',
      '/scopes/0': 'Contains half of a surrogate pair.',
      '/a~1b~0c/d': 'Contains half of a surrogate pair.',
    })
  })

  it('with a NUL character or half a surrogate pair in a name is rejected', () => {
    for (const body of ['{"open":{"a\\u0000":1}}', '{"open":{"\\ud800":1}}']) {
      assert.throws(
        () => parseJson(Buffer.from(body)),
        (error: Problem) => error instanceof Problem && error.errors?.[0]?.pointer === '/open',
      )
    }
  })

  it('with a whole surrogate pair is accepted', async () => {
    const { status, body } = await post('{"name":"\\ud83d\\ude00 ok","scopes":["admin"]}')
    assert.equal(status, 201)
    assert.equal(body.name, '😀 ok')
  })

  it('with names such as __proto__ gets 400, escaped or not', async () => {
    for (const name of ['__proto__', '\\u005f_proto__', 'constructor', 'prototype', 'c\\u006fnstructor']) {
      const response = await post(`{"name":"x","scopes":["admin"],"${name}":{"admin":true}}`)
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.deepEqual(Object.keys(fieldErrorsOf(response)), [`/${JSON.parse(`"${name}"`)}`])
    }
    assert.equal(({} as { admin?: boolean }).admin, undefined)
  })

  it('that is nested 100,000 levels deep gets 400', async () => {
    const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)
    const bodies = [
      deep('[', ']'),
      `{"name":${deep('[', ']')},"scopes":${deep('[', ']')}}`,
      `{"name":"\\u0041","scopes":${deep('[', ']')}}`,
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      '['.repeat(100_000),
    ]
    for (const body of bodies) expectProblem(await post(body), { status: 400, code: 'invalid-request' })
  })

  it('with thousands of errors gets a response with at most 100', async () => {
    const nuls = Array(60_000).fill('"\\u0000"').join(',')
    const bodies = [
      `{"name":[${nuls}]}`,
      `{"${'k'.repeat(400_000)}":[${nuls}]}`,
      JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field-${n}`, n]))),
    ]
    for (const body of bodies) {
      const response = await post(body)
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.ok(response.body.errors.length > 0 && response.body.errors.length <= 100)
      assert.ok(response.text.length < 100_000, `${response.text.length} characters`)
    }
  })

  it('of another media type gets 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'nonsense',
      '',
    ]) {
      const response = await post('{"name":"x","scopes":["admin"]}', { 'content-type': type })
      expectProblem(response, { status: 415, code: 'unsupported-media-type' })
      assert.equal(response.body.detail, 'Set Content-Type to application/json.')
    }
  })

  it('is accepted with a charset in its media type', async () => {
    const response = await post('{"name":"Zoë","scopes":["admin"]}', {
      'content-type': 'application/json; charset=utf-8',
    })
    assert.equal(response.status, 201)
    assert.equal(response.body.name, 'Zoë')
  })

  it('of more than 1 MiB gets 413, and one of 1 MiB is read', async () => {
    const bodyOf = (length: number) => {
      const frame = '{"name":"","scopes":["admin"]}'
      return frame.replace('""', `"${'x'.repeat(length - frame.length)}"`)
    }
    const tooLarge = await post(bodyOf(1024 * 1024 + 1))
    expectProblem(tooLarge, { status: 413, code: 'payload-too-large' })
    const largest = await post(bodyOf(1024 * 1024))
    expectProblem(largest, { status: 400, code: 'invalid-request' })
    assert.deepEqual(Object.keys(fieldErrorsOf(largest)), ['/name'])
  })

  it('is not parsed before the token is verified', async () => {
    const response = await test.call({ method: 'POST', url: clients, body: '{', headers: json, scopes: null })
    expectProblem(response, { status: 401, code: 'token-required' })
  })
})

describe('X-Request-Id', () => {
  it('of the request is returned where it is well formed', async () => {
    for (const id of ['a', 'trace-1.2_3', 'x'.repeat(128)]) {
      const { headers } = await test.call({ url: '/healthz', headers: { 'x-request-id': id } })
      assert.equal(headers['x-request-id'], id)
    }
    const rejected = await test.call({ url: '/nowhere', headers: { 'x-request-id': 'mine' } })
    expectProblem(rejected, { status: 404, code: 'route-not-found' })
    assert.equal(rejected.body.requestId, 'mine')
  })

  it('is generated where it is malformed or missing', async () => {
    const seen = new Set<unknown>()
    for (const id of ['', 'x'.repeat(129), 'a b', '<script>', 'é', 'a,b']) {
      const { headers } = await test.call({ url: '/healthz', headers: { 'x-request-id': id } })
      assert.match(String(headers['x-request-id']), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
      seen.add(headers['x-request-id'])
    }
    seen.add((await test.call({ url: '/healthz' })).headers['x-request-id'])
    assert.equal(seen.size, 7)
  })
})

describe('every response', () => {
  it('demands TLS of browsers where PUBLIC_URL is https, and only there', async () => {
    const name = 'strict-transport-security'
    const secured = await createTestApp({ config: { publicUrl: 'https://caseport.example' } })
    for (const url of ['/healthz', '/nowhere']) {
      assert.equal((await secured.call({ url })).headers[name], 'max-age=31536000; includeSubDomains')
      assert.equal((await test.call({ url })).headers[name], undefined)
    }
  })

  it('forbids caching, sniffing, framing and referrers, errors too', async () => {
    for (const [url, status] of [
      ['/healthz', 200],
      ['/nowhere', 404],
      [`${clients}/%zz`, 400],
      [clients, 200],
    ] as const) {
      const { headers, status: actual } = await test.call({ url })
      assert.equal(actual, status)
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.ok(headers['x-request-id'])
      assert.equal(headers['x-powered-by'], undefined)
      assert.equal(headers['server'], undefined)
    }
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a log line holds whatever was logged.
type Line = Record<string, any>

/** The application with its log in an array, and a new token. */
async function createLoggedApp(db: Database = test.db) {
  const lines: Line[] = []
  const log = createLog('trace', { write: line => void lines.push(JSON.parse(line)) })
  const { app } = await createTestApp({ db, log })
  const secret = 'CANARY-secret'
  await ensureConfigured(db, { clientId: 'logged', clientSecret: secret, apiKey: 'CANARY-key' })
  const granted = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=client_credentials&client_id=logged&client_secret=${secret}`,
  })
  const authorization = `Bearer ${granted.json().access_token}`
  return { app, lines, authorization }
}

const logged = await createLoggedApp()

describe('the log', () => {
  it('has one line per request, with the route template, the status, the client and the trace', async () => {
    const { app, lines, authorization } = logged
    lines.length = 0
    await app.inject({
      url: `${clients}/logged`,
      headers: {
        authorization,
        'x-request-id': 'mine',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    })
    assert.equal(lines.length, 1)
    const { time, ms, ...line } = lines[0] ?? {}
    assert.deepEqual(line, {
      level: 30,
      requestId: 'mine',
      method: 'GET',
      route: `${clients}/:clientId`,
      status: 200,
      clientId: 'logged',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      msg: 'request',
    })
    assert.ok(typeof ms === 'number' && ms >= 0)
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000)
  })

  it('names the code of an error in the line of its request', async () => {
    const { app, lines, authorization } = logged
    lines.length = 0
    await app.inject({ url: `${clients}/nobody`, headers: { authorization } })
    await app.inject({ url: clients })
    assert.deepEqual(
      lines.map(({ status, code }) => [status, code]),
      [
        [404, 'client-not-found'],
        [401, 'token-required'],
      ],
    )
  })

  it('leaves out an invalid trace', async () => {
    const { app, lines } = logged
    for (const traceparent of [
      'CANARY',
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
      '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01',
      '00-00000000000000000000000000000000-b7ad6b7169203331-01',
      '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
      'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ]) {
      await app.inject({ url: '/healthz', headers: { traceparent } })
      assert.equal(lines.at(-1)?.['route'], '/healthz')
      assert.equal(lines.at(-1)?.['traceId'], undefined, traceparent)
    }
  })

  it('has a line for a request without a route', async () => {
    const { app, lines } = logged
    for (const [url, status] of [
      ['/nowhere', 404],
      ['/%zz', 400],
    ] as const) {
      lines.length = 0
      await app.inject({ url })
      assert.deepEqual(
        lines.map(line => [line['msg'], line['route'], line['status']]),
        [['request', null, status]],
      )
    }
  })

  it('contains nothing that a client sent, however the request ends', async () => {
    const { app, lines, authorization } = logged
    const sent = { ...json, authorization, 'user-agent': 'CANARY', 'x-api-key': 'CANARY', cookie: 'CANARY' }
    const requests = [
      { url: `${clients}/CANARY?CANARY=CANARY`, headers: sent },
      { url: `${clients}/CANARY`, headers: sent },
      { url: '/CANARY?CANARY=CANARY', headers: sent },
      { url: '/CANARY/%zz', headers: sent },
      { url: `${clients}/${'CANARY'.repeat(100)}`, headers: sent },
      { url: `${clients}/CANARY%00`, headers: sent },
      { method: 'DELETE', url: `${clients}/CANARY`, headers: sent },
      { method: 'POST', url: clients, headers: sent, payload: '{"CANARY":CANARY' },
      { method: 'POST', url: clients, headers: sent, payload: '{"CANARY":"CANARY"}' },
      { method: 'POST', url: clients, headers: sent, payload: '{"name":"CANARY","scopes":["admin"]}' },
      {
        method: 'POST',
        url: clients,
        headers: { ...sent, 'content-type': 'text/CANARY' },
        payload: 'CANARY',
      },
      { url: clients, headers: { ...sent, authorization: 'Bearer CANARY.CANARY.CANARY' } },
      { url: clients, headers: { ...sent, authorization: 'CANARY' } },
      { method: 'POST', url: '/oauth/token', headers: sent, payload: '{"CANARY":1}' },
      {
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'grant_type=CANARY&client_id=CANARY&client_secret=CANARY&scope=CANARY',
      },
    ] as const
    const statuses: number[] = []
    for (const request of requests) statuses.push((await app.inject(request)).statusCode)
    assert.deepEqual(statuses, [400, 404, 404, 400, 404, 400, 405, 400, 400, 201, 415, 401, 401, 400, 400])
    const text = JSON.stringify(lines)
    assert.ok(lines.length >= requests.length)
    assert.ok(!text.includes('CANARY'), text)
    assert.ok(!text.includes(authorization.slice('Bearer '.length)))
  })
})

describe('an error of the database', () => {
  it('shows neither statement nor stack nor values, in the response or in the log', async () => {
    const db = await createTestDatabase()
    await db.sql.unsafe(`alter table clients add constraint guarded check (name not like '%CANARY%')`)
    const { app, lines, authorization } = await createLoggedApp(db)
    const response = await app.inject({
      method: 'POST',
      url: clients,
      headers: { ...json, authorization },
      payload: { name: 'x\n    at CANARY (CANARY:1:1)\n    at', scopes: ['admin'] },
    })
    const problem = { status: response.statusCode, headers: response.headers, body: response.json() }
    expectProblem(problem, { status: 500, code: 'internal-error' })
    assert.doesNotMatch(response.body, /CANARY|insert|clients|guarded|node_modules|\.ts/i)
    const entry = lines.find(line => line['msg'] === 'request failed')
    assert.equal(entry?.['code'], '23514')
    assert.equal(entry?.['constraint'], 'guarded')
    assert.ok(entry?.['at'].length > 0)
    assert.equal(entry?.['requestId'], problem.body.requestId)
    assert.doesNotMatch(JSON.stringify(lines), /CANARY|insert into/)
  })

  it('with the value in its message does not reach the log either', async () => {
    const db = await createTestDatabase()
    await db.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as
        $$ begin raise exception E'%\n    at %', new.name, new.name; end $$;
      create trigger refuse before insert on clients for each row when (new.name like '%CANARY%')
        execute function refuse()`)
    const { app, lines, authorization } = await createLoggedApp(db)
    const response = await app.inject({
      method: 'POST',
      url: clients,
      headers: { ...json, authorization },
      payload: { name: 'CANARY', scopes: ['admin'] },
    })
    const problem = { status: response.statusCode, headers: response.headers, body: response.json() }
    expectProblem(problem, { status: 500, code: 'internal-error' })
    assert.ok(!response.body.includes('CANARY'))
    assert.ok(lines.some(line => line['msg'] === 'request failed' && line['code'] === 'P0001'))
    assert.ok(!JSON.stringify(lines).includes('CANARY'))
  })
})
