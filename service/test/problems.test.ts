import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from './harness.ts'

const test = await createTestApp()

describe('problem documents', () => {
  it('name every fault of a body at once, with pointers and the nearest known name', async () => {
    const { status, headers, body } = await test.call({
      method: 'POST',
      url: '/admin/v1/clients',
      body: { nmae: 'x', scopes: ['admin', 'nonsense'] },
    })
    assert.equal(status, 400)
    assert.match(String(headers['content-type']), /^application\/problem\+json/)
    assert.equal(body.code, 'invalid-request')
    assert.equal(body.requestId, headers['x-request-id'])
    assert.deepEqual(
      new Map(body.errors.map((error: { pointer: string; detail: string }) => [error.pointer, error.detail])),
      new Map([
        ['/name', 'Required, but missing.'],
        ['/nmae', 'There is no such field here. Did you mean name?'],
        [
          '/scopes/1',
          `Expected one of applicants:read, applicants:write, cases:read, cases:write, documents:read, documents:write, admin.`,
        ],
      ]),
    )
  })
})
