import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Applicant, ApplicantInput } from '../../src/applicants/applicant.ts'
import { isUnchangedByReplace, replace } from '../../src/applicants/applicant-changes.ts'
import { matchDependents, repeatedDependentErrorsOf } from '../../src/applicants/dependent-matching.ts'
import { countingIds } from './arbitraries.ts'

const ID = fc.constantFrom(undefined, null, '', 'dep-1', 'dep-2', 'dep-3')
const NUMBER = fc.constantFrom(undefined, null, '', 'E-1', 'E-2', 'dep-1')

const inputs = fc.array(
  fc.record({ applicantId: ID, employeeNumber: NUMBER }).map(
    // Removes members that are undefined.
    body => JSON.parse(JSON.stringify(body)) as ApplicantInput,
  ),
  { maxLength: 5 },
)

/** Stored records have unique ids and numbers. */
const stored = fc.uniqueArray(fc.constantFrom('dep-1', 'dep-2', 'dep-3'), { maxLength: 3 }).chain(ids =>
  fc
    .uniqueArray(fc.constantFrom('E-1', 'E-2', 'dep-1', null), {
      minLength: ids.length,
      maxLength: ids.length,
      comparator: (a, b) => a !== null && a === b,
    })
    .map(numbers =>
      ids.map((applicantId, index) => ({
        record: replace(
          { employeeNumber: numbers[index] ?? null },
          { applicantId, newId: countingIds() },
        ) as Applicant,
      })),
    ),
)

describe('matchDependents', () => {
  it('matches by id if there is one, otherwise by number, otherwise not at all', () => {
    fc.assert(
      fc.property(inputs, stored, (bodies, known) => {
        const matched = matchDependents(bodies, { own: known, isUnchanged: isUnchangedByReplace })
        assert.deepEqual(
          matched.map(({ input }) => input),
          bodies,
        )
        for (const { input, stored: found } of matched) {
          const expected = input.applicantId
            ? known.find(({ record }) => record.applicantId === input.applicantId)
            : input.employeeNumber
              ? known.find(({ record }) => record.employeeNumber === input.employeeNumber)
              : undefined

          assert.equal(found, expected)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('repeatedDependentErrorsOf', () => {
  it('points at each dependent that repeats an id or number of an earlier one, and at no other', () => {
    fc.assert(
      fc.property(inputs, stored, NUMBER, (bodies, known, primaryNumber) => {
        const matched = matchDependents(bodies, { own: known, isUnchanged: isUnchangedByReplace })
        const claim = ({ input, stored: found }: (typeof matched)[number]) =>
          found?.record.applicantId ?? (input.applicantId || undefined)
        const expected = matched.flatMap((one, index) => {
          const earlier = matched.slice(0, index)
          const number = one.input.employeeNumber
          return [
            ...(claim(one) && earlier.some(other => claim(other) === claim(one))
              ? [`/dependents/${index}/applicantId`]
              : []),
            ...(number &&
            (number === primaryNumber || earlier.some(other => other.input.employeeNumber === number))
              ? [`/dependents/${index}/employeeNumber`]
              : []),
          ]
        })
        assert.deepEqual(
          repeatedDependentErrorsOf(matched, primaryNumber).map(({ pointer }) => pointer),
          expected,
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it('returns nothing for different people', () => {
    fc.assert(
      fc.property(stored, known => {
        const bodies = known.map(({ record }) => ({ applicantId: record.applicantId }))
        assert.deepEqual(
          repeatedDependentErrorsOf(
            matchDependents(bodies, { own: known, isUnchanged: isUnchangedByReplace }),
            'E-9',
          ),
          [],
        )
      }),
    )
  })
})

const person = (id: string, body: ApplicantInput, archived = false) => ({
  record: replace(body, { applicantId: id, newId: countingIds() }) as Applicant,
  archived,
})
const ben = {
  firstName: 'Ben',
  lastName: 'Müller',
  relationship: 'Child',
  dateOfBirth: '2018-09-12T00:00:00',
}
const matchedIds = (inputs: ApplicantInput[], own: ReturnType<typeof person>[]) =>
  matchDependents(inputs, { own, isUnchanged: isUnchangedByReplace }).map(
    ({ stored }) => stored?.record.applicantId,
  )

describe('matchDependents: dependents without id and number', () => {
  it('match by folded names and day of birth', () => {
    const own = [person('dep-1', ben), person('dep-2', { ...ben, firstName: 'Cleo' })]
    const sent = { ...ben, firstName: 'BEN', lastName: 'Muller', dateOfBirth: '2018-09-12T10:00:00' }
    assert.deepEqual(matchedIds([{ ...ben, firstName: 'Cleo' }, sent], own), ['dep-2', 'dep-1'])
  })

  it('do not match where the day of birth differs', () => {
    assert.deepEqual(matchedIds([{ ...ben, dateOfBirth: '2020-01-01T00:00:00' }], [person('dep-1', ben)]), [
      undefined,
    ])
  })

  it('match by names and relationship where one side has no day of birth', () => {
    const { dateOfBirth: _date, ...without } = ben
    assert.deepEqual(matchedIds([without], [person('dep-1', ben)]), ['dep-1'])
    assert.deepEqual(matchedIds([ben], [person('dep-1', without)]), ['dep-1'])
    assert.deepEqual(matchedIds([{ ...without, relationship: 'Spouse' }], [person('dep-1', ben)]), [
      undefined,
    ])
  })

  it('do not match by name where both have a number, and the numbers differ', () => {
    const own = [person('dep-1', { ...ben, employeeNumber: 'E-1' })]
    assert.deepEqual(matchedIds([{ ...ben, employeeNumber: 'E-2' }], own), [undefined])
    assert.deepEqual(matchedIds([ben], own), ['dep-1'])
  })

  it('match in order where several of one name and day are stored and sent', () => {
    const own = [person('dep-1', ben), person('dep-2', ben)]
    assert.deepEqual(matchedIds([ben, ben, ben], own), ['dep-1', 'dep-2', undefined])
  })

  it('of the same names and day match the unchanged record when their order changes, or one is left out', () => {
    const other = { ...ben, middleName: 'Karl' }
    const own = [person('dep-1', ben), person('dep-2', other)]
    assert.deepEqual(matchedIds([other, ben], own), ['dep-2', 'dep-1'])
    assert.deepEqual(matchedIds([other], own), ['dep-2'])
    assert.deepEqual(matchedIds([{ ...ben, jobTitle: 'Pupil' }, other], own), ['dep-1', 'dep-2'])
  })

  it('match the exact spelling before one with other accents, in any order, left out, and changed', () => {
    const [jose, accented] = [
      { ...ben, firstName: 'Jose' },
      { ...ben, firstName: 'José' },
    ]
    const own = [person('dep-1', jose), person('dep-2', accented)]
    const changed = { jobTitle: 'Pupil' }
    assert.deepEqual(matchedIds([{ ...accented, ...changed }], own), ['dep-2'])
    assert.deepEqual(
      matchedIds(
        [
          { ...accented, ...changed },
          { ...jose, ...changed },
        ],
        own,
      ),
      ['dep-2', 'dep-1'],
    )
    assert.deepEqual(matchedIds([{ ...accented, firstName: 'JOSÉ' }], own), ['dep-2'])
  })

  it('match an archived record of the exact spelling before a live one with other accents', () => {
    const own = [person('dep-1', ben), person('dep-2', { ...ben, lastName: 'Muller' }, true)]
    assert.deepEqual(matchedIds([{ ...ben, lastName: 'Muller' }], own), ['dep-2'])
  })

  it('match a live record with other accents before an archived one whose day of birth is missing', () => {
    const jose = { ...ben, firstName: 'Jose' }
    const own = [
      person('dep-1', { ...ben, firstName: 'José' }),
      person('dep-2', { ...jose, dateOfBirth: null }, true),
    ]
    assert.deepEqual(matchedIds([jose], own), ['dep-1'])
  })

  it('tell names apart by their vowel signs and voicing', () => {
    for (const [one, other] of [
      ['अनिल', 'अनिला'],
      ['タイキ', 'ダイキ'],
      ['กิน', 'กุน'],
    ] as const) {
      const own = [person('dep-1', { ...ben, firstName: one })]
      assert.deepEqual(matchedIds([{ ...ben, firstName: other }], own), [undefined])
    }
  })

  it('match live records before archived ones', () => {
    const own = [person('dep-1', ben, true), person('dep-2', ben)]
    assert.deepEqual(matchedIds([ben], own), ['dep-2'])
    assert.deepEqual(matchedIds([ben, ben], own), ['dep-2', 'dep-1'])
  })

  it('match an archived record by number before a live one by name', () => {
    const own = [person('dep-1', { ...ben, employeeNumber: 'E-1' }, true), person('dep-2', ben)]
    assert.deepEqual(matchedIds([{ ...ben, employeeNumber: 'E-1' }], own), ['dep-1'])
  })
})
