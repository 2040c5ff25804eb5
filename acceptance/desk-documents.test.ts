// Documents at the desk: correcting, removing and restoring them, files for people, versions of files.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { caseBody, company, dayFromNow, newCase, UNKNOWN_ID } from './case-factories.ts'
import { baseUrl, type Call, call, observe, tokenFor } from './client.ts'
import { limitedTo } from './company-factories.ts'
import {
  byId,
  byNumber,
  expectInvalid,
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

const segment = encodeURIComponent
const at = (documentId: string) => `/v2/document/${segment(documentId)}`
const deskAt = (documentId: string) => `/admin/v1/documents/${segment(documentId)}`
const uploadsAt = (applicantId: string) => `/admin/v1/applicants/${segment(applicantId)}/documents`
const pdf = (size = 2_000) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size)])
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const formOf = (parts: Record<string, string | Buffer>, fileName = 'scan.pdf') => {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts))
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([new Uint8Array(value)]), fileName)
  return form
}
const upload = (applicantId: string, parts: Record<string, string | Buffer>, rest: Partial<Call> = {}) =>
  post(uploadsAt(applicantId), formOf(parts), rest)
const putFile = (documentId: string, parts: Record<string, string | Buffer>, rest: Partial<Call> = {}) =>
  put(`${deskAt(documentId)}/file`, formOf(parts), rest)
const remove = (documentId: string, reason = 'Wrong person.', rest: Partial<Call> = {}) =>
  call({ method: 'DELETE', path: deskAt(documentId), body: { reason }, ...rest })
const restore = (documentId: string, rest: Partial<Call> = {}) =>
  call({ method: 'POST', path: `${deskAt(documentId)}/restore`, ...rest })

const PERMIT = {
  name: 'Permit',
  description: 'Both sides',
  referenceNumber: 'R1',
  issueDate: '2024-01-01T00:00:00',
  expiryDate: '2027-06-30T00:00:00',
  country: 'DE',
}

async function personWith(...documents: Fields[]) {
  const { id, number, primary } = await family(person({ documents }))
  return { id, number, documents: primary['documents'] as Fields[] }
}

async function caseDocument() {
  const { caseId, applicantId } = await newCase()
  const content = pdf()
  const form = formOf({ caseId, countryCode: 'DE', document: content })
  const document = await expectOk(post('/v2/document', form))
  return { caseId, applicantId, content, documentId: document['documentId'] as string, document }
}

const lastOf = async (documentId: string) => {
  const query = `recordId=${segment(documentId)}&startDate=${dayFromNow(-1)}&endDate=${dayFromNow(1)}&maxRecords=100`
  const { records } = await expectOk(get(`/admin/v1/audit?${query}`))
  return (records as Fields[]).filter(({ changes }) => changes?.length > 0).at(-1) as Fields
}

describe('PATCH /admin/v1/documents/{documentId}', () => {
  it('corrects a file of a case, with before and after in the audit', async () => {
    const { documentId, document } = await caseDocument()
    const { status, body, headers } = await patch(deskAt(documentId), {
      name: 'Residence permit',
      type: 'permit',
      description: 'Page 1',
      issueDate: '2025-02-03',
      expiryDate: '2027-02-03',
      referenceNumber: 'RP-1',
      country: 'FR',
    })
    assert.equal(status, 200)
    const { updatedAt: _before, ...kept } = document
    const { updatedAt: _after, ...rest } = body
    assert.deepEqual(rest, {
      ...kept,
      name: 'Residence permit',
      type: 'permit',
      description: 'Page 1',
      issueDate: '2025-02-03T00:00:00',
      expiryDate: '2027-02-03T00:00:00',
      referenceNumber: 'RP-1',
      country: 'FR',
      status: body.status,
    })
    const read = await get(at(documentId))
    assert.deepEqual(read.body, body)
    assert.equal(read.headers.get('etag'), headers.get('etag'))
    const entry = await lastOf(documentId)
    assert.equal(entry['action'], 'document.write')
    assert.ok(JSON.stringify(entry['changes']).includes('Residence permit'))
  })

  it('changes only the fields that are sent, and null clears them', async () => {
    const { documentId } = await caseDocument()
    await expectOk(patch(deskAt(documentId), { description: 'Text', type: 'permit' }))
    const cleared = await expectOk(patch(deskAt(documentId), { description: null, type: null }))
    assert.equal(cleared['description'], null)
    assert.equal(cleared['type'], 'Case document')
    assert.equal(cleared['name'], 'scan.pdf')
  })

  it('changes nothing, not even updatedAt, when it sends what is stored', async () => {
    const { documentId } = await caseDocument()
    const first = await patch(deskAt(documentId), { name: 'Permit', expiryDate: '2027-01-01' })
    const again = await patch(deskAt(documentId), { name: 'Permit', expiryDate: '2027-01-01T00:00:00' })
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('etag'), first.headers.get('etag'))
  })

  it('changes the applicant record that the document is in', async () => {
    const { id, documents } = await personWith(PERMIT)
    const etag = (await get(byId(id))).headers.get('etag')
    const documentId = documents[0]?.['documentId']
    await expectOk(patch(deskAt(documentId), { name: 'Residence permit', expiryDate: '2028-01-01' }))
    const record = await get(byId(id))
    assert.notEqual(record.headers.get('etag'), etag)
    assert.deepEqual(
      record.body.documents.map(({ name, expiryDate }: Fields) => [name, expiryDate]),
      [['Residence permit', '2028-01-01T00:00:00']],
    )
  })

  it('writes only over the state that If-Match names', async () => {
    const { documentId } = await caseDocument()
    const etag = (await get(deskAt(documentId))).headers.get('etag') ?? ''
    await expectOk(patch(deskAt(documentId), { name: 'A' }, { headers: { 'if-match': etag } }))
    const late = patch(deskAt(documentId), { name: 'B' }, { headers: { 'if-match': etag } })
    await expectProblem(late, 412, 'version-mismatch')
  })

  it('rejects invalid values, and names each', async () => {
    const { documentId } = await caseDocument()
    const body = { name: ' ', issueDate: '2025-02-30', country: '1', expiryReminder: 3 }
    await expectInvalid(patch(deskAt(documentId), body), '/name', '/issueDate', '/country', '/expiryReminder')
    await expectInvalid(patch(deskAt(documentId), {}), '')
  })

  it('returns identifiers to a caller that may not read documents', async () => {
    const { documentId, applicantId, caseId } = await caseDocument()
    const body = await expectOk(patch(deskAt(documentId), { name: 'X' }, { scopes: ['desk:write'] }))
    assert.deepEqual(body, { documentId, applicantId, caseId })
  })

  it('rejects an unknown document', async () => {
    await expectProblem(patch(deskAt(UNKNOWN_ID), { name: 'A' }), 404, 'document-not-found')
  })
})

describe('DELETE /admin/v1/documents/{documentId}', () => {
  it('removes a file of a case with a reason, for all reads and lists', async () => {
    const { documentId, applicantId, caseId } = await caseDocument()
    const body = await expectOk(remove(documentId, 'Belongs to another person.'))
    const { removedAt, removedBy, ...rest } = body
    assert.deepEqual(rest, { documentId, applicantId, caseId, reason: 'Belongs to another person.' })
    await expectProblem(get(at(documentId)), 404, 'document-not-found')
    await expectProblem(get(`${at(documentId)}/file`), 404, 'document-not-found')
    await expectProblem(get(`${deskAt(documentId)}/files`), 404, 'document-not-found')
    await expectProblem(get(`${deskAt(documentId)}/files/1`), 404, 'document-not-found')
    const expiry = { ExpiryDate: '2030-01-01' }
    await expectProblem(patch(`${at(documentId)}/expiry`, expiry), 404, 'document-not-found')
    await expectProblem(patch(deskAt(documentId), { name: 'A' }), 404, 'document-not-found')
    await expectProblem(putFile(documentId, { document: pdf() }), 404, 'document-not-found')
    await expectProblem(remove(documentId), 404, 'document-not-found')
    const day = new Date().toISOString().slice(0, 10)
    const list = await expectOk(
      get(`/v2/documents?startDate=${day}&endDate=${day}&caseId=${segment(caseId)}`),
    )
    assert.deepEqual(list['records'], [])
    const desk = await expectOk(get(deskAt(documentId)))
    assert.deepEqual(desk['removal'], { removedAt, removedBy, reason: 'Belongs to another person.' })
    const entry = await lastOf(documentId)
    assert.equal(entry['action'], 'document.remove')
    assert.ok(JSON.stringify(entry['changes']).includes('Belongs to another person.'))
  })

  it('needs a reason that can be read', async () => {
    const { documentId } = await caseDocument()
    await expectInvalid(remove(documentId, ' '), '/reason')
    await expectInvalid(call({ method: 'DELETE', path: deskAt(documentId), body: {} }), '/reason')
    await expectOk(get(at(documentId)))
  })

  it('writes only over the state that If-Match names', async () => {
    const { documentId } = await caseDocument()
    const headers = { 'if-match': '"0"' }
    await expectProblem(remove(documentId, 'Why', { headers }), 412, 'version-mismatch')
  })

  it('keeps a document of a record removed while the feed sends it as it was', async () => {
    const { id, number, documents } = await personWith(PERMIT, { name: 'Card' })
    const documentId = documents[0]?.['documentId']
    const feed = () =>
      put(byNumber(number), {
        primaryApplicant: person({ employeeNumber: number, documents: [PERMIT, { name: 'Card' }] }),
      })
    await expectOk(remove(documentId))
    const before = await get(byId(id))
    assert.deepEqual(
      before.body.documents.map(({ name }: Fields) => name),
      ['Card'],
    )
    const night = await feed()
    assert.equal(night.status, 200)
    assert.deepEqual(night.body.primaryApplicant.documents, before.body.documents)
    const after = await get(byId(id))
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
    assert.deepEqual(after.body, before.body)
    await expectProblem(get(at(documentId)), 404, 'document-not-found')
  })

  it('lets the feed bring a document of a record back with something new, under its id', async () => {
    const { number, documents } = await personWith(PERMIT)
    const documentId = documents[0]?.['documentId']
    await expectOk(remove(documentId))
    const renewed = { ...PERMIT, expiryDate: '2030-06-30T00:00:00' }
    const body = { primaryApplicant: person({ employeeNumber: number, documents: [renewed] }) }
    const night = await expectOk(put(byNumber(number), body))
    assert.equal(night['primaryApplicant'].documents[0].documentId, documentId)
    const desk = await expectOk(get(deskAt(documentId)))
    assert.equal(desk['removal'], null)
    assert.equal(desk['expiryDate'], '2030-06-30T00:00:00')
  })

  it('keeps a correction while the feed sends the document as it was, and takes what is new', async () => {
    const { id, number, documents } = await personWith(PERMIT)
    const documentId = documents[0]?.['documentId']
    await expectOk(patch(deskAt(documentId), { name: 'Residence permit', expiryDate: '2028-01-01' }))
    const corrected = await get(byId(id))
    const feed = (document: Fields) =>
      expectOk(
        put(byNumber(number), {
          primaryApplicant: person({ employeeNumber: number, documents: [document] }),
        }),
      )
    await feed(PERMIT)
    const after = await get(byId(id))
    assert.equal(after.headers.get('etag'), corrected.headers.get('etag'))
    assert.deepEqual(after.body, corrected.body)
    await feed({ ...PERMIT, expiryDate: '2031-01-01' })
    const { body } = await get(byId(id))
    assert.deepEqual(
      body.documents.map(({ documentId: one, name, expiryDate }: Fields) => [one, name, expiryDate]),
      [[documentId, 'Permit', '2031-01-01T00:00:00']],
    )
  })
})

describe('a write of a record some of whose documents were removed at the desk', () => {
  it('responds with the documents in the order in which reads list them', async () => {
    const sent = ['A', 'B', 'C'].map(name => ({ name }))
    const { id, number, documents } = await personWith(...sent)
    for (const { documentId } of documents.slice(0, 2)) await remove(documentId)
    const namesOf = ({ documents }: Fields) => documents.map(({ name }: Fields) => name)
    const writes = [
      [...sent, { name: 'D' }],
      [...sent, { name: 'D' }, { name: 'E', description: 'new' }],
      [...sent, { name: 'D', description: 'changed' }, { name: 'E', description: 'new' }],
    ]
    for (const list of writes) {
      const body = { primaryApplicant: person({ employeeNumber: number, documents: list }) }
      const { primaryApplicant } = await expectOk(put(byNumber(number), body))
      assert.deepEqual(
        namesOf(primaryApplicant),
        list.slice(2).map(({ name }) => name),
      )
      assert.deepEqual(namesOf((await get(byId(id))).body), namesOf(primaryApplicant))
    }
  })
})

describe('POST /admin/v1/documents/{documentId}/restore', () => {
  it('brings a file of a case back, with its bytes', async () => {
    const { documentId, content, document } = await caseDocument()
    await expectOk(remove(documentId))
    const restored = await expectOk(restore(documentId))
    const { updatedAt: _before, ...kept } = document
    const { updatedAt: _after, ...rest } = restored
    assert.deepEqual(rest, kept)
    assert.deepEqual((await get(`${at(documentId)}/file`)).bytes, content)
    const entry = await lastOf(documentId)
    assert.equal(entry['action'], 'document.restore')
  })

  it('brings a document of a record back as the last one of the record', async () => {
    const { id, documents } = await personWith(PERMIT, { name: 'Card' })
    const documentId = documents[0]?.['documentId']
    await expectOk(remove(documentId))
    await expectOk(restore(documentId))
    const { body } = await get(byId(id))
    assert.deepEqual(
      body.documents.map(({ name }: Fields) => name),
      ['Card', 'Permit'],
    )
    assert.equal(body.documents[1].documentId, documentId)
  })

  it('brings back what a write of the record has left out', async () => {
    const { id, number, documents } = await personWith(PERMIT)
    await expectOk(put(byNumber(number), { primaryApplicant: person({ employeeNumber: number }) }))
    const desk = await expectOk(get(deskAt(documents[0]?.['documentId'])))
    assert.deepEqual([desk['removal'].removedBy, desk['removal'].reason], [null, null])
    await expectOk(restore(documents[0]?.['documentId']))
    assert.equal((await get(byId(id))).body.documents.length, 1)
  })

  it('returns a document that is not removed as it is, and the first response for the same key', async () => {
    const { documentId, document } = await caseDocument()
    assert.deepEqual(await expectOk(restore(documentId)), document)
    await expectOk(remove(documentId))
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
    const first = await expectOk(restore(documentId, { headers }))
    assert.deepEqual(await expectOk(restore(documentId, { headers })), first)
    const other = await caseDocument()
    await expectProblem(restore(other.documentId, { headers }), 422, 'idempotency-key-reused')
  })

  it('rejects an unknown document', async () => {
    await expectProblem(restore(UNKNOWN_ID), 404, 'document-not-found')
  })
})

describe('POST /admin/v1/applicants/{applicantId}/documents', () => {
  it('stores a file for a person without a case, beside the record', async () => {
    const { id, number } = await family()
    const record = await get(byId(id))
    const content = pdf(5_000)
    const made = await upload(id, {
      countryCode: 'CH',
      document: content,
      name: 'Birth certificate',
      type: 'certificate',
      issueDate: '1990-06-01',
      referenceNumber: 'B-1',
      country: 'DE',
    })
    assert.equal(made.status, 201)
    const { documentId, createdAt: _created, updatedAt: _updated, ...rest } = made.body
    assert.deepEqual(rest, {
      type: 'certificate',
      name: 'Birth certificate',
      description: null,
      status: 'active',
      issueDate: '1990-06-01T00:00:00',
      expiryDate: null,
      remindAboutRenewal: false,
      expiryReminder: null,
      referenceNumber: 'B-1',
      country: 'DE',
      countryCode: 'CH',
      fileName: 'scan.pdf',
      contentType: 'application/pdf',
      size: content.length,
      sha256: hash(content),
      hasFile: true,
      caseId: null,
      applicantId: id,
      employeeNumber: number,
    })
    const location = made.headers.get('location') ?? ''
    assert.equal(location, at(documentId))
    assert.deepEqual((await get(location)).body, made.body)
    assert.deepEqual((await get(`${location}/file`)).bytes, content)
    assert.deepEqual((await get(byId(id))).body, record.body)
  })

  it('is not restored into a record that has as many as it may have', async () => {
    const { id, documents } = await personWith(
      ...Array.from({ length: 500 }, (_, index) => ({ name: `Permit ${index}` })),
    )
    const documentId = documents[0]?.['documentId']
    await expectOk(remove(documentId))
    await expectOk(patch(byId(id), { primaryApplicant: { documents: [{ name: 'Another' }] } }))
    await expectInvalid(restore(documentId), '/documents')
    const record = (await get(byId(id))).body
    assert.equal(record.documents.length, 500)
    await expectOk(put(byId(id), { primaryApplicant: record }))
  })

  it('is kept by a PUT of the record without documents, and can be removed and restored', async () => {
    const { id, number } = await family()
    const { documentId } = await expectOk(upload(id, { countryCode: 'DE', document: pdf() }))
    await expectOk(
      put(byNumber(number), { primaryApplicant: person({ employeeNumber: number, documents: [] }) }),
    )
    assert.equal((await expectOk(get(at(documentId))))['type'], 'Applicant document')
    await expectOk(remove(documentId))
    await expectOk(restore(documentId))
    assert.deepEqual((await get(byId(id))).body.documents, [])
    assert.equal((await get(at(documentId))).status, 200)
  })

  it('takes a dependent, and the file before the fields', async () => {
    const dependent = { firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child' }
    const { dependents } = await family(person(), [dependent])
    const made = await upload(dependents[0]?.['applicantId'], { document: pdf(), countryCode: 'DE' })
    assert.equal(made.status, 201)
  })

  it('returns the first response for the same key, and rejects another file', async () => {
    const { id } = await family()
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
    const document = pdf()
    const first = await upload(id, { countryCode: 'DE', document }, { headers })
    const again = await upload(id, { countryCode: 'DE', document }, { headers })
    assert.deepEqual(again.body, first.body)
    const other = upload(id, { countryCode: 'DE', document: pdf() }, { headers })
    await expectProblem(other, 422, 'idempotency-key-reused')
  })

  it('rejects what every upload rejects, and names it', async () => {
    const { id } = await family()
    await expectInvalid(upload(id, { countryCode: 'XX', document: pdf() }), '/countryCode')
    await expectInvalid(upload(id, { document: pdf() }), '/countryCode')
    await expectInvalid(upload(id, { countryCode: 'DE' }), '/document')
    await expectInvalid(upload(id, { countryCode: 'DE', caseId: 'x', document: pdf() }), '/caseId')
    await expectInvalid(upload(id, { countryCode: 'DE', expiryDate: 'soon', document: pdf() }), '/expiryDate')
    const form = formOf({ countryCode: 'DE', document: Buffer.from('MZ') }, 'setup.exe')
    await expectProblem(post(uploadsAt(id), form), 415, 'file-kind-refused')
    await expectProblem(post(uploadsAt(id), { countryCode: 'DE' }), 415, 'unsupported-media-type')
  })

  it('rejects a person that does not exist', async () => {
    const sent = upload(UNKNOWN_ID, { countryCode: 'DE', document: pdf() })
    await expectProblem(sent, 404, 'applicant-not-found')
  })

  it('returns identifiers to a caller that may not read documents', async () => {
    const { id } = await family()
    const made = await upload(id, { countryCode: 'DE', document: pdf() }, { scopes: ['desk:write'] })
    assert.deepEqual(Object.keys(made.body).sort(), ['applicantId', 'caseId', 'documentId'])
  })
})

describe('PUT /admin/v1/documents/{documentId}/file', () => {
  it('stores a new version and keeps the one before it', async () => {
    const { documentId, content, document } = await caseDocument()
    const second = pdf(9_000)
    const made = await put(`${deskAt(documentId)}/file`, formOf({ document: second }, 'better.pdf'))
    assert.equal(made.status, 200)
    assert.deepEqual(
      [made.body.fileName, made.body.size, made.body.sha256, made.body.countryCode, made.body.name],
      ['better.pdf', second.length, hash(second), 'DE', document['name']],
    )
    assert.deepEqual((await get(`${at(documentId)}/file`)).bytes, second)
    const versions = (await expectOk(get(`${deskAt(documentId)}/files`))) as unknown as Fields[]
    assert.deepEqual(
      versions.map(({ fileVersion, fileName, sha256, replacedAt }) => [
        fileVersion,
        fileName,
        sha256,
        replacedAt === null,
      ]),
      [
        [2, 'better.pdf', hash(second), true],
        [1, 'scan.pdf', hash(content), false],
      ],
    )
    assert.deepEqual((await get(`${deskAt(documentId)}/files/1`)).bytes, content)
    assert.deepEqual((await get(`${deskAt(documentId)}/files/2`)).bytes, second)
    assert.equal((await expectOk(get(deskAt(documentId))))['fileVersion'], 2)
    const entry = await lastOf(documentId)
    assert.equal(entry['action'], 'document.file_write')
    for (const other of ['0', '3', '01', '1e0', 'first', '9999999999'])
      await expectProblem(get(`${deskAt(documentId)}/files/${other}`), 404, 'file-version-not-found')
  })

  it('sends a range of a version, and 304 for a known one', async () => {
    const { documentId, content } = await caseDocument()
    await expectOk(putFile(documentId, { document: pdf() }))
    const path = `${deskAt(documentId)}/files/1`
    const part = await get(path, { headers: { range: 'bytes=2-9' } })
    assert.equal(part.status, 206)
    assert.deepEqual(part.bytes, content.subarray(2, 10))
    const known = await get(path, { headers: { 'if-none-match': `"${hash(content)}"` } })
    assert.equal(known.status, 304)
    const beyond = get(path, { headers: { range: 'bytes=999999-' } })
    await expectProblem(beyond, 416, 'range-not-satisfiable')
  })

  it('changes nothing when the current file is sent again', async () => {
    const { documentId, content } = await caseDocument()
    const before = await get(at(documentId))
    const again = await putFile(documentId, { document: content })
    assert.equal(again.headers.get('etag'), before.headers.get('etag'))
    assert.deepEqual(again.body, before.body)
    assert.equal(((await expectOk(get(`${deskAt(documentId)}/files`))) as unknown as Fields[]).length, 1)
  })

  it('stores the first file of a document of a record, which needs a country', async () => {
    const { documents } = await personWith(PERMIT)
    const documentId = documents[0]?.['documentId']
    assert.deepEqual(await expectOk(get(`${deskAt(documentId)}/files`)), [])
    await expectInvalid(putFile(documentId, { document: pdf() }), '/countryCode')
    const made = await expectOk(putFile(documentId, { countryCode: 'FR', document: pdf() }))
    assert.deepEqual([made['countryCode'], made['hasFile'], made['caseId']], ['FR', true, null])
  })

  it('moves to another repository if a country is sent', async () => {
    const { documentId, content } = await caseDocument()
    const moved = await expectOk(putFile(documentId, { countryCode: 'US', document: content }))
    assert.equal(moved['countryCode'], 'US')
    const versions = (await expectOk(get(`${deskAt(documentId)}/files`))) as unknown as Fields[]
    assert.deepEqual(
      versions.map(({ countryCode }) => countryCode),
      ['US', 'DE'],
    )
  })

  it('moves it also if the country comes after the file', async () => {
    const { documentId, content } = await caseDocument()
    for (const [countryCode, document] of [
      ['FR', pdf()],
      // The same file again.
      ['US', content],
    ] as const) {
      const moved = await expectOk(putFile(documentId, { document, countryCode }))
      assert.deepEqual([moved['countryCode'], moved['sha256']], [countryCode, hash(document)])
    }
  })

  it('does not move the file back, where it was moved during an upload without a country', async () => {
    const { documentId } = await caseDocument()
    const path = `${deskAt(documentId)}/file`
    const sending = request(`${baseUrl}${path}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${await tokenFor()}`,
        'content-type': 'multipart/form-data; boundary=x',
      },
    })
    const responded = once(sending, 'response')
    sending.write('--x\r\ncontent-disposition: form-data; name="document"; filename="a.pdf"\r\n\r\n')
    sending.write(pdf())
    // The upload has begun when its pending bytes have arrived: the service reads the country before.
    await sleep(300)
    await expectOk(putFile(documentId, { countryCode: 'US', document: pdf() }))
    sending.end('\r\n--x--\r\n')
    const [response] = await responded
    const body = JSON.parse(await text(response))
    const headers = new Headers({ 'content-type': response.headers['content-type'] ?? '' })
    observe({ method: 'PUT', path, headers, status: response.statusCode, body })
    assert.deepEqual([response.statusCode, body.code], [409, 'document-moved'])
    const { countryCode, fileVersion } = await expectOk(get(deskAt(documentId)))
    assert.deepEqual([countryCode, fileVersion], ['US', 2])
  })

  it('rejects other fields, kinds and states', async () => {
    const { documentId } = await caseDocument()
    await expectInvalid(putFile(documentId, { name: 'A', document: pdf() }), '/name')
    await expectInvalid(putFile(documentId, {}), '/document')
    const form = formOf({ document: Buffer.from('<html>') }, 'page.html')
    await expectProblem(put(`${deskAt(documentId)}/file`, form), 415, 'file-kind-refused')
    await expectProblem(put(`${deskAt(documentId)}/file`, {}), 415, 'unsupported-media-type')
    const stale = putFile(documentId, { document: pdf() }, { headers: { 'if-match': '"0"' } })
    await expectProblem(stale, 412, 'version-mismatch')
    await expectProblem(putFile(UNKNOWN_ID, { document: pdf() }), 404, 'document-not-found')
    assert.equal(((await expectOk(get(`${deskAt(documentId)}/files`))) as unknown as Fields[]).length, 1)
  })
})

describe('documents of another company', () => {
  let limited: Partial<Call>
  let foreign: { documentId: string; applicantId: string }
  before(async () => {
    const { token } = await limitedTo(await company())
    limited = { token }
    foreign = await caseDocument()
  })

  it('do not exist', async () => {
    const { documentId, applicantId } = foreign
    await expectProblem(get(deskAt(documentId), limited), 404, 'document-not-found')
    await expectProblem(patch(deskAt(documentId), { name: 'A' }, limited), 404, 'document-not-found')
    await expectProblem(remove(documentId, 'Why', limited), 404, 'document-not-found')
    await expectProblem(restore(documentId, limited), 404, 'document-not-found')
    await expectProblem(get(`${deskAt(documentId)}/files`, limited), 404, 'document-not-found')
    await expectProblem(get(`${deskAt(documentId)}/files/1`, limited), 404, 'document-not-found')
    await expectProblem(putFile(documentId, { document: pdf() }, limited), 404, 'document-not-found')
    const own = upload(applicantId, { countryCode: 'DE', document: pdf() }, limited)
    await expectProblem(own, 404, 'applicant-not-found')
    assert.equal((await get(at(documentId))).status, 200)
  })

  it('are visible to each company of their case, with all versions', async () => {
    const billing = await company()
    const body = await caseBody({ billingCompany: billing.name }, { employeeNumber: newNumber() })
    const made = await expectOk(post('/v2/case', body))
    const form = formOf({ caseId: made['caseId'], countryCode: 'DE', document: pdf() })
    const { documentId } = await expectOk(post('/v2/document', form))
    await expectOk(putFile(documentId, { document: pdf() }))
    const { token } = await limitedTo(billing)
    const versions = await expectOk(get(`${deskAt(documentId)}/files`, { token }))
    assert.equal((versions as unknown as Fields[]).length, 2)
    assert.equal((await get(`${deskAt(documentId)}/files/1`, { token })).status, 200)
    await expectOk(patch(deskAt(documentId), { name: 'Invoice' }, { token }))
    await expectOk(putFile(documentId, { document: pdf() }, { token }))
    await expectOk(remove(documentId, 'Not ours', { token }))
    await expectOk(restore(documentId, { token }))
  })
})

describe('GET /admin/v1/documents/{documentId}', () => {
  it('returns 304 for a known state', async () => {
    const { documentId } = await caseDocument()
    const first = await get(deskAt(documentId))
    const etag = first.headers.get('etag') ?? ''
    assert.equal((await get(deskAt(documentId), { headers: { 'if-none-match': etag } })).status, 304)
    assert.equal(first.body.removal, null)
    assert.equal(first.body.fileVersion, 1)
  })
})
