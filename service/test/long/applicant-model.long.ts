import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { noBrokenRule } from '../applicant-races.ts'
import { createTestApp, type TestApp } from '../harness.ts'
import {
  dependentsOf,
  emptyState,
  FIELDS,
  isAssigned,
  type Json,
  LISTS,
  membersOf,
  type Person,
  type State,
  type Success,
  type Verdict,
} from './applicant-model.ts'
import { putBackOf, type Request, requestOf, sequence, sweepOf, type World } from './applicant-operations.ts'
import { progress } from './progress.ts'

const sequences = Number(process.env['LONG_SEQUENCES'])
const seed = Number(process.env['LONG_SEED'])
/** So many sequences are under way at once, each on numbers and ids of its own. */
const SIDE_BY_SIDE = 8
const LONGEST = 30

const NEW_ID = /^[A-Za-z0-9_-]{23}=$/
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const NAMES = ['applicantId', ...FIELDS, ...Object.keys(LISTS), 'createdAt', 'updatedAt'].sort()
/** Codes and dates that are empty read as null; whether other text does, too, is left open. */
const EXACT = new Set([
  'employeeNumber',
  'status',
  'gender',
  'maritalStatus',
  'countryOfBirth',
  'addressCountry',
  'country',
  'dateOfBirth',
  'hireDate',
  'issueDate',
  'expiryDate',
  'relationship',
  'remindAboutRenewal',
])

const same = (name: string, expected: Json, actual: Json) =>
  expected === actual ||
  (!EXACT.has(name) && (expected || null) === (actual || null) && expected !== 0 && actual !== 0)

const sameId = (expected: Json, actual: Json) =>
  isAssigned(expected) ? NEW_ID.test(actual) : expected === actual

/** Where the record is not what the model says. */
function differences({ id, fields, lists }: Person, actual: Json): string[] {
  const found: string[] = []
  const differ = (place: string, expected: Json, got: Json) =>
    found.push(`${place}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
  if (!sameId(id, actual?.applicantId)) differ('applicantId', id, actual?.applicantId)
  const names = Object.keys(actual ?? {}).sort()
  if (names.join() !== NAMES.join()) differ('members', NAMES.join(), names.join())
  if (found.length > 0) return found
  for (const field of FIELDS)
    if (!same(field, fields[field], actual[field])) differ(field, fields[field], actual[field])
  for (const [list, rule] of Object.entries(LISTS)) {
    const items = lists[list] ?? []
    if (items.length !== actual[list].length) differ(`${list}.length`, items, actual[list])
    for (const [index, item] of items.entries()) {
      const got = actual[list][index] ?? {}
      if (!sameId(item[rule.id], got[rule.id])) differ(`${list}/${index}/${rule.id}`, item, got)
      for (const member of membersOf(rule))
        if (!same(member, item[member], got[member])) differ(`${list}/${index}/${member}`, item, got)
    }
  }
  for (const moment of ['createdAt', 'updatedAt'])
    if (!MOMENT.test(actual[moment])) differ(moment, 'a moment', actual[moment])
  return found
}

/** Puts the ids that the service has assigned in the place of those that the model made up. */
function learn(state: State, id: string, actual: Json): string {
  const renamed = [...state.people.values()].map((person): [string, Person] => {
    if (person.id !== id)
      return [person.id, person.primaryId === id ? { ...person, primaryId: actual.applicantId } : person]
    const lists = Object.fromEntries(
      Object.entries(LISTS).map(([list, rule]) => [
        list,
        (person.lists[list] ?? []).map((item, at) => ({ ...item, [rule.id]: actual[list][at][rule.id] })),
      ]),
    )
    return [actual.applicantId, { ...person, id: actual.applicantId, lists }]
  })
  state.people = new Map(renamed)
  return actual.applicantId
}

interface Answer {
  status: number
  etag: string | undefined
  location: string | undefined
  body: Json
}

/** The state after this success, or what speaks against it. */
function accepted({ next, ...success }: Success, { status, etag, location, body }: Answer): State | string[] {
  const state: State = { ...next, people: new Map(next.people) }
  if (status !== success.status) return [`expected ${success.status}`]
  const personOf = (id: string) => state.people.get(id) as Person
  const problems: string[] = []
  let tagged = success.tagged
  const take = (id: string, actual: Json) => {
    const found = differences(personOf(id), actual)
    problems.push(...found)
    if (found.length > 0) return
    const known = learn(state, id, actual)
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
  if (success.list) takeAll(success.list, body)
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

/** The state that the answer leads to; throws where the model does not allow it. */
function judge(before: State, { must, may, successes }: Verdict, answer: Answer): State {
  const allowed = [...must, ...may]
  if (answer.status >= 400) {
    const problem = `${answer.status} ${answer.body?.code}`
    if (allowed.includes(problem)) return before
    throw new Error(`not one of [${allowed.join(', ')}]${must.size > 0 ? '' : ' or success'}`)
  }
  if (must.size > 0) throw new Error(`should have been one of [${allowed.join(', ')}]`)
  const outcomes = successes.map(success => accepted(success, answer))
  const state = outcomes.find(outcome => !Array.isArray(outcome))
  if (!state) throw new Error(outcomes.map(outcome => (outcome as string[]).join('\n')).join('\nor\n'))
  return state as State
}

let addresses = 0

async function send(
  { app, client, token }: TestApp,
  { method, url, body, headers }: Request,
): Promise<Answer> {
  addresses += 1
  const response = await app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${await token()}`, 'x-api-key': client.apiKey, ...headers },
    // Failed identity checks are counted by address; here each comes from another one.
    remoteAddress: `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
    ...(body !== undefined && { payload: body }),
  })
  return {
    status: response.statusCode,
    etag: response.headers.etag as string | undefined,
    location: response.headers.location as string | undefined,
    body: response.body ? response.json() : undefined,
  }
}

const counts = new Map<string, number>()
let requests = 0
let prefixes = 0

const contents = ({ people }: State) =>
  JSON.stringify([...people.values()].map(({ etag: _, outdated: __, ...rest }) => rest))

async function play(app: TestApp, operations: Json[]): Promise<void> {
  prefixes += 1
  const world: World = { state: emptyState(), prefix: `S${prefixes}` }
  const step = async (request: Request, kind: string): Promise<Answer> => {
    const answer = await send(app, request)
    requests += 1
    const outcome = `${kind} ${answer.status}`
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    try {
      world.state = judge(world.state, request.expected(world.state), answer)
    } catch (error) {
      const { method, url, body, headers } = request
      throw new Error(
        `${method} ${url} ${JSON.stringify(headers ?? {})} ${JSON.stringify(body)}\nanswered ${JSON.stringify(answer)}\n${(error as Error).message}`,
      )
    }
    return answer
  }
  for (const one of operations) {
    if (one.kind === 'putBack') {
      const { reads, write } = putBackOf(world, one)
      const [primary, dependents] = [
        await step(reads[0] as Request, 'read'),
        await step(reads[1] as Request, 'readDependents'),
      ]
      if (primary.status !== 200) continue
      const before = contents(world.state)
      const answer = await step(
        write({ primaryApplicant: primary.body, dependents: dependents.body }),
        'putBack',
      )
      assert.equal(answer.status, 200)
      assert.equal(contents(world.state), before)
      continue
    }
    const request = requestOf(world, one)
    const answer = await step(request, one.kind)
    if (!request.twice || answer.status !== 200) continue
    const before = contents(world.state)
    const again = await step(request, `${one.kind} again`)
    if (again.status === 200) assert.equal(contents(world.state), before)
  }
  for (const request of sweepOf(world)) await step(request, 'sweep')
  await noBrokenRule(app, world.prefix)
  const orphans = await app.db.sql`
    select a.applicant_id from applicants a join applicants p on p.applicant_id = a.primary_id
    where a.applicant_id = any(${[...world.state.people.keys()]}) and a.archived_at is null
      and (p.archived_at is not null or p.primary_id is not null)`
  assert.deepEqual([...orphans], [])
}

describe(`random sequences of operations against a model, seed ${seed}`, () => {
  it(`${sequences} sequences of up to ${LONGEST} operations`, async () => {
    const app = await createTestApp()
    const tell = progress(`sequences (seed ${seed})`, sequences)
    let done = 0
    let failed: unknown
    const property = fc.asyncProperty(sequence(LONGEST), async operations => {
      if (failed) return
      await play(app, operations)
      done += 1
      tell(done, `, ${requests} requests`)
    })
    const share = (index: number) => Math.floor((sequences + index) / SIDE_BY_SIDE)
    await Promise.all(
      Array.from({ length: SIDE_BY_SIDE }, (_, index) =>
        fc.assert(property, { numRuns: share(index), seed: seed + index }).catch(error => {
          failed ??= error
        }),
      ),
    )
    if (failed) throw failed
    for (const [outcome, count] of [...counts].sort())
      process.stderr.write(`${String(count).padStart(8)}  ${outcome}\n`)
  })
})
