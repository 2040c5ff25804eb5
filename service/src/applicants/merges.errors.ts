import type { Sql } from '../db/database.ts'
import { declareProblem, type Problem } from '../lib/problem.ts'
import { applicantNotFound, dependentNotFound } from './applicants.errors.ts'
import type { Key } from './applicants.store.ts'
import { findMergedInto } from './merges.store.ts'

export const recordsNotMergeable = declareProblem({
  code: 'records-not-mergeable',
  status: 409,
  title: 'These two records cannot be merged.',
  remedy:
    'Merge two primary applicants, two dependents, or a primary applicant and one of its own dependents, which is absorbed. Dismiss other pairs of the list of duplicates.',
})
export const mergeNotFound = declareProblem({
  code: 'merge-not-found',
  status: 404,
  title: 'There is no such merge.',
  remedy: 'List the merges with GET /admin/v1/merges.',
})
export const mergeUndone = declareProblem({
  code: 'merge-undone',
  status: 409,
  title: 'The merge was undone already.',
  remedy: 'Read both records. To merge them again, send a new merge.',
})
export const changedSinceMerge = declareProblem({
  code: 'changed-since-merge',
  status: 409,
  title: 'The merge cannot be undone: what it made was changed since.',
  remedy:
    '`errors` names what was changed. Change it back, undo later merges first, or correct the record by hand.',
})

/** The error for a primary applicant that does not exist. One that was merged leads to the record that absorbed it. */
export async function absentApplicant(sql: Sql, key: Key): Promise<Problem> {
  const mergedInto = await findMergedInto(sql, key)
  return mergedInto === undefined
    ? applicantNotFound()
    : applicantNotFound(MERGED, { members: { mergedInto } })
}

/** The error for a dependent that does not exist, by its id or number. */
export async function absentDependent(sql: Sql, dependent: string): Promise<Problem> {
  const mergedInto =
    (await findMergedInto(sql, { id: dependent })) ?? (await findMergedInto(sql, { number: dependent }))
  return mergedInto === undefined
    ? dependentNotFound()
    : dependentNotFound(MERGED, { members: { mergedInto } })
}

const MERGED = 'The record was merged into another one, whose id is `mergedInto`.'
