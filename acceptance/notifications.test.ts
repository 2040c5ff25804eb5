import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call } from './client.ts'

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const list = (query: Record<string, string> = {}) => {
  const all = new URLSearchParams({ startDate: day(-1), endDate: day(1), ...query })
  return call({ path: `/admin/v1/notifications?${all}` })
}

describe('GET /admin/v1/notifications', () => {
  it('is a page of notifications, of one state where that is asked for', async () => {
    for (const query of [
      {},
      { state: 'pending' },
      { state: 'sent' },
      { state: 'recorded' },
      { state: 'failed' },
    ]) {
      const answer = await list(query)
      assert.equal(answer.status, 200)
      assert.ok(Array.isArray(answer.body.records))
    }
    assert.equal((await list({ state: 'eaten' })).body.errors[0].pointer, '/state')
  })

  it('refuses a range that ends before it begins, and a cursor that it did not give', async () => {
    assert.equal((await list({ startDate: day(1), endDate: day(0) })).status, 400)
    assert.equal((await list({ nextCursor: 'AAAA' })).body.code, 'invalid-cursor')
  })
})
