// Requests of the random operations, each with the response that the model expects.
import fc from 'fast-check'
import { mergeFamily, read, replaceFamily } from './applicant-model.ts'
import type { Response } from './model-judge.ts'
import { findPrimary, type Json, type Key, type Person, type State } from './model-state.ts'
import type { Verdict } from './model-verdict.ts'
import type { Fixture } from './operation-refs.ts'

export interface Request {
  kind: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  url: string
  body?: Json
  headers?: Record<string, string>
  expected: (state: State) => Verdict
  /** The written family. Set for writes that can be repeated. */
  family?: Key
  /** The request must succeed as a no-op: same records, ETags and times, and no event. */
  unchanged?: boolean
}

export type Steps = Generator<Request, void, Response>

// Conditional headers and identity claims.

export const conditions = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom('current', '*', 'other', 'none') },
)

export function conditionsOf(kind: string | undefined, target: Person | undefined) {
  if (kind === undefined) return { headers: {}, when: {} }
  if (kind === 'none') return { headers: { 'if-none-match': '*' }, when: { ifNoneMatch: '*' } }
  const ifMatch = kind === 'current' ? (target?.etag ?? '*') : kind === '*' ? '*' : '"other"'
  return { headers: { 'if-match': ifMatch }, when: { ifMatch } }
}

export const claims = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('right', 'shouted', 'plain') },
  { weight: 1, arbitrary: fc.constantFrom('name', 'lastName', 'day') },
)

export function claimOf(person: Person | undefined, kind: string) {
  const { firstName, lastName, dateOfBirth } = person?.fields ?? {}
  const right = {
    firstName: firstName || 'Anna',
    lastName: lastName || 'Anna',
    dateOfBirth: dateOfBirth?.slice(0, 10) ?? '1990-05-31',
  }
  if (kind === 'name') return { ...right, firstName: 'Mismatch' }
  if (kind === 'lastName') return { ...right, lastName: 'Mismatch' }
  if (kind === 'day') return { ...right, dateOfBirth: '1901-01-01' }
  if (kind === 'plain')
    return { ...right, firstName: right.firstName.normalize('NFD').replace(/\p{M}/gu, '') }
  if (kind === 'shouted')
    return {
      ...right,
      firstName: ` ${right.firstName.normalize('NFD').toUpperCase()} `,
      dateOfBirth: `${right.dateOfBirth}T23:00:00`,
    }
  return right
}

// Requests.

export const path = (...parts: string[]) =>
  `/v2/applicant${parts.map(part => `/${encodeURIComponent(part)}`).join('')}`
export const pathOf = (key: Key) => ('id' in key ? path(key.id) : path('employeenumber', key.number))

export const readOf = (key: Key, kind = 'read'): Request => ({
  kind,
  method: 'GET',
  url: pathOf(key),
  expected: now => read(now, { key }),
})

export const readDependentsOf = (key: Key, kind = 'readDependents'): Request => ({
  kind,
  method: 'GET',
  url: `${pathOf(key)}/dependents`,
  expected: now => read(now, { key, dependents: true }),
})

interface FamilyWrite {
  kind: string
  method: 'PUT' | 'PATCH'
  key: Key
  body: Json
  condition?: string
}

export function familyWrite(fixture: Fixture, { kind, method, key, body, condition }: FamilyWrite): Request {
  const { headers, when } = conditionsOf(condition, findPrimary(fixture.state, key))
  const judge = method === 'PUT' ? replaceFamily : mergeFamily
  return {
    kind,
    method,
    url: pathOf(key),
    body,
    headers,
    family: key,
    expected: now => judge(now, { key, body, ...when }),
  }
}

/** Sends a request. If it succeeds and `twice` is set, sends it again, which must be a no-op. */
export function* sent(fixture: Fixture, request: Request, twice: boolean): Steps {
  const { status } = yield request
  if (status >= 400) return
  if (request.family) fixture.sent.push(request)
  if (twice) yield { ...request, kind: `${request.kind} again`, unchanged: true }
}

/** Reverses every list of a body. */
export const reversed = (body: Json): Json =>
  Array.isArray(body)
    ? body.map(reversed).reverse()
    : body && typeof body === 'object'
      ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name, reversed(value)]))
      : body
