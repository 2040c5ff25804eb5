// The errors that a request must or may get. If several apply, any of them is accepted.
import { blank } from './model-dependents.ts'
import {
  type Content,
  type Json,
  LIST_NAMES,
  LISTS,
  live,
  ruleOf,
  type State,
  type Text,
} from './model-state.ts'

export const BAD = '400 invalid-request'
export const NO_APPLICANT = '404 applicant-not-found'
export const NO_DEPENDENT = '404 dependent-not-found'
export const IN_USE = '409 employee-number-in-use'
export const RETIRED = '409 employee-number-retired'
export const FIXED = '409 employee-number-fixed'
export const OF_ANOTHER = '409 dependent-of-another-applicant'
export const OTHER_VERSION = '412 version-mismatch'
export const NOT_THE_PERSON = '422 identity-mismatch'
export const UNKNOWN = '422 unknown-reference'

export type Role = 'primary' | 'dependent'

/** Errors that follow from the body alone, whatever is stored. */
export function bodyErrors(
  body: Json,
  { role, whole, ids = true }: { role: Role; whole: boolean; ids?: boolean },
): string[] {
  const found: string[] = []
  if (whole && (blank(body.firstName) || blank(body.lastName))) found.push(BAD)
  if (whole && role === 'dependent' && blank(body.relationship)) found.push(BAD)
  if (role === 'primary' && body.relationship) found.push(BAD)
  if (!ids && body.applicantId) found.push(BAD)
  if (body.applicantId && !isId(body.applicantId)) found.push(BAD)
  for (const [list, { id }] of Object.entries(LISTS)) {
    const given = (body[list] ?? []).map((item: Json) => item[id]).filter(Boolean)
    if (new Set(given).size < given.length || (!ids && given.length > 0)) found.push(BAD)
  }
  return found
}

export function repeated(numbers: (Text | undefined)[]): boolean {
  const given = numbers.filter(Boolean)
  return new Set(given).size < given.length
}

export const isId = (text: string) => /^[A-Za-z0-9_-]{4,128}={0,2}$/.test(text)

export const lacksRequiredFields = ({ fields }: Pick<Content, 'fields'>, role: Role) =>
  blank(fields['firstName']) ||
  blank(fields['lastName']) ||
  (role === 'dependent' && blank(fields['relationship']))

/** Whether a merge refers to an item id that is neither a current nor a removed item of this person. */
export function unknownItems(person: Content | undefined, body: Json): boolean {
  return LIST_NAMES.some(list => {
    const { id } = ruleOf(list)
    const known = [...(person?.lists[list] ?? []), ...(list === 'documents' ? (person?.removed ?? []) : [])]
    return (body[list] ?? []).some((item: Json) => item[id] && !known.some(one => one[id] === item[id]))
  })
}

/** The owners of each item of a list, including archived people and removed documents. */
function ownersOf({ people }: State, list: string): Map<Json, Set<string>> {
  const owners = new Map<Json, Set<string>>()
  for (const { id, lists, removed } of people.values())
    for (const item of [...(lists[list] ?? []), ...(list === 'documents' ? removed : [])]) {
      const itemId = item[ruleOf(list).id]
      owners.set(itemId, (owners.get(itemId) ?? new Set()).add(id))
    }
  return owners
}

/** Violated invariants: numbers and items with two owners, and retired numbers that are in use. */
export function conflicts(before: State, next: State, family: string[]): { must: string[]; may: string[] } {
  const must: string[] = []
  const may: string[] = []
  for (const person of live(next)) {
    const number = person.fields['employeeNumber']
    if (!number) continue
    if (next.retired.has(number)) must.push(RETIRED)
    const owners = live(next).filter(({ fields }) => fields['employeeNumber'] === number)
    if (owners.length > 1) must.push(IN_USE)
    // A number that occurs twice within one request may also be reported as an invalid request.
    if (owners.length > 1 && owners.every(({ id }) => family.includes(id))) must.push(BAD)
  }
  for (const list of LIST_NAMES) {
    const earlier = ownersOf(before, list)
    for (const [itemId, owners] of ownersOf(next, list)) {
      const [owner] = owners
      if (owners.size > 1) must.push(UNKNOWN)
      if (owners.size > 1 && [...owners].every(id => family.includes(id))) must.push(BAD)
      // The API does not specify whether one request may move an item between records.
      const had = earlier.get(itemId)
      if (owners.size === 1 && had && !had.has(owner as string)) may.push(UNKNOWN)
    }
  }
  return { must, may }
}
