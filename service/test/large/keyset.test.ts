// Keyset pagination: a page is read from an index without sorting and without reading other records, and following cursors
// agrees with a plain model of the list, whatever its dates, ties and page sizes are.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { listNotes } from '../../src/cases/notes.store.ts'
import { listSteps } from '../../src/cases/steps.store.ts'
import { connect, type Sql } from '../../src/db/database.ts'
import { type Page, type Position, type PositionedRow, pageOf, type Window } from '../../src/db/keyset.ts'
import { type DocumentFilters, listDocuments } from '../../src/documents/documents.store.ts'
import { createTestApp, silent, type TestApp, testConnection } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

type Listing = (sql: Sql, window: Window) => Promise<Page<PositionedRow>>

const large = await createTestApp()
const app = await createTestApp()

/** A case for steps and notes. */
async function createCase({ call }: TestApp): Promise<string> {
  await call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
  const body = {
    caseType: 'Visa',
    hostCompany: 'Acme',
    sendingCompany: 'Acme',
    billingCompany: 'Acme',
    applicant: { firstName: 'Anna', lastName: 'Schmidt' },
  }
  const response = await call({ method: 'POST', url: '/v2/case', body })
  assert.equal(response.status, 201)
  return response.body.caseId
}

describe('the plan of a page', () => {
  const days = { startDate: '2026-01-10', endDate: '2026-09-20' }
  const { sql } = large.db

  before(async () => {
    await createCase(large)
    await sql`
      insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
      select 'applicant-' || n, a.record, a.name_key, a.name_key_reversed, a.search_keys, a.created_at, a.updated_at
      from applicants a, generate_series(1, 4000) n`
    await sql`
      insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
        applicant, created_at, updated_at)
      select 'case-' || n, 'applicant-' || n, c.status, c.host_company_id, c.sending_company_id, c.billing_company_id,
        c.details, c.applicant, c.created_at, c.updated_at
      from cases c, generate_series(1, 4000) n`
    await sql`
      insert into case_steps (step_id, case_id, sequence, name, status, start_date, completion_date, created_at, updated_at)
      select 'step-' || n, 'case-' || 1 + n % 4000, n, 'Step', 'notStarted', at::date,
        case when n % 2 = 0 then at::date + 3 end, at, at + interval '1 hour'
      from generate_series(1, 20000) n, lateral (select timestamptz '2026-01-01Z' + n * interval '20 minutes' as at) d`
    await sql`
      insert into case_notes (note_id, case_id, content, author, visibility, created_at, updated_at)
      select 'note-' || n, 'case-' || 1 + n % 4000, 'Text', 'Me', case when n % 2 = 0 then 'everyone' else 'team' end,
        at, at + interval '1 hour'
      from generate_series(1, 20000) n, lateral (select timestamptz '2026-01-01Z' + n * interval '20 minutes' as at) d`
    // Half of the documents have one person, one case and one country; a few have a rare country. Every third was updated.
    await sql`update applicants set employee_number = 'E-' || applicant_id where applicant_id like 'applicant-%'`
    await sql`
      insert into documents (document_id, applicant_id, case_id, country_code, name, created_at, updated_at)
      select 'document-' || n, 'applicant-' || owner, 'case-' || owner,
        case when n % 5000 = 0 then 'IR' when n % 2 = 0 then 'DE' else 'US' end, 'Permit', at,
        case when n % 3 = 0 then at + interval '300 days' else at end
      from generate_series(1, 40000) n, lateral (select case when n % 2 = 0 then 1 else 2 + n % 3990 end as owner) o,
        lateral (select timestamptz '2026-01-01Z' + n * interval '10 minutes' as at) d`
    await sql`vacuum analyze`
  })

  const lists: [string, Listing, Record<string, string>][] = [
    [
      'case_steps',
      listSteps,
      {
        updated: 'case_steps_updated',
        created: 'case_steps_created',
        started: 'case_steps_started',
        completed: 'case_steps_completed',
      },
    ],
    [
      'case_notes',
      (recorder, window) => listNotes(recorder, window, { isTeam: true }),
      { created: 'case_notes_created', updated: 'case_notes_updated' },
    ],
    [
      'case_notes',
      (recorder, window) => listNotes(recorder, window, { isTeam: false }),
      { created: 'case_notes_everyone_created', updated: 'case_notes_everyone_updated' },
    ],
  ]
  for (const [table, list, indexes] of lists)
    for (const [type, index] of Object.entries(indexes)) {
      const at = type === 'started' || type === 'completed' ? '2026-05-14' : '2026-05-14T10:00:00.000Z'
      const position = { at, seq: 9000 }
      const range = { ...days, type, limit: 100 }
      const windows: Record<string, Window> = {
        first: { ...range, offset: 0 },
        'by offset': { ...range, offset: 50 },
        after: { ...range, after: position },
        before: { ...range, before: position },
      }
      for (const [name, window] of Object.entries(windows))
        it(`of ${table} by ${type}, ${name}, is read from ${index} in order, without other records`, async () => {
          const { result: page, plans } = await planned(sql, recorder => list(recorder, window))
          assert.equal(page.records.length, 100)
          assert.equal(plans.length, 1)
          const nodes = plans.flat()
          const said = JSON.stringify(nodes.map(node => [node['Node Type'], node['Index Name']]))
          assert.ok(!nodes.some(node => node['Node Type'].includes('Sort')), said)
          const readers = nodes.filter(node => node['Relation Name'] === table)
          assert.ok(readers.length > 0, said)
          for (const reader of readers) {
            assert.match(reader['Node Type'], /^Index (Only )?Scan$/, said)
            assert.equal(reader['Index Name'], index, said)
            assert.ok(blocksOf(reader) <= 15, `${blocksOf(reader)} blocks were read: ${said}`)
          }
        })
    }
})

describe('the plan of a page of documents', () => {
  const range = { startDate: '2026-01-10', endDate: '2026-09-20', type: 'updated', limit: 100 }
  const position = { at: '2026-05-14T10:00:00.000Z', seq: 19_000 }
  const windows: Record<string, Window> = {
    first: { ...range, offset: 0 },
    after: { ...range, after: position },
    before: { ...range, before: position },
  }
  const filters: [string, DocumentFilters, string, number][] = [
    // The route passes all parameters of the query.
    ['all people', { ...range } as DocumentFilters, 'documents(_updated)?', 100],
    ['a case with half of all documents', { caseId: 'case-1' }, 'documents_of_case', 100],
    ['a case with few', { caseId: 'case-3' }, 'documents_of_case', 10],
    ['a case that does not exist', { caseId: 'nothing' }, 'documents_of_case', 0],
    ['a person with half of all', { applicantId: 'applicant-1' }, 'documents_of_person', 100],
    ['a person with few', { applicantId: 'applicant-3' }, 'documents_of_person', 10],
    ['a number with half of all', { employeeNumber: 'E-applicant-1' }, 'documents_of_person', 100],
    ['a number with few', { employeeNumber: 'E-applicant-3' }, 'documents_of_person', 10],
    ['a number that does not exist', { employeeNumber: 'missing' }, 'documents_of_person', 0],
    ['a country with many', { countryCode: 'DE' }, 'documents_of_country', 100],
    ['a country with few', { countryCode: 'IR' }, 'documents_of_country', 8],
    ['a country with none', { countryCode: 'CH' }, 'documents_of_country', 0],
    ['a case and a country', { caseId: 'case-3', countryCode: 'US' }, 'documents_of_case', 10],
    [
      'a person, its case and a country',
      { employeeNumber: 'E-applicant-3', caseId: 'case-3', countryCode: 'US' },
      'documents_of_(case|person)',
      10,
    ],
  ]
  for (const [of, filter, index, most] of filters)
    for (const [name, window] of Object.entries(windows))
      it(`of ${of}, ${name}, is read from ${index}, without other records`, async () => {
        const { result: page, plans } = await planned(large.db.sql, recorder =>
          listDocuments(recorder, window, filter),
        )
        assert.ok(page.records.length <= most, String(page.records.length))
        if (most === 100) assert.equal(page.records.length, 100)
        if (most > 0) assert.ok(page.records.length > 0)
        assert.ok(plans[0]?.some(node => node['Relation Name'] === 'documents'))
        for (const nodes of plans) {
          const said = JSON.stringify(nodes.map(node => [node['Node Type'], node['Index Name']]))
          const indexes = nodes.map(node => node['Index Name'] ?? '').filter(one => /^documents/.test(one))
          for (const one of indexes) assert.match(one, new RegExp(`^${index}(_changed_later)?$`), said)
          const readers = nodes.filter(node => node['Relation Name'] === 'documents')
          for (const reader of readers) {
            // Two selective filters may combine two indexes.
            const several = Object.keys(filter).length > 1
            assert.match(reader['Node Type'], several ? /^(Index|Bitmap)/ : /^Index (Only )?Scan$/, said)
            assert.ok(blocksOf(reader) <= 120, `${blocksOf(reader)} blocks were read: ${said}`)
          }
        }
      })
})

describe('a page of a common size', () => {
  const range = { startDate: '2026-01-10', endDate: '2026-09-20', type: 'updated', limit: 100 }
  const windows: Record<string, Window> = {
    first: { ...range, offset: 0 },
    'from the second record': { ...range, offset: 1 },
    deep: { ...range, after: { at: '2026-05-14T10:00:00.000Z', seq: 9000 } },
  }
  for (const [name, window] of Object.entries(windows))
    it(`gets a generic plan after five executions: ${name}`, async () => {
      const [row] = await large.db.sql<[{ name: string }]>`select current_database() as name`
      const database = connect({ connection: testConnection(row.name), log: silent })
      await database.transaction(async tx => {
        // As on the connections of reads, where PostgreSQL decides.
        await tx`set local plan_cache_mode = auto`
        for (let time = 0; time < 12; time++) await listSteps(tx, window)
        const plans = await tx`
          select generic_plans::int as once, custom_plans::int as anew from pg_prepared_statements
          where statement like '%from "case_steps"%' and statement not like '%prepared%'`
        assert.deepEqual([...plans], [{ once: 7, anew: 5 }])
      })
      await database.close()
    })
})

describe('following cursors', () => {
  let caseId = ''
  const DAY = 86_400_000
  const NOON = Date.UTC(2026, 2, 10, 12)

  before(async () => {
    caseId = await createCase(app)
  })

  /** Creates notes at these moments; returns their ids and moments in the order of the list. */
  async function notesAt(moments: number[]): Promise<{ id: string; at: number }[]> {
    await app.db.sql`truncate case_notes, case_note_versions`
    const rows = moments.map((at, index) => ({ id: `n-${index}`, at }))
    for (const { id, at } of rows)
      await app.db.sql`
        insert into case_notes (note_id, case_id, content, author, created_at, updated_at)
        values (${id}, ${caseId}, 'x', 'y', ${new Date(at)}, ${new Date(at)})`
    return rows.toSorted((a, b) => a.at - b.at)
  }

  const idsOf = ({ records }: Page<{ noteId: string }>): string[] => records.map(({ noteId }) => noteId)

  async function walk(first: Window, way: 'next' | 'prev'): Promise<string[][]> {
    const pages = [await listNotes(app.db.sql, first)]
    const { startDate, endDate, type } = first
    for (let limit = first.limit; ; limit = 1 + (limit % 4)) {
      const position = pages.at(-1)?.[way]
      if (!position) return pages.map(idsOf)
      const range = { startDate, endDate, type, limit }
      pages.push(
        await listNotes(
          app.db.sql,
          way === 'next' ? { ...range, after: position } : { ...range, before: position },
        ),
      )
      assert.ok(pages.length < 100, 'The cursors do not end.')
    }
  }

  // Around noon of three days, a few milliseconds apart so that many are equal, and at midnight.
  const moment = fc.oneof(
    fc
      .tuple(fc.integer({ min: -1, max: 1 }), fc.integer({ min: -2, max: 2 }))
      .map(([d, ms]) => NOON + d * DAY + ms),
    fc
      .tuple(fc.integer({ min: -1, max: 2 }), fc.constantFrom(-1, 0))
      .map(([d, ms]) => NOON - DAY / 2 + d * DAY + ms),
  )
  const range = fc.constantFrom(
    { startDate: '2026-03-10', endDate: '2026-03-10' },
    { startDate: '2026-03-09', endDate: '2026-03-10' },
    { startDate: '2026-03-09', endDate: '2026-03-11' },
  )

  it('returns every record of the range once and in order, from either end and from any offset', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(moment, { maxLength: 12 }),
        range,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(14),
        async (moments, days, limit, offset) => {
          const rows = await notesAt(moments)
          const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
          const ids = rows
            .filter(({ at }) => dayOf(at) >= days.startDate && dayOf(at) <= days.endDate)
            .map(({ id }) => id)
          const window = { ...days, type: 'created', limit }
          const forwards = await walk({ ...window, offset }, 'next')
          assert.deepEqual(forwards.flat(), ids.slice(offset))
          const backwards = await walk({ ...window, offset }, 'prev')
          const [start = [], ...rest] = backwards
          assert.deepEqual(start, ids.slice(offset, offset + limit))
          assert.deepEqual(rest.toReversed().flat(), ids.slice(0, Math.min(offset, ids.length)))
          // A cursor never leads to an empty page.
          for (const page of [...forwards.slice(1), ...rest]) assert.ok(page.length > 0)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('counts days in UTC, whatever the time zone of the session', async () => {
    const [first, last] = [Date.UTC(2026, 2, 10), Date.UTC(2026, 2, 11) - 1]
    await notesAt([first - 1, first, last, last + 1])
    const day = { startDate: '2026-03-10', endDate: '2026-03-10', type: 'created', limit: 10, offset: 0 }
    for (const zone of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles']) {
      const page = await app.db.transaction(async tx => {
        await tx`select set_config('timezone', ${zone}, true)`
        return listNotes(tx, day)
      })
      assert.deepEqual(idsOf(page), ['n-1', 'n-2'], zone)
    }
  })

  it('leads back from a page that has become empty', async () => {
    const rows = await notesAt([NOON, NOON, NOON + 1])
    const window = { startDate: '2026-03-10', endDate: '2026-03-10', type: 'created', limit: 2 }
    const page = await listNotes(app.db.sql, { ...window, offset: 0 })
    await app.db.sql`delete from case_notes where note_id = ${rows[2]?.id ?? ''}`
    const empty = await listNotes(app.db.sql, { ...window, after: page.next as Position })
    assert.deepEqual([empty.records, empty.next], [[], undefined])
    const back = await listNotes(app.db.sql, { ...window, before: empty.prev as Position })
    assert.deepEqual(idsOf(back), idsOf(page))
    await app.db.sql`delete from case_notes where note_id = ${rows[0]?.id ?? ''}`
    const before = { at: new Date(NOON).toISOString(), seq: Number(back.records[1]?.seq) }
    const begin = await listNotes(app.db.sql, { ...window, before })
    assert.deepEqual([begin.records, begin.prev], [[], undefined])
    const on = await listNotes(app.db.sql, { ...window, after: begin.next as Position })
    assert.deepEqual(idsOf(on), [rows[1]?.id])
  })
})

describe('pageOf', () => {
  const range = { startDate: '2026-03-10', endDate: '2026-03-11', type: 'created' }
  const row = (seq: number) => ({ at: '2026-03-10', seq })
  const anyWindow = fc
    .tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom('offset', 'after', 'before'), fc.nat(50))
    .map(([limit, kind, seq]): Window => {
      if (kind === 'offset') return { ...range, limit, offset: seq }
      return kind === 'after' ? { ...range, limit, after: row(seq) } : { ...range, limit, before: row(seq) }
    })

  it('returns at most `limit` records in ascending order, and whether there are more', async () => {
    await fc.assert(
      fc.asyncProperty(anyWindow, fc.nat(21), fc.boolean(), async (window, found, behind) => {
        const count = Math.min(found, window.limit + 1)
        const backwards = 'before' in window
        const seqs = Array.from({ length: count }, (_, index) => (backwards ? 100 - index : 100 + index))
        let asked = 0
        const ask = async () => {
          asked += 1
          return [{ behind }]
        }
        const rows = seqs.map(seq => ({ ...row(seq), behind }))
        const page = await pageOf(window, rows, ask)
        assert.equal(asked, count === 0 ? 1 : 0)
        const kept = seqs.slice(0, window.limit)
        assert.deepEqual(
          page.records.map(({ seq }) => seq),
          backwards ? kept.toReversed() : kept,
        )
        const more = count > window.limit
        assert.equal(page.next !== undefined, backwards ? behind : more)
        assert.equal(page.prev !== undefined, backwards ? more : behind)
        if (kept.length === 0) return
        if (page.next) assert.equal(page.next.seq, page.records.at(-1)?.seq)
        if (page.prev) assert.equal(page.prev.seq, page.records[0]?.seq)
      }),
    )
  })

  it('returns positions that survive JSON', async () => {
    const window: Window = { ...range, limit: 1, offset: 1 }
    const rows = [
      { at: new Date('2026-03-10T01:02:03.004Z'), seq: '7', behind: true },
      { at: new Date('2026-03-10T01:02:03.004Z'), seq: '8', behind: true },
    ]
    const { next, prev } = await pageOf(window, rows, async () => [])
    for (const position of [next, prev])
      assert.deepEqual(JSON.parse(JSON.stringify(position)), { at: '2026-03-10T01:02:03.004Z', seq: 7 })
  })
})
