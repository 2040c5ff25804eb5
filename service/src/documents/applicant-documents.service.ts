// What the applicant records need of documents: their own list saved as a whole, with its events.
import type { Unit } from '../db/unit.ts'
import type { ApplicantDocument } from './applicant-documents.store.ts'
import * as store from './applicant-documents.store.ts'

export type { ApplicantDocument }

interface Change {
  applicantId: string
  before: ApplicantDocument[]
  after: ApplicantDocument[]
}

/** Makes the stored list equal to `after`, writing only what differs. */
export async function saveApplicantDocuments(
  unit: Unit,
  { applicantId, before, after }: Change,
): Promise<void> {
  const { tx, now } = unit
  const stored = new Map(
    before.map((document, position) => [document.documentId, JSON.stringify({ ...document, position })]),
  )
  const wanted = after.map((document, position) => ({ ...document, position }))
  const added = wanted.filter(({ documentId }) => !stored.has(documentId))
  const changed = wanted.filter(
    one => stored.has(one.documentId) && stored.get(one.documentId) !== JSON.stringify(one),
  )
  const kept = new Set(after.map(({ documentId }) => documentId))
  const removed = before.filter(({ documentId }) => !kept.has(documentId)).map(({ documentId }) => documentId)

  await Promise.all([
    removed.length > 0 && store.deleteDocuments(tx, applicantId, removed),
    changed.length > 0 && store.updateDocuments(tx, { applicantId, documents: changed, now }),
    added.length > 0 && store.insertDocuments(tx, { applicantId, documents: added, now }),
  ])
  for (const { documentId } of added) emit(unit, 'document.created', { documentId, applicantId })
  for (const { documentId } of changed) emit(unit, 'document.updated', { documentId, applicantId })
}

function emit(
  unit: Unit,
  type: 'document.created' | 'document.updated',
  data: { documentId: string; applicantId: string },
): void {
  unit.emit({ type, recordId: data.documentId, data: { ...data, caseId: null } })
}

/** A document shows its applicant's employee number: where that changes, it counts as updated. Returns how many do. */
export const touchDocumentsOf = ({ tx, now }: Unit, applicantIds: string[]) =>
  store.touchDocumentsOf(tx, applicantIds, now)
