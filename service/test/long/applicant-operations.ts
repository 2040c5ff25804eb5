// Random operations for the model. They speak of "the second primary applicant" or "the number of the third person", and
// become requests when it is their turn: so a sequence can be shortened and still make sense.
import fc from 'fast-check'
import {
  changeDependentNumber,
  changeNumber,
  create,
  createDependent,
  dependentsOf,
  findDependent,
  findPrimary,
  type Json,
  type Key,
  LISTS,
  live,
  mergeDependent,
  mergeFamily,
  type Person,
  primaries,
  read,
  replaceDependent,
  replaceFamily,
  type State,
  type Verdict,
} from './applicant-model.ts'

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  url: string
  body?: Json
  headers?: Record<string, string>
  expected: (state: State) => Verdict
  /** Send it once more: the second time it must change nothing. */
  twice?: boolean
}

export interface World {
  state: State
  prefix: string
}

const pick = <T>(list: T[], index: number): T | undefined =>
  list.length ? list[index % list.length] : undefined

// References.

type Ref = { person: number } | { archived: number } | { given: number } | { nobody: true } | { odd: true }
type NumberRef = { pool: number } | { of: number }
type KeyRef =
  | { primary: number }
  | { id: Ref }
  | { number: NumberRef }
  | { primaryNumber: number }
  | { parent: number }
type DependentRef = { own: number } | { ownNumber: number } | { id: Ref } | { number: NumberRef }

const some = fc.nat({ max: 7 })
const ref: fc.Arbitrary<Ref> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ person: some }) },
  { weight: 2, arbitrary: fc.record({ archived: some }) },
  { weight: 3, arbitrary: fc.record({ given: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant({ nobody: true as const }) },
)
const numberRef: fc.Arbitrary<NumberRef> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ pool: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ of: some }) },
)
const idKey: fc.Arbitrary<KeyRef> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ primary: some }) },
  { weight: 2, arbitrary: fc.record({ id: ref }) },
)
const numberKey: fc.Arbitrary<KeyRef> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ primaryNumber: some }) },
  { weight: 2, arbitrary: fc.record({ number: numberRef }) },
)
const parentKey: fc.Arbitrary<KeyRef> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ parent: some }) },
  { weight: 1, arbitrary: numberKey },
)
const anyKey = fc.oneof(idKey, numberKey)
const putKey = fc.oneof(
  { weight: 20, arbitrary: anyKey },
  { weight: 4, arbitrary: fc.record({ id: fc.record({ given: fc.nat({ max: 2 }) }) }) },
  { weight: 1, arbitrary: fc.constant({ id: { odd: true as const } }) },
)
const dependentRef: fc.Arbitrary<DependentRef> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ own: some }) },
  { weight: 3, arbitrary: fc.record({ ownNumber: some }) },
  { weight: 1, arbitrary: fc.record({ id: ref }) },
  { weight: 1, arbitrary: fc.record({ number: numberRef }) },
)

function idOf({ state, prefix }: World, to: Ref): string {
  if ('person' in to) return pick([...state.people.keys()], to.person) ?? `${prefix}-nobody`
  if ('archived' in to) {
    const people = [...state.people.values()]
    const away = people.filter(({ archived }) => archived)
    return pick(away.length > 0 ? away : people, to.archived)?.id ?? `${prefix}-nobody`
  }
  if ('given' in to) return `${prefix}-id${to.given}`
  return 'odd' in to ? 'a!' : `${prefix}-nobody`
}

function numberOf({ state, prefix }: World, to: NumberRef): string {
  const numbers = live(state).flatMap(({ fields }) => fields['employeeNumber'] ?? [])
  return ('of' in to ? pick(numbers, to.of) : undefined) ?? `${prefix}-N${'pool' in to ? to.pool : to.of % 6}`
}

function keyOf(world: World, to: KeyRef): Key {
  if ('id' in to) return { id: idOf(world, to.id) }
  if ('number' in to) return { number: numberOf(world, to.number) }
  if ('primary' in to) return { id: pick(primaries(world.state), to.primary)?.id ?? `${world.prefix}-id0` }
  const numbered = primaries(world.state).filter(({ fields }) => fields['employeeNumber'])
  const parents = numbered.filter(({ id }) => dependentsOf(world.state, id).length > 0)
  const person =
    'parent' in to
      ? (pick(parents, to.parent) ?? pick(numbered, to.parent))
      : pick(numbered, to.primaryNumber)
  return { number: person?.fields['employeeNumber'] ?? `${world.prefix}-N0` }
}

const numberKeyOf = (world: World, to: KeyRef): string => {
  const key = keyOf(world, to)
  return 'number' in key ? key.number : key.id
}

function dependentOf(world: World, number: string, to: DependentRef): string {
  if ('id' in to) return idOf(world, to.id)
  if ('number' in to) return numberOf(world, to.number)
  const primary = findPrimary(world.state, { number })
  const own = primary ? dependentsOf(world.state, primary.id) : []
  const numbers = own.flatMap(({ fields }) => fields['employeeNumber'] ?? [])
  const byId = pick(own, 'own' in to ? to.own : to.ownNumber)?.id ?? `${world.prefix}-nobody`
  return 'own' in to ? byId : (pick(numbers, to.ownNumber) ?? byId)
}

// Bodies.

/** Left out, or `often` times as often there. */
const absent = <T>(arbitrary: fc.Arbitrary<T>, often: number) =>
  fc.oneof({ weight: 20 * often, arbitrary }, { weight: 20, arbitrary: fc.constant(undefined) })
const short = fc.constantFrom('x', 'y', '', null)
const day = fc.constantFrom(
  '1990-05-31', '1990-05-31T10:20:30Z', '2018-09-12 01:02:03.5', '1990-05-31', '2018-09-12', '', null,
) // biome-ignore format: a table reads better than a column
const names = (odd: number) =>
  fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom('Anna', 'Ben', 'Zo\u00eb') },
    { weight: odd, arbitrary: fc.constantFrom('', ' ', null, undefined) },
  )

const MEMBERS: Record<string, Record<string, fc.Arbitrary<Json>>> = {
  metaData: { tagName: fc.constantFrom('a', 'b', '', null), value: short },
  passports: {
    passportNumber: fc.constantFrom('P1', 'P2', ''),
    country: fc.constantFrom('DE', '', null),
    nationality: fc.constantFrom('FR', ''),
    expiryDate: day,
    issuedBy: short,
  },
  documents: {
    name: fc.constantFrom('Visa', 'Permit', null),
    referenceNumber: fc.constantFrom('1', '', null),
    description: short,
    issueDate: day,
    country: fc.constantFrom('US', ''),
    remindAboutRenewal: fc.constantFrom(true, false, null),
    expiryReminder: fc.constantFrom(0, 30, '90,30', null),
  },
  previousNames: {
    lastName: fc.constantFrom('Meyer', ''),
    firstName: fc.constantFrom('Anna', null),
    middleName: short,
  },
}

/** `own` is one of the items that the record has, `given` an id of the caller's. */
type ItemIdRef = { own: number } | { given: number } | { empty: true } | undefined
const itemId: fc.Arbitrary<ItemIdRef> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: fc.record({ own: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ given: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant({ empty: true as const }) },
)

const listSpec = (list: string) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.array(
        fc.record({ id: itemId, item: fc.record(MEMBERS[list] ?? {}, { requiredKeys: [] }) }),
        { maxLength: 3 },
      ),
    },
    { weight: 1, arbitrary: fc.constant(null) },
  )

function bodySpec({ whole, role }: { whole: boolean; role: 'primary' | 'dependent' }) {
  const often = whole ? 3 : 1
  const relationship =
    role === 'primary'
      ? fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom('', null, undefined) },
          { weight: 1, arbitrary: fc.constant('Child') },
        )
      : fc.oneof(
          { weight: 30, arbitrary: fc.constantFrom('Child', 'Spouse') },
          { weight: 1, arbitrary: fc.constantFrom('', null, undefined) },
        )
  const plain = {
    firstName: names(1),
    lastName: names(1),
    relationship,
    dateOfBirth: absent(day, whole ? 9 : 1),
    status: absent(fc.constantFrom('A', 'I', '', null), 1),
    middleName: absent(short, 1),
    jobTitle: absent(short, often),
    countryOfBirth: absent(fc.constantFrom('DE', 'FRA', '', null), 1),
    createdAt: absent(fc.constant('1999-01-01T00:00:00.000Z'), 1),
  }
  return fc.record({
    plain: whole ? fc.record(plain) : fc.record(plain, { requiredKeys: [] }),
    applicantId: absent(
      fc.oneof({ weight: 3, arbitrary: ref }, { weight: 1, arbitrary: fc.constant('' as const) }),
      role === 'dependent' ? 1 : 0.15,
    ),
    employeeNumber: absent(
      fc.oneof(
        { weight: 6, arbitrary: numberRef },
        { weight: 1, arbitrary: fc.constantFrom('' as const, null) },
      ),
      whole ? (role === 'primary' ? 6 : 2) : 0.3,
    ),
    lists: fc.record(
      Object.fromEntries(Object.keys(LISTS).map(list => [list, absent(listSpec(list), 0.5)])),
      { requiredKeys: [] },
    ),
  })
}

type BodySpec = ReturnType<typeof bodySpec> extends fc.Arbitrary<infer T> ? T : never

interface Making {
  /** Without ids, as a create must be, but for the odd one. */
  fresh?: boolean
  target?: Person | undefined
}

function bodyOf(world: World, spec: BodySpec, { fresh = false, target }: Making = {}): Json {
  const body: Json = { ...spec.plain }
  const { applicantId, employeeNumber } = spec
  const oddly = applicantId !== undefined && applicantId !== '' && 'nobody' in applicantId
  if (applicantId === '') body.applicantId = ''
  else if (applicantId !== undefined && (!fresh || oddly)) body.applicantId = idOf(world, applicantId)
  if (employeeNumber === '' || employeeNumber === null) body.employeeNumber = employeeNumber
  else if (employeeNumber !== undefined) body.employeeNumber = numberOf(world, employeeNumber)
  const person = target ?? recordOf(world, body)
  for (const [list, specs] of Object.entries(spec.lists)) {
    const { id } = LISTS[list] as (typeof LISTS)[string]
    if (specs === undefined) continue
    const withId = ({ id: to, item }: { id: ItemIdRef; item: Json }) => {
      if (to === undefined) return item
      if ('empty' in to) return { ...item, [id]: '' }
      if (fresh) return item
      const own = person?.lists[list] ?? []
      const known = 'own' in to ? pick(own, to.own)?.[id] : `${world.prefix}-item${to.given}`
      return known ? { ...item, [id]: known } : item
    }
    body[list] = specs === null ? null : specs.map(withId)
  }
  return JSON.parse(JSON.stringify(body))
}

/** Whom a dependent of a family body means. */
function recordOf({ state }: World, { applicantId, employeeNumber }: Json): Person | undefined {
  if (applicantId) return state.people.get(applicantId)
  return employeeNumber
    ? live(state).find(({ fields }) => fields['employeeNumber'] === employeeNumber)
    : undefined
}

const wholeFamily = fc.record({
  primaryApplicant: bodySpec({ whole: true, role: 'primary' }),
  dependents: absent(fc.array(bodySpec({ whole: true, role: 'dependent' }), { maxLength: 3 }), 2),
})
const partFamily = fc.record({
  primaryApplicant: absent(bodySpec({ whole: false, role: 'primary' }), 3),
  dependents: absent(
    fc.array(
      fc.oneof(bodySpec({ whole: false, role: 'dependent' }), bodySpec({ whole: true, role: 'dependent' })),
      { maxLength: 3 },
    ),
    2,
  ),
})

type FamilySpec = {
  primaryApplicant?: BodySpec | undefined
  dependents?: BodySpec[] | undefined
}

function familyOf(world: World, { primaryApplicant, dependents }: FamilySpec, making: Making = {}): Json {
  return {
    ...(primaryApplicant && { primaryApplicant: bodyOf(world, primaryApplicant, making) }),
    ...(dependents && {
      dependents: dependents.map(one => bodyOf(world, one, { ...(making.fresh && { fresh: true }) })),
    }),
  }
}

// Conditions.

const conditions = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom('current', '*', 'other', 'none') },
)

function conditionsOf(kind: string | undefined, target: Person | undefined) {
  if (kind === undefined) return { headers: {}, when: {} }
  if (kind === 'none') return { headers: { 'if-none-match': '*' }, when: { ifNoneMatch: '*' } }
  const ifMatch = kind === 'current' ? (target?.etag ?? '*') : kind === '*' ? '*' : '"other"'
  return { headers: { 'if-match': ifMatch }, when: { ifMatch } }
}

// Operations.

const claims = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('right', 'shouted') },
  { weight: 1, arbitrary: fc.constantFrom('name', 'day') },
)

function claimOf(person: Person | undefined, kind: string) {
  const { firstName, lastName, dateOfBirth } = person?.fields ?? {}
  const right = {
    firstName: firstName || 'Anna',
    lastName: lastName || 'Anna',
    dateOfBirth: dateOfBirth?.slice(0, 10) ?? '1990-05-31',
  }
  if (kind === 'name') return { ...right, firstName: 'Nobody' }
  if (kind === 'day') return { ...right, dateOfBirth: '1901-01-01' }
  if (kind === 'shouted')
    return {
      ...right,
      firstName: ` ${right.firstName.normalize('NFD').toUpperCase()} `,
      dateOfBirth: `${right.dateOfBirth}T23:00:00`,
    }
  return right
}

const OPERATIONS = [
  { kind: 'create', weight: 4, spec: fc.record({ body: wholeFamily }) },
  { kind: 'replace', weight: 7, spec: fc.record({ key: putKey, body: wholeFamily, condition: conditions }) },
  {
    kind: 'merge',
    weight: 8,
    spec: fc.record({ key: anyKey, body: partFamily, condition: conditions, twice: fc.boolean() }),
  },
  {
    kind: 'createDependent',
    weight: 3,
    spec: fc.record({ key: idKey, body: bodySpec({ whole: true, role: 'dependent' }) }),
  },
  {
    kind: 'replaceDependent',
    weight: 3,
    spec: fc.record({
      key: parentKey,
      dependent: dependentRef,
      body: bodySpec({ whole: true, role: 'dependent' }),
      condition: conditions,
    }),
  },
  {
    kind: 'mergeDependent',
    weight: 3,
    spec: fc.record({
      key: parentKey,
      dependent: dependentRef,
      body: bodySpec({ whole: false, role: 'dependent' }),
      condition: conditions,
      twice: fc.boolean(),
    }),
  },
  { kind: 'changeNumber', weight: 3, spec: fc.record({ key: numberKey, to: numberRef, claim: claims }) },
  {
    kind: 'changeDependentNumber',
    weight: 3,
    spec: fc.record({ key: parentKey, dependent: dependentRef, to: absent(numberRef, 1), claim: claims }),
  },
  { kind: 'read', weight: 2, spec: fc.record({ key: anyKey }) },
  { kind: 'readDependents', weight: 2, spec: fc.record({ key: anyKey }) },
  { kind: 'readDependent', weight: 2, spec: fc.record({ key: anyKey, dependent: dependentRef }) },
  { kind: 'putBack', weight: 3, spec: fc.record({ key: anyKey }) },
] as const

// biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own, read where it is turned into a request.
const operation: fc.Arbitrary<any> = fc.oneof(
  ...OPERATIONS.map(({ kind, weight, spec }) => ({
    weight,
    arbitrary: (spec as fc.Arbitrary<object>).map(parts => ({ kind, ...parts })),
  })),
)

const path = (...parts: string[]) =>
  `/v2/applicant${parts.map(part => `/${encodeURIComponent(part)}`).join('')}`
const pathOf = (key: Key) => ('id' in key ? path(key.id) : path('employeenumber', key.number))

// biome-ignore lint/suspicious/noExplicitAny: see above.
export function requestOf(world: World, { kind, ...parts }: any): Request {
  const { state } = world
  const known = (key: Key) => findPrimary(state, key)
  switch (kind) {
    case 'create': {
      const body = familyOf(world, parts.body, { fresh: true })
      return { method: 'POST', url: path(), body, expected: now => create(now, body) }
    }
    case 'replace':
    case 'merge': {
      const key = keyOf(world, parts.key)
      const target = known(key)
      const body = familyOf(world, parts.body, { target })
      // By number, the body's number is the path's or none, but for one time in a few.
      if (
        'number' in key &&
        body.primaryApplicant?.employeeNumber &&
        parts.body.primaryApplicant.plain.jobTitle !== 'x'
      )
        body.primaryApplicant.employeeNumber = key.number
      const { headers, when } = conditionsOf(parts.condition, target)
      const method = kind === 'replace' ? 'PUT' : 'PATCH'
      const judge = kind === 'replace' ? replaceFamily : mergeFamily
      return {
        method,
        url: pathOf(key),
        body,
        headers,
        expected: now => judge(now, { key, body, ...when }),
        twice: parts.twice && !parts.condition,
      }
    }
    case 'createDependent': {
      const key = keyOf(world, parts.key)
      const id = 'id' in key ? key.id : ''
      const body = bodyOf(world, parts.body, { fresh: true })
      return {
        method: 'POST',
        url: `${path(id)}/dependent`,
        body,
        expected: now => createDependent(now, { id, body }),
      }
    }
    case 'replaceDependent':
    case 'mergeDependent': {
      const number = numberKeyOf(world, parts.key)
      const dependent = dependentOf(world, number, parts.dependent)
      const primary = known({ number })
      const target = primary && findDependent(state, primary.id, dependent)
      const body = bodyOf(world, parts.body, { target })
      // One time in a few it says that it is somebody else.
      if (target && body.applicantId && parts.body.plain.jobTitle !== 'x') body.applicantId = target.id
      const { headers, when } = conditionsOf(parts.condition, target)
      const url = `${pathOf({ number })}/dependents/${encodeURIComponent(dependent)}`
      const at = { number, dependent, body, ...when }
      return kind === 'replaceDependent'
        ? { method: 'PUT', url, body, headers, expected: now => replaceDependent(now, at) }
        : {
            method: 'PATCH',
            url,
            body,
            headers,
            expected: now => mergeDependent(now, at),
            twice: parts.twice && !parts.condition,
          }
    }
    case 'changeNumber': {
      const from = numberKeyOf(world, parts.key)
      const to = numberOf(world, parts.to)
      const claim = claimOf(known({ number: from }), parts.claim)
      return {
        method: 'POST',
        url: path('employeenumber', from, to),
        body: claim,
        expected: now => changeNumber(now, { from, to, claim }),
      }
    }
    case 'changeDependentNumber': {
      const number = numberKeyOf(world, parts.key)
      const dependent = dependentOf(world, number, parts.dependent)
      const to = parts.to && numberOf(world, parts.to)
      const primary = known({ number })
      const { lastName: _, ...claim } = claimOf(
        primary && findDependent(state, primary.id, dependent),
        parts.claim,
      )
      return {
        method: 'POST',
        url: path('employeenumber', number, 'dependents', dependent),
        body: { ...claim, ...(to && { newEmployeeNumber: to }) },
        expected: now => changeDependentNumber(now, { number, dependent, to, claim }),
      }
    }
    case 'read': {
      const key = keyOf(world, parts.key)
      return { method: 'GET', url: pathOf(key), expected: now => read(now, { key }) }
    }
    case 'readDependents': {
      const key = keyOf(world, parts.key)
      return {
        method: 'GET',
        url: `${pathOf(key)}/dependents`,
        expected: now => read(now, { key, dependents: true }),
      }
    }
    case 'readDependent': {
      const key = keyOf(world, parts.key)
      const number = known(key)?.fields['employeeNumber'] ?? ''
      const dependent = dependentOf(world, number, parts.dependent)
      const url = `${pathOf(key)}/${'id' in key ? 'dependent' : 'dependents'}/${encodeURIComponent(dependent)}`
      return { method: 'GET', url, expected: now => read(now, { key, dependent }) }
    }
    default:
      throw new Error(kind)
  }
}

/** Most of what can happen needs somebody to be there, so a sequence begins with two families that nothing is wrong with. */
const begin = (family: number) => {
  const sound = (spec: BodySpec, pool: number): BodySpec => ({
    ...spec,
    plain: { ...spec.plain, firstName: 'Anna', lastName: 'Ben' },
    applicantId: undefined,
    employeeNumber: spec.employeeNumber && pool < 9 ? { pool } : undefined,
  })
  return wholeFamily.map(({ primaryApplicant, dependents }) => ({
    kind: 'create',
    body: {
      primaryApplicant: withRelationship(sound(primaryApplicant, family), ''),
      dependents: dependents?.map((one, at) =>
        withRelationship(sound(one, at < 2 ? 2 + 2 * family + at : 9), 'Child'),
      ),
    },
  }))
}

const withRelationship = (spec: BodySpec, relationship: '' | 'Child'): BodySpec => ({
  ...spec,
  plain: { ...spec.plain, relationship },
})

export const sequence = (longest: number) =>
  fc
    .tuple(begin(0), begin(1), fc.array(operation, { maxLength: longest - 2, size: 'max' }))
    .map(([first, second, rest]) => [first, second, ...rest])

/** The requests that read a family, and the one that sends it back. */
export function putBackOf(world: World, { key: to }: { key: KeyRef }) {
  const key = keyOf(world, to)
  return {
    reads: [
      { method: 'GET', url: pathOf(key), expected: now => read(now, { key }) },
      {
        method: 'GET',
        url: `${pathOf(key)}/dependents`,
        expected: now => read(now, { key, dependents: true }),
      },
    ] satisfies Request[],
    write: (body: Json): Request => ({
      method: 'PUT',
      url: pathOf(key),
      body,
      expected: now => replaceFamily(now, { key, body }),
    }),
  }
}

/** Reads that show everything the model knows, and that nothing is found which should not be. */
export function sweepOf({ state }: World): Request[] {
  const numbers = new Set([
    ...[...state.people.values()].flatMap(({ fields }) => fields['employeeNumber'] ?? []),
    ...state.retired,
  ])
  const keys: Key[] = [
    ...[...state.people.keys()].map(id => ({ id })),
    ...[...numbers].map(number => ({ number })),
  ]
  return keys.flatMap((key): Request[] => {
    const one: Request = { method: 'GET', url: pathOf(key), expected: now => read(now, { key }) }
    if (!findPrimary(state, key)) return [one]
    return [
      one,
      {
        method: 'GET',
        url: `${pathOf(key)}/dependents`,
        expected: now => read(now, { key, dependents: true }),
      },
    ]
  })
}
