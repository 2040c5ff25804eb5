// A write scope without its read scope: the response has identifiers, and no personal data.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addNote,
  adminCase,
  adminNote,
  adminStep,
  caseAt,
  caseBody,
  everyCaseField,
  newCase,
  stepsAt,
} from './case-factories.ts'
import { call, contract, credentials, type TestResponse } from './client.ts'
import {
  byId,
  byNumber,
  child,
  createFamilyWithDependent,
  dependentByNumber,
  everyField,
  expectOk,
  expectProblem,
  type Fields,
  family,
  get,
  newNumber,
  patch,
  person,
  post,
  put,
} from './people.ts'

const scopes = ['applicants:write']
/** Of `everyField`, and of everything that is written here. */
const PERSONAL =
  /Zoë|Angelo|María|zoe|1984|Laoghaire|Elms|東京|1234|architect|2019-07|4711|PA1234567|Residence|RC-1|Byrne|Anna|Schmidt|1990|Ben\b|2018-09|Child|Köln|85 000|Siobhán|Orion|permit|Okafor|received/

const itemIds = ({ metaData, passports, documents, previousNames }: Fields) => ({
  metaData: metaData.map(({ noteId }: Fields) => ({ noteId })),
  passports: passports.map(({ passportId }: Fields) => ({ passportId })),
  documents: documents.map(({ documentId }: Fields) => ({ documentId })),
  previousNames: previousNames.map(({ previousNameId }: Fields) => ({ previousNameId })),
})
const idsOf = (record: Fields) => ({
  applicantId: record['applicantId'],
  employeeNumber: record['employeeNumber'],
  ...itemIds(record),
})

/** The ids of a family as a caller with every scope reads them. */
async function readIds(applicantId: string) {
  const [primary, dependents] = await Promise.all([
    expectOk(get(byId(applicantId))),
    expectOk(get(`${byId(applicantId)}/dependents`)),
  ])
  return { primaryApplicant: idsOf(primary), dependents: dependents.map(idsOf) }
}

function expectIdentifiers({ status, headers, body, bytes }: TestResponse, expected: Fields, etag = true) {
  assert.ok(status < 300, `${status} ${bytes}`)
  assert.deepEqual(body, expected)
  assert.doesNotMatch(bytes.toString(), PERSONAL)
  if (etag) assert.ok(headers.get('etag'))
}

describe('applicants:write without applicants:read', () => {
  const whole = () => ({ primaryApplicant: everyField(), dependents: [child()] })

  it('gets the ids of the family that it creates, with Location and ETag', async () => {
    const response = await post('/v2/applicant', whole(), { scopes })
    const { applicantId } = response.body.primaryApplicant
    expectIdentifiers(response, await readIds(applicantId), false)
    assert.equal(response.headers.get('location'), byId(applicantId))
    const read = await get(byId(applicantId))
    assert.equal(response.headers.get('etag'), read.headers.get('etag'))
  })

  it('gets the ids of the family that it replaces or merges, by number or id, changed or not', async () => {
    const body = whole()
    const number = body.primaryApplicant['employeeNumber']
    const created = await put(byNumber(number), body, { scopes })
    assert.equal(created.status, 201)
    const { applicantId } = created.body.primaryApplicant
    const expected = await readIds(applicantId)
    assert.deepEqual([expected.dependents.length, expected.primaryApplicant.passports.length], [1, 2])
    expectIdentifiers(created, expected)
    const change = { primaryApplicant: { jobTitle: 'Captain' } }
    for (const send of [
      () => put(byNumber(number), body, { scopes }),
      () => put(byId(applicantId), body, { scopes }),
      () => patch(byNumber(number), change, { scopes }),
      () => patch(byNumber(number), change, { scopes }),
      () => patch(byId(applicantId), { primaryApplicant: { jobTitle: 'Pilot' } }, { scopes }),
      () => patch(byId(applicantId), {}, { scopes }),
    ])
      expectIdentifiers(await send(), expected)
  })

  it('gets the ids of a dependent', async () => {
    const { id, number } = await family(everyField())
    const created = await post(`${byId(id)}/dependent`, child(), { scopes })
    assert.equal(created.status, 201)
    const read = async () => ((await readIds(id)).dependents as Fields[])[0] as Fields
    expectIdentifiers(created, await read())
    const { applicantId, employeeNumber } = created.body
    assert.match(created.headers.get('location') ?? '', new RegExp(encodeURIComponent(applicantId)))
    const at = dependentByNumber(number, applicantId)
    const replaced = await put(at, { ...child(), employeeNumber, jobTitle: 'Pupil' }, { scopes })
    expectIdentifiers(replaced, await read())
    const passports = [{ passportNumber: 'PA1234567', country: 'IE' }]
    const merged = await patch(at, { passports }, { scopes })
    expectIdentifiers(merged, await read())
    assert.equal(merged.body.passports.length, 1)
  })

  it('gets the whole response to a change of numbers, which has no personal data', async () => {
    const { number } = await family()
    const identity = { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' }
    const response = await post(`${byNumber(number)}/${newNumber()}`, identity, {
      scopes,
      apiKey: credentials.apiKey,
    })
    assert.equal(response.status, 200)
    assert.equal(response.body.previousEmployeeNumber, number)
    assert.doesNotMatch(response.bytes.toString(), PERSONAL)
  })

  it('gets errors without personal data', async () => {
    const { id, primary } = await family(everyField())
    const stale = { 'if-match': '"x.1"' }
    const mismatch = await put(byId(id), { primaryApplicant: person() }, { scopes, headers: stale })
    assert.equal(mismatch.status, 412)
    assert.equal(mismatch.headers.get('etag'), null)
    const fixed = await patch(byId(id), { primaryApplicant: { employeeNumber: newNumber() } }, { scopes })
    assert.equal(fixed.body.code, 'employee-number-fixed')
    for (const { bytes } of [mismatch, fixed]) {
      assert.doesNotMatch(bytes.toString(), PERSONAL)
      assert.ok(!bytes.toString().includes(primary['employeeNumber']))
    }
    for (const headers of [{}, { 'if-none-match': '*' }])
      await expectProblem(get(byId(id), { scopes, headers }), 403, 'insufficient-scope')
  })

  it('gets the identifiers from a repeated Idempotency-Key too, also if another token stored the response', async () => {
    const both = ['applicants:read', 'applicants:write']
    for (const [first, second] of [
      [both, scopes],
      [scopes, both],
    ]) {
      const headers = { 'idempotency-key': newNumber('key') }
      const body = whole()
      const sent = await post('/v2/applicant', body, { headers, scopes: first as string[] })
      const repeated = await post('/v2/applicant', body, { headers, scopes: second as string[] })
      assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
      const { applicantId } = sent.body.primaryApplicant
      const responses = first === scopes ? [sent, repeated] : [repeated, sent]
      const [narrow, full] = responses as [TestResponse, TestResponse]
      expectIdentifiers(narrow, await readIds(applicantId))
      assert.equal(narrow.headers.get('location'), full.headers.get('location'))
      assert.equal(full.body.primaryApplicant.lastName, "D'Angelo-Müller")
    }
  })
})

describe('cases:write without cases:read', () => {
  it('gets the ids of the case and of its steps, and the warnings', async () => {
    const body = await everyCaseField()
    const response = await post('/v2/case', body, { scopes: ['cases:write'] })
    const { caseId } = response.body
    const stored = await expectOk(get(caseAt(caseId)))
    expectIdentifiers(response, {
      caseId,
      applicantId: stored['applicantId'],
      steps: stored['steps'].map(({ stepId }: Fields) => ({ stepId, caseId })),
      warnings: response.body.warnings,
    })
    assert.deepEqual(
      response.body.warnings.map(({ code }: Fields) => code),
      ['unknown-process'],
    )
    assert.equal(response.headers.get('location'), caseAt(caseId))
    assert.equal(response.headers.get('etag'), (await get(caseAt(caseId))).headers.get('etag'))
  })

  it('gets them from a repeated Idempotency-Key too', async () => {
    const headers = { 'idempotency-key': newNumber('key') }
    const body = await caseBody()
    const full = await post('/v2/case', body, { headers })
    const narrow = await post('/v2/case', body, { headers, scopes: ['cases:write'] })
    assert.equal(narrow.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(Object.keys(narrow.body).sort(), ['applicantId', 'caseId', 'steps', 'warnings'])
    assert.equal(narrow.body.caseId, full.body.caseId)
    assert.doesNotMatch(narrow.bytes.toString(), PERSONAL)
  })
})

describe('documents:write without documents:read', () => {
  it('gets the ids of a document that it uploads, and of one whose expiry it changes', async () => {
    const { caseId, applicantId } = await newCase()
    const form = new FormData()
    form.set('caseId', caseId)
    form.set('countryCode', 'DE')
    form.set('document', new Blob(['%PDF-1.7 a permit'], { type: 'application/pdf' }), 'permit.pdf')
    const narrow = ['documents:write']
    const uploaded = await call({ method: 'POST', path: '/v2/document', body: form, scopes: narrow })
    assert.equal(uploaded.status, 201)
    const { documentId } = uploaded.body
    expectIdentifiers(uploaded, { documentId, applicantId, caseId })
    const at = `/v2/document/${encodeURIComponent(documentId)}`
    assert.equal(uploaded.headers.get('location'), at)
    const dated = await patch(`${at}/expiry`, { ExpiryDate: '2031-01-01' }, { scopes: narrow })
    expectIdentifiers(dated, { documentId, applicantId, caseId })
    assert.equal((await expectOk(get(at)))['expiryDate'], '2031-01-01T00:00:00')
  })
})

describe('desk:write', () => {
  it('gets ids alone without cases:read, also with desk:read', async () => {
    for (const narrow of [['desk:write'], ['desk:write', 'desk:read', 'applicants:read']]) {
      const rest = { scopes: narrow }
      const { caseId, applicantId, steps } = await newCase()
      const [first] = steps as [Fields]
      const patched = await patch(adminCase(caseId), { status: 'pending' }, rest)
      expectIdentifiers(patched, {
        caseId,
        applicantId,
        steps: steps.map(({ stepId }) => ({ stepId, caseId })),
      })
      const added = await post(`${adminCase(caseId)}/steps`, { name: 'Interview' }, rest)
      const all = await expectOk(get(stepsAt(caseId)))
      expectIdentifiers(added, { stepId: all.at(-1)['stepId'], caseId }, false)
      const moved = await patch(adminStep(caseId, first['stepId']), { status: 'completed' }, rest)
      expectIdentifiers(moved, { stepId: first['stepId'], caseId }, false)
      const note = { content: 'Passport received.', author: 'R. Okafor' }
      const noted = await post(`${adminCase(caseId)}/notes`, note, rest)
      expectIdentifiers(noted, { noteId: noted.body.noteId, caseId }, false)
      const corrected = await patch(adminNote(caseId, noted.body.noteId), { content: 'Received.' }, rest)
      expectIdentifiers(corrected, { noteId: noted.body.noteId, caseId }, false)
    }
  })

  it('gets the records with cases:read', async () => {
    const rest = { scopes: ['desk:write', 'cases:read'] }
    const { caseId } = await newCase()
    const patched = await expectOk(patch(adminCase(caseId), { status: 'pending' }, rest))
    assert.equal(patched['status'], 'pending')
    const { noteId } = await addNote(caseId, 'First')
    const note = await expectOk(patch(adminNote(caseId, noteId), { content: 'Second' }, rest))
    assert.equal(note['content'], 'Second')
  })

  it('restores a dependent and gets its ids without applicants:read, the record with it', async () => {
    for (const [granted, hasRecord] of [
      [['desk:write', 'desk:read'], false],
      [['desk:write', 'applicants:read'], true],
    ] as const) {
      const { id, primary, dependentId, dependent } = await createFamilyWithDependent()
      await expectOk(put(byId(id), { primaryApplicant: primary, dependents: [] }))
      const at = `/admin/v1/applicants/${encodeURIComponent(dependentId)}/restore`
      const response = await post(at, {}, { scopes: [...granted] })
      assert.equal(response.status, 200)
      if (hasRecord) assert.equal(response.body.firstName, 'Ben')
      else expectIdentifiers(response, idsOf(dependent), false)
    }
  })
})

describe('every write that returns a record of a person', () => {
  it('documents the identifiers that it returns instead', () => {
    const writes = contract.operations.filter(
      ({ method, scope }) =>
        method !== 'GET' && /^(applicants|cases|documents|desk):write$/.test(scope ?? ''),
    )
    const WITHOUT_PERSONAL_DATA = ['changeEmployeeNumber', 'changeDependentEmployeeNumber', 'createImport',
      'releaseImport', 'cancelImport'] // biome-ignore format: a list
    assert.ok(writes.length >= 18, String(writes.length))
    const silent = writes.filter(
      ({ responses }) =>
        !Object.entries(responses)
          .filter(([status]) => Number(status) < 300)
          .every(([, response]) => JSON.stringify(response).includes('OrIdentifiers')),
    )
    assert.deepEqual(silent.map(({ operationId }) => operationId).sort(), WITHOUT_PERSONAL_DATA.sort())
  })
})
