// Writes of a primary applicant and its dependents. Each write locks the row of the primary first, reads the family,
// checks the request (write-checks.ts), makes the next records (applicant-changes.ts) and saves them (family-saving.ts).
import { requireOwnCompany } from '../companies/companies.service.ts'
import type { Sql } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isFindable, newId as makeId } from '../lib/ids.ts'
import { type FieldError, invalid } from '../lib/problem.ts'
import {
  type ApplicantInput,
  duplicateIdErrorsOf,
  type FamilyInput,
  missingFieldErrorsOf,
} from './applicant.ts'
import { isUnchangedByMerge, isUnchangedByReplace, merge, replace } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import { etagOf, type Stored } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { matchDependents, repeatedDependentErrorsOf } from './dependent-matching.ts'
import {
  type DependentKey,
  emptyFamily,
  type Family,
  getFamily,
  lockDependent,
  lockFamilies,
  lockFamily,
  matchDependentsAnywhere,
  matchOwnDependents,
  namedBy,
} from './family-lookup.ts'
import { findUnchanged } from './family-no-op.ts'
import {
  type NextRecord,
  type RecordSave,
  type SavedFamily,
  saveFamily,
  saveRecord,
} from './family-saving.ts'
import type { TouchReferences } from './references.service.ts'
import {
  changesOf,
  type FamilyChange,
  findRemovedDocuments,
  type PersonChange,
  pathErrorsOf,
  type RemovedDocuments,
  type RequireState,
  recordIdErrorsOf,
  requireKnownItems,
  requireNumbersKept,
  requireOwnItems,
  withoutPathNumber,
} from './write-checks.ts'

export type { SavedFamily }

interface DependentChange {
  input: ApplicantInput
  requireState: RequireState
}

interface Dependencies {
  sql: Sql
  touchReferences: TouchReferences
}

const newId = () => makeId<'record'>() as string

export type Families = ReturnType<typeof createFamilies>

export function createFamilies({ sql, touchReferences }: Dependencies) {
  return {
    /** For changes of the family's documents, which take the same lock first. */
    lock: ({ tx }: UnitOfWork, primaryId: string) => store.lockPrimary(tx, { id: primaryId }),

    /** Raises the version of a record one of whose documents was changed by the Document API. */
    touch: ({ tx, now }: UnitOfWork, applicantId: string) => store.touchApplicant(tx, applicantId, now),

    /** The record that has this number, primary applicant or dependent. */
    findIdByNumber: ({ tx }: UnitOfWork, number: string) => store.findIdByNumber(tx, number),

    async create(unit: UnitOfWork, input: FamilyInput): Promise<SavedFamily> {
      const { primaryApplicant, dependents = [] } = await inOwnCompany(unit.tx, input)
      check(
        repeatedDependentErrorsOf(
          matchDependents(dependents, { own: [], isUnchanged: () => false }),
          primaryApplicant.employeeNumber,
        ),
      )
      return saveFamily(unit, {
        family: emptyFamily(),
        primary: created(primaryApplicant, newId()),
        dependents: dependents.map(input => created(input, newId())),
        touchReferences,
      })
    },

    /** Returns the stored family if the replace is a no-op. Takes no lock and writes nothing. */
    async findUnchangedByReplace(key: Key, change: FamilyChange): Promise<SavedFamily | undefined> {
      const input = await inOwnCompany(sql, change.input)
      const isFullSet = input.dependents !== undefined
      return findUnchanged(sql, key, { ...change, input, isFullSet, isUnchanged: isUnchangedByReplace })
    },

    /** Returns the stored family if the merge is a no-op. Takes no lock and writes nothing. */
    async findUnchangedByMerge(key: Key, change: FamilyChange): Promise<SavedFamily | undefined> {
      const input = await inOwnCompany(sql, change.input, { isMerge: true })
      return findUnchanged(sql, key, { ...change, input, isFullSet: false, isUnchanged: isUnchangedByMerge })
    },

    async replace(
      unit: UnitOfWork,
      key: Key,
      { input: sent, requireState }: FamilyChange,
    ): Promise<SavedFamily> {
      checkBody(key, sent)
      const input = await inOwnCompany(unit.tx, sent)
      const { primaryApplicant } = input
      const family = await lockFamily(unit, key)
      if (family.taken) throw 'id' in key ? errors.dependentOfAnother() : errors.employeeNumberInUse()
      check(recordIdErrorsOf(family.primary, primaryApplicant, '/primaryApplicant'))
      requireState(family.primary && etagOf(family.primary))
      const numbered =
        'number' in key ? { ...primaryApplicant, employeeNumber: key.number } : primaryApplicant
      const idOfNew = !family.primary && 'number' in key && primaryApplicant.applicantId
      if (idOfNew && (await store.listRecords(unit.tx, [idOfNew], [])).length > 0)
        throw await idTakenError(unit, key, family)
      const { matched, foreign } = await matchOwnDependents(unit, family, input.dependents ?? [])
      check(
        repeatedDependentErrorsOf(matched, numbered.employeeNumber ?? family.primary?.record.employeeNumber),
      )
      if (foreign) throw await idTakenError(unit, key, family)
      const primaryId = 'id' in key ? key.id : primaryApplicant.applicantId
      if (primaryId && input.dependents?.some(({ applicantId }) => applicantId === primaryId))
        throw errors.dependentOfAnother()
      const changes = changesOf(family.primary, numbered, matched)
      requireNumbersKept(changes)
      const removed = await findRemovedDocuments(unit, changes)
      await requireOwnItems(unit, key, { changes, removed })
      const [primary, ...dependents] = changes.map(({ input, stored }, index) => {
        if (stored) return replaced(input, stored, removed)
        const idOfPath = index === 0 && 'id' in key ? key.id : undefined
        return created(input, idOfPath ?? (input.applicantId || newId()))
      }) as [NextRecord, ...NextRecord[]]
      const isRace = (error: unknown, { stored, primaryId }: RecordSave) =>
        !stored &&
        primaryId === null &&
        (violates(error, 'applicants_pkey') ||
          ('number' in key && violates(error, 'applicants_employee_number')))
      try {
        return await saveFamily(unit, {
          family,
          primary,
          dependents: input.dependents && dependents,
          isRace,
          touchReferences,
        })
      } catch (error) {
        // For a limited caller, the record of another company does not exist under its id.
        const isTaken =
          'id' in key && error instanceof RetryTransaction && violates(error.cause, 'applicants_pkey')
        throw isTaken ? new RetryTransaction(errors.applicantNotFound()) : error
      }
    },

    async merge(
      unit: UnitOfWork,
      key: Key,
      { input: sent, requireState }: FamilyChange,
    ): Promise<SavedFamily> {
      checkBody(key, sent)
      const input = await inOwnCompany(unit.tx, sent, { isMerge: true })
      const { primaryApplicant, dependents: inputs = [] } = input
      if (!isFindable(...Object.values(key))) throw errors.applicantNotFound()
      const named = namedBy(inputs)
      const [, locked, family] = await Promise.all([
        store.lockDependentKeys(unit.tx, [...named.ids, ...named.numbers]),
        lockFamilies(unit, key, named),
        getFamily(unit, key),
      ])
      check(recordIdErrorsOf(family.primary, primaryApplicant, '/primaryApplicant'))
      requireState(etagOf(family.primary))
      const matched = await matchDependentsAnywhere(unit, family, { inputs, named, locked })
      check(
        repeatedDependentErrorsOf(
          matched,
          primaryApplicant.employeeNumber ?? family.primary.record.employeeNumber,
        ),
      )
      const changes = changesOf(family.primary, withoutPathNumber(key, primaryApplicant), matched)
      requireNumbersKept(changes)
      const removed = await findRemovedDocuments(unit, changes)
      requireKnownItems(changes, removed)
      const [primary, ...moved] = changes.map(change => merged(change, removed)) as [
        NextRecord,
        ...NextRecord[],
      ]
      check([
        ...missingFieldErrorsOf(primary.record, { pointer: '/primaryApplicant', role: 'primary' }),
        ...moved.flatMap(({ record }, index) =>
          missingFieldErrorsOf(record, { pointer: `/dependents/${index}`, role: 'dependent' }),
        ),
      ])
      const mentioned = new Set(moved.map(({ record }) => record.applicantId))
      const others = family.dependents.filter(({ record }) => !mentioned.has(record.applicantId))
      const dependents = [...others.map(stored => ({ record: stored.record, stored })), ...moved]
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
      return saveFamily(unit, { family, primary, dependents, isRace, touchReferences })
    },

    async createDependent(unit: UnitOfWork, primaryId: string, input: ApplicantInput): Promise<Stored> {
      await getFamily(unit, { id: primaryId })
      return saveRecord(unit, { ...created(input, newId()), primaryId, touchReferences })
    },

    async replaceDependent(unit: UnitOfWork, at: DependentKey, { input, requireState }: DependentChange) {
      check(duplicateIdErrorsOf(input, ''))
      const { stored, primaryId } = await lockDependent(unit, at)
      requireState(etagOf(stored))
      check(recordIdErrorsOf(stored, input, ''))
      const changes = [{ input, stored, pointer: '' }]
      requireNumbersKept(changes)
      const removed = await findRemovedDocuments(unit, changes)
      await requireOwnItems(unit, at.primary, { changes, removed })
      return saveRecord(unit, { ...replaced(input, stored, removed), primaryId, touchReferences })
    },

    async mergeDependent(unit: UnitOfWork, at: DependentKey, { input, requireState }: DependentChange) {
      check(duplicateIdErrorsOf(input, ''))
      const { stored, primaryId } = await lockDependent(unit, at)
      requireState(etagOf(stored))
      check(recordIdErrorsOf(stored, input, ''))
      const change = { input, stored, pointer: '' }
      requireNumbersKept([change])
      const removed = await findRemovedDocuments(unit, [change])
      requireKnownItems([change], removed)
      const next = merged(change, removed)
      check(missingFieldErrorsOf(next.record, { pointer: '', role: 'dependent' }))
      return saveRecord(unit, { ...next, primaryId, touchReferences })
    },
  }
}

/**
 * A primary applicant that a limited caller writes must belong to one of its companies. Dependents belong where their
 * primary belongs.
 */
async function inOwnCompany(
  sql: Sql,
  input: FamilyInput,
  { isMerge = false }: { isMerge?: boolean } = {},
): Promise<FamilyInput> {
  const { primaryApplicant } = input
  const isKept = isMerge && primaryApplicant.sendingCompany === undefined
  if (isKept || !isLimited(sql)) return input
  const pointer = '/primaryApplicant/sendingCompany'
  const sendingCompany = await requireOwnCompany(sql, primaryApplicant.sendingCompany, pointer)
  return {
    ...input,
    primaryApplicant: { ...primaryApplicant, ...(sendingCompany !== undefined && { sendingCompany }) },
  }
}

function check(fieldErrors: FieldError[]): void {
  if (fieldErrors.length > 0) throw invalid(fieldErrors)
}

function checkBody(key: Key, { primaryApplicant, dependents = [] }: FamilyInput): void {
  check([
    ...pathErrorsOf(key, primaryApplicant),
    ...duplicateIdErrorsOf(primaryApplicant, '/primaryApplicant'),
    ...dependents.flatMap((one, index) => duplicateIdErrorsOf(one, `/dependents/${index}`)),
  ])
}

function created(input: ApplicantInput, applicantId: string): NextRecord {
  return { record: replace(input, { applicantId, newId }), stored: undefined }
}

function replaced(input: ApplicantInput, stored: Stored, removed?: RemovedDocuments): NextRecord {
  const { applicantId } = stored.record
  const removedDocuments = removed?.get(applicantId) ?? []
  const record = replace(input, { applicantId, newId, current: stored.record, removedDocuments })
  return { record, stored, removedDocuments: removedDocuments.map(one => String(one['documentId'])) }
}

function merged({ input, stored }: PersonChange, removed: RemovedDocuments): NextRecord {
  if (!stored) {
    const empty = replace({}, { applicantId: input.applicantId || newId(), newId })
    return { record: merge(empty, input, { newId }), stored }
  }
  const removedDocuments = removed.get(stored.record.applicantId) ?? []
  return {
    record: merge(stored.record, input, { newId, removedDocuments }),
    stored,
    removedDocuments: removedDocuments.map(one => String(one['documentId'])),
  }
}

/** The error for an id of a new record that is taken. If another transaction created this family meanwhile, retries. */
async function idTakenError({ tx }: UnitOfWork, key: Key, family: Family): Promise<Error> {
  const createdMeanwhile = !family.primary && (await store.lockPrimary(tx, key))
  return createdMeanwhile ? new RetryTransaction() : errors.dependentOfAnother()
}
