// Finding duplicates: what the worker makes of records, dismissals, and the cost of a page in a large list.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createDuplicates } from '../../src/applicants/duplicates.service.ts'
import type { DuplicatePosition } from '../../src/applicants/duplicates.store.ts'
import { createDuplicateFinder, MAX_SHARERS } from '../../src/applicants/duplicates.worker.ts'
import { createMerges } from '../../src/applicants/merges.service.ts'
import type { MergePosition } from '../../src/applicants/merges.store.ts'
import { runAs } from '../../src/db/caller.ts'
import type { Sql } from '../../src/db/database.ts'
import type { PageRequest } from '../../src/db/keyset.ts'
import { limitByCaller } from '../../src/db/limited-access.ts'
import { createTestApp, createTestDatabase, silent } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a response.
type Body = any

const app = await createTestApp()
const finder = createDuplicateFinder({ db: app.appDb, clock: app.clock, log: silent })

async function good(method: 'GET' | 'POST' | 'PATCH' | 'PUT', url: string, body?: object): Promise<Body> {
  const response = await app.call({ method, url, ...(body && { body }) })
  assert.ok(response.status < 300, response.text)
  return response.body
}

/** Until everything that was written is compared, by this finder or by that of the application. */
async function compared(): Promise<void> {
  for (;;) {
    await finder.run()
    const [row] = await app.db.sql<[{ count: number }]>`select count(*)::int as count from duplicate_checks`
    if (row.count === 0) return
  }
}

let count = 0
const create = async (fields: object, dependents: object[] = []): Promise<string[]> => {
  const body = await good('POST', '/v2/applicant', {
    primaryApplicant: { firstName: `First${++count}`, lastName: `Last${count}`, ...fields },
    dependents,
  })
  return [body.primaryApplicant, ...body.dependents].map(({ applicantId }: Body) => applicantId)
}
const pairsOf = async (id: string | undefined): Promise<Body[]> => {
  await compared()
  return (await good('GET', `/admin/v1/duplicates?applicantId=${id}`)).records
}
const others = (pairs: Body[], id: string | undefined) =>
  pairs.map(pair => [
    pair.applicants.map((one: Body) => one.applicantId).find((one: string) => one !== id),
    ...pair.reasons,
  ])

describe('duplicates', () => {
  const ben = { firstName: 'Ben', lastName: 'Twin', dateOfBirth: '2018-09-12' }

  it('are found among records that were created, changed and restored', async () => {
    const passports = [{ passportNumber: 'X-77 1', country: 'DE' }]
    const [a] = await create({ passports, email: 'x771@example.com' })
    const [b] = await create({ passports: [{ passportNumber: 'x771', country: 'DEU' }] })
    assert.deepEqual(others(await pairsOf(a), a), [[b, 'passport']])
    await good('PATCH', `/v2/applicant/${b}`, { primaryApplicant: { alternateEmail: 'X771@example.com' } })
    assert.deepEqual(others(await pairsOf(b), b), [[a, 'passport', 'email']])
    await good('PATCH', `/v2/applicant/${b}`, { primaryApplicant: { passports: null, alternateEmail: null } })
    assert.deepEqual(await pairsOf(a), [])
  })

  it('are no members of one family, unless their name and birth date are the same', async () => {
    const email = 'family@example.com'
    const child = { ...ben, relationship: 'Child' }
    const [primary, first, second] = await create({ email, dateOfBirth: '1980-01-01' }, [
      { ...child, email },
      { ...child, employeeNumber: 'twin-2', email },
    ])
    assert.deepEqual(await pairsOf(primary), [])
    assert.deepEqual(others(await pairsOf(first), first), [[second, 'nameAndBirthDate', 'email']])
    // An archived dependent is no duplicate; one that comes back is.
    await good('PUT', `/v2/applicant/${primary}`, {
      primaryApplicant: { firstName: 'P', lastName: 'Q' },
      dependents: [{ ...child, applicantId: first }],
    })
    assert.deepEqual(await pairsOf(first), [])
    await good('POST', `/admin/v1/applicants/${second}/restore`, {})
    assert.deepEqual(others(await pairsOf(first), first), [[second, 'nameAndBirthDate']])
  })

  it('are not found by a value that very many records have', async () => {
    const email = 'hr-department@example.com'
    const ids: string[] = []
    for (let n = 0; n < MAX_SHARERS; n++) ids.push(...(await create({ email })))
    assert.equal((await pairsOf(ids[0])).length, MAX_SHARERS - 1)
    // One more, and the pairs that were found before are gone too.
    ids.push(...(await create({ email })))
    for (const id of ids) assert.deepEqual(await pairsOf(id), [])
  })

  it('stay dismissed while the records have the same in common', async () => {
    const [a] = await create({ email: 'dismissed@example.com' })
    const [b] = await create({ email: 'dismissed@example.com' })
    assert.equal((await pairsOf(a)).length, 1)
    await good('POST', '/admin/v1/duplicates/dismiss', { applicantIds: [b, a], reason: 'Cousins' })
    assert.deepEqual(await pairsOf(a), [])
    await good('PATCH', `/v2/applicant/${a}`, { primaryApplicant: { jobTitle: 'Boss', telephone: '1' } })
    assert.deepEqual(await pairsOf(a), [])
    // Another address that they share is another reason.
    for (const id of [a, b])
      await good('PATCH', `/v2/applicant/${id}`, { primaryApplicant: { email: 'again@example.com' } })
    assert.equal((await pairsOf(a)).length, 1)
  })

  it('leave the list at once when they are merged, and return with an undo, but not what was dismissed', async () => {
    const email = 'merged@example.com'
    const [a] = await create({ email })
    const [b] = await create({ email })
    const [c] = await create({ email })
    assert.equal((await pairsOf(a)).length, 2)
    await good('POST', '/admin/v1/duplicates/dismiss', { applicantIds: [a, c] })
    const { mergeId } = await good('POST', `/admin/v1/applicants/${b}/merge`, { from: a })
    const { records } = await good('GET', `/admin/v1/duplicates?applicantId=${a}`)
    assert.deepEqual(records, [])
    assert.deepEqual(others(await pairsOf(b), b), [[c, 'email']])
    await good('POST', `/admin/v1/merges/${mergeId}/undo`, {})
    assert.deepEqual(others(await pairsOf(a), a), [[b, 'email']])
  })

  it('are compared a batch at a time while many records are written, and completely afterwards', async () => {
    const db = await createTestDatabase()
    let isPostponed = true
    const postponed = createDuplicateFinder({
      db,
      clock: app.clock,
      log: silent,
      isPostponed: () => isPostponed,
    })
    await db.sql`
      insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, keys_version, created_at,
        updated_at)
      select 'a' || n, json_build_object('applicantId', 'a' || n), '', '', '{}', 1, now(), now()
      from generate_series(1, 1200) as n`
    const left = async () => {
      const [row] = await db.sql<[{ count: number }]>`select count(*)::int as count from duplicate_checks`
      return row.count
    }
    assert.equal(await left(), 1_200)
    await postponed.run()
    assert.equal(await left(), 700)
    isPostponed = false
    await postponed.run()
    assert.equal(await left(), 0)
  })

  it('of records that are written during a run are found by the next one', async () => {
    const db = await createTestDatabase()
    const queue = () => db.sql`insert into duplicate_checks (applicant_id) values ('a')`
    let batches = 0
    const transaction: typeof db.transaction = async work => {
      batches += 1
      const result = await db.transaction(work)
      if (batches < 10) await queue()
      return result
    }
    await queue()
    const finder = createDuplicateFinder({ db: { ...db, transaction }, clock: app.clock, log: silent })
    await finder.run()
    assert.equal(batches, 1)
  })

  it('are found although a batch is interrupted', async () => {
    const [a] = await create({ email: 'interrupted@example.com' })
    await create({ email: 'interrupted@example.com' })
    const broken = createDuplicateFinder({
      db: app.appDb,
      clock: { now: () => { throw new Error('killed') } }, // biome-ignore format: short
      log: silent,
    })
    await broken.run().catch(() => {})
    assert.equal((await pairsOf(a)).length, 1)
  })
})

describe('a page of a large list', async () => {
  const db = await createTestDatabase()
  const gated = limitByCaller(db)
  const PAIRS = 8_000

  before(async () => {
    const { sql } = db
    await sql`
      insert into companies (company_id, name, name_key, created_at, updated_at)
      select 'company-' || letter, letter, lower(letter), now(), now() from unnest(array['A', 'B', 'C']) as letter`
    const companyOf = sql`case when n % 200 = 0 then 'b' else 'a' end`
    for (let from = 1; from <= PAIRS; from += 1_000) {
      const numbers = sql`generate_series(${from}::integer, ${from + 999}::integer) as n`
      await sql`
        insert into applicants (applicant_id, record, company_key, name_key, name_key_reversed, search_keys, keys_version,
          created_at, updated_at)
        select 'applicant-' || n || side, json_build_object('applicantId', 'applicant-' || n || side), ${companyOf},
          'name', 'eman', '{}', 1, now(), now()
        from ${numbers}, unnest(array['x', 'y']) as side`
      await sql`
        insert into duplicate_pairs (first_id, second_id, score, reasons, matched, found_at)
        select 'applicant-' || n || 'x', 'applicant-' || n || 'y', 20 + n % 80, '{email}', '', now() from ${numbers}`
      await sql`
        insert into merges (merge_id, target_id, source_id, state, merged_by, merged_at)
        select 'merge-' || n, 'applicant-' || n || 'x', 'applicant-' || n || 'y', '{"mergedDependents":[]}', 'test',
          now() - n * interval '1 minute'
        from ${numbers}`
    }
    // A vacuum that runs beside an older snapshot, such as that of an autovacuum, leaves pages that an index-only scan has to visit.
    const isVisible = async () =>
      (
        await sql`select from pg_class where relname in ('duplicate_pairs', 'merges') and relallvisible < relpages`
      ).length === 0
    do await sql`vacuum analyze`
    while (!(await isVisible()))
  })

  /** The index that a list is read from, for all callers and for limited ones. */
  const INDEXES: Record<string, [string, string]> = {
    duplicates: ['duplicate_pairs_by_score', 'duplicate_pairs_company_score'],
    'duplicates from a score': ['duplicate_pairs_by_score', 'duplicate_pairs_company_score'],
    merges: ['merges_by_time', 'merges_company_time'],
  }

  type Read = (
    sql: Sql,
    where: PageRequest<never>,
  ) => Promise<{ next: unknown; records: unknown[]; total: number }>
  const LISTS: Record<string, Read> = {
    duplicates: (sql, where) => createDuplicates({ sql }).list({}, where as PageRequest<DuplicatePosition>),
    'duplicates from a score': (sql, where) =>
      createDuplicates({ sql }).list({ minScore: 60 }, where as PageRequest<DuplicatePosition>),
    'duplicates of one record': (sql, where) =>
      createDuplicates({ sql }).list(
        { applicantId: 'applicant-600x' },
        where as PageRequest<DuplicatePosition>,
      ),
    merges: (sql, where) => createMerges({ sql } as never).list({}, where as PageRequest<MergePosition>),
    'merges of one record': (sql, where) =>
      createMerges({ sql } as never).list(
        { applicantId: 'applicant-600y' },
        where as PageRequest<MergePosition>,
      ),
  }

  type Run = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

  /** The first page and a deep one, in both directions, are read from the index of the list. */
  async function expectFlat(read: Read, { run, index }: { run: Run; index: string | undefined }) {
    const walk = async (where: PageRequest<never>) => {
      const { result, plans } = await run(sql => planned(sql, inner => read(inner, where)))
      for (const nodes of plans) {
        const plan = JSON.stringify(
          nodes.map(node => [node['Node Type'], node['Index Name'], blocksOf(node)]),
        )
        const counts = nodes[0]?.['Node Type'] === 'Aggregate'
        assert.ok(blocksOf(nodes[0] as never) <= (counts ? 3_000 : 400), plan)
        if (index) assert.ok(nodes.some(node => node['Index Name'] === index), plan) // biome-ignore format: short
        for (const node of nodes)
          if (/duplicate_pairs|merges/.test(node['Relation Name'] ?? '')) assert.notEqual(node['Node Type'], 'Seq Scan', plan) // biome-ignore format: short
      }
      return result
    }
    const first = await walk({ limit: 20 })
    let { next } = first
    for (let page = 0; next && page < 10; page++)
      ({ next } = await run(sql => read(sql, { limit: 20, after: next } as never)))
    if (next) {
      await walk({ limit: 20, after: next } as never)
      await walk({ limit: 20, before: next } as never)
    }
    assert.ok(first.records.length > 0)
  }

  for (const [name, read] of Object.entries(LISTS)) {
    const [index, limitedIndex] = INDEXES[name] ?? []
    it(`reads little more than its records: ${name}`, () =>
      expectFlat(read, { run: work => work(db.sql), index }))

    it(`reads the rows of the caller's companies only: ${name}`, async () => {
      const asB: Run = work => runAs(['company-B'], () => gated.transaction(async tx => work(tx)))
      await expectFlat(read, { run: asB, index: limitedIndex })
      assert.equal((await runAs(['company-C'], () => read(gated.sql, { limit: 5 }))).records.length, 0)
    })
  }

  it('lists a pair of two companies to callers who see both', async () => {
    await db.sql`
      insert into duplicate_pairs (first_id, second_id, score, reasons, matched, found_at)
      values ('applicant-1x', 'applicant-600y', 100, '{email}', '', now())`
    const top = async (companies: string[] | null) =>
      (await runAs(companies, () => createDuplicates({ sql: gated.sql }).list({}, { limit: 1 }))).records[0]
        ?.score
    assert.equal(await top(null), 100)
    assert.equal(await top(['company-A', 'company-B']), 100)
    for (const companies of [['company-A'], ['company-B']]) assert.ok(Number(await top(companies)) < 100)
    // One of them leaves for a company that the caller does not see.
    await db.sql`update applicants set company_key = 'c' where applicant_id = 'applicant-600y'`
    assert.ok(Number(await top(['company-A', 'company-B'])) < 100)
    assert.equal(await top(['company-A', 'company-B', 'company-C']), 100)
  })

  it('walks through every pair once, in both directions', async () => {
    const list = createDuplicates({ sql: db.sql })
    const seen: string[] = []
    let page = await list.list({ minScore: 95 }, { limit: 300 })
    for (;;) {
      seen.push(...page.records.map(({ firstId, secondId }) => firstId + secondId))
      if (!page.next) break
      page = await list.list({ minScore: 95 }, { limit: 300, after: page.next })
    }
    const back: string[] = []
    for (let prev = page.prev; prev; prev = page.prev) {
      page = await list.list({ minScore: 95 }, { limit: 300, before: prev })
      back.unshift(...page.records.map(({ firstId, secondId }) => firstId + secondId))
    }
    assert.equal(new Set(seen).size, seen.length)
    assert.equal(seen.length, page.total)
    assert.deepEqual(back, seen.slice(0, back.length))
    assert.ok(back.length > seen.length - 301)
  })
})
