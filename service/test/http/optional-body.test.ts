// An action whose body has only optional members needs none; an update does.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const { app, call, token } = await createTestApp()

async function send(method: 'POST' | 'PATCH', url: string, headers: Record<string, string> = {}) {
  const response = await app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${await token()}`, ...headers },
  })
  return { status: response.statusCode, body: response.json() }
}

describe('a request without a body', () => {
  it('is accepted by an action whose members are all optional, unless a Content-Type announces one', async () => {
    const body = { clientId: 'hr', name: 'HR', scopes: ['cases:read'] }
    assert.equal((await call({ method: 'POST', url: '/admin/v1/clients', body })).status, 201)
    const url = '/admin/v1/clients/hr/rotate-secret'
    assert.equal((await send('POST', url)).status, 200)
    assert.equal((await send('POST', url, { 'content-type': 'application/json' })).status, 400)
  })

  it('is rejected by an update and by an action that needs a member', async () => {
    assert.equal((await send('PATCH', '/admin/v1/clients/hr')).status, 400)
    assert.equal((await send('POST', '/admin/v1/clients')).status, 400)
    assert.equal((await send('POST', '/auth/v1/session', { origin: 'http://localhost' })).status >= 400, true)
  })
})
