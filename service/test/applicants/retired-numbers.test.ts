import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

describe('a retired employee number', async () => {
  const { call, client, db } = await createTestApp()
  const headers = { 'x-api-key': client.apiKey }
  const born = { dateOfBirth: '1990-05-31' }

  /** Archives a dependent, assigns its number to another person, and retires the number. */
  async function archivedWithRetiredNumber(number: string) {
    const primaryApplicant = { firstName: 'Anna', lastName: 'Schmidt' }
    const made = await call({
      method: 'POST',
      url: '/v2/applicant',
      body: {
        primaryApplicant,
        dependents: [
          { firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child', employeeNumber: number },
        ],
      },
    })
    const family = `/v2/applicant/${made.body.primaryApplicant.applicantId}`
    const [dependent] = made.body.dependents
    await call({ method: 'PUT', url: family, body: { primaryApplicant, dependents: [] } })
    const other = { ...primaryApplicant, ...born, employeeNumber: number }
    await call({ method: 'POST', url: '/v2/applicant', body: { primaryApplicant: other } })
    const changed = await call({
      method: 'POST',
      url: `/v2/applicant/employeenumber/${number}/${number}-new`,
      headers,
      body: { ...primaryApplicant, ...born },
    })
    assert.equal(changed.status, 200)
    return { family, primaryApplicant, dependent }
  }

  it('is rejected in a replace that names an archived dependent with it', async () => {
    const { family, primaryApplicant, dependent } = await archivedWithRetiredNumber('R-1')
    const response = await call({
      method: 'PUT',
      url: family,
      body: { primaryApplicant, dependents: [dependent] },
    })
    assert.equal(response.body.code, 'employee-number-retired')
  })

  it('is rejected in a statement that inserts it among others', async () => {
    await archivedWithRetiredNumber('R-9')
    const insert = db.sql`
      insert into applicants (applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, keys_version,
        created_at, updated_at)
      select 'inserted-' || coalesce(number, 'none'), number, '{}', '', '', '{}', 1, now(), now()
      from unnest(array['R-9-first', 'R-9', null]) as number`
    await assert.rejects(insert, { constraint_name: 'applicants_number_not_retired' })
  })

  it('is not restored with an archived dependent that a merge names', async () => {
    const { family, dependent } = await archivedWithRetiredNumber('R-2')
    const response = await call({
      method: 'PATCH',
      url: family,
      body: { dependents: [{ applicantId: dependent.applicantId }] },
    })
    assert.equal(response.status, 200)
    assert.deepEqual(
      response.body.dependents.map((one: Record<string, string>) => [
        one['applicantId'],
        one['employeeNumber'],
      ]),
      [[dependent.applicantId, null]],
    )
  })

  it('is not restored with an archived dependent that an operator restores', async () => {
    const { dependent } = await archivedWithRetiredNumber('R-3')
    const url = `/admin/v1/applicants/${dependent.applicantId}/restore`
    const response = await call({ method: 'POST', url, body: {} })
    assert.equal(response.body.code, 'employee-number-retired')
    const without = await call({ method: 'POST', url, body: { withoutEmployeeNumber: true } })
    assert.equal(without.status, 200)
  })
})
