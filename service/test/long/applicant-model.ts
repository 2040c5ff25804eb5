// Reference model of the Applicant API: operations as functions from one state to the next. Where the API leaves a
// behaviour unspecified, `may` lists the acceptable errors.
import { matchDependents } from './model-dependents.ts'
import {
  BAD,
  bodyErrors,
  FIXED,
  IN_USE,
  isId,
  lacksRequiredFields,
  NO_APPLICANT,
  NO_DEPENDENT,
  OF_ANOTHER,
  repeated,
  UNKNOWN,
  unknownItems,
} from './model-errors.ts'
import type { Mode } from './model-items.ts'
import {
  assign,
  changeOf,
  dependentsOf,
  emptyState,
  findDependent,
  findPrimary,
  holderOf,
  type Json,
  type Key,
  type Person,
  type State,
} from './model-state.ts'
import {
  add,
  type Conditions,
  condition,
  type Draft,
  dependentAt,
  draft,
  rejected,
  save,
  type Verdict,
  verdict,
  written,
} from './model-verdict.ts'

export function create(before: State, { body }: { body: Json }): Verdict {
  const d = draft(before)
  const make = (one: Json, primaryId: string | null) => {
    add(d.must, bodyErrors(one, { role: primaryId ? 'dependent' : 'primary', whole: true, ids: false }))
    const content = written(d, { mode: 'replace', known: undefined, body: one })
    return save(d.next, { id: assign(d.next), primaryId, ...content }).id
  }
  const primary = make(body.primaryApplicant, null)
  const family = [primary, ...(body.dependents ?? []).map((one: Json) => make(one, primary))]
  const numbers = [body.primaryApplicant, ...(body.dependents ?? [])].map(one => one.employeeNumber)
  if (repeated(numbers)) d.must.add(BAD)
  return verdict(d, { status: 201, family: primary, tagged: primary }, family)
}

export type ToFamily = { key: Key; body: Json } & Conditions

/** In a path by number, the body must have the same employee number or none. */
function primaryBody(d: Draft, key: Key, body: Json, mode: Mode): Json {
  if ('id' in key) return body
  const { employeeNumber, ...rest } = body
  if (employeeNumber && employeeNumber !== key.number) d.must.add(BAD)
  // The API does not specify whether a merge by number may contain an empty number. It never removes the number.
  else if (mode === 'merge' && 'employeeNumber' in body && !employeeNumber) add(d.may, [BAD, FIXED])
  return { ...rest, employeeNumber: key.number }
}

const unchangedBy = (mode: Mode) => (known: Person, body: Json) => {
  const content = written(draft(emptyState()), { mode, known, body })
  return changeOf(known, { ...known, ...content }) === 'none'
}

export function replaceFamily(before: State, { key, body, ...when }: ToFamily): Verdict {
  const d = draft(before)
  const { dependents } = body
  const current = findPrimary(before, key)
  condition(d, when, current)
  const wanted = primaryBody(d, key, body.primaryApplicant, 'replace')
  add(d.must, bodyErrors(wanted, { role: 'primary', whole: true }))
  if ('id' in key) {
    if (!isId(key.id)) d.must.add(BAD)
    if (wanted.applicantId && wanted.applicantId !== key.id) d.must.add(BAD)
    if (!current && before.people.has(key.id)) d.must.add(OF_ANOTHER)
  } else {
    if (current && wanted.applicantId && wanted.applicantId !== current.id) d.must.add(BAD)
    if (!current && holderOf(before, key.number)) d.must.add(IN_USE)
    if (!current && wanted.applicantId && before.people.has(wanted.applicantId)) d.must.add(OF_ANOTHER)
  }
  for (const one of dependents ?? []) add(d.must, bodyErrors(one, { role: 'dependent', whole: true }))
  for (const number of [wanted.employeeNumber, current?.fields['employeeNumber']])
    if (repeated([number, ...(dependents ?? []).map((one: Json) => one.employeeNumber)])) d.must.add(BAD)
  if (d.must.has(OF_ANOTHER)) return rejected(d)
  const id = current?.id ?? ('id' in key ? key.id : wanted.applicantId || assign(d.next))
  save(d.next, {
    id,
    primaryId: null,
    ...written(d, { mode: 'replace', known: current, body: wanted }),
  })

  const matched = matchDependents(before, {
    primaryId: id,
    inputs: dependents ?? [],
    mode: 'replace',
    isUnchanged: unchangedBy('replace'),
  })
  const claimed: string[] = [id]
  for (const [index, one] of (dependents ?? []).entries()) {
    const known = matched[index]
    if (known && known.primaryId !== id) d.must.add(OF_ANOTHER)
    const dependentId = known?.id ?? (one.applicantId || assign(d.next))
    if (claimed.includes(dependentId)) d.must.add(BAD)
    if (dependentId === id) d.may.add(OF_ANOTHER)
    claimed.push(dependentId)
    if (dependentId === id || d.must.has(OF_ANOTHER)) continue
    save(d.next, {
      id: dependentId,
      primaryId: id,
      ...written(d, { mode: 'replace', known, body: one }),
    })
  }
  if (dependents)
    for (const one of dependentsOf(before, id)) if (!claimed.includes(one.id)) save(d.next, one, true)
  const family = [id, ...dependentsOf(d.next, id).map(one => one.id)]
  return verdict(d, { status: current ? 200 : 201, family: id, tagged: id }, family)
}

export function mergeFamily(before: State, { key, body, ...when }: ToFamily): Verdict {
  const d = draft(before)
  const { dependents = [] } = body
  const current = findPrimary(before, key)
  condition(d, when, current)
  const wanted = primaryBody(d, key, body.primaryApplicant ?? {}, 'merge')
  add(d.must, bodyErrors(wanted, { role: 'primary', whole: false }))
  for (const one of dependents) add(d.must, bodyErrors(one, { role: 'dependent', whole: false }))
  if ('id' in key && wanted.applicantId && wanted.applicantId !== key.id) d.must.add(BAD)
  if (!current) {
    d.must.add(NO_APPLICANT)
    return rejected(d)
  }
  const { id } = current
  if (wanted.applicantId && wanted.applicantId !== id) d.must.add(BAD)
  if (unknownItems(current, wanted)) d.must.add(UNKNOWN)
  const primary = save(d.next, {
    id,
    primaryId: null,
    ...written(d, { mode: 'merge', known: current, body: wanted }),
  })
  if (lacksRequiredFields(primary, 'primary')) d.must.add(BAD)
  for (const number of [wanted.employeeNumber, primary.fields['employeeNumber']])
    if (repeated([number, ...dependents.map((one: Json) => one.employeeNumber)])) d.must.add(BAD)

  const matched = matchDependents(before, {
    primaryId: id,
    inputs: dependents,
    mode: 'merge',
    isUnchanged: unchangedBy('merge'),
  })
  const claimed: string[] = [id]
  for (const [index, one] of dependents.entries()) {
    const known = matched[index]
    if (known?.primaryId === null) {
      add(d.must, [OF_ANOTHER, IN_USE])
      continue
    }
    // The API does not specify whether a merge can restore an archived dependent of another primary applicant.
    if (known?.archived && known.primaryId !== id) add(d.may, [OF_ANOTHER, NO_DEPENDENT, UNKNOWN])
    if (unknownItems(known, one)) d.must.add(UNKNOWN)
    const content = written(d, { mode: 'merge', known, body: one })
    if (lacksRequiredFields(content, 'dependent')) d.must.add(BAD)
    const dependentId = known?.id ?? (one.applicantId || assign(d.next))
    if (claimed.includes(dependentId)) d.must.add(BAD)
    claimed.push(dependentId)
    save(d.next, { id: dependentId, primaryId: id, ...content })
  }
  const family = [id, ...dependentsOf(d.next, id).map(one => one.id)]
  return verdict(d, { status: 200, family: id, tagged: id }, family)
}

export function createDependent(before: State, { id, body }: { id: string; body: Json }): Verdict {
  const d = draft(before)
  add(d.must, bodyErrors(body, { role: 'dependent', whole: true, ids: false }))
  if (!findPrimary(before, { id })) {
    d.must.add(NO_APPLICANT)
    return rejected(d)
  }
  const content = written(d, { mode: 'replace', known: undefined, body })
  const made = save(d.next, { id: assign(d.next), primaryId: id, ...content })
  return verdict(d, { status: 201, record: made.id, tagged: made.id }, [made.id])
}

export type ToDependent = { number: string; dependent: string; body: Json; mode: Mode } & Conditions

export function writeDependent(
  before: State,
  { number, dependent, body, mode, ...when }: ToDependent,
): Verdict {
  const d = draft(before)
  add(d.must, bodyErrors(body, { role: 'dependent', whole: mode === 'replace' }))
  const current = dependentAt(d, number, dependent)
  if (!current) return rejected(d)
  condition(d, when, current)
  if (body.applicantId && body.applicantId !== current.id) d.must.add(BAD)
  if (mode === 'merge' && unknownItems(current, body)) d.must.add(UNKNOWN)
  const after = save(d.next, { ...current, ...written(d, { mode, known: current, body }) })
  // If the path addresses the dependent by number, a different number in the body may also be reported as a bad request.
  if (d.must.has(FIXED) && current.id !== dependent) d.must.add(BAD)
  if (lacksRequiredFields(after, 'dependent')) d.must.add(BAD)
  return verdict(d, { status: 200, record: current.id, tagged: current.id }, [])
}

export function read(before: State, what: { key: Key; dependents?: boolean; dependent?: string }): Verdict {
  const { key, dependents, dependent } = what
  const d = draft(before)
  const primary = findPrimary(before, key)
  if (dependent !== undefined) {
    const found = primary && findDependent(before, primary.id, dependent)
    if (!primary) d.must.add(NO_APPLICANT)
    if (!found) d.must.add(NO_DEPENDENT)
    // Only paths by employee number are specified to accept the number of the dependent.
    if ('id' in key && found?.id !== dependent) d.may.add(NO_DEPENDENT)
    return found ? verdict(d, { status: 200, record: found.id, tagged: found.id }, []) : rejected(d)
  }
  if (!primary) {
    d.must.add(NO_APPLICANT)
    return rejected(d)
  }
  const list = dependentsOf(before, primary.id).map(({ id }) => id)
  return verdict(
    d,
    dependents ? { status: 200, list } : { status: 200, record: primary.id, tagged: primary.id },
    [],
  )
}
