// Which companies records belong to: kept by triggers, also for companies that are created or renamed later.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { connect } from '../../src/db/database.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { createTestApp, silent, testConnection } from '../support/harness.ts'

const app = await createTestApp()
const { sql } = app.db

const good = async (method: 'POST' | 'PATCH' | 'PUT', url: string, body: object) => {
  const response = await app.call({ method, url, body })
  assert.ok(response.status < 300, response.text)
  return response.body
}

let made = 0
const company = (name = `Company ${++made}`) => good('POST', '/admin/v1/companies', { name })

const companiesOf = async (table: string, column: string, id: string) => {
  const [row] = await sql<{ companies: string[] | null }[]>`
    select s.company_ids as companies
    from ${sql(table)} t left join company_sets s using (company_set_id)
    where t.${sql(column)} = ${id}`
  assert.ok(row, `${table} ${id}`)
  return row.companies
}

describe('a family', () => {
  it('follows its primary applicant, with its documents, files and notifications', async () => {
    const [one, other] = [await company(), await company()]
    const documents = [{ name: 'Visa', expiryDate: '2099-01-01', remindAboutRenewal: true }]
    const person = { firstName: 'Anna', lastName: 'Schmidt', documents }
    const family = await good('POST', '/v2/applicant', {
      primaryApplicant: { ...person, sendingCompany: one.name },
      dependents: [{ ...person, relationship: 'Child', sendingCompany: other.name }],
    })
    const { applicantId: id } = family.primaryApplicant
    const [dependent] = family.dependents
    const everywhere = async () => [
      await companiesOf('applicants', 'applicant_id', id),
      await companiesOf('applicants', 'applicant_id', dependent.applicantId),
      await companiesOf('documents', 'applicant_id', id),
      await companiesOf('documents', 'applicant_id', dependent.applicantId),
      await companiesOf('notifications', 'document_id', family.primaryApplicant.documents[0].documentId),
    ]
    await sql`
      insert into notifications (notification_id, document_id, expiry_date, rung, due_on, state, created_at)
      select 'n-' || document_id, document_id, expiry_date, 'x', now(), 'recorded', now()
      from documents where applicant_id = ${id}`
    const all = (companies: unknown) => Array.from({ length: 5 }, () => companies)
    assert.deepEqual(await everywhere(), all([one.companyId]))
    const move = (sendingCompany: string | null) =>
      good('PATCH', `/v2/applicant/${id}`, { primaryApplicant: { sendingCompany } })
    await move(other.companyId.toLowerCase())
    assert.deepEqual(await everywhere(), all([other.companyId]))
    await move(null)
    assert.deepEqual(await everywhere(), all(null))
    await move(one.name)
    await good('PUT', `/v2/applicant/${id}`, {
      primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt', sendingCompany: other.name },
      dependents: [],
    })
    assert.deepEqual(await companiesOf('applicants', 'applicant_id', dependent.applicantId), [
      other.companyId,
    ])
  })

  it('belongs to a company that its own transaction creates after another record has named it', async () => {
    const name = `Company ${++made}`
    const ids = ['before', 'between', 'later'].map(one => `${one}-${made}`)
    await app.db.transaction(async tx => {
      const insert = (some: string[]) => tx`
        insert into applicants (applicant_id, record, company_key, name_key, name_key_reversed, search_keys, keys_version,
          created_at, updated_at)
        select id, '{}', ${name.toLowerCase()}, '', '', '{}', 1, now(), now() from unnest(${some}::text[]) as id`
      await insert(ids.slice(0, 2))
      await tx`
        insert into companies (company_id, name, name_key, created_at, updated_at)
        values (${`company-${made}`}, ${name}, ${name.toLowerCase()}, now(), now())`
      await insert(ids.slice(2))
    })
    for (const id of ids)
      assert.deepEqual(await companiesOf('applicants', 'applicant_id', id), [`company-${made}`])
  })

  it('is taken in by a company that is created at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `Concurrent ${round}`
      const people = Array.from({ length: 8 }, (_, index) =>
        good('POST', '/v2/applicant', {
          primaryApplicant: { firstName: 'A', lastName: `B${index}`, sendingCompany: name },
        }),
      )
      const [created, ...families] = await Promise.all([company(name), ...people])
      for (const { primaryApplicant } of families)
        assert.deepEqual(await companiesOf('applicants', 'applicant_id', primaryApplicant.applicantId), [
          created.companyId,
        ])
    }
  })

  it('belongs to one company only: names, codes and ids are one namespace', async () => {
    const text = `Shared ${++made}`
    const one = await company(text)
    const other = await good('POST', '/admin/v1/companies', { name: `Other ${made}`, code: `Code ${made}` })
    const rejected = [
      [{ code: text.toUpperCase() }, 'company-code-in-use'],
      [{ code: one.companyId }, 'company-code-in-use'],
      [{ name: other.code }, 'company-name-in-use'],
      [{ name: one.companyId }, 'company-name-in-use'],
    ] as const
    for (const [body, code] of rejected) {
      const created = await app.call({
        method: 'POST',
        url: '/admin/v1/companies',
        body: { name: `Third ${made}`, ...body },
      })
      assert.deepEqual([created.status, created.body.code], [409, code])
    }
    for (const [body, code] of rejected.slice(0, 2)) {
      const url = `/admin/v1/companies/${other.companyId}`
      const changed = await app.call({ method: 'PATCH', url, body })
      assert.deepEqual([changed.status, changed.body.code], [409, code])
    }
    await good('PATCH', `/admin/v1/companies/${one.companyId}`, { code: text })
  })
})

describe('a family whose caller names no company', () => {
  it('gets the only one of the caller, also where its name was the code of another one before', async () => {
    const one = await company()
    await sql`alter table companies disable trigger companies_lock_keys_insert`
    await sql`
      insert into companies (company_id, name, code, name_key, code_key, created_at, updated_at)
      values ('other', 'Other', ${one.name}, 'other', ${one.name.toLowerCase()}, now(), now())`
    await sql`alter table companies enable trigger companies_lock_keys_insert`
    const { clientId, clientSecret } = await good('POST', '/admin/v1/clients', {
      name: 'HR',
      scopes: ['applicants:read', 'applicants:write'],
      companies: [one.companyId],
    })
    const granted = await app.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
    })
    const made = await app.app.inject({
      method: 'POST',
      url: '/v2/applicant',
      headers: { authorization: `Bearer ${granted.json().access_token}` },
      payload: { primaryApplicant: { firstName: 'A', lastName: 'B' } },
    })
    assert.equal(made.statusCode, 201, made.body)
    const { applicantId } = made.json().primaryApplicant
    assert.deepEqual(await companiesOf('applicants', 'applicant_id', applicantId), [one.companyId])
  })
})

describe('a case', () => {
  it('belongs to its companies, with its steps, notes, documents and events', async () => {
    const [one, two] = [await company(), await company()]
    const created = await good('POST', '/v2/case', {
      caseType: 'Visa',
      hostCompany: two.name,
      sendingCompany: one.name,
      billingCompany: two.name,
      applicant: { firstName: 'Anna', lastName: 'Schmidt' },
    })
    const { caseId, applicantId } = created
    await good('POST', `/admin/v1/cases/${caseId}/notes`, { content: 'Text' })
    const both = [one.companyId, two.companyId].sort()
    for (const table of ['cases', 'case_steps', 'case_notes'])
      assert.deepEqual(await companiesOf(table, 'case_id', caseId), both, table)
    assert.deepEqual(await companiesOf('applicants', 'applicant_id', applicantId), [one.companyId])
    assert.deepEqual(await companiesOf('events', 'record_id', caseId), both)
    assert.deepEqual(await companiesOf('events', 'record_id', applicantId), [one.companyId])
  })
})

describe('0017-companies-as-the-boundary', () => {
  it('places the records of the previous release', async () => {
    const name = `test_${randomBytes(6).toString('hex')}`
    await sql.unsafe(`create database ${name} template template0`)
    const db = connect({ connection: testConnection(name), log: silent, poolSize: 2 })
    after(async () => {
      await db.close()
      await sql.unsafe(`drop database ${name} with (force)`)
    })
    await migrate(db, silent, (await readMigrations()).slice(0, 16))
    await db.sql`
      insert into companies (company_id, name, code, name_key, code_key, created_at, updated_at)
      values ('Company-1', 'Acme', 'AC', 'acme', 'ac', now(), now()),
        ('Company-2', 'Größe', null, 'grösse', null, now(), now())`
    const applicants = {
      a1: ' ACME ', a2: 'ac', a3: 'Company-1', a4: 'Nobody', a5: '', a6: 'GRÖSSE',
    } // biome-ignore format: a table
    for (const [id, sendingCompany] of Object.entries(applicants))
      await db.sql`
        insert into applicants (applicant_id, record, name_key, name_key_reversed, search_keys, keys_version, created_at,
          updated_at)
        values (${id}, ${JSON.stringify({ sendingCompany })}::text::json, '', '', '{}', 1, now(), now())`
    await db.sql`
      insert into applicants (applicant_id, primary_id, record, name_key, name_key_reversed, search_keys, keys_version,
        created_at, updated_at)
      values ('d1', 'a1', '{"sendingCompany":"Nobody"}', '', '', '{}', 1, now(), now())`
    await db.sql`
      insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
        applicant, created_at, updated_at)
      values ('c1', 'a4', 'open', 'Company-2', 'Company-1', 'Company-2', '{}', '{}', now(), now())`
    await db.sql`
      insert into case_steps (step_id, case_id, sequence, name, status, created_at, updated_at)
      values ('s1', 'c1', 1, 'x', 'inProgress', now(), now())`
    await db.sql`
      insert into case_notes (note_id, case_id, content, author, created_at, updated_at)
      values ('n1', 'c1', 'x', 'y', now(), now())`
    await db.sql`
      insert into documents (document_id, applicant_id, case_id, created_at, updated_at)
      values ('o1', 'a1', null, now(), now()), ('o2', 'a4', 'c1', now(), now()), ('o3', 'a4', null, now(), now())`
    await db.sql`
      insert into document_files (document_id, country_code, blob_key, file_name, content_type, size, sha256, block_hashes,
        created_at)
      values ('o2', 'DE', 'k', 'f', 't', 1, 'x', '', now())`
    await migrate(db, silent)
    const placed = await db.sql<{ id: string; companies: string | null }[]>`
      select id, array_to_string(company_ids, ' ') as companies from (
        select applicant_id as id, company_set_id from applicants
        union all select case_id, company_set_id from cases
        union all select step_id, company_set_id from case_steps
        union all select note_id, company_set_id from case_notes
        union all select document_id, company_set_id from documents
        union all select document_id || ' file', company_set_id from document_files
      ) r left join company_sets using (company_set_id)`
    const both = 'Company-1 Company-2'
    assert.deepEqual(Object.fromEntries(placed.map(({ id, companies }) => [id, companies])), {
      a1: 'Company-1', a2: 'Company-1', a3: 'Company-1', a4: null, a5: null, a6: null, d1: 'Company-1',
      c1: both, s1: both, n1: both, o1: 'Company-1', o2: both, o3: null, 'o2 file': both,
    }) // biome-ignore format: a table
    // Folding of other letters is left to the worker of the search keys, which finds the record.
    const [old] = await db.sql`select array_agg(applicant_id) as ids from applicants where keys_version < 1`
    assert.deepEqual(old?.['ids'], ['a6'])
    await createTestApp({ db })
    for (let tries = 0; ; tries++) {
      const [row] = await db.sql`
        select s.company_ids from applicants a join company_sets s using (company_set_id) where a.applicant_id = 'a6'`
      if (row) {
        assert.deepEqual(row['company_ids'], ['Company-2'])
        break
      }
      assert.ok(tries < 200, 'The record was not placed.')
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })
})
