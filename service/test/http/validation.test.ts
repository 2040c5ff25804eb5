import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { installProblems } from '../../src/http/problems.ts'
import { createServer } from '../../src/http/server.ts'
import { type TSchema, Type } from '../../src/lib/json-schema.ts'
import { expectProblem, fieldErrorsOf } from '../support/expect-problem.ts'
import { silent } from '../support/harness.ts'

const operation = (parts: { params?: TSchema; querystring?: TSchema; body?: TSchema }) => ({
  operationId: 'test',
  tags: ['Test'] as [string],
  summary: 'A route of this test',
  response: { 200: Type.Object({}, { additionalProperties: true }) },
  ...parts,
})

const app = createServer({ log: silent, trustProxy: false })
installProblems(app, {})
after(() => app.close())

app.post(
  '/bodies',
  {
    scope: 'admin',
    schema: operation({
      body: Type.Object(
        {
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
          code: Type.Optional(Type.String({ minLength: 3 })),
          born: Type.Optional(
            Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', expects: 'a date, for example 1990-05-31' }),
          ),
          count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
          kind: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['one', 'two'] })),
          version: Type.Optional(Type.Literal(2)),
          tags: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 3, uniqueItems: true })),
          note: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
          'a/b~c': Type.Optional(Type.Integer()),
          home: Type.Optional(
            Type.Object({ city: Type.String(), street: Type.String() }, { additionalProperties: false }),
          ),
        },
        { additionalProperties: false },
      ),
    }),
  },
  async request => request.body,
)

app.get(
  '/queries/:number',
  {
    scope: 'admin',
    schema: operation({
      params: Type.Object({ number: Type.Integer() }),
      querystring: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
        active: Type.Optional(Type.Boolean()),
      }),
    }),
  },
  async request => ({ ...(request.params as object), ...(request.query as object) }),
)

app.get('/public', { scope: 'public', schema: operation({}) }, async () => ({ fine: true }))

async function send(options: { method?: 'POST'; url: string; payload?: object }) {
  const response = await app.inject(options)
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}

async function errorsOf(payload: object): Promise<Record<string, string>> {
  const response = await send({ method: 'POST', url: '/bodies', payload })
  expectProblem(response, { status: 400, code: 'invalid-request' })
  return fieldErrorsOf(response)
}

describe('a body', () => {
  it('that matches its schema is accepted unchanged', async () => {
    const payload = {
      name: 'Zoë 😀',
      born: '1990-05-31',
      count: 9,
      kind: 'two',
      version: 2,
      tags: ['a', 'b'],
      note: null,
      'a/b~c': 1,
      home: { city: 'x', street: 'y' },
    }
    assert.deepEqual((await send({ method: 'POST', url: '/bodies', payload })).body, payload)
  })

  it('gets each error in plain words', async () => {
    assert.deepEqual(await errorsOf({ name: '', code: 'x', born: '31.5.1990', count: 0, kind: 'three' }), {
      '/name': 'Must not be empty.',
      '/code': 'Must have at least 3 characters.',
      '/born': 'Expected a date, for example 1990-05-31.',
      '/count': 'Must be 1 or more.',
      '/kind': 'Expected one of one, two.',
    })
    assert.deepEqual(await errorsOf({ name: 'x'.repeat(6), count: 10, version: 3, tags: [], note: 1 }), {
      '/name': 'Must have at most 5 characters.',
      '/count': 'Must be 9 or less.',
      '/version': 'Expected 2.',
      '/tags': 'Must have at least 1 items.',
      '/note': 'Expected string or null.',
    })
    assert.deepEqual(await errorsOf({ tags: ['a', 'b', 'c', 'd'] }), {
      '/tags': 'Must have at most 3 items.',
    })
    assert.deepEqual(await errorsOf({ tags: ['a', 'a'] }), { '/tags': 'Must not hold the same item twice.' })
  })

  it('is not coerced: text is no number and a number is no text', async () => {
    assert.deepEqual(await errorsOf({ count: '5', name: 5, note: false, tags: 'a', home: [] }), {
      '/count': 'Expected integer.',
      '/name': 'Expected string.',
      '/note': 'Expected string or null.',
      '/tags': 'Expected array.',
      '/home': 'Expected object.',
    })
    assert.deepEqual(await errorsOf({ count: 1.5 }), { '/count': 'Expected integer.' })
  })

  it('gets pointers to nested fields, escaped as in RFC 6901', async () => {
    assert.deepEqual(
      await errorsOf({ 'a/b~c': 'x', 'd/e~f': 1, home: { ctiy: 'x', street: 1 }, tags: [1] }),
      {
        '/a~1b~0c': 'Expected integer.',
        '/d~1e~0f': 'There is no d/e~f here. Leave it out.',
        '/home/city': 'Required, but missing.',
        '/home/ctiy': 'There is no ctiy here. Did you mean city?',
        '/home/street': 'Expected string.',
        '/tags/0': 'Expected string.',
      },
    )
  })

  it('gets errors that do not repeat its values', async () => {
    const response = await send({
      method: 'POST',
      url: '/bodies',
      payload: { name: 'CANARY-CANARY', born: 'CANARY', kind: 'CANARY', count: 'CANARY' },
    })
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.ok(!JSON.stringify(response.body).includes('CANARY'))
  })
})

describe('a query', () => {
  it('has numbers and booleans coerced from text, and defaults filled in', async () => {
    assert.deepEqual((await send({ url: '/queries/7?active=true' })).body, {
      number: 7,
      limit: 50,
      active: true,
    })
    assert.equal((await send({ url: '/queries/7?limit=9' })).body.limit, 9)
  })

  it('gets every error with the name of its parameter', async () => {
    const response = await send({ url: '/queries/7?limit=0&active=perhaps&lmit=3' })
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.deepEqual(fieldErrorsOf(response), {
      '/limit': 'Must be 1 or more.',
      '/active': 'Expected boolean.',
      '/lmit': 'There is no lmit here. Did you mean limit?',
    })
  })

  const MALFORMED = [
    'limit=%20',
    'limit=%205',
    'limit=0x10',
    'limit=1e1',
    'limit=5.0',
    'limit=%2B5',
    'limit=٥',
  ]

  it('is rejected with a duplicate parameter or one that is no number', async () => {
    for (const query of [
      'limit=1&limit=2',
      'limit=abc',
      'limit=1.5',
      'limit=',
      'limit=1e999',
      ...MALFORMED,
    ]) {
      const response = await send({ url: `/queries/7?${query}` })
      expectProblem(response, { status: 400, code: 'invalid-request' })
      assert.deepEqual(Object.keys(fieldErrorsOf(response)), ['/limit'], query)
    }
    const twice = fieldErrorsOf(await send({ url: '/queries/7?limit=1&limit=2' }))
    assert.deepEqual(twice, { '/limit': 'Was sent more than once. Send it once.' })
  })

  it('is rejected where the operation has no query', async () => {
    const response = await send({ method: 'POST', url: '/bodies?name=x', payload: {} })
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.deepEqual(Object.keys(fieldErrorsOf(response)), ['/name'])
  })

  it('may have unknown parameters on a public route', async () => {
    assert.deepEqual((await send({ url: '/public?whatever=1' })).body, { fine: true })
  })

  it('cannot reach the prototype', async () => {
    const response = await send({ url: '/queries/7?__proto__=x&constructor=y' })
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.deepEqual(Object.keys(fieldErrorsOf(response)).sort(), ['/__proto__', '/constructor'])
  })
})

describe('a path parameter', () => {
  it('is validated too', async () => {
    const response = await send({ url: '/queries/seven' })
    expectProblem(response, { status: 400, code: 'invalid-request' })
    assert.deepEqual(fieldErrorsOf(response), { '/number': 'Expected integer.' })
  })
})

describe('the errors of a large body', () => {
  const tags = (count: number, item: string) =>
    `{"tags":[${Array.from({ length: count }, () => item).join(',')}]}`
  const post = (payload: string) =>
    app.inject({ method: 'POST', url: '/bodies', headers: { 'content-type': 'application/json' }, payload })

  it('are limited to a hundred, and are found quickly', async () => {
    const unknown = Array.from({ length: 990 }, (_, n) => `"unknown-${n}":1`).join(',')
    for (const body of [tags(90_000, '1'), tags(30_000, '{"a":1}'), `{"home":{${unknown}},${unknown}}`]) {
      let best = Number.POSITIVE_INFINITY
      for (let round = 0; round < 3; round++) {
        const began = process.cpuUsage()
        const response = await post(body)
        const { user, system } = process.cpuUsage(began)
        best = Math.min(best, (user + system) / 1_000)
        assert.equal(response.statusCode, 400)
        assert.equal(response.json().errors.length, 100)
      }
      assert.ok(best < 200, `${best} ms for ${body.slice(0, 30)}`)
    }
  })

  it('still name the similar field', async () => {
    const { errors } = (await post('{"nmae":"x","home":{"citty":"x","street":"y"}}')).json()
    assert.deepEqual(errors.map(({ detail }: { detail: string }) => detail).sort(), [
      'Required, but missing.',
      'There is no citty here. Did you mean city?',
      'There is no nmae here. Did you mean name?',
    ])
  })

  it('do not repeat a long name', async () => {
    const { errors } = (await post(`{"${'x'.repeat(5_000)}":1}`)).json()
    assert.ok(errors[0].detail.length < 200)
  })
})
