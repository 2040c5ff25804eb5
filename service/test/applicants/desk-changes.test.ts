// What a write of a record does with documents that the desk has removed or corrected.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Applicant, ApplicantInput, Item } from '../../src/applicants/applicant.ts'
import { merge, type RecordDocuments, replace } from '../../src/applicants/applicant-changes.ts'
import { countingIds } from './arbitraries.ts'

const PERMIT = { name: 'Permit', referenceNumber: 'R1', expiryDate: '2027-01-01T00:00:00' }
const CARD = { name: 'Card', referenceNumber: null, expiryDate: null }

const create = (...documents: object[]) =>
  replace({ documents: documents as Item[] }, { applicantId: 'a', newId: countingIds('old') })
const states = (fields: Partial<RecordDocuments>): RecordDocuments => ({
  removed: [],
  keptOut: new Set(),
  asSent: new Map(),
  ...fields,
})

type Change = (current: Applicant, input: ApplicantInput, documents: RecordDocuments) => Applicant
const CHANGES: Record<string, Change> = {
  replace: (current, input, documents) =>
    replace(input, { applicantId: 'a', newId: countingIds('new'), current, documents }),
  merge: (current, input, documents) => merge(current, input, { newId: countingIds('new'), documents }),
}

for (const [verb, change] of Object.entries(CHANGES)) {
  const sent = (...documents: object[]): ApplicantInput => ({ documents: documents as Item[] })

  describe(`${verb}: a document that the desk has removed`, () => {
    const both = create(CARD, PERMIT)
    const [card, permit] = both.documents as [Item, Item]
    const current: Applicant = { ...both, documents: [card] }
    const removed = states({ removed: [permit], keptOut: new Set([permit['documentId'] as string]) })

    it('stays removed while it is sent as it was, with or without its id', () => {
      assert.deepEqual(change(current, sent(CARD, PERMIT), removed), current)
      assert.deepEqual(change(current, sent(card, permit), removed), current)
    })

    it('is back under its id once it is sent differently', () => {
      const renewed = { ...PERMIT, expiryDate: '2029-01-01T00:00:00' }
      const { documents } = change(current, sent(CARD, renewed), removed)
      assert.deepEqual(
        documents.map(({ documentId, expiryDate }) => [documentId, expiryDate]),
        [
          [card['documentId'], null],
          [permit['documentId'], renewed.expiryDate],
        ],
      )
    })

    it('is back as before if a write of the record had removed it', () => {
      const { documents } = change(current, sent(CARD, PERMIT), states({ removed: [permit] }))
      assert.deepEqual(documents, both.documents)
    })
  })

  describe(`${verb}: a document that the desk has corrected`, () => {
    const before = create(PERMIT)
    const [asSent] = before.documents as [Item]
    const corrected = { ...asSent, name: 'Residence permit', expiryDate: '2028-01-01T00:00:00' }
    const current: Applicant = { ...before, documents: [corrected] }
    const known = states({ asSent: new Map([[asSent['documentId'] as string, asSent]]) })

    it('keeps the correction while it is sent as it was, with or without its id', () => {
      assert.deepEqual(change(current, sent(PERMIT), known), current)
      assert.deepEqual(change(current, sent(asSent), known), current)
    })

    it('stays unchanged when it is sent as it is read, with or without its id', () => {
      const { documentId: _id, ...withoutId } = corrected as Record<string, unknown>
      assert.deepEqual(change(current, sent(corrected), known), current)
      assert.deepEqual(change(current, sent(withoutId), known), current)
    })

    it('takes what is sent once that differs from what was sent before, and keeps its id', () => {
      const renewed = { ...PERMIT, expiryDate: '2029-01-01T00:00:00' }
      const { documents } = change(current, sent(renewed), known)
      assert.deepEqual(
        documents.map(({ documentId, name, expiryDate }) => [documentId, name, expiryDate]),
        [[asSent['documentId'], 'Permit', renewed.expiryDate]],
      )
    })
  })
}
