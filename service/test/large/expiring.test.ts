// What expires: triggers keep the list equal to the passports and documents that people have.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runAs } from '../../src/db/caller.ts'
import type { Sql } from '../../src/db/database.ts'
import { limitByCaller } from '../../src/db/limited-access.ts'
import { statusOn } from '../../src/documents/document.ts'
import { createDocumentList, daysOfStatus, daysWithin } from '../../src/documents/document-list.service.ts'
import { minusDays } from '../../src/lib/dates.ts'
import { createTestApp, createTestDatabase, testClock } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const app = await createTestApp()
const large = await createTestDatabase()

/** What the list should have, computed from the records. */
const expected = (sql: Sql) => sql`
  select a.applicant_id as person, 'passport' as kind, p.item->>'passportId' as item, null::text as case,
    left(p.item->>'expiryDate', 10) as date, a.company_set_id as set
  from applicants a, json_array_elements(a.record->'passports') as p (item)
  where a.archived_at is null and p.item->>'expiryDate' is not null and not exists (
    select from json_array_elements(a.record->'passports') as o (item)
    where upper(coalesce(o.item->>'country', '')) = upper(coalesce(p.item->>'country', ''))
      and o.item->>'expiryDate' > p.item->>'expiryDate'
      and left(o.item->>'expiryDate', 10) > left(p.item->>'expiryDate', 10))
  union all
  select d.applicant_id, 'document', d.document_id, d.case_id, to_char(d.expiry_date, 'YYYY-MM-DD'), d.company_set_id
  from documents d join applicants a on a.applicant_id = d.applicant_id
  where d.removed_at is null and d.expiry_date is not null and (d.case_id is not null or a.archived_at is null)
  order by 1, 2, 3`
const kept = (sql: Sql) => sql`
  select applicant_id as person, kind, item_id as item, case_id as case, to_char(expires_on, 'YYYY-MM-DD') as date,
    company_set_id as set
  from expiries order by 1, 2, 3`

async function verify(): Promise<number> {
  const rows = await expected(app.db.sql)
  assert.deepEqual([...(await kept(app.db.sql))], [...rows])
  return rows.length
}

describe('the list of what expires', () => {
  it('follows every write of families, documents and companies', async () => {
    const date = fc.constantFrom(null, '2026-01-01', '2026-02-02', '2030-12-31T10:00:00')
    const passport = fc.record({
      passportNumber: fc.constantFrom('A1', 'B2', 'C3'),
      country: fc.constantFrom('DE', 'de', 'FR', null),
      expiryDate: date,
    })
    const document = fc.record({ name: fc.constantFrom('Permit', 'Visa'), expiryDate: date })
    const one = fc.record({
      passports: fc.uniqueArray(passport, {
        maxLength: 3,
        selector: p => `${p.passportNumber}${p.country}`.toUpperCase(),
      }),
      documents: fc.uniqueArray(document, { maxLength: 2, selector: d => d.name }),
    })
    const families = fc.array(
      fc.record({
        number: fc.constantFrom('E-1', 'E-2'),
        company: fc.constantFrom('Expiry A', 'Expiry B', null),
        primary: one,
        dependents: fc.array(one, { maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    for (const name of ['Expiry A', 'Other name'])
      await app.call({ method: 'POST', url: '/admin/v1/companies', body: { name } })
    let most = 0
    await fc.assert(
      fc.asyncProperty(families, async writes => {
        for (const { number, company, primary, dependents } of writes) {
          const body = {
            primaryApplicant: { firstName: 'A', lastName: 'B', sendingCompany: company, ...primary },
            dependents: dependents.map((dependent, at) => ({
              firstName: `C${at}`,
              lastName: 'D',
              relationship: 'Child',
              ...dependent,
            })),
          }
          const { status, text } = await app.call({
            method: 'PUT',
            url: `/v2/applicant/employeenumber/${number}`,
            body,
          })
          assert.ok(status < 300, text)
          most = Math.max(most, await verify())
        }
      }),
      { numRuns: 25 },
    )
    assert.ok(most > 3)
    // A company that is renamed takes people in.
    const companies = (await app.call({ url: '/admin/v1/companies' })).body
    const other = companies.find(({ name }: { name: string }) => name === 'Other name')
    await app.call({
      method: 'PATCH',
      url: `/admin/v1/companies/${encodeURIComponent(other.companyId)}`,
      body: { name: 'Expiry B' },
    })
    await verify()
    // A dependent that is archived leaves the list, and comes back with it.
    const paper = { name: 'Permit', expiryDate: '2029-01-01' }
    const child = { firstName: 'Kim', lastName: 'D', relationship: 'Child', documents: [paper] }
    const put = async (dependents: object[]) => {
      const primaryApplicant = { firstName: 'A', lastName: 'B', documents: [paper] }
      const body = { primaryApplicant, dependents }
      return (await app.call({ method: 'PUT', url: '/v2/applicant/employeenumber/E-9', body })).body
    }
    const family = await put([child])
    const all = await verify()
    await put([])
    assert.equal(await verify(), all - 1)
    const { applicantId } = family.dependents[0]
    const { status } = await app.call({
      method: 'POST',
      url: `/admin/v1/applicants/${encodeURIComponent(applicantId)}/restore`,
      body: {},
    })
    assert.equal(status, 200)
    assert.equal(await verify(), all)
    const id = family.primaryApplicant.documents[0].documentId
    await app.call({
      method: 'PATCH',
      url: `/v2/document/${encodeURIComponent(id)}/expiry`,
      body: { ExpiryDate: '2027-07-07' },
    })
    await verify()
    const listed = await app.call({ url: '/admin/v1/expiring?expiresFrom=2027-07-07&expiresTo=2027-07-07' })
    assert.deepEqual(
      listed.body.records.map((record: { documentId: string }) => record.documentId),
      [id],
    )
  })
})

describe('the days of a status', () => {
  it('are those on which a document has that status', () => {
    fc.assert(
      fc.property(fc.integer({ min: -200, max: 200 }), days => {
        const today = '2026-03-10'
        const expiry = minusDays(today, days)
        const inside = ({ since, until }: { since?: string | undefined; until?: string | undefined }) =>
          (since === undefined || expiry >= since) && (until === undefined || expiry < until)
        const found = ['active', 'expiring', 'expired'].filter(status => inside(daysOfStatus(status, today)))
        assert.deepEqual(found, [statusOn(today, expiry)])
        assert.equal(inside(daysWithin('30', today)), days <= 0 && days >= -30)
        assert.equal(inside(daysWithin('expired', today)), days > 0)
      }),
    )
  })
})

describe('the plan of a page', () => {
  const COUNT = 12_000
  const clock = testClock(new Date('2026-03-10T12:00:00Z'))
  const companies = { findId: async (text: string) => text }
  const documents = {
    render: (row: { documentId: string }) => ({ id: row.documentId, json: '{}', etag: '' }),
  }
  const list = (sql: Sql) => createDocumentList({ sql, clock, companies, documents })

  it('of documents and of what expires reads little more than its records', async () => {
    const { sql } = large
    await sql`
      insert into companies (company_id, name, name_key, created_at, updated_at)
      select 'company-' || l, l, l, now(), now() from unnest(array['a', 'b']) as l`
    for (let from = 1; from < COUNT; from += 2_000) {
      await sql`
        insert into applicants (applicant_id, record, company_key, name_key, name_key_reversed, search_keys, created_at,
          updated_at)
        select 'person-' || n,
          json_build_object('firstName', 'F', 'passports', json_build_array(json_build_object('passportId', 'pass-' || n,
            'expiryDate', to_char('2026-03-10'::date + n % 3000 - 1000, 'YYYY-MM-DD"T"HH24:MI:SS')))),
          case when n % 600 = 0 then 'b' else 'a' end, '', '', '{}', now(), now()
        from generate_series(${from}::int, ${from + 1_999}::int) as n`
      await sql`
        insert into documents (document_id, applicant_id, name, type, country_code, reference_number, expiry_date,
          created_at, updated_at)
        select 'document-' || n, 'person-' || n, 'Residence permit ' || n % 10, 'Type ' || n % 3,
          (array['DE', 'US', null])[1 + n % 3], 'R ' || n, case when n % 4 > 0 then '2026-03-10'::date + n % 3000 - 1000 end,
          now(), '2026-03-10'::timestamptz + n * interval '1 second'
        from generate_series(${from}::int, ${from + 1_999}::int) as n`
    }
    await sql`vacuum analyze`
    const check = async <T>(from: Sql, read: (sql: Sql) => Promise<T>) => {
      const { result, plans } = await planned(from, read)
      for (const nodes of plans) {
        const plan = JSON.stringify(
          nodes.map(node => [node['Node Type'], node['Index Name'], blocksOf(node)]),
        )
        for (const node of nodes)
          if (node['Node Type'] === 'Seq Scan')
            // The others are empty here.
            assert.ok(['company_sets', 'cases', 'document_files'].includes(node['Relation Name'] ?? ''), plan)
        // Up to 5,000 rows of a filter are read and sorted.
        assert.ok(blocksOf(nodes[0] as never) <= 5_800, plan)
      }
      return result
    }
    const ofDocuments = [
      {},
      { status: 'expired' },
      { status: 'expiring' },
      { status: 'active' },
      { type: 'type 1' },
      { countryCode: 'DE' },
      { hasFile: false },
      { hasFile: true },
      { applicantId: 'person-7' },
      { expiresFrom: '2026-04-01', expiresTo: '2026-04-30' },
      { type: 'type 1', status: 'expiring' },
    ]
    const ofExpiring = [
      {},
      { within: 'expired' },
      { within: '30' },
      { within: '60' },
      { within: '90' },
      { kind: 'passport' as const, within: '90' },
      { company: 'company-b' },
    ]
    const gated = limitByCaller(large)
    for (const sort of ['expiryDate', '-expiryDate', 'updatedAt', '-updatedAt'])
      for (const query of ofDocuments) {
        const first = await check(sql, one => list(one).list({ ...query, sort }, { limit: 50 }))
        if (first.next) {
          const after = { limit: 50, after: first.next }
          const second = await check(sql, one => list(one).list({ ...query, sort }, after))
          if (second.prev) {
            const before = { limit: 50, before: second.prev }
            const back = await list(sql).list({ ...query, sort }, before)
            assert.deepEqual(back.records, first.records)
          }
        }
        await runAs(['company-b'], () =>
          gated.transaction(tx =>
            check(tx as never, one => list(one).list({ ...query, sort }, { limit: 50 })),
          ),
        )
      }
    for (const sort of ['expiryDate', '-expiryDate'])
      for (const query of ofExpiring) {
        const first = await check(sql, one => list(one).listExpiring({ ...query, sort }, { limit: 50 }))
        assert.equal(first.records.length, 'company' in query ? COUNT / 600 : 50)
        if (first.next) {
          const after = { limit: 50, after: first.next }
          await check(sql, one => list(one).listExpiring({ ...query, sort }, after))
        }
        await runAs(['company-b'], () =>
          gated.transaction(tx =>
            check(tx as never, one => list(one).listExpiring({ ...query, sort }, { limit: 50 })),
          ),
        )
      }
    assert.equal((await list(sql).listExpiring({}, { limit: 1 })).total, 10_001)
    const found = await check(sql, one => list(one).search('residence-permit 3', 10))
    assert.equal(found.length, 10)
    assert.deepEqual(
      (await check(sql, one => list(one).search('r-77', 10))).map(({ id }) => id)[0],
      'document-77',
    )
  })
})
