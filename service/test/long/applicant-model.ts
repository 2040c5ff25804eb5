// What the Applicant API promises, written down once more as plainly as possible and without any code of the service:
// people in a map, operations as functions from one state to the next. Where several errors apply, any of them will do;
// where the promise leaves something open, `may` and further outcomes name what is acceptable.

// biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the generator made.
export type Json = any
type Text = string | null
type Item = Record<string, string | number | boolean | null>

export interface Person {
  id: string
  /** Null on a primary applicant. */
  primaryId: string | null
  archived: boolean
  fields: Record<string, Text>
  lists: Record<string, Item[]>
  /** The entity tag it must have, where it is known, and those it must not have any more. */
  etag: string | undefined
  outdated: string[]
}

export interface State {
  people: Map<string, Person>
  retired: Set<string>
  /** For ids that the service is going to assign: they begin with a question mark until its answer tells them. */
  assigned: number
}

/** What the service may answer: an error out of the lists, or success, and then exactly one of these. */
export interface Verdict {
  /** Errors as "409 employee-number-in-use". One of them must be answered where there are any. */
  must: Set<string>
  may: Set<string>
  successes: Success[]
}

export interface Success {
  status: number
  next: State
  /** Whose record the answer gives, alone or with its dependents. */
  record?: string
  family?: string
  list?: string[]
  change?: { id: string; from: Text; to: string; documents: number }
  /** The record whose entity tag is in the headers. */
  tagged?: string
}

const TEXTS = [
  'email', 'alternateEmail', 'firstName', 'lastName', 'middleName', 'sendingCompany', 'cityOfBirth', 'nationality',
  'addressLine1', 'addressLine2', 'addressCity', 'addressState', 'addressPostalCode', 'telephone', 'alternateTelephone',
  'jobTitle', 'relationship',
] // biome-ignore format: a table reads better than a column
const CODES = ['employeeNumber', 'status', 'gender', 'maritalStatus', 'countryOfBirth', 'addressCountry']
const DATES = ['dateOfBirth', 'hireDate']
export const FIELDS = [...TEXTS, ...CODES, ...DATES]

interface ListRule {
  id: string
  texts: string[]
  codes: string[]
  dates: string[]
  others: string[]
  identity: string[]
}

export const LISTS: Record<string, ListRule> = {
  metaData: {
    id: 'noteId',
    texts: ['tagName', 'value'],
    codes: [],
    dates: [],
    others: [],
    identity: ['tagName'],
  },
  passports: {
    id: 'passportId',
    texts: ['passportNumber', 'issuedBy'],
    codes: ['nationality', 'country'],
    dates: ['issueDate', 'expiryDate'],
    others: [],
    identity: ['passportNumber', 'country'],
  },
  documents: {
    id: 'documentId',
    texts: ['name', 'description', 'referenceNumber'],
    codes: ['country'],
    dates: ['issueDate', 'expiryDate'],
    others: ['remindAboutRenewal', 'expiryReminder'],
    identity: ['name', 'referenceNumber'],
  },
  previousNames: {
    id: 'previousNameId',
    texts: ['lastName', 'firstName', 'middleName'],
    codes: [],
    dates: [],
    others: [],
    identity: ['lastName', 'firstName', 'middleName'],
  },
}

export const membersOf = ({ texts, codes, dates, others }: ListRule) => [
  ...texts,
  ...codes,
  ...dates,
  ...others,
]

export const emptyState = (): State => ({ people: new Map(), retired: new Set(), assigned: 0 })

function copyOf({ people, retired, assigned }: State): State {
  const copies = [...people.values()].map((person): [string, Person] => [
    person.id,
    { ...person, outdated: [...person.outdated] },
  ])
  return { people: new Map(copies), retired: new Set(retired), assigned }
}

const assign = (state: State) => {
  state.assigned += 1
  return `?${state.assigned}`
}

export const isAssigned = (id: unknown) => String(id).startsWith('?')

export const live = (state: State) => [...state.people.values()].filter(({ archived }) => !archived)
export const primaries = (state: State) => live(state).filter(({ primaryId }) => primaryId === null)
export const dependentsOf = (state: State, id: string) =>
  live(state).filter(({ primaryId }) => primaryId === id)
const holderOf = (state: State, number: Text | undefined) =>
  number ? live(state).find(({ fields }) => fields['employeeNumber'] === number) : undefined

// Values as they are kept.

function wallClock(text: Text): Text {
  if (!text) return null
  return `${text.slice(0, 10)}T${text.slice(11, 19) || '00:00:00'}`
}

function kept(field: string, value: Json): Json {
  if (DATES.includes(field) || ['issueDate', 'expiryDate'].includes(field)) return wallClock(value)
  if (CODES.includes(field) || field === 'country') return value || null
  return value
}

function keptField(field: string, value: Json): Text {
  const plain = kept(field, value ?? null)
  if (field === 'status') return plain ?? 'A'
  if (field === 'relationship') return plain ?? ''
  return plain
}

function keptMember(list: string, member: string, value: Json): Json {
  if (member === 'remindAboutRenewal') return value ?? false
  if (list === 'passports' && member === 'nationality') return value || null
  return kept(member, value ?? null)
}

function wholeItem(state: State, list: string, item: Json): Item {
  const rule = LISTS[list] as ListRule
  const whole: Item = { [rule.id]: item[rule.id] || assign(state) }
  for (const member of membersOf(rule)) whole[member] = keptMember(list, member, item[member])
  return whole
}

/** A record made of this body alone: what is left out is empty. */
function replaced(state: State, body: Json): Pick<Person, 'fields' | 'lists'> {
  return {
    fields: Object.fromEntries(FIELDS.map(field => [field, keptField(field, body[field])])),
    lists: Object.fromEntries(
      Object.keys(LISTS).map(list => [
        list,
        (body[list] ?? []).map((item: Json) => wholeItem(state, list, item)),
      ]),
    ),
  }
}

/** What is left out stays; null clears. */
function merged(
  state: State,
  person: Pick<Person, 'fields' | 'lists'>,
  body: Json,
): Pick<Person, 'fields' | 'lists'> {
  const fields = { ...person.fields }
  for (const field of FIELDS) if (field in body) fields[field] = keptField(field, body[field])
  const lists = { ...person.lists }
  for (const list of Object.keys(LISTS)) {
    if (body[list] === null) lists[list] = []
    else if (body[list])
      lists[list] = mergedList(state, list, { current: person.lists[list] ?? [], items: body[list] })
  }
  return { fields, lists }
}

function mergedList(
  state: State,
  list: string,
  { current, items }: { current: Item[]; items: Json[] },
): Item[] {
  const rule = LISTS[list] as ListRule
  const result = current.map(item => ({ ...item }))
  const mention = (known: Item, item: Json) => {
    for (const member of membersOf(rule))
      if (member in item) known[member] = keptMember(list, member, item[member])
  }
  const identity = (item: Json) =>
    JSON.stringify(rule.identity.map(member => keptMember(list, member, item[member]) || null))
  // By id first: only so does the same merge change nothing when it comes again.
  for (const item of items) {
    const known = item[rule.id] && result.find(one => one[rule.id] === item[rule.id])
    if (known) mention(known, item)
  }
  for (const item of items) {
    if (item[rule.id]) continue
    const known = result.find(one => identity(one) === identity(item))
    if (known) mention(known, item)
    else result.push(wholeItem(state, list, item))
  }
  return result
}

// Errors.

const BAD = '400 invalid-request'
const NO_APPLICANT = '404 applicant-not-found'
const NO_DEPENDENT = '404 dependent-not-found'
const IN_USE = '409 employee-number-in-use'
const RETIRED = '409 employee-number-retired'
const OF_ANOTHER = '409 dependent-of-another-applicant'
const OTHER_VERSION = '412 version-mismatch'
const NOT_THE_PERSON = '422 identity-mismatch'
const UNKNOWN = '422 unknown-reference'

const blank = (value: Json) => typeof value !== 'string' || value.trim() === ''

type Role = 'primary' | 'dependent'

/** Faults that can be seen in the body alone. */
function faults(
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

function repeated(numbers: (Text | undefined)[]): boolean {
  const given = numbers.filter(Boolean)
  return new Set(given).size < given.length
}

const isId = (text: string) => /^[A-Za-z0-9_-]{4,128}={0,2}$/.test(text)

const nameless = ({ fields }: Pick<Person, 'fields'>, role: Role) =>
  blank(fields['firstName']) ||
  blank(fields['lastName']) ||
  (role === 'dependent' && blank(fields['relationship']))

function unknownItems(person: Pick<Person, 'lists'> | undefined, body: Json): boolean {
  return Object.entries(LISTS).some(([list, { id }]) =>
    (body[list] ?? []).some(
      (item: Json) => item[id] && !person?.lists[list]?.some(known => known[id] === item[id]),
    ),
  )
}

/** What no state may hold: numbers and documents with two owners, retired numbers with any. */
function conflicts(before: State, next: State, family: string[]): { must: string[]; may: string[] } {
  const must: string[] = []
  const may: string[] = []
  for (const person of live(next)) {
    const number = person.fields['employeeNumber']
    if (!number) continue
    if (next.retired.has(number)) must.push(RETIRED)
    const owners = live(next).filter(({ fields }) => fields['employeeNumber'] === number)
    if (owners.length > 1) must.push(IN_USE)
    // Two people of one request are also a fault of the request.
    if (owners.length > 1 && owners.every(({ id }) => family.includes(id))) must.push(BAD)
  }
  const owners = (state: State, document: Json) =>
    [...state.people.values()].filter(({ lists }) =>
      lists['documents']?.some(one => one['documentId'] === document),
    )
  for (const { lists } of next.people.values())
    for (const { documentId } of lists['documents'] ?? []) {
      if (owners(next, documentId).length > 1) must.push(UNKNOWN, BAD)
      // Whether a document may pass from one record to another within a request is left open.
      else if (
        owners(before, documentId)[0] &&
        owners(before, documentId)[0]?.id !== owners(next, documentId)[0]?.id
      )
        may.push(UNKNOWN)
    }
  return { must, may }
}

const content = ({ fields, lists, archived }: Person) => JSON.stringify([fields, lists, archived])

/** Entity tags of what changed are void; those of what did not change hold. */
function settle(before: State, next: State): State {
  for (const [id, person] of next.people) {
    const old = before.people.get(id)
    if (!old || (content(old) === content(person) && old.primaryId === person.primaryId)) continue
    if (old.etag && content(old) !== content(person)) person.outdated.push(old.etag)
    person.etag = undefined
  }
  return next
}

interface Draft {
  before: State
  next: State
  must: Set<string>
  may: Set<string>
}

function draft(before: State): Draft {
  return { before, next: copyOf(before), must: new Set(), may: new Set() }
}

const add = (set: Set<string>, problems: string[]) => {
  for (const problem of problems) set.add(problem)
}

interface Saving {
  id: string
  primaryId: string | null
  fields: Person['fields']
  lists: Person['lists']
}

function put(state: State, { id, primaryId, fields, lists }: Saving, archived = false): Person {
  const known = state.people.get(id)
  const person = {
    id,
    primaryId,
    fields,
    lists,
    archived,
    etag: known?.etag,
    outdated: known?.outdated ?? [],
  }
  state.people.set(id, person)
  return person
}

export interface Conditions {
  ifMatch?: string
  ifNoneMatch?: string
}

function condition({ must }: Draft, { ifMatch, ifNoneMatch }: Conditions, target: Person | undefined): void {
  if (ifMatch !== undefined && !(target && (ifMatch === '*' || ifMatch === target.etag)))
    must.add(OTHER_VERSION)
  if (ifNoneMatch === '*' && target) must.add(OTHER_VERSION)
}

function verdict(d: Draft, success: Omit<Success, 'next'>, family: string[]): Verdict {
  const { must, may } = conflicts(d.before, d.next, family)
  add(d.must, must)
  add(d.may, may)
  return { must: d.must, may: d.may, successes: [{ ...success, next: settle(d.before, d.next) }] }
}

const refused = ({ must, may }: Draft): Verdict => ({ must, may, successes: [] })

// Operations.

export type Key = { id: string } | { number: string }

export const findPrimary = (state: State, key: Key) =>
  primaries(state).find(({ id, fields }) =>
    'id' in key ? id === key.id : fields['employeeNumber'] === key.number,
  )

export const findDependent = (state: State, primaryId: string, key: string) =>
  dependentsOf(state, primaryId).find(({ id }) => id === key) ??
  dependentsOf(state, primaryId).find(({ fields }) => fields['employeeNumber'] === key)

export function create(before: State, body: Json): Verdict {
  const d = draft(before)
  add(d.must, faults(body.primaryApplicant, { role: 'primary', whole: true, ids: false }))
  const primary = put(d.next, {
    id: assign(d.next),
    primaryId: null,
    ...replaced(d.next, body.primaryApplicant),
  })
  const family = [primary.id]
  const numbers = [body.primaryApplicant, ...(body.dependents ?? [])].map(one => one.employeeNumber)
  if (repeated(numbers)) d.must.add(BAD)
  for (const one of body.dependents ?? []) {
    add(d.must, faults(one, { role: 'dependent', whole: true, ids: false }))
    family.push(put(d.next, { id: assign(d.next), primaryId: primary.id, ...replaced(d.next, one) }).id)
  }
  return verdict(d, { status: 201, family: primary.id, tagged: primary.id }, family)
}

export function replaceFamily(
  before: State,
  { key, body, ...when }: { key: Key; body: Json } & Conditions,
): Verdict {
  const d = draft(before)
  const { primaryApplicant: wanted, dependents } = body
  const current = findPrimary(before, key)
  condition(d, when, current)
  add(d.must, faults(wanted, { role: 'primary', whole: true }))
  if ('id' in key) {
    if (!isId(key.id)) d.must.add(BAD)
    if (wanted.applicantId && wanted.applicantId !== key.id) d.must.add(BAD)
    if (!current && before.people.has(key.id)) d.must.add(OF_ANOTHER)
  } else {
    if (wanted.employeeNumber && wanted.employeeNumber !== key.number) d.must.add(BAD)
    if (current && wanted.applicantId && wanted.applicantId !== current.id) d.must.add(BAD)
    if (!current && holderOf(before, key.number)) d.must.add(IN_USE)
    if (!current && wanted.applicantId && before.people.has(wanted.applicantId)) d.must.add(OF_ANOTHER)
  }
  for (const one of dependents ?? []) add(d.must, faults(one, { role: 'dependent', whole: true }))
  const number = 'id' in key ? wanted.employeeNumber : key.number
  if (repeated([number, ...(dependents ?? []).map((one: Json) => one.employeeNumber)])) d.must.add(BAD)
  if (d.must.has(OF_ANOTHER)) return refused(d)
  const id = current?.id ?? ('id' in key ? key.id : wanted.applicantId || assign(d.next))
  const content = replaced(d.next, 'id' in key ? wanted : { ...wanted, employeeNumber: key.number })
  put(d.next, { id, primaryId: null, ...content })

  const own = dependentsOf(before, id)
  const claimed: string[] = [id]
  for (const one of dependents ?? []) {
    const named = one.applicantId ? before.people.get(one.applicantId) : undefined
    const numbered =
      !one.applicantId && one.employeeNumber
        ? own.find(({ fields }) => fields['employeeNumber'] === one.employeeNumber)
        : undefined
    if (named && named.primaryId !== id) d.must.add(OF_ANOTHER)
    // Whether an archived dependent can be called back by its id is left open.
    if (named?.archived) d.may.add(OF_ANOTHER)
    const known = named ?? numbered
    const dependentId = known?.id ?? (one.applicantId || assign(d.next))
    if (claimed.includes(dependentId)) d.must.add(BAD)
    if (dependentId === id) d.may.add(OF_ANOTHER)
    claimed.push(dependentId)
    if (dependentId !== id && !d.must.has(OF_ANOTHER))
      put(d.next, { id: dependentId, primaryId: id, ...replaced(d.next, one) })
  }
  if (dependents) for (const one of own) if (!claimed.includes(one.id)) put(d.next, one, true)
  const family = [id, ...dependentsOf(d.next, id).map(one => one.id)]
  return verdict(d, { status: current ? 200 : 201, family: id, tagged: id }, family)
}

export function mergeFamily(
  before: State,
  { key, body, ...when }: { key: Key; body: Json } & Conditions,
): Verdict {
  const d = draft(before)
  const { primaryApplicant: wanted = {}, dependents = [] } = body
  const current = findPrimary(before, key)
  condition(d, when, current)
  add(d.must, faults(wanted, { role: 'primary', whole: false }))
  for (const one of dependents) add(d.must, faults(one, { role: 'dependent', whole: false }))
  if ('id' in key && wanted.applicantId && wanted.applicantId !== key.id) d.must.add(BAD)
  if ('number' in key) {
    if (wanted.employeeNumber && wanted.employeeNumber !== key.number) d.must.add(BAD)
    // Whether a merge may clear the very number it came by is left open.
    else if (wanted.employeeNumber === null || wanted.employeeNumber === '') d.may.add(BAD)
  }
  if (!current) {
    d.must.add(NO_APPLICANT)
    return refused(d)
  }
  const { id } = current
  if (wanted.applicantId && wanted.applicantId !== id) d.must.add(BAD)
  if (unknownItems(current, wanted)) d.must.add(UNKNOWN)
  const primary = put(d.next, { id, primaryId: null, ...merged(d.next, current, wanted) })
  if (nameless(primary, 'primary')) d.must.add(BAD)
  if (repeated([primary.fields['employeeNumber'], ...dependents.map((one: Json) => one.employeeNumber)]))
    d.must.add(BAD)

  const matched = matchMerged(before, id, dependents)
  const claimed: string[] = [id]
  for (const [index, one] of dependents.entries()) {
    const known = matched[index]
    if (known?.primaryId === null) {
      add(d.must, [OF_ANOTHER, IN_USE])
      continue
    }
    // Whether a merge can call back an archived dependent is left open.
    if (known?.archived) add(d.may, [OF_ANOTHER, NO_DEPENDENT, UNKNOWN])
    if (unknownItems(known, one)) d.must.add(UNKNOWN)
    const content = merged(d.next, known ?? replaced(d.next, {}), one)
    if (nameless(content, 'dependent')) d.must.add(BAD)
    const dependentId = known?.id ?? (one.applicantId || assign(d.next))
    if (claimed.includes(dependentId)) d.must.add(BAD)
    claimed.push(dependentId)
    put(d.next, { id: dependentId, primaryId: id, ...content })
  }
  const family = [id, ...dependentsOf(d.next, id).map(one => one.id)]
  return verdict(d, { status: 200, family: id, tagged: id }, family)
}

/**
 * By id, else by number, wherever they are. A new dependent with neither is told from one that this very merge has
 * made before by all that is said of it: otherwise the same merge sent again would make it twice.
 */
function matchMerged(before: State, primaryId: string, inputs: Json[]): (Person | undefined)[] {
  const named = inputs.map(one =>
    one.applicantId ? before.people.get(one.applicantId) : holderOf(before, one.employeeNumber),
  )
  const taken = new Set(named.map(person => person?.id))
  return inputs.map((one, index) => {
    if (named[index] || one.applicantId || one.employeeNumber) return named[index]
    if (blank(one.firstName) || blank(one.lastName) || blank(one.relationship)) return undefined
    const again = dependentsOf(before, primaryId).find(
      person =>
        !taken.has(person.id) &&
        content({ ...person, ...merged(copyOf(before), person, one) }) === content(person),
    )
    taken.add(again?.id)
    return again
  })
}

export function createDependent(before: State, { id, body }: { id: string; body: Json }): Verdict {
  const d = draft(before)
  add(d.must, faults(body, { role: 'dependent', whole: true, ids: false }))
  if (!findPrimary(before, { id })) {
    d.must.add(NO_APPLICANT)
    return refused(d)
  }
  const made = put(d.next, { id: assign(d.next), primaryId: id, ...replaced(d.next, body) })
  return verdict(d, { status: 201, record: made.id, tagged: made.id }, [made.id])
}

type ToDependent = { number: string; dependent: string; body: Json } & Conditions

export function replaceDependent(before: State, { number, dependent, body, ...when }: ToDependent): Verdict {
  const d = draft(before)
  add(d.must, faults(body, { role: 'dependent', whole: true }))
  const current = dependentAt(d, number, dependent)
  if (!current) return refused(d)
  condition(d, when, current)
  if (body.applicantId && body.applicantId !== current.id) d.must.add(BAD)
  put(d.next, { ...current, ...replaced(d.next, body) })
  const cleared = verdict(d, { status: 200, record: current.id, tagged: current.id }, [])
  if ('employeeNumber' in body || current.fields['employeeNumber'] !== dependent) return cleared
  // Addressed by its number and sent without one: whether it keeps that number is left open.
  const keeping = replaceDependent(before, {
    number,
    dependent,
    body: { ...body, employeeNumber: dependent },
    ...when,
  })
  return { must: keeping.must, may: cleared.may, successes: [...keeping.successes, ...cleared.successes] }
}

export function mergeDependent(before: State, { number, dependent, body, ...when }: ToDependent): Verdict {
  const d = draft(before)
  add(d.must, faults(body, { role: 'dependent', whole: false }))
  const current = dependentAt(d, number, dependent)
  if (!current) return refused(d)
  condition(d, when, current)
  if (body.applicantId && body.applicantId !== current.id) d.must.add(BAD)
  if (unknownItems(current, body)) d.must.add(UNKNOWN)
  const after = put(d.next, { ...current, ...merged(d.next, current, body) })
  if (nameless(after, 'dependent')) d.must.add(BAD)
  return verdict(d, { status: 200, record: current.id, tagged: current.id }, [])
}

function dependentAt(d: Draft, number: string, dependent: string): Person | undefined {
  const primary = findPrimary(d.before, { number })
  const found = primary && findDependent(d.before, primary.id, dependent)
  if (!primary) d.must.add(NO_APPLICANT)
  if (!found) d.must.add(NO_DEPENDENT)
  return found
}

interface Claim {
  firstName: string
  lastName?: string
  dateOfBirth: string
}

const sameName = (a: Text | undefined, b: string) =>
  (a ?? '').trim().normalize('NFC').toLowerCase() === b.trim().normalize('NFC').toLowerCase()

const isPerson = ({ fields }: Person, { firstName, lastName, dateOfBirth }: Claim) =>
  sameName(fields['firstName'], firstName) &&
  (lastName === undefined || sameName(fields['lastName'], lastName)) &&
  fields['dateOfBirth']?.slice(0, 10) === dateOfBirth.slice(0, 10)

function renumbered(d: Draft, person: Person, to: string): Verdict {
  const from = person.fields['employeeNumber'] ?? null
  put(d.next, { ...person, fields: { ...person.fields, employeeNumber: to } })
  if (from) d.next.retired.add(from)
  const documents = person.lists['documents']?.length ?? 0
  return verdict(d, { status: 200, change: { id: person.id, from, to, documents } }, [])
}

export function changeNumber(
  before: State,
  { from, to, claim }: { from: string; to: string; claim: Claim },
): Verdict {
  const d = draft(before)
  if (from === to) d.must.add(BAD)
  const current = findPrimary(before, { number: from })
  if (!current) d.must.add(NO_APPLICANT)
  else if (!isPerson(current, claim)) d.must.add(NOT_THE_PERSON)
  return current && from !== to ? renumbered(d, current, to) : refused(d)
}

export function changeDependentNumber(
  before: State,
  {
    number,
    dependent,
    to,
    claim,
  }: { number: string; dependent: string; to: string | undefined; claim: Claim },
): Verdict {
  const d = draft(before)
  const current = dependentAt(d, number, dependent)
  if (!current) return refused(d)
  if (!isPerson(current, claim)) d.must.add(NOT_THE_PERSON)
  if (to !== undefined && to === current.fields['employeeNumber']) d.must.add(BAD)
  if (d.must.has(BAD)) return refused(d)
  let next = 1
  const free = () => !holderOf(before, `${number}-D${next}`) && !before.retired.has(`${number}-D${next}`)
  while (to === undefined && !free()) next += 1
  return renumbered(d, current, to ?? `${number}-D${next}`)
}

export function read(before: State, what: { key: Key; dependents?: boolean; dependent?: string }): Verdict {
  const { key, dependents, dependent } = what
  const d = draft(before)
  const primary = findPrimary(before, key)
  if (dependent !== undefined) {
    const found = primary && findDependent(before, primary.id, dependent)
    if (!primary) d.must.add(NO_APPLICANT)
    if (!found) d.must.add(NO_DEPENDENT)
    // Only the paths by number are said to take a number for the dependent, too.
    if ('id' in key && found?.id !== dependent) d.may.add(NO_DEPENDENT)
    return found ? verdict(d, { status: 200, record: found.id, tagged: found.id }, []) : refused(d)
  }
  if (!primary) {
    d.must.add(NO_APPLICANT)
    return refused(d)
  }
  const list = dependentsOf(before, primary.id).map(({ id }) => id)
  return verdict(
    d,
    dependents ? { status: 200, list } : { status: 200, record: primary.id, tagged: primary.id },
    [],
  )
}
