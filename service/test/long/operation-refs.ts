// References of random operations: "the second primary applicant", "the number of the third person". They are resolved to
// ids and numbers when the operation runs, so that a sequence stays valid while fast-check shrinks it.
import fc from 'fast-check'
import { dependentsOf, findPrimary, type Key, live, primaries, type State } from './model-state.ts'
import type { Request } from './operation-requests.ts'

/** State of one sequence: the expected records, and the prefix of its ids and numbers. */
export interface Fixture {
  state: State
  prefix: string
  /** Successful writes of families. */
  sent: Request[]
}

export const pick = <T>(list: T[], index: number): T | undefined =>
  list.length ? list[index % list.length] : undefined

export type Ref =
  | { person: number }
  | { archived: number }
  | { given: number }
  | { unknown: true }
  | { odd: true }
export type NumberRef = { pool: number } | { of: number }
export type KeyRef =
  | { primary: number }
  | { id: Ref }
  | { number: NumberRef }
  | { primaryNumber: number }
  | { parent: number }
export type DependentRef = { own: number } | { ownNumber: number } | { id: Ref } | { number: NumberRef }

export const some = fc.nat({ max: 7 })
export const ref: fc.Arbitrary<Ref> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ person: some }) },
  { weight: 2, arbitrary: fc.record({ archived: some }) },
  { weight: 3, arbitrary: fc.record({ given: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant({ unknown: true as const }) },
)
export const numberRef: fc.Arbitrary<NumberRef> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ pool: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ of: some }) },
)
export const idKey: fc.Arbitrary<KeyRef> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ primary: some }) },
  { weight: 2, arbitrary: fc.record({ id: ref }) },
)
export const numberKey: fc.Arbitrary<KeyRef> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ primaryNumber: some }) },
  { weight: 2, arbitrary: fc.record({ number: numberRef }) },
)
export const parentKey: fc.Arbitrary<KeyRef> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ parent: some }) },
  { weight: 1, arbitrary: numberKey },
)
export const anyKey = fc.oneof(idKey, numberKey)
export const putKey = fc.oneof(
  { weight: 20, arbitrary: anyKey },
  { weight: 4, arbitrary: fc.record({ id: fc.record({ given: fc.nat({ max: 2 }) }) }) },
  { weight: 1, arbitrary: fc.constant({ id: { odd: true as const } }) },
)
export const dependentRef: fc.Arbitrary<DependentRef> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ own: some }) },
  { weight: 3, arbitrary: fc.record({ ownNumber: some }) },
  { weight: 1, arbitrary: fc.record({ id: ref }) },
  { weight: 1, arbitrary: fc.record({ number: numberRef }) },
)

export function idOf({ state, prefix }: Fixture, to: Ref): string {
  if ('person' in to) return pick([...state.people.keys()], to.person) ?? `${prefix}-unknown`
  if ('archived' in to) {
    const people = [...state.people.values()]
    const archivedPeople = people.filter(({ archived }) => archived)
    return pick(archivedPeople.length > 0 ? archivedPeople : people, to.archived)?.id ?? `${prefix}-unknown`
  }
  if ('given' in to) return `${prefix}-id${to.given}`
  return 'odd' in to ? 'a!' : `${prefix}-unknown`
}

export function numberOf({ state, prefix }: Fixture, to: NumberRef): string {
  const numbers = live(state).flatMap(({ fields }) => fields['employeeNumber'] ?? [])
  return ('of' in to ? pick(numbers, to.of) : undefined) ?? `${prefix}-N${'pool' in to ? to.pool : to.of % 6}`
}

export function keyOf(fixture: Fixture, to: KeyRef): Key {
  if ('id' in to) return { id: idOf(fixture, to.id) }
  if ('number' in to) return { number: numberOf(fixture, to.number) }
  if ('primary' in to)
    return { id: pick(primaries(fixture.state), to.primary)?.id ?? `${fixture.prefix}-id0` }
  const numbered = primaries(fixture.state).filter(({ fields }) => fields['employeeNumber'])
  const parents = numbered.filter(({ id }) => dependentsOf(fixture.state, id).length > 0)
  const person =
    'parent' in to
      ? (pick(parents, to.parent) ?? pick(numbered, to.parent))
      : pick(numbered, to.primaryNumber)
  return { number: person?.fields['employeeNumber'] ?? `${fixture.prefix}-N0` }
}

export const numberKeyOf = (fixture: Fixture, to: KeyRef): string => {
  const key = keyOf(fixture, to)
  return 'number' in key ? key.number : key.id
}

export function dependentOf(fixture: Fixture, number: string, to: DependentRef): string {
  if ('id' in to) return idOf(fixture, to.id)
  if ('number' in to) return numberOf(fixture, to.number)
  const primary = findPrimary(fixture.state, { number })
  const own = primary ? dependentsOf(fixture.state, primary.id) : []
  const numbers = own.flatMap(({ fields }) => fields['employeeNumber'] ?? [])
  const byId = pick(own, 'own' in to ? to.own : to.ownNumber)?.id ?? `${fixture.prefix}-unknown`
  return 'own' in to ? byId : (pick(numbers, to.ownNumber) ?? byId)
}
