// Finds and locks families, and matches the dependents of a request with stored ones. Lock order of every write: the
// dependents that a merge names, the rows of primary applicants by id, then employee numbers.
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isFindable } from '../lib/ids.ts'
import type { Problem } from '../lib/problem.ts'
import type { ApplicantInput } from './applicant.ts'
import { isUnchangedByMerge, isUnchangedByReplace } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import { fromRow, type Stored } from './applicants.mapper.ts'
import type { Key, StoredRow } from './applicants.store.ts'
import { hasNamesOf, type Matched, matchDependents } from './dependent-matching.ts'
import { type FamilyReads, readsOf } from './family-reads.ts'
import { absentDependent } from './merges.errors.ts'

export interface Family {
  primary: Stored | undefined
  dependents: Stored[]
  /** Whether the id or number belongs to a record that is not a primary applicant. */
  taken: boolean
}

export interface DependentKey {
  primary: Key
  /** The dependent's id or number. */
  dependent: string
}

export const emptyFamily = (): Family => ({ primary: undefined, dependents: [], taken: false })

export function familyOf(key: Key, rows: StoredRow[]): Family {
  const all = rows.map(fromRow)
  const isOwner = ({ record }: Stored) =>
    'id' in key ? record.applicantId === key.id : record.employeeNumber === key.number
  const primary = all.find(stored => stored.primaryId === null && isOwner(stored) && !stored.archived)
  return {
    primary,
    dependents: all.filter(({ primaryId, archived }) => primaryId !== null && !archived),
    taken: !primary && all.some(isOwner),
  }
}

export async function lockFamily(reads: FamilyReads, key: Key): Promise<Family> {
  if (!isFindable(...Object.values(key))) return emptyFamily()
  const { locked, rows } = await reads.lockFamily(key)
  const family = familyOf(key, rows)
  // Another transaction created the family between the two statements, so we do not hold its lock.
  if (family.primary && !locked) throw new RetryTransaction()
  return family
}

/** Locks a family that must exist. The id or number of a dependent does not address one. */
export async function getFamily(reads: FamilyReads, key: Key): Promise<Family & { primary: Stored }> {
  const { primary, ...rest } = await lockFamily(reads, key)
  if (!primary) throw await absentOf(reads, key)
  return { primary, ...rest }
}

/** The error for a family that does not exist. */
export async function absentOf(reads: FamilyReads, key: Key): Promise<Problem> {
  return isFindable(...Object.values(key)) ? reads.absentApplicant(key) : errors.applicantNotFound()
}

export async function lockDependent(unit: UnitOfWork, { primary: key, dependent }: DependentKey) {
  const { primary, dependents } = await getFamily(readsOf(unit.tx), key)
  const stored = findDependent(dependents, dependent)
  if (!stored)
    throw isFindable(dependent) ? await absentDependent(unit.tx, dependent) : errors.dependentNotFound()
  return { stored, primaryId: primary.record.applicantId }
}

/** By id or number; an id wins over an equal number. */
export function findDependent(dependents: Stored[], key: string): Stored | undefined {
  return (
    dependents.find(({ record }) => record.applicantId === key) ??
    dependents.find(({ record }) => record.employeeNumber === key)
  )
}

/** The ids and numbers by which a request names its dependents. */
interface Named {
  ids: string[]
  numbers: string[]
}

export function namedBy(inputs: ApplicantInput[]): Named {
  return {
    ids: inputs.flatMap(({ applicantId }) => (applicantId ? [applicantId] : [])),
    numbers: inputs.flatMap(({ applicantId, employeeNumber }) =>
      !applicantId && employeeNumber ? [employeeNumber] : [],
    ),
  }
}

export function lockFamilies(reads: FamilyReads, key: Key, { ids, numbers }: Named): Promise<string[]> {
  return 'id' in key
    ? reads.lockFamilies([...ids, key.id], numbers)
    : reads.lockFamilies(ids, [...numbers, key.number])
}

interface OwnMatches {
  matched: Matched<Stored>[]
  /** Whether an id in the request belongs to a record outside this family. */
  foreign: boolean
}

/** Matches the dependents of a replace with the live and archived dependents of this primary. */
export async function matchOwnDependents(
  reads: FamilyReads,
  family: Family,
  inputs: ApplicantInput[],
): Promise<OwnMatches> {
  const matched = matchDependents(inputs, { own: family.dependents, isUnchanged: isUnchangedByReplace })
  if (matched.every(isSettled)) return { matched, foreign: false }
  const primaryId = family.primary?.record.applicantId ?? null
  const ids = namedBy(matched.filter(({ stored }) => !stored).map(({ input }) => input)).ids
  if (primaryId === null && ids.length === 0) return { matched, foreign: false }
  const found = (await reads.listFormerDependents({ primaryId, ids })).map(fromRow)
  const former = found.filter(one => one.archived && one.primaryId === primaryId && primaryId !== null)
  const own = [...family.dependents, ...former]
  const all = matchDependents(inputs, { own, isUnchanged: isUnchangedByReplace })
  return { matched: await withoutLostNumbers(reads, all), foreign: found.length > former.length }
}

/** Matches the dependents of a merge with those of any primary. `locked` are the ids of the primaries we locked. */
export async function matchDependentsAnywhere(
  reads: FamilyReads,
  family: Family & { primary: Stored },
  { inputs, named, locked }: { inputs: ApplicantInput[]; named: Named; locked: string[] },
): Promise<Matched<Stored>[]> {
  const primaryId = family.primary.record.applicantId
  const own = new Set(family.dependents.map(({ record }) => record.applicantId))
  const [byName, former] = await Promise.all([
    named.ids.length + named.numbers.length > 0 ? reads.listRecords(named.ids, named.numbers) : [],
    matchDependents(inputs, { own: family.dependents, isUnchanged: isUnchangedByMerge }).every(isSettled)
      ? []
      : reads.listFormerDependents({ primaryId, ids: [] }),
  ])
  const known = byName.map(fromRow)
  // A dependent moved to another primary while we waited for the locks, so we do not hold the lock of that primary.
  if (known.some(one => one.primaryId !== null && !locked.includes(one.primaryId)))
    throw new RetryTransaction()
  if (known.some(one => one.primaryId === null)) throw errors.dependentOfAnother()
  const archived = former.map(fromRow)
  for (const { record } of archived) own.add(record.applicantId)
  const matched = matchDependents(inputs, {
    own: [...family.dependents, ...archived],
    elsewhere: known.filter(({ record }) => !own.has(record.applicantId)),
    isUnchanged: isUnchangedByMerge,
  })
  return withoutLostNumbers(reads, matched)
}

/** Whether archived dependents cannot change the match. Numbers and exact names decide first, among archived ones too. */
function isSettled({ input, stored }: Matched<Stored>): boolean {
  if (!stored) return false
  if (input.applicantId) return true
  if (input.employeeNumber) return stored.record.employeeNumber === input.employeeNumber
  return hasNamesOf(input, stored.record)
}

/** An archived dependent is restored without its number if the number is in use or retired by now. */
async function withoutLostNumbers(
  reads: FamilyReads,
  matched: Matched<Stored>[],
): Promise<Matched<Stored>[]> {
  const numbers = matched.flatMap(({ stored }) =>
    stored?.archived && stored.record.employeeNumber ? [stored.record.employeeNumber] : [],
  )
  if (numbers.length === 0) return matched
  const taken = await reads.listTakenNumbers(numbers)
  return matched.map(one => {
    const { stored } = one
    const number = stored?.archived ? stored.record.employeeNumber : null
    if (!stored || !number || !taken.has(number)) return one
    const record = { ...stored.record, employeeNumber: null }
    return { ...one, stored: { ...stored, record, lostNumber: number } }
  })
}
