// The cost of reads and writes of a family does not depend on its archived dependents or on the size of the table.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import * as store from '../../src/applicants/applicants.store.ts'
import type { Sql, Tx } from '../../src/db/database.ts'
import { createTestApp } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const NUMBER = 'F-1'
const FORMER = 3000
const OTHERS = 5000

describe('a family with thousands of archived dependents in a large table', async () => {
  const { call, db } = await createTestApp()
  const { sql } = db
  const url = `/v2/applicant/employeenumber/${NUMBER}`
  const primaryApplicant = { firstName: 'Anna', lastName: 'Schmidt' }
  const child = { firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child' }
  const ids = { primary: '', first: '', now: '' }

  before(async () => {
    const made = await call({ method: 'PUT', url, body: { primaryApplicant, dependents: [child] } })
    const other = { ...child, firstName: 'Cleo' }
    const again = await call({ method: 'PUT', url, body: { primaryApplicant, dependents: [other] } })
    ids.primary = made.body.primaryApplicant.applicantId
    ids.first = made.body.dependents[0].applicantId
    ids.now = again.body.dependents[0].applicantId
    await sql`
      insert into applicants (applicant_id, primary_id, record, name_key, name_key_reversed, search_keys, created_at,
        updated_at, archived_at)
      select 'former-' || n, primary_id, record, name_key, name_key_reversed, search_keys, created_at, updated_at,
        archived_at
      from applicants, generate_series(1, ${FORMER}) n where applicant_id = ${ids.first}`
    await sql`
      insert into applicants (applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, created_at,
        updated_at)
      select 'other-' || n, 'O-' || n, record, name_key, name_key_reversed, search_keys, created_at, updated_at
      from applicants, generate_series(1, ${OTHERS}) n where applicant_id = ${ids.primary}`
    await sql`vacuum analyze applicants`
  })

  const asked: [string, (sql: Sql) => Promise<unknown>][] = [
    ['the family of a number', sql => store.listFamily(sql as Tx, { number: NUMBER })],
    ['the family of an id', sql => store.listFamily(sql as Tx, { id: ids.primary })],
    ['the dependents of a number', sql => store.findDependents(sql, { number: NUMBER })],
    ['a dependent by its id', sql => store.findDependent(sql, { number: NUMBER }, ids.now)],
    ['records by ids and numbers', sql => store.listRecords(sql as Tx, [ids.now], [NUMBER, 'O-7'])],
    ['families, locked', sql => store.lockFamilies(sql as Tx, [ids.now, 'other-9'], [NUMBER, 'O-7'])],
    ['an applicant, locked', sql => store.lockPrimary(sql as Tx, { number: NUMBER })],
  ]
  for (const [name, ask] of asked)
    it(`reads a few blocks: ${name}`, async () => {
      const { plans } = await planned(sql, ask)
      assert.ok(plans.length > 0)
      for (const nodes of plans) {
        const [top] = nodes
        assert.ok(top)
        const plan = JSON.stringify(
          nodes.map(node => [node['Node Type'], node['Index Name'], blocksOf(node)]),
        )
        assert.ok(blocksOf(top) <= 40, `${blocksOf(top)} blocks were read: ${plan}`)
      }
    })

  it('is listed without archived dependents', async () => {
    const rows = await store.listFamily(sql as unknown as Tx, { number: NUMBER })
    assert.deepEqual(
      rows.map(({ id }) => id),
      [ids.primary, ids.now],
    )
  })

  it('restores an archived dependent by its id', async () => {
    const back = { ...child, applicantId: ids.first }
    const response = await call({ method: 'PUT', url, body: { primaryApplicant, dependents: [back] } })
    assert.equal(response.status, 200)
    assert.deepEqual(
      response.body.dependents.map((one: { applicantId: string }) => one.applicantId),
      [ids.first],
    )
  })
})

describe('the number of an archived dependent', async () => {
  const { call } = await createTestApp()
  const primaryApplicant = { firstName: 'Anna', lastName: 'Schmidt' }
  const child = { firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child' }

  for (const [index, method] of (['PUT', 'PATCH'] as const).entries()) {
    const number = `G-${index}`
    const url = `/v2/applicant/employeenumber/${number}`
    const archive = async () => {
      const dependents = [{ ...child, employeeNumber: `${number}-old` }]
      const made = await call({ method: 'PUT', url, body: { primaryApplicant, dependents } })
      await call({ method: 'PUT', url, body: { primaryApplicant, dependents: [] } })
      return made.body.dependents[0].applicantId as string
    }

    it(`is restored with the record in a ${method} that names it by number, id or name`, async () => {
      const applicantId = await archive()
      for (const back of [{ ...child, employeeNumber: `${number}-old` }, { ...child, applicantId }, child]) {
        const { status, body } = await call({ method, url, body: { primaryApplicant, dependents: [back] } })
        assert.equal(status, 200)
        assert.deepEqual(
          body.dependents.map((one: Record<string, string>) => [one['applicantId'], one['employeeNumber']]),
          [[applicantId, `${number}-old`]],
        )
        await call({ method: 'PUT', url, body: { primaryApplicant, dependents: [] } })
      }
    })

    it(`cannot be changed in a ${method} that restores the record`, async () => {
      const applicantId = await archive()
      const dependents = [{ ...child, applicantId, employeeNumber: `${number}-new` }]
      const { status, body } = await call({ method, url, body: { primaryApplicant, dependents } })
      assert.deepEqual([status, body.code], [409, 'employee-number-fixed'])
    })

    it(`is not restored in a ${method} where another person has the number by now`, async () => {
      const applicantId = await archive()
      const taken = `/v2/applicant/employeenumber/${number}-old`
      await call({ method: 'PUT', url: taken, body: { primaryApplicant } })
      const { status, body } = await call({ method, url, body: { primaryApplicant, dependents: [child] } })
      assert.equal(status, 200)
      assert.deepEqual(
        body.dependents.map((one: Record<string, string>) => [one['applicantId'], one['employeeNumber']]),
        [[applicantId, null]],
      )
      const claimed = { ...child, employeeNumber: `${number}-old` }
      const again = await call({ method, url, body: { primaryApplicant, dependents: [claimed] } })
      assert.equal(again.status, 409)
    })
  }
})
