// Callers who are limited to some companies: what belongs to other companies does not exist for them.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  adminCase,
  adminNote,
  adminStep,
  COMPANIES,
  type Company,
  caseAt,
  caseBody,
  casesOfId,
  casesOfNumber,
  company,
  dayFromNow,
  newName,
  notesAt,
  processAt,
  stepsAt,
  UNKNOWN_ID,
} from './case-factories.ts'
import { type Call, call, contract } from './client.ts'
import {
  type Caller,
  clientAt,
  limitedTo,
  type Records,
  recordsOf,
  tokenOf,
  upload,
} from './company-factories.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentById,
  dependentByNumber,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  ownId,
  patch,
  person,
  post,
  put,
} from './people.ts'
import { createPerson, PASSWORD } from './visitors.ts'

const today = new Date().toISOString().slice(0, 10)
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const days = `startDate=${today}&endDate=${tomorrow}&maxRecords=1000`
const segment = encodeURIComponent
const documentAt = (id: string) => `/v2/document/${segment(id)}`
const webhookAt = (id: string, rest = '') => `/admin/v1/webhooks/${segment(id)}${rest}`
const companyAt = (id: string) => `${COMPANIES}/${segment(id)}`

const identity = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }

let own: Company
let foreign: Company
let ownRecords: Records
let foreignRecords: Records
let foreignClient: Caller
let caller: Caller
/** The credentials of the limited caller. */
let as: { token: string }

before(async () => {
  ;[own, foreign] = [await company(), await company()]
  ownRecords = await recordsOf(own)
  foreignRecords = await recordsOf(foreign)
  foreignClient = await limitedTo(foreign)
  caller = await limitedTo(own)
  as = { token: caller.token }
})

const UNKNOWN: Records = {
  applicantId: UNKNOWN_ID,
  employeeNumber: 'E-nobody-has-this',
  dependentId: UNKNOWN_ID,
  dependentNumber: 'C-nobody-has-this',
  recordDocumentId: UNKNOWN_ID,
  caseId: UNKNOWN_ID,
  stepId: UNKNOWN_ID,
  noteId: UNKNOWN_ID,
  documentId: UNKNOWN_ID,
  webhookId: UNKNOWN_ID,
}

interface Named extends Records {
  companyId: string
  clientId: string
}

const adminDocument = (documentId: string) => `/admin/v1/documents/${segment(documentId)}`
const fileOf = (fields: Record<string, string>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('document', new Blob(['%PDF-1.7 a permit']), 'permit.pdf')
  return form
}

type Request = (ids: Named) => Call

const child1 = { firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child' }

/** A valid request of every operation that names a record. PUT creates what is missing, and has tests of its own. */
const REQUESTS: Record<string, Request[]> = {
  getApplicant: [ids => ({ path: byId(ids.applicantId) })],
  getApplicantByEmployeeNumber: [ids => ({ path: byNumber(ids.employeeNumber) })],
  getDependents: [ids => ({ path: `${byId(ids.applicantId)}/dependents` })],
  getDependentsByEmployeeNumber: [ids => ({ path: `${byNumber(ids.employeeNumber)}/dependents` })],
  getDependent: [ids => ({ path: dependentById(ids.applicantId, ids.dependentId) })],
  getDependentByEmployeeNumber: [
    ids => ({ path: dependentByNumber(ids.employeeNumber, ids.dependentId) }),
    ids => ({ path: dependentByNumber(ids.employeeNumber, ids.dependentNumber) }),
  ],
  mergeApplicant: [
    ids => ({
      method: 'PATCH',
      path: byId(ids.applicantId),
      body: { primaryApplicant: { jobTitle: 'Spy' } },
    }),
  ],
  mergeApplicantByEmployeeNumber: [
    ids => ({
      method: 'PATCH',
      path: byNumber(ids.employeeNumber),
      body: { primaryApplicant: { jobTitle: 'Spy' } },
    }),
  ],
  saveDependent: [ids => ({ method: 'POST', path: `${byId(ids.applicantId)}/dependent`, body: child1 })],
  saveDependentByEmployeeNumber: [
    ids => ({ method: 'PUT', path: dependentByNumber(ids.employeeNumber, ids.dependentId), body: child1 }),
  ],
  mergeDependentByEmployeeNumber: [
    ids => ({ method: 'PATCH', path: dependentByNumber(ids.employeeNumber, ids.dependentId), body: child1 }),
  ],
  changeEmployeeNumber: [
    ids => ({
      method: 'POST',
      path: `${byNumber(ids.employeeNumber)}/${segment(newNumber())}`,
      body: identity,
      apiKey: caller.apiKey,
    }),
  ],
  changeDependentEmployeeNumber: [
    ids => ({
      method: 'POST',
      path: dependentByNumber(ids.employeeNumber, ids.dependentId),
      body: { firstName: 'Ben', dateOfBirth: '2018-09-12' },
    }),
  ],
  restoreApplicant: [
    ids => ({
      method: 'POST',
      path: `/admin/v1/applicants/${segment(ids.applicantId)}/restore`,
      body: {},
    }),
  ],
  uploadApplicantDocument: [
    ids => ({
      method: 'POST',
      path: `/admin/v1/applicants/${segment(ids.applicantId)}/documents`,
      body: fileOf({ countryCode: 'DE' }),
    }),
  ],
  mergeApplicantRecords: [
    ids => ({
      method: 'POST',
      path: `/admin/v1/applicants/${segment(ids.applicantId)}/merge`,
      body: { from: ownRecords.applicantId },
    }),
  ],
  getCase: [ids => ({ path: caseAt(ids.caseId) })],
  getCasesForApplicant: [ids => ({ path: casesOfId(ids.applicantId) })],
  getCasesForEmployeeNumber: [ids => ({ path: casesOfNumber(ids.employeeNumber) })],
  getCaseSteps: [ids => ({ path: stepsAt(ids.caseId) })],
  getCaseNotes: [ids => ({ path: notesAt(ids.caseId) })],
  patchCase: [ids => ({ method: 'PATCH', path: adminCase(ids.caseId), body: { status: 'closed' } })],
  addCaseStep: [ids => ({ method: 'POST', path: `${adminCase(ids.caseId)}/steps`, body: { name: 'Spy' } })],
  patchCaseStep: [
    ids => ({ method: 'PATCH', path: adminStep(ids.caseId, ids.stepId), body: { status: 'completed' } }),
  ],
  addCaseNote: [
    ids => ({ method: 'POST', path: `${adminCase(ids.caseId)}/notes`, body: { content: 'Spy' } }),
  ],
  patchCaseNote: [
    ids => ({ method: 'PATCH', path: adminNote(ids.caseId, ids.noteId), body: { content: 'Spy' } }),
  ],
  getCaseNoteVersions: [ids => ({ path: `${adminNote(ids.caseId, ids.noteId)}/versions` })],
  completeCaseStep: [
    ids => ({ method: 'POST', path: `${adminStep(ids.caseId, ids.stepId)}/complete`, body: {} }),
  ],
  getCaseTimeline: [ids => ({ path: `${adminCase(ids.caseId)}/timeline` })],
  getCaseChecklist: [ids => ({ path: `${adminCase(ids.caseId)}/checklist` })],
  putCaseChecklist: [
    ids => ({
      method: 'PUT',
      path: `${adminCase(ids.caseId)}/checklist`,
      body: { items: [{ name: 'Passport copy', documentId: ids.documentId }] },
    }),
  ],
  getFoundApplicant: [
    ids => ({ path: `/admin/v1/applicants/${segment(ids.applicantId)}` }),
    ids => ({ path: `/admin/v1/applicants/${segment(ids.dependentId)}` }),
  ],
  getApplicantTimeline: [
    ids => ({ path: `/admin/v1/applicants/${segment(ids.applicantId)}/timeline` }),
    ids => ({ path: `/admin/v1/applicants/${segment(ids.dependentId)}/timeline` }),
  ],
  getDocument: [
    ids => ({ path: documentAt(ids.documentId) }),
    ids => ({ path: documentAt(ids.recordDocumentId) }),
  ],
  downloadDocument: [
    ids => ({ path: `${documentAt(ids.documentId)}/file` }),
    ids => ({ path: `${documentAt(ids.recordDocumentId)}/file` }),
  ],
  patchDocumentExpiry: [
    ids => ({
      method: 'PATCH',
      path: `${documentAt(ids.documentId)}/expiry`,
      body: { ExpiryDate: '2031-01-01' },
    }),
    ids => ({
      method: 'PATCH',
      path: `${documentAt(ids.recordDocumentId)}/expiry`,
      body: { ExpiryDate: '2031-01-01' },
    }),
  ],
  getDeskDocument: [
    ids => ({ path: adminDocument(ids.documentId) }),
    ids => ({ path: adminDocument(ids.recordDocumentId) }),
  ],
  correctDocument: [
    ids => ({ method: 'PATCH', path: adminDocument(ids.documentId), body: { name: 'Spy' } }),
    ids => ({ method: 'PATCH', path: adminDocument(ids.recordDocumentId), body: { name: 'Spy' } }),
  ],
  putDocumentFile: [
    ids => ({ method: 'PUT', path: `${adminDocument(ids.documentId)}/file`, body: fileOf({}) }),
  ],
  listDocumentFileVersions: [ids => ({ path: `${adminDocument(ids.documentId)}/files` })],
  downloadDocumentFileVersion: [ids => ({ path: `${adminDocument(ids.documentId)}/files/1` })],
  removeDocument: [
    ids => ({ method: 'DELETE', path: adminDocument(ids.documentId), body: { reason: 'Spy' } }),
  ],
  restoreDocument: [ids => ({ method: 'POST', path: `${adminDocument(ids.documentId)}/restore` })],
  getCompany: [ids => ({ path: companyAt(ids.companyId) })],
  getClient: [ids => ({ path: clientAt(ids.clientId) })],
  patchClient: [ids => ({ method: 'PATCH', path: clientAt(ids.clientId), body: { name: 'Spy' } })],
  rotateClientSecret: [
    ids => ({ method: 'POST', path: `${clientAt(ids.clientId)}/rotate-secret`, body: {} }),
  ],
  disableClient: [ids => ({ method: 'POST', path: `${clientAt(ids.clientId)}/disable` })],
  enableClient: [ids => ({ method: 'POST', path: `${clientAt(ids.clientId)}/enable` })],
  createApiKey: [
    ids => ({ method: 'POST', path: `${clientAt(ids.clientId)}/api-keys`, body: { name: 'Spy' } }),
  ],
  revokeApiKey: [ids => ({ method: 'DELETE', path: `${clientAt(ids.clientId)}/api-keys/${UNKNOWN_ID}` })],
  getWebhook: [ids => ({ path: webhookAt(ids.webhookId) })],
  patchWebhook: [ids => ({ method: 'PATCH', path: webhookAt(ids.webhookId), body: { active: false } })],
  rotateWebhookSecret: [
    ids => ({ method: 'POST', path: webhookAt(ids.webhookId, '/rotate-secret'), body: {} }),
  ],
  testWebhook: [ids => ({ method: 'POST', path: webhookAt(ids.webhookId, '/test') })],
  deleteWebhook: [ids => ({ method: 'DELETE', path: webhookAt(ids.webhookId) })],
  listWebhookDeliveries: [ids => ({ path: webhookAt(ids.webhookId, `/deliveries?${days}`) })],
  replayWebhookDelivery: [
    ids => ({ method: 'POST', path: webhookAt(ids.webhookId, `/deliveries/${UNKNOWN_ID}/replay`) }),
  ],
  replayWebhookEvents: [
    ids => ({
      method: 'POST',
      path: webhookAt(ids.webhookId, '/replay'),
      body: { startDate: today, endDate: today },
    }),
  ],
}

/** Operations that name a record and that a test below covers. */
const ELSEWHERE = ['updateApplicant', 'saveApplicantByEmployeeNumber', 'patchCompany']

const comparable = ({ instance: _instance, requestId: _requestId, ...problem }: Fields) => problem

describe('an operation on a record of another company', () => {
  it('has a test, whatever the operation', () => {
    const naming = contract.operations.filter(({ path, scope }) =>
      scope
        ? /\{(applicantId|employeeNumber|oldEmployeeNumber|caseId|documentId|companyId|clientId|webhookId)\}/.test(
            path,
          )
        : false,
    )
    const known = new Set([...Object.keys(REQUESTS), ...ELSEWHERE])
    assert.deepEqual(
      naming.map(({ operationId }) => operationId).filter(id => !known.has(id)),
      [],
    )
  })

  for (const [operationId, requests] of Object.entries(REQUESTS))
    it(`responds as if it did not exist: ${operationId}`, async () => {
      const records = {
        ...foreignRecords,
        companyId: foreign.companyId,
        clientId: foreignClient.clientId,
      }
      const nothing = { ...UNKNOWN, companyId: UNKNOWN_ID, clientId: UNKNOWN_ID }
      for (const request of requests) {
        const response = await call({ ...request(records), ...as })
        const missing = await call({ ...request(nothing), ...as })
        assert.equal(response.status, 404, JSON.stringify(response.body))
        assert.deepEqual(comparable(response.body), comparable(missing.body))
        assert.deepEqual(
          [...response.headers.keys()].sort(),
          [...missing.headers.keys()].sort(),
          'the same headers',
        )
      }
    })

  it('works on a record of the own company', async () => {
    const records = { ...ownRecords, companyId: own.companyId, clientId: caller.clientId }
    const reads = ['getApplicant', 'getApplicantByEmployeeNumber', 'getDependents', 'getDependent', 'getCase',
      'getCasesForApplicant', 'getCasesForEmployeeNumber', 'getCaseSteps', 'getCaseNotes', 'getDocument', 'getCompany', 'getClient',
      'mergeApplicant', 'mergeDependentByEmployeeNumber', 'addCaseStep', 'addCaseNote', 'patchCaseNote', 'patchDocumentExpiry',
      'getCaseNoteVersions', 'completeCaseStep', 'getCaseTimeline', 'getFoundApplicant', 'getApplicantTimeline',
      'uploadApplicantDocument', 'getCaseChecklist', 'putCaseChecklist', 'getDeskDocument', 'correctDocument', 'putDocumentFile',
      'listDocumentFileVersions', 'downloadDocumentFileVersion', 'removeDocument', 'restoreDocument',
    ] // biome-ignore format: a list
    for (const operationId of reads)
      for (const request of REQUESTS[operationId] ?? assert.fail(operationId))
        await expectOk(call({ ...request(records), ...as }))
    const file = await get(`${documentAt(ownRecords.documentId)}/file`, as)
    assert.equal(file.status, 200)
  })
})

describe('PUT by a caller who is limited to a company', () => {
  it('is 404 for an id that a record of another company has, and changes nothing', async () => {
    const body = { primaryApplicant: { firstName: 'Anna', lastName: 'Spy' } }
    const before = await get(byId(foreignRecords.applicantId))
    await expectProblem(put(byId(foreignRecords.applicantId), body, as), 404, 'applicant-not-found')
    assert.deepEqual((await get(byId(foreignRecords.applicantId))).body, before.body)
  })

  it('is 409 for an employee number that a person of another company has', async () => {
    const body = { primaryApplicant: { firstName: 'Anna', lastName: 'Spy' } }
    for (const number of [foreignRecords.employeeNumber, foreignRecords.dependentNumber])
      await expectProblem(put(byNumber(number), body, as), 409, 'employee-number-in-use')
    const created = { primaryApplicant: person({ employeeNumber: foreignRecords.employeeNumber }) }
    await expectProblem(post('/v2/applicant', created, as), 409, 'employee-number-in-use')
  })

  it('creates a record under a new id and a new number', async () => {
    const id = ownId()
    const { employeeNumber, ...rest } = person()
    await expectOk(put(byId(id), { primaryApplicant: rest }, as))
    assert.equal((await get(byId(id), as)).body.sendingCompany, own.name)
    const body = { primaryApplicant: rest, dependents: [child()] }
    assert.equal((await put(byNumber(employeeNumber), body, as)).status, 201)
    const again = await put(byNumber(employeeNumber), body, as)
    assert.equal(again.status, 200)
    const etag = (await get(byNumber(employeeNumber), as)).headers.get('etag')
    assert.equal((await put(byNumber(employeeNumber), body, as)).headers.get('etag'), etag)
  })
})

describe('the company of a new applicant of a limited caller', () => {
  const unknown = async (response: ReturnType<typeof post>) => {
    const { errors } = await expectProblem(response, 422, 'unknown-company')
    assert.deepEqual(
      errors.map(({ pointer }: Fields) => pointer),
      ['/primaryApplicant/sendingCompany'],
    )
  }

  it('is its only company where none is sent, whatever the operation', async () => {
    const { primaryApplicant } = await expectOk(
      post('/v2/applicant', { primaryApplicant: person(), dependents: [child()] }, as),
    )
    assert.equal(primaryApplicant.sendingCompany, own.name)
    assert.equal((await get(byId(primaryApplicant.applicantId), as)).status, 200)
    assert.equal((await get(`${byId(primaryApplicant.applicantId)}/dependents`, as)).body.length, 1)
  })

  it('can be named by name, code or id, in any case, and is kept as it was sent', async () => {
    for (const sendingCompany of [own.name.toUpperCase(), own.code.toLowerCase(), own.companyId]) {
      const { primaryApplicant } = await expectOk(
        post('/v2/applicant', { primaryApplicant: person({ sendingCompany }) }, as),
      )
      assert.equal((await get(byId(primaryApplicant.applicantId), as)).body.sendingCompany, sendingCompany)
    }
  })

  it('cannot be the company of others, nor one that does not exist', async () => {
    const { id, number } = await family(person({ sendingCompany: own.name }))
    for (const sendingCompany of [foreign.name, foreign.code, foreign.companyId, newName('No company')]) {
      const body = { primaryApplicant: person({ sendingCompany }) }
      const { employeeNumber: _number, ...rest } = body.primaryApplicant
      await unknown(post('/v2/applicant', body, as))
      await unknown(put(byNumber(newNumber()), { primaryApplicant: rest }, as))
      await unknown(put(byId(ownId()), { primaryApplicant: rest }, as))
      await unknown(patch(byId(id), { primaryApplicant: { sendingCompany } }, as))
      await unknown(patch(byNumber(number), { primaryApplicant: { sendingCompany } }, as))
    }
    assert.equal((await get(byId(id), as)).body.sendingCompany, own.name)
  })

  it('must be sent by a caller of several companies', async () => {
    const second = await company()
    const both = await limitedTo(own, second)
    await unknown(post('/v2/applicant', { primaryApplicant: person() }, both))
    const { primaryApplicant } = await expectOk(
      post('/v2/applicant', { primaryApplicant: person({ sendingCompany: second.code }) }, both),
    )
    const at = byId(primaryApplicant.applicantId)
    assert.equal((await get(at, both)).status, 200)
    await expectProblem(get(at, as), 404, 'applicant-not-found')
    await expectOk(patch(at, { primaryApplicant: { sendingCompany: own.name } }, both))
    assert.equal((await get(at, as)).status, 200)
  })

  it('stays where a merge clears it', async () => {
    const { id } = await family(person({ sendingCompany: own.code }))
    await expectOk(patch(byId(id), { primaryApplicant: { sendingCompany: null } }, as))
    assert.equal((await get(byId(id), as)).body.sendingCompany, own.name)
  })
})

describe('a dependent of another company', () => {
  it('does not move by a merge that names it', async () => {
    const { id } = await family(person({ sendingCompany: own.name }))
    const byNumberOf = { dependents: [{ ...child1, employeeNumber: foreignRecords.dependentNumber }] }
    await expectProblem(patch(byId(id), byNumberOf, as), 409, 'employee-number-in-use')
    const byIdOf = { dependents: [{ ...child1, applicantId: foreignRecords.dependentId }] }
    await expectProblem(patch(byId(id), byIdOf, as), 409, 'dependent-of-another-applicant')
    const still = dependentById(foreignRecords.applicantId, foreignRecords.dependentId)
    assert.equal((await get(still)).status, 200)
  })

  it('belongs where its primary applicant belongs, whatever it names itself', async () => {
    const { id, dependentId } = await createFamilyWithDependent(
      person({ sendingCompany: own.name }),
      child({ sendingCompany: foreign.name }),
    )
    assert.equal((await get(dependentById(id, dependentId), as)).status, 200)
    await expectOk(patch(byId(id), { primaryApplicant: { sendingCompany: foreign.name } }))
    await expectProblem(get(dependentById(id, dependentId), as), 404, 'dependent-not-found')
    assert.equal((await get(dependentById(id, dependentId), foreignClient)).status, 200)
  })
})

describe('a case of a limited caller', () => {
  const ofCompanies = (host: Company, sending: Company, billing: Company) => ({
    hostCompany: host.name,
    sendingCompany: sending.name,
    billingCompany: billing.name,
  })

  it('needs a sending company of its own; the others may be of others', async () => {
    const body = await caseBody(ofCompanies(foreign, own, foreign))
    const { caseId, applicantId } = await expectOk(post('/v2/case', body, as))
    assert.equal((await get(caseAt(caseId), as)).status, 200)
    assert.equal((await get(byId(applicantId), as)).status, 200)

    const { errors } = await expectProblem(
      post('/v2/case', await caseBody(ofCompanies(own, foreign, own)), as),
      422,
      'unknown-company',
    )
    const missing = { ...(await caseBody(ofCompanies(own, own, own))), sendingCompany: newName('No company') }
    const unknown = await expectProblem(post('/v2/case', missing, as), 422, 'unknown-company')
    assert.deepEqual(errors, unknown['errors'])
    assert.deepEqual(
      errors.map(({ pointer }: Fields) => pointer),
      ['/sendingCompany'],
    )
  })

  it('is not told whether a company of others that is not active exists', async () => {
    const closed = await company()
    await expectOk(patch(companyAt(closed.companyId), { active: false }))
    const body = await caseBody(ofCompanies(own, own, own))
    const errorsOf = async (hostCompany: string) =>
      (await expectProblem(post('/v2/case', { ...body, hostCompany }, as), 422, 'unknown-company'))['errors']
    assert.deepEqual(await errorsOf(closed.name), await errorsOf(newName('No company')))
  })

  it('does not link the person of another company by employee number', async () => {
    const body = await caseBody(ofCompanies(own, own, own), {
      employeeNumber: foreignRecords.employeeNumber,
    })
    await expectProblem(post('/v2/case', body, as), 409, 'employee-number-in-use')
  })

  it('is visible to each of its companies, with its steps, notes and files, but not the record of the person', async () => {
    const { id, number } = await family(person({ sendingCompany: foreign.name }))
    const body = await caseBody(ofCompanies(own, foreign, foreign), { employeeNumber: number })
    const { caseId, steps } = await expectOk(post('/v2/case', body, foreignClient))
    const { documentId } = await expectOk(upload(caseId, foreignClient))

    const read = await expectOk(get(caseAt(caseId), as))
    assert.deepEqual([read['applicantId'], read['employeeNumber']], [id, number])
    await expectProblem(get(byId(id), as), 404, 'applicant-not-found')
    await expectProblem(get(byNumber(number), as), 404, 'applicant-not-found')
    for (const list of [casesOfId(id), casesOfNumber(number)])
      assert.deepEqual(
        (await get(list, as)).body.map((one: Fields) => one['caseId']),
        [caseId],
      )
    await expectOk(patch(adminStep(caseId, steps[0].stepId), { status: 'completed' }, as))
    const { noteId } = await expectOk(post(`${adminCase(caseId)}/notes`, { content: 'Seen' }, as))
    assert.deepEqual(
      (await get(notesAt(caseId), foreignClient)).body.map((one: Fields) => one['noteId']),
      [noteId],
    )
    const document = await expectOk(get(documentAt(documentId), as))
    assert.equal(document['employeeNumber'], number)
    const expiry = { ExpiryDate: '2031-01-01' }
    await expectOk(patch(`${documentAt(documentId)}/expiry`, expiry, as))
    const uploaded = await expectOk(upload(caseId, as))
    assert.equal((await get(documentAt(uploaded['documentId']), foreignClient)).status, 200)
  })

  it('takes an upload only for a visible case', async () => {
    await expectProblem(upload(foreignRecords.caseId, as), 404, 'case-not-found')
    await expectOk(upload(ownRecords.caseId, as))
  })

  it('shows a new employee number to every company of the case', async () => {
    const { id, number } = await family(person({ sendingCompany: own.name }))
    const linked = await caseBody(ofCompanies(foreign, own, own), { employeeNumber: number })
    const hidden = await caseBody(ofCompanies(foreign, foreign, foreign), { employeeNumber: number })
    const { caseId } = await expectOk(post('/v2/case', linked, as))
    const { caseId: hiddenId } = await expectOk(post('/v2/case', hidden))
    const to = newNumber()
    const renumbered = await expectOk(
      post(`${byNumber(number)}/${segment(to)}`, identity, { ...as, apiKey: caller.apiKey }),
    )
    assert.deepEqual([renumbered['applicantId'], renumbered['casesUpdated']], [id, 1])
    for (const one of [caseId, hiddenId]) {
      const read = await expectOk(get(caseAt(one), foreignClient))
      assert.equal(read['employeeNumber'], to)
      assert.ok(read['updatedAt'] > read['createdAt'])
    }
  })
})

describe('lists of a limited caller', () => {
  const LISTS: Record<string, (records: Records) => { path: string; id: string; key: string }> = {
    steps: ({ stepId }) => ({
      path: `/v2/cases/applicants/steps?${days}&offset=`,
      id: stepId,
      key: 'stepId',
    }),
    notes: ({ noteId }) => ({
      path: `/v2/cases/applicants/notes?${days}&offset=`,
      id: noteId,
      key: 'noteId',
    }),
    documents: ({ documentId }) => ({ path: `/v2/documents?${days}`, id: documentId, key: 'documentId' }),
    'documents of records': ({ recordDocumentId }) => ({
      path: `/v2/documents?${days}`,
      id: recordDocumentId,
      key: 'documentId',
    }),
  }

  for (const [name, listed] of Object.entries(LISTS))
    it(`have its own records only: ${name}`, async () => {
      const ownOne = listed(ownRecords)
      const ids = await walk(ownOne.path, ownOne.key, as)
      assert.ok(ids.includes(ownOne.id))
      assert.ok(!ids.includes(listed(foreignRecords).id))
      assert.equal(new Set(ids).size, ids.length)
      const small = await walk(`${ownOne.path.replace('maxRecords=1000', 'maxRecords=1')}`, ownOne.key, as)
      assert.deepEqual(small, ids)
    })

  it('ignore filters that name a record of another company', async () => {
    const { caseId, applicantId, employeeNumber } = foreignRecords
    for (const filter of [
      `caseId=${segment(caseId)}`,
      `applicantId=${segment(applicantId)}`,
      `employeeNumber=${segment(employeeNumber)}`,
    ])
      assert.deepEqual((await get(`/v2/documents?${days}&${filter}`, as)).body.records, [])
    const ofCase = await get(`/v2/documents?${days}&caseId=${segment(ownRecords.caseId)}`, as)
    assert.ok(ofCase.body.records.some((one: Fields) => one['documentId'] === ownRecords.documentId))
  })

  it('have its own people only, in the search and its total', async () => {
    const lastName = `Q${newName('x').replaceAll(/[^a-z0-9]/gi, '')}`
    const email = `${lastName}@example.com`
    const mine = await family(person({ lastName, email, sendingCompany: own.name }))
    await family(person({ lastName, email, sendingCompany: foreign.name }))
    await family(person({ lastName, email }))
    for (const query of [
      `name=${lastName}`,
      `q=${lastName}`,
      `q=${segment(email)}`,
      `email=${segment(email)}`,
    ]) {
      const { records, total } = (await get(`/admin/v1/applicants?${query}`, as)).body
      assert.deepEqual(
        records.map((one: Fields) => one['applicantId']),
        [mine.id],
        query,
      )
      assert.equal(total, 1)
      assert.equal((await get(`/admin/v1/applicants?${query}`)).body.total, 3)
    }
    const all = await walk('/admin/v1/applicants?maxRecords=2', 'applicantId', as)
    assert.ok(all.includes(mine.id) && all.includes(ownRecords.dependentId))
    assert.ok(!all.includes(foreignRecords.applicantId))
    assert.equal((await get('/admin/v1/applicants', as)).body.total, all.length)
  })

  it('have its own companies, clients and webhooks only', async () => {
    assert.deepEqual(
      (await get(COMPANIES, as)).body.map((one: Fields) => one['companyId']),
      [own.companyId],
    )
    const clients = (await get('/admin/v1/clients', as)).body as Fields[]
    assert.ok(clients.some(({ clientId }) => clientId === caller.clientId))
    for (const { companies } of clients) assert.deepEqual(companies, [own.companyId])
    const { webhookId, companies } = await expectOk(
      post('/admin/v1/webhooks', { url: 'https://receiver.invalid/own', active: false }, as),
    )
    assert.deepEqual(companies, [own.companyId])
    const webhooks = (await get('/admin/v1/webhooks', as)).body as Fields[]
    assert.ok(webhooks.some(one => one['webhookId'] === webhookId))
    assert.ok(!webhooks.some(one => one['webhookId'] === foreignRecords.webhookId))
    assert.ok((await get('/admin/v1/processes', as)).body.length > 0)
  })

  it('have audit entries of its own records only', async () => {
    await expectOk(get(byId(ownRecords.applicantId), as))
    const entriesOf = async (recordId: string, rest: object) =>
      (await get(`/admin/v1/audit?${days}&recordId=${segment(recordId)}`, rest)).body.records as Fields[]
    assert.ok((await entriesOf(ownRecords.applicantId, as)).length > 0)
    assert.ok((await entriesOf(ownRecords.caseId, as)).length > 0)
    for (const id of [foreignRecords.applicantId, foreignRecords.caseId, foreignRecords.documentId]) {
      // Attempts of the caller itself are there, as they are for an id that no record has.
      const isOwnAttempt = ({ clientId, outcome, status, changes }: Fields) =>
        clientId === caller.clientId && outcome === 'refused' && status >= 400 && changes === null
      assert.deepEqual(
        (await entriesOf(id, as)).filter(entry => !isOwnAttempt(entry)),
        [],
      )
      assert.ok((await entriesOf(id, {})).some(entry => !isOwnAttempt(entry)))
    }
  })
})

describe('a client that loses companies', () => {
  const hook = { url: 'https://receiver.invalid/narrowed', active: false }
  const idsOf = async (path: string, key: string, rest: object) =>
    ((await get(path, rest)).body as Fields[]).map(one => one[key])

  it('keeps its webhooks, with the companies that are left', async () => {
    const narrowed = await limitedTo(own, foreign)
    const { token } = narrowed
    const { webhookId } = await expectOk(post('/admin/v1/webhooks', hook, { token }))
    await expectOk(patch(clientAt(narrowed.clientId), { companies: [own.companyId] }))
    const { companies } = await expectOk(get(webhookAt(webhookId), { token }))
    assert.deepEqual(companies, [own.companyId])
    await expectOk(call({ method: 'DELETE', path: webhookAt(webhookId), token }))
  })

  it('keeps its webhooks when it was not limited before', async () => {
    const { clientId, clientSecret } = await expectOk(
      post('/admin/v1/clients', { name: 'Narrowed', scopes: ['admin'] }),
    )
    const token = await tokenOf(clientId, clientSecret)
    const { webhookId } = await expectOk(post('/admin/v1/webhooks', hook, { token }))
    await expectOk(patch(clientAt(clientId), { companies: [own.companyId] }))
    const limited = { token: await tokenOf(clientId, clientSecret) }
    assert.ok((await idsOf('/admin/v1/webhooks', 'webhookId', limited)).includes(webhookId))
    await expectOk(call({ method: 'DELETE', path: webhookAt(webhookId), ...limited }))
  })
})

describe('audit entries of callers of other companies', () => {
  /** The actions of a request, as this caller finds them in the audit. */
  const actionsOf = async (requestId: string, since: string, rest: object): Promise<string[]> => {
    const path = `/admin/v1/audit?${days}&from=${since}`
    const entries = (await expectOk(get(path, rest)))['records'] as Fields[]
    const exported = await get(`/admin/v1/audit/export?from=${since}&to=${dayFromNow(1)}`, rest)
    const lines = exported.bytes.toString().split('\n').filter(Boolean)
    const found = (list: Fields[]) =>
      list.filter(entry => entry['requestId'] === requestId).map(({ action }) => action as string)
    assert.deepEqual(found(lines.map(line => JSON.parse(line))), found(entries))
    return found(entries)
  }

  /** Sign-in and token request, right and wrong, and a request with a wrong token. */
  const actAs = async (company: Company, { clientId }: Caller, applicantId: string) => {
    const headers = { 'x-request-id': newName('audited').replaceAll(' ', '-') }
    const { user } = await createPerson({ companies: [company.companyId] })
    const since = new Date().toISOString()
    const basic = Buffer.from(`${clientId}:wrong`).toString('base64')
    const form = { body: new URLSearchParams({ grant_type: 'client_credentials' }), scopes: null }
    const authorization = `Basic ${basic}`
    await call({ method: 'POST', path: '/oauth/token', ...form, headers: { ...headers, authorization } })
    for (const password of ['not the password', PASSWORD])
      await post('/auth/v1/session', { email: user.email, password }, { scopes: null, headers })
    await get(byId(applicantId), { token: 'e30.e30.e30', headers })
    return { since, requestId: headers['x-request-id'] }
  }

  const ACTIONS = ['token.issue', 'session.refused', 'session.created', 'request.reject']

  it('are not visible where the caller was not identified', async () => {
    const { since, requestId } = await actAs(foreign, foreignClient, foreignRecords.applicantId)
    assert.deepEqual(await actionsOf(requestId, since, {}), ACTIONS)
    assert.deepEqual(await actionsOf(requestId, since, as), [])
  })

  it('are visible where they are about the own clients, people and records', async () => {
    const { since, requestId } = await actAs(own, caller, ownRecords.applicantId)
    assert.deepEqual(await actionsOf(requestId, since, as), ACTIONS)
  })
})

/** The ids of all records of a list, page by page. */
async function walk(path: string, key: string, rest: object): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Fields = await expectOk(
      get(cursor ? `${path.replace('&offset=', '')}&nextCursor=${segment(cursor)}` : path, rest),
    )
    ids.push(...page['records'].map((one: Fields) => one[key]))
    cursor = page['nextCursor']
  }
  return ids
}

describe('setup by a limited caller', () => {
  it('is rejected: companies, processes and external callers affect everybody', async () => {
    const code = 'all-companies-required'
    await expectProblem(post(COMPANIES, { name: newName('Company') }, as), 403, code)
    for (const { companyId } of [own, foreign])
      await expectProblem(patch(companyAt(companyId), { country: 'FR' }, as), 403, code)
    await expectProblem(put(processAt(newName('Process')), { steps: ['One'] }, as), 403, code)
    await expectProblem(call({ method: 'DELETE', path: processAt('Visa'), ...as }), 403, code)
    const blocked = '/admin/v1/blocked-callers'
    assert.deepEqual((await get(blocked, as)).body, [])
    const block = { caller: 'oidc:login.example.com:anna', reason: 'Test' }
    await expectProblem(post(blocked, block, as), 403, code)
    await expectProblem(call({ method: 'DELETE', path: `${blocked}/${UNKNOWN_ID}`, ...as }), 403, code)
    const clientId = 'oidc:login.example.com::desk'
    const outer = { name: 'Desk', scopes: ['desk:read'], companies: [own.companyId], clientId }
    await expectProblem(post('/admin/v1/clients', outer, as), 403, code)
    await expectProblem(patch(clientAt(clientId), { name: 'Desk' }, as), 403, code)
    for (const verb of ['disable', 'enable'])
      await expectProblem(post(`${clientAt(clientId)}/${verb}`, {}, as), 403, code)
  })
})

describe('the companies of a client', () => {
  const client = (companies: unknown, rest: object = {}) =>
    post('/admin/v1/clients', { name: 'Granted', scopes: ['applicants:read'], companies }, rest)

  it('are null unless they are given, and an unknown one is 422', async () => {
    const made = await expectOk(post('/admin/v1/clients', { name: 'All', scopes: ['applicants:read'] }))
    assert.equal(made['companies'], null)
    const { errors } = await expectProblem(client([own.companyId, UNKNOWN_ID]), 422, 'unknown-company')
    assert.deepEqual(
      errors.map(({ pointer }: Fields) => pointer),
      ['/companies/1'],
    )
    await expectProblem(
      patch(clientAt(made['clientId']), { companies: [UNKNOWN_ID] }),
      422,
      'unknown-company',
    )
    await expectOk(call({ method: 'POST', path: `${clientAt(made['clientId'])}/disable` }))
  })

  it('can be granted only by a caller who has them', async () => {
    for (const companies of [null, [foreign.companyId], [own.companyId, foreign.companyId]])
      await expectProblem(client(companies, as), 403, 'cannot-grant')
    const made = await expectOk(client([own.companyId], as))
    assert.deepEqual(made['companies'], [own.companyId])
    const at = clientAt(made['clientId'])
    for (const companies of [null, [foreign.companyId]])
      await expectProblem(patch(at, { companies }, as), 403, 'cannot-grant')
    const renamed = await expectOk(patch(at, { name: 'Renamed', scopes: ['cases:read'] }, as))
    assert.deepEqual(
      [renamed['name'], renamed['scopes'], renamed['companies']],
      ['Renamed', ['cases:read'], [own.companyId]],
    )
    await expectOk(call({ method: 'POST', path: `${at}/disable`, ...as }))
    await expectProblem(patch(clientAt('no-such-client'), { name: 'x' }), 404, 'client-not-found')
  })

  it('make a client without any invisible to limited callers, who cannot make one', async () => {
    const { clientId } = await expectOk(client([]))
    await expectProblem(get(clientAt(clientId), as), 404, 'client-not-found')
    const listed = (await get('/admin/v1/clients', as)).body as Fields[]
    assert.ok(!listed.some(one => one['clientId'] === clientId))
    await expectProblem(client([], as), 403, 'cannot-grant')
    const { clientId: granted } = await expectOk(client([own.companyId], as))
    await expectProblem(patch(clientAt(granted), { companies: [] }, as), 403, 'cannot-grant')
    for (const one of [clientId, granted])
      await expectOk(call({ method: 'POST', path: `${clientAt(one)}/disable` }))
  })

  it('hold for tokens that were issued before they changed', async () => {
    const changing = await limitedTo(own)
    const to = (companies: string[] | null) => expectOk(patch(clientAt(changing.clientId), { companies }))
    const sees = async (records: Records) => (await get(byId(records.applicantId), changing)).status === 200
    assert.deepEqual([await sees(ownRecords), await sees(foreignRecords)], [true, false])
    await to([foreign.companyId])
    assert.deepEqual([await sees(ownRecords), await sees(foreignRecords)], [false, true])
    await to([])
    assert.deepEqual([await sees(ownRecords), await sees(foreignRecords)], [false, false])
    await to(null)
    assert.deepEqual([await sees(ownRecords), await sees(foreignRecords)], [true, true])
    await to([own.companyId])
    assert.deepEqual([await sees(ownRecords), await sees(foreignRecords)], [true, false])
  })

  it('decide whether an Idempotency-Key returns its response again', async () => {
    const both = await limitedTo(own, foreign)
    const headers = { 'idempotency-key': newName('key').replaceAll(' ', '-') }
    const body = { primaryApplicant: person({ sendingCompany: foreign.name }) }
    const first = await expectOk(post('/v2/applicant', body, { ...both, headers }))
    assert.deepEqual(await expectOk(post('/v2/applicant', body, { ...both, headers })), first)
    await expectOk(patch(clientAt(both.clientId), { companies: [own.companyId] }))
    const replayed = await post('/v2/applicant', body, { ...both, headers })
    assert.deepEqual([replayed.status, replayed.body.code], [422, 'idempotency-key-reused'])
    assert.ok(!replayed.bytes.toString().includes(first['primaryApplicant'].applicantId))
    await expectOk(patch(clientAt(both.clientId), { companies: null }))
    assert.deepEqual(await expectOk(post('/v2/applicant', body, { ...both, headers })), first)
  })
})

describe('a company that is created or renamed', () => {
  it('takes in the people that name it, with their families and documents, and lets them go', async () => {
    const name = newName('Later AG')
    const { id, dependentId, primary } = await createFamilyWithDependent(
      person({ sendingCompany: `  ${name.toUpperCase()} `, documents: [{ name: 'Card' }] }),
    )
    const { documentId } = primary['documents'][0]
    const later = await company({ name })
    const limited = await limitedTo(later)
    const sees = async () => [
      (await get(byId(id), limited)).status,
      (await get(dependentById(id, dependentId), limited)).status,
      (await get(documentAt(documentId), limited)).status,
    ]
    const { version: _version, ...before } = (await get(byId(id))).body
    assert.deepEqual(await sees(), [200, 200, 200])
    await expectOk(patch(companyAt(later.companyId), { name: newName('Renamed AG') }))
    assert.deepEqual(await sees(), [404, 404, 404])
    await expectOk(patch(companyAt(later.companyId), { code: name }))
    assert.deepEqual(await sees(), [200, 200, 200])
    await expectOk(patch(companyAt(later.companyId), { active: false, country: 'FR' }))
    assert.deepEqual(await sees(), [200, 200, 200])
    // The record itself does not change.
    assert.deepEqual((await get(byId(id))).body, before)
  })

  it('takes in an archived dependent too', async () => {
    const name = newName('Archive AG')
    const { id, number, primary, dependentId } = await createFamilyWithDependent(
      person({ sendingCompany: name }),
    )
    await expectOk(put(byId(id), { primaryApplicant: primary, dependents: [] }))
    const limited = await limitedTo(await company({ name }))
    const archived = await get(`/admin/v1/applicants?archived=true&maxRecords=1000`, limited)
    assert.deepEqual(
      archived.body.records.map((one: Fields) => one['applicantId']),
      [dependentId],
    )
    await expectOk(post(`/admin/v1/applicants/${segment(dependentId)}/restore`, {}, limited))
    assert.equal((await get(dependentByNumber(number, dependentId), limited)).status, 200)
  })
})

describe('webhooks of a limited caller', () => {
  it('receive the events of its companies only, also when they are replayed', async () => {
    const { webhookId } = await expectOk(
      post('/admin/v1/webhooks', { url: 'https://receiver.invalid/hook' }, as),
    )
    const theirs = await family(person({ sendingCompany: foreign.name }))
    const nobodys = await family(person())
    const mine = await family(person({ sendingCompany: own.name }))
    await expectOk(patch(byId(theirs.id), { primaryApplicant: { jobTitle: 'Moved' } }))
    const records = async () => {
      const list = webhookAt(webhookId, `/deliveries?${days}`)
      return (await get(list, as)).body.records.map((one: Fields) => one['recordId']) as string[]
    }
    for (let tries = 0; !(await records()).includes(mine.id) && tries < 100; tries++) await sleep(100)
    await expectOk(post(webhookAt(webhookId, '/replay'), { startDate: today, endDate: tomorrow }, as))
    await expectOk(post(webhookAt(webhookId, '/replay'), { startDate: today, endDate: tomorrow }))
    const seen = await records()
    assert.ok(seen.includes(mine.id))
    for (const id of [theirs.id, nobodys.id, foreignRecords.applicantId, foreignRecords.caseId])
      assert.ok(!seen.includes(id))
    await expectOk(call({ method: 'DELETE', path: webhookAt(webhookId), ...as }))
  })
})
