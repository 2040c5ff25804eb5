// Saves the document list of an applicant record, with its events.
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { reminderDays } from '../lib/schedule.ts'
import type { ApplicantDocument, DocumentState, MovedDocument } from './applicant-documents.store.ts'
import * as store from './applicant-documents.store.ts'

export type { ApplicantDocument, DocumentState, MovedDocument }

interface Change {
  applicantId: string
  before: ApplicantDocument[]
  after: ApplicantDocument[]
  /** The ids in `after` that were in the record once and come back. */
  returning: Set<string>
  /** Whether corrections of the desk stay corrections: the writer of the record has not sent `after`. */
  keepsSent?: boolean
}

/** Makes the stored lists equal to `after`, writing only what differs: a statement for each kind of difference. */
export async function saveApplicantDocuments(unit: UnitOfWork, ...changes: Change[]): Promise<void> {
  const { tx, now } = unit
  const differences = changes.map(differencesOf)
  const all = <Kind extends keyof Differences>(kind: Kind) =>
    differences.flatMap(one => one[kind]) as Differences[Kind]
  const [removed, moved, changed, added] = [all('removed'), all('moved'), all('changed'), all('added')]
  await Promise.all([
    removed.length > 0 && store.removeDocuments(tx, { documents: removed, now }),
    moved.length > 0 && store.moveDocuments(tx, moved),
    changed.length > 0 && store.updateDocuments(tx, { documents: changed, now }),
    added.length > 0 && store.insertDocuments(tx, { documents: added, now }),
  ])
  const emit = (
    type: 'document.created' | 'document.updated' | 'document.removed',
    { documentId, applicantId }: { documentId: string; applicantId: string },
  ) => unit.emit({ type, recordId: documentId, data: { documentId, applicantId, caseId: null } })
  for (const one of differences) {
    for (const document of one.removed) emit('document.removed', document)
    for (const document of one.added) emit('document.created', document)
    for (const document of one.changed) emit('document.updated', document)
  }
}

type Differences = ReturnType<typeof differencesOf>

function differencesOf({ applicantId, before, after, returning, keepsSent = false }: Change) {
  const stored = new Map(before.map(document => [document.documentId, document]))
  const wanted = after.map((document, position) => ({
    ...document,
    applicantId,
    position,
    reminderDays: reminderDays(document.expiryReminder, document.expiryDate),
    keepsSent,
  }))
  const isNew = (documentId: string) => !stored.has(documentId) && !returning.has(documentId)
  const added = wanted.filter(({ documentId }) => isNew(documentId))
  const changed = wanted.filter(({ documentId }, index) => {
    const known = stored.get(documentId)
    return known ? JSON.stringify(known) !== JSON.stringify(after[index]) : !isNew(documentId)
  })
  // The stored positions are in this order, but may have gaps: a document may have been removed between two.
  const isSameOrder = wanted.every(({ documentId }, index) => before[index]?.documentId === documentId)
  const moved =
    isSameOrder && changed.length === 0
      ? []
      : wanted
          .filter(one => stored.has(one.documentId) && !changed.includes(one))
          .map(({ documentId, position }) => ({ applicantId, documentId, position }))
  const kept = new Set(after.map(({ documentId }) => documentId))
  const removed = before.flatMap(({ documentId }) =>
    kept.has(documentId) ? [] : [{ applicantId, documentId }],
  )
  return { added, changed, moved, removed }
}

/** A document shows its applicant's employee number, so a change of that counts as an update. Returns their number. */
export const touchDocumentsOf = ({ tx, now }: UnitOfWork, applicantIds: string[]) =>
  store.touchDocumentsOf(tx, applicantIds, now)
export const listDocumentStates = store.listDocumentStates
export const listKnownDocuments = store.listKnownDocuments
export const listFiledDocuments = store.listFiledDocuments
export const listDocumentIds = store.listDocumentIds

interface DocumentMove {
  from: string
  to: string
  /** Documents of the record that moved to the end of the target's list, in this order. */
  order: string[]
  offset: number
  /** Documents that the target has already: they are removed. */
  removed: string[]
}

/** Moves all documents of an absorbed applicant, and returns what those of its record were before. */
export async function moveDocuments(unit: UnitOfWork, move: DocumentMove): Promise<MovedDocument[]> {
  for (const documentId of move.removed)
    unit.emit({
      type: 'document.removed',
      recordId: documentId,
      data: { documentId, applicantId: move.to, caseId: null },
    })
  return store.moveDocumentsTo(unit.tx, { ...move, now: unit.now })
}

interface DocumentReturn {
  documents: MovedDocument[]
  /** Those that the merge has removed. */
  removed: string[]
  caseIds: string[]
  from: string
  to: string
}

/** Moves documents back when a merge is undone. */
export async function returnDocuments(unit: UnitOfWork, move: DocumentReturn): Promise<void> {
  const { tx, now } = unit
  for (const documentId of move.removed)
    unit.emit({
      type: 'document.updated',
      recordId: documentId,
      data: { documentId, applicantId: move.to, caseId: null },
    })
  await store.returnDocuments(tx, { ...move, now })
  await store.followCases(tx, { ...move, now })
}
