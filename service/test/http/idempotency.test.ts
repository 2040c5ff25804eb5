// Stored responses that have a secret.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createIdempotency } from '../../src/http/idempotency.ts'
import { Problem } from '../../src/lib/problem.ts'
import type { Scope } from '../../src/lib/scopes.ts'
import { createSealer, keyRing, newSealingKey } from '../../src/lib/sealing.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp, testClock } from '../support/harness.ts'

const app = await createTestApp()
const { db } = app
const response = { status: 201, json: '{"clientSecret":"s3cret"}' }
const sealerOf = (count: number) =>
  createSealer(keyRing(Array.from({ length: count }, () => newSealingKey(new Date()))))
const keyOf = (key: string) => ({
  clientId: 'client',
  key,
  fingerprint: Buffer.from('request'),
  companies: null,
  isSealed: true,
})
const bodiesOf = (key: string) =>
  db.sql<{ body: string }[]>`select body from idempotency_keys where key = ${key}`

describe('the response to an Idempotency-Key that has a secret', () => {
  it('is stored sealed by POST /admin/v1/clients', async () => {
    const { status, body } = await app.call({
      method: 'POST',
      url: '/admin/v1/clients',
      body: { name: 'Feed', scopes: ['cases:read'] },
      headers: { 'idempotency-key': 'sealed' },
    })
    assert.equal(status, 201)
    const [stored] = await bodiesOf('sealed')
    assert.match(stored?.body ?? '', /^sealed:v1:/)
    assert.ok(!stored?.body.includes(body.clientSecret))
  })

  it('is not returned to a token of the same client with other scopes', async () => {
    const create = (scopes?: Scope[]) =>
      app.call({
        method: 'POST',
        url: '/admin/v1/clients',
        body: { name: 'Administrator', scopes: ['admin'] },
        headers: { 'idempotency-key': 'scopes' },
        ...(scopes && { scopes }),
      })
    const { body } = await create()
    const repeated = await create(['access:write'])
    expectProblem(repeated, { status: 422, code: 'idempotency-key-reused' })
    assert.ok(!JSON.stringify(repeated.body).includes(body.clientSecret))
    assert.equal((await create()).body.clientSecret, body.clientSecret)
  })

  it('is not stored where the service has no key to seal it with', async () => {
    const idempotency = createIdempotency(testClock(), sealerOf(0))
    await db.transaction(tx => idempotency.finish(tx, keyOf('plain'), response))
    assert.deepEqual([...(await bodiesOf('plain'))], [])
  })

  it('is rejected as 422 when the key that sealed it was removed', async () => {
    const clock = testClock()
    const [before, after] = [createIdempotency(clock, sealerOf(1)), createIdempotency(clock, sealerOf(1))]
    await db.transaction(tx => before.finish(tx, keyOf('rotated'), response))
    const replayed = await db.transaction(tx => before.begin(tx, keyOf('rotated')))
    assert.equal(replayed?.json, response.json)
    await assert.rejects(
      db.transaction(tx => after.begin(tx, keyOf('rotated'))),
      (error: Problem) => error instanceof Problem && error.kind.code === 'idempotency-key-reused',
    )
  })
})
