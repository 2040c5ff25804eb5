// Documents at the desk, as far as it cannot be seen over HTTP: events, quota, companies of versions, concurrent writes.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestApp } from '../support/harness.ts'

const QUOTA = 10_000
const app = await createTestApp({ config: { uploadQuotaBytes: QUOTA } })
const { sql } = app.db

const BOUNDARY = 'boundary'
const pdf = (size: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size - 9)])

function formOf(fields: Record<string, string>, content: Buffer): Buffer {
  const head = (name: string, rest = '') =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${rest}\r\n\r\n`
  return Buffer.concat([
    ...Object.entries(fields).map(([name, value]) => Buffer.from(`${head(name)}${value}\r\n`)),
    Buffer.from(head('document', '; filename="a.pdf"')),
    content,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}

async function send(
  method: 'POST' | 'PUT',
  url: string,
  fields: Record<string, string>,
  content: Buffer,
  headers: Record<string, string> = {},
) {
  const response = await app.app.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${await app.token()}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...headers,
    },
    payload: formOf(fields, content),
  })
  return { status: response.statusCode, body: response.json() }
}

let people = 0
async function createPerson(fields: object = {}) {
  const url = `/v2/applicant/employeenumber/E-${++people}`
  const put = (more: object = {}) =>
    app.call({
      method: 'PUT',
      url,
      body: { primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt', ...fields, ...more } },
    })
  const { body } = await put()
  return {
    applicantId: body.primaryApplicant.applicantId as string,
    documents: body.primaryApplicant.documents as { documentId: string }[],
    put,
  }
}

const usage = async () => {
  const [row] = await sql<{ bytes: string }[]>`
    select bytes from upload_usage where client_id = ${app.client.clientId}`
  return Number(row?.bytes ?? 0)
}
const remove = (documentId: string) =>
  app.call({ method: 'DELETE', url: `/admin/v1/documents/${documentId}`, body: { reason: 'Wrong' } })
const restore = (documentId: string) =>
  app.call({ method: 'POST', url: `/admin/v1/documents/${documentId}/restore` })
const eventsOf = async (documentId: string) =>
  (await sql<{ type: string }[]>`select type from events where record_id = ${documentId} order by seq`).map(
    ({ type }) => type,
  )

describe('the quota', () => {
  it('counts all versions of a file, is given back by a removal, and taken again by a restoration', async () => {
    const { applicantId } = await createPerson()
    const before = await usage()
    const url = `/admin/v1/applicants/${applicantId}/documents`
    const { body } = await send('POST', url, { countryCode: 'DE' }, pdf(3_000))
    const fileUrl = `/admin/v1/documents/${body.documentId}/file`
    assert.equal((await send('PUT', fileUrl, {}, pdf(2_000))).status, 200)
    assert.equal((await usage()) - before, 5_000)
    const tooMuch = await send('PUT', fileUrl, {}, pdf(QUOTA))
    assert.deepEqual([tooMuch.status, tooMuch.body.code], [403, 'quota-exceeded'])
    assert.equal((await usage()) - before, 5_000)
    await remove(body.documentId)
    assert.equal((await usage()) - before, 0)
    await restore(body.documentId)
    assert.equal((await usage()) - before, 5_000)
    await remove(body.documentId)
  })

  it('that is used up does not reject the repetition of an upload that was stored', async () => {
    const { applicantId } = await createPerson()
    const url = `/admin/v1/applicants/${applicantId}/documents`
    const content = pdf(QUOTA - (await usage()))
    const key = { 'idempotency-key': 'upload-of-the-rest' }
    const first = await send('POST', url, { countryCode: 'DE' }, content, key)
    assert.equal(first.status, 201)
    const fileUrl = `/admin/v1/documents/${first.body.documentId}/file`
    assert.deepEqual(await send('POST', url, { countryCode: 'DE' }, content, key), first)
    assert.equal((await send('PUT', fileUrl, {}, content)).status, 200)
    for (const more of [
      await send('POST', url, { countryCode: 'DE' }, pdf(100)),
      await send('PUT', fileUrl, {}, pdf(100)),
    ])
      assert.deepEqual([more.status, more.body.code], [403, 'quota-exceeded'])
    await remove(first.body.documentId)
  })
})

describe('events of the desk', () => {
  it('are those of each change, and none of a no-op', async () => {
    const { documents, put } = await createPerson({
      documents: [{ name: 'Permit', expiryDate: '2030-01-01' }],
    })
    const { documentId } = documents[0] as { documentId: string }
    const url = `/admin/v1/documents/${documentId}`
    const permit = { name: 'Permit', expiryDate: '2030-01-01' }
    await app.call({ method: 'PATCH', url, body: { name: 'Residence permit' } })
    await app.call({ method: 'PATCH', url, body: { name: 'Residence permit' } })
    await put({ documents: [permit] })
    await remove(documentId)
    await put({ documents: [permit] })
    await restore(documentId)
    await restore(documentId)
    await put({ documents: [permit] })
    await remove(documentId)
    await put({ documents: [{ ...permit, expiryDate: '2033-01-01' }] })
    assert.deepEqual(await eventsOf(documentId), [
      'document.created',
      'document.updated',
      'document.removed',
      'document.updated',
      'document.removed',
      'document.updated',
    ])
  })

  it('stop and start the reminders of a document', async () => {
    const soon = new Date(app.clock.now().getTime() + 20 * 86_400_000).toISOString().slice(0, 10)
    const { documents } = await createPerson({
      documents: [{ name: 'Permit', expiryDate: soon, remindAboutRenewal: true }],
    })
    const { documentId } = documents[0] as { documentId: string }
    const checks = async () => (await sql`select from renewal_checks where document_id = ${documentId}`).count
    assert.equal(await checks(), 1)
    await remove(documentId)
    assert.equal(await checks(), 0)
    await restore(documentId)
    assert.equal(await checks(), 1)
  })
})

describe('versions of files', () => {
  let companies: string[] = []
  before(async () => {
    const made = await Promise.all(
      ['One', 'Two'].map(name => app.call({ method: 'POST', url: '/admin/v1/companies', body: { name } })),
    )
    companies = made.map(({ body }) => body.companyId)
  })

  const companiesOf = async (table: string, documentId: string) => {
    const [row] = await sql<{ companies: string[] | null }[]>`
      select s.company_ids as companies from ${sql(table)} t left join company_sets s using (company_set_id)
      where t.document_id = ${documentId}`
    return row?.companies ?? null
  }

  it('belong where their document belongs, also after it moves', async () => {
    const { applicantId, put } = await createPerson({ sendingCompany: 'One' })
    const url = `/admin/v1/applicants/${applicantId}/documents`
    const { body } = await send('POST', url, { countryCode: 'DE' }, pdf(100))
    const { documentId } = body
    await send('PUT', `/admin/v1/documents/${documentId}/file`, {}, pdf(100))
    for (const [name, expected] of [
      ['One', [companies[0]]],
      ['Two', [companies[1]]],
      [null, null],
    ] as const) {
      await put({ sendingCompany: name })
      for (const table of ['documents', 'document_files', 'former_files'])
        assert.deepEqual(await companiesOf(table, documentId), expected, `${table} ${name}`)
    }
  })

  it('are numbered without gaps when several are uploaded at once, and none is lost', async () => {
    const { applicantId } = await createPerson()
    const url = `/admin/v1/applicants/${applicantId}/documents`
    const { body } = await send('POST', url, { countryCode: 'DE' }, pdf(50))
    const fileUrl = `/admin/v1/documents/${body.documentId}/file`
    const sent = await Promise.all(Array.from({ length: 6 }, () => send('PUT', fileUrl, {}, pdf(50))))
    assert.deepEqual(
      sent.map(({ status }) => status),
      Array(6).fill(200),
    )
    const { body: versions } = await app.call({ url: `/admin/v1/documents/${body.documentId}/files` })
    assert.deepEqual(
      versions.map(({ fileVersion }: { fileVersion: number }) => fileVersion),
      [7, 6, 5, 4, 3, 2, 1],
    )
    assert.equal(new Set(versions.map(({ sha256 }: { sha256: string }) => sha256)).size, 7)
  })
})

describe('a removal during a write of the record', () => {
  it('is not undone, whichever comes first', async () => {
    for (let round = 0; round < 10; round++) {
      const permit = { name: 'Permit', expiryDate: '2030-01-01' }
      const { applicantId, documents, put } = await createPerson({ documents: [permit] })
      const { documentId } = documents[0] as { documentId: string }
      const [removed] = await Promise.all([
        remove(documentId),
        put({ documents: [permit], jobTitle: 'Chief' }),
        put({ documents: [permit, { name: 'Card' }] }),
      ])
      assert.equal(removed.status, 200, removed.text)
      const { body } = await app.call({ url: `/v2/applicant/${applicantId}` })
      assert.ok(!body.documents.some(({ name }: { name: string }) => name === 'Permit'))
      const { status } = await app.call({ url: `/v2/document/${documentId}` })
      assert.equal(status, 404)
    }
  })
})

describe('the undo of a merge', () => {
  const merge = async (target: string, source: string) => {
    const merged = await app.call({
      method: 'POST',
      url: `/admin/v1/applicants/${target}/merge`,
      body: { from: source },
    })
    assert.equal(merged.status, 200, merged.text)
    return () => app.call({ method: 'POST', url: `/admin/v1/merges/${merged.body.mergeId}/undo`, body: {} })
  }
  const isRemoved = async (documentId: string) =>
    (await app.call({ url: `/v2/document/${documentId}` })).status === 404

  it('leaves files as the desk has removed and restored them since', async () => {
    const [target, source] = [await createPerson(), await createPerson()]
    const upload = async () => {
      const url = `/admin/v1/applicants/${source.applicantId}/documents`
      return (await send('POST', url, { countryCode: 'DE' }, pdf(100))).body.documentId as string
    }
    const [removed, restored] = [await upload(), await upload()]
    await remove(restored)
    const undo = await merge(target.applicantId, source.applicantId)
    await remove(removed)
    await restore(restored)
    assert.equal((await undo()).status, 200)
    assert.deepEqual([await isRemoved(removed), await isRemoved(restored)], [true, false])
    await remove(restored)
  })

  it('brings documents back that the merge has removed, with an event', async () => {
    const documents = [{ name: 'Permit', referenceNumber: '1' }]
    const [target, source] = [await createPerson({ documents }), await createPerson({ documents })]
    const undo = await merge(target.applicantId, source.applicantId)
    const { documentId } = source.documents[0] as { documentId: string }
    assert.ok(await isRemoved(documentId))
    assert.equal((await undo()).status, 200)
    assert.equal(await isRemoved(documentId), false)
    assert.deepEqual(await eventsOf(documentId), ['document.created', 'document.removed', 'document.updated'])
  })

  it('and the merge itself keep what the desk has corrected, also from the next file of the record', async () => {
    const permit = { name: 'Permit', referenceNumber: '1', expiryDate: '2030-01-01' }
    const target = await createPerson({ documents: [permit] })
    const source = await createPerson({ documents: [{ ...permit, description: 'Blue' }] })
    const url = `/admin/v1/documents/${target.documents[0]?.documentId}`
    const expiry = async () => (await app.call({ url })).body.expiryDate
    await app.call({ method: 'PATCH', url, body: { expiryDate: '2031-01-01' } })
    const undo = await merge(target.applicantId, source.applicantId)
    assert.equal((await undo()).status, 200)
    await target.put({ documents: [permit] })
    assert.match(await expiry(), /^2031-01-01/)
  })

  it('is refused once the id of an item belongs to another person', async () => {
    const passport = { passportNumber: 'X1', country: 'DE' }
    const target = await createPerson({ passports: [passport] })
    const source = await createPerson({ passports: [{ ...passport, passportId: 'own-id-of-passport' }] })
    const undo = await merge(target.applicantId, source.applicantId)
    const other = await createPerson({ passports: [{ ...passport, passportId: 'own-id-of-passport' }] })
    assert.ok(other.applicantId)
    const refused = await undo()
    assert.deepEqual([refused.status, refused.body.code], [409, 'changed-since-merge'])
    assert.equal(refused.body.errors[0].pointer, '/source')
  })
})

describe('an upload for a person whose record is absorbed meanwhile', () => {
  it('is 404, and keeps no bytes', async () => {
    const { applicantId } = await createPerson()
    const before = await usage()
    const url = `/admin/v1/applicants/${applicantId}/documents`
    let upload: ReturnType<typeof send> | undefined
    await app.db.transaction(async tx => {
      await tx`select from applicants where applicant_id = ${applicantId} for update`
      upload = send('POST', url, { countryCode: 'DE' }, pdf(1_000))
      await untilBlocked()
      await tx`delete from applicants where applicant_id = ${applicantId}`
    })
    const response = await upload
    assert.deepEqual([response?.status, response?.body.code], [404, 'applicant-not-found'])
    assert.equal(await usage(), before)
    assert.equal((await sql`select from pending_uploads`).length, 0)
  })
})

async function untilBlocked(): Promise<void> {
  for (let waited = 0; waited < 500; waited++) {
    const rows = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (rows.length > 0) return
    await sleep(20)
  }
  assert.fail('No statement waits for a lock.')
}
