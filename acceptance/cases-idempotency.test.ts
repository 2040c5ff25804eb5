// A POST that is repeated with the same Idempotency-Key has one effect and one response.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  adminCase,
  COMPANIES,
  caseBody,
  casesOfNumber,
  newCase,
  newName,
  notesAt,
  ownToken,
  stepsAt,
} from './case-factories.ts'
import { call } from './client.ts'
import { expectOk, expectProblem, type Fields, get, newNumber, patch, post } from './people.ts'

interface Posting {
  path: string
  body: Fields
  /** The number of records of the kind that the POST creates. */
  count(): Promise<number>
}

const newKey = () => newName('key').replaceAll(' ', '-')

async function aCase(): Promise<Posting> {
  const employeeNumber = newNumber()
  const body = await caseBody({}, { employeeNumber })
  const count = async () => (await get(casesOfNumber(employeeNumber))).body.length
  return { path: '/v2/case', body, count }
}

const POSTS: Record<string, () => Promise<Posting>> = {
  'POST /v2/case': aCase,
  async 'POST /admin/v1/cases/{caseId}/steps'() {
    const { caseId, steps } = await newCase()
    const count = async () => (await get(stepsAt(caseId))).body.length - steps.length
    return { path: `${adminCase(caseId)}/steps`, body: { name: 'One more' }, count }
  },
  async 'POST /admin/v1/cases/{caseId}/notes'() {
    const { caseId } = await newCase()
    const count = async () => (await get(notesAt(caseId))).body.length
    return { path: `${adminCase(caseId)}/notes`, body: { content: 'Once' }, count }
  },
  async 'POST /admin/v1/companies'() {
    const name = newName('Company')
    const count = async () =>
      (await get(COMPANIES)).body.filter((company: Fields) => company['name'] === name).length
    return { path: COMPANIES, body: { name }, count }
  },
}

for (const [operation, prepare] of Object.entries(POSTS))
  describe(`Idempotency-Key: ${operation}`, () => {
    it('repeats the first response without a second effect', async () => {
      const { path, body, count } = await prepare()
      const headers = { 'idempotency-key': newKey() }
      const first = await post(path, body, { headers })
      const again = await post(path, body, { headers })
      assert.equal(first.status, 201)
      assert.equal(again.status, 201)
      assert.equal(again.bytes.toString(), first.bytes.toString())
      for (const name of ['location', 'etag']) assert.equal(again.headers.get(name), first.headers.get(name))
      assert.equal(await count(), 1)
    })

    it('rejects the key for another body', async () => {
      const { path, body, count } = await prepare()
      const headers = { 'idempotency-key': newKey() }
      await expectOk(post(path, body, { headers }))
      const other = { ...body, ...(path === '/v2/case' ? { hostCity: 'Elsewhere' } : renamed(body)) }
      await expectProblem(post(path, other, { headers }), 422, 'idempotency-key-reused')
      assert.equal(await count(), 1)
    })

    it('has one effect for several concurrent requests', async () => {
      const { path, body, count } = await prepare()
      const headers = { 'idempotency-key': newKey() }
      const responses = await Promise.all(Array.from({ length: 6 }, () => post(path, body, { headers })))
      for (const { status, body: problem } of responses)
        if (status !== 201) assert.deepEqual([status, problem.code], [409, 'idempotency-key-in-progress'])
      assert.ok(responses.some(({ status }) => status === 201))
      assert.equal(await count(), 1)
    })

    it('has two effects without a key or with another key', async () => {
      const { path, body, count } = await prepare()
      const key = () => ({ headers: { 'idempotency-key': newKey() } })
      const statuses = [
        (await post(path, body, key())).status,
        (await post(path, body, key())).status,
        (await post(path, body)).status,
      ]
      const repeats = path === COMPANIES ? 409 : 201
      assert.deepEqual(statuses, [201, repeats, repeats])
      assert.equal(await count(), path === COMPANIES ? 1 : 3)
    })
  })

const renamed = (body: Fields): Fields =>
  Object.fromEntries(Object.keys(body).map(name => [name, newName('Other')]))

describe('Idempotency-Key: scope and repeated responses', () => {
  it('belongs to the client that sent it', async () => {
    const { caseId } = await newCase()
    const { token } = await ownToken(['admin'])
    const headers = { 'idempotency-key': newKey() }
    const mine = await expectOk(post(`${adminCase(caseId)}/notes`, { content: 'Mine' }, { headers }))
    const theirs = await expectOk(
      post(`${adminCase(caseId)}/notes`, { content: 'Theirs' }, { headers, token }),
    )
    assert.deepEqual([mine['content'], theirs['content']], ['Mine', 'Theirs'])
  })

  it('repeats the first response although the record has changed since', async () => {
    const { path, body } = await aCase()
    const headers = { 'idempotency-key': newKey() }
    const first = await post(path, body, { headers })
    await expectOk(patch(adminCase(first.body.caseId), { status: 'closed' }))
    assert.deepEqual((await post(path, body, { headers })).body, first.body)
  })

  it('repeats an error response, too', async () => {
    const { path, body } = await aCase()
    const hostCompany = newName('Company')
    const headers = { 'idempotency-key': newKey() }
    await expectProblem(post(path, { ...body, hostCompany }, { headers }), 422, 'unknown-company')
    await expectOk(post(COMPANIES, { name: hostCompany }))
    await expectProblem(post(path, { ...body, hostCompany }, { headers }), 422, 'unknown-company')
    assert.equal((await post(path, { ...body, hostCompany })).status, 201)
  })
})

describe('Idempotency-Key of a switch', () => {
  for (const [verb, opposite] of [
    ['disable', 'enable'],
    ['enable', 'disable'],
  ])
    it(`repeats the first response of ${verb}, and is no key for another client`, async () => {
      const create = () => expectOk(post('/admin/v1/clients', { name: 'Retried', scopes: ['cases:read'] }))
      const [one, other] = [await create(), await create()]
      const at = ({ clientId }: Fields, switched = verb) => `/admin/v1/clients/${clientId}/${switched}`
      const headers = { 'idempotency-key': newKey() }
      const send = (path: string) => call({ method: 'POST', path, headers })
      const first = await expectOk(send(at(one)))
      const switchedBack = await expectOk(call({ method: 'POST', path: at(one, opposite) }))
      assert.deepEqual(await expectOk(send(at(one))), first)
      assert.deepEqual((await get(`/admin/v1/clients/${one['clientId']}`)).body, switchedBack)
      await expectProblem(send(at(other)), 422, 'idempotency-key-reused')
    })
})

describe('Idempotency-Key of a POST that returns a secret', () => {
  const client = { name: 'Retried', scopes: ['cases:read'] }
  const hook = { url: 'https://receiver.invalid/retried', active: false }
  const created = async (path: string, body: Fields, id: string) =>
    `${path}/${encodeURIComponent((await expectOk(post(path, body)))[id])}`
  const POSTED: Record<string, { path: () => Promise<string>; body: Fields; other: Fields; secret: string }> =
    {
      createClient: {
        path: async () => '/admin/v1/clients',
        body: client,
        other: { ...client, name: 'Another' },
        secret: 'clientSecret',
      },
      createApiKey: {
        path: async () => `${await created('/admin/v1/clients', client, 'clientId')}/api-keys`,
        body: { name: 'Feed' },
        other: { name: 'Another' },
        secret: 'apiKey',
      },
      rotateClientSecret: {
        path: async () => `${await created('/admin/v1/clients', client, 'clientId')}/rotate-secret`,
        body: { graceSeconds: 60 },
        other: { graceSeconds: 61 },
        secret: 'clientSecret',
      },
      createWebhook: {
        path: async () => '/admin/v1/webhooks',
        body: hook,
        other: { ...hook, description: 'Another' },
        secret: 'secret',
      },
      rotateWebhookSecret: {
        path: async () => `${await created('/admin/v1/webhooks', hook, 'webhookId')}/rotate-secret`,
        body: { graceSeconds: 60 },
        other: { graceSeconds: 61 },
        secret: 'secret',
      },
      createUser: {
        path: async () => '/admin/v1/users',
        body: { email: `${newKey()}@example.com`, name: 'Ruth', roles: ['viewer'] },
        other: { email: `${newKey()}@example.com`, name: 'Ruth', roles: ['viewer'] },
        secret: 'invitation',
      },
    }

  for (const [operation, { path: prepare, body, other, secret }] of Object.entries(POSTED))
    it(`repeats the first response of ${operation}, with its secret`, async () => {
      const path = await prepare()
      const headers = { 'idempotency-key': newKey() }
      const first = await post(path, body, { headers })
      const again = await post(path, body, { headers })
      assert.ok(first.status < 300 && first.body[secret])
      assert.deepEqual([again.status, again.body], [first.status, first.body])
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      await expectProblem(post(path, other, { headers }), 422, 'idempotency-key-reused')
    })
})
