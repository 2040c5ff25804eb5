// State of the model: people in a map, and the values of their fields as the service must return them. Nothing here or
// in the other model files uses code of the service, apart from the folding of spellings and country codes.

// biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the generator made.
export type Json = any
export type Text = string | null
export type Item = Record<string, string | number | boolean | null>

export interface Content {
  fields: Record<string, Text>
  lists: Record<string, Item[]>
  /** Documents that were removed: one that comes back is the same document again. */
  removed: Item[]
}

export interface Person extends Content {
  id: string
  /** Null on a primary applicant. */
  primaryId: string | null
  archived: boolean
  /** The entity tag and the time that a read must return, where they are known. */
  etag: string | undefined
  updatedAt: string | undefined
  createdAt: string | undefined
  /** Entity tags that it must not have any more; a changed record must be newer than `changedAfter`. */
  outdated: string[]
  changedAfter: string | undefined
}

export interface State {
  people: Map<string, Person>
  retired: Set<string>
  /** Counts ids that the service is going to assign: they begin with a question mark until a response shows them. */
  assigned: number
  /** Every id that the service has ever shown: it assigns none of them again. */
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

/** Codes and dates that are empty read as null; whether other text does, too, is left open. */
export const EXACT = new Set([
  ...CODES,
  ...DATES,
  ...ITEM_DATES,
  'country',
  'relationship',
  'remindAboutRenewal',
  'expiryReminder',
])

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

// Values as they are stored.

function wallClock(text: Text): Text {
  if (!text) return null
  return `${text.slice(0, 10)}T${text.slice(11, 19) || '00:00:00'}`
}

function kept(field: string, value: Json): Json {
  if (DATES.includes(field) || ITEM_DATES.includes(field)) return wallClock(value)
  if (CODES.includes(field) || field === 'country') return value || null
  return value
}

export function keptField(field: string, value: Json): Text {
  const plain = kept(field, value ?? null)
  if (field === 'status') return plain ?? 'A'
  if (field === 'relationship') return plain ?? ''
  return plain
}

/** The first rung of a ladder of reminders, which is all that a read of the applicant shows; 0 is the default ladder. */
export const firstRung = (ladder: Json): number => Number.parseInt(String(ladder ?? 0), 10) || 0

/** `before` is the value that is stored: the first rung sent back as it was read does not alter the ladder. */
export function keptMember(list: string, member: string, value: Json, before?: Json): Json {
  if (member === 'remindAboutRenewal') return value ?? false
  if (member === 'expiryReminder')
    return typeof value === 'number' && value === firstRung(before) ? (before ?? null) : value || null
  if (list === 'passports' && member === 'nationality') return value || null
  return kept(member, value ?? null)
}

/** As a read shows it. */
export const shown = (name: string, value: Json): Json =>
  name === 'expiryReminder' ? firstRung(value) : value

// What counts as a change.

const stored = ({ fields, lists, archived }: Person) => JSON.stringify([fields, lists, archived])

const visible = ({ fields, lists }: Person) =>
  JSON.stringify([fields, lists], (name, value) => {
    const plain = shown(name, value)
    return plain === '' && !EXACT.has(name) ? null : plain
  })

export type Change = 'none' | 'open' | 'changed'

/**
 * Open is what no read tells apart, or may not tell apart: null and empty text, another ladder with the same first rung,
 * an archived record that came back as it was, a dependent that moved to another primary applicant.
 */
export function changeOf(before: Person, after: Person): Change {
  if (stored(before) === stored(after) && before.primaryId === after.primaryId) return 'none'
  return visible(before) === visible(after) ? 'open' : 'changed'
}

/** Entity tags and times of what changed are void; those of what did not change hold. */
export function settle(before: State, next: State): State {
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
