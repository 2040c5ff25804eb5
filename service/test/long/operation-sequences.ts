// Random sequences of operations, and the reads that end each sequence.
import fc from 'fast-check'
import { OPERATIONS, type Operation } from './applicant-operations.ts'
import { findPrimary, type Json, type Key } from './model-state.ts'
import { type BodySpec, wholeFamily } from './operation-bodies.ts'
import type { Fixture } from './operation-refs.ts'
import { type Request, readDependentsOf, readOf, type Steps } from './operation-requests.ts'

const step: fc.Arbitrary<Json> = fc.oneof(
  ...Object.entries(OPERATIONS).map(([kind, { weight, spec }]) => ({
    weight,
    arbitrary: (spec as fc.Arbitrary<object>).map(parts => ({ kind, ...parts })),
  })),
)

/** The requests of an operation. Each is built after the response to the previous one. */
export const stepsOf = (fixture: Fixture, { kind, ...parts }: Json): Steps =>
  (OPERATIONS[kind] as Operation<Json>).steps(fixture, parts)

const FIRST_NAMES = ['Anna', 'Ben', 'Zo\u00eb']

/** A sequence begins by creating two valid families, because most operations need existing records. */
const begin = (family: number) => {
  const valid = (spec: BodySpec, pool: number, at: number): BodySpec => ({
    ...spec,
    plain: {
      ...spec.plain,
      firstName: FIRST_NAMES[at] as 'Anna',
      lastName: 'Ben',
      relationship: pool < 2 ? '' : 'Child',
    },
    applicantId: undefined,
    employeeNumber: spec.employeeNumber && pool < 9 ? { pool } : undefined,
  })
  return wholeFamily.map(({ primaryApplicant, dependents }) => ({
    kind: 'create',
    body: {
      primaryApplicant: valid(primaryApplicant, family, 0),
      dependents: dependents?.map((one, at) => valid(one, at < 2 ? 2 + 2 * family + at : 9, at)),
    },
  }))
}

export const sequence = (longest: number) =>
  fc
    .tuple(begin(0), begin(1), fc.array(step, { maxLength: longest - 2, size: 'max' }))
    .map(([first, second, rest]): Json[] => [first, second, ...rest])

/** Reads of every known id and number: live records are returned, all others respond with 404. */
export function sweepOf({ state }: Fixture): Request[] {
  const numbers = new Set([
    ...[...state.people.values()].flatMap(({ fields }) => fields['employeeNumber'] ?? []),
    ...state.retired,
  ])
  const keys: Key[] = [
    ...[...state.people.keys()].map(id => ({ id })),
    ...[...numbers].map(number => ({ number })),
  ]
  return keys.flatMap(key =>
    findPrimary(state, key) ? [readOf(key, 'sweep'), readDependentsOf(key, 'sweep')] : [readOf(key, 'sweep')],
  )
}
