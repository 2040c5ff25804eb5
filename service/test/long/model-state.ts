// State of the model: a map of people with the field values that the service must return. The model files share no code
// with the service except the normalization of spellings and country codes.

// biome-ignore lint/suspicious/noExplicitAny: generated bodies have any shape.
export type Json = any
export type Text = string | null
export type Item = Record<string, string | number | boolean | null>

export interface Content {
  fields: Record<string, Text>
  lists: Record<string, Item[]>
  /** Removed documents, the last removed first. A write can restore one under its previous id. */
  removed: Item[]
}

export interface Person extends Content {
  id: string
  /** Null on a primary applicant. */
  primaryId: string | null
  archived: boolean
  /** The ETag and time that a read must return, if known. */
  etag: string | undefined
  updatedAt: string | undefined
  createdAt: string | undefined
  /** ETags of earlier versions, which must not be returned again. A changed record must be newer than `changedAfter`. */
  outdated: string[]
  changedAfter: string | undefined
}

export interface State {
  people: Map<string, Person>
  retired: Set<string>
  /** Counts placeholders for ids that the service assigns. They begin with `?` until a response has the id. */
  assigned: number
  /** All ids returned so far. The service must not assign any of them again. */
  seen: Set<string>
}

const TEXTS = [
  'email', 'alternateEmail', 'firstName', 'lastName', 'middleName', 'sendingCompany', 'cityOfBirth', 'nationality',
  'addressLine1', 'addressLine2', 'addressCity', 'addressState', 'addressPostalCode', 'telephone', 'alternateTelephone',
  'jobTitle', 'relationship',
] // biome-ignore format: a table reads better than a column
const CODES = ['employeeNumber', 'status', 'gender', 'maritalStatus', 'countryOfBirth', 'addressCountry']
const DATES = ['dateOfBirth', 'hireDate']
const ITEM_DATES = ['issueDate', 'expiryDate']
export const FIELDS = [...TEXTS, ...CODES, ...DATES]

/** Everything else that is empty is returned as null. */
const MAY_BE_EMPTY = ['relationship', 'passportNumber', 'tagName']

interface ListRule {
  id: string
  members: string[]
}

export const LISTS: Record<string, ListRule> = {
  metaData: { id: 'noteId', members: ['tagName', 'value'] },
  passports: {
    id: 'passportId',
    members: ['passportNumber', 'issuedBy', 'nationality', 'country', 'issueDate', 'expiryDate'],
  },
  documents: {
    id: 'documentId',
    members: [
      'name', 'description', 'referenceNumber', 'country', 'issueDate', 'expiryDate', 'remindAboutRenewal',
      'expiryReminder',
    ], // biome-ignore format: a table reads better than a column
  },
  previousNames: { id: 'previousNameId', members: ['lastName', 'firstName', 'middleName'] },
}

export const LIST_NAMES = Object.keys(LISTS)
export const ruleOf = (list: string) => LISTS[list] as ListRule

export const emptyState = (): State => ({
  people: new Map(),
  retired: new Set(),
  assigned: 0,
  seen: new Set(),
})

export function copyOf({ people, retired, assigned, seen }: State): State {
  const copies = [...people.values()].map((person): [string, Person] => [
    person.id,
    { ...person, outdated: [...person.outdated] },
  ])
  return { people: new Map(copies), retired: new Set(retired), assigned, seen }
}

export const assign = (state: State) => {
  state.assigned += 1
  return `?${state.assigned}`
}

export const isAssigned = (id: unknown) => String(id).startsWith('?')

export const live = (state: State) => [...state.people.values()].filter(({ archived }) => !archived)
export const primaries = (state: State) => live(state).filter(({ primaryId }) => primaryId === null)
export const dependentsOf = (state: State, id: string) =>
  live(state).filter(({ primaryId }) => primaryId === id)
export const archivedOf = (state: State, id: string) =>
  [...state.people.values()].filter(({ primaryId, archived }) => archived && primaryId === id)
export const holderOf = (state: State, number: Text | undefined) =>
  number ? live(state).find(({ fields }) => fields['employeeNumber'] === number) : undefined

export type Key = { id: string } | { number: string }

export const findPrimary = (state: State, key: Key) =>
  primaries(state).find(({ id, fields }) =>
    'id' in key ? id === key.id : fields['employeeNumber'] === key.number,
  )

export const findDependent = (state: State, primaryId: string, key: string) =>
  dependentsOf(state, primaryId).find(({ id }) => id === key) ??
  dependentsOf(state, primaryId).find(({ fields }) => fields['employeeNumber'] === key)

// Stored values.

function wallClock(text: Text): Text {
  if (!text) return null
  return `${text.slice(0, 10)}T${text.slice(11, 19) || '00:00:00'}`
}

function storedValue(field: string, value: Json): Json {
  if (DATES.includes(field) || ITEM_DATES.includes(field)) return wallClock(value)
  return MAY_BE_EMPTY.includes(field) ? value : value || null
}

export function storedField(field: string, value: Json): Text {
  const plain = storedValue(field, value ?? null)
  if (field === 'status') return plain ?? 'A'
  if (field === 'relationship') return plain ?? ''
  return plain
}

/** The first rung of a reminder ladder. Reads of an applicant return only this one; 0 is the default ladder. */
export const firstRung = (ladder: Json): number => Number.parseInt(String(ladder ?? 0), 10) || 0

/** `before` is the stored value. Writing back the first rung as it was read keeps the whole ladder. */
export function storedMember(member: string, value: Json, before?: Json): Json {
  if (member === 'remindAboutRenewal') return value ?? false
  if (member === 'expiryReminder')
    return typeof value === 'number' && value === firstRung(before) ? (before ?? null) : value || null
  return storedValue(member, value ?? null)
}

/** The value as a read returns it. */
export const returnedValue = (name: string, value: Json): Json =>
  name === 'expiryReminder' ? firstRung(value) : value

// Changes.

const stored = ({ fields, lists, archived }: Person) => JSON.stringify([fields, lists, archived])

const visible = ({ fields, lists }: Person) => JSON.stringify([fields, lists], returnedValue)

export type Change = 'none' | 'unspecified' | 'changed'

/**
 * 'unspecified': the service may or may not treat this as a change. These are another ladder with the same first rung, an
 * archived record restored unmodified, and a dependent moved to another primary applicant.
 */
export function changeOf(before: Person, after: Person): Change {
  if (stored(before) === stored(after) && before.primaryId === after.primaryId) return 'none'
  return visible(before) === visible(after) ? 'unspecified' : 'changed'
}

/** Forgets the ETags and times of changed records. Unchanged records must keep theirs. */
export function forgetChangedVersions(before: State, next: State): State {
  for (const [id, person] of next.people) {
    const old = before.people.get(id)
    const change = old && changeOf(old, person)
    if (!change || change === 'none') continue
    if (change === 'changed') {
      if (old.etag) person.outdated.push(old.etag)
      person.changedAfter = old.updatedAt ?? old.changedAfter
    }
    person.etag = undefined
    person.updatedAt = undefined
  }
  return next
}
