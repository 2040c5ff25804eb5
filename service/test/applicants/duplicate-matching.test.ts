import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { duplicateKeysOf, matchOf, type SharedKey } from '../../src/applicants/duplicate-matching.ts'

const person = (fields: object = {}) => ({
  firstName: 'Łukasz',
  lastName: "O'Brien",
  dateOfBirth: '1990-05-31T00:00:00',
  email: null,
  alternateEmail: null,
  passports: [],
  ...fields,
})

/** What two people share, and what that proves. */
function compare(a: object, b: object, isFamily = false) {
  const [own, others] = [duplicateKeysOf(person(a)), duplicateKeysOf(person(b))]
  const shared = own.flatMap(one =>
    others
      .filter(other => other.reason === one.reason && other.key.equals(one.key))
      .map((other): SharedKey => ({ ...one, qualifiers: [one.qualifier, other.qualifier] })),
  )
  return matchOf(shared, { isFamily })
}

describe('two records', () => {
  const nobody = { firstName: 'Nobody', lastName: 'Else', dateOfBirth: '2001-01-01' }

  it('match by name and day of birth, whatever the spelling', () => {
    const match = compare(
      {},
      { firstName: 'LUKASZ ', lastName: 'obrien', dateOfBirth: '1990-05-31T12:00:00' },
    )
    assert.deepEqual([match?.score, match?.reasons], [40, ['nameAndBirthDate']])
    assert.equal(compare({}, { dateOfBirth: '1990-06-01' }), undefined)
    assert.equal(compare({ dateOfBirth: null }, { dateOfBirth: null }), undefined)
    // "Ann Elise" is not "Anne Lise".
    assert.equal(
      compare({ firstName: 'Ann', lastName: 'Elise' }, { firstName: 'Anne', lastName: 'Lise' }),
      undefined,
    )
  })

  it('match by passport, with its country in two or three letters or missing on one side', () => {
    const passports = (passportNumber: string, country: string | null) => ({
      passports: [{ passportNumber, country }],
    })
    for (const country of ['DE', 'DEU', '', null])
      assert.deepEqual(
        compare(passports('C01 X00', 'de'), { ...nobody, ...passports('c01x-00', country) })?.reasons,
        ['passport'],
      )
    assert.equal(compare(passports('C01X00', 'DE'), { ...nobody, ...passports('C01X00', 'FR') }), undefined)
    assert.equal(compare(passports('', 'DE'), { ...nobody, ...passports(' ', 'DE') }), undefined)
  })

  it('match by e-mail address, also by the alternate one', () => {
    const match = compare({ email: 'a@example.com' }, { ...nobody, alternateEmail: 'A@EXAMPLE.com' })
    assert.deepEqual([match?.score, match?.reasons], [20, ['email']])
  })

  it('of one family match only by name and day of birth', () => {
    const email = { email: 'a@example.com', passports: [{ passportNumber: '1', country: 'DE' }] }
    assert.equal(compare(email, { ...nobody, ...email }, true), undefined)
    assert.deepEqual(compare(email, email, true)?.reasons, ['passport', 'nameAndBirthDate', 'email'])
  })

  it('have a score of at most 100, and a digest that changes with what they share', () => {
    const all = { email: 'a@example.com', passports: [{ passportNumber: '1', country: 'DE' }] }
    const match = compare(all, all)
    assert.equal(match?.score, 100)
    assert.deepEqual(match?.matched, compare(all, all)?.matched)
    const other = compare({ ...all, email: 'b@example.com' }, { ...all, email: 'b@example.com' })
    assert.notDeepEqual(match?.matched, other?.matched)
  })
})
