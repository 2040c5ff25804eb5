// Writes of a primary applicant and its dependents. The primary's row is locked first; what is then read is what the
// write goes by. Rules are in applicant.ts and dependents.ts; this file fetches and decides; saving.ts writes.
import { RunAgain, refusedBy } from '../db/sqlstate.ts'
import type { Unit } from '../db/unit.ts'
import { newId as makeId } from '../lib/ids.ts'
import type { Fault, Problem } from '../lib/problem.ts'
import {
  type Applicant,
  type ApplicantInput,
  faultsOf,
  merge,
  missingFields,
  replace,
  unknownReferences,
} from './applicant.ts'
import * as errors from './applicants.errors.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { type Matched, matchDependents, matchMade, repeatedDependents } from './dependents.ts'
import { type Save, type SavedFamily, saveFamily, saveRecord, type Wanted } from './saving.ts'
import { etagOf, fromRow, type Stored } from './stored.ts'

export type { SavedFamily }

export interface FamilyInput {
  primaryApplicant: ApplicantInput
  dependents: ApplicantInput[] | undefined
}

/** Throws where the record, or its absence, is not what the caller expects; undefined is "there is none". */
export type RequireState = (etag: string | undefined) => void

type Refuse = (faults: Fault[]) => Problem

export interface FamilyRules {
  /** Makes the error that lists faults of a body. */
  invalid: Refuse
}

const newId = () => makeId<'record'>() as string

interface Family {
  primary: Stored | undefined
  dependents: Stored[]
  /** Whether the id or number is that of someone who is no primary applicant. */
  taken: boolean
}

export type Families = ReturnType<typeof createFamilies>

export function createFamilies({ invalid }: FamilyRules) {
  const check = (faults: Fault[]) => {
    if (faults.length > 0) throw invalid(faults)
  }

  return {
    /** A document in the record was changed elsewhere: whoever has read the record has an old state of it. */
    touch: ({ tx, now }: Unit, applicantId: string) => store.touchApplicant(tx, applicantId, now),

    /** Whoever has this number now, primary applicant or dependent. */
    findIdByNumber: ({ tx }: Unit, number: string) => store.findIdByNumber(tx, number),

    async create(unit: Unit, { primaryApplicant, dependents = [] }: FamilyInput): Promise<SavedFamily> {
      check(repeatedDependents(matchDependents(dependents, []), primaryApplicant.employeeNumber))
      const primary = replace(primaryApplicant, { applicantId: newId(), newId })
      const after = dependents.map(input => replace(input, { applicantId: newId(), newId }))
      return saveFamily(unit, {
        family: emptyFamily(),
        primary,
        dependents: after.map(record => ({ record, stored: undefined })),
      })
    },

    async replace(
      unit: Unit,
      key: Key,
      { input, requireState }: { input: FamilyInput; requireState: RequireState },
    ): Promise<SavedFamily> {
      const { primaryApplicant } = input
      check([
        ...mustBe(key, primaryApplicant),
        ...faultsOf(primaryApplicant, '/primaryApplicant'),
        ...(input.dependents ?? []).flatMap((one, index) => faultsOf(one, `/dependents/${index}`)),
      ])
      const family = await lockFamily(unit, key)
      if (family.taken) throw 'id' in key ? errors.dependentOfAnother() : errors.employeeNumberInUse()
      check(mustBeItself(family.primary, primaryApplicant, '/primaryApplicant'))
      requireState(family.primary && etagOf(family.primary))
      const applicantId =
        family.primary?.record.applicantId ?? ('id' in key ? key.id : primaryApplicant.applicantId || newId())
      const numbered =
        'number' in key ? { ...primaryApplicant, employeeNumber: key.number } : primaryApplicant
      const primary = replace(numbered, { applicantId, newId })
      const brings = !family.primary && 'number' in key && primaryApplicant.applicantId
      if (brings && (await store.listRecords(unit.tx, [applicantId], [])).length > 0)
        throw await takenBy(unit, key, family)
      const dependents =
        input.dependents &&
        (await replaceDependents(unit, key, { family, primary, inputs: input.dependents, check }))
      const raced = (error: unknown, { stored, primaryId }: Save) =>
        !stored &&
        primaryId === null &&
        (refusedBy(error, 'applicants_pkey') ||
          ('number' in key && refusedBy(error, 'applicants_employee_number')))
      return saveFamily(unit, { family, primary, dependents, raced })
    },

    async merge(
      unit: Unit,
      key: Key,
      { input, requireState }: { input: FamilyInput; requireState: RequireState },
    ): Promise<SavedFamily> {
      const { primaryApplicant, dependents: inputs = [] } = input
      check([
        ...mustBe(key, primaryApplicant),
        ...faultsOf(primaryApplicant, '/primaryApplicant'),
        ...inputs.flatMap((one, index) => faultsOf(one, `/dependents/${index}`)),
      ])
      const named = namedBy(inputs)
      const [, held, family] = await Promise.all([
        store.lockNames(unit.tx, [...named.ids, ...named.numbers]),
        lockTogether(unit, key, named),
        getFamily(unit, key),
      ])
      check(mustBeItself(family.primary, primaryApplicant, '/primaryApplicant'))
      requireState(etagOf(family.primary))
      const primary = mergeOne(family.primary, primaryApplicant, {
        pointer: '/primaryApplicant',
        check,
        role: 'primary',
      })
      const moved = await mergeDependents(unit, { family, primary, inputs, check, named, held })
      const mentioned = new Set(moved.map(({ record }) => record.applicantId))
      const others = family.dependents.filter(({ record }) => !mentioned.has(record.applicantId))
      const dependents = [...others.map(stored => ({ record: stored.record, stored })), ...moved]
      // A dependent that somebody makes while we look is there when we look again.
      const raced = (error: unknown, { record, stored }: Save) => {
        const byId = named.ids.includes(record.applicantId)
        return !stored && refusedBy(error, byId ? 'applicants_pkey' : 'applicants_employee_number')
      }
      return saveFamily(unit, { family, primary, dependents, raced })
    },

    async createDependent(unit: Unit, primaryId: string, input: ApplicantInput): Promise<Stored> {
      await getFamily(unit, { id: primaryId })
      const record = replace(input, { applicantId: newId(), newId })
      return saveRecord(unit, { record, stored: undefined, primaryId })
    },

    async replaceDependent(
      unit: Unit,
      at: DependentKey,
      { input, requireState }: { input: ApplicantInput; requireState: RequireState },
    ) {
      check(faultsOf(input, ''))
      const { stored, primaryId } = await lockDependent(unit, at)
      requireState(etagOf(stored))
      check(mustBeItself(stored, input, ''))
      // Addressed by its number and sent without one, a dependent keeps the number it is known by.
      const number =
        input.employeeNumber === undefined && stored.record.employeeNumber === at.dependent
          ? at.dependent
          : input.employeeNumber
      const record = replace(
        { ...input, employeeNumber: number ?? null },
        { applicantId: stored.record.applicantId, newId },
      )
      return saveRecord(unit, { record, stored, primaryId })
    },

    async mergeDependent(
      unit: Unit,
      at: DependentKey,
      { input, requireState }: { input: ApplicantInput; requireState: RequireState },
    ) {
      check(faultsOf(input, ''))
      const { stored, primaryId } = await lockDependent(unit, at)
      requireState(etagOf(stored))
      check(mustBeItself(stored, input, ''))
      const record = mergeOne(stored, input, { pointer: '', check, role: 'dependent' })
      return saveRecord(unit, { record, stored, primaryId })
    },
  }
}

export interface DependentKey {
  primary: Key
  /** The dependent's id or number. */
  dependent: string
}

const emptyFamily = (): Family => ({ primary: undefined, dependents: [], taken: false })

/** The id or number of the path wins; one in the body that says otherwise is a mistake. */
function mustBe(key: Key, input: ApplicantInput): Fault[] {
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

function mustBeItself(stored: Stored | undefined, input: ApplicantInput, pointer: string): Fault[] {
  if (!stored || !input.applicantId || input.applicantId === stored.record.applicantId) return []
  return [
    {
      pointer: `${pointer}/applicantId`,
      detail: 'Must be the id of the record that the path names, or left out.',
    },
  ]
}

async function lockFamily({ tx }: Unit, key: Key): Promise<Family> {
  // One round trip; the second statement sees what whoever held the lock has committed.
  const [locked, rows] = await Promise.all([store.lockPrimary(tx, key), store.listFamily(tx, key)])
  const all = rows.map(fromRow)
  const isOwner = ({ record }: Stored) =>
    'id' in key ? record.applicantId === key.id : record.employeeNumber === key.number
  const primary = all.find(stored => stored.primaryId === null && isOwner(stored) && !stored.archived)
  // Made by somebody between the two statements: start over, so as to hold it.
  if (primary && !locked) throw new RunAgain()
  return {
    primary,
    dependents: all.filter(({ primaryId, archived }) => primaryId !== null && !archived),
    taken: !primary && all.some(isOwner),
  }
}

/** The family of a primary applicant that must be there; the id or number of a dependent is nobody's here. */
async function getFamily(unit: Unit, key: Key): Promise<Family & { primary: Stored }> {
  const { primary, ...rest } = await lockFamily(unit, key)
  if (!primary) throw errors.applicantNotFound()
  return { primary, ...rest }
}

async function lockDependent(unit: Unit, { primary: key, dependent }: DependentKey) {
  const { primary, dependents } = await getFamily(unit, key)
  const stored =
    dependents.find(({ record }) => record.applicantId === dependent) ??
    dependents.find(({ record }) => record.employeeNumber === dependent)
  if (!stored) throw errors.dependentNotFound()
  return { stored, primaryId: primary.record.applicantId }
}

type Check = (faults: Fault[]) => void

interface DependentsChange {
  family: Family
  /** As it is going to be. */
  primary: Applicant
  inputs: ApplicantInput[]
  check: Check
}

/** The full set: matched among this primary's own, archived ones by their id too. */
async function replaceDependents(
  unit: Unit,
  key: Key,
  { family, primary, inputs, check }: DependentsChange,
): Promise<Wanted[]> {
  const own = new Set(family.dependents.map(({ record }) => record.applicantId))
  const ids = namedBy(inputs).ids.filter(id => !own.has(id))
  const known = ids.length === 0 ? [] : (await store.listRecords(unit.tx, ids, [])).map(fromRow)
  const revived = known.filter(
    ({ primaryId, archived }) => archived && primaryId === family.primary?.record.applicantId,
  )
  const matched = matchDependents(inputs, [...family.dependents, ...revived])
  check(repeatedDependents(matched, primary.employeeNumber))
  if (known.length > revived.length) throw await takenBy(unit, key, family)
  return matched.map(({ input, stored }) => ({
    record: replace(input, {
      applicantId: stored?.record.applicantId ?? (input.applicantId || newId()),
      newId,
    }),
    stored,
  }))
}

/** An id for a new record must not be somebody's, unless the family itself was made while we looked. */
async function takenBy({ tx }: Unit, key: Key, family: Family): Promise<Error> {
  const madeMeanwhile = !family.primary && (await store.lockPrimary(tx, key))
  return madeMeanwhile ? new RunAgain() : errors.dependentOfAnother()
}

interface Named {
  ids: string[]
  numbers: string[]
}

/** How a merge names its dependents. */
function namedBy(inputs: ApplicantInput[]): Named {
  return {
    ids: inputs.flatMap(({ applicantId }) => (applicantId ? [applicantId] : [])),
    numbers: inputs.flatMap(({ applicantId, employeeNumber }) =>
      !applicantId && employeeNumber ? [employeeNumber] : [],
    ),
  }
}

function lockTogether({ tx }: Unit, key: Key, { ids, numbers }: Named): Promise<string[]> {
  return 'id' in key
    ? store.lockFamilies(tx, [...ids, key.id], numbers)
    : store.lockFamilies(tx, ids, [...numbers, key.number])
}

/** Matched wherever they are; one of another primary applicant moves here. */
async function mergeDependents(
  unit: Unit,
  { family, primary, inputs, check, named, held }: DependentsChange & { named: Named; held: string[] },
): Promise<Wanted[]> {
  if (inputs.length === 0) return []
  const known = (await store.listRecords(unit.tx, named.ids, named.numbers)).map(fromRow)
  // Whoever writes a dependent holds its primary applicant; if that changed while we waited, start over.
  if (known.some(({ primaryId }) => primaryId !== null && !held.includes(primaryId))) throw new RunAgain()
  if (known.some(({ primaryId }) => primaryId === null)) throw errors.dependentOfAnother()
  const matched: Matched<Stored>[] = matchMade(matchDependents(inputs, known), family.dependents)
  check(repeatedDependents(matched, primary.employeeNumber))
  return matched.map(({ input, stored }, index) => {
    const pointer = `/dependents/${index}`
    if (stored) return { record: mergeOne(stored, input, { pointer, check, role: 'dependent' }), stored }
    requireKnown(undefined, input, pointer)
    // Merged into an empty record: items that are alike become one, as they would when the same merge comes again.
    const empty = replace({}, { applicantId: input.applicantId || newId(), newId })
    const record = merge(empty, input, newId)
    check(missingFields(record, { pointer, role: 'dependent' }))
    return { record, stored }
  })
}

interface MergeRules {
  pointer: string
  check: Check
  role: 'primary' | 'dependent'
}

function mergeOne(stored: Stored, input: ApplicantInput, { pointer, check, role }: MergeRules): Applicant {
  requireKnown(stored.record, input, pointer)
  const record = merge(stored.record, input, newId)
  check(missingFields(record, { pointer, role }))
  return record
}

function requireKnown(current: Applicant | undefined, input: ApplicantInput, pointer: string): void {
  const unknown = unknownReferences(current, input, pointer)
  if (unknown.length > 0) throw errors.unknownReference(undefined, { errors: unknown })
}
