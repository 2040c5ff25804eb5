// Matches the dependents of a request with stored ones. Pure: the stored dependents are passed in.
import { fold, foldName } from '../lib/fold.ts'
import type { FieldError } from '../lib/problem.ts'
import type { Applicant, ApplicantInput } from './applicant.ts'

export interface Matched<T> {
  input: ApplicantInput
  /** Undefined where the dependent is new. */
  stored: T | undefined
}

interface Known {
  record: Applicant
  archived?: boolean
}

/** Up to this many dependents of one name are compared field by field. Beyond that they are matched in order. */
const MAX_NAMESAKES = 4

interface Candidates<T> {
  /** The dependents of this primary applicant, live and archived. */
  own: T[]
  /** Dependents of other primary applicants. A merge matches them by id, and live ones by number. */
  elsewhere?: T[]
  /** Whether the input would change nothing in the record. Decides between dependents of the same name. */
  isUnchanged: (record: Applicant, input: ApplicantInput) => boolean
}

/**
 * Matches by applicantId, else by employee number, else by names and day of birth: names as they are spelled before names
 * that differ in accents or punctuation, live records before archived ones. A record is matched twice only where two inputs
 * name it by its id or number.
 */
export function matchDependents<T extends Known>(
  inputs: ApplicantInput[],
  { own, elsewhere = [], isUnchanged }: Candidates<T>,
): Matched<T>[] {
  const matched: Matched<T>[] = inputs.map(input => ({ input, stored: undefined }))
  if (own.length === 0 && elsewhere.length === 0) return matched
  const taken = new Set<T>()
  const live = own.filter(one => !one.archived)
  const archived = own.filter(one => one.archived)
  const pass = (choose: (input: ApplicantInput) => T | undefined) => {
    for (const one of matched) {
      if (one.stored) continue
      one.stored = choose(one.input)
      if (one.stored) taken.add(one.stored)
    }
  }

  const byId = new Map([...own, ...elsewhere].map(one => [one.record.applicantId, one]))
  pass(({ applicantId }) => (applicantId ? byId.get(applicantId) : undefined))
  const byNumber = (candidates: T[]) =>
    pass(({ applicantId, employeeNumber }) =>
      !applicantId && employeeNumber
        ? candidates.find(({ record }) => record.employeeNumber === employeeNumber)
        : undefined,
    )
  byNumber([...live, ...elsewhere.filter(one => !one.archived)])
  byNumber(archived)

  for (const { spelled, isArchived, isSame } of BY_NAME) {
    if (matched.every(({ stored }) => stored)) break
    const nameKey = ({ firstName, lastName }: Pick<ApplicantInput, 'firstName' | 'lastName'>) =>
      `${spelled(firstName ?? '')}\0${spelled(lastName ?? '')}`
    const inputsByName = Map.groupBy(inputs, nameKey)
    const byName = Map.groupBy(isArchived ? archived : live, ({ record }) => nameKey(record))
    const alike = (input: ApplicantInput) =>
      input.applicantId || !input.firstName || !input.lastName
        ? []
        : (byName.get(nameKey(input)) ?? []).filter(
            one => !taken.has(one) && hasNoOtherNumber(input, one.record) && isSame(input, one.record),
          )
    pass(input => {
      const found = alike(input)
      const namesakes = inputsByName.get(nameKey(input))?.length ?? 0
      if (found.length <= 1 && namesakes === 1) return found[0]
      const isFew = found.length <= MAX_NAMESAKES && namesakes <= MAX_NAMESAKES
      return isFew ? found.find(({ record }) => isUnchanged(record, input)) : undefined
    })
    pass(input => alike(input)[0])
  }
  return matched
}

/** Whether the names are the same but for case: no other record can be a better match. */
export const hasNamesOf = (input: ApplicantInput, { firstName, lastName }: Applicant) =>
  fold(input.firstName ?? '') === fold(firstName ?? '') && fold(input.lastName ?? '') === fold(lastName ?? '')

type IsSame = (input: ApplicantInput, record: Applicant) => boolean

const hasNoOtherNumber: IsSame = ({ employeeNumber }, record) =>
  !employeeNumber || !record.employeeNumber || employeeNumber === record.employeeNumber

const dayOfBirth = ({ dateOfBirth }: { dateOfBirth?: string | null }) => dateOfBirth?.slice(0, 10)

const sameDayOfBirth: IsSame = (input, record) =>
  dayOfBirth(input) !== undefined && dayOfBirth(input) === dayOfBirth(record)

/** Where one side has no day of birth, the relationship is compared instead. */
const sameWithoutDay: IsSame = (input, record) =>
  (dayOfBirth(input) === undefined || dayOfBirth(record) === undefined) &&
  foldName(input.relationship ?? '') === foldName(record.relationship ?? '')

/**
 * In which order dependents are looked for by names: as they are spelled before names with other accents, and live before
 * archived ones. An archived record is restored before a live one of another spelling only if it has the same day of birth.
 */
const BY_NAME: { spelled: (name: string) => string; isArchived: boolean; isSame: IsSame }[] = [
  { spelled: fold, isArchived: false, isSame: sameDayOfBirth },
  { spelled: fold, isArchived: false, isSame: sameWithoutDay },
  { spelled: fold, isArchived: true, isSame: sameDayOfBirth },
  { spelled: foldName, isArchived: false, isSame: sameDayOfBirth },
  { spelled: foldName, isArchived: false, isSame: sameWithoutDay },
  { spelled: foldName, isArchived: true, isSame: sameDayOfBirth },
  { spelled: fold, isArchived: true, isSame: sameWithoutDay },
  { spelled: foldName, isArchived: true, isSame: sameWithoutDay },
]

/** Dependents of one request that have the same id, number or stored record, or the number of the primary. */
export function repeatedDependentErrorsOf<T extends { record: Applicant }>(
  matched: Matched<T>[],
  primaryNumber: string | null | undefined,
): FieldError[] {
  const errors: FieldError[] = []
  const seen = { applicantId: new Set<string>(), employeeNumber: new Set([primaryNumber]) }
  for (const [index, { input, stored }] of matched.entries()) {
    const id = stored?.record.applicantId ?? input.applicantId
    if (id && seen.applicantId.has(id))
      errors.push({
        pointer: `/dependents/${index}/applicantId`,
        detail: 'This dependent is in the request twice.',
      })
    if (id) seen.applicantId.add(id)
    const number = input.employeeNumber
    if (number && seen.employeeNumber.has(number))
      errors.push({
        pointer: `/dependents/${index}/employeeNumber`,
        detail: 'This number is in the request twice.',
      })
    if (number) seen.employeeNumber.add(number)
  }
  return errors
}
