// The service of the run, and clients of it.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type CaseportOptions, createCaseport } from '../../src/caseport.ts'

export const BASE_URL = process.env['BASE_URL'] ?? ''
export const CLIENT_ID = process.env['CLIENT_ID'] ?? ''
export const CLIENT_SECRET = process.env['CLIENT_SECRET'] ?? ''
export const API_KEY = process.env['API_KEY'] ?? ''

export const CLIENT_AUTH = { kind: 'client', clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } as const

export const connect = (options: Partial<CaseportOptions> = {}) =>
  createCaseport({ baseUrl: BASE_URL, auth: CLIENT_AUTH, apiKey: API_KEY, ...options })

export const newName = (prefix: string) => `${prefix}-${randomUUID().slice(0, 8)}`

export const ANNA = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }

async function newCompany(caseport = connect()) {
  const code = newName('CO').toUpperCase()
  const { companyId } = await caseport.companies.create({ name: `Company ${code}`, code, country: 'DE' })
  return { companyId, code }
}

/** A client of a new company: its lists have no records of other tests. */
export async function connectNewCompany() {
  const company = await newCompany()
  const { clientId, clientSecret } = await connect().clients.create({
    name: `Client of ${company.code}`,
    scopes: ['cases:read', 'cases:write', 'desk:write'],
    companies: [company.companyId],
  })
  assert.ok(clientSecret)
  return { company, caseport: connect({ auth: { kind: 'client', clientId, clientSecret } }) }
}

/** A case of a new person. */
export async function newCase(caseport = connect(), company?: { code: string }) {
  const { code } = company ?? (await newCompany(caseport))
  return caseport.cases.create({
    caseType: 'Work Permit',
    hostCountry: 'DE',
    hostCompany: code,
    sendingCompany: code,
    billingCompany: code,
    applicant: { employeeNumber: newName('E'), firstName: 'Anna', lastName: 'Schmidt' },
  })
}

/** Today and the days around it, so that a test may run at midnight. */
export function aroundToday() {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  return { startDate: day(-1), endDate: day(1) }
}
