// Callers who are limited to some companies, and a full set of records that belong to one company.
import { after } from 'node:test'
import { addNote, type Company, newCase } from './case-factories.ts'
import { call } from './client.ts'
import { createFamilyWithDependent, expectOk, type Fields, person, post } from './people.ts'

export interface Caller {
  clientId: string
  token: string
  apiKey: string
}

const SCOPES = [
  'applicants:read',
  'applicants:write',
  'cases:read',
  'cases:write',
  'documents:read',
  'documents:write',
  'admin',
]

export const clientAt = (clientId: string) => `/admin/v1/clients/${encodeURIComponent(clientId)}`

const made: string[] = []
after(async () => {
  for (const clientId of made) await call({ method: 'POST', path: `${clientAt(clientId)}/disable` })
})

/** A client that sees these companies only. It is disabled when the tests are done. */
export async function limitedTo(...companies: Company[]): Promise<Caller> {
  const body = {
    name: 'Limited acceptance tests',
    scopes: SCOPES,
    companies: companies.map(({ companyId }) => companyId),
  }
  const { clientId, clientSecret } = await expectOk(post('/admin/v1/clients', body))
  made.push(clientId)
  const { apiKey } = await expectOk(post(`${clientAt(clientId)}/api-keys`, { name: 'Acceptance tests' }))
  return { clientId, apiKey, token: await tokenOf(clientId, clientSecret) }
}

export async function tokenOf(clientId: string, clientSecret: string): Promise<string> {
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
  return token
}

export const pdf = (text: string) => Buffer.from(`%PDF-1.7\n${text}\n`)

export async function upload(caseId: string, rest: { token?: string } = {}) {
  const form = new FormData()
  form.append('caseId', caseId)
  form.append('countryCode', 'DE')
  form.append('document', new Blob([pdf(caseId)], { type: 'application/pdf' }), 'permit.pdf')
  return call({ method: 'POST', path: '/v2/document', body: form, ...rest })
}

/** One record of every kind, all of this company. */
export async function recordsOf(owner: Company) {
  const primary = person({
    sendingCompany: owner.name,
    documents: [{ name: 'Residence card', referenceNumber: `RC ${owner.code}` }],
  })
  const people = await createFamilyWithDependent(primary)
  const companies = { hostCompany: owner.name, sendingCompany: owner.code, billingCompany: owner.companyId }
  const { caseId, steps } = await newCase(companies, { employeeNumber: people.number })
  const { noteId } = await addNote(caseId, `Note of ${owner.name}`)
  const { documentId } = await expectOk(upload(caseId))
  const webhook = await expectOk(
    post('/admin/v1/webhooks', { url: 'https://receiver.invalid/hook', active: false }),
  )
  return {
    applicantId: people.id,
    employeeNumber: people.number,
    dependentId: people.dependentId,
    dependentNumber: people.dependentNumber,
    recordDocumentId: people.primary['documents'][0].documentId as string,
    caseId,
    stepId: (steps[0] as Fields)['stepId'] as string,
    noteId: noteId as string,
    documentId: documentId as string,
    webhookId: webhook['webhookId'] as string,
  }
}

export type Records = Awaited<ReturnType<typeof recordsOf>>
