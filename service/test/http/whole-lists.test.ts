// Lists without pages return all records, whatever their number.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const app = await createTestApp()
const COUNT = 1_100

describe('a list without pages', () => {
  let applicantId = ''
  let caseId = ''

  before(async () => {
    const { sql } = app.db
    await sql`
      insert into companies (company_id, name, active, name_key, created_at, updated_at)
      select 'company-' || n, 'Company ' || n, true, 'company ' || n, now(), now() from generate_series(1, ${COUNT}) n`
    const body = {
      caseType: 'Visa',
      hostCompany: 'Company 1',
      sendingCompany: 'Company 2',
      billingCompany: 'Company 3',
      applicant: { firstName: 'Anna', lastName: 'Schmidt' },
    }
    const made = await app.call({ method: 'POST', url: '/v2/case', body })
    assert.equal(made.status, 201)
    applicantId = made.body.applicantId
    caseId = made.body.caseId
    await sql`
      insert into processes (name, name_key, steps, updated_at)
      select 'Process ' || n, 'process ' || n, '{One}', now() from generate_series(1, ${COUNT}) n`
    await sql`
      insert into webhooks (webhook_id, url, description, event_types, secret, active, created_at, updated_at)
      select 'webhook-' || n, 'https://example.com/', '', '{}', 'whsec_x', false, now(), now()
      from generate_series(1, ${COUNT}) n`
    await sql`
      insert into cases (case_id, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
        applicant, created_at, updated_at)
      select 'case-' || n, applicant_id, status, host_company_id, sending_company_id, billing_company_id, details,
        applicant, created_at, updated_at
      from cases, generate_series(1, ${COUNT}) n`
    await sql`
      insert into case_steps (step_id, case_id, sequence, name, status, created_at, updated_at)
      select 'step-' || n, ${caseId}, 100 + n, 'Step', 'notStarted', now(), now() from generate_series(1, ${COUNT}) n`
    await sql`
      insert into case_notes (note_id, case_id, content, author, created_at, updated_at)
      select 'note-' || n, ${caseId}, 'Text', 'Me', now(), now() from generate_series(1, ${COUNT}) n`
    await sql`
      insert into applicants (applicant_id, primary_id, record, name_key, name_key_reversed, search_keys, keys_version,
        created_at, updated_at)
      select 'dependent-' || n, applicant_id, record, name_key, name_key_reversed, search_keys, keys_version, created_at,
        updated_at
      from applicants, generate_series(1, ${COUNT}) n`
    await sql`
      insert into clients (client_id, name, secret_hash, scopes, created_at)
      select 'client-' || n, 'Client', c.secret_hash, c.scopes, c.created_at
      from (select * from clients limit 1) c, generate_series(1, ${COUNT}) n`
  })

  const lists = {
    companies: () => '/admin/v1/companies',
    processes: () => '/admin/v1/processes',
    webhooks: () => '/admin/v1/webhooks',
    clients: () => '/admin/v1/clients',
    'cases of an applicant': () => `/v2/cases/applicant/id/${applicantId}`,
    'steps of a case': () => `/v2/case/${caseId}/steps`,
    'notes of a case': () => `/v2/case/${caseId}/notes`,
    'dependents of an applicant': () => `/v2/applicant/${applicantId}/dependents`,
  }
  for (const [name, url] of Object.entries(lists))
    it(`contains all ${name}`, async () => {
      const { status, body } = await app.call({ url: url() })
      assert.equal(status, 200)
      assert.ok(body.length >= COUNT, `${body.length}`)
    })
})
