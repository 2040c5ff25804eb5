// Which dependent of a request is which stored one. Pure: what is stored is handed in.
import type { Fault } from '../lib/problem.ts'
import type { Applicant, ApplicantInput } from './applicant.ts'

export interface Matched<T> {
  input: ApplicantInput
  /** Undefined where the dependent is new. */
  stored: T | undefined
}

/** By applicantId, else by employeeNumber. */
export function matchDependents<T extends { record: Applicant }>(
  inputs: ApplicantInput[],
  stored: T[],
): Matched<T>[] {
  const byId = new Map(stored.map(one => [one.record.applicantId, one]))
  const byNumber = new Map(
    stored.flatMap(one => (one.record.employeeNumber ? [[one.record.employeeNumber, one] as const] : [])),
  )
  return inputs.map(input => {
    if (input.applicantId) return { input, stored: byId.get(input.applicantId) }
    return { input, stored: input.employeeNumber ? byNumber.get(input.employeeNumber) : undefined }
  })
}

/** Two dependents of one request that claim the same id, number or stored record. */
export function repeatedDependents<T extends { record: Applicant }>(
  matched: Matched<T>[],
  pointer: string,
): Fault[] {
  const faults: Fault[] = []
  const seen = { applicantId: new Set<string>(), employeeNumber: new Set<string>() }
  for (const [index, { input, stored }] of matched.entries()) {
    const id = stored?.record.applicantId ?? input.applicantId
    if (id && seen.applicantId.has(id))
      faults.push({
        pointer: `${pointer}/${index}/applicantId`,
        detail: 'This dependent is in the request twice.',
      })
    if (id) seen.applicantId.add(id)
    const number = input.employeeNumber
    if (number && seen.employeeNumber.has(number))
      faults.push({
        pointer: `${pointer}/${index}/employeeNumber`,
        detail: 'This number is in the request twice.',
      })
    if (number) seen.employeeNumber.add(number)
  }
  return faults
}
