// Shared by all operations of the model: the draft of the next state, and the verdict on which responses are allowed.
import { conflicts, FIXED, NO_APPLICANT, NO_DEPENDENT, OTHER_VERSION } from './model-errors.ts'
import { type Mode, writtenList } from './model-items.ts'
import {
  type Content,
  copyOf,
  FIELDS,
  findDependent,
  findPrimary,
  forgetChangedVersions,
  type Json,
  LIST_NAMES,
  type Person,
  type State,
  storedField,
  type Text,
} from './model-state.ts'

/** The allowed responses: one of the listed errors, or exactly this success. */
export interface Verdict {
  /** Errors such as "409 employee-number-in-use". Unless the set is empty, one of `must` or `may` must be returned. */
  must: Set<string>
  may: Set<string>
  success: Success | undefined
}

export interface Success {
  status: number
  next: State
  /** Id of the person whose record is the response body. */
  record?: string
  /** Id of the primary applicant whose record is returned with its dependents. */
  family?: string
  list?: string[]
  change?: { id: string; from: Text; to: string; documents: number }
  /** The record whose ETag is in the headers. */
  tagged?: string
}

export interface Draft {
  before: State
  next: State
  must: Set<string>
  may: Set<string>
}

export function draft(before: State): Draft {
  return { before, next: copyOf(before), must: new Set(), may: new Set() }
}

export const add = (set: Set<string>, problems: string[]) => {
  for (const problem of problems) set.add(problem)
}

export function verdict(d: Draft, success: Omit<Success, 'next'>, family: string[]): Verdict {
  const { must, may } = conflicts(d.before, d.next, family)
  add(d.must, must)
  add(d.may, may)
  return { must: d.must, may: d.may, success: { ...success, next: forgetChangedVersions(d.before, d.next) } }
}

export const rejected = ({ must, may }: Draft): Verdict => ({ must, may, success: undefined })

type Saving = Content & { id: string; primaryId: string | null }

export function save(state: State, { id, primaryId, ...content }: Saving, archived = false): Person {
  const known = state.people.get(id)
  const person: Person = {
    id,
    primaryId,
    fields: content.fields,
    lists: content.lists,
    removed: content.removed,
    archived,
    etag: known?.etag,
    updatedAt: known?.updatedAt,
    createdAt: known?.createdAt,
    outdated: known?.outdated ?? [],
    changedAfter: known?.changedAfter,
  }
  state.people.set(id, person)
  return person
}

export interface Conditions {
  ifMatch?: string
  ifNoneMatch?: string
}

export function condition(
  { must }: Draft,
  { ifMatch, ifNoneMatch }: Conditions,
  target: Person | undefined,
): void {
  if (ifMatch !== undefined && !(target && (ifMatch === '*' || ifMatch === target.etag)))
    must.add(OTHER_VERSION)
  if (ifNoneMatch === '*' && target) must.add(OTHER_VERSION)
}

interface Writing {
  mode: Mode
  known: Person | undefined
  body: Json
}

/**
 * A record after a write. A replace clears omitted fields, a merge keeps them. An employee number is an identity: a write
 * can set it on a record that has none, but never changes or removes it.
 */
export function written(d: Draft, { mode, known, body }: Writing): Content {
  const fields = Object.fromEntries(
    FIELDS.map(field => {
      const before = known?.fields[field] ?? storedField(field, null)
      return [field, mode === 'merge' && !(field in body) ? before : storedField(field, body[field])]
    }),
  )
  const number = known?.fields['employeeNumber']
  if (number) {
    if ('employeeNumber' in body && body.employeeNumber !== number) d.must.add(FIXED)
    fields['employeeNumber'] = number
  }
  const lists = LIST_NAMES.map(list => [list, writtenList(d.next, { list, mode, body, known })] as const)
  return {
    fields,
    lists: Object.fromEntries(lists.map(([list, { items }]) => [list, items])),
    removed: lists.find(([list]) => list === 'documents')?.[1].removed ?? [],
  }
}

export function dependentAt(d: Draft, number: string, dependent: string): Person | undefined {
  const primary = findPrimary(d.before, { number })
  const found = primary && findDependent(d.before, primary.id, dependent)
  if (!primary) d.must.add(NO_APPLICANT)
  if (!found) d.must.add(NO_DEPENDENT)
  return found
}
