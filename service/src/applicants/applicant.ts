// The shape of an applicant and the rules of replacing and merging one, as functions over values: no database, no
// clock, no HTTP. Dates in here are wall-clock text, normalised before they get here.
import { foldSpelling } from '../lib/fold.ts'
import type { Fault } from '../lib/problem.ts'

export const TEXT_FIELDS = [
  'employeeNumber', 'status', 'email', 'alternateEmail', 'firstName', 'lastName', 'middleName', 'gender', 'maritalStatus',
  'sendingCompany', 'dateOfBirth', 'countryOfBirth', 'cityOfBirth', 'nationality', 'addressLine1', 'addressLine2',
  'addressCity', 'addressState', 'addressPostalCode', 'addressCountry', 'telephone', 'alternateTelephone', 'jobTitle',
  'relationship', 'hireDate',
] as const // biome-ignore format: a table reads better than a column

export type TextField = (typeof TEXT_FIELDS)[number]

/** How each list is kept: which member is its id, what else it holds, and what tells two items apart without an id. */
export const LISTS = {
  metaData: { id: 'noteId', fields: ['tagName', 'value'], identity: ['tagName'] },
  passports: {
    id: 'passportId',
    fields: ['passportNumber', 'issueDate', 'expiryDate', 'nationality', 'country', 'issuedBy'],
    identity: ['passportNumber', 'country'],
  },
  documents: {
    id: 'documentId',
    fields: [
      'name', 'description', 'issueDate', 'expiryDate', 'referenceNumber', 'country', 'remindAboutRenewal',
      'expiryReminder',
    ], // biome-ignore format: a table reads better than a column
    identity: ['name', 'referenceNumber'],
  },
  previousNames: {
    id: 'previousNameId',
    fields: ['lastName', 'firstName', 'middleName'],
    identity: ['lastName', 'firstName', 'middleName'],
  },
} as const

export type ListName = keyof typeof LISTS
export const LIST_NAMES = Object.keys(LISTS) as ListName[]

export type Scalar = string | number | boolean | null
export type Item = Record<string, Scalar>

/** A whole record: every field is there, empty ones as null or []. */
export type Applicant = { applicantId: string } & Record<TextField, string | null> & Record<ListName, Item[]>

/** What a caller sent: any part of a record, plus its dependent's own id where it is one. */
export type ApplicantInput = { applicantId?: string | null } & Partial<Record<TextField, string | null>> &
  Partial<Record<ListName, Partial<Item>[] | null>>

export type NewId = () => string

interface Making {
  applicantId: string
  newId: NewId
}

/** The record that this input describes: what is left out is empty. */
export function replace(input: ApplicantInput, { applicantId, newId }: Making): Applicant {
  const record = { applicantId } as Applicant
  for (const field of TEXT_FIELDS) record[field] = input[field] ?? null
  for (const name of LIST_NAMES) record[name] = (input[name] ?? []).map(item => wholeItem(name, item, newId))
  return withDefaults(record)
}

/** The record with this input merged into it; what is left out stays, null clears. */
export function merge(current: Applicant, input: ApplicantInput, newId: NewId): Applicant {
  const record = { ...current }
  for (const field of TEXT_FIELDS) {
    const value = input[field]
    if (value !== undefined) record[field] = value
  }
  for (const name of LIST_NAMES) {
    const items = input[name]
    if (items === null) record[name] = []
    else if (items !== undefined) record[name] = mergeItems(name, { current: current[name], items, newId })
  }
  return withDefaults(record)
}

function withDefaults(record: Applicant): Applicant {
  record.status ??= 'A'
  record.relationship ??= ''
  return record
}

interface ItemMerge {
  current: Item[]
  items: Partial<Item>[]
  newId: NewId
}

function mergeItems(name: ListName, { current, items, newId }: ItemMerge): Item[] {
  const { id } = LISTS[name]
  const merged = [...current]
  // Items with an id come first: what they change must not decide anew, the second time round, what the others match.
  const ordered = [...items.filter(item => item[id]), ...items.filter(item => !item[id])]
  for (const item of ordered) {
    const at = merged.findIndex(known =>
      item[id] ? known[id] === item[id] : sameIdentity(name, known, item),
    )
    const known = merged[at]
    if (known) merged[at] = { ...known, ...defined(item), [id]: known[id] ?? null }
    else merged.push(wholeItem(name, item, newId))
  }
  return merged
}

function wholeItem(name: ListName, item: Partial<Item>, newId: NewId): Item {
  const { id, fields } = LISTS[name]
  const whole: Item = { [id]: item[id] || newId() }
  for (const field of fields) whole[field] = item[field] ?? (field === 'remindAboutRenewal' ? false : null)
  return whole
}

/** Null in a list item clears that member, except that a switch is then off. */
function defined(item: Partial<Item>): Item {
  const given = Object.entries(item).filter(([, value]) => value !== undefined) as [string, Scalar][]
  return Object.fromEntries(
    given.map(([key, value]) => [key, key === 'remindAboutRenewal' ? (value ?? false) : value]),
  )
}

function sameIdentity(name: ListName, a: Partial<Item>, b: Partial<Item>): boolean {
  return LISTS[name].identity.every(field => (a[field] || null) === (b[field] || null))
}

/** Ids in lists that the record does not have: a merge cannot know what they mean. */
export function unknownReferences(
  current: Applicant | undefined,
  input: ApplicantInput,
  pointer: string,
): Fault[] {
  return LIST_NAMES.flatMap(name => {
    const { id } = LISTS[name]
    const known = new Set(current?.[name].map(item => item[id]))
    return (input[name] ?? []).flatMap((item, index) =>
      item[id] && !known.has(item[id])
        ? [
            {
              pointer: `${pointer}/${name}/${index}/${id}`,
              detail: `This applicant has no such item. Leave ${id} out to add one.`,
            },
          ]
        : [],
    )
  })
}

/** Faults that a schema cannot see; the pointer is that of the record in the body. */
export function faultsOf(input: ApplicantInput, pointer: string): Fault[] {
  const faults: Fault[] = []
  for (const name of LIST_NAMES) {
    const { id } = LISTS[name]
    const seen = new Set<unknown>()
    for (const [index, item] of (input[name] ?? []).entries()) {
      if (item[id] && seen.has(item[id]))
        faults.push({ pointer: `${pointer}/${name}/${index}/${id}`, detail: 'This id is in the list twice.' })
      seen.add(item[id])
    }
  }
  return faults
}

/** What a record must have, however it came about. */
export function missingFields(
  record: Applicant,
  { pointer, role }: { pointer: string; role: 'primary' | 'dependent' },
): Fault[] {
  const needed =
    role === 'primary'
      ? (['firstName', 'lastName'] as const)
      : (['firstName', 'lastName', 'relationship'] as const)
  return needed
    .filter(field => !record[field]?.trim())
    .map(field => ({ pointer: `${pointer}/${field}`, detail: 'Must not be empty.' }))
}

export function equal(a: Applicant, b: Applicant): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

export interface Identity {
  firstName?: string
  lastName?: string
  dateOfBirth: string
}

/** Names by their folded spelling, dates by day. */
export function identityMatches(record: Applicant, claimed: Identity): boolean {
  const names = (['firstName', 'lastName'] as const).every(
    field =>
      claimed[field] === undefined || foldSpelling(record[field] ?? '') === foldSpelling(claimed[field]),
  )
  return (
    names &&
    record.dateOfBirth !== null &&
    record.dateOfBirth.slice(0, 10) === claimed.dateOfBirth.slice(0, 10)
  )
}
