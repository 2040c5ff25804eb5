// A PATCH with stored values changes nothing, so that another client's If-Match still holds.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const { call, clock, db } = await createTestApp()

async function expectUnchanged(url: string, body: object) {
  const before = await call({ url })
  const entries = () =>
    db.sql`select from audit where action like '%.write' and record_id = ${url.split('/').at(-1) ?? ''}`
  clock.advance(60)
  const patched = await call({ method: 'PATCH', url, body })
  assert.equal(patched.status, 200, patched.text)
  assert.deepEqual(patched.body, before.body)
  assert.equal(patched.headers['etag'], before.headers['etag'])
  assert.equal((await entries()).length, 0)
}

describe('a PATCH with stored values', () => {
  it('leaves a company as it is', async () => {
    const body = { name: 'Northwind', code: 'NW', country: 'DE' }
    const made = await call({ method: 'POST', url: '/admin/v1/companies', body })
    await expectUnchanged(`/admin/v1/companies/${made.body.companyId}`, { ...body, active: true })
  })

  it('leaves a webhook as it is', async () => {
    const body = { url: 'https://example.com/hook', eventTypes: ['case.created'] }
    const made = await call({ method: 'POST', url: '/admin/v1/webhooks', body })
    await expectUnchanged(`/admin/v1/webhooks/${made.body.webhookId}`, { ...body, active: true })
  })
})
