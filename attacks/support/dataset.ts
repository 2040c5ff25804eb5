// One record of each kind, so that an attack gets further than 404. The values are used as path parameters.
import type { Target } from './target.ts'

/** An id that no record has. */
export const NO_ID = 'bm90aGluZyBoYXMgdGhpcyA='

export type Dataset = Record<string, string>

/** Keys are the names of path parameters in openapi.json. */
export async function createDataset({ call }: Target, mark = ''): Promise<Dataset> {
  const create = async (method: string, path: string, body: unknown) => {
    const response = await call(method, path, body)
    if (response.status > 299)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
    return response.body
  }
  const company = await create('POST', '/admin/v1/companies', { name: `Dataset ${mark}`, code: `D${mark}` })
  const family = await create('POST', '/v2/applicant', {
    primaryApplicant: {
      employeeNumber: `D-1${mark}`,
      firstName: 'Anna',
      lastName: 'Sample',
      dateOfBirth: '1990-05-31',
    },
    dependents: [
      {
        employeeNumber: `D-2${mark}`,
        firstName: 'Ben',
        lastName: 'Sample',
        relationship: 'Child',
        dateOfBirth: '2018-09-12',
      },
    ],
  })
  const double = await create('POST', '/v2/applicant', {
    primaryApplicant: { firstName: 'Anna', lastName: 'Sample', dateOfBirth: '1990-05-31' },
  })
  const merge = await create(
    'POST',
    `/admin/v1/applicants/${encodeURIComponent(family.primaryApplicant.applicantId)}/merge`,
    { from: double.primaryApplicant.applicantId },
  )
  const record = await create('POST', '/v2/case', {
    caseType: 'Work Permit',
    hostCompany: company.companyId,
    sendingCompany: company.companyId,
    billingCompany: company.companyId,
    applicant: { employeeNumber: `D-1${mark}`, firstName: 'Anna', lastName: 'Sample' },
  })
  const note = await create('POST', `/admin/v1/cases/${record.caseId}/notes`, {
    content: 'A note.',
    author: 'R. Okafor',
  })
  const form = new FormData()
  form.set('caseId', record.caseId)
  form.set('countryCode', 'DE')
  form.set('document', new Blob(['%PDF-1.7 a permit']), 'permit.pdf')
  const file = await create('POST', '/v2/document', form)
  const client = await create('POST', '/admin/v1/clients', {
    name: 'Victim',
    scopes: ['applicants:read'],
    clientId: `victim${mark}`,
  })
  const key = await create('POST', `/admin/v1/clients/${client.clientId}/api-keys`, { name: 'key' })
  await create('PUT', `/admin/v1/processes/dataset${mark}`, { steps: ['First', 'Second'] })
  const webhook = await create('POST', '/admin/v1/webhooks', {
    url: 'https://hooks.invalid/dataset',
    eventTypes: ['document.renewal_due'],
    active: false,
  })
  const block = await create('POST', '/admin/v1/blocked-callers', {
    caller: `oidc:issuer.invalid:dataset${mark}`,
    reason: 'Dataset',
  })
  const user = await create('POST', '/admin/v1/users', {
    email: `victim${mark}@example.com`,
    name: 'R. Okafor',
    roles: ['viewer'],
  })
  const view = await create('POST', '/admin/v1/views', {
    screen: 'cases',
    name: `Dataset ${mark}`,
    query: { status: 'open' },
  })
  return {
    applicantId: family.primaryApplicant.applicantId,
    dependentId: family.dependents[0].applicantId,
    employeeNumber: `D-1${mark}`,
    oldEmployeeNumber: `D-1${mark}`,
    newEmployeeNumber: `D-3${mark}`,
    dependentEmployeeNumber: `D-2${mark}`,
    caseId: record.caseId,
    mergeId: merge.mergeId,
    stepId: record.steps[0].stepId,
    noteId: note.noteId,
    documentId: file.documentId,
    fileVersion: '1',
    row: '1',
    token: NO_ID,
    companyId: company.companyId,
    clientId: client.clientId,
    keyId: key.keyId,
    blockId: block.blockId,
    name: `dataset${mark}`,
    webhookId: webhook.webhookId,
    deliveryId: NO_ID,
    userId: user.userId,
    viewId: view.viewId,
    importId: NO_ID,
    sessionId: NO_ID,
    passkeyId: NO_ID,
  }
}
