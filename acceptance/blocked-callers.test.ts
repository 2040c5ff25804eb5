// Callers of an external issuer: blocking them, and the clients that carry their API keys.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { call } from './client.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, get, post } from './people.ts'

const PATH = '/admin/v1/blocked-callers'
const newCaller = () => `oidc:issuer.example:${randomBytes(6).toString('hex')}:desk`
const remove = (blockId: string) => call({ method: 'DELETE', path: `${PATH}/${encodeURIComponent(blockId)}` })

describe('blocked callers', () => {
  it('are listed until they are unblocked', async () => {
    const caller = newCaller()
    const blocked = await post(PATH, { caller, reason: 'Laptop lost' })
    assert.equal(blocked.status, 201)
    assert.equal(blocked.headers.get('location'), PATH)
    const { blockId, createdAt, createdBy, ...rest } = blocked.body
    assert.deepEqual(rest, { caller, reason: 'Laptop lost' })
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(createdBy)
    const listed = async () =>
      ((await expectOk(get(PATH))) as unknown as Fields[]).filter(one => one['blockId'] === blockId)
    assert.deepEqual(await listed(), [blocked.body])
    assert.equal((await remove(blockId)).status, 204)
    assert.deepEqual(await listed(), [])
    await expectProblem(remove(blockId), 404, 'block-not-found')
  })

  it('that are blocked again keep their entry', async () => {
    const caller = newCaller()
    const first = await post(PATH, { caller, reason: 'Laptop lost' })
    const again = await post(PATH, { caller, reason: 'Another reason' })
    assert.deepEqual([again.status, again.body], [200, first.body])
    await remove(first.body.blockId)
  })

  it('repeat their response for the same Idempotency-Key, also once they are unblocked', async () => {
    const body = { caller: newCaller(), reason: 'Laptop lost' }
    const headers = { 'idempotency-key': newCaller() }
    const first = await post(PATH, body, { headers })
    await remove(first.body.blockId)
    const again = await post(PATH, body, { headers })
    assert.deepEqual([again.status, again.body], [201, first.body])
    const other = { ...body, caller: newCaller() }
    await expectProblem(post(PATH, other, { headers }), 422, 'idempotency-key-reused')
    const listed = (await expectOk(get(PATH))) as unknown as Fields[]
    assert.ok(listed.every(one => one['caller'] !== body.caller))
  })

  it('have the id of a caller of an external issuer', async () => {
    for (const caller of [
      'anna',
      'user:anna',
      'oidc:issuer.example',
      'oidc:issuer.example:',
      'oidc::anna',
      '',
    ])
      await expectInvalid(post(PATH, { caller, reason: 'x' }), '/caller')
    await expectInvalid(post(PATH, { caller: newCaller(), reason: ' ' }), '/reason')
  })
})

describe('POST /admin/v1/clients for a caller of an external issuer', () => {
  it('creates a client without a secret, for its API keys', async () => {
    const clientId = newCaller()
    const created = await post('/admin/v1/clients', { name: 'Feed', scopes: ['cases:read'], clientId })
    assert.deepEqual(
      [created.status, created.body.clientId, created.body.clientSecret],
      [201, clientId, null],
    )
    const path = `/admin/v1/clients/${encodeURIComponent(clientId)}`
    assert.equal((await post(`${path}/api-keys`, { name: 'Key' })).status, 201)
    await expectProblem(post(`${path}/rotate-secret`, {}), 409, 'external-client')
  })
})
