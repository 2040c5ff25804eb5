import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
  it('allows this number of requests a minute, then responds with 429 until the minute is over', async () => {
    const other = await registerClient(test.db)
    const others = { authorization: `Bearer ${await tokenOf(test, other)}` }
    for (let request = 1; request <= 5; request++)
      assert.equal((await test.call({ url: '/v2/case/health' })).status, 200)
    test.clock.advance(20)
    const rejected = await test.call({ url: '/v2/case/health' })
    expectProblem(rejected, { status: 429, code: 'too-many-requests' })
    assert.equal(rejected.headers['retry-after'], '40')
    assert.match(rejected.body.detail, /More than 5 requests a minute/)

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

  it('counts requests that are rejected for their scope or their body', async () => {
    test.clock.advance(60)
    for (let request = 1; request <= 4; request++) {
      const { status } = await test.call({ url: '/v2/case/health', scopes: ['documents:read'] })
      assert.equal(status, 403)
    }
    const invalid = await test.call({ method: 'POST', url: '/admin/v1/companies', body: {} })
    assert.equal(invalid.status, 400)
    assert.equal((await test.call({ url: '/v2/case/health' })).status, 429)
  })

  it('has no effect where it is off', async () => {
    const app = await createTestApp({ db: test.db })
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => (await app.call({ url: '/admin/v1/companies' })).status),
    )
    assert.deepEqual([...new Set(statuses)], [200])
  })
})
