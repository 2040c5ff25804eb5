// Webhooks of clients: each uses its own, and receives what it may read.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownToken } from './case-factories.ts'
import { call } from './client.ts'
import { expectOk, expectProblem, type Fields, family, patch, post } from './people.ts'

const path = '/admin/v1/webhooks'
const at = (webhookId: string, rest = '') => `${path}/${encodeURIComponent(webhookId)}${rest}`
const today = new Date().toISOString().slice(0, 10)
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const range = `startDate=${today}&endDate=${tomorrow}&maxRecords=1000`

/** RFC 6761 reserves this name: it never resolves, so that nothing is sent. */
const url = 'https://receiver.invalid/hook'

const PEOPLE = ['webhooks:write', 'applicants:read']
const create = (token: string, fields: Fields = {}) =>
  post(path, { url, eventTypes: ['applicant.created'], ...fields }, { token })

describe('a client with webhooks:write', () => {
  it('creates a webhook that belongs to it, and lists its own', async () => {
    const { token, clientId } = await ownToken(PEOPLE)
    const operators = await expectOk(post(path, { url, active: false }))
    const made = await expectOk(create(token))
    assert.equal(made['clientId'], clientId)
    const { secret: _secret, ...rest } = made
    assert.deepEqual(await expectOk(call({ path, token })), [rest])
    const all = await expectOk(call({ path }))
    const ids = all.map(({ webhookId }: Fields) => webhookId)
    assert.ok(ids.includes(made['webhookId']) && ids.includes(operators['webhookId']))
  })

  it('can neither see nor change those of others', async () => {
    const { token } = await ownToken(PEOPLE)
    const other = await ownToken([...PEOPLE, 'access:write'])
    const { webhookId } = await expectOk(create(token))
    const operators = await expectOk(post(path, { url, active: false }))
    for (const id of [webhookId, operators['webhookId']]) {
      const rest = { token: other.token }
      for (const response of [
        call({ path: at(id), ...rest }),
        call({ path: at(id), ...rest, headers: { 'if-none-match': '*' } }),
        patch(at(id), { url: 'https://elsewhere.invalid/' }, rest),
        patch(at(id), { active: false }, { ...rest, headers: { 'if-match': '*' } }),
        post(at(id, '/rotate-secret'), {}, rest),
        call({ method: 'POST', path: at(id, '/test'), ...rest }),
        call({ method: 'DELETE', path: at(id), ...rest }),
        call({ path: at(id, `/deliveries?${range}`), ...rest }),
        post(at(id, '/replay'), { startDate: today, endDate: today }, rest),
      ])
        await expectProblem(response, 404, 'webhook-not-found')
    }
    assert.deepEqual(await expectOk(call({ path, token: other.token })), [])
    assert.equal((await expectOk(call({ path: at(webhookId) })))['url'], url)
  })

  it('replays no delivery of others', async () => {
    const { token } = await ownToken(PEOPLE)
    const other = await ownToken(PEOPLE)
    const { webhookId } = await expectOk(create(token))
    await family()
    const [delivery] = await deliveriesOf(webhookId, token)
    const replay = (caller: string) =>
      call({
        method: 'POST',
        path: at(webhookId, `/deliveries/${delivery?.deliveryId}/replay`),
        token: caller,
      })
    await expectProblem(replay(other.token), 404, 'delivery-not-found')
    assert.equal((await replay(token)).status, 202)
  })

  it('subscribes only to types whose records it may read', async () => {
    const { token } = await ownToken(PEOPLE)
    await expectOk(create(token, { eventTypes: ['applicant.updated', 'dependent.archived'] }))
    const problem = await expectProblem(
      create(token, { eventTypes: ['applicant.created', 'case.created', 'document.renewal_due'] }),
      403,
      'cannot-grant',
    )
    assert.match(problem['detail'], /cases:read, documents:read/)
    const pointers = problem['errors'].map(({ pointer }: Fields) => pointer)
    assert.deepEqual(pointers, ['/eventTypes/1', '/eventTypes/2'])
    const everything = await expectProblem(create(token, { eventTypes: [] }), 403, 'cannot-grant')
    assert.deepEqual(
      everything['errors'].map(({ pointer }: Fields) => pointer),
      ['/eventTypes'],
    )
    const blind = await ownToken(['webhooks:write', 'applicants:write'])
    await expectProblem(create(blind.token), 403, 'cannot-grant')
    const all = await ownToken(['webhooks:write', 'applicants:read', 'cases:read', 'documents:read'])
    await expectOk(create(all.token, { eventTypes: [] }))
  })

  it('cannot extend its webhook beyond that, nor redirect one with a narrower token', async () => {
    const { token } = await ownToken(PEOPLE)
    const { webhookId } = await expectOk(create(token))
    await expectProblem(
      patch(at(webhookId), { eventTypes: ['case.created'] }, { token }),
      403,
      'cannot-grant',
    )
    await expectProblem(patch(at(webhookId), { eventTypes: [] }, { token }), 403, 'cannot-grant')
    assert.equal((await patch(at(webhookId), { description: 'mine' }, { token })).status, 200)
    const narrow = await clientWithNarrowToken()
    await expectProblem(
      patch(at(narrow.webhookId), { url: 'https://elsewhere.invalid/' }, { token: narrow.token }),
      403,
      'cannot-grant',
    )
  })

  it('has deliveries of its types, and none while it is disabled', async () => {
    const { token, clientId } = await ownToken(PEOPLE)
    const { webhookId } = await expectOk(create(token))
    const control = (await expectOk(post(path, { url, eventTypes: ['applicant.created'] })))['webhookId']
    const before = (await family()).id
    assert.ok((await deliveriesOf(webhookId, token, before)).length > 0)
    const client = `/admin/v1/clients/${clientId}`
    await expectOk(call({ method: 'POST', path: `${client}/disable` }))
    const during = (await family()).id
    // The webhook of another client shows that the event was dispatched.
    await deliveriesOf(control, undefined, during)
    await expectOk(call({ method: 'POST', path: `${client}/enable` }))
    const afterwards = (await family()).id
    const records = (await deliveriesOf(webhookId, token, afterwards)).map(({ recordId }) => recordId)
    assert.ok(records.includes(before) && records.includes(afterwards))
    assert.ok(!records.includes(during))
    for (const id of [webhookId, control]) await call({ method: 'DELETE', path: at(id) })
  })
})

/** A client with a webhook for applicants, and a token of it that only has webhooks:write. */
async function clientWithNarrowToken() {
  const client = await expectOk(post('/admin/v1/clients', { name: 'Acceptance tests', scopes: PEOPLE }))
  const basic = Buffer.from(`${client['clientId']}:${client['clientSecret']}`).toString('base64')
  const tokenOf = async (scope: string) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', scope })
    const headers = { authorization: `Basic ${basic}` }
    const response = await expectOk(
      call({ method: 'POST', path: '/oauth/token', headers, body, scopes: null }),
    )
    return response['access_token'] as string
  }
  const { webhookId } = await expectOk(create(await tokenOf(PEOPLE.join(' '))))
  return { webhookId, token: await tokenOf('webhooks:write') }
}

/** The deliveries of a webhook, once there is one, or one of this record. */
async function deliveriesOf(
  webhookId: string,
  token: string | undefined,
  recordId?: string,
): Promise<{ deliveryId: string; recordId: string }[]> {
  for (let tries = 0; ; tries++) {
    const { records } = await expectOk(
      call({ path: at(webhookId, `/deliveries?${range}`), ...(token && { token }) }),
    )
    const found = records.some((one: Fields) => recordId === undefined || one['recordId'] === recordId)
    if (found || tries === 100) return records
    await sleep(100)
  }
}

describe('POST /admin/v1/webhooks/{webhookId}/test', () => {
  it('returns what happened: no status and the reason where the receiver cannot be reached', async () => {
    const { token } = await ownToken(PEOPLE)
    for (const active of [true, false]) {
      const { webhookId } = await expectOk(create(token, { active }))
      const outcome = await expectOk(call({ method: 'POST', path: at(webhookId, '/test'), token }))
      const { milliseconds, error, ...rest } = outcome
      assert.deepEqual(rest, { delivered: false, status: null })
      assert.equal(error, 'The host has no address that may be used.')
      assert.ok(Number.isInteger(milliseconds) && milliseconds >= 0)
      const listed = await expectOk(call({ path: at(webhookId, `/deliveries?${range}`), token }))
      const types = listed['records'].map(({ eventType }: Fields) => eventType)
      assert.ok(!types.includes('webhook.test'))
    }
  })

  it('is limited for each client', async () => {
    const { token } = await ownToken(PEOPLE)
    const { webhookId } = await expectOk(create(token))
    const responses = []
    for (let count = 0; count < 11; count++)
      responses.push(await call({ method: 'POST', path: at(webhookId, '/test'), token }))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [...Array<number>(10).fill(200), 429],
    )
    assert.ok(Number(responses.at(-1)?.headers.get('retry-after')) >= 1)
  })

  it('responds with 404 for an unknown webhook', async () => {
    const unknown = call({ method: 'POST', path: at('bm90aGluZyBoYXMgdGhpcyA=', '/test') })
    await expectProblem(unknown, 404, 'webhook-not-found')
  })
})
