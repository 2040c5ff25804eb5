import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countryKey } from '../../src/lib/countries.ts'

describe('countryKey', () => {
  it('is the same for the codes of two and three letters, in any case', () => {
    assert.equal(countryKey('deu'), 'DE')
    assert.equal(countryKey('DE'), 'DE')
    assert.equal(countryKey('UK'), countryKey('GBR'))
    assert.equal(countryKey('ZZZ'), 'ZZZ')
  })
})
