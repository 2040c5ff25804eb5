// The rules of changing one person that need the database: the number is fixed, item ids belong to one person, and a
// document that was removed comes back as the same one.
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { listKnownDocuments, listRemovedDocuments } from '../documents/applicant-documents.service.ts'
import type { FieldError } from '../lib/problem.ts'
import { type ApplicantInput, type Item, LISTS } from './applicant.ts'
import { idsOfItems, unknownItemErrorsOf } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import type { Stored } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { matchItems } from './item-matching.ts'

export interface PersonChange {
  input: ApplicantInput
  stored: Stored | undefined
  /** Of the person in the body. */
  pointer: string
}

/** A number that a record has is neither changed nor removed by a replace or merge. */
export function requireNumbersKept(changes: PersonChange[]): void {
  const faults = changes.flatMap(({ input, stored, pointer }): FieldError[] => {
    const number = stored?.record.employeeNumber
    if (!number || input.employeeNumber === undefined || input.employeeNumber === number) return []
    return [
      {
        pointer: `${pointer}/employeeNumber`,
        detail: 'Leave it out or send the stored number. To change it, use Change employee number.',
      },
    ]
  })
  if (faults.length > 0) throw errors.employeeNumberFixed(undefined, { errors: faults })
}

export type RemovedDocuments = Map<string, Item[]>

/** What was removed from the records of those who may have one of it back: keyed by applicant. */
export async function findRemovedDocuments(
  { tx }: UnitOfWork,
  changes: PersonChange[],
): Promise<RemovedDocuments> {
  const ids = changes.filter(mayReturn).flatMap(({ stored }) => stored?.record.applicantId ?? [])
  if (ids.length === 0) return new Map()
  const rows = await listRemovedDocuments(tx, ids)
  const documents = rows.map(({ applicantId, ...document }) => ({
    applicantId,
    document: document as never as Item,
  }))
  return new Map(
    [...Map.groupBy(documents, ({ applicantId }) => applicantId)].map(([applicantId, group]) => [
      applicantId,
      group.map(({ document }) => document),
    ]),
  )
}

/** Whether the input has a document that the record does not have. */
function mayReturn({ input, stored }: PersonChange): boolean {
  if (!stored || !input.documents) return false
  const matched = matchItems('documents', {
    inputs: input.documents,
    stored: stored.record.documents,
    isUnchanged: () => false,
    contentOf: () => undefined,
  })
  return matched.includes(undefined)
}

/** Throws where an item of a merge names an id that the person does not have. */
export function requireKnownItems(changes: PersonChange[], removed: RemovedDocuments): void {
  const unknown = changes.flatMap(({ input, stored, pointer }) =>
    unknownItemErrorsOf(
      stored && {
        record: stored.record,
        removedDocuments: removed.get(stored.record.applicantId) ?? [],
      },
      input,
      pointer,
    ),
  )
  if (unknown.length > 0) throw errors.unknownReference(undefined, { errors: unknown })
}

/** Throws where an item of a replace names an id that belongs to another person. */
export async function requireOwnItems(
  { tx }: UnitOfWork,
  key: Key,
  { changes, removed }: { changes: PersonChange[]; removed: RemovedDocuments },
): Promise<void> {
  const brought = changes.flatMap(change => {
    const { input, stored, pointer } = change
    const record = stored?.record
    return idsOfItems(input)
      .filter(({ list, id }) => !record?.[list].some(item => item[LISTS[list].id] === id))
      .filter(({ id }) => !removed.get(record?.applicantId ?? '')?.some(item => item['documentId'] === id))
      .map(({ list, index, id }) => ({
        id,
        pointer: `${pointer}/${list}/${index}/${LISTS[list].id}`,
        change,
      }))
  })
  if (brought.length === 0) return
  const ids = brought.map(({ id }) => id)
  const [, items, documents] = await Promise.all([
    store.lockItemIds(tx, ids),
    store.listKnownItems(tx, ids),
    listKnownDocuments(tx, ids),
  ])
  const known = new Set([...items, ...documents])
  const first = new Map<string, PersonChange>()
  const foreign = brought.filter(({ id, change }) => {
    const bringer = first.get(id) ?? change
    first.set(id, bringer)
    return known.has(id) || bringer !== change
  })
  if (foreign.length === 0) return
  // Another transaction created this very family while we waited for its ids.
  const isNew = changes[0]?.stored === undefined
  if (isNew && (await store.lockPrimary(tx, key))) throw new RetryTransaction()
  throw errors.unknownReference(undefined, {
    errors: foreign.map(({ pointer }) => ({
      pointer,
      detail: 'This id belongs to another person. Leave it out to add an item.',
    })),
  })
}
