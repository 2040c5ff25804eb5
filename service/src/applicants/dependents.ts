// Which dependent of a request is which stored one. Pure: what is stored is handed in.
import type { Fault } from '../lib/problem.ts'
import { type Applicant, type ApplicantInput, equal, merge } from './applicant.ts'

export interface Matched<T> {
  input: ApplicantInput
  /** Undefined where the dependent is new. */
  stored: T | undefined
}

/** By applicantId, else by employeeNumber, which an archived record has given back. */
export function matchDependents<T extends { record: Applicant; archived?: boolean }>(
  inputs: ApplicantInput[],
  stored: T[],
): Matched<T>[] {
  const byId = new Map(stored.map(one => [one.record.applicantId, one]))
  const byNumber = new Map(
    stored.flatMap(one =>
      one.record.employeeNumber && !one.archived ? [[one.record.employeeNumber, one] as const] : [],
    ),
  )
  return inputs.map(input => {
    if (input.applicantId) return { input, stored: byId.get(input.applicantId) }
    return { input, stored: input.employeeNumber ? byNumber.get(input.employeeNumber) : undefined }
  })
}

/**
 * A merge can be repeated also where it made a dependent that has neither id nor number in the request: the one that
 * holds all of what is said of it is that dependent.
 */
export function matchMade<T extends { record: Applicant }>(matched: Matched<T>[], own: T[]): Matched<T>[] {
  const taken = new Set(matched.map(({ stored }) => stored?.record.applicantId))
  return matched.map(({ input, stored }) => {
    const { applicantId, employeeNumber, firstName, lastName, relationship } = input
    if (stored || applicantId || employeeNumber || !firstName || !lastName || !relationship)
      return { input, stored }
    const made = own.find(({ record }) => !taken.has(record.applicantId) && holds(record, input))
    taken.add(made?.record.applicantId)
    return { input, stored: made }
  })
}

function holds(record: Applicant, input: ApplicantInput): boolean {
  const merged = merge(record, input, () => '')
  return equal(record, merged)
}

/** Two people of one request that claim the same id, number or stored record; the primary has this number. */
export function repeatedDependents<T extends { record: Applicant }>(
  matched: Matched<T>[],
  primaryNumber: string | null | undefined,
): Fault[] {
  const faults: Fault[] = []
  const seen = { applicantId: new Set<string>(), employeeNumber: new Set([primaryNumber]) }
  for (const [index, { input, stored }] of matched.entries()) {
    const id = stored?.record.applicantId ?? input.applicantId
    if (id && seen.applicantId.has(id))
      faults.push({
        pointer: `/dependents/${index}/applicantId`,
        detail: 'This dependent is in the request twice.',
      })
    if (id) seen.applicantId.add(id)
    const number = input.employeeNumber
    if (number && seen.employeeNumber.has(number))
      faults.push({
        pointer: `/dependents/${index}/employeeNumber`,
        detail: 'This number is in the request twice.',
      })
    if (number) seen.employeeNumber.add(number)
  }
  return faults
}
