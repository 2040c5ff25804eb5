// Unit tests of the model without the service, so that an error in the model is not mistaken for one in the service.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mergeFamily, replaceFamily, type ToFamily } from './applicant-model.ts'
import { BAD, FIXED, OF_ANOTHER, UNKNOWN } from './model-errors.ts'
import { type Mode, matchItems } from './model-items.ts'
import { dependentsOf, emptyState, type Item, type Json, live, primaries, type State } from './model-state.ts'
import type { Verdict } from './model-verdict.ts'

const matchOf = (
  list: string,
  {
    current,
    removed = [],
    items,
    mode = 'replace',
  }: { current: Item[]; removed?: Item[]; items: Json[]; mode?: Mode },
) =>
  matchItems({ list, mode, items, current, removed }).map(
    found => found?.['passportId'] ?? found?.['documentId'] ?? found?.['noteId'] ?? found?.['previousNameId'],
  )

const passport = (passportId: string, passportNumber: string, country: string | null = null): Item => ({
  passportId,
  passportNumber,
  country,
  issuedBy: null,
  nationality: null,
  issueDate: null,
  expiryDate: null,
})

const visa = (documentId: string, referenceNumber: string | null = null): Item => ({
  documentId,
  name: 'Visa',
  referenceNumber,
})

const note = (noteId: string, tagName: string, value: string): Item => ({ noteId, tagName, value })

describe('model: matchItems', () => {
  it('matches a passport in another spelling, with a country code of three letters', () => {
    const current = [passport('a', 'C 01-X', 'DE'), passport('b', 'C01X', 'FR')]
    assert.deepEqual(matchOf('passports', { current, items: [{ passportNumber: 'c01x', country: 'FRA' }] }), [
      'b',
    ])
  })

  it('matches a passport without a country only if its number is unique', () => {
    const items = [{ passportNumber: 'P1' }]
    assert.deepEqual(matchOf('passports', { current: [passport('a', 'P1', 'DE')], items }), ['a'])
    const two = [passport('a', 'P1', 'DE'), passport('b', 'P1', 'FR')]
    assert.deepEqual(matchOf('passports', { current: two, items }), [undefined])
  })

  it('prefers exact matches of all items to loose ones', () => {
    const items = [{ passportNumber: 'P1' }, { passportNumber: 'P1', country: 'DE' }]
    assert.deepEqual(matchOf('passports', { current: [passport('a', 'P1', 'DE')], items }), [undefined, 'a'])
  })

  it('prefers an exact match to a loose one that the item would leave unchanged', () => {
    const current = [passport('a', 'P1', 'FR'), { ...passport('b', 'P1'), issuedBy: 'x' }]
    const items = [
      { passportNumber: 'p 1', country: 'FRA' },
      { passportNumber: 'P1', issuedBy: null },
    ]
    assert.deepEqual(matchOf('passports', { current, items, mode: 'merge' }), ['a', 'b'])
  })

  it('matches by id first, and each stored item only once', () => {
    const current = [note('a', 't', '1'), note('b', 't', '2')]
    assert.deepEqual(
      matchOf('metaData', { current, items: [{ tagName: 't' }, { noteId: 'a', tagName: 'u' }] }),
      ['b', 'a'],
    )
    assert.deepEqual(
      matchOf('metaData', { current: [note('a', 't', '1')], items: [{ tagName: 't' }, { tagName: 't' }] }),
      ['a', undefined],
    )
  })

  it('prefers a stored item that is equal', () => {
    const current = [note('a', 't', '1'), note('b', 't', '2')]
    const items = [
      { tagName: 't', value: '2' },
      { tagName: 't', value: '1' },
    ]
    assert.deepEqual(matchOf('metaData', { current, items }), ['b', 'a'])
  })

  it('restores a removed document by id or by name and reference', () => {
    const removed = [visa('a', '1'), visa('b', '2')]
    const items = [{ name: ' Visa', referenceNumber: '2' }, { documentId: 'a' }]
    assert.deepEqual(matchOf('documents', { current: [], removed, items }), ['b', 'a'])
  })
})

/** The state after a request that must succeed. Placeholder ids remain. */
const after = ({ must, success }: Verdict): State => {
  assert.deepEqual([...must], [])
  assert.ok(success)
  return success.next
}

const person = (firstName: string, more: Json = {}) => ({
  firstName,
  lastName: 'Ben',
  relationship: 'Child',
  dateOfBirth: '2018-09-12',
  ...more,
})
const primaryApplicant = { firstName: 'Ada', lastName: 'Ben' }

function family(dependents: Json[], { state = emptyState(), id = 'first-family' } = {}) {
  const next = after(put(state, { key: { id }, body: { primaryApplicant, dependents } }))
  return { state: next, id, key: { id } }
}

const put = (state: State, request: ToFamily) => replaceFamily(state, request)
const patch = (state: State, request: ToFamily) => mergeFamily(state, request)
const idsOf = (state: State, id: string) => dependentsOf(state, id).map(one => one.id)

describe('model: dependents', () => {
  it('matches a dependent by number, by names and date of birth, and by names and relationship', () => {
    const { state, id, key } = family([person('Zo\u00eb'), person('Ben', { employeeNumber: 'N1' })])
    for (const dependents of [
      [person('ZOE'), person('Other', { employeeNumber: 'N1' })],
      [person('zoe', { dateOfBirth: '' }), person('Ben', { relationship: 'Spouse' })],
    ]) {
      const next = after(put(state, { key, body: { primaryApplicant, dependents } }))
      assert.deepEqual(idsOf(next, id), idsOf(state, id))
    }
  })

  it('creates another dependent for another date of birth or another number', () => {
    const { state, id, key } = family([person('Zo\u00eb', { employeeNumber: 'N1' })])
    for (const other of [{ dateOfBirth: '2018-09-13' }, { employeeNumber: 'N2' }]) {
      const next = after(
        put(state, { key, body: { primaryApplicant, dependents: [person('Zo\u00eb', other)] } }),
      )
      assert.equal(idsOf(next, id).includes(idsOf(state, id)[0] as string), false)
    }
  })

  it('restores an archived dependent with its number and its documents', () => {
    const { state, id, key } = family([
      person('Ben', { employeeNumber: 'N1', documents: [{ name: 'Visa' }] }),
    ])
    const without = after(put(state, { key, body: { primaryApplicant, dependents: [] } }))
    assert.deepEqual(idsOf(without, id), [])
    const back = after(patch(without, { key, body: { dependents: [person('BEN')] } }))
    assert.deepEqual(idsOf(back, id), idsOf(state, id))
    const [dependent] = dependentsOf(back, id)
    assert.equal(dependent?.fields['employeeNumber'], 'N1')
    assert.equal(dependent?.lists['documents']?.length, 1)
  })

  it('restores a dependent without its number if another record has it now', () => {
    const { state, key } = family([person('Ben', { employeeNumber: 'N1' })])
    const without = after(put(state, { key, body: { primaryApplicant, dependents: [] } }))
    const other = family([person('Max', { employeeNumber: 'N1' })], {
      state: without,
      id: 'second-family',
    })
    const back = after(patch(other.state, { key, body: { dependents: [person('Ben')] } }))
    assert.deepEqual(
      dependentsOf(back, 'first-family').map(({ fields }) => fields['employeeNumber']),
      [null],
    )
  })

  it('moves a dependent in a merge and rejects it in a replace', () => {
    const first = family([person('Ben', { employeeNumber: 'N1' })])
    const second = family([], { state: first.state, id: 'second-family' })
    const moved = after(
      patch(second.state, { key: second.key, body: { dependents: [{ employeeNumber: 'N1' }] } }),
    )
    assert.deepEqual(idsOf(moved, second.id), idsOf(first.state, first.id))
    const applicantId = idsOf(first.state, first.id)[0]
    const replaced = put(second.state, {
      key: second.key,
      body: { primaryApplicant, dependents: [person('Ben', { applicantId })] },
    })
    assert.ok(replaced.must.has(OF_ANOTHER))
  })
})

describe('model: numbers and items', () => {
  it('sets the number of a record without one, and rejects changing or removing it', () => {
    const { state, key } = family([])
    const body = (employeeNumber: Json) => ({ primaryApplicant: { ...primaryApplicant, employeeNumber } })
    const numbered = after(put(state, { key, body: body('N1') }))
    for (const wrong of ['N2', null, '']) {
      assert.deepEqual([...put(numbered, { key, body: body(wrong) }).must], [FIXED])
      assert.deepEqual([...patch(numbered, { key, body: body(wrong) }).must], [FIXED])
    }
    const left = after(put(numbered, { key, body: { primaryApplicant } }))
    assert.equal(live(left)[0]?.fields['employeeNumber'], 'N1')
    assert.ok(put(numbered, { key: { number: 'N1' }, body: body('N2') }).must.has(BAD))
  })

  it('rejects the id of an item of another person', () => {
    const first = family([person('Ben', { metaData: [{ tagName: 'a' }] })])
    const noteId = dependentsOf(first.state, first.id)[0]?.lists['metaData']?.[0]?.['noteId']
    const body = { primaryApplicant: { ...primaryApplicant, metaData: [{ noteId, tagName: 'a' }] } }
    assert.ok(put(first.state, { key: first.key, body }).must.has(UNKNOWN))
    assert.ok(patch(first.state, { key: first.key, body }).must.has(UNKNOWN))
  })

  it('keeps the stored order if the body has the same items, and uses the order of the body otherwise', () => {
    const { state, key } = family([])
    const metaData = ['a', 'b'].map(tagName => ({ tagName }))
    const write = (from: State, items: Json[]) =>
      after(put(from, { key, body: { primaryApplicant: { ...primaryApplicant, metaData: items } } }))
    const tagsOf = (of: State) => primaries(of)[0]?.lists['metaData']?.map(one => one['tagName'])
    const stored = write(state, metaData)
    assert.deepEqual(tagsOf(write(stored, metaData.toReversed())), ['a', 'b'])
    assert.deepEqual(tagsOf(write(stored, [{ tagName: 'c' }, ...metaData.toReversed()])), ['c', 'b', 'a'])
  })
})
