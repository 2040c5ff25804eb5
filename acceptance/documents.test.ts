import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { compoundFile, openDocument, openXml, zipOf } from '../scripts/office-files.ts'
import { caseBody, UNKNOWN_ID } from './case-factories.ts'
import { baseUrl, call, observe, type TestResponse, tokenFor } from './client.ts'

type Part = [name: string, value: string | Buffer, fileName?: string, type?: string]

const pdf = (size = 2_000) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size)])
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const today = new Date().toISOString().slice(0, 10)
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

function upload(parts: Part[], headers: Record<string, string> = {}): Promise<TestResponse> {
  const form = new FormData()
  for (const [name, value, fileName, type] of parts) {
    if (typeof value === 'string') form.append(name, value)
    else
      form.append(
        name,
        new Blob([new Uint8Array(value)], { type: type ?? 'application/pdf' }),
        fileName ?? 'file.pdf',
      )
  }
  return call({ method: 'POST', path: '/v2/document', body: form, headers })
}

let caseId = ''
let applicantId = ''
let employeeNumber = ''
before(async () => {
  const made = await call({ method: 'POST', path: '/v2/case', body: await caseBody() })
  ;({ caseId, applicantId, employeeNumber } = made.body)
})

describe('POST /v2/document', () => {
  for (const countryCode of ['US', 'EDU', 'UK', 'FR', 'DE', 'IR', 'ES', 'CH'])
    it(`stores a file in the repository of ${countryCode} and returns it unmodified`, async () => {
      const content = pdf(5_000)
      const made = await upload([
        ['caseId', caseId],
        ['countryCode', countryCode],
        ['document', content, 'Paß "Kopie".pdf'],
        ['type', 'passport'],
        ['description', 'Both pages'],
        ['issueDate', '2021-03-01'],
        ['expiryDate', '2031-02-28T00:00:00'],
        ['referenceNumber', 'C01X00T47'],
        ['country', 'DE'],
      ])
      assert.equal(made.status, 201)
      const { documentId, createdAt, updatedAt, ...rest } = made.body
      assert.equal(createdAt, updatedAt)
      assert.deepEqual(rest, {
        type: 'passport',
        name: 'Paß "Kopie".pdf',
        description: 'Both pages',
        status: 'active',
        issueDate: '2021-03-01T00:00:00',
        expiryDate: '2031-02-28T00:00:00',
        remindAboutRenewal: false,
        expiryReminder: null,
        referenceNumber: 'C01X00T47',
        country: 'DE',
        countryCode,
        fileName: 'Paß "Kopie".pdf',
        contentType: 'application/pdf',
        size: content.length,
        sha256: hash(content),
        hasFile: true,
        caseId,
        applicantId,
        employeeNumber,
      })
      const location = made.headers.get('location') ?? ''
      assert.equal(location, `/v2/document/${encodeURIComponent(documentId)}`)
      assert.deepEqual((await call({ path: location })).body, made.body)
      assert.deepEqual((await call({ path: `${location}/file` })).bytes, content)
    })

  it('sets a default type of the document', async () => {
    const made = await upload([
      ['caseId', caseId],
      ['countryCode', 'DE'],
      ['document', pdf()],
    ])
    assert.equal(made.body.type, 'Case document')
    const body = { primaryApplicant: { firstName: 'A', lastName: 'B', documents: [{ name: 'Permit' }] } }
    const { documentId } = (await call({ method: 'POST', path: '/v2/applicant', body })).body.primaryApplicant
      .documents[0]
    assert.equal((await call({ path: `/v2/document/${documentId}` })).body.type, 'Applicant document')
  })

  it('accepts the parts in any order', async () => {
    const content = pdf(3_000_000)
    const made = await upload([
      ['name', 'Permit'],
      ['document', content],
      ['countryCode', 'DE'],
      ['caseId', caseId],
    ])
    assert.equal(made.status, 201)
    assert.equal(made.body.name, 'Permit')
    assert.equal(made.body.sha256, hash(content))
    assert.deepEqual((await call({ path: `${made.headers.get('location')}/file` })).bytes, content)
  })

  it('detects the media type from the bytes and the name, and ignores that of the part', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(50)])
    const asPdf = await upload([
      ['caseId', caseId],
      ['countryCode', 'DE'],
      ['document', png, 'a.pdf', 'application/pdf'],
    ])
    assert.equal(asPdf.body.contentType, 'image/png')
    const plain = await upload([
      ['caseId', caseId],
      ['countryCode', 'DE'],
      ['document', Buffer.from('Hello'), 'a.txt', 'text/plain'],
    ])
    assert.equal(plain.body.contentType, 'text/plain')
    const declared = await upload([
      ['caseId', caseId],
      ['countryCode', 'DE'],
      ['document', Buffer.from('Hello'), 'a.txt', 'text/html'],
    ])
    assert.equal(declared.body.contentType, 'text/plain')
  })

  it('stores office documents, text and e-mail, and returns them unmodified', async () => {
    const openXmlType = 'application/vnd.openxmlformats-officedocument'
    const openDocumentType = 'application/vnd.oasis.opendocument'
    const media = [{ name: 'media/image1.png', content: randomBytes(200_000) }]
    const mail = 'From: anna@example.com\r\nSubject: Permit\r\n\r\n<html>Hello</html>\r\n'
    const files: [fileName: string, content: Buffer, contentType: string][] = [
      ['letter.docx', openXml('docx', { entries: media }), `${openXmlType}.wordprocessingml.document`],
      ['table.xlsx', openXml('xlsx'), `${openXmlType}.spreadsheetml.sheet`],
      ['slides.pptx', openXml('pptx'), `${openXmlType}.presentationml.presentation`],
      ['letter.odt', openDocument('text'), `${openDocumentType}.text`],
      ['table.ods', openDocument('spreadsheet'), `${openDocumentType}.spreadsheet`],
      ['slides.odp', openDocument('presentation'), `${openDocumentType}.presentation`],
      ['letter', openXml('docx'), `${openXmlType}.wordprocessingml.document`],
      ['table.csv', Buffer.from('Name;City\r\nAnna;Zürich\r\n'), 'text/csv'],
      ['note.txt', Buffer.from('\ufeffZürich', 'utf16le'), 'text/plain'],
      ['mail.eml', Buffer.from(mail), 'message/rfc822'],
      ['mail.msg', compoundFile(), 'application/vnd.ms-outlook'],
    ]
    for (const [fileName, content, contentType] of files) {
      const fields: Part[] = [
        ['caseId', caseId],
        ['countryCode', 'DE'],
      ]
      const document: Part = ['document', content, fileName]
      for (const parts of [
        [...fields, document],
        [document, ...fields],
      ]) {
        const made = await upload(parts)
        assert.equal(made.status, 201, fileName)
        assert.equal(made.body.contentType, contentType)
        const file = await call({ path: `${made.headers.get('location')}/file` })
        assert.deepEqual(file.bytes, content)
        assert.match(file.headers.get('content-type') ?? '', new RegExp(`^${contentType.replace('+', '.')}`))
      }
    }
  })

  it('rejects files of all other kinds, by their bytes and by their name, and names those it accepts', async () => {
    const docm = openXml('docm', { entries: [{ name: 'word/vbaProject.bin', content: 'x' }] })
    const files: [fileName: string, content: string | Buffer][] = [
      ['letter.docm', docm],
      ['letter.docx', docm],
      ['table.xlsm', openXml('xlsm')],
      ['table.xlsx', openXml('xlsm')],
      ['letter.docx', openXml('docx', { entries: [{ name: 'word/vbaProject.bin', content: 'x' }] })],
      ['letter.docx', openXml('xlsx')],
      ['letter.odt', openDocument('text', [{ name: 'Basic/Standard/Module1.xml', content: 'x' }])],
      ['old.doc', compoundFile(['WordDocument'])],
      ['mail.msg', compoundFile(['WordDocument'])],
      ['start.jnlp', '<jnlp/>'],
      ['start.jnlp', 'harmless text'],
      ['notebook.one', Buffer.from('e4525c7b8cd8a74daeb15378d02996d3', 'hex')],
      ['disk.vhd', 'conectix'],
      ['desktop.rdp', 'full address:s:198.51.100.7\r\n'],
      ['page.html', 'harmless text'],
      ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      ['archive.zip', zipOf([{ name: 'a.txt', content: 'x' }])],
      ['archive.docx', zipOf([{ name: 'a.txt', content: 'x' }])],
      ['letter.rtf', '{\\rtf1 hello}'],
      ['letter.txt', '{\\rtf1 hello}'],
      ['table.csv', 'ID;PWXL;N;E\r\n'],
      ['note.txt', `${'text '.repeat(2_000)}\0`],
      ['note', 'text without an extension'],
      ['note.pdf', 'text under the name of a PDF'],
      ['scan.txt', '%PDF-1.7'],
      ['scan.exe', '%PDF-1.7'],
    ]
    for (const [fileName, content] of files) {
      const response = await upload([
        ['caseId', caseId],
        ['countryCode', 'DE'],
        ['document', Buffer.from(content), fileName],
      ])
      assert.equal(response.status, 415, fileName)
      assert.equal(response.body.code, 'file-kind-refused')
      for (const accepted of ['PDF', 'JPEG', 'docx', 'csv', 'msg'])
        assert.ok(response.body.detail.includes(accepted), response.body.detail)
    }
  })

  it('treats a file name as data', async () => {
    const named = async (fileName: string) =>
      (
        await upload([
          ['caseId', caseId],
          ['countryCode', 'DE'],
          ['document', pdf(), fileName],
        ])
      ).body.fileName
    assert.equal(await named('../../etc/passwd'), 'passwd')
    assert.equal(await named('C:\\temp\\scan.pdf'), 'scan.pdf')
    assert.equal((await named('a'.repeat(400))).length, 200)
  })

  it('rejects programs, scripts and HTML, whatever their file name', async () => {
    const files: [string, string | Buffer][] = [
      ['a.pdf', Buffer.from('7f454c4602010100', 'hex')],
      ['a.pdf', Buffer.from('4d5a900003000000', 'hex')],
      ['a.pdf', '#!/bin/sh\nrm -rf /'],
      ['a.txt', '<!DOCTYPE html><html><script>alert(1)</script>'],
      ['a.png', '  <svg onload="alert(1)">'],
      ['a.txt', '<?php system($_GET["x"]);'],
      ['run.exe', 'harmless text'],
      ['page.html', 'harmless text'],
    ]
    for (const [fileName, content] of files) {
      const response = await upload([
        ['caseId', caseId],
        ['countryCode', 'DE'],
        ['document', Buffer.from(content), fileName],
      ])
      assert.equal(response.status, 415)
      assert.equal(response.body.code, 'file-kind-refused')
    }
  })

  it('reports all missing and invalid parts', async () => {
    const pointers = async (parts: Part[]) => {
      const { status, body } = await upload(parts)
      assert.equal(status, 400)
      return body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()
    }
    assert.deepEqual(await pointers([['name', 'x']]), ['/caseId', '/countryCode', '/document'])
    assert.deepEqual(
      await pointers([
        ['caseId', caseId],
        ['countryCode', 'DE'],
      ]),
      ['/document'],
    )
    assert.deepEqual(await pointers([['document', pdf()]]), ['/caseId', '/countryCode'])
    assert.deepEqual(
      await pointers([
        ['CaseId', caseId],
        ['countryCode', 'XX'],
        ['file', 'x'],
      ]),
      ['/CaseId', '/caseId', '/countryCode', '/document', '/file'],
    )
    assert.deepEqual(
      await pointers([
        ['CaseId', caseId],
        ['document', pdf()],
      ]),
      ['/CaseId', '/caseId', '/countryCode'],
    )
    assert.deepEqual(
      await pointers([
        ['caseId', caseId],
        ['countryCode', 'XX'],
        ['document', pdf()],
      ]),
      ['/countryCode'],
    )
    assert.deepEqual(
      await pointers([
        ['caseId', caseId],
        ['countryCode', 'de'],
        ['document', pdf()],
      ]),
      ['/countryCode'],
    )
    assert.deepEqual(
      await pointers([
        ['caseId', caseId],
        ['countryCode', 'DE'],
        ['document', Buffer.alloc(0)],
      ]),
      ['/document'],
    )
    assert.deepEqual(
      await pointers([
        ['caseId', caseId],
        ['countryCode', 'DE'],
        ['document', pdf()],
        ['expiryDate', '2027-02-30'],
      ]),
      ['/expiryDate'],
    )
    assert.deepEqual(
      await pointers([
        ['caseId', caseId],
        ['countryCode', 'DE'],
        ['contryCode', 'DE'],
        ['document', pdf()],
      ]),
      ['/contryCode'],
    )
    assert.deepEqual(
      await pointers([
        ['caseId', caseId],
        ['caseId', caseId],
        ['countryCode', 'DE'],
        ['document', pdf()],
      ]),
      ['/caseId'],
    )
    assert.equal(
      (
        await upload([
          ['document', pdf()],
          ['document', pdf()],
          ['caseId', caseId],
          ['countryCode', 'DE'],
        ])
      ).status,
      400,
    )
  })

  it('responds with 404 for an unknown case, and stores nothing', async () => {
    const response = await upload([
      ['caseId', 'bm90aGluZyBoYXMgdGhpcyA='],
      ['countryCode', 'DE'],
      ['document', pdf()],
    ])
    assert.equal(response.status, 404)
    assert.equal(response.body.code, 'case-not-found')
  })

  it('rejects bodies other than multipart', async () => {
    const json = await call({ method: 'POST', path: '/v2/document', body: { caseId } })
    assert.equal(json.status, 415)
    const broken = await call({
      method: 'POST',
      path: '/v2/document',
      body: '--x\r\nnothing',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    })
    assert.equal(broken.status, 400)
    const noBoundary = await call({
      method: 'POST',
      path: '/v2/document',
      body: 'x',
      headers: { 'content-type': 'multipart/form-data' },
    })
    assert.equal(noBoundary.status, 400)
  })

  for (const [method, path, type] of [
    ['POST', '/v2/document', 'multipart/form-data; boundary=x'],
    ['POST', `/admin/v1/applicants/${UNKNOWN_ID}/documents`, 'multipart/form-data; boundary=x'],
    ['PUT', `/admin/v1/documents/${UNKNOWN_ID}/file`, 'multipart/form-data; boundary=x'],
    ['POST', '/v2/imports', 'text/csv'],
  ] as const)
    it(`rejects a file whose Content-Length is too large before it is sent: ${method} ${path}`, async () => {
      const token = await tokenFor()
      const { status, body } = await new Promise<{ status: number; body: { code: string } }>(
        (resolve, reject) => {
          const sending = request(`${baseUrl}${path}`, {
            method,
            headers: {
              authorization: `Bearer ${token}`,
              'content-type': type,
              'content-length': String(2 ** 43),
            },
          })
          sending.on('response', async response => {
            const headers = new Headers({ 'content-type': response.headers['content-type'] ?? '' })
            const received = { status: response.statusCode ?? 0, body: JSON.parse(await text(response)) }
            observe({ method, path, headers, ...received })
            resolve(received)
            sending.destroy()
          })
          sending.on('error', reject)
          sending.write('--x\r\n')
        },
      )
      assert.equal(body.code, 'payload-too-large')
      assert.equal(status, 413)
    })

  it('repeats the response for an Idempotency-Key, and rejects the key for another file', async () => {
    const headers = { 'idempotency-key': `upload-${randomBytes(6).toString('hex')}` }
    const content = pdf()
    const parts: Part[] = [
      ['caseId', caseId],
      ['countryCode', 'FR'],
      ['document', content],
    ]
    const first = await upload(parts, headers)
    const again = await upload(parts, headers)
    assert.deepEqual([again.status, again.body], [201, first.body])
    const [caseField, country] = parts as [Part, Part]
    const reordered = await upload([country, caseField, ['document', content]], headers)
    assert.deepEqual([reordered.status, reordered.body], [201, first.body])
    for (const part of [
      ['document', pdf()],
      ['document', content, 'other.pdf'],
    ] as Part[]) {
      const other = await upload([caseField, country, part], headers)
      assert.equal(other.body.code, 'idempotency-key-reused')
    }
  })

  it('accepts fifty concurrent uploads', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const content = pdf(20_000)
        const made = await upload([
          ['caseId', caseId],
          ['countryCode', 'ES'],
          ['document', content],
        ])
        return made.status === 201 && made.body.sha256 === hash(content)
      }),
    )
    assert.ok(responses.every(Boolean))
  })
})

describe('GET /v2/document/{documentId}/file', () => {
  const content = pdf(2_500_000)
  let path = ''
  before(async () => {
    path = `${(
      await upload([
        ['caseId', caseId],
        ['countryCode', 'UK'],
        ['document', content, 'Antrag.pdf'],
      ])
    ).headers.get('location')}/file`
  })

  it('returns media type, length and digest in the headers', async () => {
    const { headers, bytes } = await call({ path })
    assert.equal(headers.get('content-type'), 'application/pdf')
    assert.equal(headers.get('content-length'), String(content.length))
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="Antrag.pdf"/)
    assert.equal(headers.get('etag'), `"${hash(content)}"`)
    assert.equal(
      headers.get('repr-digest'),
      `sha-256=:${createHash('sha256').update(content).digest('base64')}:`,
    )
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.deepEqual(bytes, content)
  })

  it('returns any range', async () => {
    const size = content.length
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=1048575-1048576', 1_048_575, 1_048_576],
      ['bytes=2000000-', 2_000_000, size - 1],
      ['bytes=-10', size - 10, size - 1],
      ['Bytes=0-1', 0, 1],
      [`bytes=5-${size * 2}`, 5, size - 1],
    ] as const) {
      const part = await call({ path, headers: { range } })
      assert.equal(part.status, 206)
      assert.equal(part.headers.get('content-range'), `bytes ${start}-${end}/${size}`)
      assert.deepEqual(part.bytes, content.subarray(start, end + 1))
    }
    for (const start of [size, '9'.repeat(20)]) {
      const beyond = await call({ path, headers: { range: `bytes=${start}-` } })
      assert.equal(beyond.status, 416)
      assert.equal(beyond.headers.get('content-range'), `bytes */${size}`)
    }
    const changed = await call({ path, headers: { range: 'bytes=0-1', 'if-range': '"another"' } })
    assert.equal(changed.status, 200)
  })

  it('responds with 304 for the current ETag', async () => {
    assert.equal((await call({ path, headers: { 'if-none-match': `"${hash(content)}"` } })).status, 304)
  })

  it('responds with 404 for an unknown document, and for one without a file', async () => {
    for (const path of [
      '/v2/document/bm90aGluZyBoYXMgdGhpcyA=',
      '/v2/document/bm90aGluZyBoYXMgdGhpcyA=/file',
    ])
      assert.equal((await call({ path })).body.code, 'document-not-found')
    const body = { primaryApplicant: { firstName: 'A', lastName: 'B', documents: [{ name: 'Permit' }] } }
    const { documentId } = (await call({ method: 'POST', path: '/v2/applicant', body })).body.primaryApplicant
      .documents[0]
    assert.equal((await call({ path: `/v2/document/${documentId}/file` })).body.code, 'file-not-found')
  })
})

describe('PATCH /v2/document/{documentId}/expiry', () => {
  const patch = (documentId: string, body: object, headers = {}) =>
    call({ method: 'PATCH', path: `/v2/document/${documentId}/expiry`, body, headers })

  it('changes the expiry of a document in an applicant record', async () => {
    const body = {
      primaryApplicant: {
        firstName: 'A',
        lastName: 'B',
        documents: [{ name: 'Permit', referenceNumber: 'R1' }],
      },
    }
    const made = await call({ method: 'POST', path: '/v2/applicant', body })
    const { applicantId: owner, documents } = made.body.primaryApplicant
    const { documentId } = documents[0]
    const response = await patch(documentId, {
      ExpiryDate: inDays(30),
      RemindAboutRenewal: true,
      ExpiryReminder: 30,
    })
    assert.equal(response.status, 200)
    assert.equal(response.body.status, 'expiring')
    const record = await call({ path: `/v2/applicant/${owner}` })
    assert.deepEqual(record.body.documents, [
      { ...documents[0], expiryDate: `${inDays(30)}T00:00:00`, remindAboutRenewal: true, expiryReminder: 30 },
    ])
    assert.notEqual(record.headers.get('etag'), made.headers.get('etag'))
    assert.equal((await call({ path: `/v2/document/${documentId}` })).body.referenceNumber, 'R1')
  })

  it('is a no-op if the same values are sent again', async () => {
    const { documentId } = (
      await upload([
        ['caseId', caseId],
        ['countryCode', 'CH'],
        ['document', pdf()],
      ])
    ).body
    const body = { ExpiryDate: '2027-06-30', RemindAboutRenewal: true, ExpiryReminder: 30 }
    const first = await patch(documentId, body)
    const again = await patch(documentId, body)
    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.equal(again.headers.get('etag'), first.headers.get('etag'))
  })

  it('accepts reminders as number, text, list, date and duration, and keeps fields that are not sent', async () => {
    const made = await upload([
      ['caseId', caseId],
      ['countryCode', 'CH'],
      ['document', pdf()],
    ])
    const { documentId } = made.body
    for (const reminder of [14, '14', '90,30,7', '2026-12-01', 'P3M', 0]) {
      const response = await patch(documentId, {
        ExpiryDate: '2027-06-30T12:00:00+02:00',
        RemindAboutRenewal: true,
        ExpiryReminder: reminder,
      })
      assert.equal(response.body.expiryReminder, reminder)
      assert.equal(response.body.expiryDate, '2027-06-30T12:00:00')
    }
    const kept = await patch(documentId, { ExpiryDate: inDays(-1) })
    assert.equal(kept.body.remindAboutRenewal, true)
    assert.equal(kept.body.expiryReminder, 0)
    assert.equal(kept.body.status, 'expired')
    assert.equal(kept.body.sha256, made.body.sha256)
  })

  it('rejects an invalid body, and reports its errors', async () => {
    const { documentId } = (
      await upload([
        ['caseId', caseId],
        ['countryCode', 'CH'],
        ['document', pdf()],
      ])
    ).body
    for (const [body, pointer] of [
      [{}, '/ExpiryDate'],
      [{ expiryDate: '2027-01-01' }, '/expiryDate'],
      [{ ExpiryDate: '2027-13-01' }, '/ExpiryDate'],
      [{ ExpiryDate: '2027-01-01', ExpiryReminder: 'soon' }, '/ExpiryReminder'],
      [{ ExpiryDate: '2027-01-01', RemindAboutRenewal: 'yes' }, '/RemindAboutRenewal'],
    ] as const) {
      const response = await patch(documentId, body)
      assert.equal(response.status, 400)
      assert.ok(response.body.errors.some((error: { pointer: string }) => error.pointer === pointer))
    }
    assert.equal(
      (await patch('bm90aGluZyBoYXMgdGhpcyA=', { ExpiryDate: '2027-01-01' })).body.code,
      'document-not-found',
    )
  })

  it('is accepted only for the version that If-Match names', async () => {
    const made = await upload([
      ['caseId', caseId],
      ['countryCode', 'CH'],
      ['document', pdf()],
    ])
    const path = made.headers.get('location') ?? ''
    const etag = made.headers.get('etag') ?? ''
    assert.equal((await call({ path, headers: { 'if-none-match': etag } })).status, 304)
    const body = { ExpiryDate: '2027-01-01' }
    assert.equal((await patch(made.body.documentId, body, { 'if-match': etag })).status, 200)
    assert.equal(
      (await patch(made.body.documentId, body, { 'if-match': etag })).body.code,
      'version-mismatch',
    )
  })
})

describe('GET /v2/documents', () => {
  const list = (query: Record<string, string>) =>
    call({ path: `/v2/documents?${new URLSearchParams({ startDate: today, endDate: inDays(1), ...query })}` })

  it('returns ten records by default, and is paged by cursor in both directions', async () => {
    for (let count = 0; count < 12; count++)
      await upload([
        ['caseId', caseId],
        ['countryCode', 'IR'],
        ['document', pdf(100)],
      ])
    const first = await list({})
    assert.equal(first.body.records.length, 10)
    assert.equal(first.body.prevCursor, null)
    const second = await list({ nextCursor: first.body.nextCursor })
    const back = await list({ prevCursor: second.body.prevCursor })
    const ids = (response: TestResponse) =>
      response.body.records.map(({ documentId }: { documentId: string }) => documentId)
    assert.deepEqual(ids(back), ids(first))
    assert.equal(new Set([...ids(first), ...ids(second)]).size, ids(first).length + ids(second).length)
  })

  it('requires both dates in order, and rejects an invalid cursor and an offset', async () => {
    assert.equal((await call({ path: '/v2/documents?startDate=2026-01-01' })).status, 400)
    assert.equal((await list({ startDate: inDays(2) })).status, 400)
    assert.equal((await list({ nextCursor: 'abc' })).body.code, 'invalid-cursor')
    assert.equal((await list({ offset: '1' })).status, 400)
  })

  describe('with filters', () => {
    const ids = (response: TestResponse) =>
      response.body.records.map(({ documentId }: { documentId: string }) => documentId).sort()
    const file = async (toCase: string, countryCode: string) =>
      (
        await upload([
          ['caseId', toCase],
          ['countryCode', countryCode],
          ['document', pdf(100)],
        ])
      ).body.documentId
    let [opened, other] = [{ caseId: '', applicantId: '', employeeNumber: '' }, { caseId: '' }]
    let [german, french, elsewhere, own] = ['', '', '', '']
    before(async () => {
      const made = async (applicant: object) =>
        (await call({ method: 'POST', path: '/v2/case', body: await caseBody({}, applicant) })).body
      opened = await made({ dateOfBirth: '1990-05-31' })
      other = await made({ employeeNumber: opened.employeeNumber })
      german = await file(opened.caseId, 'DE')
      french = await file(opened.caseId, 'FR')
      elsewhere = await file(other.caseId, 'DE')
      const body = { primaryApplicant: { documents: [{ name: 'Permit' }] } }
      const merged = await call({ method: 'PATCH', path: `/v2/applicant/${opened.applicantId}`, body })
      own = merged.body.primaryApplicant.documents[0].documentId
    })

    it('returns the documents of a case, of a person by id or number, and of a country', async () => {
      const { caseId, applicantId, employeeNumber } = opened
      const all = [german, french, elsewhere, own].sort()
      assert.deepEqual(ids(await list({ caseId })), [german, french].sort())
      assert.deepEqual(ids(await list({ applicantId })), all)
      assert.deepEqual(ids(await list({ employeeNumber })), all)
      assert.deepEqual(ids(await list({ employeeNumber, countryCode: 'DE' })), [german, elsewhere].sort())
      const { records } = (await list({ countryCode: 'FR', maxRecords: '1000' })).body
      assert.ok(records.some(({ documentId }: { documentId: string }) => documentId === french))
      assert.ok(records.every(({ countryCode }: { countryCode: string }) => countryCode === 'FR'))
    })

    it('combines filters, and returns an empty page if nothing matches', async () => {
      const { caseId, applicantId, employeeNumber } = opened
      const every = await list({ caseId, applicantId, employeeNumber, countryCode: 'FR' })
      assert.deepEqual(ids(every), [french])
      for (const query of [
        { caseId, applicantId: 'bm90aGluZyBoYXMgdGhpcyA=' },
        { caseId: 'bm90aGluZyBoYXMgdGhpcyA=' },
        { applicantId: 'no id at all' },
        { employeeNumber: 'unknown number' },
        { caseId, countryCode: 'IR' },
      ])
        assert.deepEqual((await list(query)).body, { records: [], nextCursor: null, prevCursor: null })
    })

    it('is paged by cursors that are valid for the same filters only', async () => {
      const { caseId, applicantId } = opened
      const first = await list({ applicantId, maxRecords: '3' })
      const { nextCursor } = first.body
      const second = await list({ applicantId, maxRecords: '3', nextCursor })
      assert.deepEqual([...ids(first), ...ids(second)].sort(), [german, french, elsewhere, own].sort())
      for (const query of [{}, { caseId }, { applicantId, caseId }, { applicantId, countryCode: 'DE' }])
        assert.equal((await list({ ...query, nextCursor })).body.code, 'invalid-cursor')
    })

    it('rejects an unknown country code, and an empty filter', async () => {
      for (const query of [{ countryCode: 'de' }, { countryCode: 'XX' }, { caseId: '' }]) {
        const { status, body } = await list(query)
        assert.equal(status, 400)
        assert.equal(body.errors[0].pointer, `/${Object.keys(query)[0]}`)
      }
    })

    it('finds a person by the current number, not by a former one', async () => {
      const { employeeNumber, applicantId } = opened
      const to = `${employeeNumber}-Y`
      const change = await call({
        method: 'POST',
        path: `/v2/applicant/employeenumber/${encodeURIComponent(employeeNumber)}/${encodeURIComponent(to)}`,
        body: { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' },
        apiKey: process.env['API_KEY'] ?? '',
      })
      assert.equal(change.status, 200)
      assert.deepEqual(ids(await list({ employeeNumber })), [])
      assert.deepEqual(ids(await list({ employeeNumber: to })), ids(await list({ applicantId })))
    })

    it('finds a dependent by its number', async () => {
      const number = `D-${randomBytes(6).toString('hex')}`
      const body = {
        primaryApplicant: { firstName: 'A', lastName: 'B' },
        dependents: [
          {
            firstName: 'C',
            lastName: 'B',
            relationship: 'Child',
            employeeNumber: number,
            documents: [{ name: 'Birth certificate' }],
          },
        ],
      }
      const made = await call({ method: 'POST', path: '/v2/applicant', body })
      const [dependent] = made.body.dependents
      assert.deepEqual(ids(await list({ employeeNumber: number })), [dependent.documents[0].documentId])
    })
  })

  it('follows a change of employee number', async () => {
    const body = await caseBody({}, { dateOfBirth: '1990-05-31' })
    const opened = (await call({ method: 'POST', path: '/v2/case', body })).body
    const made = await upload([
      ['caseId', opened.caseId],
      ['countryCode', 'DE'],
      ['document', pdf()],
    ])
    const to = `${opened.employeeNumber}-X`
    const change = await call({
      method: 'POST',
      path: `/v2/applicant/employeenumber/${encodeURIComponent(opened.employeeNumber)}/${encodeURIComponent(to)}`,
      body: { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' },
      apiKey: process.env['API_KEY'] ?? '',
    })
    assert.equal(change.body.documentsUpdated, 1)
    assert.equal((await call({ path: made.headers.get('location') ?? '' })).body.employeeNumber, to)
  })
})
