// Cases that an earlier release stored lack the fields that were added since.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createTestApp } from '../support/harness.ts'

const app = await createTestApp()

describe('a case that was stored before a field was added', () => {
  let whole: Record<string, unknown>
  let caseId = ''

  before(async () => {
    await app.call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
    const created = await app.call({
      method: 'POST',
      url: '/v2/case',
      body: {
        caseType: 'Visa',
        hostCompany: 'Acme',
        sendingCompany: 'Acme',
        billingCompany: 'Acme',
        costCenter: '4711',
        metadata: [{ tagName: 'project', value: 'Orion' }],
        applicant: {
          employeeNumber: 'E-1',
          firstName: 'Anna',
          lastName: 'Schmidt',
          Vip: true,
          passports: [{ passportNumber: 'C01X00T47', country: 'DE' }],
          dependents: [{ firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child', gender: 'M' }],
        },
      },
    })
    assert.equal(created.status, 201, created.text)
    const { warnings: _warnings, ...body } = created.body
    whole = body
    caseId = body.caseId
  })

  /** The case with these paths taken out of what is stored, as each operation returns it. */
  const without = async (...paths: string[][]) => {
    for (const path of paths)
      await app.db.sql`
        update cases
        set details = (details::jsonb #- ${path}::text[])::json, applicant = (applicant::jsonb #- ${path}::text[])::json,
          version = version + 1`
    const read = await app.call({ url: `/v2/case/${encodeURIComponent(caseId)}` })
    const [listed, ...others] = (await app.call({ url: '/v2/cases/applicant/employeenumber/E-1' })).body
    assert.deepEqual(others, [])
    assert.deepEqual(listed, read.body)
    return read.body
  }

  it('has null for a field, in the order of the others', async () => {
    const read = await without(['costCenter'], ['Vip'])
    const applicant = { ...(whole['applicant'] as object), Vip: null }
    assert.deepEqual(read, { ...whole, costCenter: null, applicant })
    assert.deepEqual(Object.keys(read), Object.keys(whole))
    assert.deepEqual(Object.keys(read.applicant), Object.keys(applicant))
  })

  it('has null for a field of an item', async () => {
    const read = await without(
      ['metadata', '0', 'value'],
      ['passports', '0', 'country'],
      ['dependents', '0', 'gender'],
    )
    assert.deepEqual(read.metadata, [{ tagName: 'project', value: null }])
    assert.equal(read.applicant.passports[0].passportNumber, 'C01X00T47')
    assert.equal(read.applicant.passports[0].country, null)
    assert.equal(read.applicant.dependents[0].firstName, 'Ben')
    assert.equal(read.applicant.dependents[0].gender, null)
  })

  it('has an empty list for a list', async () => {
    const read = await without(['metadata'], ['passports'], ['dependents'])
    assert.deepEqual([read.metadata, read.applicant.passports, read.applicant.dependents], [[], [], []])
  })
})
