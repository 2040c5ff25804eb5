import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Applicant, ApplicantInput, Item } from '../../src/applicants/applicant.ts'
import { merge, replace } from '../../src/applicants/applicant-changes.ts'
import { countingIds } from './arbitraries.ts'

const create = (body: ApplicantInput) => replace(body, { applicantId: 'a', newId: countingIds('old') })
const states = (removed: Item[]) => ({ removed, keptOut: new Set<string>(), asSent: new Map() })
const replaced = (current: Applicant, body: ApplicantInput, removedDocuments: Item[] = []) =>
  replace(body, { applicantId: 'a', newId: countingIds('new'), current, documents: states(removedDocuments) })
const merged = (current: Applicant, body: ApplicantInput, removedDocuments: Item[] = []) =>
  merge(current, body, { newId: countingIds('new'), documents: states(removedDocuments) })

describe('merge: tags of one name', () => {
  const body = { metaData: [{ tagName: 'skill' }, { tagName: 'skill', value: 'welding' }] }
  for (const values of [
    ['welding', 'diving'],
    ['diving', 'welding'],
  ])
    it(`stay unchanged where an input that matches both precedes one that matches one: ${values}`, () => {
      const current = create({ metaData: values.map(value => ({ tagName: 'skill', value })) })
      assert.deepEqual(merged(current, body), current)
    })
})

for (const [verb, change] of Object.entries({ replace: replaced, merge: merged })) {
  const passportIds = (stored: object[], sent: object[]) =>
    change(create({ passports: stored as Item[] }), { passports: sent as Item[] }).passports.map(
      ({ passportId }) => passportId,
    )
  const documentIds = (stored: object[], sent: object[]) =>
    change(create({ documents: stored as Item[] }), { documents: sent as Item[] }).documents.map(
      ({ documentId }) => documentId,
    )

  describe(`${verb}: passports without ids`, () => {
    const stored = [{ passportNumber: 'C01X00T47', country: 'DE' }]
    it('match whatever the case, spaces, punctuation and form of the country code', () => {
      for (const [passportNumber, country] of [
        ['c01x00t47', 'DEU'],
        ['C01 X00-T47', 'de'],
        ['C01.X00/T47', 'DE'],
      ])
        assert.deepEqual(passportIds(stored, [{ passportNumber, country }]), ['old-1'])
    })

    it('match by a unique number where one side has no country', () => {
      assert.deepEqual(passportIds(stored, [{ passportNumber: 'C01X00T47' }]), ['old-1'])
      assert.deepEqual(passportIds([{ passportNumber: 'X1' }], [{ passportNumber: 'x1', country: 'FR' }]), [
        'old-1',
      ])
    })

    it('are new where the country differs, or the number is not the only one', () => {
      assert.ok(passportIds(stored, [{ passportNumber: 'C01X00T47', country: 'FR' }]).includes('new-1'))
      const two = [
        { passportNumber: 'X1', country: 'FR' },
        { passportNumber: 'X1', country: 'DE' },
      ]
      assert.ok(passportIds(two, [{ passportNumber: 'X1' }]).includes('new-1'))
    })

    it('never match by an empty number alone', () => {
      assert.ok(passportIds([{ passportNumber: '', country: 'DE' }], [{}]).includes('new-1'))
    })
  })

  describe(`${verb}: documents without ids`, () => {
    it('match by name and reference number, or by a unique name where one side has no reference', () => {
      const stored = [{ name: 'Permit', referenceNumber: 'R-1' }]
      assert.deepEqual(documentIds(stored, [{ name: 'Permit', referenceNumber: 'R-1' }]), ['old-1'])
      assert.deepEqual(documentIds(stored, [{ name: 'Permit' }]), ['old-1'])
      assert.ok(documentIds(stored, [{ name: 'Permit', referenceNumber: 'R-2' }]).includes('new-1'))
    })

    it('of one name and no reference keep their ids when their order changes', () => {
      const first = { name: 'Permit', description: 'one' }
      const second = { name: 'Permit', description: 'two' }
      assert.deepEqual(documentIds([first, second], [second, first]), ['old-1', 'old-2'])
    })

    it('keep a schedule that is sent back in days, as reads show it', () => {
      const current = create({
        documents: [{ name: 'Permit', expiryDate: '2027-06-30T00:00:00', expiryReminder: '90,30,7' }],
      })
      const sent = { name: 'Permit', expiryDate: '2027-06-30T00:00:00', expiryReminder: 90 }
      assert.equal(change(current, { documents: [sent] }).documents[0]?.['expiryReminder'], '90,30,7')
      const other = change(current, { documents: [{ ...sent, expiryReminder: 60 }] })
      assert.equal(other.documents[0]?.['expiryReminder'], 60)
    })

    it('have the same schedule when a body with a new date and the days of the old one is sent again', () => {
      for (const expiryReminder of ['P3M', '2027-03-31']) {
        const current = create({
          documents: [{ name: 'Permit', expiryDate: '2027-06-30T00:00:00', expiryReminder }],
        })
        // What a read shows of both.
        const days = expiryReminder === 'P3M' ? 92 : 91
        const body = {
          documents: [{ name: 'Permit', expiryDate: '2028-05-31T00:00:00', expiryReminder: days }],
        }
        const renewed = change(current, body)
        assert.deepEqual(change(renewed, body), renewed)
      }
    })

    it('get their ids back where they were removed before', () => {
      const { documents: removed } = create({ documents: [{ name: 'Permit', referenceNumber: 'R-1' }] })
      const body = { documents: [{ name: 'Permit', referenceNumber: 'R-1' }, { name: 'Visa' }] }
      assert.deepEqual(
        change(create({}), body, removed).documents.map(({ documentId }) => documentId),
        ['old-1', 'new-1'],
      )
      const byId = { documents: [{ documentId: 'old-1', name: 'Residence permit' }] }
      assert.equal(change(create({}), byId, removed).documents[0]?.['documentId'], 'old-1')
    })
  })
}

describe('lists of five hundred similar items', () => {
  const many = (make: (index: number) => Item) => Array.from({ length: 500 }, (_, index) => make(index))
  for (const [what, make] of Object.entries({
    'that hold nothing': () => ({}),
    'of one name': (index: number) => ({ name: 'Payslip', description: `of month ${index}` }),
  }) as [string, (index: number) => Item][])
    it(`${what} match in any order within three seconds`, () => {
      const current = create({ documents: many(make) })
      const begun = performance.now()
      for (let round = 0; round < 10; round++)
        assert.deepEqual(replaced(current, { documents: many(make).reverse() }), current)
      assert.deepEqual(merged(current, { documents: many(make) }), current)
      assert.ok(performance.now() - begun < 3_000, `${performance.now() - begun} ms`)
    })
})
