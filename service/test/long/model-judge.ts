// Compares a response with what the model allows, and records the ids, ETags and times that the service assigned.
import {
  dependentsOf,
  FIELDS,
  isAssigned,
  type Json,
  LIST_NAMES,
  LISTS,
  type Person,
  returnedValue,
  ruleOf,
  type State,
} from './model-state.ts'
import type { Success, Verdict } from './model-verdict.ts'

export interface Response {
  status: number
  etag: string | undefined
  location: string | undefined
  body: Json
}

const NEW_ID = /^[A-Za-z0-9_-]{23}=$/
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const NAMES = ['applicantId', ...FIELDS, ...LIST_NAMES, 'createdAt', 'updatedAt'].sort()

const same = (name: string, stored: Json, actual: Json) => returnedValue(name, stored) === actual

const sameId = (expected: Json, actual: Json) =>
  isAssigned(expected) ? NEW_ID.test(actual) : expected === actual

function timeDifferences({ createdAt, updatedAt, changedAfter }: Person, actual: Json): string[] {
  const found: string[] = []
  for (const moment of ['createdAt', 'updatedAt'])
    if (!MOMENT.test(actual[moment])) found.push(`${moment}: ${actual[moment]} is not a time`)
  if (createdAt && actual.createdAt !== createdAt)
    found.push(`createdAt: was ${createdAt}, is ${actual.createdAt}`)
  if (updatedAt && actual.updatedAt !== updatedAt)
    found.push(`updatedAt: was ${updatedAt} and nothing has changed, but is ${actual.updatedAt}`)
  if (!updatedAt && changedAfter && actual.updatedAt <= changedAfter)
    found.push(`updatedAt: is still ${actual.updatedAt} after a change`)
  return found
}

/** Differences between a record and the model. */
export function differences(person: Person, actual: Json): string[] {
  const { id, fields, lists } = person
  const found: string[] = []
  const differ = (place: string, expected: Json, got: Json) =>
    found.push(`${place}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
  if (!sameId(id, actual?.applicantId)) differ('applicantId', id, actual?.applicantId)
  const names = Object.keys(actual ?? {}).sort()
  if (names.join() !== NAMES.join()) differ('members', NAMES.join(), names.join())
  if (found.length > 0) return found
  for (const field of FIELDS)
    if (!same(field, fields[field], actual[field])) differ(field, fields[field], actual[field])
  for (const [list, { id: itemId, members }] of Object.entries(LISTS)) {
    const items = lists[list] ?? []
    if (items.length !== actual[list].length) differ(`${list}.length`, items, actual[list])
    for (const [index, item] of items.entries()) {
      const got = actual[list][index] ?? {}
      if (!sameId(item[itemId], got[itemId])) differ(`${list}/${index}/${itemId}`, item, got)
      for (const member of members)
        if (!same(member, item[member], got[member])) differ(`${list}/${index}/${member}`, item, got)
    }
  }
  return [...found, ...timeDifferences(person, actual)]
}

/** Pairs of an id in the model and the corresponding id in the response. */
const idsOf = ({ id, lists }: Person, actual: Json): [Json, Json][] => [
  [id, actual.applicantId],
  ...LIST_NAMES.flatMap(list =>
    (lists[list] ?? []).map((item, at): [Json, Json] => [
      item[ruleOf(list).id],
      actual[list][at][ruleOf(list).id],
    ]),
  ),
]

/** Ids that should be new but were returned before. */
const reused = ({ seen }: State, pairs: [Json, Json][]): string[] =>
  pairs
    .filter(([expected, actual]) => isAssigned(expected) && seen.has(actual))
    .map(([expected, actual]) => `${expected} should be new, but is ${actual}`)

/** Replaces placeholders of the model by the ids and times that the service assigned. */
function adoptAssigned(state: State, id: string, actual: Json): string {
  for (const [, known] of idsOf(state.people.get(id) as Person, actual)) state.seen.add(known)
  const renamed = [...state.people.values()].map((person): [string, Person] => {
    if (person.id !== id)
      return [person.id, person.primaryId === id ? { ...person, primaryId: actual.applicantId } : person]
    const lists = Object.fromEntries(
      LIST_NAMES.map(list => [
        list,
        (person.lists[list] ?? []).map((item, at) => ({
          ...item,
          [ruleOf(list).id]: actual[list][at][ruleOf(list).id],
        })),
      ]),
    )
    const { applicantId, createdAt, updatedAt } = actual
    return [applicantId, { ...person, id: applicantId, lists, createdAt, updatedAt }]
  })
  state.people = new Map(renamed)
  return actual.applicantId
}

/** Returns the state after this success, or the problems found. */
function accepted(
  { next, ...success }: Success,
  { status, etag, location, body }: Response,
): State | string[] {
  const state: State = { ...next, people: new Map(next.people), seen: new Set(next.seen) }
  if (status !== success.status) return [`expected ${success.status}`]
  const personOf = (id: string) => state.people.get(id) as Person
  const problems: string[] = []
  let tagged = success.tagged
  const take = (id: string, actual: Json) => {
    const found = differences(personOf(id), actual)
    if (found.length === 0) found.push(...reused(state, idsOf(personOf(id), actual)))
    problems.push(...found)
    if (found.length > 0) return
    const known = adoptAssigned(state, id, actual)
    if (id === tagged) tagged = known
  }
  const takeAll = (ids: string[], actuals: Json[]) => {
    if (ids.length !== actuals.length)
      problems.push(`expected ${ids.length} dependents, got ${actuals.length}`)
    const left = [...actuals]
    for (const id of ids.toSorted((a, b) => Number(isAssigned(a)) - Number(isAssigned(b)))) {
      const fits = left.findIndex(one => differences(personOf(id), one).length === 0)
      const byId = left.find(one => one.applicantId === id)
      if (fits === -1) problems.push(`dependent ${id}`, ...differences(personOf(id), byId ?? left[0]))
      else take(id, left.splice(fits, 1)[0])
    }
  }
  if (success.record) take(success.record, body)
  if (success.list) {
    takeAll(success.list, body)
    const { list } = success
    // Order of creation. It also decides which of several candidates a body matches first.
    if (problems.length === 0 && body.some((one: Json, at: number) => !sameId(list[at], one.applicantId)))
      problems.push(`expected the order ${list.join()}`)
  }
  if (success.family) {
    const ids = dependentsOf(state, success.family).map(({ id }) => id)
    take(success.family, body.primaryApplicant)
    takeAll(ids, body.dependents)
  }
  if (success.change) {
    const { id, from, to, documents } = success.change
    const expected = {
      applicantId: id,
      previousEmployeeNumber: from,
      employeeNumber: to,
      casesUpdated: 0,
      documentsUpdated: documents,
    }
    if (JSON.stringify(body) !== JSON.stringify(expected))
      problems.push(`expected ${JSON.stringify(expected)}`)
  }
  if (
    status === 201 &&
    !location?.endsWith(encodeURIComponent(body.applicantId ?? body.primaryApplicant?.applicantId))
  )
    problems.push(`location is ${location}`)
  const person = tagged && state.people.get(tagged)
  if (person) {
    if (!etag) problems.push('no entity tag')
    else if (person.etag && person.etag !== etag)
      problems.push(`entity tag was ${person.etag} and nothing has changed, but is ${etag}`)
    else if (!person.etag && person.outdated.includes(etag))
      problems.push(`entity tag is still ${etag} after a change`)
    state.people.set(person.id, { ...person, etag })
  }
  return problems.length > 0 ? problems : state
}

function judgeBy(before: State, { must, may, success }: Verdict, response: Response): State | string {
  const allowed = [...must, ...may]
  if (response.status >= 400) {
    if (allowed.includes(`${response.status} ${response.body?.code}`)) return before
    return `not one of [${allowed.join(', ')}]${must.size > 0 ? '' : ' or success'}`
  }
  if (must.size > 0 || !success) return `should have been one of [${allowed.join(', ')}]`
  const outcome = accepted(success, response)
  return Array.isArray(outcome) ? outcome.join('\n') : outcome
}

/** Returns the state after the response. Throws if the model does not allow the response. */
export function judge(before: State, expected: (state: State) => Verdict, response: Response): State {
  const outcome = judgeBy(before, expected(before), response)
  if (typeof outcome === 'string') throw new Error(outcome)
  return outcome
}
