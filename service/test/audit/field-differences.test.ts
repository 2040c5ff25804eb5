import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { changesBetween, changesForReader } from '../../src/audit/field-differences.ts'

describe('changesBetween', () => {
  it('lists the fields that differ, with their values before and after', () => {
    assert.deepEqual(
      changesBetween({ name: 'Acme', code: 'A', active: true }, { name: 'Acme', code: null, active: false }),
      [
        { pointer: '/code', before: 'A', after: null },
        { pointer: '/active', before: true, after: false },
      ],
    )
  })

  it('lists what a new record has, without its empty fields', () => {
    assert.deepEqual(
      changesBetween(undefined, { firstName: 'Anna', middleName: null, relationship: '', passports: [] }),
      [{ pointer: '/firstName', before: null, after: 'Anna' }],
    )
  })

  it('lists what a deleted record had', () => {
    assert.deepEqual(changesBetween({ url: 'https://a.example', eventTypes: ['case.created'] }, undefined), [
      { pointer: '/url', before: 'https://a.example', after: null },
      { pointer: '/eventTypes', before: ['case.created'], after: null },
    ])
  })

  it('names items by their id, wherever they are in the list', () => {
    const passport = (passportId: string, country: string) => ({ passportId, country })
    assert.deepEqual(
      changesBetween(
        { passports: [passport('p1', 'DE'), passport('p2', 'FR')] },
        { passports: [passport('p2', 'CH'), passport('p3', 'ES')] },
      ),
      [
        { pointer: '/passports/p1', before: passport('p1', 'DE'), after: null },
        { pointer: '/passports/p2/country', before: 'FR', after: 'CH' },
        { pointer: '/passports/p3', before: null, after: passport('p3', 'ES') },
      ],
    )
  })

  it('lists another order of items as one change', () => {
    const items = [{ noteId: 'a' }, { noteId: 'b' }]
    assert.deepEqual(changesBetween({ metaData: items }, { metaData: items.toReversed() }), [
      { pointer: '/metaData', before: ['a', 'b'], after: ['b', 'a'] },
    ])
  })

  it('escapes names in pointers', () => {
    assert.deepEqual(changesBetween({ 'a/b~c': 1 }, { 'a/b~c': 2 }), [
      { pointer: '/a~1b~0c', before: 1, after: 2 },
    ])
  })

  it('finds nothing between equal records, and something between others', () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(record, record, (one, other) => {
        assert.deepEqual(changesBetween(one, structuredClone(one)), [])
        const plain = (value: object) =>
          JSON.stringify(value, (_key, part) =>
            part === null || part === '' || part?.length === 0 ? undefined : part,
          )
        if (changesBetween(one, other).length > 0) assert.notEqual(JSON.stringify(one), JSON.stringify(other))
        else assert.equal(sorted(plain(one)), sorted(plain(other)))
      }),
    )
  })
})

/** The text with the members of all objects in order. */
function sorted(text: string): string {
  return JSON.stringify(JSON.parse(text), (_key, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

describe('changesForReader', () => {
  it('leaves out ids of companies that the reader lacks', () => {
    const moved = { pointer: '/companies', before: ['B'], after: ['A', 'B'] }
    const widened = { pointer: '/companies', before: ['A'], after: null }
    assert.deepEqual(changesForReader([moved, widened], ['A']), [
      { pointer: '/companies', before: [], after: ['A'] },
      widened,
    ])
  })

  it('leaves out the documents of a checklist, and nothing else', () => {
    const name = { pointer: '/name', before: null, after: 'Acme' }
    const accepted = { pointer: '/checklist/Letter/accepted', before: false, after: true }
    const chosen = { pointer: '/checklist/Letter/documentId', before: null, after: 'd1' }
    const removed = { pointer: '/checklist/Visa', before: { required: true, documentId: 'd2' }, after: null }
    assert.deepEqual(changesForReader([name, accepted, chosen, removed], ['A']), [
      name,
      accepted,
      { pointer: '/checklist/Visa', before: { required: true }, after: null },
    ])
  })
})
