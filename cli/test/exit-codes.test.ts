import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reasonOf } from '../src/exit-codes.ts'

describe('reasonOf', () => {
  it('names the cause, that of each address of a name, or the error itself', () => {
    const failed = (cause?: Error) => new TypeError('fetch failed', { cause })
    const each = ['connect ECONNREFUSED ::1:9', 'connect ECONNREFUSED 127.0.0.1:9'].map(
      text => new Error(text),
    )
    assert.equal(reasonOf(failed()), 'fetch failed')
    assert.equal(reasonOf(failed(each[0])), 'connect ECONNREFUSED ::1:9')
    assert.equal(
      reasonOf(failed(new AggregateError(each))),
      'connect ECONNREFUSED ::1:9, connect ECONNREFUSED 127.0.0.1:9',
    )
  })
})
