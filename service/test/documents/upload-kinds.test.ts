// Uploads of kinds that are not stored leave nothing behind, and documents of earlier releases stay readable. The quota of a
// client.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { openXml } from '../../../scripts/office-files.ts'
import { openRepositories } from '../../src/blobs/open-repository.ts'
import { createCase } from '../../src/cases/cases.schema.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp, createTestDatabase, registerClient, type TestApp } from '../support/harness.ts'

const QUOTA = 10_000
const db = await createTestDatabase()
const test = await createTestApp({ db })
const limited = await createTestApp({
  db,
  config: { uploadQuotaBytes: QUOTA, dataDir: test.config.dataDir, repositories: test.config.repositories },
})

let caseId = ''
before(async () => {
  for (const name of ['Acme GmbH', 'Acme Inc.'])
    await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name } })
  caseId = (await test.call({ method: 'POST', url: '/v2/case', body: createCase.example })).body.caseId
})

interface Sent {
  app?: TestApp
  fileName?: string
  token?: string
  headers?: Record<string, string>
}

function upload(content: Buffer, { app = test, fileName = 'scan.pdf', token, headers = {} }: Sent = {}) {
  const field = (name: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = `${field('caseId', caseId)}${field('countryCode', 'DE')}--b\r\ncontent-disposition: form-data; name="document"; filename="${fileName}"\r\n\r\n`
  return app.call({
    method: 'POST',
    url: '/v2/document',
    headers: {
      'content-type': 'multipart/form-data; boundary=b',
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--b--\r\n')]),
  })
}

const pdf = (size: number) => Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(size - 5, 'x')])

async function stored(): Promise<number[]> {
  const blobs = await openRepositories(test.config.repositories)
  const [pending] = await db.sql`select count(*)::int as count from pending_uploads`
  return [pending?.['count'], (await Array.fromAsync(blobs.DE.list())).length]
}

describe('an upload of a kind that is not stored', () => {
  for (const [what, fileName, content] of [
    [
      'an office document with macros',
      'a.docx',
      openXml('docx', { entries: [{ name: 'word/vbaProject.bin', content: 'x' }] }),
    ],
    [
      'a text with control characters behind its first bytes',
      'a.txt',
      Buffer.from(`${'text '.repeat(20_000)}\x1b[2J`),
    ],
    [
      'half a character of UTF-16',
      'a.txt',
      Buffer.concat([Buffer.from('\ufefftext', 'utf16le'), Buffer.from('x')]),
    ],
    ['an archive', 'a.zip', Buffer.from('PK\x03\x04', 'latin1')],
  ] as const)
    it(`leaves nothing in the repository: ${what}`, async () => {
      const known = await stored()
      expectProblem(await upload(content, { fileName }), { status: 415, code: 'file-kind-refused' })
      assert.deepEqual(await stored(), known)
    })

  it('that an earlier release has stored can still be downloaded', async () => {
    const { documentId } = (await upload(pdf(100))).body
    await db.sql`
      update document_files set file_name = 'old.docm', content_type = 'application/vnd.ms-word' where document_id = ${documentId}`
    const response = await test.call({ url: `/v2/document/${documentId}/file` })
    assert.equal(response.status, 200)
    assert.equal(response.headers['content-type'], 'application/vnd.ms-word')
    assert.match(String(response.headers['content-disposition']), /^attachment; filename="old\.docm"/)
  })
})

describe('UPLOAD_QUOTA_BYTES', () => {
  /** A token of a new client, which has uploaded nothing. */
  async function newToken(): Promise<{ clientId: string; token: string }> {
    const { clientId, clientSecret } = await registerClient(db)
    const response = await limited.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }).toString(),
    })
    return { clientId, token: response.json().access_token }
  }
  const statusOf = async (size: number, token: string) =>
    (await upload(pdf(size), { app: limited, token })).status
  const usageOf = async (clientId: string) => {
    const [row] = await db.sql<
      { bytes: string }[]
    >`select bytes from upload_usage where client_id = ${clientId}`
    return Number(row?.bytes ?? 0)
  }

  it('is the most that one client can store, to the byte', async () => {
    const { clientId, token } = await newToken()
    const known = await stored()
    assert.equal(await statusOf(QUOTA - 1_000, token), 201)
    const response = await upload(pdf(1_001), { app: limited, token })
    expectProblem(response, { status: 403, code: 'quota-exceeded' })
    assert.equal(await statusOf(1_000, token), 201)
    assert.equal(await statusOf(5, token), 403)
    assert.equal(await usageOf(clientId), QUOTA)
    assert.deepEqual(await stored(), [known[0], (known[1] ?? 0) + 2])
  })

  it('does not limit another client, nor a service without the setting', async () => {
    const full = await newToken()
    assert.equal(await statusOf(QUOTA, full.token), 201)
    assert.equal(await statusOf(100, full.token), 403)
    assert.equal(await statusOf(100, (await newToken()).token), 201)
    assert.equal((await upload(pdf(100), { token: full.token })).status, 201)
  })

  it('holds for concurrent uploads', async () => {
    const { clientId, token } = await newToken()
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(1_000, token)))
    assert.equal(statuses.filter(status => status === 201).length, 10, statuses.join())
    assert.equal(statuses.filter(status => status === 403).length, 10, statuses.join())
    assert.equal(await usageOf(clientId), QUOTA)
  })

  it('is given back by a removed document, and taken again by a restored one', async () => {
    const { clientId, token } = await newToken()
    const { documentId } = (await upload(pdf(QUOTA), { app: limited, token })).body
    assert.equal(await statusOf(100, token), 403)
    await db.sql`update documents set removed_at = now() where document_id = ${documentId}`
    assert.equal(await usageOf(clientId), 0)
    assert.equal(await statusOf(100, token), 201)
    await db.sql`update documents set removed_at = null where document_id = ${documentId}`
    assert.equal(await usageOf(clientId), QUOTA + 100)
  })

  it('is checked again for an Idempotency-Key whose first request exceeded it', async () => {
    const { token } = await newToken()
    const { documentId } = (await upload(pdf(QUOTA), { app: limited, token })).body
    const headers = { 'idempotency-key': 'after-the-quota' }
    assert.equal((await upload(pdf(100), { app: limited, token, headers })).status, 403)
    await db.sql`update documents set removed_at = now() where document_id = ${documentId}`
    assert.equal((await upload(pdf(100), { app: limited, token, headers })).status, 201)
  })

  it('does not count a repeated Idempotency-Key twice', async () => {
    const { clientId, token } = await newToken()
    const headers = { 'idempotency-key': 'repeated' }
    for (let times = 0; times < 3; times++)
      assert.equal((await upload(pdf(1_000), { app: limited, token, headers })).status, 201)
    assert.equal(await usageOf(clientId), 1_000)
  })
})
