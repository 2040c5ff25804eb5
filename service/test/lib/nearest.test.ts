import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nearest } from '../../src/lib/nearest.ts'

describe('nearest', () => {
  const known = ['name', 'scopes', 'clientId', 'passportNumber']

  it('finds the closest name, in any case', () => {
    assert.equal(nearest('nmae', known), 'name')
    assert.equal(nearest('NAME', known), 'name')
    assert.equal(nearest('client_id', known), 'clientId')
    assert.equal(nearest('passport_number', known), 'passportNumber')
    assert.equal(nearest('scope', known), 'scopes')
  })

  it('returns undefined where nothing is close', () => {
    assert.equal(nearest('colour', known), undefined)
    assert.equal(nearest('name', []), undefined)
  })

  it('prefers an exact match, and is fast for a long word', () => {
    assert.equal(nearest('namee', ['names', 'namee2', 'namee']), 'namee')
    assert.equal(nearest('x'.repeat(1_000_000), known), undefined)
  })
})
