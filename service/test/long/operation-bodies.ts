// Random bodies. The value pools are small on purpose, so that equal names, equal keys and their spellings collide.
import fc from 'fast-check'
import { type Json, LIST_NAMES, live, type Person, ruleOf } from './model-state.ts'
import { type Fixture, idOf, numberOf, numberRef, pick, ref } from './operation-refs.ts'

/** Makes a value optional: present `often` times as often as absent. */
export const optional = <T>(arbitrary: fc.Arbitrary<T>, often: number) =>
  fc.oneof({ weight: 20 * often, arbitrary }, { weight: 20, arbitrary: fc.constant(undefined) })
const short = fc.constantFrom('x', 'y', '', null)
const day = fc.constantFrom(
  '1990-05-31', '1990-05-31T10:20:30Z', '2018-09-12 01:02:03.5', '1990-05-31', '2018-09-12', '', null,
) // biome-ignore format: a table reads better than a column
const names = (odd: number) =>
  fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom('Anna', 'Ben', 'Zo\u00eb', 'ZOE', "An'na") },
    { weight: odd, arbitrary: fc.constantFrom('', ' ', null, undefined) },
  )

const MEMBERS: Record<string, Record<string, fc.Arbitrary<Json>>> = {
  metaData: { tagName: fc.constantFrom('a', ' a', 'b', '', null), value: short },
  passports: {
    passportNumber: fc.constantFrom('P1', 'p-1', 'P 1', 'P2', ''),
    country: fc.constantFrom('DE', 'DEU', 'FR', '', null),
    nationality: fc.constantFrom('FR', ''),
    expiryDate: day,
    issuedBy: short,
  },
  documents: {
    name: fc.constantFrom('Visa', 'Permit', 'Visa ', null),
    referenceNumber: fc.constantFrom('1', '2', '', null),
    description: short,
    issueDate: day,
    country: fc.constantFrom('US', ''),
    remindAboutRenewal: fc.constantFrom(true, false, null),
    expiryReminder: fc.constantFrom(0, 30, 90, '90,30', null),
  },
  previousNames: {
    lastName: fc.constantFrom('Meyer', ''),
    firstName: fc.constantFrom('Anna', null),
    middleName: short,
  },
}

/** References an own item, a removed document, an item of another record, or an id chosen by the client. */
type ItemIdRef =
  | { own: number }
  | { removed: number }
  | { other: number }
  | { given: number }
  | { empty: true }
  | undefined
const itemId: fc.Arbitrary<ItemIdRef> = fc.oneof(
  { weight: 16, arbitrary: fc.constant(undefined) },
  { weight: 12, arbitrary: fc.record({ own: fc.nat({ max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ removed: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ other: fc.nat({ max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ given: fc.nat({ max: 2 }) }) },
  { weight: 3, arbitrary: fc.constant({ empty: true as const }) },
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

export function bodySpec({ whole, role }: { whole: boolean; role: 'primary' | 'dependent' }) {
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
    dateOfBirth: optional(day, whole ? 9 : 1),
    status: optional(fc.constantFrom('A', 'I', '', null), 1),
    middleName: optional(short, 1),
    jobTitle: optional(short, often),
    countryOfBirth: optional(fc.constantFrom('DE', 'FRA', '', null), 1),
    createdAt: optional(fc.constant('1999-01-01T00:00:00.000Z'), 1),
  }
  return fc.record({
    plain: whole ? fc.record(plain) : fc.record(plain, { requiredKeys: [] }),
    applicantId: optional(
      fc.oneof({ weight: 3, arbitrary: ref }, { weight: 1, arbitrary: fc.constant('' as const) }),
      role === 'dependent' ? 1 : 0.15,
    ),
    employeeNumber: optional(
      fc.oneof(
        { weight: 6, arbitrary: numberRef },
        { weight: 1, arbitrary: fc.constantFrom('' as const, null) },
      ),
      whole ? (role === 'primary' ? 6 : 2) : 0.3,
    ),
    lists: fc.record(Object.fromEntries(LIST_NAMES.map(list => [list, optional(listSpec(list), 0.5)])), {
      requiredKeys: [],
    }),
  })
}

export type BodySpec = ReturnType<typeof bodySpec> extends fc.Arbitrary<infer T> ? T : never

export interface Making {
  /** Omits ids, which a create must not have. A few invalid ones remain. */
  fresh?: boolean
  target?: Person | undefined
}

function itemIdOf(fixture: Fixture, { list, to, person }: ItemIdOf): Json {
  const { id } = ruleOf(list)
  if ('given' in to) return `${fixture.prefix}-${list}${to.given}`
  const own = person?.lists[list] ?? []
  if ('own' in to) return pick(own, to.own)?.[id]
  if ('removed' in to) return list === 'documents' ? pick(person?.removed ?? [], to.removed)?.[id] : undefined
  if ('empty' in to) return ''
  const others = [...fixture.state.people.values()].filter(one => one !== person)
  return pick(
    others.flatMap(one => [...(one.lists[list] ?? []), ...(list === 'documents' ? one.removed : [])]),
    to.other,
  )?.[id]
}

interface ItemIdOf {
  list: string
  to: NonNullable<ItemIdRef>
  person: Person | undefined
}

export function bodyOf(fixture: Fixture, spec: BodySpec, { fresh = false, target }: Making = {}): Json {
  const body: Json = { ...spec.plain }
  const { applicantId, employeeNumber } = spec
  const isUnknown = applicantId !== undefined && applicantId !== '' && 'unknown' in applicantId
  if (applicantId === '') body.applicantId = ''
  else if (applicantId !== undefined && (!fresh || isUnknown)) body.applicantId = idOf(fixture, applicantId)
  if (employeeNumber === '' || employeeNumber === null) body.employeeNumber = employeeNumber
  else if (employeeNumber !== undefined) body.employeeNumber = numberOf(fixture, employeeNumber)
  const person = target ?? recordOf(fixture, body)
  // Usually the stored number, because a different one is rejected.
  if (person?.fields['employeeNumber'] && 'employeeNumber' in body && spec.plain.jobTitle !== 'x')
    body.employeeNumber = person.fields['employeeNumber']
  for (const [list, specs] of Object.entries(spec.lists)) {
    if (specs === undefined) continue
    const used = new Set()
    const withId = ({ id: to, item }: { id: ItemIdRef; item: Json }) => {
      if (to === undefined || (fresh && !('empty' in to))) return item
      const id = itemIdOf(fixture, { list, to, person })
      // A repeated id in a list is an error. It is generated rarely, so that most requests succeed.
      if (id === undefined || (used.has(id) && !('given' in to))) return item
      if (id) used.add(id)
      return { ...item, [ruleOf(list).id]: id }
    }
    body[list] = specs === null ? null : specs.map(withId)
  }
  return JSON.parse(JSON.stringify(body))
}

/** The stored person that a dependent of a body refers to. */
function recordOf({ state }: Fixture, { applicantId, employeeNumber }: Json): Person | undefined {
  if (applicantId) return state.people.get(applicantId)
  return employeeNumber
    ? live(state).find(({ fields }) => fields['employeeNumber'] === employeeNumber)
    : undefined
}

export const wholeFamily = fc.record({
  primaryApplicant: bodySpec({ whole: true, role: 'primary' }),
  dependents: optional(fc.array(bodySpec({ whole: true, role: 'dependent' }), { maxLength: 3 }), 2),
})
export const partFamily = fc.record({
  primaryApplicant: optional(bodySpec({ whole: false, role: 'primary' }), 3),
  dependents: optional(
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

export function familyOf(
  fixture: Fixture,
  { primaryApplicant, dependents }: FamilySpec,
  making: Making = {},
): Json {
  return {
    ...(primaryApplicant && { primaryApplicant: bodyOf(fixture, primaryApplicant, making) }),
    ...(dependents && {
      dependents: dependents.map(one => bodyOf(fixture, one, { ...(making.fresh && { fresh: true }) })),
    }),
  }
}
