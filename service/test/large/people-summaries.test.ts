// What lists of people show beside names: the next expiry on each day, and the cost in large tables.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createSummaries } from '../../src/applicants/summaries.service.ts'
import { createCaseList } from '../../src/cases/case-list.service.ts'
import { runAs } from '../../src/db/caller.ts'
import type { Sql } from '../../src/db/database.ts'
import { limitByCaller } from '../../src/db/limited-access.ts'
import { createDocumentList } from '../../src/documents/document-list.service.ts'
import { minusDays } from '../../src/lib/dates.ts'
import { createTestDatabase, testClock } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const db = await createTestDatabase()
const clock = testClock()
const TODAY = clock.now().toISOString().slice(0, 10)
const day = (offset: number) => minusDays(TODAY, -offset)

const FAMILIES = 6_000
const PAGE = 100

const summariesOf = (sql: Sql) => {
  const companies = undefined as never
  const { nextExpiries } = createDocumentList({ sql, clock, documents: undefined as never, companies })
  const { countActiveOf } = createCaseList({ sql, clock, companies })
  return createSummaries({ sql, nextExpiries, openCases: countActiveOf })
}
const rowOf = (applicantId: string, primaryApplicantId: string | null = null) =>
  ({ applicantId, primaryApplicantId }) as never
const summaryOf = async (id: string) => (await summariesOf(db.sql).add([rowOf(id)], { summary: true }))[0]

before(async () => {
  const { sql } = db
  await sql`
    insert into companies (company_id, name, name_key, created_at, updated_at)
    values ('company-a', 'a', 'a', now(), now()), ('company-b', 'b', 'b', now(), now())`
  const company = sql`(case when n % 10 = 0 then 'b' else 'a' end)`
  const passports = sql`json_build_array(json_build_object('passportId', 'passport-' || n, 'country', 'DE',
    'expiryDate', to_char(${TODAY}::text::date + (n % 900 - 100), 'YYYY-MM-DD')))`
  await sql`
    insert into applicants (applicant_id, record, company_key, name_key, name_key_reversed, search_keys, keys_version,
      created_at, updated_at)
    select 'person-' || n, json_build_object('applicantId', 'person-' || n, 'passports', ${passports}), ${company},
      'name ' || n, 'eman ' || n, '{}', 1, now(), now()
    from generate_series(1, ${FAMILIES}::int) as n`
  await sql`
    insert into applicants (applicant_id, primary_id, record, name_key, name_key_reversed, search_keys, keys_version,
      created_at, updated_at, archived_at)
    select 'child-' || n || '-' || k, 'person-' || n, json_build_object('relationship', 'Child'), 'name', 'eman', '{}', 1,
      now(), now(), case when k = 3 then now() end
    from generate_series(1, ${FAMILIES}::int) as n, generate_series(1, 3) as k`
  await sql`
    insert into documents (document_id, applicant_id, name, expiry_date, created_at, updated_at)
    select 'document-' || n || '-' || k, 'person-' || n, 'Permit ' || k, ${TODAY}::text::date + (n % 700 - 350 + k * 30),
      now(), now()
    from generate_series(1, ${FAMILIES}::int) as n, generate_series(1, 2) as k`
  await sql`
    insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
      applicant, created_at, updated_at)
    select 'case-' || n || '-' || k, 'person-' || n, (array['open', 'pending', 'closed'])[k], 'company-' || ${company},
      'company-' || ${company}, 'company-' || ${company}, '{}', '{}', now(), now()
    from generate_series(1, ${FAMILIES}::int) as n, generate_series(1, 3) as k`
  await sql`vacuum analyze`
})

describe('a summary', () => {
  it('has the first expiry of each kind on or after today, else the last before it', async () => {
    const { sql } = db
    await sql`
      insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at)
      values ('one', ${JSON.stringify({ passports: [{ passportId: 'p', country: 'FR', expiryDate: day(40) }] })}::text::json,
        '', '', '{}', now(), now())`
    const set = async (offsets: (number | null)[]) => {
      await sql`delete from documents where applicant_id = 'one'`
      await sql`delete from expiries where applicant_id = 'one' and kind = 'document'`
      for (const [at, offset] of offsets.entries())
        await sql`
          insert into documents (document_id, applicant_id, name, type, expiry_date, created_at, updated_at)
          values (${`d${at}`}, 'one', ${`D${at}`}, ${at === 0 ? 'Visa' : null},
            ${offset === null ? null : day(offset)}::text::date, now(), now())`
      return (await summaryOf('one'))?.nextExpiries
    }
    const passport = {
      kind: 'passport',
      itemId: 'p',
      name: null,
      type: 'Passport',
      country: 'FR',
      expiryDate: day(40),
    }
    const document = (at: number, offset: number) => ({
      kind: 'document',
      itemId: `d${at}`,
      name: `D${at}`,
      type: at === 0 ? 'Visa' : 'Applicant document',
      country: null,
      expiryDate: day(offset),
    })
    assert.deepEqual(await set([]), [passport])
    assert.deepEqual(await set([null]), [passport])
    assert.deepEqual(await set([90, 60, -1]), [passport, document(1, 60)])
    assert.deepEqual(await set([10, 5, null]), [document(1, 5), passport])
    assert.deepEqual(await set([0, -1]), [document(0, 0), passport])
    assert.deepEqual(await set([-30, -2]), [document(1, -2), passport])
  })

  it('counts open and pending cases, and has the dependents that are not archived', async () => {
    const summary = await summaryOf('person-7')
    assert.equal(summary?.openCases, 2)
    assert.deepEqual(
      summary?.dependents?.map(({ applicantId, openCases, nextExpiries }) => [
        applicantId,
        openCases,
        nextExpiries,
      ]),
      [
        ['child-7-1', 0, []],
        ['child-7-2', 0, []],
      ],
    )
  })

  it('is left out where it is not asked for', async () => {
    assert.deepEqual(await summariesOf(db.sql).add([rowOf('person-7')], {}), [rowOf('person-7')])
  })

  it('of a page takes three statements, each of which reads the rows of its people only', async () => {
    const rows = Array.from({ length: PAGE }, (_, at) => rowOf(`person-${1 + at * 50}`))
    const isCheap = async (sql: Sql) => {
      const { result, plans } = await planned(sql, recorded =>
        summariesOf(recorded).add(rows, { summary: true }),
      )
      assert.equal(plans.length, 3)
      for (const nodes of plans) {
        const plan = JSON.stringify(
          nodes.map(node => [node['Node Type'], node['Relation Name'], node['Index Name'], blocksOf(node)]),
        )
        for (const node of nodes) assert.notEqual(node['Node Type'], 'Seq Scan', plan)
        // A page has 300 people. Each is looked up in an index of three levels, with its rows.
        assert.ok(blocksOf(nodes[0] as never) < PAGE * 40, plan)
      }
      return result
    }
    const all = await isCheap(db.sql)
    assert.ok(all.every(({ openCases, dependents }) => openCases === 2 && dependents?.length === 2))
    const gated = limitByCaller(db)
    const own = await runAs(['company-b'], () => gated.transaction(tx => isCheap(tx as never)))
    for (const [at, { openCases, dependents, nextExpiries }] of own.entries()) {
      const isOwn = (1 + at * 50) % 10 === 0
      assert.deepEqual([openCases, dependents?.length, nextExpiries?.length], isOwn ? [2, 2, 2] : [0, 0, 0])
    }
  })
})
