// The applicant record and its rules, as pure functions: no database, no clock, no HTTP. Dates are wall-clock text,
// normalised by the mapper.
import { foldName } from '../lib/fold.ts'
import type { FieldError } from '../lib/problem.ts'

export const TEXT_FIELDS = [
  'employeeNumber', 'status', 'email', 'alternateEmail', 'firstName', 'lastName', 'middleName', 'gender', 'maritalStatus',
  'sendingCompany', 'dateOfBirth', 'countryOfBirth', 'cityOfBirth', 'nationality', 'addressLine1', 'addressLine2',
  'addressCity', 'addressState', 'addressPostalCode', 'addressCountry', 'telephone', 'alternateTelephone', 'jobTitle',
  'relationship', 'hireDate',
] as const // biome-ignore format: a table reads better than a column

export type TextField = (typeof TEXT_FIELDS)[number]

/** The lists of a record: the field that is the id of an item, and its other fields. */
export const LISTS = {
  metaData: { id: 'noteId', fields: ['tagName', 'value'] },
  passports: {
    id: 'passportId',
    fields: ['passportNumber', 'issueDate', 'expiryDate', 'nationality', 'country', 'issuedBy'],
  },
  documents: {
    id: 'documentId',
    fields: [
      'name', 'description', 'issueDate', 'expiryDate', 'referenceNumber', 'country', 'remindAboutRenewal',
      'expiryReminder',
    ], // biome-ignore format: a table reads better than a column
  },
  previousNames: {
    id: 'previousNameId',
    fields: ['lastName', 'firstName', 'middleName'],
  },
} as const

export type ListName = keyof typeof LISTS
export const LIST_NAMES = Object.keys(LISTS) as ListName[]
/** The lists in the JSON of a record. Its documents are rows of another table. */
export const STORED_LISTS = LIST_NAMES.filter(list => list !== 'documents')

/** Most items of a list, and dependents of a primary applicant: what a write may send, and so what a record may have. */
export const MAX_ITEMS: Record<ListName, number> = {
  metaData: 500,
  passports: 200,
  documents: 500,
  previousNames: 200,
}
export const MAX_DEPENDENTS = 100

export type Scalar = string | number | boolean | null
export type Item = Record<string, Scalar>

/** A complete record: every field is present, empty ones as null or []. */
export type Applicant = { applicantId: string } & Record<TextField, string | null> & Record<ListName, Item[]>

/** A record as it is in its JSON. */
export type StoredRecord = Omit<Applicant, 'documents'> & { documents?: undefined }

/** What a client sends: any part of a record, including the id of a dependent. */
export type ApplicantInput = { applicantId?: string | null } & Partial<Record<TextField, string | null>> &
  Partial<Record<ListName, Partial<Item>[] | null>>

export interface FamilyInput {
  primaryApplicant: ApplicantInput
  /** Undefined leaves the dependents as they are. */
  dependents: ApplicantInput[] | undefined
}

export type NewId = () => string

/** What a field of the record holds where nothing is given, if that is not null. */
export const FIELD_DEFAULTS: Partial<Record<TextField, string>> = { status: 'A', relationship: '' }

/** What a field of an item holds where nothing is given, if that is not null. */
export const ITEM_DEFAULTS: Record<string, Scalar> = { remindAboutRenewal: false }

/**
 * A record without content, to be copied and filled. Its documents come last, as on the wire. It is a copy itself: V8 keeps
 * an object to which many fields were added one by one as a hash table, and a copy of it as one of fixed fields.
 */
export const EMPTY_RECORD: Applicant = {
  ...(Object.fromEntries([
    ['applicantId', ''],
    ...TEXT_FIELDS.map(field => [field, null]),
    ...[...STORED_LISTS, 'documents'].map(list => [list, []]),
  ]) as Applicant),
}

/** Ids that a list contains twice, which a schema cannot detect. `pointer` is that of the record in the body. */
export function duplicateIdErrorsOf(input: ApplicantInput, pointer: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of LIST_NAMES) {
    const { id } = LISTS[name]
    const seen = new Set<unknown>()
    for (const [index, item] of (input[name] ?? []).entries()) {
      if (item[id] && seen.has(item[id]))
        errors.push({ pointer: `${pointer}/${name}/${index}/${id}`, detail: 'This id is in the list twice.' })
      seen.add(item[id])
    }
  }
  return errors
}

/** Required fields that are empty, whether the record is created, replaced or merged. */
export function missingFieldErrorsOf(
  record: Applicant,
  { pointer, role }: { pointer: string; role: 'primary' | 'dependent' },
): FieldError[] {
  const needed =
    role === 'primary'
      ? (['firstName', 'lastName'] as const)
      : (['firstName', 'lastName', 'relationship'] as const)
  return needed
    .filter(field => !record[field]?.trim())
    .map(field => ({ pointer: `${pointer}/${field}`, detail: 'Must not be empty.' }))
}

/** Lists that a merge has made longer than a replace accepts, so that the record could not be sent back. */
export function longListErrorsOf(
  record: Applicant,
  { pointer, stored }: { pointer: string; stored: Applicant | undefined },
): FieldError[] {
  return LIST_NAMES.filter(
    name => record[name].length > Math.max(MAX_ITEMS[name], stored?.[name].length ?? 0),
  ).map(name => ({
    pointer: `${pointer}/${name}`,
    detail: `The record would have ${record[name].length} items. It may have at most ${MAX_ITEMS[name]}.`,
  }))
}

/** As `longListErrorsOf`, of the dependents of a primary applicant: how many there would be, and how many there are. */
export function manyDependentsErrorsOf(next: number, now: number, pointer: string): FieldError[] {
  if (next <= Math.max(MAX_DEPENDENTS, now)) return []
  const detail = `The primary applicant would have ${next} dependents, and may have at most ${MAX_DEPENDENTS}.`
  return [{ pointer, detail }]
}

export function equal(a: Applicant, b: Applicant): boolean {
  return (
    a.applicantId === b.applicantId &&
    TEXT_FIELDS.every(field => a[field] === b[field]) &&
    LIST_NAMES.every(
      name =>
        a[name].length === b[name].length &&
        a[name].every((item, index) => equalItems(name, item, b[name][index] as Item)),
    )
  )
}

export function equalItems(list: ListName, a: Item, b: Item): boolean {
  const { id, fields } = LISTS[list]
  return a[id] === b[id] && fields.every(field => (a[field] ?? null) === (b[field] ?? null))
}

export interface Identity {
  firstName?: string
  lastName?: string
  dateOfBirth: string
}

/** Compares folded names, and dates by day. A name that is not claimed is not compared. */
export function identityMatches(record: Applicant, claimed: Identity): boolean {
  const names = (['firstName', 'lastName'] as const).every(
    field => claimed[field] === undefined || foldName(record[field] ?? '') === foldName(claimed[field]),
  )
  return (
    names &&
    record.dateOfBirth !== null &&
    record.dateOfBirth.slice(0, 10) === claimed.dateOfBirth.slice(0, 10)
  )
}
