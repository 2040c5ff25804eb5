// Families in a list of people: dependents are folded under their primary applicant, and shown below it when it is unfolded.
import type { components } from '@caseport/sdk'

export type Person = components['schemas']['ListedApplicant']

/**
 * The rows of a list, with the dependents of those in `open`. A dependent is no row of its own: every one is in the family of a
 * primary applicant, which the same list has.
 */
export function foldedRows(people: readonly Person[], open: ReadonlySet<string>): Person[] {
  return people.flatMap(person => {
    if (person.primaryApplicantId !== null) return []
    return open.has(person.applicantId) ? [person, ...(person.dependents ?? [])] : [person]
  })
}

/** A filter by name or nationality finds dependents on their own. Companies are those of the family. */
export const canFold = (query: Partial<Record<string, string>>): boolean =>
  Object.keys(query).every(filter => filter === 'company')
