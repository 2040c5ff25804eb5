// Checks on the people of a write: the path and the body agree, a stored number does not change, and an item id belongs to
// one person. Also finds documents that were removed or corrected, which decides what it means when they are sent again.
import { RetryTransaction } from '../db/sqlstate.ts'
import type { FieldError } from '../lib/problem.ts'
import { type ApplicantInput, type FamilyInput, type Item, LISTS } from './applicant.ts'
import { idsOfItems, keepsDocuments, type RecordDocuments, unknownItemErrorsOf } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import type { Stored } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import type { Matched } from './dependent-matching.ts'
import type { FamilyReads } from './family-reads.ts'

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
export type DocumentStates = Map<string, RecordDocuments>

/** The removed and corrected documents of the records whose documents a write may change. */
export async function findDocumentStates(
  reads: FamilyReads,
  changes: PersonChange[],
  verb: 'replace' | 'merge',
): Promise<DocumentStates> {
  const ids = changes.flatMap(({ input, stored }) =>
    stored && input.documents?.length && !keepsDocuments(stored.record, input, verb)
      ? stored.record.applicantId
      : [],
  )
  if (ids.length === 0) return new Map()
  const states = await reads.listDocumentStates(ids)
  return new Map(
    [...Map.groupBy(states, ({ applicantId }) => applicantId)].map(([applicantId, group]) => [
      applicantId,
      {
        removed: group
          .filter(({ removed }) => removed)
          .map(
            ({ applicantId: _id, removed: _removed, atDesk: _atDesk, asSent: _asSent, ...item }) =>
              item as never,
          ),
        keptOut: new Set(group.filter(({ atDesk }) => atDesk).map(({ documentId }) => documentId)),
        asSent: new Map(
          group.flatMap(({ documentId, asSent }) =>
            asSent ? [[documentId, { ...asSent, documentId } as never as Item] as const] : [],
          ),
        ),
      },
    ]),
  )
}

/** Throws if an item of a merge has an id that the person does not have. */
export function requireKnownItems(changes: PersonChange[], states: DocumentStates): void {
  const unknown = changes.flatMap(({ input, stored, pointer }) =>
    unknownItemErrorsOf(
      stored && {
        record: stored.record,
        removedDocuments: states.get(stored.record.applicantId)?.removed ?? [],
      },
      input,
      pointer,
    ),
  )
  if (unknown.length > 0) throw errors.unknownReference(undefined, { errors: unknown })
}

/** Throws if an item of a replace has an id that belongs to another person, or to a document of a case or of the desk. */
export async function requireOwnItems(
  reads: FamilyReads,
  key: Key,
  { changes, states }: { changes: PersonChange[]; states: DocumentStates },
): Promise<void> {
  const newIds = changes.flatMap(change => {
    const { input, stored, pointer } = change
    const record = stored?.record
    return idsOfItems(input)
      .filter(({ list, id }) => !record?.[list].some(item => item[LISTS[list].id] === id))
      .filter(
        ({ id }) => !states.get(record?.applicantId ?? '')?.removed.some(item => item['documentId'] === id),
      )
      .map(({ list, index, id }) => ({
        id,
        pointer: `${pointer}/${list}/${index}/${LISTS[list].id}`,
        change,
      }))
  })
  if (newIds.length === 0) return
  const ids = newIds.map(({ id }) => id)
  const [, items, documents] = await Promise.all([
    reads.lockItemIds(ids),
    reads.listKnownItems(ids),
    reads.listKnownDocuments(ids),
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
  if (isNew && (await reads.lockPrimary(key))) throw new RetryTransaction()
  throw errors.unknownReference(undefined, {
    errors: foreign.map(({ pointer }) => ({
      pointer,
      detail: 'This id belongs to another record. Leave it out to add an item.',
    })),
  })
}
