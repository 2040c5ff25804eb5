import assert from 'node:assert/strict'
import { it } from 'node:test'
import { canFold, foldedRows, type Person } from '../src/screens/people/families.ts'

const person = (applicantId: string, primaryApplicantId: string | null = null, dependents: Person[] = []) =>
  ({ applicantId, primaryApplicantId, dependents }) as Person

const ben = person('ben', 'anna')
const people = [person('anna', null, [ben]), ben, person('carl')]
const ids = (rows: Person[]) => rows.map(({ applicantId }) => applicantId)

it('A family is one row until it is unfolded', () => {
  assert.deepEqual(ids(foldedRows(people, new Set())), ['anna', 'carl'])
  assert.deepEqual(ids(foldedRows(people, new Set(['anna']))), ['anna', 'ben', 'carl'])
  assert.deepEqual(ids(foldedRows([ben], new Set(['anna']))), [])
})

it('Filters that find dependents on their own show them as rows', () => {
  assert.equal(canFold({}), true)
  assert.equal(canFold({ company: 'x' }), true)
  assert.equal(canFold({ q: 'ben' }), false)
  assert.equal(canFold({ company: 'x', archived: 'true' }), false)
  assert.equal(canFold({ nationality: 'DE' }), false)
})
