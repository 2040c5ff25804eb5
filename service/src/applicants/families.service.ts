// Writes of a primary applicant and its dependents. The primary's row is locked first; what is then read is what the
// write goes by. Rules are in applicant-changes.ts and dependent-matching.ts; saving.ts writes.
import type { Sql } from '../db/database.ts'
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isFindable, newId as makeId } from '../lib/ids.ts'
import { type FieldError, invalid } from '../lib/problem.ts'
import { type Applicant, type ApplicantInput, faultsOf, missingFields } from './applicant.ts'
import { isUnchangedByMerge, isUnchangedByReplace, merge, replace } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import { etagOf, type Stored } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { type Matched, matchDependents, repeatedDependents } from './dependent-matching.ts'
import {
  type DependentKey,
  emptyFamily,
  type Family,
  familyOf,
  getFamily,
  lockDependent,
  lockFamilies,
  lockFamily,
  namedBy,
  recogniseAnywhere,
  recogniseOwn,
} from './family-lookup.ts'
import {
  findRemovedDocuments,
  type PersonChange,
  type RemovedDocuments,
  requireKnownItems,
  requireNumbersKept,
  requireOwnItems,
} from './person-changes.ts'
import type { TouchReferences } from './references.service.ts'
import { type Save, type SavedFamily, saveFamily, saveRecord, type Wanted } from './saving.ts'

export type { DependentKey, SavedFamily }

export interface FamilyInput {
  primaryApplicant: ApplicantInput
  dependents: ApplicantInput[] | undefined
}

/** Throws where the record, or its absence, is not what the caller expects; undefined is "there is none". */
export type RequireState = (etag: string | undefined) => void

interface FamilyChange {
  input: FamilyInput
  requireState: RequireState
}

interface DependentChange {
  input: ApplicantInput
  requireState: RequireState
}

export interface FamilyRules {
  sql: Sql
  /** Makes the error that lists faults of a body. */
  touchReferences: TouchReferences
}

const newId = () => makeId<'record'>() as string

export type Families = ReturnType<typeof createFamilies>

export function createFamilies({ sql, touchReferences }: FamilyRules) {
  const check = (faults: FieldError[]) => {
    if (faults.length > 0) throw invalid(faults)
  }
  const checkBody = (key: Key, { primaryApplicant, dependents = [] }: FamilyInput) =>
    check([
      ...mustBe(key, primaryApplicant),
      ...faultsOf(primaryApplicant, '/primaryApplicant'),
      ...dependents.flatMap((one, index) => faultsOf(one, `/dependents/${index}`)),
    ])

  /** Undefined where anything might change or be wrong: the write then decides, under its locks. */
  async function findUnchanged(key: Key, { input, requireState, isUnchanged, isWhole }: Unchanged) {
    const { primaryApplicant, dependents: inputs = [] } = input
    if (!isFindable(...Object.values(key))) return undefined
    const family = familyOf(key, await store.listFamily(sql, key))
    const { primary, dependents } = family
    if (!primary || mustBe(key, primaryApplicant).length > 0) return undefined
    const matched = matchDependents(inputs, { own: dependents, isUnchanged })
    if (isWhole && matched.length !== dependents.length) return undefined
    const changes = changesOf(primary, withoutPathNumber(key, primaryApplicant), matched)
    if (hasRepeatedIds(changes) || !changes.every(change => changesNothing(change, isUnchanged)))
      return undefined
    requireState(etagOf(primary))
    const mentioned = matched.flatMap(({ stored }) => stored ?? [])
    const others = dependents.filter(one => !mentioned.includes(one))
    return { created: false, primary, dependents: [...others, ...mentioned] }
  }

  return {
    /** A document in the record was changed by the Document API: the record has a new version. */
    touch: ({ tx, now }: UnitOfWork, applicantId: string) => store.touchApplicant(tx, applicantId, now),

    /** The record that has this number now, primary applicant or dependent. */
    findIdByNumber: ({ tx }: UnitOfWork, number: string) => store.findIdByNumber(tx, number),

    async create(unit: UnitOfWork, { primaryApplicant, dependents = [] }: FamilyInput): Promise<SavedFamily> {
      check(
        repeatedDependents(
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

    /** The family as it is, where replacing it would change nothing; takes no lock and writes nothing. */
    async findUnchangedByReplace(key: Key, change: FamilyChange): Promise<SavedFamily | undefined> {
      const isWhole = change.input.dependents !== undefined
      return findUnchanged(key, { ...change, isWhole, isUnchanged: isUnchangedByReplace })
    },

    /** The family as it is, where merging into it would change nothing; takes no lock and writes nothing. */
    async findUnchangedByMerge(key: Key, change: FamilyChange): Promise<SavedFamily | undefined> {
      return findUnchanged(key, { ...change, isWhole: false, isUnchanged: isUnchangedByMerge })
    },

    async replace(unit: UnitOfWork, key: Key, { input, requireState }: FamilyChange): Promise<SavedFamily> {
      const { primaryApplicant } = input
      checkBody(key, input)
      const family = await lockFamily(unit, key)
      if (family.taken) throw 'id' in key ? errors.dependentOfAnother() : errors.employeeNumberInUse()
      check(mustBeItself(family.primary, primaryApplicant, '/primaryApplicant'))
      requireState(family.primary && etagOf(family.primary))
      const numbered =
        'number' in key ? { ...primaryApplicant, employeeNumber: key.number } : primaryApplicant
      const brings = !family.primary && 'number' in key && primaryApplicant.applicantId
      if (brings && (await store.listRecords(unit.tx, [brings], [])).length > 0)
        throw await takenBy(unit, key, family)
      const { matched, foreign } = await recogniseOwn(unit, family, input.dependents ?? [])
      check(repeatedDependents(matched, numbered.employeeNumber ?? family.primary?.record.employeeNumber))
      if (foreign) throw await takenBy(unit, key, family)
      const changes = changesOf(family.primary, numbered, matched)
      requireNumbersKept(changes)
      const removed = await findRemovedDocuments(unit, changes)
      await requireOwnItems(unit, key, { changes, removed })
      const [primary, ...dependents] = changes.map(({ input, stored }, index) => {
        if (stored) return replaced(input, stored, removed)
        const idOfPath = index === 0 && 'id' in key ? key.id : undefined
        return created(input, idOfPath ?? (input.applicantId || newId()))
      }) as [Wanted, ...Wanted[]]
      const raced = (error: unknown, { stored, primaryId }: Save) =>
        !stored &&
        primaryId === null &&
        (violates(error, 'applicants_pkey') ||
          ('number' in key && violates(error, 'applicants_employee_number')))
      return saveFamily(unit, {
        family,
        primary,
        dependents: input.dependents && dependents,
        raced,
        touchReferences,
      })
    },

    async merge(unit: UnitOfWork, key: Key, { input, requireState }: FamilyChange): Promise<SavedFamily> {
      const { primaryApplicant, dependents: inputs = [] } = input
      checkBody(key, input)
      if (!isFindable(...Object.values(key))) throw errors.applicantNotFound()
      const named = namedBy(inputs)
      const [, locked, family] = await Promise.all([
        store.lockNames(unit.tx, [...named.ids, ...named.numbers]),
        lockFamilies(unit, key, named),
        getFamily(unit, key),
      ])
      check(mustBeItself(family.primary, primaryApplicant, '/primaryApplicant'))
      requireState(etagOf(family.primary))
      const matched = await recogniseAnywhere(unit, family, { inputs, named, locked })
      check(
        repeatedDependents(matched, primaryApplicant.employeeNumber ?? family.primary.record.employeeNumber),
      )
      const changes = changesOf(family.primary, withoutPathNumber(key, primaryApplicant), matched)
      requireNumbersKept(changes)
      const removed = await findRemovedDocuments(unit, changes)
      requireKnownItems(changes, removed)
      const [primary, ...moved] = changes.map(change => merged(change, removed)) as [Wanted, ...Wanted[]]
      check(changes.flatMap((change, index) => missingIn([primary, ...moved][index] as Wanted, change)))
      const mentioned = new Set(moved.map(({ record }) => record.applicantId))
      const others = family.dependents.filter(({ record }) => !mentioned.has(record.applicantId))
      const dependents = [...others.map(stored => ({ record: stored.record, stored })), ...moved]
      // A dependent that another transaction creates after our read is found when the transaction is retried.
      const raced = (error: unknown, { record, stored }: Save) => {
        const byId = named.ids.includes(record.applicantId)
        return !stored && violates(error, byId ? 'applicants_pkey' : 'applicants_employee_number')
      }
      return saveFamily(unit, { family, primary, dependents, raced, touchReferences })
    },

    async createDependent(unit: UnitOfWork, primaryId: string, input: ApplicantInput): Promise<Stored> {
      await getFamily(unit, { id: primaryId })
      return saveRecord(unit, { ...created(input, newId()), primaryId, touchReferences })
    },

    async replaceDependent(unit: UnitOfWork, at: DependentKey, { input, requireState }: DependentChange) {
      check(faultsOf(input, ''))
      const { stored, primaryId } = await lockDependent(unit, at)
      requireState(etagOf(stored))
      check(mustBeItself(stored, input, ''))
      const changes = [{ input, stored, pointer: '' }]
      requireNumbersKept(changes)
      const removed = await findRemovedDocuments(unit, changes)
      await requireOwnItems(unit, at.primary, { changes, removed })
      return saveRecord(unit, { ...replaced(input, stored, removed), primaryId, touchReferences })
    },

    async mergeDependent(unit: UnitOfWork, at: DependentKey, { input, requireState }: DependentChange) {
      check(faultsOf(input, ''))
      const { stored, primaryId } = await lockDependent(unit, at)
      requireState(etagOf(stored))
      check(mustBeItself(stored, input, ''))
      const change = { input, stored, pointer: '' }
      requireNumbersKept([change])
      const removed = await findRemovedDocuments(unit, [change])
      requireKnownItems([change], removed)
      const wanted = merged(change, removed)
      check(missingFields(wanted.record, { pointer: '', role: 'dependent' }))
      return saveRecord(unit, { ...wanted, primaryId, touchReferences })
    },
  }
}

/** The id or number of the path wins; one in the body that says otherwise is a mistake. */
function mustBe(key: Key, input: ApplicantInput): FieldError[] {
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

function mustBeItself(stored: Stored | undefined, input: ApplicantInput, pointer: string): FieldError[] {
  if (!stored || !input.applicantId || input.applicantId === stored.record.applicantId) return []
  return [
    {
      pointer: `${pointer}/applicantId`,
      detail: 'Must be the id of the record that the path names, or left out.',
    },
  ]
}

/** Addressed by its number, a primary applicant keeps it: an empty one in the body says nothing. */
function withoutPathNumber(key: Key, input: ApplicantInput): ApplicantInput {
  if ('id' in key) return input
  const { employeeNumber: _number, ...rest } = input
  return rest
}

function changesOf(
  primary: Stored | undefined,
  input: ApplicantInput,
  dependents: Matched<Stored>[],
): PersonChange[] {
  return [
    { input, stored: primary, pointer: '/primaryApplicant' },
    ...dependents.map((one, index) => ({ ...one, pointer: `/dependents/${index}` })),
  ]
}

function created(input: ApplicantInput, applicantId: string): Wanted {
  return { record: replace(input, { applicantId, newId }), stored: undefined }
}

function replaced(input: ApplicantInput, stored: Stored, removed?: RemovedDocuments): Wanted {
  const { applicantId } = stored.record
  const removedDocuments = removed?.get(applicantId) ?? []
  const record = replace(input, { applicantId, newId, current: stored.record, removedDocuments })
  return { record, stored, removedDocuments: removedDocuments.map(one => String(one['documentId'])) }
}

function merged({ input, stored }: PersonChange, removed: RemovedDocuments): Wanted {
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

function missingIn({ record }: Wanted, { pointer }: PersonChange): FieldError[] {
  return missingFields(record, {
    pointer,
    role: pointer === '/primaryApplicant' ? 'primary' : 'dependent',
  })
}

/** An id for a new record must not be taken, unless the family itself was created while we looked. */
async function takenBy({ tx }: UnitOfWork, key: Key, family: Family): Promise<Error> {
  const createdMeanwhile = !family.primary && (await store.lockPrimary(tx, key))
  return createdMeanwhile ? new RetryTransaction() : errors.dependentOfAnother()
}

type IsUnchanged = (record: Applicant, input: ApplicantInput) => boolean

interface Unchanged extends FamilyChange {
  isUnchanged: IsUnchanged
  /** Whether the dependents of the input are the full set. */
  isWhole: boolean
}

function changesNothing({ input, stored }: PersonChange, isUnchanged: IsUnchanged): boolean {
  if (!stored) return false
  const { applicantId, employeeNumber } = stored.record
  if (input.applicantId && input.applicantId !== applicantId) return false
  if (input.employeeNumber !== undefined && input.employeeNumber !== employeeNumber) return false
  return isUnchanged(stored.record, input)
}

/** Whether a person is in the request, or an id in a list, twice. */
function hasRepeatedIds(changes: PersonChange[]): boolean {
  const people = new Set(changes.map(({ stored }) => stored))
  return (
    people.size < changes.length || changes.some(({ input, pointer }) => faultsOf(input, pointer).length > 0)
  )
}
