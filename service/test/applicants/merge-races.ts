// Merges and undos beside writers of both records. Whatever the order: every write that was acknowledged is there, once, in
// one of the records that are left; no client sees an internal error; and an undo gives back exactly what there was.
import assert from 'node:assert/strict'
import type { TestApp } from '../support/harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a response.
type Body = any
type Response = Awaited<ReturnType<TestApp['call']>>

/** What a writer may be told instead of a success: the record was merged, or what the merge made was changed. */
const EXPECTED = new Set([
  'applicant-not-found',
  'dependent-not-found',
  'document-not-found',
  'employee-number-retired',
  'employee-number-in-use',
  'unknown-reference',
  'records-not-mergeable',
  'changed-since-merge',
  'merge-undone',
  'employee-number-fixed',
])

/** A generator of numbers, so that a round can be repeated. */
export function randomOf(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    next,
    below: (count: number) => Math.floor(next() * count),
    chance: (part: number) => next() < part,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
  }
}

type Random = ReturnType<typeof randomOf>

export async function createMergeFixture(app: TestApp) {
  const call = async (method: 'GET' | 'PUT' | 'PATCH' | 'POST', url: string, body?: object) => {
    const response = await app.call({ method, url, ...(body && { body }) })
    assert.ok(response.status < 500, `${method} ${url}: ${response.status} ${response.text}`)
    if (response.status >= 400)
      assert.ok(EXPECTED.has(response.body.code), `${method} ${url}: ${response.text}`)
    return response
  }
  const good = async (...parameters: Parameters<typeof call>): Promise<Body> => {
    const response = await call(...parameters)
    assert.ok(response.status < 300, response.text)
    return response.body
  }
  await good('POST', '/admin/v1/companies', { name: 'Merge races' })

  const caseBody = (applicant: object) => ({
    caseType: 'Visa',
    hostCompany: 'Merge races',
    sendingCompany: 'Merge races',
    billingCompany: 'Merge races',
    applicant: { firstName: 'Anna', lastName: 'Schmidt', ...applicant },
  })
  return { app, call, good, caseBody }
}

type Fixture = Awaited<ReturnType<typeof createMergeFixture>>

const people = (family: Body): Body[] => [family.primaryApplicant, ...family.dependents]

/** A family with a case for some of its people. `mark` is in everything that only it has. */
async function createFamily({ good, caseBody }: Fixture, mark: string, random: Random) {
  const optional = <T>(value: T, part = 0.5) => (random.chance(part) ? value : null)
  const person = (name: string, more: object = {}) => ({
    employeeNumber: `${mark}-${name}`,
    firstName: name,
    lastName: 'Schmidt',
    dateOfBirth: '1990-05-31',
    jobTitle: optional(`Job ${mark}`),
    email: optional(`${mark}-${name}@example.com`.toLowerCase()),
    telephone: optional(random.pick(['1', '2'])),
    metaData: [{ tagName: `${mark} ${name}`, value: 'own' }, ...(random.chance(0.5) ? [{ tagName: 'shared', value: mark }] : [])],
    passports: random.chance(0.7)
      ? [
          { passportNumber: random.chance(0.5) ? 'P 1' : `P ${mark}`, country: random.pick(['DE', 'DEU', '']), expiryDate: optional('2030-01-01') },
        ]
      : [],
    documents: random.chance(0.7)
      ? [
          { name: random.chance(0.5) ? 'Visa' : `Visa ${mark}`, expiryDate: optional('2031-01-01'), remindAboutRenewal: random.chance(0.5) },
          { name: `Card ${mark}`, expiryReminder: 30 },
        ]
      : [],
    ...more,
  }) // biome-ignore format: a table
  const shared = random.chance(0.7)
  const body = await good('POST', '/v2/applicant', {
    primaryApplicant: person('Anna'),
    dependents: [
      // The same child in both families: one of them at most has a number.
      ...(shared
        ? [person('Ben', { relationship: 'Child', employeeNumber: null, dateOfBirth: '2018-09-12' })]
        : []),
      ...(random.chance(0.7) ? [person(`Only${mark}`, { relationship: 'Child' })] : []),
    ],
  })
  const cases: string[] = []
  for (const one of people(body)) {
    if (!one.employeeNumber || random.chance(0.3)) continue
    const { caseId } = await good('POST', '/v2/case', caseBody({ employeeNumber: one.employeeNumber }))
    cases.push(caseId)
    if (random.chance(0.5)) await good('POST', `/admin/v1/cases/${caseId}/notes`, { content: `Note ${mark}` })
  }
  return { id: body.primaryApplicant.applicantId as string, number: `${mark}-Anna`, body, cases }
}

/** Everything that clients read of a person and its family, without what every move changes. */
async function readFamily({ call, app }: Fixture, id: string) {
  const one = await call('GET', `/v2/applicant/${id}`)
  if (one.status !== 200) return undefined
  const { body: dependents } = await call('GET', `/v2/applicant/${id}/dependents`)
  const all = [one.body, ...dependents]
  const of = async (url: (id: string) => string) =>
    Promise.all(all.map(async record => (await call('GET', url(record.applicantId))).body))
  const withoutTimes = (text: Body) =>
    JSON.parse(JSON.stringify(text, (key, value) => (key === 'updatedAt' ? undefined : value)))
  const documents = await app.db.sql`
    select document_id, applicant_id, case_id, removed_at is not null as removed, company_set_id
    from documents where applicant_id = any(${all.map(record => record.applicantId)}) order by document_id` // biome-ignore format: long
  return withoutTimes({
    people: all,
    cases: await of(applicantId => `/v2/cases/applicant/id/${applicantId}`),
    documents: [...documents],
  })
}

/** Merges two families and undoes it: both are as they were. */
export async function roundTrip(fixture: Fixture, { prefix, seed }: { prefix: string; seed: number }) {
  const random = randomOf(seed)
  const { good, call } = fixture
  const target = await createFamily(fixture, `${prefix}t`, random)
  const source = await createFamily(fixture, `${prefix}s`, random)
  const before = [await readFamily(fixture, target.id), await readFamily(fixture, source.id)]
  const choices = Object.fromEntries(
    ['jobTitle', 'email', 'telephone', 'passports', 'documents']
      .filter(() => random.chance(0.3))
      .map(field => [field, random.pick(['target', 'source'])]),
  )
  const request = {
    from: source.id,
    choices,
    ...(random.chance(0.5) && { employeeNumber: random.pick(['target', 'source']) }),
  }
  const path = `/admin/v1/applicants/${target.id}/merge`
  const planned = await good('POST', path, { ...request, dryRun: true })
  assert.deepEqual([await readFamily(fixture, target.id), await readFamily(fixture, source.id)], before)
  const merged = await good('POST', path, request)
  const { mergeId: _none, dryRun: _dry, ...foreseen } = planned
  const { mergeId, dryRun: _wet, ...done } = merged
  const plain = (body: object) =>
    JSON.parse(JSON.stringify(body, (key, value) => (key === 'updatedAt' ? '' : value)))
  assert.deepEqual(plain(done), plain(foreseen))

  const absorbed = await call('GET', `/v2/applicant/${source.id}`)
  assert.equal(absorbed.body.mergedInto, target.id)
  const after = (await readFamily(fixture, target.id)) as Body
  assert.deepEqual(after.people[0], plainly(merged.applicant))
  // Nothing is lost: every case, and every value that one of them had alone.
  const casesNow = after.cases.flat().map(({ caseId }: Body) => caseId)
  const moved = [...target.cases, ...source.cases]
  assert.deepEqual(casesNow.toSorted(), moved.toSorted())
  const tags = after.people[0].metaData.map(({ tagName }: Body) => tagName)
  for (const one of [target, source])
    assert.equal(tags.filter((tag: string) => tag === `${one.number.replace('-', ' ')}`).length, 1)
  await expectMergeInvariants(fixture.app)

  await good('POST', `/admin/v1/merges/${mergeId}/undo`, {})
  assert.deepEqual([await readFamily(fixture, target.id), await readFamily(fixture, source.id)], before)
  await expectMergeInvariants(fixture.app)
}

const plainly = (body: object) =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === 'updatedAt' ? undefined : value)))

interface Acknowledged {
  tags: string[]
  cases: string[]
  notes: string[]
  dependents: string[]
}

/** Writers of both records beside merges in both directions and their undos. */
export async function concurrentRound(fixture: Fixture, { prefix, seed }: { prefix: string; seed: number }) {
  const random = randomOf(seed)
  const { good, call, caseBody, app } = fixture
  const families = [
    await createFamily(fixture, `${prefix}t`, random),
    await createFamily(fixture, `${prefix}s`, random),
  ] as const
  const done: Acknowledged = { tags: [], cases: [], notes: [], dependents: [] }
  const keep = (list: string[], name: string, response: Response) => {
    if (response.status < 300) list.push(name)
  }
  for (const { body, cases } of families) {
    for (const one of people(body)) {
      for (const { tagName } of one.metaData) if (tagName !== 'shared') done.tags.push(tagName)
    }
    done.cases.push(...cases)
  }
  const undo = async (response: Response) => {
    if (response.status === 200) await call('POST', `/admin/v1/merges/${response.body.mergeId}/undo`, {})
  }
  const merge = (at: number) => {
    const [target, source] = at % 2 === 0 ? families : [families[1], families[0]]
    const number = random.chance(0.5) ? { employeeNumber: random.pick(['target', 'source']) } : {}
    return call('POST', `/admin/v1/applicants/${target.id}/merge`, { from: source.id, ...number })
  }
  const work: ((at: number) => Promise<unknown>)[] = [
    at => {
      return merge(at).then(response => (at % 3 === 0 ? undo(response) : undefined))
    },
    async at => {
      const { id, number } = families[at % 2] as (typeof families)[0]
      const tagName = `${prefix} tag ${at}`
      const path = at % 4 < 2 ? `/v2/applicant/${id}` : `/v2/applicant/employeenumber/${number}`
      keep(done.tags, tagName, await call('PATCH', path, { primaryApplicant: { metaData: [{ tagName, value: 'x' }] } }))
    },
    async at => {
      const { number } = families[at % 2] as (typeof families)[0]
      const response = await call('POST', '/v2/case', caseBody({ employeeNumber: number }))
      keep(done.cases, response.body.caseId, response)
    },
    async at => {
      const { id } = families[at % 2] as (typeof families)[0]
      const tagName = `${prefix} child ${at}`
      const response = await call('POST', `/v2/applicant/${id}/dependent`, {
        firstName: `Child ${at}`,
        lastName: 'Schmidt',
        relationship: 'Child',
        metaData: [{ tagName, value: 'x' }],
      })
      keep(done.tags, tagName, response)
      keep(done.dependents, response.body.applicantId, response)
    },
    async at => {
      const caseId = random.pick(families.flatMap(({ cases }) => cases))
      if (!caseId) return
      const response = await call('POST', `/admin/v1/cases/${caseId}/notes`, { content: `Note ${at}` })
      keep(done.notes, response.body.noteId, response)
    },
    async at => {
      const { body } = families[at % 2] as (typeof families)[0]
      const documentId = people(body).flatMap(one => one.documents)[0]?.documentId
      if (documentId) await call('PATCH', `/v2/document/${documentId}/expiry`, { ExpiryDate: `2032-01-${10 + (at % 20)}` })
    },
  ] // biome-ignore format: a table
  // Sometimes only the merge and its undo, sometimes many writers.
  const writers = random.pick([1, 2, 3, 6, 24])
  const first = random.below(work.length)
  const jobs = Array.from(
    { length: writers },
    (_, at) => work[(first + at) % work.length] as (typeof work)[0],
  )
  await Promise.all([work[0], ...jobs].map((job, at) => job?.(at)))
  await expectMergeInvariants(app)
  await expectAcknowledged()
  // What is merged now is undone, if it can be.
  const { records } = await good('GET', `/admin/v1/merges?applicantId=${families[0].id}`)
  for (const { mergeId, undoneAt } of records)
    if (!undoneAt) await call('POST', `/admin/v1/merges/${mergeId}/undo`, {})
  await expectMergeInvariants(app)
  await expectAcknowledged()
  const { records: all } = await good('GET', `/admin/v1/merges?applicantId=${families[0].id}`)
  return { merged: all.length, undone: all.filter(({ undoneAt }: Body) => undoneAt).length }

  async function expectAcknowledged() {
    const ids = families.map(({ id }) => id)
    const rows = await app.db.sql<{ id: string; tags: string[] }[]>`
      select applicant_id as id,
        array(select tag->>'tagName' from json_array_elements(record->'metaData') tag) as tags
      from applicants where (applicant_id = any(${ids}) or primary_id = any(${ids})) and archived_at is null`
    const tags = rows.flatMap(row => row.tags).filter(tag => tag !== 'shared')
    assert.deepEqual(tags.toSorted(), done.tags.toSorted(), `seed ${seed}`)
    const live = rows.map(({ id }) => id)
    const cases = await app.db.sql<{ id: string }[]>`
      select case_id as id from cases where applicant_id = any(${live})`
    assert.deepEqual(cases.map(({ id }) => id).toSorted(), done.cases.toSorted(), `seed ${seed}`)
    const notes = await app.db.sql`select from case_notes where note_id = any(${done.notes})`
    assert.equal(notes.length, done.notes.length)
    for (const id of done.dependents) assert.ok(live.includes(id), `seed ${seed}: dependent ${id}`)
  }
}

/** Rules that hold in every state of the database. */
export async function expectMergeInvariants({ db }: TestApp): Promise<void> {
  const broken = await db.sql`
    select 'absorbed and there' as rule, m.source_id as id from merged_applicants m
    join applicants a on a.applicant_id = m.source_id
    union all
    select 'absorbed by an undone merge', m.source_id from merged_applicants m
    join merges g on g.merge_id = m.merge_id where g.undone_at is not null
    union all
    select 'document apart from its case', d.document_id from documents d
    join cases c on c.case_id = d.case_id where c.applicant_id <> d.applicant_id
    union all
    select 'document of another company', d.document_id from documents d
    join applicants a on a.applicant_id = d.applicant_id
    where d.case_id is null and d.company_set_id is distinct from a.company_set_id
    union all
    select 'retired and in use', r.employee_number from retired_employee_numbers r
    join applicants a on a.employee_number = r.employee_number and a.archived_at is null
    union all
    select 'retired by an undone merge', r.employee_number from retired_employee_numbers r
    join merges g on g.merge_id = r.merge_id where g.undone_at is not null
    union all
    select 'number beside the record', a.employee_number from applicants a
    where a.archived_at is null and a.record->>'employeeNumber' is distinct from a.employee_number
    union all
    select 'item of two people', i.id from (
      select unnest(item_ids) as id from applicants
    ) i group by i.id having count(*) > 1
    union all
    select 'dependent without primary', a.applicant_id from applicants a
    join applicants p on p.applicant_id = a.primary_id where p.primary_id is not null`
  assert.deepEqual([...broken], [])
}
