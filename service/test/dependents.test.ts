import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Applicant, type ApplicantInput, equal, merge, replace } from '../src/applicants/applicant.ts'
import { matchDependents, matchMade, repeatedDependents } from '../src/applicants/dependents.ts'
import { countingIds } from './arbitraries.ts'

const ID = fc.constantFrom(undefined, null, '', 'dep-1', 'dep-2', 'dep-3')
const NUMBER = fc.constantFrom(undefined, null, '', 'E-1', 'E-2', 'dep-1')

const inputs = fc.array(
  fc.record({ applicantId: ID, employeeNumber: NUMBER }).map(
    // A member that is undefined is one that is not there.
    body => JSON.parse(JSON.stringify(body)) as ApplicantInput,
  ),
  { maxLength: 5 },
)

/** What is stored never has an id or a number twice. */
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
  it('goes by the id where there is one, else by the number, else there is no match', () => {
    fc.assert(
      fc.property(inputs, stored, (bodies, known) => {
        const matched = matchDependents(bodies, known)
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

describe('repeatedDependents', () => {
  it('points at each dependent whose id or number somebody before it in the request has, and at no other', () => {
    fc.assert(
      fc.property(inputs, stored, NUMBER, (bodies, known, primaryNumber) => {
        const matched = matchDependents(bodies, known)
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
          repeatedDependents(matched, primaryNumber).map(({ pointer }) => pointer),
          expected,
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it('finds nothing where every one is somebody else', () => {
    fc.assert(
      fc.property(stored, known => {
        const bodies = known.map(({ record }) => ({ applicantId: record.applicantId }))
        assert.deepEqual(repeatedDependents(matchDependents(bodies, known), 'E-9'), [])
      }),
    )
  })
})

/** Dependents of a merge that are often new, and often the same as one another but for a member. */
const described = fc.array(
  fc.record(
    {
      firstName: fc.constantFrom('Ben', 'Ben', 'Cleo', null, ''),
      lastName: fc.constant('Schmidt'),
      relationship: fc.constantFrom('Child', 'Child', ''),
      jobTitle: fc.constantFrom('Pupil', null),
      middleName: fc.constantFrom('', null),
      metaData: fc.constantFrom(
        null,
        [],
        [{ tagName: 'a' }],
        [{ tagName: 'a', value: '1' }],
        [{ tagName: 'a' }, { tagName: 'a', value: '2' }],
      ),
      employeeNumber: fc.constantFrom('E-1', null),
      applicantId: fc.constantFrom('dep-1', ''),
    },
    { requiredKeys: ['firstName', 'lastName', 'relationship'] },
  ) as fc.Arbitrary<ApplicantInput>,
  { maxLength: 5 },
)

/** What a merge does with its dependents, those that are in it twice left aside. */
function mergeAll(inputs: ApplicantInput[], own: { record: Applicant }[], newId: () => string) {
  const matched = matchMade(matchDependents(inputs, own), own)
  const after = new Map(own.map(one => [one.record.applicantId, one]))
  for (const { input, stored } of matched) {
    const record = stored
      ? merge(stored.record, input, newId)
      : merge(replace({}, { applicantId: input.applicantId || newId(), newId }), input, newId)
    after.set(record.applicantId, { record })
  }
  return { matched, after: [...after.values()] }
}

describe('matchMade', () => {
  it('lets a merge be sent again without making anyone twice', () => {
    fc.assert(
      fc.property(described, described, (before, inputs) => {
        const whole = (input: ApplicantInput) => input.firstName && input.relationship
        const newId = countingIds()
        const known = mergeAll(before.filter(whole), [], newId).after
        const { matched } = mergeAll(inputs.filter(whole), known, newId)
        fc.pre(repeatedDependents(matched, undefined).length === 0)
        const once = mergeAll(inputs.filter(whole), known, newId).after
        const twice = mergeAll(inputs.filter(whole), once, () => assert.fail('nobody is new')).after
        assert.deepEqual(twice, once)
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes nobody for two, and changes nobody it recognises', () => {
    fc.assert(
      fc.property(described, described, (before, inputs) => {
        const known = mergeAll(before, [], countingIds()).after
        const plain = matchDependents(inputs, known)
        const matched = matchMade(plain, known)
        const recognised = matched.filter(({ stored }, index) => stored && !plain[index]?.stored)
        for (const { input, stored } of recognised) {
          assert.ok(!input.applicantId && !input.employeeNumber)
          assert.ok(stored && equal(merge(stored.record, input, countingIds()), stored.record))
          assert.equal(matched.filter(other => other.stored === stored).length, 1)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
