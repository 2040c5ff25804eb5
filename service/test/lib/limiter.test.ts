import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLimiter } from '../../src/lib/limiter.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp, registerClient, type TestApp } from '../support/harness.ts'

const test = await createTestApp({ config: { rateLimit: 5 } })

async function tokenOf(app: TestApp, client: { clientId: string; clientSecret: string }): Promise<string> {
  const response = await app.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=client_credentials&client_id=${client.clientId}&client_secret=${client.clientSecret}`,
  })
  return response.json().access_token
}

describe('RATE_LIMIT', () => {
  it('lets so many requests a minute pass, then answers 429 until the minute is over', async () => {
    const other = await registerClient(test.db)
    const others = { authorization: `Bearer ${await tokenOf(test, other)}` }
    for (let request = 1; request <= 5; request++)
      assert.equal((await test.call({ url: '/v2/case/health' })).status, 200)
    test.clock.advance(20)
    const refused = await test.call({ url: '/v2/case/health' })
    expectProblem(refused, { status: 429, code: 'too-many-requests' })
    assert.equal(refused.headers['retry-after'], '40')
    assert.match(refused.body.detail, /More than 5 requests a minute/)

    const anotherToken = await test.call({ url: '/v2/case/health', scopes: ['cases:read'] })
    expectProblem(anotherToken, { status: 429, code: 'too-many-requests' })
    const anotherClient = await test.call({ url: '/v2/case/health', scopes: null, headers: others })
    assert.equal(anotherClient.status, 200)
    assert.equal((await test.call({ url: '/healthz' })).status, 200)

    test.clock.advance(39)
    assert.equal((await test.call({ url: '/v2/case/health' })).status, 429)
    test.clock.advance(1)
    assert.equal((await test.call({ url: '/v2/case/health' })).status, 200)
  })

  it('counts requests that are refused for their scope or their body', async () => {
    test.clock.advance(60)
    for (let request = 1; request <= 5; request++) {
      const { status } = await test.call({ url: '/v2/case/health', scopes: ['documents:read'] })
      assert.equal(status, 403)
    }
    assert.equal((await test.call({ url: '/v2/case/health' })).status, 429)
  })

  it('does not hinder anyone where it is off', async () => {
    const app = await createTestApp({ db: test.db })
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => (await app.call({ url: '/v2/case/health' })).status),
    )
    assert.deepEqual([...new Set(statuses)], [200])
  })
})

describe('a limiter', () => {
  const create = (options: { limit?: number; capacity?: number } = {}) => {
    const time = { now: 1_000_000 }
    const limiter = createLimiter({ limit: 2, windowSeconds: 10, now: () => time.now, ...options })
    return { time, ...limiter }
  }

  it('says for every event whether it was within the limit', () => {
    const { count } = create()
    assert.deepEqual([count('a'), count('a'), count('a'), count('b')], [true, true, false, true])
  })

  it('blocks a key once its limit is reached, for the rest of its window', () => {
    const { count, blockedFor, time } = create()
    count('a')
    assert.equal(blockedFor('a'), 0)
    count('a')
    assert.equal(blockedFor('a'), 10)
    assert.equal(blockedFor('b'), 0)
    time.now += 9_001
    assert.equal(blockedFor('a'), 1)
    time.now += 999
    assert.equal(blockedFor('a'), 0)
    assert.equal(count('a'), true)
  })

  it('begins a window with the first event, not with the clock', () => {
    const { count, time } = create()
    time.now += 9_000
    count('a')
    time.now += 2_000
    count('a')
    assert.equal(count('a'), false)
    time.now += 8_000
    assert.equal(count('a'), true)
  })

  it('is not prolonged by events beyond the limit', () => {
    const { count, blockedFor, time } = create()
    for (let event = 0; event < 20; event++) {
      count('a')
      time.now += 400
    }
    assert.equal(blockedFor('a'), 2)
  })

  it('remembers no more keys than it may, and forgets those whose window began first', () => {
    const { count, blockedFor } = create({ limit: 1, capacity: 3 })
    for (const key of ['a', 'b', 'c', 'd']) count(key)
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map(key => blockedFor(key) > 0),
      [false, true, true, true],
    )
  })
})
