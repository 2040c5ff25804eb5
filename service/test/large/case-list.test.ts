// The operators' list of cases: compared with a model, query plans in a large table, the dates that triggers keep, and search
// keys of an earlier release.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { createCaseKeyRefresh } from '../../src/cases/case-keys.worker.ts'
import { type CaseQuery, createCaseList, daysOf } from '../../src/cases/case-list.service.ts'
import { runAs } from '../../src/db/caller.ts'
import type { Sql } from '../../src/db/database.ts'
import type { PageRequest } from '../../src/db/keyset.ts'
import { limitByCaller } from '../../src/db/limited-access.ts'
import type { ListPosition } from '../../src/db/ordered-list.ts'
import { createTestApp, createTestDatabase, silent, testClock } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const small = await createTestDatabase()
const large = await createTestDatabase()
const app = await createTestApp()

const TODAY = '2026-03-10'
const clock = testClock(new Date(`${TODAY}T12:00:00Z`))
const COMPANIES = ['company-a', 'company-b', 'company-c']
const companies = { findId: async (text: string) => (COMPANIES.includes(text) ? text : undefined) }
const listOf = (sql: Sql) => createCaseList({ sql, clock, companies })
const nobody = {}

async function insertCompaniesAndUsers(sql: Sql): Promise<void> {
  await sql`
    insert into companies (company_id, name, name_key, created_at, updated_at)
    select id, id, id, now(), now() from unnest(${COMPANIES}::text[]) as id`
  await sql`
    insert into users (user_id, email, email_key, name, roles, created_at, updated_at)
    select 'user-' || n, 'u' || n, 'u' || n, 'User ' || n, '{viewer}', now(), now() from generate_series(1, 3) as n`
}

interface Row {
  first: string
  last: string
  status: string
  type: string
  country: string | null
  vip: boolean
  assignee: string | null
  due: string | null
  updated: string
  companies: string[]
}

async function insertCases(sql: Sql, rows: (Row & { id: number })[]): Promise<void> {
  const json = JSON.stringify(rows)
  await sql`
    insert into applicants (applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, created_at,
      updated_at)
    select 'person-' || id, 'E-' || id, '{}', '', '', array['n:e-' || id], now(), now()
    from json_to_recordset(${json}::text::json) as r (id integer)`
  await sql`
    insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
      applicant, name_key, name_key_reversed, keys_version, assignee_id, due_date, created_at, updated_at)
    select 'case-' || id, 'person-' || id, status, companies->>0, companies->>1, companies->>2,
      json_build_object('caseType', type, 'hostCountry', country), json_build_object('Vip', vip, 'firstName', first),
      last || first, first || last, 1, assignee, due, updated, updated
    from json_to_recordset(${json}::text::json) as r (id integer, first text, last text, status text, type text,
      country text, vip boolean, assignee text, due date, updated timestamptz, companies json)
    order by id`
}

describe('the list of cases, compared with a model', () => {
  const day = fc.constantFrom(
    '2026-03-01',
    '2026-03-09',
    '2026-03-10',
    '2026-03-17',
    '2026-03-18',
    '2026-04-09',
  )
  const company = fc.constantFrom(...COMPANIES)
  const row = fc.record({
    first: fc.constantFrom('a', 'b'),
    last: fc.constantFrom('a', 'ab', 'c'),
    status: fc.constantFrom('open', 'pending', 'closed'),
    type: fc.constantFrom('Visa', 'Permit'),
    country: fc.constantFrom(null, 'DE', 'deu', 'FR'),
    vip: fc.boolean(),
    assignee: fc.constantFrom(null, 'user-1', 'user-2'),
    due: fc.option(day),
    updated: fc.constantFrom(
      '2026-03-01T00:00:00.000Z',
      '2026-03-02T10:00:00.123Z',
      '2026-03-03T00:00:00.000Z',
    ),
    companies: fc.tuple(company, company, company),
  })
  const query = fc.record(
    {
      q: fc.constantFrom('a', 'ab', 'c', 'a c', 'ab b', 'E-1', 'e-2', 'case-1', 'nobody'),
      status: fc.constantFrom('open', 'pending', 'closed', 'open,pending'),
      caseType: fc.constantFrom('visa', ' PERMIT', 'other'),
      hostCountry: fc.constantFrom('DE', 'DEU', 'fr', 'XX'),
      company: fc.constantFrom(...COMPANIES, 'nowhere'),
      assignee: fc.constantFrom('none', 'me', 'user-1', 'user-9'),
      vip: fc.boolean(),
      due: fc.constantFrom('overdue', '7', '30'),
      updatedSince: fc.constantFrom('2026-03-02', '2026-03-02T10:00:00.123Z', '2026-03-04'),
      sort: fc
        .tuple(fc.constantFrom('', '-'), fc.constantFrom('dueDate', 'updatedAt', 'createdAt', 'name'))
        .map(([sign, name]) => sign + name),
    },
    { requiredKeys: [] },
  )

  type Known = Row & { id: number }
  const due = ({ status, due: date }: Known) => (status === 'closed' ? null : date)
  const country = (code: string | null) => code?.toUpperCase().replace('DEU', 'DE') ?? null

  function matches(one: Known, asked: CaseQuery): boolean {
    const { q, status, caseType, hostCountry, company: named, assignee, vip, due: when, updatedSince } = asked
    const next = due(one)
    const days = when === undefined ? undefined : daysOf(when, TODAY)
    const isDue =
      days === undefined ||
      (next !== null && next < days.until && (days.since === undefined || next >= days.since))
    return (
      (q === undefined ||
        (one.last + one.first).startsWith(q.replace(' ', '')) ||
        (one.first + one.last).startsWith(q.replace(' ', '')) ||
        (one.last + one.first).startsWith(q.split(' ').toReversed().join('')) ||
        q.toLowerCase() === `e-${one.id}` ||
        q === `case-${one.id}`) &&
      (status === undefined || status.split(',').includes(one.status)) &&
      (caseType === undefined || caseType.trim().toLowerCase() === one.type.toLowerCase()) &&
      (hostCountry === undefined || country(hostCountry) === country(one.country)) &&
      (named === undefined || one.companies.includes(named)) &&
      (assignee === undefined ||
        one.assignee === (assignee === 'none' ? null : assignee === 'me' ? 'user-2' : assignee)) &&
      (vip === undefined || one.vip === vip) &&
      isDue &&
      (updatedSince === undefined || Date.parse(one.updated) >= Date.parse(updatedSince))
    )
  }

  function compare(a: Known, b: Known, sort: string): number {
    const keyOf = (one: Known) =>
      sort.endsWith('dueDate')
        ? (due(one) ?? '9999')
        : sort.endsWith('name')
          ? one.last + one.first
          : one.updated
    const order = keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : a.id - b.id
    return sort.startsWith('-') ? -order : order
  }

  it('returns every matching case once, in order, in both directions, for all callers', async () => {
    const gated = limitByCaller(small)
    await insertCompaniesAndUsers(small.sql)
    const rowsOf = fc.array(row, { maxLength: 14 })
    const callers = fc.constantFrom<string[] | null>(null, ['company-a'], ['company-b', 'company-c'], [])
    await fc.assert(
      fc.asyncProperty(
        rowsOf,
        query,
        callers,
        fc.integer({ min: 1, max: 4 }),
        async (made, asked, caller, size) => {
          await small.sql`truncate applicants, cases cascade`
          const known = made.map((one, at) => ({ ...one, id: at + 1 }))
          await insertCases(small.sql, known)
          const expected = known
            .filter(one => matches(one, asked))
            .filter(one => caller === null || one.companies.some(id => caller.includes(id)))
            .toSorted((a, b) =>
              compare(a, b, asked.sort ?? (asked.updatedSince === undefined ? 'dueDate' : 'updatedAt')),
            )
            .map(({ id }) => `case-${id}`)
          const read = (page: PageRequest<ListPosition>) =>
            runAs(caller, () => listOf(gated.sql).list(asked, { user: { userId: 'user-2' } }, page))
          const walk = async (way: 'next' | 'prev', start: PageRequest<ListPosition>) => {
            const pages = [await read(start)]
            for (let limit = size; ; limit = 1 + (limit % 4)) {
              const position = pages.at(-1)?.[way]
              if (!position) return pages
              const place = JSON.parse(JSON.stringify(position))
              pages.push(await read({ limit, [way === 'next' ? 'after' : 'before']: place }))
              assert.ok(pages.length < 50, 'The walk does not end.')
            }
          }
          const idsOf = (pages: { records: { caseId: string }[] }[]) =>
            pages.flatMap(({ records }) => records.map(({ caseId }) => caseId))
          const forwards = await walk('next', { limit: size })
          assert.deepEqual(idsOf(forwards), expected)
          for (const { total } of forwards) assert.equal(total, expected.length)
          const last = forwards.at(-1)
          if (!last?.prev) return
          const backwards = await walk('prev', { limit: size, before: last.prev })
          assert.deepEqual(
            idsOf(backwards.toReversed()),
            expected.slice(0, expected.length - last.records.length),
          )
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('the plan of a page of cases', () => {
  const COUNT = 24_000

  before(async () => {
    const { sql } = large
    await insertCompaniesAndUsers(sql)
    await sql`
      insert into applicants (applicant_id, employee_number, record, name_key, name_key_reversed, search_keys,
        created_at, updated_at)
      select 'person-' || n, 'E-' || n, '{}', '', '', array['n:e-' || n], now(), now()
      from generate_series(1, ${COUNT}) as n`
    // Company B has few of the cases, user 1 and VIPs too; half of the cases are closed, the older half.
    await sql`
      insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
        applicant, name_key, name_key_reversed, keys_version, assignee_id, due_date, created_at, updated_at)
      select 'case-' || n, 'person-' || n,
        case when n <= ${COUNT / 2} then 'closed' when n % 50 = 0 then 'pending' else 'open' end, c, c, c,
        json_build_object('caseType', 'Type ' || n % 3, 'hostCountry', (array['DE', 'FR', 'US'])[1 + n % 3],
          'text', repeat('x', 300)),
        json_build_object('Vip', n % 400 = 0), 'family' || n % 7 || 'x' || n, 'given' || n % 5 || 'x' || n, 1,
        case when n % 500 = 0 then 'user-1' when n % 3 = 0 then 'user-2' end,
        case when n % 4 < 3 then ${TODAY}::text::date + (n * 7919 % 400) - 200 end,
        ${TODAY}::text::timestamptz - ${COUNT} * interval '1 minute' + n * interval '1 minute',
        ${TODAY}::text::timestamptz - ${COUNT} * interval '1 minute' + n * interval '1 minute'
      from (
        select n, case when n % 800 = 0 then 'company-b' else 'company-a' end as c
        from generate_series(1, ${COUNT}) as n
      ) r`
    // None of them has a due date: triggers would only look for one.
    await sql`alter table case_steps disable trigger user`
    await sql`
      insert into case_steps (step_id, case_id, sequence, name, status, company_set_id, created_at, updated_at)
      select 'step-' || s || case_id, case_id, s, 'Step', 'notStarted', company_set_id, now(), now()
      from cases, generate_series(1, 3) as s`
    await sql`alter table case_steps enable trigger user`
    await sql`vacuum analyze`
  })

  const sorts = ['dueDate', '-dueDate', '-updatedAt', 'createdAt', 'name']
  const filters: Record<string, CaseQuery> = {
    nothing: {},
    open: { status: 'open' },
    'open and pending': { status: 'open,pending' },
    closed: { status: 'closed' },
    'a type': { caseType: 'type 1' },
    'a country': { hostCountry: 'DEU' },
    'a large company': { company: 'company-a' },
    'a small company': { company: 'company-b' },
    'a company and a status': { company: 'company-a', status: 'pending' },
    mine: { assignee: 'me' },
    'mine, overdue': { assignee: 'me', due: 'overdue' },
    'of a busy colleague': { assignee: 'user-2' },
    unassigned: { assignee: 'none' },
    'unassigned, open': { assignee: 'none', status: 'open' },
    VIPs: { vip: true },
    overdue: { due: 'overdue' },
    'due in 7 days': { due: '7' },
    'due in 30 days': { due: '30' },
    'updated lately': { updatedSince: '2026-03-09T23:00:00Z' },
    'a common name': { q: 'family3' },
    'a common first name': { q: 'given3' },
    'a number': { q: 'E-30000' },
    'no match': { q: 'nobody' },
  }

  /** What a page of 50 may read: its cases and their steps; or up to 5,000 rows that are sorted. */
  const MOST_BLOCKS = 5_800
  /** Reads of a small company: hardly more than its 30 cases. */
  const FEW_BLOCKS = 700
  const check = async (sql: Sql, query: CaseQuery, page: PageRequest<ListPosition>, most = MOST_BLOCKS) => {
    const { result, plans } = await planned(sql, recorded =>
      listOf(recorded).list(query, { user: { userId: 'user-1' } }, page),
    )
    assert.ok(plans.length > 0)
    for (const nodes of plans) {
      const plan = JSON.stringify(nodes.map(node => [node['Node Type'], node['Index Name'], blocksOf(node)]))
      for (const node of nodes)
        if (node['Node Type'] === 'Seq Scan')
          assert.ok(['users', 'company_sets'].includes(node['Relation Name'] ?? ''), plan)
      assert.ok(blocksOf(nodes[0] as never) <= most, plan)
    }
    return result
  }

  for (const [title, query] of Object.entries(filters))
    it(`${title}: first, deep and backwards, in every order`, async () => {
      for (const sort of sorts) {
        const asked = { ...query, sort }
        const first = await check(large.sql, asked, { limit: 50 })
        let deep = first.next
        for (let page = 0; page < 5 && deep; page++) {
          const { next } = await listOf(large.sql).list(
            asked,
            { user: { userId: 'user-1' } },
            { limit: 50, after: deep },
          )
          if (!next) break
          deep = next
        }
        if (!deep) continue
        await check(large.sql, asked, { limit: 50, after: deep })
        await check(large.sql, asked, { limit: 50, before: deep })
      }
    })

  for (const [title, query] of Object.entries(filters))
    it(`${title}: a limited caller reads the cases of its company only`, async () => {
      const gated = limitByCaller(large)
      for (const sort of ['dueDate', '-updatedAt', 'createdAt', 'name'])
        await runAs(['company-b'], () =>
          gated.transaction(async tx => {
            const { records } = await check(tx as never, { ...query, sort }, { limit: 20 }, FEW_BLOCKS)
            for (const { hostCompanyId } of records) assert.equal(hostCompanyId, 'company-b')
          }),
        )
    })

  it('counts exactly up to 10,000, and one more where there are more', async () => {
    const { list, counts } = listOf(large.sql)
    assert.equal((await list({}, nobody, { limit: 1 })).total, 10_001)
    assert.equal((await list({ company: 'company-b' }, nobody, { limit: 1 })).total, COUNT / 800)
    assert.equal((await list({ status: 'pending' }, nobody, { limit: 1 })).total, COUNT / 100)
    const { open, pending } = await counts()
    assert.deepEqual([open, pending], [10_001, COUNT / 100])
  })
})

describe('the date on which a case is due next', () => {
  const { sql } = app.db
  const nextDue = async (caseId: string) => {
    const [row] = await sql`select next_due from cases where case_id = ${caseId}`
    return row?.['next_due']
  }

  it('is that of the case or of an unfinished step, whichever is first, until the case is closed', async () => {
    await app.call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Due' } })
    const created = await app.call({
      method: 'POST',
      url: '/v2/case',
      body: {
        caseType: 'Visa',
        hostCompany: 'Due',
        sendingCompany: 'Due',
        billingCompany: 'Due',
        applicant: { firstName: 'Łukasz', lastName: 'O’Brien', Vip: true },
      },
    })
    assert.equal(created.status, 201, created.text)
    const { caseId, steps } = created.body
    const [first, second] = steps
    const at = `/admin/v1/cases/${encodeURIComponent(caseId)}`
    assert.equal(await nextDue(caseId), 'infinity')
    const setDue = async (url: string, dueDate: string) => {
      const { status, text } = await app.call({ method: 'PATCH', url, body: { dueDate } })
      assert.equal(status, 200, text)
    }
    await setDue(at, '2026-05-10')
    assert.equal(await nextDue(caseId), '2026-05-10')
    await setDue(`${at}/steps/${second.stepId}`, '2026-05-01')
    await setDue(`${at}/steps/${first.stepId}`, '2026-04-01')
    assert.equal(await nextDue(caseId), '2026-04-01')
    await app.call({ method: 'PATCH', url: `${at}/steps/${first.stepId}`, body: { status: 'completed' } })
    assert.equal(await nextDue(caseId), '2026-05-01')
    await app.call({ method: 'PATCH', url: `${at}/steps/${second.stepId}`, body: { status: 'waived' } })
    assert.equal(await nextDue(caseId), '2026-05-10')
    await app.call({ method: 'PATCH', url: `${at}/steps/${first.stepId}`, body: { status: 'inProgress' } })
    assert.equal(await nextDue(caseId), '2026-04-01')
    await app.call({ method: 'PATCH', url: at, body: { status: 'closed' } })
    assert.equal(await nextDue(caseId), 'infinity')
    await app.call({ method: 'PATCH', url: at, body: { status: 'open' } })
    assert.equal(await nextDue(caseId), '2026-04-01')
    await sql`delete from case_steps where step_id = ${first.stepId}`
    assert.equal(await nextDue(caseId), '2026-05-10')
  })

  it('decides what GET /admin/v1/cases calls overdue', async () => {
    app.clock.set(new Date('2026-06-01T00:00:00Z'))
    const [{ caseId } = {}] = await sql`select case_id as "caseId" from cases where due_date = '2026-05-10'`
    const { body } = await app.call({ url: '/admin/v1/cases?due=overdue' })
    assert.deepEqual(
      body.records.map((one: { caseId: string; overdue: boolean }) => [one.caseId, one.overdue]),
      [[caseId, true]],
    )
    assert.equal((await app.call({ url: '/admin/v1/overview' })).body.cases.overdue, 1)
    app.clock.set(new Date('2026-05-10T23:59:59Z'))
    assert.deepEqual((await app.call({ url: '/admin/v1/cases?due=overdue' })).body.records, [])
    const [due] = (await app.call({ url: '/admin/v1/cases?due=7' })).body.records
    assert.deepEqual([due.caseId, due.nextDueDate, due.overdue], [caseId, '2026-05-10', false])
    assert.equal((await app.call({ url: '/admin/v1/overview' })).body.cases.dueThisWeek, 1)
  })
})

describe('search keys of cases of an earlier release', () => {
  it('are recomputed in the background, and reads return the case unchanged', async () => {
    const { sql } = app.db
    await sql`update cases set name_key = '', name_key_reversed = '', keys_version = 0`
    const [{ caseId } = {}] = await sql`select case_id as "caseId" from cases`
    const find = async () =>
      (await app.call({ url: '/admin/v1/cases?q=lukasz%20obr' })).body.records.map(
        (one: { caseId: string }) => one.caseId,
      )
    const read = () => app.call({ url: `/v2/case/${encodeURIComponent(String(caseId))}` })
    assert.deepEqual(await find(), [])
    const before = await read()
    await createCaseKeyRefresh({ db: app.db, log: silent }).run()
    assert.deepEqual(await find(), [caseId])
    const after = await read()
    assert.deepEqual([after.body, after.headers['etag']], [before.body, before.headers['etag']])
  })
})
