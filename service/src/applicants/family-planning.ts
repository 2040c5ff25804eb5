// Plans a replace or merge of a family: locks and reads it, checks the request (write-checks.ts) and makes the next records
// (applicant-changes.ts). Writes nothing. Single requests save the plan of one family (families.service.ts), imports those
// of many (family-batches.ts).
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import { isFindable, newId as makeId } from '../lib/ids.ts'
import { type FieldError, invalid } from '../lib/problem.ts'
import {
  type ApplicantInput,
  duplicateIdErrorsOf,
  type FamilyInput,
  longListErrorsOf,
  manyDependentsErrorsOf,
  missingFieldErrorsOf,
} from './applicant.ts'
import { merge, type RecordDocuments, replace } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import { etagOf, type Stored } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import { repeatedDependentErrorsOf } from './dependent-matching.ts'
import {
  absentOf,
  type Family,
  getFamily,
  lockFamilies,
  lockFamily,
  matchDependentsAnywhere,
  matchOwnDependents,
  namedBy,
} from './family-lookup.ts'
import type { FamilyReads } from './family-reads.ts'
import type { NextRecord, RecordSave } from './family-saving.ts'
import {
  changesOf,
  type DocumentStates,
  type FamilyChange,
  findDocumentStates,
  type PersonChange,
  pathErrorsOf,
  recordIdErrorsOf,
  requireKnownItems,
  requireNumbersKept,
  requireOwnItems,
  withoutPathNumber,
} from './write-checks.ts'

export interface FamilyPlan {
  family: Family
  primary: NextRecord
  /** All dependents of the family as they will be; undefined leaves them as they are. */
  dependents: NextRecord[] | undefined
  /** The dependents of the request, in its order. */
  mentioned: NextRecord[]
  /** Whether this error means that another transaction created the same record between our read and our insert. */
  isRace: (error: unknown, save: RecordSave) => boolean
}

export type PlanFamily = (reads: FamilyReads, key: Key, change: FamilyChange) => Promise<FamilyPlan>

const newId = () => makeId<'record'>() as string

/** By a record that exists, or by one that was merged. */
export const isIdTaken = (error: unknown) =>
  violates(error, 'applicants_pkey') || violates(error, 'applicants_id_not_merged')

export const planReplace: PlanFamily = async (reads, key, { input: sent, requireState }) => {
  checkBody(key, sent)
  const input = await inOwnCompany(reads, sent)
  const { primaryApplicant } = input
  const family = await lockFamily(reads, key)
  // No record is created under the id of one that was merged.
  const mergedInto = !family.primary && 'id' in key && (await reads.findMergedInto(key))
  if (mergedInto) throw await absentOf(reads, key)
  if (family.taken) throw 'id' in key ? errors.dependentOfAnother() : errors.employeeNumberInUse()
  check(recordIdErrorsOf(family.primary, primaryApplicant, '/primaryApplicant'))
  requireState(family.primary && etagOf(family.primary))
  const numbered = 'number' in key ? { ...primaryApplicant, employeeNumber: key.number } : primaryApplicant
  const idOfNew = !family.primary && 'number' in key && primaryApplicant.applicantId
  if (idOfNew && (await reads.listRecords([idOfNew], [])).length > 0)
    throw await idTakenError(reads, key, family)
  const { matched, foreign } = await matchOwnDependents(reads, family, input.dependents ?? [])
  check(repeatedDependentErrorsOf(matched, numbered.employeeNumber ?? family.primary?.record.employeeNumber))
  if (foreign) throw await idTakenError(reads, key, family)
  const primaryId = 'id' in key ? key.id : primaryApplicant.applicantId
  if (primaryId && input.dependents?.some(({ applicantId }) => applicantId === primaryId))
    throw errors.dependentOfAnother()
  const changes = changesOf(family.primary, numbered, matched)
  requireNumbersKept(changes)
  const states = await findDocumentStates(reads, changes, 'replace')
  await requireOwnItems(reads, key, { changes, states })
  const [primary, ...dependents] = changes.map(({ input, stored }, index) => {
    if (stored) return replaced(input, stored, states)
    const idOfPath = index === 0 && 'id' in key ? key.id : undefined
    return created(input, idOfPath ?? (input.applicantId || newId()))
  }) as [NextRecord, ...NextRecord[]]
  const isRace = (error: unknown, { stored, primaryId }: RecordSave) =>
    !stored &&
    primaryId === null &&
    ('number' in key
      ? violates(error, 'applicants_pkey') || violates(error, 'applicants_employee_number')
      : isIdTaken(error))
  return { family, primary, dependents: input.dependents && dependents, mentioned: dependents, isRace }
}

export const planMerge: PlanFamily = async (reads, key, { input: sent, requireState }) => {
  checkBody(key, sent)
  const input = await inOwnCompany(reads, sent, { isMerge: true })
  const { primaryApplicant, dependents: inputs = [] } = input
  if (!isFindable(...Object.values(key))) throw errors.applicantNotFound()
  const named = namedBy(inputs)
  const [, locked, family] = await Promise.all([
    reads.lockDependentKeys([...named.ids, ...named.numbers]),
    lockFamilies(reads, key, named),
    getFamily(reads, key),
  ])
  check(recordIdErrorsOf(family.primary, primaryApplicant, '/primaryApplicant'))
  requireState(etagOf(family.primary))
  const matched = await matchDependentsAnywhere(reads, family, { inputs, named, locked })
  check(
    repeatedDependentErrorsOf(
      matched,
      primaryApplicant.employeeNumber ?? family.primary.record.employeeNumber,
    ),
  )
  const changes = changesOf(family.primary, withoutPathNumber(key, primaryApplicant), matched)
  requireNumbersKept(changes)
  const states = await findDocumentStates(reads, changes, 'merge')
  requireKnownItems(changes, states)
  const [primary, ...moved] = changes.map(change => merged(change, states)) as [NextRecord, ...NextRecord[]]
  check([
    ...missingFieldErrorsOf(primary.record, { pointer: '/primaryApplicant', role: 'primary' }),
    ...moved.flatMap(({ record }, index) =>
      missingFieldErrorsOf(record, { pointer: `/dependents/${index}`, role: 'dependent' }),
    ),
    ...changes.flatMap(({ pointer, stored }, index) =>
      longListErrorsOf(([primary, ...moved][index] as NextRecord).record, {
        pointer,
        stored: stored?.record,
      }),
    ),
  ])
  const mentioned = new Set(moved.map(({ record }) => record.applicantId))
  const others = family.dependents.filter(({ record }) => !mentioned.has(record.applicantId))
  const dependents = [...others.map(stored => ({ record: stored.record, stored })), ...moved]
  check(manyDependentsErrorsOf(dependents.length, family.dependents.length, '/dependents'))
  const readNumbers = new Set(
    [...changes, ...family.dependents.map(stored => ({ stored }))].map(
      ({ stored }) => stored?.record.employeeNumber,
    ),
  )
  // A dependent that another transaction creates after our read is found when the transaction is retried. The number of
  // a record that was read is no race: a retry would find the same conflict.
  const isRace = (error: unknown, { record, stored }: RecordSave) => {
    if (stored) return false
    if (named.ids.includes(record.applicantId)) return violates(error, 'applicants_pkey')
    return violates(error, 'applicants_employee_number') && !readNumbers.has(record.employeeNumber)
  }
  return { family, primary, dependents, mentioned: moved, isRace }
}

type CompanyReads = Pick<FamilyReads, 'isLimited' | 'requireOwnCompany'>

/**
 * A primary applicant that a limited caller writes must belong to one of its companies. Dependents belong where their
 * primary belongs.
 */
export async function inOwnCompany(
  reads: CompanyReads,
  input: FamilyInput,
  { isMerge = false }: { isMerge?: boolean } = {},
): Promise<FamilyInput> {
  const { primaryApplicant } = input
  const isKept = isMerge && primaryApplicant.sendingCompany === undefined
  if (isKept || !reads.isLimited) return input
  const pointer = '/primaryApplicant/sendingCompany'
  const sendingCompany = await reads.requireOwnCompany(primaryApplicant.sendingCompany, pointer)
  return {
    ...input,
    primaryApplicant: { ...primaryApplicant, ...(sendingCompany !== undefined && { sendingCompany }) },
  }
}

export function check(fieldErrors: FieldError[]): void {
  if (fieldErrors.length > 0) throw invalid(fieldErrors)
}

function checkBody(key: Key, { primaryApplicant, dependents = [] }: FamilyInput): void {
  check([
    ...pathErrorsOf(key, primaryApplicant),
    ...duplicateIdErrorsOf(primaryApplicant, '/primaryApplicant'),
    ...dependents.flatMap((one, index) => duplicateIdErrorsOf(one, `/dependents/${index}`)),
  ])
}

export function created(input: ApplicantInput, applicantId = newId()): NextRecord {
  return { record: replace(input, { applicantId, newId }), stored: undefined }
}

export function replaced(input: ApplicantInput, stored: Stored, states?: DocumentStates): NextRecord {
  const { applicantId } = stored.record
  const documents = states?.get(applicantId)
  const record = replace(input, { applicantId, newId, current: stored.record, documents })
  return { record, stored, removedDocuments: removedIn(documents) }
}

export function merged({ input, stored }: PersonChange, states: DocumentStates): NextRecord {
  if (!stored) {
    const empty = replace({}, { applicantId: input.applicantId || newId(), newId })
    return { record: merge(empty, input, { newId }), stored }
  }
  const documents = states.get(stored.record.applicantId)
  return {
    record: merge(stored.record, input, { newId, documents }),
    stored,
    removedDocuments: removedIn(documents),
  }
}

const removedIn = (documents: RecordDocuments | undefined) =>
  documents?.removed.map(one => String(one['documentId'])) ?? []

/** The error for an id of a new record that is taken. If another transaction created this family meanwhile, retries. */
async function idTakenError(reads: FamilyReads, key: Key, family: Family): Promise<Error> {
  const createdMeanwhile = !family.primary && (await reads.lockPrimary(key))
  return createdMeanwhile ? new RetryTransaction() : errors.dependentOfAnother()
}
