// Finds and locks families, and recognises the dependents of a request in them. The lock order of every write: the
// dependents that a merge names, then primary applicants by id, then numbers.
import type { Tx } from '../db/database.ts'
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isFindable } from '../lib/ids.ts'
import type { ApplicantInput } from './applicant.ts'
import { isUnchangedByMerge, isUnchangedByReplace } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import { fromRow, type Stored } from './applicants.mapper.ts'
import type { Key, StoredRow } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { type Matched, matchDependents } from './dependent-matching.ts'

export interface Family {
  primary: Stored | undefined
  dependents: Stored[]
  /** Whether the id or number belongs to a record that is no primary applicant. */
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

export async function lockFamily({ tx }: UnitOfWork, key: Key): Promise<Family> {
  if (!isFindable(...Object.values(key))) return emptyFamily()
  // One round trip; the second statement sees what the previous holder of the lock has committed.
  const [locked, rows] = await Promise.all([store.lockPrimary(tx, key), store.listFamily(tx, key)])
  const family = familyOf(key, rows)
  // Another transaction created it between the two statements: start over, so as to hold the lock.
  if (family.primary && !locked) throw new RetryTransaction()
  return family
}

/** The family of a primary applicant that must exist; the id or number of a dependent does not count. */
export async function getFamily(unit: UnitOfWork, key: Key): Promise<Family & { primary: Stored }> {
  const { primary, ...rest } = await lockFamily(unit, key)
  if (!primary) throw errors.applicantNotFound()
  return { primary, ...rest }
}

export async function lockDependent(unit: UnitOfWork, { primary: key, dependent }: DependentKey) {
  const { primary, dependents } = await getFamily(unit, key)
  const stored =
    dependents.find(({ record }) => record.applicantId === dependent) ??
    dependents.find(({ record }) => record.employeeNumber === dependent)
  if (!stored) throw errors.dependentNotFound()
  return { stored, primaryId: primary.record.applicantId }
}

/** How a request names its dependents. */
export interface Named {
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

export function lockFamilies({ tx }: UnitOfWork, key: Key, { ids, numbers }: Named): Promise<string[]> {
  return 'id' in key
    ? store.lockFamilies(tx, [...ids, key.id], numbers)
    : store.lockFamilies(tx, ids, [...numbers, key.number])
}

interface Recognised {
  matched: Matched<Stored>[]
  /** Whether an id in the request belongs to a record that is neither this family's nor free. */
  foreign: boolean
}

/** The dependents of a replace: matched among this primary's own, those who left included. */
export async function recogniseOwn(
  { tx }: UnitOfWork,
  family: Family,
  inputs: ApplicantInput[],
): Promise<Recognised> {
  const matched = matchDependents(inputs, { own: family.dependents, isUnchanged: isUnchangedByReplace })
  if (matched.every(isSettled)) return { matched, foreign: false }
  const primaryId = family.primary?.record.applicantId ?? null
  const ids = namedBy(matched.filter(({ stored }) => !stored).map(({ input }) => input)).ids
  if (primaryId === null && ids.length === 0) return { matched, foreign: false }
  const found = (await store.listFormerDependents(tx, { primaryId, ids })).map(fromRow)
  const former = found.filter(one => one.archived && one.primaryId === primaryId && primaryId !== null)
  const own = [...family.dependents, ...former]
  const all = matchDependents(inputs, { own, isUnchanged: isUnchangedByReplace })
  return { matched: await withoutLostNumbers(tx, all), foreign: found.length > former.length }
}

/** The dependents of a merge: matched wherever they are. `locked` are the primary applicants that this unit locked. */
export async function recogniseAnywhere(
  { tx }: UnitOfWork,
  family: Family & { primary: Stored },
  { inputs, named, locked }: { inputs: ApplicantInput[]; named: Named; locked: string[] },
): Promise<Matched<Stored>[]> {
  const primaryId = family.primary.record.applicantId
  const own = new Set(family.dependents.map(({ record }) => record.applicantId))
  const [byName, former] = await Promise.all([
    named.ids.length + named.numbers.length > 0 ? store.listRecords(tx, named.ids, named.numbers) : [],
    matchDependents(inputs, { own: family.dependents, isUnchanged: isUnchangedByMerge }).every(isSettled)
      ? []
      : store.listFormerDependents(tx, { primaryId, ids: [] }),
  ])
  const known = byName.map(fromRow)
  // A write of a dependent holds its primary applicant; if that changed while we waited, start over.
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
  return withoutLostNumbers(tx, matched)
}

/** Whether those who left cannot change the match: a number decides before names, also among them. */
function isSettled({ input, stored }: Matched<Stored>): boolean {
  if (!stored) return false
  return !input.employeeNumber || !!input.applicantId || stored.record.employeeNumber === input.employeeNumber
}

/** A dependent comes back without its number where another person has got it, or it was retired, meanwhile. */
async function withoutLostNumbers(tx: Tx, matched: Matched<Stored>[]): Promise<Matched<Stored>[]> {
  const numbers = matched.flatMap(({ stored }) =>
    stored?.archived && stored.record.employeeNumber ? [stored.record.employeeNumber] : [],
  )
  if (numbers.length === 0) return matched
  const taken = await store.listTakenNumbers(tx, numbers)
  return matched.map(one => {
    const { stored } = one
    const number = stored?.archived ? stored.record.employeeNumber : null
    if (!stored || !number || !taken.has(number)) return one
    const record = { ...stored.record, employeeNumber: null }
    return { ...one, stored: { ...stored, record, lostNumber: number } }
  })
}
