// Races: many writers at one record, at one number, at one dependent. Whatever the order, the outcome must be one that
// writers who came one after another could have brought about, and no writer may hear of a deadlock.
import assert from 'node:assert/strict'
import type { TestApp } from '../support/harness.ts'

export const WRITERS = 32

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever the service responses.
type Body = any
type Answer = Awaited<ReturnType<TestApp['call']>>

export interface Race {
  /** What must hold, as a claim. */
  claim: string
  /** One round on numbers and ids that begin with this prefix. */
  round(world: World): Promise<void>
}

export interface World {
  app: TestApp
  prefix: string
  put(path: string, body: object): Promise<Answer>
  patch(path: string, body: object): Promise<Answer>
  post(path: string, body: object): Promise<Answer>
  read(path: string): Promise<Answer>
}

/** Runs a race this often; `tick` hears of every round. */
export async function runRace(
  app: TestApp,
  { race, rounds, tick }: { race: Race; rounds: number; tick?: (round: number) => void },
): Promise<void> {
  const call = (method: 'GET' | 'PUT' | 'PATCH' | 'POST') => async (path: string, body?: object) => {
    const answer = await app.call({
      method,
      url: `/v2/applicant${path}`,
      headers: { 'x-api-key': app.client.apiKey },
      ...(body && { body }),
    })
    assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const calls = { put: call('PUT'), patch: call('PATCH'), post: call('POST'), read: call('GET') }
  for (let round = 1; round <= rounds; round++) {
    const prefix = `R${races.indexOf(race)}-${round}`
    await race.round({ app, prefix, ...calls })
    await noBrokenRule(app, prefix)
    tick?.(round)
  }
}

const writers = <T>(work: (writer: number) => Promise<T>, count = WRITERS) =>
  Promise.all(Array.from({ length: count }, (_, writer) => work(writer)))

/** A whole record that tells whose it is in every part. */
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

function expectStatuses(responses: Answer[], expected: Record<string, number>): void {
  const counts: Record<string, number> = {}
  for (const { status, body } of responses) {
    const kind = status < 400 ? `${status}` : `${status} ${body.code}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  assert.deepEqual(counts, expected)
}

const inOrder = (dependents: Body[]) =>
  dependents.toSorted((a, b) => (a.applicantId < b.applicantId ? -1 : 1))

/** What is stored is what one of the writers was told, whole, and that is what this writer had sent. */
async function isOneOf(
  { read }: World,
  { path, responses, marks }: { path: string; responses: Answer[]; marks: string[] },
) {
  const primaryApplicant = (await read(path)).body
  const dependents = inOrder((await read(`${path}/dependents`)).body)
  const writer = responses.findIndex(
    ({ body }) => body.primaryApplicant?.jobTitle === primaryApplicant.jobTitle,
  )
  const told = responses[writer]?.body
  assert.deepEqual({ primaryApplicant, dependents }, { ...told, dependents: inOrder(told.dependents) })
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

/** What the database may never hold, looked at without the service in between. */
export async function noBrokenRule({ db }: TestApp, prefix: string): Promise<void> {
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

const made = (answer: Answer): Body => {
  assert.ok(answer.status < 300, answer.text)
  return answer.body
}

export const races: Race[] = [
  {
    claim: 'puts by one new number make one record, equal to one whole request',
    async round(world) {
      const path = `/employeenumber/${world.prefix}-E`
      const responses = await writers(writer => world.put(path, { primaryApplicant: person(writer) }))
      expectStatuses(responses, { 200: WRITERS - 1, 201: 1 })
      await isOneOf(world, { path, responses, marks: responses.map((_, writer) => `${writer}`) })
    },
  },
  {
    claim: 'puts by one new number with the same ids and numbers in them make one family',
    async round(world) {
      const { prefix } = world
      const path = `/employeenumber/${prefix}-E`
      const responses = await writers(writer =>
        world.put(path, {
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
      const { dependents } = await isOneOf(world, { path, responses, marks })
      assert.equal(dependents.length, 3)
    },
  },
  {
    claim: 'puts by one new id make one family',
    async round(world) {
      const { prefix } = world
      const path = `/${prefix}-primary`
      const responses = await writers(writer =>
        world.put(path, {
          primaryApplicant: person(writer, { employeeNumber: `${prefix}-E` }),
          dependents: [dependent(writer, { employeeNumber: `${prefix}-E2` }), dependent(writer)],
        }),
      )
      expectStatuses(responses, { 200: WRITERS - 1, 201: 1 })
      await isOneOf(world, { path, responses, marks: responses.map((_, writer) => `${writer}`) })
    },
  },
  {
    claim: 'puts of one family with different sets of dependents leave one whole set',
    async round(world) {
      const { prefix } = world
      const family = made(
        await world.post('', {
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
        return world.put(writer % 2 ? byId : byNumber, {
          primaryApplicant: person(writer, { employeeNumber: `${prefix}-E` }),
          dependents: [...known, ...fresh],
        })
      })
      expectStatuses(responses, { 200: WRITERS })
      const marks = responses.map((_, writer) => `${writer}`)
      const { writer, dependents } = await isOneOf(world, { path: byId, responses, marks })
      const bits = (writer & 1) + ((writer >> 1) & 1) + ((writer >> 2) & 1)
      assert.equal(dependents.length, bits + (writer % 3 === 0 ? 2 : 0))
    },
  },
  {
    claim: 'creates with one number: one is made, the others leave nothing behind',
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
    claim: 'dependents created with one number: one is made',
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
    claim: 'changes to one number: one applicant gets it, the others keep theirs',
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
    claim: 'changes around a ring of numbers, and into numbers that are being given up, leave one owner each',
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
        // Out of the way, then the next one follows into the number that has just become free.
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
    claim: 'numbers assigned to dependents side by side are all different',
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
        // Others help themselves to the very numbers that are being assigned.
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
    claim: 'merges that take one dependent from each other leave it under exactly one',
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
      // Every merge took all four, so they are all with whoever merged last, and bear that one's mark.
      assert.deepEqual(lists.map(list => list.length).toSorted(), [0, 4])
      assert.equal(new Set(lists.flat().map(({ middleName }: Body) => middleName)).size, 1)
    },
  },
  {
    claim: 'merges of one new dependent into several applicants make it once',
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
    claim: 'merges of different parts of one record lose nothing',
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
    claim: 'families made side by side with the same numbers crosswise: one of them is made',
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
