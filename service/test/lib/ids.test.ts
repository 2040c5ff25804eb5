import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isId, newId } from '../../src/lib/ids.ts'

describe('newId', () => {
  it('returns 24 characters that are never repeated, however many ids are made', () => {
    const ids = Array.from({ length: 10_000 }, () => newId())
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[\w-]{23}=$/)
    assert.ok(ids.every(isId))
  })

  it('never returns an id that begins with a hyphen, which a command line takes for an option', () => {
    const ids = Array.from({ length: 10_000 }, () => newId())
    assert.deepEqual(
      ids.filter(id => id.startsWith('-')),
      [],
    )
  })
})
