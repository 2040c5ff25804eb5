// Checks on the people of a write: the path and the body agree, a stored number does not change, and an item id belongs to
// one person. Also finds removed documents, which get their ids back when they are sent again.
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { listKnownDocuments, listRemovedDocuments } from '../documents/applicant-documents.service.ts'
import type { FieldError } from '../lib/problem.ts'
import { type ApplicantInput, type FamilyInput, type Item, LISTS } from './applicant.ts'
import { idsOfItems, unknownItemErrorsOf } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import type { Stored } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import type { Matched } from './dependent-matching.ts'
import { matchItems } from './item-matching.ts'

/** Throws if the record, or its absence (undefined), does not meet the preconditions of the request. */
export type RequireState = (etag: string | undefined) => void

export interface FamilyChange {
  input: FamilyInput
  requireState: RequireState
}

/** One person of a write: the input, and the record that it applies to. */
export interface PersonChange {
  input: ApplicantInput
  /** Undefined where the record is created. */
  stored: Stored | undefined
  /** JSON pointer to the person in the body. */
  pointer: string
}

export function changesOf(
  primary: Stored | undefined,
  input: ApplicantInput,
  dependents: Matched<Stored>[],
): PersonChange[] {
  return [
    { input, stored: primary, pointer: '/primaryApplicant' },
    ...dependents.map((one, index) => ({ ...one, pointer: `/dependents/${index}` })),
  ]
}

/** A primary applicant that is addressed by its number keeps it, also where the number in the body is empty. */
export function withoutPathNumber(key: Key, input: ApplicantInput): ApplicantInput {
  if ('id' in key) return input
  const { employeeNumber: _number, ...rest } = input
  return rest
}

/** The id or number in the body must be that of the path. */
export function pathErrorsOf(key: Key, input: ApplicantInput): FieldError[] {
  if ('id' in key && input.applicantId && input.applicantId !== key.id)
    return [{ pointer: '/primaryApplicant/applicantId', detail: 'Must be the id of the path, or left out.' }]
  if (
    'number' in key &&
    input.employeeNumber !== undefined &&
    input.employeeNumber !== null &&
    input.employeeNumber !== key.number
  )
    return [
      {
        pointer: '/primaryApplicant/employeeNumber',
        detail: 'Must be the number of the path, or left out. To change it, use Change employee number.',
      },
    ]
  return []
}

/** The id in the body must be that of the record that the path leads to. */
export function recordIdErrorsOf(
  stored: Stored | undefined,
  input: ApplicantInput,
  pointer: string,
): FieldError[] {
  if (!stored || !input.applicantId || input.applicantId === stored.record.applicantId) return []
  return [
    {
      pointer: `${pointer}/applicantId`,
      detail: 'Must be the id of the record that the path names, or left out.',
    },
  ]
}

/** Throws if a replace or merge would change or remove a stored number. */
export function requireNumbersKept(changes: PersonChange[]): void {
  const numberErrors = changes.flatMap(({ input, stored, pointer }): FieldError[] => {
    const number = stored?.record.employeeNumber
    if (!number || input.employeeNumber === undefined || input.employeeNumber === number) return []
    return [
      {
        pointer: `${pointer}/employeeNumber`,
        detail: 'Leave it out or send the stored number. To change it, use Change employee number.',
      },
    ]
  })
  if (numberErrors.length > 0) throw errors.employeeNumberFixed(undefined, { errors: numberErrors })
}

/** By applicant id. */
export type RemovedDocuments = Map<string, Item[]>

/** The removed documents of the records that may get one of them back. */
export async function findRemovedDocuments(
  { tx }: UnitOfWork,
  changes: PersonChange[],
): Promise<RemovedDocuments> {
  const ids = changes.filter(hasNewDocument).flatMap(({ stored }) => stored?.record.applicantId ?? [])
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
function hasNewDocument({ input, stored }: PersonChange): boolean {
  if (!stored || !input.documents) return false
  const matched = matchItems('documents', {
    inputs: input.documents,
    stored: stored.record.documents,
    isUnchanged: () => false,
    contentOf: () => undefined,
  })
  return matched.includes(undefined)
}

/** Throws if an item of a merge has an id that the person does not have. */
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

/** Throws if an item of a replace has an id that belongs to another person. */
export async function requireOwnItems(
  { tx }: UnitOfWork,
  key: Key,
  { changes, removed }: { changes: PersonChange[]; removed: RemovedDocuments },
): Promise<void> {
  const newIds = changes.flatMap(change => {
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
  if (newIds.length === 0) return
  const ids = newIds.map(({ id }) => id)
  const [, items, documents] = await Promise.all([
    store.lockItemIds(tx, ids),
    store.listKnownItems(tx, ids),
    listKnownDocuments(tx, ids),
  ])
  const known = new Set([...items, ...documents])
  const first = new Map<string, PersonChange>()
  const foreign = newIds.filter(({ id, change }) => {
    const firstUser = first.get(id) ?? change
    first.set(id, firstUser)
    return known.has(id) || firstUser !== change
  })
  if (foreign.length === 0) return
  // Another transaction may have created this family while we waited for the lock on its ids.
  const isNew = changes[0]?.stored === undefined
  if (isNew && (await store.lockPrimary(tx, key))) throw new RetryTransaction()
  throw errors.unknownReference(undefined, {
    errors: foreign.map(({ pointer }) => ({
      pointer,
      detail: 'This id belongs to another person. Leave it out to add an item.',
    })),
  })
}
