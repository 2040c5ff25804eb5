import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it, mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCase } from '../../src/cases/cases.schema.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { noRoom, replaceWrite } from '../support/file-writes.ts'
import { createTestApp } from '../support/harness.ts'

const test = await createTestApp()
const { repositories } = test.config
const BOUNDARY = 'x-boundary-x'

function multipart(parts: [name: string, value: string | Buffer, fileName?: string][]): Buffer {
  const pieces = parts.flatMap(([name, value, fileName]) => [
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${fileName ? `; filename="${fileName}"` : ''}\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

const upload = (content: Buffer, countryCode = 'DE') =>
  test.call({
    method: 'POST',
    url: '/v2/document',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: multipart([
      ['caseId', caseId],
      ['countryCode', countryCode],
      ['document', content, 'scan.pdf'],
    ]),
  })

const pdf = (size: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size)])

function folderOf(countryCode: 'DE' | 'UK'): string {
  const location = repositories[countryCode]
  assert.equal(location.kind, 'file')
  return location.kind === 'file' ? location.dir : ''
}

/** Every stored file below a repository. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

async function flipByte(file: string, position: number): Promise<void> {
  const handle = await open(file, 'r+')
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, position)
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, position)
  await handle.close()
}

let caseId = ''
before(async () => {
  for (const name of ['Acme GmbH', 'Acme Inc.'])
    await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name } })
  caseId = (await test.call({ method: 'POST', url: '/v2/case', body: createCase.example })).body.caseId
})

describe('the bytes of a document', () => {
  it('are stored in the directory of their country and in no other', async () => {
    const content = pdf(10_000)
    const { body } = await upload(content, 'UK')
    assert.equal((await filesIn(folderOf('UK'))).length, 1)
    assert.equal((await filesIn(folderOf('DE'))).length, 0)
    const back = await test.app.inject({
      url: `/v2/document/${body.documentId}/file`,
      headers: { authorization: `Bearer ${await test.token()}` },
    })
    assert.deepEqual(back.rawPayload, content)
  })

  it('are not served once a byte is flipped, whole or in ranges', async () => {
    const content = pdf(3_000_000)
    const known = new Set(await filesIn(folderOf('DE')))
    const { body } = await upload(content)
    const [file = ''] = (await filesIn(folderOf('DE'))).filter(one => !known.has(one))
    const headers = { authorization: `Bearer ${await test.token()}` }
    const url = `/v2/document/${body.documentId}/file`

    await flipByte(file, 2_500_000)
    const intact = await test.app.inject({ url, headers: { ...headers, range: 'bytes=0-99' } })
    assert.deepEqual(intact.rawPayload, content.subarray(0, 100))
    const damagedPart = await test.app.inject({
      url,
      headers: { ...headers, range: 'bytes=2500000-2500001' },
    })
    assert.equal(damagedPart.json().code, 'file-damaged')
    const whole = await test.app.inject({ url, headers }).then(
      response => response.rawPayload.length,
      () => 0,
    )
    assert.ok(whole < content.length)

    await flipByte(file, 5)
    assert.equal((await test.app.inject({ url, headers })).json().code, 'file-damaged')
    await rm(file)
    assert.equal((await test.app.inject({ url, headers })).json().code, 'file-damaged')
  })

  for (const [name, value] of [
    ['expiryDate', 'never'],
    ['unknown', 'part'],
  ] as const)
    it(`are removed if the upload is rejected after their arrival, for its part ${name}`, async () => {
      const known = await filesIn(folderOf('DE'))
      const rejected = await test.call({
        method: 'POST',
        url: '/v2/document',
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
        body: multipart([
          ['caseId', caseId],
          ['countryCode', 'DE'],
          ['document', pdf(50_000), 'scan.pdf'],
          [name, value],
        ]),
      })
      assert.equal(rejected.status, 400)
      for (let tries = 0; tries < 100; tries++) {
        const [pending] = await test.db.sql`select count(*)::int as count from pending_uploads`
        if (pending?.['count'] === 0) break
        await sleep(20)
      }
      assert.deepEqual((await filesIn(folderOf('DE'))).sort(), known.sort())
      const [pending] = await test.db.sql`select count(*)::int as count from pending_uploads`
      assert.equal(pending?.['count'], 0)
    })
})

describe('the event document.created of an upload', () => {
  it('contains the ids and the current employee number of the applicant', async () => {
    const { documentId, applicantId, employeeNumber } = (await upload(pdf(100))).body
    const rows = await test.db.sql`select type, data from events where record_id = ${documentId}`
    assert.deepEqual(
      [...rows],
      [{ type: 'document.created', data: { documentId, applicantId, caseId, employeeNumber } }],
    )
    assert.equal(typeof employeeNumber, 'string')
  })
})

describe('POST /v2/document with the file before its fields', () => {
  it('returns 507 storage-full if the disk of the spool is full', async () => {
    await replaceWrite(() => noRoom)
    const response = await test
      .call({
        method: 'POST',
        url: '/v2/document',
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
        body: multipart([
          ['document', pdf(50_000), 'scan.pdf'],
          ['caseId', caseId],
          ['countryCode', 'DE'],
        ]),
      })
      .finally(() => mock.restoreAll())
    expectProblem(response, { status: 507, code: 'storage-full' })
  })
})
