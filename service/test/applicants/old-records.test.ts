// Records that an earlier release stored before a field existed are read with the default of that field.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LISTS, TEXT_FIELDS } from '../../src/applicants/applicant.ts'
import { createKeyRefresh } from '../../src/applicants/search-keys.worker.ts'
import { createTestApp, silent } from '../support/harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a response.
type Body = any

describe('a record that was stored before a field existed', async () => {
  const { call, db } = await createTestApp()
  const good = async (request: Parameters<typeof call>[0]): Promise<Body> => {
    const response = await call(request)
    assert.ok(response.status < 300, response.text)
    return response.body
  }
  let count = 0

  /** Every field is set, so that a field that is lost differs from its default. */
  const person = (fields: object = {}) => ({
    ...Object.fromEntries(TEXT_FIELDS.map(field => [field, 'x'])),
    status: 'I',
    email: 'x@example.com',
    alternateEmail: 'x@example.com',
    countryOfBirth: 'DE',
    addressCountry: 'DE',
    dateOfBirth: '1990-05-31T00:00:00',
    hireDate: '2020-05-31T00:00:00',
    metaData: [{ tagName: 'a', value: 'b' }],
    passports: [
      { passportNumber: 'P "1"', country: 'DE', issuedBy: 'x, "issuedBy":null', nationality: 'DE' },
      { passportNumber: 'P2', country: 'FR', issuedBy: 'y' },
    ],
    documents: [{ name: 'Visa', expiryReminder: 30 }],
    previousNames: [{ lastName: 'Meyer', firstName: 'Anna', middleName: 'M' }],
    ...fields,
  })

  async function family() {
    const number = `E-${++count}`
    const body = {
      primaryApplicant: person({ employeeNumber: number, relationship: '' }),
      dependents: [person({ employeeNumber: `${number}-C` })],
    }
    const { primaryApplicant, dependents } = await good({ method: 'POST', url: '/v2/applicant', body })
    return { number, primary: primaryApplicant, dependent: dependents[0] }
  }

  /** Removes fields from the stored JSON of a record; a path is such as ['passports', '0', 'issuedBy']. */
  async function forget(applicantId: string, ...paths: string[][]) {
    const [row] = await db.sql`select record from applicants where applicant_id = ${applicantId}`
    const record = row?.['record']
    for (const path of paths) {
      const parent = path.slice(0, -1).reduce((value, name) => value[name], record)
      assert.ok(delete parent[path.at(-1) as string])
    }
    await db.sql`
      update applicants set record = ${JSON.stringify(record)}::text::json where applicant_id = ${applicantId}`
  }

  /** The record as each read returns it. */
  async function reads({ number, primary, dependent }: Awaited<ReturnType<typeof family>>) {
    const byId = `/v2/applicant/${primary.applicantId}`
    const byNumber = `/v2/applicant/employeenumber/${number}`
    return {
      primaries: [await good({ url: byId }), await good({ url: byNumber })],
      dependents: [
        ...(await good({ url: `${byId}/dependents` })),
        ...(await good({ url: `${byNumber}/dependents` })),
        await good({ url: `${byId}/dependent/${dependent.applicantId}` }),
        await good({ url: `${byNumber}/dependents/${dependent.employeeNumber}` }),
      ],
    }
  }

  for (const field of TEXT_FIELDS.filter(name => name !== 'employeeNumber'))
    it(`reads as the default: ${field}`, async () => {
      const made = await family()
      await forget(made.primary.applicantId, [field])
      await forget(made.dependent.applicantId, [field])
      const value = field === 'status' ? 'A' : field === 'relationship' ? '' : null
      const { primaries, dependents } = await reads(made)
      for (const read of primaries) assert.deepEqual(read, { ...made.primary, [field]: value })
      for (const read of dependents) assert.deepEqual(read, { ...made.dependent, [field]: value })
      assert.deepEqual([primaries.length, dependents.length], [2, 4])
    })

  for (const [list, { fields }] of Object.entries(LISTS)) {
    if (list === 'documents') continue
    it(`reads as an empty list: ${list}`, async () => {
      const made = await family()
      await forget(made.primary.applicantId, [list])
      const { primaries } = await reads(made)
      for (const read of primaries) assert.deepEqual(read, { ...made.primary, [list]: [] })
    })

    for (const field of fields)
      it(`reads as null in one item of a list: ${list}, ${field}`, async () => {
        const made = await family()
        const last = made.primary[list].length - 1
        await forget(made.primary.applicantId, [list, String(last), field])
        const items = made.primary[list].with(last, { ...made.primary[list][last], [field]: null })
        const { primaries } = await reads(made)
        for (const read of primaries) assert.deepEqual(read, { ...made.primary, [list]: items })
      })
  }

  it('has the default in the search', async () => {
    const { primary } = await family()
    await forget(primary.applicantId, ['relationship'], ['email'])
    const url = `/admin/v1/applicants?employeeNumber=${primary.employeeNumber}`
    const { records } = await good({ url })
    assert.deepEqual(
      records.map(({ relationship, email }: Body) => ({ relationship, email })),
      [{ relationship: '', email: null }],
    )
  })

  it('gets its search keys where the list of passports was added later', async () => {
    const { primary } = await family()
    await forget(primary.applicantId, ['passports'])
    await db.sql`update applicants set keys_version = 0, name_key = '' where applicant_id = ${primary.applicantId}`
    await createKeyRefresh({ db, log: silent }).run()
    const { records } = await good({
      url: `/admin/v1/applicants?name=x&employeeNumber=${primary.employeeNumber}`,
    })
    assert.equal(records.length, 1)
  })

  it('is unchanged by a PUT or PATCH of what reads return, and has the field once it is written', async () => {
    const { number, primary } = await family()
    await forget(primary.applicantId, ['jobTitle'], ['passports', '0', 'issuedBy'])
    const url = `/v2/applicant/employeenumber/${number}`
    const read = await good({ url })
    for (const method of ['PUT', 'PATCH'] as const) {
      const { primaryApplicant } = await good({ method, url, body: { primaryApplicant: read } })
      assert.deepEqual(primaryApplicant, read)
    }
    const passports = [{ passportId: read.passports[0].passportId, passportNumber: 'P3' }]
    await good({ method: 'PATCH', url, body: { primaryApplicant: { passports } } })
    const [row] = await db.sql`select record from applicants where applicant_id = ${primary.applicantId}`
    assert.equal(row?.['record'].jobTitle, null)
    assert.equal(row?.['record'].passports[0].issuedBy, null)
  })
})
