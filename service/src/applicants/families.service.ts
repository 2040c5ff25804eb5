// Writes of a primary applicant and its dependents. Each write locks the row of the primary first, plans the next records
// (family-planning.ts) and saves them (family-saving.ts).
import { requireOwnCompany } from '../companies/companies.service.ts'
import type { Sql } from '../db/database.ts'
import { isLimited } from '../db/limited.ts'
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import {
  type ApplicantInput,
  duplicateIdErrorsOf,
  type FamilyInput,
  longListErrorsOf,
  manyDependentsErrorsOf,
  missingFieldErrorsOf,
} from './applicant.ts'
import { isUnchangedByMerge, isUnchangedByReplace } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import { etagOf, fromRow, type Stored } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { matchDependents, repeatedDependentErrorsOf } from './dependent-matching.ts'
import { type DependentKey, emptyFamily, getFamily, lockDependent } from './family-lookup.ts'
import { findUnchanged } from './family-no-op.ts'
import {
  check,
  created,
  inOwnCompany,
  isIdTaken,
  merged,
  planMerge,
  planReplace,
  replaced,
} from './family-planning.ts'
import { readsOf } from './family-reads.ts'
import { locateNumber, type RecordSave, type SavedFamily, saveFamily, saveRecord } from './family-saving.ts'
import { findIdByNumber } from './numbers.store.ts'
import type { TouchReferences } from './references.service.ts'
import {
  type FamilyChange,
  findDocumentStates,
  type RequireState,
  recordIdErrorsOf,
  requireKnownItems,
  requireNumbersKept,
  requireOwnItems,
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

export type Families = ReturnType<typeof createFamilies>

export function createFamilies({ sql, touchReferences }: Dependencies) {
  /** The dependent is the body of the request. */
  const saveDependent = (unit: UnitOfWork, save: RecordSave): Promise<Stored> =>
    saveRecord(unit, { ...save, touchReferences }).catch(error => {
      throw locateNumber(error, '')
    })

  return {
    /** For changes of the family's documents, which take the same lock first. */
    lock: ({ tx }: UnitOfWork, primaryId: string) => store.lockPrimary(tx, { id: primaryId }),

    /** Raises the version of a record one of whose documents was changed by the Document API. */
    touch: ({ tx, now }: UnitOfWork, applicantId: string) => store.touchApplicant(tx, applicantId, now),

    async requireRoom({ tx }: UnitOfWork, applicantId: string): Promise<void> {
      const [stored] = (await store.listRecords(tx, [applicantId], [])).map(fromRow)
      if (!stored) return
      const record = { ...stored.record, documents: [...stored.record.documents, {}] }
      check(longListErrorsOf(record, { pointer: '', stored: stored.record }))
    },

    /** The record that has this number, primary applicant or dependent. */
    findIdByNumber: ({ tx }: UnitOfWork, number: string) => findIdByNumber(tx, number),

    async create(unit: UnitOfWork, input: FamilyInput): Promise<SavedFamily> {
      const { primaryApplicant, dependents = [] } = await inOwnCompany(companyReads(unit.tx), input)
      check(
        repeatedDependentErrorsOf(
          matchDependents(dependents, { own: [], isUnchanged: () => false }),
          primaryApplicant.employeeNumber,
        ),
      )
      return saveFamily(unit, {
        family: emptyFamily(),
        primary: created(primaryApplicant),
        dependents: dependents.map(input => created(input)),
        touchReferences,
      })
    },

    /** Returns the stored family if the replace is a no-op. Takes no lock and writes nothing. */
    async findUnchangedByReplace(key: Key, change: FamilyChange): Promise<SavedFamily | undefined> {
      const input = await inOwnCompany(companyReads(sql), change.input)
      const isFullSet = input.dependents !== undefined
      return findUnchanged(sql, key, { ...change, input, isFullSet, isUnchanged: isUnchangedByReplace })
    },

    /** Returns the stored family if the merge is a no-op. Takes no lock and writes nothing. */
    async findUnchangedByMerge(key: Key, change: FamilyChange): Promise<SavedFamily | undefined> {
      const input = await inOwnCompany(companyReads(sql), change.input, { isMerge: true })
      return findUnchanged(sql, key, { ...change, input, isFullSet: false, isUnchanged: isUnchangedByMerge })
    },

    async replace(unit: UnitOfWork, key: Key, change: FamilyChange): Promise<SavedFamily> {
      const plan = await planReplace(readsOf(unit.tx), key, change)
      try {
        return await saveFamily(unit, { ...plan, touchReferences })
      } catch (error) {
        // For a limited caller, the record of another company does not exist under its id.
        const isTaken = 'id' in key && error instanceof RetryTransaction && isIdTaken(error.cause)
        throw isTaken ? new RetryTransaction(errors.applicantNotFound()) : error
      }
    },

    async merge(unit: UnitOfWork, key: Key, change: FamilyChange): Promise<SavedFamily> {
      const plan = await planMerge(readsOf(unit.tx), key, change)
      return saveFamily(unit, { ...plan, touchReferences })
    },

    async createDependent(unit: UnitOfWork, primaryId: string, input: ApplicantInput): Promise<Stored> {
      const { dependents } = await getFamily(readsOf(unit.tx), { id: primaryId })
      check(manyDependentsErrorsOf(dependents.length + 1, dependents.length, ''))
      return saveDependent(unit, { ...created(input), primaryId })
    },

    async replaceDependent(unit: UnitOfWork, at: DependentKey, { input, requireState }: DependentChange) {
      check(duplicateIdErrorsOf(input, ''))
      const { stored, primaryId } = await lockDependent(unit, at)
      requireState(etagOf(stored))
      check(recordIdErrorsOf(stored, input, ''))
      const changes = [{ input, stored, pointer: '' }]
      requireNumbersKept(changes)
      const states = await findDocumentStates(readsOf(unit.tx), changes, 'replace')
      await requireOwnItems(readsOf(unit.tx), at.primary, { changes, states })
      return saveDependent(unit, { ...replaced(input, stored, states), primaryId })
    },

    async mergeDependent(unit: UnitOfWork, at: DependentKey, { input, requireState }: DependentChange) {
      check(duplicateIdErrorsOf(input, ''))
      const { stored, primaryId } = await lockDependent(unit, at)
      requireState(etagOf(stored))
      check(recordIdErrorsOf(stored, input, ''))
      const change = { input, stored, pointer: '' }
      requireNumbersKept([change])
      const states = await findDocumentStates(readsOf(unit.tx), [change], 'merge')
      requireKnownItems([change], states)
      const next = merged(change, states)
      check([
        ...missingFieldErrorsOf(next.record, { pointer: '', role: 'dependent' }),
        ...longListErrorsOf(next.record, { pointer: '', stored: stored.record }),
      ])
      return saveDependent(unit, { ...next, primaryId })
    },
  }
}

const companyReads = (sql: Sql) => ({
  isLimited: isLimited(sql),
  requireOwnCompany: (text: string | null | undefined, pointer: string) =>
    requireOwnCompany(sql, text, pointer),
})
