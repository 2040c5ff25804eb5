// Request bodies, paths and calls for applicants. Every employee number is unique, so that the suite can run repeatedly
// against the same service.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { type Call, call, type TestResponse } from './client.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test sends whatever it wants to see rejected.
export type Fields = Record<string, any>

const run = randomBytes(5).toString('hex')
let made = 0

export const newNumber = (prefix = 'E') => `${prefix}-${run}-${++made}`

/** An id assigned by the client, as for records migrated from another system. */
export const ownId = () => `own-${run}_${++made}==`

export const person = (fields: Fields = {}): Fields => ({
  employeeNumber: newNumber(),
  firstName: 'Anna',
  lastName: 'Schmidt',
  dateOfBirth: '1990-05-31',
  ...fields,
})

export const child = (fields: Fields = {}): Fields => ({
  employeeNumber: newNumber('C'),
  firstName: 'Ben',
  lastName: 'Schmidt',
  dateOfBirth: '2018-09-12',
  relationship: 'Child',
  ...fields,
})

/** Every field of a record, each with a distinct value. */
export const everyField = (fields: Fields = {}): Fields => ({
  employeeNumber: newNumber(),
  status: 'A',
  email: 'zoe@example.com',
  alternateEmail: 'zoe.private@example.org',
  firstName: 'Zoë',
  lastName: "D'Angelo-Müller",
  middleName: 'María José',
  gender: 'F',
  maritalStatus: 'M',
  sendingCompany: 'Aurora Shipping GmbH & Co. KG',
  dateOfBirth: '1984-02-29T00:00:00',
  countryOfBirth: 'IE',
  cityOfBirth: 'Dún Laoghaire',
  nationality: 'IE',
  addressLine1: '12 "The Elms"',
  addressLine2: 'c/o Nguyễn',
  addressCity: '東京',
  addressState: 'Tokyo-to',
  addressPostalCode: '100-0001',
  addressCountry: 'JP',
  telephone: '+81 3 1234 5678',
  alternateTelephone: '+353 1 555 0100',
  jobTitle: 'Naval architect 🚢',
  relationship: '',
  hireDate: '2019-07-01T08:30:15',
  metaData: [
    { tagName: 'costCenter', value: '4711' },
    { tagName: 'vip', value: 'no' },
  ],
  passports: [
    {
      passportNumber: 'PA1234567',
      issueDate: '2020-01-02T00:00:00',
      expiryDate: '2030-01-01T23:59:59',
      nationality: 'IE',
      country: 'IE',
      issuedBy: 'DFA',
    },
    {
      passportNumber: 'GB-OLD 9',
      issueDate: '2010-01-02T00:00:00',
      expiryDate: '2020-01-01T00:00:00',
      nationality: 'GB',
      country: 'GB',
      issuedBy: 'GB',
    },
  ],
  documents: [
    {
      name: 'Residence card',
      description: 'Card with two sides',
      issueDate: null,
      expiryDate: '2027-06-30T00:00:00',
      referenceNumber: 'RC-1',
      country: 'JP',
      remindAboutRenewal: true,
      expiryReminder: 0,
    },
    {
      name: 'Certificate of eligibility',
      description: 'Original',
      issueDate: '2019-05-01T10:00:00',
      expiryDate: '2019-08-01T00:00:00',
      referenceNumber: 'COE-2',
      country: 'JP',
      remindAboutRenewal: false,
      expiryReminder: 45,
    },
  ],
  previousNames: [{ lastName: 'Byrne', firstName: 'Zoë', middleName: 'María' }],
  ...fields,
})

const segment = encodeURIComponent

export const byId = (id: string) => `/v2/applicant/${segment(id)}`
export const byNumber = (number: string) => `/v2/applicant/employeenumber/${segment(number)}`
export const dependentById = (id: string, dependentId: string) =>
  `${byId(id)}/dependent/${segment(dependentId)}`
export const dependentByNumber = (number: string, dependent: string) =>
  `${byNumber(number)}/dependents/${segment(dependent)}`

type Rest = Partial<Call>

export const get = (path: string, rest: Rest = {}) => call({ path, ...rest })
export const post = (path: string, body: unknown, rest: Rest = {}) =>
  call({ method: 'POST', path, body, ...rest })
export const put = (path: string, body: unknown, rest: Rest = {}) =>
  call({ method: 'PUT', path, body, ...rest })
export const patch = (path: string, body: unknown, rest: Rest = {}) =>
  call({ method: 'PATCH', path, body, ...rest })

/** The body of a response that must be a success. */
export async function expectOk(response: Promise<TestResponse>): Promise<Fields> {
  const { status, body } = await response
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
  return body
}

/** Creates a family and returns its ids. */
export async function family(primary: Fields = person(), dependents: Fields[] = []) {
  const body = await expectOk(post('/v2/applicant', { primaryApplicant: primary, dependents }))
  const { applicantId: id, employeeNumber: number } = body['primaryApplicant']
  return { id, number, primary: body['primaryApplicant'], dependents: body['dependents'] } as {
    id: string
    number: string
    primary: Fields
    dependents: Fields[]
  }
}

/** A new family with one dependent. */
export async function createFamilyWithDependent(primary: Fields = person(), dependent: Fields = child()) {
  const made = await family(primary, [dependent])
  const one = made.dependents[0] as Fields
  return {
    ...made,
    dependent: one,
    dependentId: one['applicantId'] as string,
    dependentNumber: one['employeeNumber'] as string,
  }
}

export async function expectProblem(
  response: Promise<TestResponse>,
  status: number,
  code: string,
): Promise<Fields> {
  const { status: actual, body } = await response
  assert.deepEqual([actual, body?.code], [status, code], JSON.stringify(body))
  return body
}

/** Expects 400 with exactly these pointers in `errors`. */
export async function expectInvalid(response: Promise<TestResponse>, ...pointers: string[]): Promise<Fields> {
  const body = await expectProblem(response, 400, 'invalid-request')
  const found = (body['errors'] ?? []).map((error: { pointer: string }) => error.pointer)
  assert.deepEqual(found.sort(), [...pointers].sort(), JSON.stringify(body))
  return body
}

/** A number that is retired: its applicant has a new one. */
export async function retiredNumber(caller: Rest): Promise<string> {
  const { number } = await family()
  const identity = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
  await expectOk(post(`${byNumber(number)}/${segment(newNumber())}`, identity, caller))
  return number
}

/** A client for tests that fail identity checks or need two callers. It is disabled when the tests are done. */
export async function newCaller(): Promise<{ token: string; apiKey: string }> {
  const scopes = ['applicants:read', 'applicants:write']
  const { clientId, clientSecret } = await expectOk(
    post('/admin/v1/clients', { name: 'Acceptance tests', scopes }),
  )
  const path = `/admin/v1/clients/${clientId}`
  after(() => expectOk(call({ method: 'POST', path: `${path}/disable` })))
  const { apiKey } = await expectOk(post(`${path}/api-keys`, { name: 'Acceptance tests' }))
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const { access_token: token } = await expectOk(
    call({
      method: 'POST',
      path: '/oauth/token',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      scopes: null,
    }),
  )
  return { token, apiKey }
}
