// Random operations for the model. Each yields a few requests, built when the operation runs.
import fc from 'fast-check'
import { create, createDependent, read, writeDependent } from './applicant-model.ts'
import { changeDependentNumber, changeNumber } from './model-numbers.ts'
import { dependentsOf, findDependent, findPrimary, type Json } from './model-state.ts'
import { bodyOf, bodySpec, familyOf, optional, partFamily, wholeFamily } from './operation-bodies.ts'
import {
  anyKey,
  dependentOf,
  dependentRef,
  type Fixture,
  idKey,
  keyOf,
  numberKey,
  numberKeyOf,
  numberOf,
  numberRef,
  parentKey,
  pick,
  putKey,
  some,
} from './operation-refs.ts'
import {
  claimOf,
  claims,
  conditions,
  conditionsOf,
  familyWrite,
  path,
  pathOf,
  type Request,
  readDependentsOf,
  readOf,
  reversed,
  type Steps,
  sent,
} from './operation-requests.ts'
import { changesNothing, rendering, storedFamily } from './operation-stored.ts'

export interface Operation<T> {
  weight: number
  spec: fc.Arbitrary<T>
  steps: (fixture: Fixture, parts: T) => Steps
}

const operation = <T>(weight: number, spec: fc.Arbitrary<T>, steps: Operation<T>['steps']) =>
  ({ weight, spec, steps }) as unknown as Operation<Json>

const writeOf = (kind: string, weight: number, method: 'PUT' | 'PATCH') =>
  operation(
    weight,
    fc.record({
      key: method === 'PUT' ? putKey : anyKey,
      body: method === 'PUT' ? wholeFamily : partFamily,
      condition: conditions,
      twice: fc.boolean(),
    }),
    function* (fixture, { key: to, body: spec, condition, twice }) {
      const key = keyOf(fixture, to)
      const body = familyOf(fixture, spec, { target: findPrimary(fixture.state, key) })
      // Usually the number of the path, because a different one is rejected.
      const { primaryApplicant } = body
      if ('number' in key && primaryApplicant?.employeeNumber && primaryApplicant.jobTitle !== 'x')
        primaryApplicant.employeeNumber = key.number
      const request = familyWrite(fixture, { kind, method, key, body, ...(condition && { condition }) })
      yield* sent(fixture, request, twice && !condition)
    },
  )

const writeDependentOf = (kind: string, mode: 'replace' | 'merge') =>
  operation(
    3,
    fc.record({
      key: parentKey,
      dependent: dependentRef,
      body: bodySpec({ whole: mode === 'replace', role: 'dependent' }),
      condition: conditions,
      twice: fc.boolean(),
    }),
    function* (fixture, { key, dependent: to, body: spec, condition, twice }) {
      const number = numberKeyOf(fixture, key)
      const dependent = dependentOf(fixture, number, to)
      const primary = findPrimary(fixture.state, { number })
      const target = primary && findDependent(fixture.state, primary.id, dependent)
      const body = bodyOf(fixture, spec, { target })
      // Usually the id of the dependent, because a different one is rejected.
      if (target && body.applicantId && spec.plain.jobTitle !== 'x') body.applicantId = target.id
      const { headers, when } = conditionsOf(condition, target)
      const request: Request = {
        kind,
        method: mode === 'replace' ? 'PUT' : 'PATCH',
        url: `${pathOf({ number })}/dependents/${encodeURIComponent(dependent)}`,
        body,
        headers,
        expected: now => writeDependent(now, { number, dependent, body, mode, ...when }),
      }
      yield* sent(fixture, request, twice && !condition)
    },
  )

const masks = fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 })
const methods = fc.constantFrom('PUT' as const, 'PATCH' as const)

export const OPERATIONS: Record<string, Operation<Json>> = {
  create: operation(4, fc.record({ body: wholeFamily }), function* (fixture, { body: spec }) {
    const body = familyOf(fixture, spec, { fresh: true })
    yield {
      kind: 'create',
      method: 'POST',
      url: path(),
      body,
      expected: now => create(now, { body }),
    }
  }),
  replace: writeOf('replace', 7, 'PUT'),
  merge: writeOf('merge', 8, 'PATCH'),
  createDependent: operation(
    2,
    fc.record({ key: idKey, body: bodySpec({ whole: true, role: 'dependent' }) }),
    function* (fixture, { key: to, body: spec }) {
      const key = keyOf(fixture, to)
      const id = 'id' in key ? key.id : ''
      const body = bodyOf(fixture, spec, { fresh: true })
      yield {
        kind: 'createDependent',
        method: 'POST',
        url: `${path(id)}/dependent`,
        body,
        expected: now => createDependent(now, { id, body }),
      }
    },
  ),
  replaceDependent: writeDependentOf('replaceDependent', 'replace'),
  mergeDependent: writeDependentOf('mergeDependent', 'merge'),
  /** The stored family, as an HR system sends it every night. */
  nightly: operation(
    6,
    fc.record({ key: anyKey, how: rendering, method: methods }),
    function* (fixture, { key: to, how, method }) {
      const key = keyOf(fixture, to)
      const primary = findPrimary(fixture.state, key)
      if (!primary) return
      const body = storedFamily(fixture.state, { primary, how })
      const unchanged = changesNothing(fixture.state, primary, how)
      const request = familyWrite(fixture, { kind: 'nightly', method, key, body })
      yield* sent(fixture, { ...request, unchanged }, !unchanged)
    },
  ),
  /** Dependents that one write omits and the next one includes again. */
  absence: operation(
    6,
    fc.record({ key: anyKey, how: rendering, back: rendering, without: masks, method: methods }),
    function* (fixture, { key: to, how, back, without, method }) {
      const key = keyOf(fixture, to)
      const primary = findPrimary(fixture.state, key)
      if (!primary) return
      const whole = storedFamily(fixture.state, { primary, how: back })
      const body = storedFamily(fixture.state, { primary, how, without })
      yield* sent(fixture, familyWrite(fixture, { kind: 'absence', method: 'PUT', key, body }), true)
      yield* sent(fixture, familyWrite(fixture, { kind: 'return', method, key, body: whole }), true)
    },
  ),
  /** Repeats an earlier write, possibly with every list reversed. */
  again: operation(5, fc.record({ back: some, reversed: fc.boolean() }), function* (fixture, parts) {
    const earlier = pick(fixture.sent.toReversed(), parts.back)
    if (!earlier?.family) return
    const { family: key, method } = earlier
    const body = parts.reversed ? reversed(earlier.body) : earlier.body
    const request = familyWrite(fixture, { kind: 'again', method: method as 'PUT' | 'PATCH', key, body })
    yield* sent(fixture, request, true)
  }),
  /** Moves a dependent to another primary applicant, by its id or its number. */
  move: operation(
    3,
    fc.record({
      from: anyKey,
      to: anyKey,
      dependent: some,
      by: fc.constantFrom('id', 'number'),
      method: methods,
    }),
    function* (fixture, { from, to, dependent, by, method }) {
      const key = keyOf(fixture, to)
      const parent = findPrimary(fixture.state, keyOf(fixture, from))
      const moved = parent && pick(dependentsOf(fixture.state, parent.id), dependent)
      const primary = findPrimary(fixture.state, key)
      if (!moved || !primary) return
      const number = moved.fields['employeeNumber']
      const named = by === 'number' && number ? { employeeNumber: number } : { applicantId: moved.id }
      const { firstName, lastName, relationship } = moved.fields
      const body = {
        ...(method === 'PUT' && {
          primaryApplicant: { firstName: primary.fields['firstName'], lastName: primary.fields['lastName'] },
        }),
        dependents: [{ ...named, ...(method === 'PUT' && { firstName, lastName, relationship }) }],
      }
      yield* sent(fixture, familyWrite(fixture, { kind: 'move', method, key, body }), true)
    },
  ),
  changeNumber: operation(
    3,
    fc.record({ key: numberKey, to: numberRef, claim: claims }),
    function* (fixture, { key, to: toRef, claim: kind }) {
      const from = numberKeyOf(fixture, key)
      const to = numberOf(fixture, toRef)
      const claim = claimOf(findPrimary(fixture.state, { number: from }), kind)
      yield {
        kind: 'changeNumber',
        method: 'POST',
        url: path('employeenumber', from, to),
        body: claim,
        expected: now => changeNumber(now, { from, to, claim }),
      }
    },
  ),
  changeDependentNumber: operation(
    3,
    fc.record({
      key: parentKey,
      dependent: dependentRef,
      to: optional(numberRef, 1),
      claim: claims,
      whole: fc.boolean(),
    }),
    function* (fixture, { key, dependent: dependentTo, to: toRef, claim: kind, whole }) {
      const number = numberKeyOf(fixture, key)
      const dependent = dependentOf(fixture, number, dependentTo)
      const to = toRef && numberOf(fixture, toRef)
      const primary = findPrimary(fixture.state, { number })
      const { lastName, ...rest } = claimOf(
        primary && findDependent(fixture.state, primary.id, dependent),
        kind,
      )
      const claim = { ...rest, ...(whole ? { lastName } : {}) }
      yield {
        kind: 'changeDependentNumber',
        method: 'POST',
        url: path('employeenumber', number, 'dependents', dependent),
        body: { ...claim, ...(to && { newEmployeeNumber: to }) },
        expected: now => changeDependentNumber(now, { number, dependent, to, claim }),
      }
    },
  ),
  read: operation(2, fc.record({ key: anyKey }), function* (fixture, { key }) {
    yield readOf(keyOf(fixture, key))
  }),
  readDependents: operation(2, fc.record({ key: anyKey }), function* (fixture, { key }) {
    yield readDependentsOf(keyOf(fixture, key))
  }),
  readDependent: operation(
    2,
    fc.record({ key: anyKey, dependent: dependentRef }),
    function* (fixture, { key: to, dependent: dependentTo }) {
      const key = keyOf(fixture, to)
      const number = findPrimary(fixture.state, key)?.fields['employeeNumber'] ?? ''
      const dependent = dependentOf(fixture, number, dependentTo)
      const url = `${pathOf(key)}/${'id' in key ? 'dependent' : 'dependents'}/${encodeURIComponent(dependent)}`
      yield { kind: 'readDependent', method: 'GET', url, expected: now => read(now, { key, dependent }) }
    },
  ),
  putBack: operation(2, fc.record({ key: anyKey }), function* (fixture, { key: to }) {
    const key = keyOf(fixture, to)
    const primary = yield readOf(key)
    const dependents = yield readDependentsOf(key)
    if (primary.status !== 200) return
    const body = { primaryApplicant: primary.body, dependents: dependents.body }
    yield { ...familyWrite(fixture, { kind: 'putBack', method: 'PUT', key, body }), unchanged: true }
  }),
}
