import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { call, credentials } from './client.ts'

const path = '/admin/v1/applicants'
const run = randomBytes(4).toString('hex')
const find = async (query: Record<string, string>) => call({ path: `${path}?${new URLSearchParams(query)}` })
const idsOf = async (query: Record<string, string>) =>
  (await find(query)).body.map((found: { applicantId: string }) => found.applicantId)

describe(`GET ${path}`, () => {
  let primaryId = ''
  let childId = ''
  const number = `S-${run}`

  before(async () => {
    const made = await call({
      method: 'POST',
      path: '/v2/applicant',
      body: {
        primaryApplicant: {
          employeeNumber: number,
          firstName: 'Jürgen',
          lastName: `Müller${run}`,
          email: `Jurgen.${run}@Example.com`,
          alternateEmail: `other.${run}@example.com`,
          passports: [{ passportNumber: `P ${run} 1`, country: 'DE' }],
        },
        dependents: [
          {
            firstName: 'Zoë',
            lastName: `Müller${run}`,
            relationship: 'Child',
            employeeNumber: `${number}-C`,
          },
        ],
      },
    })
    primaryId = made.body.primaryApplicant.applicantId
    childId = made.body.dependents[0].applicantId
  })

  it('finds by the beginning of a name in either order, without regard to case and accents', async () => {
    assert.deepEqual(await idsOf({ name: `MULLER${run}` }), [primaryId, childId])
    assert.deepEqual(await idsOf({ name: `jurgen mull` }).then(ids => ids.includes(primaryId)), true)
    assert.deepEqual(await idsOf({ name: `müller${run} z` }), [childId])
  })

  it('finds by number, e-mail address and passport number', async () => {
    assert.deepEqual(await idsOf({ employeeNumber: number }), [primaryId])
    assert.deepEqual(await idsOf({ email: `jurgen.${run}@example.com` }), [primaryId])
    assert.deepEqual(await idsOf({ email: `OTHER.${run}@example.com` }), [primaryId])
    assert.deepEqual(await idsOf({ passportNumber: `p${run}1` }), [primaryId])
  })

  it('takes several criteria together', async () => {
    assert.deepEqual(await idsOf({ name: `muller${run}`, employeeNumber: `${number}-C` }), [childId])
    assert.deepEqual(await idsOf({ name: `zoe`, employeeNumber: number }), [])
  })

  it('needs a criterion, and names one it does not know', async () => {
    assert.equal((await find({})).status, 400)
    const misspelt = await find({ nmae: 'x' })
    assert.match(misspelt.body.errors[0].detail, /Did you mean name\?/)
    assert.equal((await find({ name: 'x', maxRecords: '0' })).status, 400)
    assert.equal((await find({ name: 'x', maxRecords: '1001' })).status, 400)
  })

  it('gives no more than maxRecords', async () => {
    assert.equal((await find({ name: `muller${run}`, maxRecords: '1' })).body.length, 1)
  })

  it('shows archived dependents, which can be restored', async () => {
    const record = (await call({ path: `/v2/applicant/${primaryId}` })).body
    await call({
      method: 'PUT',
      path: `/v2/applicant/${primaryId}`,
      body: { primaryApplicant: record, dependents: [] },
    })
    assert.deepEqual(await idsOf({ name: `muller${run}` }), [primaryId])
    assert.deepEqual(await idsOf({ name: `muller${run}`, archived: 'true' }), [childId])

    const restore = (id: string, body = {}) => call({ method: 'POST', path: `${path}/${id}/restore`, body })
    assert.equal((await restore(primaryId)).body.code, 'archived-applicant-not-found')

    const thief = { primaryApplicant: { firstName: 'A', lastName: 'B', employeeNumber: `${number}-C` } }
    assert.equal((await call({ method: 'POST', path: '/v2/applicant', body: thief })).status, 201)
    assert.equal((await restore(childId)).body.code, 'employee-number-in-use')
    const identity = { firstName: 'A', lastName: 'B', dateOfBirth: '1990-05-31' }
    await call({
      method: 'PATCH',
      path: `/v2/applicant/employeenumber/${number}-C`,
      body: { primaryApplicant: { dateOfBirth: identity.dateOfBirth } },
    })
    const renumbered = await call({
      method: 'POST',
      path: `/v2/applicant/employeenumber/${number}-C/${number}-T`,
      body: identity,
      apiKey: credentials.apiKey,
    })
    assert.equal(renumbered.status, 200)
    assert.equal((await restore(childId)).body.code, 'employee-number-retired')
    const restored = await restore(childId, { withoutEmployeeNumber: true })
    assert.equal(restored.status, 200)
    assert.equal(restored.body.employeeNumber, null)
    const dependents = await call({ path: `/v2/applicant/${primaryId}/dependents` })
    assert.deepEqual(
      dependents.body.map((one: { applicantId: string }) => one.applicantId),
      [childId],
    )
  })

  it('repeats the answer to a restore with the same Idempotency-Key, and refuses it for another', async () => {
    const headers = { 'idempotency-key': `restore-${run}` }
    const first = await call({ method: 'POST', path: `${path}/${childId}/restore`, body: {}, headers })
    const again = await call({ method: 'POST', path: `${path}/${childId}/restore`, body: {}, headers })
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    const other = await call({
      method: 'POST',
      path: `${path}/${childId}/restore`,
      body: { withoutEmployeeNumber: true },
      headers,
    })
    assert.equal(other.body.code, 'idempotency-key-reused')
  })
})
