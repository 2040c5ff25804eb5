// Saves the document list of an applicant record, with its events.
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { reminderDays } from '../lib/schedule.ts'
import type { ApplicantDocument } from './applicant-documents.store.ts'
import * as store from './applicant-documents.store.ts'

export type { ApplicantDocument }

interface Change {
  applicantId: string
  before: ApplicantDocument[]
  after: ApplicantDocument[]
  /** The ids in `after` that were in the record once and come back. */
  returning: Set<string>
}

/** Makes the stored list equal to `after`, writing only what differs. */
export async function saveApplicantDocuments(
  unit: UnitOfWork,
  { applicantId, before, after, returning }: Change,
): Promise<void> {
  const { tx, now } = unit
  const stored = new Map(before.map((document, position) => [document.documentId, { document, position }]))
  const wanted = after.map((document, position) => ({
    ...document,
    position,
    reminderDays: reminderDays(document.expiryReminder, document.expiryDate),
  }))
  const isNew = (documentId: string) => !stored.has(documentId) && !returning.has(documentId)
  const added = wanted.filter(({ documentId }) => isNew(documentId))
  const changed = wanted.filter(({ reminderDays: _days, position: _position, ...one }) => {
    const known = stored.get(one.documentId)
    return known ? JSON.stringify(known.document) !== JSON.stringify(one) : !isNew(one.documentId)
  })
  const moved = wanted.flatMap(one => {
    const known = stored.get(one.documentId)
    const isMoved = known && known.position !== one.position && !changed.includes(one)
    return isMoved ? [{ documentId: one.documentId, position: one.position }] : []
  })
  const kept = new Set(after.map(({ documentId }) => documentId))
  const removed = before.filter(({ documentId }) => !kept.has(documentId)).map(({ documentId }) => documentId)

  await Promise.all([
    removed.length > 0 && store.removeDocuments(tx, { applicantId, documentIds: removed, now }),
    moved.length > 0 && store.moveDocuments(tx, { applicantId, documents: moved }),
    changed.length > 0 && store.updateDocuments(tx, { applicantId, documents: changed, now }),
    added.length > 0 && store.insertDocuments(tx, { applicantId, documents: added, now }),
  ])
  const emit = (type: 'document.created' | 'document.updated' | 'document.removed', documentId: string) =>
    unit.emit({ type, recordId: documentId, data: { documentId, applicantId, caseId: null } })
  for (const documentId of removed) emit('document.removed', documentId)
  for (const { documentId } of added) emit('document.created', documentId)
  for (const { documentId } of changed) emit('document.updated', documentId)
}

/** A document shows its applicant's employee number, so a change of that counts as an update. Returns their number. */
export const touchDocumentsOf = ({ tx, now }: UnitOfWork, applicantIds: string[]) =>
  store.touchDocumentsOf(tx, applicantIds, now)
export const listRemovedDocuments = store.listRemovedDocuments
export const listKnownDocuments = store.listKnownDocuments
