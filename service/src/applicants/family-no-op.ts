// Detects writes of a family that change nothing, so that they take no lock and start no transaction. Feeds send most
// families unchanged.
import type { Sql } from '../db/database.ts'
import { isFindable } from '../lib/ids.ts'
import { type Applicant, type ApplicantInput, duplicateIdErrorsOf } from './applicant.ts'
import { etagOf } from './applicants.mapper.ts'
import type { Key } from './applicants.store.ts'
import * as store from './applicants.store.ts'
import { matchDependents } from './dependent-matching.ts'
import { type Family, familyOf } from './family-lookup.ts'
import type { SavedFamily } from './family-saving.ts'
import {
  changesOf,
  type FamilyChange,
  type PersonChange,
  pathErrorsOf,
  withoutPathNumber,
} from './write-checks.ts'

type IsUnchanged = (record: Applicant, input: ApplicantInput) => boolean

interface Options extends FamilyChange {
  isUnchanged: IsUnchanged
  /** Whether the dependents of the input are the full set. */
  isFullSet: boolean
}

/** Returns undefined where the request may change something or be invalid: the write then decides, under its locks. */
export async function findUnchanged(sql: Sql, key: Key, options: Options): Promise<SavedFamily | undefined> {
  if (!isFindable(...Object.values(key))) return undefined
  return unchangedOf(key, familyOf(key, await store.listFamily(sql, key)), options)
}

/** The same for a family that was read. */
export function unchangedOf(
  key: Key,
  { primary, dependents }: Family,
  { input, requireState, isUnchanged, isFullSet }: Options,
): SavedFamily | undefined {
  const { primaryApplicant, dependents: inputs = [] } = input
  if (!primary || pathErrorsOf(key, primaryApplicant).length > 0) return undefined
  const matched = matchDependents(inputs, { own: dependents, isUnchanged })
  if (isFullSet && matched.length !== dependents.length) return undefined
  const changes = changesOf(primary, withoutPathNumber(key, primaryApplicant), matched)
  if (hasDuplicates(changes) || !changes.every(change => isNoOp(change, isUnchanged))) return undefined
  requireState(etagOf(primary))
  const mentioned = matched.flatMap(({ stored }) => stored ?? [])
  const others = dependents.filter(one => !mentioned.includes(one))
  return { created: false, primary, dependents: [...others, ...mentioned] }
}

function isNoOp({ input, stored }: PersonChange, isUnchanged: IsUnchanged): boolean {
  if (!stored) return false
  const { applicantId, employeeNumber } = stored.record
  if (input.applicantId && input.applicantId !== applicantId) return false
  if (input.employeeNumber !== undefined && input.employeeNumber !== employeeNumber) return false
  return isUnchanged(stored.record, input)
}

/** Whether the request contains a person twice, or an id twice in one list. */
function hasDuplicates(changes: PersonChange[]): boolean {
  const people = new Set(changes.map(({ stored }) => stored))
  return (
    people.size < changes.length ||
    changes.some(({ input, pointer }) => duplicateIdErrorsOf(input, pointer).length > 0)
  )
}
