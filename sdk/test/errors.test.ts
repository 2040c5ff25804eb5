import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorOf, networkError } from '../src/errors.ts'

const response = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
})

describe('errorOf', () => {
  it('reads Retry-After as seconds and as a date', () => {
    assert.equal(errorOf(response(429, { 'retry-after': '7' }), '').retryAfter, 7)
    const date = new Date(Date.now() + 60_000).toUTCString()
    const seconds = errorOf(response(503, { 'retry-after': date }), '').retryAfter ?? 0
    assert.ok(seconds > 55 && seconds <= 60, String(seconds))
    assert.equal(errorOf(response(503, { 'retry-after': 'soon' }), '').retryAfter, undefined)
  })

  it('keeps a code that this version does not know', () => {
    const error = errorOf(response(409), '{"code":"new-conflict","title":"T","detail":"D"}')
    assert.deepEqual(
      [error.code, error.status, error.title, error.detail, error.errors],
      ['new-conflict', 409, 'T', 'D', []],
    )
  })

  it('takes the request id of the header if the body has none', () => {
    const headers = { 'x-request-id': 'r-1' }
    assert.equal(errorOf(response(502, headers), '<html>').requestId, 'r-1')
  })

  it('names at most three fields in its message, and has all of them', () => {
    const errors = ['/a', '/b', '/c', '/d'].map(pointer => ({ pointer, detail: 'Required.' }))
    const error = errorOf(response(400), JSON.stringify({ code: 'invalid-request', detail: 'D.', errors }))
    assert.equal(error.message, 'invalid-request: D. /a: Required. /b: Required. /c: Required.')
    assert.equal(error.errors.length, 4)
  })

  it('does not fail on bodies that are JSON but no object', () => {
    for (const body of ['null', '"text"', '[]', '7'])
      assert.equal(errorOf(response(500), body).code, 'invalid-response', body)
  })
})

describe('networkError', () => {
  it('names the cause beneath the error of fetch', () => {
    const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    assert.match(networkError(cause).detail, /fetch failed \(connect ECONNREFUSED\)/)
    assert.equal(networkError(cause).cause, cause)
  })

  it('names the cause of each address of a name', () => {
    const each = ['connect ECONNREFUSED ::1:9', 'connect ETIMEDOUT 127.0.0.1:9'].map(text => new Error(text))
    const cause = new TypeError('fetch failed', { cause: new AggregateError(each) })
    const expected = 'fetch failed (connect ECONNREFUSED ::1:9, connect ETIMEDOUT 127.0.0.1:9)'
    assert.equal(networkError(cause).detail, `The service cannot be reached: ${expected}.`)
  })
})
