// Races: concurrent writers of one record, one number or one dependent. Whatever the order, the outcome must be one that
// the same writes could have had one after another, and no writer gets an error because of a deadlock.
import assert from 'node:assert/strict'
import type { TestApp } from '../support/harness.ts'

const WRITERS = 32

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a response.
type Body = any
type Response = Awaited<ReturnType<TestApp['call']>>

export interface Race {
  /** What must hold, as a claim. */
  claim: string
  /** One round on numbers and ids that begin with this prefix. */
  round(fixture: Fixture): Promise<void>
}

interface Fixture {
  app: TestApp
  prefix: string
  put(path: string, body: object): Promise<Response>
  patch(path: string, body: object): Promise<Response>
  post(path: string, body: object): Promise<Response>
  read(path: string): Promise<Response>
}

/** Runs a race `rounds` times; `tick` is called after each round. */
export async function runRace(
  app: TestApp,
  { race, rounds, tick }: { race: Race; rounds: number; tick?: (round: number) => void },
): Promise<void> {
  const call = (method: 'GET' | 'PUT' | 'PATCH' | 'POST') => async (path: string, body?: object) => {
    const response = await app.call({
      method,
      url: `/v2/applicant${path}`,
      headers: { 'x-api-key': app.client.apiKey },
      ...(body && { body }),
    })
    assert.ok(response.status < 500, `${method} ${path}: ${response.status} ${response.text}`)
    return response
  }
  const calls = { put: call('PUT'), patch: call('PATCH'), post: call('POST'), read: call('GET') }
  for (let round = 1; round <= rounds; round++) {
    const prefix = `R${races.indexOf(race)}-${round}`
    await race.round({ app, prefix, ...calls })
    await expectInvariants(app, prefix)
    tick?.(round)
  }
}

const writers = <T>(work: (writer: number) => Promise<T>, count = WRITERS) =>
  Promise.all(Array.from({ length: count }, (_, writer) => work(writer)))

/** A complete record with the mark of its writer in every part. */
const person = (mark: string | number, more: object = {}) => ({
  firstName: `First ${mark}`,
  lastName: `Last ${mark}`,
  jobTitle: `Job ${mark}`,
  dateOfBirth: '1990-05-31T00:00:00',
  metaData: [
    { tagName: 'writer', value: `${mark}` },
    { tagName: `tag ${mark}`, value: 'x' },
  ],
  documents: [{ name: `Document ${mark}`, expiryReminder: 30 }],
  ...more,
})

const dependent = (mark: string | number, more: object = {}) =>
  person(mark, { relationship: 'Child', ...more })

const identity = (mark: string | number) => ({
  firstName: `First ${mark}`,
  lastName: `Last ${mark}`,
  dateOfBirth: '1990-05-31',
})

function expectStatuses(responses: Response[], expected: Record<string, number>): void {
  const counts: Record<string, number> = {}
  for (const { status, body } of responses) {
    const kind = status < 400 ? `${status}` : `${status} ${body.code}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  assert.deepEqual(counts, expected)
}

const byId = (dependents: Body[]) => dependents.toSorted((a, b) => (a.applicantId < b.applicantId ? -1 : 1))

/** The stored family equals the response to one of the writers as a whole, and holds what that writer sent. */
async function expectOneOf(
  { read }: Fixture,
  { path, responses, marks }: { path: string; responses: Response[]; marks: string[] },
) {
  const primaryApplicant = (await read(path)).body
  const dependents = byId((await read(`${path}/dependents`)).body)
  const writer = responses.findIndex(
    ({ body }) => body.primaryApplicant?.jobTitle === primaryApplicant.jobTitle,
  )
  const written = responses[writer]?.body
  assert.deepEqual({ primaryApplicant, dependents }, { ...written, dependents: byId(written.dependents) })
  const mark = marks[writer]
  for (const record of [primaryApplicant, ...dependents]) {
    assert.equal(record.firstName, `First ${mark}`)
    assert.equal(record.lastName, `Last ${mark}`)
    assert.deepEqual(
      record.metaData.map(({ tagName, value }: Body) => `${tagName}=${value}`),
      [`writer=${mark}`, `tag ${mark}=x`],
    )
    assert.deepEqual(
      record.documents.map(({ name }: Body) => name),
      [`Document ${mark}`],
    )
  }
  return { writer, dependents }
}

/** Checks the invariants of the tables directly in the database. */
export async function expectInvariants({ db }: TestApp, prefix: string): Promise<void> {
  const broken = await db.sql`
    select 'two owners' as rule, employee_number as number from applicants
    where archived_at is null and employee_number like ${`${prefix}-%`}
    group by employee_number having count(*) > 1
    union all
    select 'retired and in use', r.employee_number from retired_employee_numbers r
    join applicants a on a.employee_number = r.employee_number and a.archived_at is null
    where r.employee_number like ${`${prefix}-%`}
    union all
    select 'number beside the record', a.employee_number from applicants a
    where a.archived_at is null and a.employee_number like ${`${prefix}-%`}
      and a.record->>'employeeNumber' is distinct from a.employee_number
    union all
    select 'dependent without primary', a.employee_number from applicants a
    join applicants p on p.applicant_id = a.primary_id
    where a.archived_at is null and a.employee_number like ${`${prefix}-%`}
      and (p.archived_at is not null or p.primary_id is not null)`
  assert.deepEqual([...broken], [])
}

/** A deadlock is retried, so that no client sees it, but it costs a second (deadlock_timeout): the lock order is broken. */
export async function expectNoDeadlocks({ db }: TestApp): Promise<void> {
  const [row] = await db.sql<{ deadlocks: string }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  assert.equal(row?.deadlocks, '0')
}

const made = (response: Response): Body => {
  assert.ok(response.status < 300, response.text)
  return response.body
}

export const races: Race[] = [
  {
    claim: 'concurrent PUTs by one new number create one record, equal to one of the requests',
    async round(fixture) {
      const path = `/employeenumber/${fixture.prefix}-E`
      const responses = await writers(writer => fixture.put(path, { primaryApplicant: person(writer) }))
      expectStatuses(responses, { 200: WRITERS - 1, 201: 1 })
      await expectOneOf(fixture, { path, responses, marks: responses.map((_, writer) => `${writer}`) })
    },
  },
  {
    claim: 'concurrent PUTs by one new number with the same ids and numbers create one family',
    async round(fixture) {
      const { prefix } = fixture
      const path = `/employeenumber/${prefix}-E`
      const responses = await writers(writer =>
        fixture.put(path, {
          primaryApplicant: person(writer, { applicantId: `${prefix}-primary` }),
          dependents: [
            dependent(writer, { applicantId: `${prefix}-child` }),
            dependent(writer, { employeeNumber: `${prefix}-E2` }),
            dependent(writer),
          ],
        }),
      )
      expectStatuses(responses, { 200: WRITERS - 1, 201: 1 })
      const marks = responses.map((_, writer) => `${writer}`)
      const { dependents } = await expectOneOf(fixture, { path, responses, marks })
      assert.equal(dependents.length, 3)
    },
  },
  {
    claim: 'concurrent PUTs by one new id create one family',
    async round(fixture) {
      const { prefix } = fixture
      const path = `/${prefix}-primary`
      const responses = await writers(writer =>
        fixture.put(path, {
          primaryApplicant: person(writer, { employeeNumber: `${prefix}-E` }),
          dependents: [dependent(writer, { employeeNumber: `${prefix}-E2` }), dependent(writer)],
        }),
      )
      expectStatuses(responses, { 200: WRITERS - 1, 201: 1 })
      await expectOneOf(fixture, { path, responses, marks: responses.map((_, writer) => `${writer}`) })
    },
  },
  {
    claim: 'concurrent PUTs of one family with different dependents leave the dependents of one request',
    async round(fixture) {
      const { prefix } = fixture
      const family = made(
        await fixture.post('', {
          primaryApplicant: person('start', { employeeNumber: `${prefix}-E` }),
          dependents: [1, 2, 3].map(child => dependent('start', { employeeNumber: `${prefix}-C${child}` })),
        }),
      )
      const byId = `/${family.primaryApplicant.applicantId}`
      const byNumber = `/employeenumber/${prefix}-E`
      const responses = await writers(writer => {
        const known = family.dependents
          .filter((_: Body, child: number) => (writer >> child) & 1)
          .map(({ applicantId, employeeNumber }: Body) =>
            dependent(writer, writer & 8 ? { applicantId, employeeNumber } : { employeeNumber }),
          )
        const fresh = writer % 3 === 0 ? [dependent(writer), dependent(writer)] : []
        return fixture.put(writer % 2 ? byId : byNumber, {
          primaryApplicant: person(writer, { employeeNumber: `${prefix}-E` }),
          dependents: [...known, ...fresh],
        })
      })
      expectStatuses(responses, { 200: WRITERS })
      const marks = responses.map((_, writer) => `${writer}`)
      const { writer, dependents } = await expectOneOf(fixture, { path: byId, responses, marks })
      const bits = (writer & 1) + ((writer >> 1) & 1) + ((writer >> 2) & 1)
      assert.equal(dependents.length, bits + (writer % 3 === 0 ? 2 : 0))
    },
  },
  {
    claim: 'concurrent POSTs with one number create one record, and the rejected ones leave nothing behind',
    async round({ app, prefix, post }) {
      const responses = await writers(writer =>
        post('', {
          primaryApplicant: person(writer, { employeeNumber: `${prefix}-E` }),
          dependents: [dependent(writer, { cityOfBirth: prefix })],
        }),
      )
      expectStatuses(responses, { 201: 1, '409 employee-number-in-use': WRITERS - 1 })
      const left = await app.db.sql`
        select from applicants where record->>'cityOfBirth' = ${prefix} and created_at >= now() - interval '1 year'`
      assert.equal(left.length, 1)
    },
  },
  {
    claim: 'concurrent POSTs of dependents with one number create one dependent',
    async round({ prefix, post, read }) {
      const family = made(await post('', { primaryApplicant: person('start') }))
      const path = `/${family.primaryApplicant.applicantId}/dependent`
      const responses = await writers(writer =>
        post(path, dependent(writer, { employeeNumber: `${prefix}-${writer % 2}` })),
      )
      expectStatuses(responses, { 201: 2, '409 employee-number-in-use': WRITERS - 2 })
      assert.equal((await read(`${path}s`)).body.length, 2)
    },
  },
  {
    claim: 'concurrent changes to one number: one applicant gets it, the others keep theirs',
    async round({ prefix, post, put, read }) {
      const people = 8
      const numbers = Array.from({ length: people }, (_, at) => `${prefix}-${at}`)
      const ids = await Promise.all(
        numbers.map(
          async employeeNumber =>
            made(await post('', { primaryApplicant: person(employeeNumber, { employeeNumber }) }))
              .primaryApplicant.applicantId,
        ),
      )
      const responses = await writers(writer => {
        const from = numbers[writer % people] ?? ''
        return post(`/employeenumber/${from}/${prefix}-new`, identity(from))
      })
      const winners = responses.filter(({ status }) => status === 200)
      assert.equal(winners.length, 1)
      const winner = ids.indexOf(winners[0]?.body.applicantId)
      for (const [writer, { status, body }] of responses.entries()) {
        if (status === 200) continue
        const expected =
          writer % people === winner
            ? ['applicant-not-found', 'employee-number-in-use']
            : ['employee-number-in-use']
        assert.ok(expected.includes(body.code), body.code)
      }
      for (const [at, number] of numbers.entries()) {
        const found = await read(`/employeenumber/${number}`)
        if (at === winner) {
          assert.equal(found.status, 404)
          const claimed = await put(`/employeenumber/${number}`, { primaryApplicant: person('late') })
          assert.equal(claimed.body.code, 'employee-number-retired')
        } else assert.equal(found.body.applicantId, ids[at])
      }
      assert.equal((await read(`/employeenumber/${prefix}-new`)).body.applicantId, ids[winner])
    },
  },
  {
    claim:
      'concurrent changes around a ring of numbers, and to numbers that are being released, leave one owner each',
    async round({ app, prefix, post, put, read }) {
      const people = 4
      const number = (at: number) => `${prefix}-${at % people}`
      const ids: string[] = []
      for (let at = 0; at < people; at++)
        ids.push(
          made(await post('', { primaryApplicant: person(at, { employeeNumber: number(at) }) }))
            .primaryApplicant.applicantId,
        )
      await writers(async writer => {
        const at = writer % people
        if (writer < people * 2) return post(`/employeenumber/${number(at)}/${number(at + 1)}`, identity(at))
        if (writer < people * 4)
          return put(`/${ids[at]}`, { primaryApplicant: person(at, { employeeNumber: number(at + 1) }) })
        // Releases a number; then the next person takes it.
        await post(`/employeenumber/${number(at)}/${prefix}-out-${writer}`, identity(at))
        return post(`/employeenumber/${number(at + 1)}/${number(at)}`, identity((at + 1) % people))
      })
      const rows = await app.db.sql<{ id: string; number: string }[]>`
        select applicant_id as id, employee_number as number from applicants
        where applicant_id = any(${ids}) and archived_at is null and employee_number is not null`
      assert.equal(rows.length, people)
      for (const row of rows)
        assert.equal((await read(`/employeenumber/${row.number}`)).body.applicantId, row.id)
    },
  },
  {
    claim: 'numbers assigned to dependents concurrently are all different',
    async round({ prefix, post }) {
      const family = made(
        await post('', {
          primaryApplicant: person('start', { employeeNumber: `${prefix}-E` }),
          dependents: Array.from({ length: 16 }, (_, child) => dependent(child)),
        }),
      )
      const [assigned, claimed] = await Promise.all([
        writers(
          writer =>
            post(`/employeenumber/${prefix}-E/dependents/${family.dependents[writer].applicantId}`, {
              firstName: `First ${writer}`,
              dateOfBirth: '1990-05-31',
            }),
          16,
        ),
        // Other clients take the same numbers that are being assigned.
        writers(
          writer =>
            post('', {
              primaryApplicant: person('claim', { employeeNumber: `${prefix}-E-D${writer + 1}` }),
            }),
          16,
        ),
      ])
      expectStatuses(assigned, { 200: 16 })
      assert.ok(claimed.every(({ status }) => status === 201 || status === 409))
      assert.equal(new Set(assigned.map(({ body }) => body.employeeNumber)).size, 16)
    },
  },
  {
    claim: 'concurrent merges that move one dependent leave it with exactly one primary applicant',
    async round({ prefix, post, patch, read }) {
      const [one, other] = await Promise.all(
        ['A', 'B'].map(async name =>
          made(
            await post('', {
              primaryApplicant: person(name, { employeeNumber: `${prefix}-${name}` }),
              dependents: [1, 2].map(child =>
                dependent(child, { employeeNumber: `${prefix}-${name}${child}` }),
              ),
            }),
          ),
        ),
      )
      const children = [...one.dependents, ...other.dependents]
      const responses = await writers(writer => {
        const target = writer % 2 ? one : other
        const wanted = writer % 3 ? children : children.toReversed()
        return patch(
          writer % 5
            ? `/${target.primaryApplicant.applicantId}`
            : `/employeenumber/${target.primaryApplicant.employeeNumber}`,
          {
            primaryApplicant: { jobTitle: `Job ${writer}` },
            dependents: wanted.map(({ applicantId, employeeNumber }: Body) =>
              writer % 7
                ? { applicantId, middleName: `by ${writer}` }
                : { employeeNumber, middleName: `by ${writer}` },
            ),
          },
        )
      })
      expectStatuses(responses, { 200: WRITERS })
      const lists = await Promise.all(
        [one, other].map(
          async family => (await read(`/${family.primaryApplicant.applicantId}/dependents`)).body,
        ),
      )
      // Every merge takes all four, so they all belong to the last merge, and have its mark.
      assert.deepEqual(lists.map(list => list.length).toSorted(), [0, 4])
      assert.equal(new Set(lists.flat().map(({ middleName }: Body) => middleName)).size, 1)
    },
  },
  {
    claim: 'concurrent merges of one new dependent into several applicants create it once',
    async round({ prefix, post, patch, read }) {
      const families: Body[] = await writers(
        async at => made(await post('', { primaryApplicant: person(at) })),
        4,
      )
      const responses = await writers(writer =>
        patch(`/${families[writer % 4].primaryApplicant.applicantId}`, {
          dependents: [
            dependent(
              writer,
              writer % 3
                ? { employeeNumber: `${prefix}-C` }
                : { applicantId: `${prefix}-child`, employeeNumber: `${prefix}-C2` },
            ),
          ],
        }),
      )
      expectStatuses(responses, { 200: WRITERS })
      const lists = await Promise.all(
        families.map(
          async ({ primaryApplicant }) => (await read(`/${primaryApplicant.applicantId}/dependents`)).body,
        ),
      )
      assert.equal(lists.flat().length, 2)
    },
  },
  {
    claim: 'concurrent merges of different parts of one record lose nothing',
    async round({ post, patch, read }) {
      const { primaryApplicant } = made(await post('', { primaryApplicant: person('start') }))
      const responses = await writers(writer =>
        patch(`/${primaryApplicant.applicantId}`, {
          primaryApplicant: {
            metaData: [{ tagName: `of ${writer}`, value: 'x' }],
            documents: [{ name: `of ${writer}` }],
          },
        }),
      )
      expectStatuses(responses, { 200: WRITERS })
      const { metaData, documents } = (await read(`/${primaryApplicant.applicantId}`)).body
      assert.equal(metaData.length, WRITERS + 2)
      assert.equal(documents.length, WRITERS + 1)
    },
  },
  {
    claim: 'concurrent POSTs of families with the same numbers in different order create one family',
    async round({ prefix, post, read }) {
      const numbers = ['a', 'b', 'c', 'd'].map(letter => `${prefix}-${letter}`)
      const responses = await writers(writer => {
        const [first, ...rest] = numbers.map((_, at) => numbers[(at * (writer % 2 ? 1 : 3) + writer) % 4])
        return post('', {
          primaryApplicant: person(writer, { employeeNumber: first }),
          dependents: rest.map(employeeNumber => dependent(writer, { employeeNumber })),
        })
      })
      expectStatuses(responses, { 201: 1, '409 employee-number-in-use': WRITERS - 1 })
      const found = await Promise.all(numbers.map(number => read(`/employeenumber/${number}`)))
      assert.equal(found.filter(({ status }) => status === 200).length, 1)
    },
  },
]
