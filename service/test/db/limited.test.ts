// The database as callers see it who are limited to some companies.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApplicants } from '../../src/applicants/applicants.service.ts'
import { createSearch } from '../../src/applicants/search.service.ts'
import { createCaseList } from '../../src/cases/case-list.service.ts'
import { createCases } from '../../src/cases/cases.service.ts'
import { listNotes } from '../../src/cases/notes.store.ts'
import { listSteps } from '../../src/cases/steps.store.ts'
import { createCompanies } from '../../src/companies/companies.service.ts'
import { bindCaller, runAs, runUnlimited } from '../../src/db/caller.ts'
import type { Sql } from '../../src/db/database.ts'
import type { Window } from '../../src/db/keyset.ts'
import { isLimited } from '../../src/db/limited.ts'
import { limitByCaller } from '../../src/db/limited-access.ts'
import { VIEWS } from '../../src/db/limited-schema.ts'
import { isUnavailable } from '../../src/db/sqlstate.ts'
import { listDocuments as listAllDocuments } from '../../src/documents/document-list.store.ts'
import { listDocuments } from '../../src/documents/documents.store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { listNotifications } from '../../src/reminders/notifications.store.ts'
import { createTestDatabase } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const db = await createTestDatabase()
const gated = limitByCaller(db)

const FROM = '2026-01-01'
const window: Window = { startDate: FROM, endDate: '2026-12-31', type: 'updated', limit: 20, offset: 0 }

/** Many rows of company A, a few of company B, in between. */
before(async () => {
  const { sql } = db
  await sql`
    insert into companies (company_id, name, name_key, created_at, updated_at)
    select 'company-' || letter, letter, lower(letter), now(), now() from unnest(array['A', 'B', 'C']) as letter`
  const companyOf = sql`case when n % 500 = 0 then 'B' else 'A' end`
  await sql`
    insert into applicants (applicant_id, employee_number, record, company_key, name_key, name_key_reversed, search_keys,
      keys_version, created_at, updated_at)
    select 'applicant-' || n, 'E-' || n, json_build_object('applicantId', 'applicant-' || n), lower(${companyOf}),
      'name ' || n, 'eman ' || n, array['e:' || n || '@example.com'], 1, now(), now()
    from generate_series(1, 10000) as n`
  await sql`
    insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
      applicant, created_at, updated_at)
    select 'case-' || n, 'applicant-' || n, 'open', 'company-' || ${companyOf}, 'company-' || ${companyOf},
      'company-' || ${companyOf}, '{}', '{}', now(), now()
    from generate_series(1, 10000) as n`
  const at = sql`${FROM}::timestamptz + n * interval '30 minutes'`
  await sql`
    insert into case_steps (step_id, case_id, sequence, name, status, start_date, created_at, updated_at)
    select 'step-' || n, 'case-' || n, 1, 'File', 'inProgress', (${at})::date, ${at}, ${at}
    from generate_series(1, 10000) as n`
  await sql`
    insert into case_notes (note_id, case_id, content, author, created_at, updated_at)
    select 'note-' || n, 'case-' || n, 'Text', 'A', ${at}, ${at} from generate_series(1, 10000) as n`
  await sql`
    insert into documents (document_id, applicant_id, case_id, name, created_at, updated_at)
    select 'document-' || n, 'applicant-' || n, case when n % 2 = 0 then 'case-' || n end, 'Card', ${at}, ${at}
    from generate_series(1, 10000) as n`
  await sql`
    insert into notifications (notification_id, document_id, expiry_date, rung, due_on, state, created_at)
    select 'notification-' || n, 'document-' || n, now(), 'x', now(), 'recorded', ${at}
    from generate_series(1, 10000) as n`
  await sql`vacuum analyze`
})

const asB = <T>(work: () => Promise<T>) => runAs(['company-B'], work)

/** Reads of every kind, which find records in the database. */
const READS: Record<string, () => Promise<number>> = {
  'a count of applicants': async () => Number((await gated.sql`select from applicants`).count),
  'a lookup of an applicant': () => found(createApplicants(gated.lookup).get({ id: 'applicant-500' })),
  'a lookup of a case': () => found(createCases({ lookup: gated.lookup } as never).get('case-500')),
  'a list of steps': async () => (await listSteps(gated.sql, window)).records.length,
  'a list of notes': async () => (await listNotes(gated.sql, window)).records.length,
  'a list of documents': async () => (await listDocuments(gated.sql, window)).records.length,
  'a list of notifications': async () => (await listNotifications(gated.sql, window, {})).records.length,
  'the search': async () =>
    (
      await createSearch({
        sql: gated.sql,
        companies: undefined as never,
        touchReferences: undefined as never,
      }).list({}, { limit: 20 })
    ).total,
  'the list of cases': async () =>
    (
      await createCaseList({ sql: gated.sql, clock: systemClock, companies: undefined as never }).list(
        {},
        {},
        { limit: 20 },
      )
    ).total,
  'the list of documents': async () =>
    (
      await listAllDocuments(
        gated.sql,
        { filters: {}, order: { by: 'expiryDate', descending: false } },
        { limit: 20 },
      )
    ).total,
  'the search of cases': async () =>
    (
      await createCaseList({ sql: gated.sql, clock: systemClock, companies: undefined as never }).search(
        'case-500',
        10,
      )
    ).length,
  'the companies': async () => (await createCompanies(gated.sql).list()).length,
  'a transaction': async () => gated.transaction(async tx => Number((await tx`select from cases`).count)),
}

async function found(lookup: Promise<unknown>): Promise<number> {
  try {
    await lookup
    return 1
  } catch {
    return 0
  }
}

describe('a query that runs for no caller', () => {
  for (const [name, read] of Object.entries(READS))
    it(`returns nothing: ${name}`, async () => {
      assert.equal(await read(), 0)
      assert.ok((await runUnlimited(read)) > 0)
    })

  it('returns nothing where the companies have no record, or do not exist', async () => {
    for (const companies of [[], ['no-such-company']])
      for (const read of Object.values(READS)) assert.equal(await runAs(companies, read), 0)
  })

  it('finds no table that has no view', async () => {
    for (const run of [() => gated.sql`select from signing_keys`, () => gated.sql`select from secrets`])
      for (const companies of [[], ['company-A']])
        await assert.rejects(
          runAs(companies, async () => await run()),
          { code: '42P01' },
        )
  })
})

describe('a limited caller', () => {
  it('sees the records of its companies, and no others', async () => {
    const counts = { 'a count of applicants': 20, 'a list of steps': 20, 'a list of notes': 20, 'a list of documents': 20, 'a list of notifications': 20, 'the search': 20, 'the list of cases': 20, 'the list of documents': 20, 'the companies': 1, 'a transaction': 20 } // biome-ignore format: a table
    for (const [name, count] of Object.entries(counts))
      assert.equal(await asB(READS[name] as never), count, name)
    const steps = await asB(() => listSteps(gated.sql, window))
    assert.ok(steps.records.every(({ caseId }) => Number(caseId.slice(5)) % 500 === 0))
  })

  it('sees the same pages of a list in both directions', async () => {
    const all = await asB(() => listSteps(gated.sql, window))
    const walked: string[] = []
    let page = await asB(() => listSteps(gated.sql, { ...window, limit: 3 }))
    for (;;) {
      walked.push(...page.records.map(({ stepId }) => stepId))
      const { next } = page
      if (!next) break
      page = await asB(() => listSteps(gated.sql, { ...window, limit: 3, after: next }))
    }
    assert.deepEqual(
      walked,
      all.records.map(({ stepId }) => stepId),
    )
    const back: string[] = []
    for (let { prev } = page; prev; { prev } = page) {
      const before = prev
      page = await asB(() => listSteps(gated.sql, { ...window, limit: 3, before }))
      back.unshift(...page.records.map(({ stepId }) => stepId))
    }
    assert.deepEqual(back, walked.slice(0, 18))
    const offset = await asB(() => listSteps(gated.sql, { ...window, limit: 4, offset: 7 }))
    assert.deepEqual(
      offset.records.map(({ stepId }) => stepId),
      walked.slice(7, 11),
    )
  })

  it('never gets the result of another one, however many there are at once', async () => {
    const applicants = createApplicants(gated.lookup)
    const reads = Array.from({ length: 600 }, (_, index) => {
      const id = `applicant-${index % 2 === 0 ? 500 : 501}`
      const companies = [['company-A'], ['company-B'], ['company-A', 'company-B'], null][index % 4] ?? null
      const visible = companies === null || companies.includes(index % 2 === 0 ? 'company-B' : 'company-A')
      return runAs(companies, () => found(applicants.get({ id }))).then(count =>
        assert.equal(count, visible ? 1 : 0, `${id} for ${companies}`),
      )
    })
    await Promise.all(reads)
  })

  it('leaves nothing behind on its connection', async () => {
    await asB(() => gated.transaction(async tx => tx`select from cases`))
    await asB(() => gated.lookup(async sql => sql`select from cases`))
    for (let count = 0; count < 12; count++) {
      assert.equal(await READS['a transaction']?.(), 0)
      assert.equal(await READS['a lookup of a case']?.(), 0)
    }
  })

  it('gets the same results after its connections were terminated, or an error', async () => {
    const lookup = () => gated.lookup(async sql => Number((await sql`select from cases`).count))
    const reads = [
      lookup,
      READS['a count of applicants'],
      READS['a transaction'],
    ] as (() => Promise<number>)[]
    for (let round = 0; round < 5; round++) {
      const running = reads.flatMap(read =>
        Array.from({ length: 5 }, () =>
          asB(read).then(
            count => assert.equal(count, 20),
            error => assert.ok(isUnavailable(error), error),
          ),
        ),
      )
      await db.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
      await Promise.all(running)
      await sleep(200)
      for (const read of reads) assert.equal(await asB(read), 20)
    }
  })

  it('keeps its companies in callbacks that are bound for it', async () => {
    const count = READS['a count of applicants'] as () => Promise<number>
    const bound = asB(async () => bindCaller(count))
    assert.equal(await (await bound)(), 20)
    assert.equal(await count(), 0)
  })

  it('cannot write a row that it would not see', async () => {
    const insert = (key: string) => gated.sql`
      insert into applicants (applicant_id, record, company_key, name_key, name_key_reversed, search_keys, created_at,
        updated_at)
      values (${`new-${key}`}, '{}', ${key}, '', '', '{}', now(), now())`
    await assert.rejects(
      asB(async () => await insert('a')),
      { code: '44000' },
    )
    await assert.rejects(
      asB(async () => await insert('nobody')),
      { code: '44000' },
    )
    await asB(async () => await insert('b'))
    const move = () => gated.sql`update applicants set company_key = 'a' where applicant_id = 'new-b'`
    await assert.rejects(
      asB(async () => await move()),
      { code: '44000' },
    )
    await asB(async () => await gated.sql`delete from applicants where applicant_id = 'new-b'`)
    for (const statement of [
      () => gated.sql`delete from companies`,
      () => gated.sql`update processes set name = 'x'`,
    ])
      await assert.rejects(
        asB(async () => await statement()),
        { code: '55000' },
      )
  })

  it('sees a set of companies that its own transaction creates', async () => {
    const rows = await asB(() =>
      gated.transaction(async tx => {
        await tx`
          insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id,
            details, applicant, created_at, updated_at)
          values ('new-case', 'applicant-500', 'open', 'company-B', 'company-C', 'company-A', '{}', '{}', now(), now())`
        return tx`select case_id from cases where case_id = 'new-case'`
      }),
    )
    assert.equal(rows.length, 1)
    await db.sql`delete from cases where case_id = 'new-case'`
  })

  it('marks its connections', async () => {
    assert.equal(isLimited(db.sql), false)
    assert.equal(isLimited(gated.sql), true)
    assert.equal(await runUnlimited(async () => isLimited(gated.sql)), false)
    await asB(() => gated.transaction(async tx => assert.equal(isLimited(tx), true)))
    await asB(() => gated.lookup(async sql => assert.equal(isLimited(sql), true)))
  })
})

describe('the views of limited callers', () => {
  const columnsOf = async (schema: string) => {
    const rows = await db.sql<{ name: string; columns: string[] }[]>`
      select table_name::text as name, array_agg(column_name::text order by ordinal_position) as columns
      from information_schema.columns
      where table_schema = ${schema} and not exists (
        select from pg_class c where c.oid = format('%I.%I', table_schema, table_name)::regclass and c.relispartition)
      group by table_name`
    return new Map(rows.map(({ name, columns }) => [name, columns]))
  }

  /** They show parts of tables on purpose. */
  const PARTS = ['case_applicants', 'company_names', 'item_owners', 'number_owners', 'user_names']
  /** Tables that no request of a limited caller needs. */
  const WITHOUT_VIEW = [
    'audit_anchors',
    'audit_chain',
    'audit_records',
    'change_feed',
    'duplicate_checks',
    'duplicate_keys',
    'passport_walk',
    'renewal_checks',
    'schema_migrations',
    'secrets',
    'signing_keys',
  ]

  it('have the columns of their tables', async () => {
    const [views, tables] = [await columnsOf('limited'), await columnsOf('public')]
    assert.deepEqual([...views.keys()].sort(), Object.keys(VIEWS).sort())
    for (const [name, columns] of views)
      if (!PARTS.includes(name)) assert.deepEqual(columns, tables.get(name), name)
  })

  it('exist for every table, or it is decided that they do not', async () => {
    const [views, tables] = [await columnsOf('limited'), await columnsOf('public')]
    assert.deepEqual([...tables.keys()].filter(name => !views.has(name)).sort(), WITHOUT_VIEW)
  })
})

describe('lists of a caller whose company has few of many rows', () => {
  const LISTS: Record<string, { index: string; read: (sql: Sql) => Promise<unknown> }> = {
    steps: { index: 'case_steps_company_updated', read: sql => listSteps(sql, window) },
    'steps by start': {
      index: 'case_steps_company_started',
      read: sql => listSteps(sql, { ...window, type: 'started' }),
    },
    notes: {
      index: 'case_notes_company_created',
      read: sql => listNotes(sql, { ...window, type: 'created' }, { isTeam: true }),
    },
    'notes for everyone': {
      index: 'case_notes_company_everyone_created',
      read: sql => listNotes(sql, { ...window, type: 'created' }),
    },
    documents: { index: 'documents_company_updated', read: sql => listDocuments(sql, window) },
    notifications: {
      index: 'notifications_company_created',
      read: sql => listNotifications(sql, window, {}),
    },
    'the search': {
      index: 'applicants_company_name',
      read: sql =>
        createSearch({ sql, companies: undefined as never, touchReferences: undefined as never }).list(
          {},
          { limit: 10 },
        ),
    },
  }
  for (const [name, { index, read }] of Object.entries(LISTS))
    it(`read the rows of that company only: ${name}`, async () => {
      const { plans } = await asB(() => gated.transaction(tx => planned(tx, read)))
      const indexes = plans.flat().map(node => node['Index Name'])
      assert.ok(indexes.includes(index), indexes.join(' '))
      for (const [root] of plans) assert.ok(root && blocksOf(root) < 500, JSON.stringify(root))
    })

  it('are planned once, not for each request', async () => {
    const custom = await asB(() =>
      gated.transaction(async tx => {
        for (let time = 0; time < 8; time++) await listSteps(tx, window)
        return tx<{ plans: number }[]>`
          select custom_plans::int as plans from pg_prepared_statements
          where statement like '%company_sets%case_steps%' and generic_plans >= 8`
      }),
    )
    assert.deepEqual(
      custom.map(({ plans }) => plans),
      [0],
    )
  })
})

describe('a transaction', () => {
  it('plans a statement with several keys once', async () => {
    const custom = await db.transaction(async tx => {
      for (let time = 0; time < 8; time++)
        await tx`select from cases where case_id = any(${[`case-${time}`]}::text[])`
      return tx<{ plans: number }[]>`
        select custom_plans::int as plans from pg_prepared_statements
        where statement like 'select from cases%' and generic_plans >= 8`
    })
    assert.deepEqual(
      custom.map(({ plans }) => plans),
      [0],
    )
  })
})
