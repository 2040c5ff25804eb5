// The search for applicants: query plans in a large table, paging compared with a model, and search keys of an earlier
// release.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { createSearch, type Search } from '../../src/applicants/search.service.ts'
import { lockOldKeys, type SearchPosition } from '../../src/applicants/search.store.ts'
import { KEYS_VERSION, searchKeysOf } from '../../src/applicants/search-keys.ts'
import { createKeyRefresh } from '../../src/applicants/search-keys.worker.ts'
import type { Sql } from '../../src/db/database.ts'
import type { PageRequest } from '../../src/db/keyset.ts'
import { createTestApp, createTestDatabase, silent } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

/** A search changes no number. */
const noReferences = async () => ({ cases: 0, documents: 0 })
/** Filters name companies by their ids. */
const noCompanies = { findId: async (text: string) => text }

const large = await createTestDatabase()
const small = await createTestDatabase()
const app = await createTestApp()

interface Row {
  id: string
  firstName: string
  lastName: string
  email?: string | null
  employeeNumber?: string | null
  archived?: boolean
  nationality?: string | null
  status?: string | null
  company?: string | null
}

const recordOf = ({
  id,
  firstName,
  lastName,
  email = null,
  employeeNumber = null,
  nationality,
  status,
}: Row) => ({
  nationality: nationality ?? null,
  status: status ?? null,
  applicantId: id,
  employeeNumber,
  firstName,
  lastName,
  middleName: null,
  email,
  alternateEmail: null,
  relationship: '',
  dateOfBirth: null,
  passports: [],
})

async function insert(sql: Sql, rows: Row[]): Promise<void> {
  const json = rows.map(row => {
    const record = recordOf(row)
    const { name, nameReversed, keys } = searchKeysOf(record as never)
    return { ...row, number: record.employeeNumber, record, name, reversed: nameReversed, keys }
  })
  await sql`
    insert into applicants (applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, keys_version,
      company_key, created_at, updated_at, archived_at)
    select id, number, record, name, reversed, keys, ${KEYS_VERSION}, company, now(), now(),
      case when archived then now() end
    from json_to_recordset(${JSON.stringify(json)}::text::json)
      as r (id text, number text, record json, name text, reversed text, keys text[], archived boolean, company text)`
}

describe('the plan of a search', () => {
  const COUNT = 30_000
  const db = large
  const nameOf = (n: number) => ({ firstName: `Given${n % 7}`, lastName: `Family${n % 5}x${n}` })

  before(async () => {
    await db.sql`
      insert into companies (company_id, name, name_key, created_at, updated_at)
      values ('large', 'large', 'large', now(), now()), ('small', 'small', 'small', now(), now())`
    for (let from = 0; from < COUNT; from += 5_000)
      await insert(
        db.sql,
        Array.from({ length: 5_000 }, (_, at) => ({
          id: `id-${from + at}`,
          ...nameOf(from + at),
          email: `p${from + at}@example.com`,
          employeeNumber: `E-${from + at}`,
          archived: at % 2 === 0,
          nationality: ['DE', 'deu', 'FR'][at % 3] ?? null,
          status: at % 101 === 0 ? 'X' : 'A',
          company: at % 103 < 2 ? 'small' : 'large',
        })),
      )
    await db.sql`vacuum analyze applicants`
  })

  const searches: Record<string, Search> = {
    'of all': {},
    'by a common last name': { name: 'family3' },
    'by a common first name': { name: 'given3' },
    'by q, a common first name': { q: 'given3' },
    'by q, no match': { q: 'nomatch' },
    'by q, a number': { q: 'e-101' },
    'by e-mail address': { email: 'p101@example.com' },
    'by e-mail address and name': { email: 'p101@example.com', name: 'family' },
    'by number': { employeeNumber: 'E-101' },
    'by nationality': { nationality: 'DE' },
    'by status': { status: 'a' },
    'by a rare status': { status: 'X' },
    'by company': { company: 'large' },
    'by a small company': { company: 'small' },
    'by company and nationality': { company: 'large', nationality: 'FR' },
    'by company and a rare status': { company: 'large', status: 'X' },
    'by company and a common name': { company: 'large', q: 'family3' },
    'by company and a common first name': { company: 'large', q: 'given3' },
  }
  // Archived people are few: their lists have an index by name and company only.
  for (const [title, search] of Object.entries(searches))
    for (const archived of 'status' in search || 'nationality' in search ? [false] : [false, true])
      it(`${title}${archived ? ', archived' : ''}: first, deep and backwards reads little more than its records`, async () => {
        const query = { ...search, archived }
        const walk = async (where: PageRequest<SearchPosition>) => {
          const { result, plans } = await planned(db.sql, sql =>
            createSearch({ sql, companies: noCompanies, touchReferences: noReferences }).list(query, where),
          )
          assert.ok(plans.length > 0)
          for (const nodes of plans) {
            const plan = JSON.stringify(
              nodes.map(node => [node['Node Type'], node['Index Name'], blocksOf(node)]),
            )
            for (const node of nodes) assert.notEqual(node['Node Type'], 'Seq Scan', plan)
            // Counting reads up to 10,001 records of each part; a page does not.
            const counts = nodes[0]?.['Node Type'] === 'Aggregate'
            const most = counts ? 15_000 : 400
            assert.ok(blocksOf(nodes[0] as never) <= most, plan)
          }
          return result
        }
        const first = await walk({ limit: 100 })
        const isOnePage = Object.values(search).some(value => /nomatch|101/.test(value))
        assert.equal(first.next === undefined, isOnePage)
        if (!first.next) return
        let deep: SearchPosition = first.next
        for (let page = 0; page < 10; page++) {
          const { next } = await createSearch({
            sql: db.sql,
            companies: noCompanies,
            touchReferences: noReferences,
          }).list(query, {
            limit: 100,
            after: deep,
          })
          deep = next ?? deep
        }
        await walk({ limit: 100, after: deep })
        await walk({ limit: 100, before: deep })
      })

  it('counts exactly up to 10,000, and one more where there are more', async () => {
    const search = createSearch({ sql: db.sql, companies: noCompanies, touchReferences: noReferences })
    assert.equal((await search.list({}, { limit: 1 })).total, 10_001)
    assert.equal((await search.list({ name: 'family3' }, { limit: 1 })).total, 3_000)
    assert.equal((await search.list({ name: 'family3' }, { limit: 1000 })).total, 3_000)
    assert.equal((await search.list({ q: 'given' }, { limit: 1 })).total, 10_001)
  })
})

describe('paging through a search, compared with a model', () => {
  const letters = fc.constantFrom('a', 'ab', 'b', 'ba', 'Ä', 'å b')
  const rows = fc.array(
    fc.record({
      firstName: letters,
      lastName: letters,
      email: fc.constantFrom(null, 'a', 'x@example.com'),
      archived: fc.boolean(),
      nationality: fc.constantFrom(null, 'DE', 'deu', 'FR'),
      status: fc.constantFrom('A', 'x', null),
      company: fc.constantFrom(null, 'one', 'two'),
    }),
    { maxLength: 14 },
  )
  const search = fc.record(
    {
      q: fc.constantFrom('a', 'ab', 'b', 'x@example.com', 'zz'),
      name: fc.constantFrom('a', 'b', 'aba'),
      email: fc.constantFrom('a', 'x@example.com'),
      archived: fc.boolean(),
      nationality: fc.constantFrom('DE', 'DEU', 'fr', 'XX'),
      status: fc.constantFrom('A', 'X', 'b'),
      company: fc.constantFrom('one', 'two', 'three'),
    },
    { requiredKeys: [] },
  )

  it('returns every record once, in one order, in both directions and with pages of any size', async () => {
    const db = small
    const { list } = createSearch({ sql: db.sql, companies: noCompanies, touchReferences: noReferences })
    await db.sql`
      insert into companies (company_id, name, name_key, created_at, updated_at)
      values ('one', 'one', 'one', now(), now()), ('two', 'two', 'two', now(), now())`
    await fc.assert(
      fc.asyncProperty(rows, search, fc.integer({ min: 1, max: 4 }), async (people, query, limit) => {
        await db.sql`truncate applicants cascade`
        const made = people.map((row, at) => ({ ...row, id: `id-${at}` }))
        await insert(db.sql, made)
        const expected = made.filter(row => {
          const keys = searchKeysOf(recordOf(row) as never)
          const begins = (text: string) => {
            const folded = text.toLowerCase()
            return keys.name.startsWith(folded) || keys.nameReversed.startsWith(folded)
          }
          const { q, name, email, archived = false, nationality, status, company } = query
          const code = (text: string | null | undefined) => text?.toUpperCase().replace('DEU', 'DE')
          return (
            row.archived === archived &&
            (nationality === undefined || code(row.nationality) === code(nationality)) &&
            (status === undefined || row.status?.toUpperCase() === status.toUpperCase()) &&
            (company === undefined || row.company === company) &&
            (q === undefined || begins(q) || row.email === q) &&
            (name === undefined || begins(name)) &&
            (email === undefined || row.email === email)
          )
        })
        const { records: all, next } = await list(query, { limit: 100 })
        assert.equal(next, undefined)
        const order = all.map(({ applicantId }) => applicantId)
        assert.deepEqual(order.toSorted(), expected.map(({ id }) => id).toSorted())

        const walk = async (way: 'next' | 'prev', start: PageRequest<SearchPosition>) => {
          const pages = [await list(query, start)]
          for (let size = limit; ; size = 1 + (size % 4)) {
            const place = pages.at(-1)?.[way]
            if (!place) return pages
            pages.push(await list(query, { limit: size, [way === 'next' ? 'after' : 'before']: place }))
            assert.ok(pages.length < 50, 'The walk does not end.')
          }
        }
        const idsOf = (pages: { records: { applicantId: string }[] }[]) =>
          pages.flatMap(({ records }) => records.map(({ applicantId }) => applicantId))
        const forwards = await walk('next', { limit })
        assert.deepEqual(idsOf(forwards), order)
        for (const { total } of forwards) assert.equal(total, order.length)
        const last = forwards.at(-1)
        if (forwards.length === 1 || !last?.prev) return
        const backwards = await walk('prev', { limit, before: last.prev })
        assert.deepEqual(idsOf(backwards.toReversed()), order.slice(0, order.length - last.records.length))
        for (const page of [...forwards, ...backwards]) assert.ok(page.records.length > 0)
      }),
      { numRuns: 75 },
    )
  })

  it('leads back from a page that has become empty', async () => {
    const db = small
    const { list } = createSearch({ sql: db.sql, companies: noCompanies, touchReferences: noReferences })
    await db.sql`truncate applicants cascade`
    await insert(
      db.sql,
      ['a', 'b', 'c'].map(name => ({ id: `id-${name}`, firstName: name, lastName: name })),
    )
    const first = await list({}, { limit: 2 })
    await db.sql`delete from applicants where applicant_id = 'id-c'`
    const empty = await list({}, { limit: 2, after: first.next as SearchPosition })
    assert.deepEqual([empty.records, empty.next, empty.total], [[], undefined, 2])
    const back = await list({}, { limit: 2, before: empty.prev as SearchPosition })
    assert.deepEqual(back.records, first.records)
    const second = { part: 0, key: 'bb', applicantId: 'id-b', inclusive: false }
    await db.sql`delete from applicants where applicant_id = 'id-a'`
    const begin = await list({}, { limit: 2, before: second })
    assert.deepEqual([begin.records, begin.prev], [[], undefined])
    const on = await list({}, { limit: 2, after: begin.next as SearchPosition })
    assert.deepEqual(
      on.records.map(({ applicantId }) => applicantId),
      ['id-b'],
    )
  })
})

describe('search keys of an earlier release', () => {
  it('are recomputed in the background: the record is found, and reads return it unchanged', async () => {
    const { sql } = app.db
    const create = async (firstName: string, lastName: string) => {
      const body = { primaryApplicant: { firstName, lastName, employeeNumber: `N-${lastName}` } }
      const response = await app.call({ method: 'POST', url: '/v2/applicant', body })
      assert.equal(response.status, 201)
      return response.body.primaryApplicant.applicantId as string
    }
    const one = await create('Łukasz', 'O’Brien')
    const locked = await create('Søren', 'Held')
    // As the previous release wrote them.
    await sql`
      update applicants set name_key = 'o’brien łukasz', name_key_reversed = 'łukasz o’brien', search_keys = '{}',
        keys_version = 0`
    const find = async (query: string) =>
      (await app.call({ url: `/admin/v1/applicants?${query}` })).body.records.map(
        (record: { applicantId: string }) => record.applicantId,
      )
    const read = () => app.call({ url: `/v2/applicant/${one}` })
    assert.deepEqual(await find('q=obrien'), [])
    const before = await read()

    // A row that another transaction has locked is left for the next run, and does not block the others.
    const worker = createKeyRefresh({ db: app.db, log: silent })
    await app.db.transaction(async tx => {
      await tx`select from applicants where applicant_id = ${locked} for update`
      await worker.run()
    })
    for (const query of ['q=obrien', "name=o'brien", 'q=lukasz', 'q=n-o’brien'])
      assert.deepEqual(await find(query), [one], query)
    assert.deepEqual(await find('q=soren'), [])
    await Promise.all([worker.run(), createKeyRefresh({ db: app.db, log: silent }).run()])
    assert.deepEqual(await find('q=soren'), [locked])

    const after = await read()
    assert.equal(after.headers['etag'], before.headers['etag'])
    assert.deepEqual(after.body, before.body)
    const [{ count } = {}] = await sql`select count(*)::int as count from events where type like '%updated%'`
    assert.equal(count, 0)
  })

  it('are recomputed when the service starts, in batches', async () => {
    const db = small
    await db.sql`truncate applicants cascade`
    const people = Array.from({ length: 450 }, (_, n) => ({
      id: `id-${n}`,
      firstName: 'Łukasz',
      lastName: `Wałęsa ${n}`,
    }))
    await insert(db.sql, people)
    await db.sql`update applicants set name_key = 'old', name_key_reversed = 'old', search_keys = '{}', keys_version = 0`
    await createTestApp({ db })
    const { list } = createSearch({ sql: db.sql, companies: noCompanies, touchReferences: noReferences })
    for (let tries = 0; (await list({ q: 'lukasz walesa' }, { limit: 1 })).total < 450; tries++) {
      assert.ok(tries < 200, 'The keys were not recomputed.')
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })

  it('are found with an index that is empty once there are none', async () => {
    const db = small
    await db.sql`truncate applicants cascade`
    const people = Array.from({ length: 2_000 }, (_, n) => ({ id: `id-${n}`, firstName: 'A', lastName: 'B' }))
    await insert(db.sql, people)
    await db.sql`vacuum analyze applicants`
    const { result, plans } = await planned(db.sql, sql =>
      lockOldKeys(sql as never, { after: '', limit: 200 }),
    )
    assert.deepEqual([...result], [])
    const nodes = plans.flat()
    assert.ok(nodes.some(node => node['Index Name'] === 'applicants_old_keys'))
    assert.ok(blocksOf(nodes[0] as never) <= 3)
  })
})
