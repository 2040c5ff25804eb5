import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Applicant,
  type ApplicantInput,
  equal,
  type Item,
  LIST_NAMES,
  LISTS,
} from '../../src/applicants/applicant.ts'
import { replace } from '../../src/applicants/applicant-changes.ts'
import type { Stored } from '../../src/applicants/applicants.mapper.ts'
import { CHOSEN_FIELDS, choiceErrorsOf, type MergeInput, planMerge } from '../../src/applicants/merge-plan.ts'
import { countingIds, input } from './arbitraries.ts'

function stored(record: Applicant, primaryId: string | null = null): Stored {
  const at = new Date(0)
  return { record, primaryId, archived: false, version: 1, createdAt: at, updatedAt: at }
}

const recordOf = (fields: ApplicantInput, applicantId: string) =>
  replace(fields, { applicantId, newId: countingIds(applicantId) })

const pairOf = (a: ApplicantInput, b: ApplicantInput, more: Partial<MergeInput> = {}): MergeInput => ({
  target: stored(recordOf(a, 'target')),
  source: stored(recordOf(b, 'source')),
  targetDependents: [],
  sourceDependents: [],
  choices: {},
  number: undefined,
  filed: new Set(),
  ...more,
})

const isEmpty = (value: unknown) => value === null || value === ''
const idsOf = (items: Item[], id: string) => items.map(item => item[id])

describe('the plan of a merge', () => {
  it('keeps every value of the target, and every value that only the source has', () => {
    fc.assert(
      fc.property(input(['t-1', 't-2']), input(['s-1', 's-2']), (a, b) => {
        const { person } = planMerge(pairOf(a, b))
        const [target, source] = [person.target.record, person.source.record]
        for (const field of CHOSEN_FIELDS) {
          if (field === 'relationship') continue
          const expected = isEmpty(target[field]) && !isEmpty(source[field]) ? source[field] : target[field]
          assert.equal(person.record[field], expected)
        }
      }),
    )
  })

  it('has the items of both: those of the source with their ids, or as one with an item of the target', () => {
    fc.assert(
      fc.property(input(['t-1', 't-2']), input(['s-1', 's-2']), (a, b) => {
        const { person } = planMerge(pairOf(a, b))
        const [target, source] = [person.target.record, person.source.record]
        for (const list of LIST_NAMES) {
          const { id } = LISTS[list]
          const merged = idsOf(person.record[list], id)
          assert.equal(new Set(merged).size, merged.length)
          assert.deepEqual(merged.slice(0, target[list].length), idsOf(target[list], id))
          const added = merged.slice(target[list].length)
          const own = idsOf(source[list], id)
          assert.deepEqual(
            added,
            own.filter(one => added.includes(one)),
          )
          // At most one item of the target for each that was not added.
          assert.ok(own.length - added.length <= target[list].length)
          if (list === 'documents')
            assert.deepEqual(
              own.filter(one => !added.includes(one)).toSorted(),
              person.duplicateDocuments.toSorted(),
            )
        }
      }),
    )
  })

  it('of a record and its copy changes nothing but the number', () => {
    fc.assert(
      fc.property(input(['t-1', 't-2']), fields => {
        const { person } = planMerge(
          pairOf({ ...fields, employeeNumber: null }, { ...fields, employeeNumber: null }),
        )
        assert.ok(equal(person.record, person.target.record))
        assert.deepEqual(person.differences, [])
      }),
    )
  })

  it('takes what is chosen, also where it is empty', () => {
    const choices = { jobTitle: 'source', email: 'target', passports: 'source' } as const
    const passport = (expiryDate: string | null, issuedBy: string | null) => ({
      passports: [{ passportNumber: 'A 1', country: 'DE', expiryDate, issuedBy }],
    })
    const { person } = planMerge(
      pairOf(
        { jobTitle: 'Boss', email: null, ...passport('2030-01-01', 'Bonn') },
        { jobTitle: null, email: 'a@b', ...passport('2031-01-01', null) },
        { choices },
      ),
    )
    assert.deepEqual([person.record.jobTitle, person.record.email], [null, null])
    assert.equal(person.record.passports.length, 1)
    assert.deepEqual([person.record.passports[0]?.['expiryDate'], person.record.passports[0]?.['issuedBy']], ['2031-01-01', 'Bonn']) // biome-ignore format: short
  })

  it('never takes a document with a file for another one', () => {
    const documents = { documents: [{ name: 'Visa', referenceNumber: '1' }] }
    const pair = pairOf(documents, documents)
    const documentId = String(pair.source.record.documents[0]?.['documentId'])
    assert.equal(planMerge(pair).person.record.documents.length, 1)
    const { person } = planMerge({ ...pair, filed: new Set([documentId]) })
    assert.deepEqual([person.record.documents.length, person.duplicateDocuments], [2, []])
  })

  it('keeps one number, and retires the other', () => {
    const numbers = (a: string | null, b: string | null, number?: 'target' | 'source') => {
      const plan = planMerge(pairOf({ employeeNumber: a }, { employeeNumber: b }, { number }))
      return [plan.person.record.employeeNumber, plan.retiredNumber]
    }
    assert.deepEqual(numbers('1', '2'), ['1', '2'])
    assert.deepEqual(numbers('1', '2', 'source'), ['2', '1'])
    assert.deepEqual(numbers(null, '2'), ['2', null])
    assert.deepEqual(numbers(null, '2', 'target'), [null, '2'])
    assert.deepEqual(numbers('1', null), ['1', null])
    assert.deepEqual(numbers(null, null), [null, null])
  })

  it('merges dependents of one name and birth date, and moves the others', () => {
    const child = (id: string, fields: ApplicantInput) =>
      stored(recordOf({ lastName: 'S', relationship: 'Child', ...fields }, id), 'x')
    const plan = planMerge(
      pairOf(
        {},
        {},
        {
          targetDependents: [
            child('t1', { firstName: 'Ben', dateOfBirth: '2018-01-01' }),
            child('t2', { firstName: 'Kim', dateOfBirth: '2019-01-01', employeeNumber: 'K-1' }),
          ],
          sourceDependents: [
            child('s1', { firstName: 'BÉN', dateOfBirth: '2018-01-01T00:00:00' }),
            child('s2', { firstName: 'Kim', dateOfBirth: '2019-01-01', employeeNumber: 'K-2' }),
          ],
        },
      ),
    )
    const pairs = plan.dependents.map(one => [one.target.record.applicantId, one.source.record.applicantId])
    assert.deepEqual(pairs, [['t1', 's1']])
    // Two numbers are two people.
    assert.deepEqual(plan.moved.map(one => one.record.applicantId), ['s2']) // biome-ignore format: short
    assert.deepEqual(plan.untouched.map(one => one.record.applicantId), ['t2']) // biome-ignore format: short
  })

  it('rejects a choice of a number or name that is not there', () => {
    const errors = choiceErrorsOf(
      pairOf({ firstName: 'A', lastName: 'B' }, { firstName: ' ', lastName: 'B' }, {
        number: 'source',
        choices: { firstName: 'source', relationship: 'source' },
      }), // biome-ignore format: short
    )
    assert.deepEqual(errors.map(({ pointer }) => pointer).toSorted(), [
      '/choices/firstName',
      '/choices/relationship',
      '/employeeNumber',
    ])
  })
})
