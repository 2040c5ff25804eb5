// Interrupted uploads: marked and committed first, removed in a later pass, whatever fails in between.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobStore } from '../../src/blobs/blob-store.ts'
import { openRepositories } from '../../src/blobs/open-repository.ts'
import { systemActor } from '../../src/db/unit-of-work.ts'
import type { StoredFile } from '../../src/documents/documents.store.ts'
import { createRepositories } from '../../src/documents/repositories.ts'
import { createUploads } from '../../src/documents/uploads.service.ts'
import { appendEvents } from '../../src/events/outbox.store.ts'
import { Problem } from '../../src/lib/problem.ts'
import { createTestApp, silent } from '../support/harness.ts'

/** Replaces operations of the repositories in a test. */
const overrides: Partial<Record<string, Partial<BlobStore>>> = {}
const withOverrides = <T extends Record<string, BlobStore>>(stores: T): T =>
  Object.fromEntries(
    Object.entries(stores).map(([code, store]) => [
      code,
      {
        ...store,
        delete: (...given: Parameters<BlobStore['delete']>) =>
          (overrides[code]?.delete ?? store.delete)(...given),
      },
    ]),
  ) as T

const test = await createTestApp({ blobs: withOverrides, config: { tokenTtl: 86_400 } })
const { db, clock } = test
const stores = await openRepositories(test.config.repositories)
const repositories = createRepositories(withOverrides(stores), silent)
const uploads = createUploads({ db, clock, repositories, scanner: undefined, log: silent })
let caseId = ''
let applicantId = ''

before(async () => {
  await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
  const companies = { hostCompany: 'Acme', sendingCompany: 'Acme', billingCompany: 'Acme' }
  const made = await test.call({
    method: 'POST',
    url: '/v2/case',
    body: { caseType: 'Visa', ...companies, applicant: { firstName: 'Anna', lastName: 'Schmidt' } },
  })
  ;({ caseId, applicantId } = made.body)
})

afterEach(async () => {
  for (const code of Object.keys(overrides)) delete overrides[code]
  clock.advance(200)
  await uploads.sweep()
  clock.advance(200)
  await uploads.sweep()
})

const down = async () => {
  throw new Error('down')
}

/** Received and never committed, as after kill -9. */
function receive(countryCode: 'DE' | 'US'): Promise<StoredFile> {
  async function* content() {
    yield Buffer.concat([Buffer.from('%PDF-1.7'), randomBytes(1_000)])
  }
  return uploads.receive({
    content: content(),
    countryCode,
    contentType: 'application/pdf',
    fileName: 'a.pdf',
  })
}

const isStored = async ({ blobKey, countryCode }: StoredFile) =>
  (await stores[countryCode as 'DE'].stat(blobKey)) !== undefined

const pending = async () =>
  (await db.sql<{ count: number }[]>`select count(*)::int as count from pending_uploads`)[0]?.count

const commit = (file: StoredFile) =>
  db.transaction(async tx => {
    const actor = systemActor('test', 'test')
    const now = clock.now()
    const fields = { caseId, type: null, name: null, description: null, issueDate: null }
    return uploads.commit(
      { tx, now, actor, audit: () => {}, emit: event => void appendEvents(tx, [event], { actor, now }) },
      {
        file,
        fields: { ...fields, expiryDate: null, referenceNumber: null, country: null },
        applicantId,
      },
    )
  })

const isExpired = (error: unknown) => error instanceof Problem && error.kind.code === 'upload-expired'

describe('the sweep of interrupted uploads', () => {
  it('marks uploads without a heartbeat, and removes bytes and row in a later pass', async () => {
    const file = await receive('DE')
    assert.equal(await uploads.sweep(), 0)
    clock.advance(151)
    assert.equal(await uploads.sweep(), 0)
    assert.equal(await isStored(file), true)
    clock.advance(121)
    assert.equal(await uploads.sweep(), 1)
    assert.equal(await isStored(file), false)
    assert.equal(await pending(), 0)
  })

  it('a marked upload is never acknowledged', async () => {
    const file = await receive('DE')
    clock.advance(151)
    await uploads.sweep()
    await assert.rejects(commit(file), isExpired)
    const [found] = await db.sql`select from document_files where blob_key = ${file.blobKey}`
    assert.equal(found, undefined)
  })

  it('skips uploads that are committed or have a heartbeat', async () => {
    const committed = await receive('DE')
    await commit(committed)
    clock.advance(140)
    const alive = await receive('DE')
    clock.advance(140)
    await uploads.sweep()
    clock.advance(5)
    await uploads.sweep()
    assert.equal(await isStored(committed), true)
    assert.equal(await isStored(alive), true)
    await commit(alive)
  })

  it('sweeps the other repositories when one is down', async () => {
    const files = [await receive('DE'), await receive('DE'), await receive('US')] as const
    overrides['DE'] = { delete: down }
    clock.advance(151)
    await uploads.sweep()
    clock.advance(121)
    assert.equal(await uploads.sweep(), 1)
    assert.deepEqual(await Promise.all(files.map(isStored)), [true, true, false])
    delete overrides['DE']
    assert.equal(await uploads.sweep(), 2)
    assert.equal(await pending(), 0)
  })

  it('has no transaction open while it removes bytes', async () => {
    const file = await receive('DE')
    const open: number[] = []
    const countOpen = async () => {
      const [row] = await db.sql<[{ count: number }]>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`
      return row.count
    }
    overrides['DE'] = {
      async delete(key) {
        // Background jobs have short transactions of their own; one around the removal would stay open.
        let count = await countOpen()
        for (let tries = 0; count > 0 && tries < 100; tries++) {
          await sleep(20)
          count = await countOpen()
        }
        open.push(count)
        await stores.DE.delete(key)
      },
    }
    clock.advance(151)
    await uploads.sweep()
    clock.advance(121)
    await uploads.sweep()
    assert.deepEqual(open, [0])
    assert.equal(await isStored(file), false)
  })

  it('removes nothing if the mark cannot be committed, as on a former primary', async () => {
    const file = await receive('DE')
    await db.sql.unsafe(`
      create function no_commit() returns trigger language plpgsql as $$ begin raise exception 'no commit'; end $$;
      create constraint trigger no_commit after update or delete on pending_uploads
        deferrable initially deferred for each row execute function no_commit()`)
    try {
      for (let pass = 0; pass < 3; pass++) {
        clock.advance(200)
        await assert.rejects(uploads.sweep(), /no commit/)
      }
    } finally {
      await db.sql.unsafe('drop function no_commit cascade')
    }
    assert.equal(await isStored(file), true)
    await commit(file)
  })

  it('removes nothing that is marked while nothing can be committed, even if there is nothing to mark', async () => {
    const file = await receive('DE')
    clock.advance(151)
    await uploads.sweep()
    clock.advance(121)
    await db.sql.unsafe(`
      create function no_commit() returns trigger language plpgsql as $$ begin raise exception 'no commit'; end $$;
      create constraint trigger no_commit after insert on pending_uploads
        deferrable initially deferred for each row execute function no_commit()`)
    try {
      await assert.rejects(uploads.sweep(), /no commit/)
    } finally {
      await db.sql.unsafe('drop function no_commit cascade')
    }
    assert.equal(await isStored(file), true)
    assert.equal(await uploads.sweep(), 1)
  })

  it('keeps the removed bytes in quarantine, from where a download of their document brings them back', async () => {
    const file = await receive('DE')
    clock.advance(151)
    await uploads.sweep()
    clock.advance(121)
    assert.equal(await uploads.sweep(), 1)
    assert.equal(await isStored(file), false)
    // As if the sweep had run on a database that had lost the commit of the document.
    await db.sql`
      insert into pending_uploads (blob_key, country_code, alive_at) values (${file.blobKey}, 'DE', ${clock.now()})`
    const documentId = await commit(file)
    const { status, headers } = await test.call({
      url: `/v2/document/${encodeURIComponent(documentId)}/file`,
    })
    assert.equal(status, 200)
    assert.equal(headers['content-length'], String(file.size))
    assert.equal(await isStored(file), true)
  })

  it('continues after a crash between the bytes and the row', async () => {
    const file = await receive('DE')
    overrides['DE'] = {
      async delete(key) {
        await stores.DE.delete(key)
        throw new Error('crashed')
      },
    }
    clock.advance(151)
    await uploads.sweep()
    clock.advance(121)
    assert.equal(await uploads.sweep(), 0)
    assert.equal(await isStored(file), false)
    assert.equal(await pending(), 1)
    delete overrides['DE']
    assert.equal(await uploads.sweep(), 1)
    assert.equal(await pending(), 0)
  })
})

describe('POST /v2/document when the clean-up after a rejected upload fails', () => {
  const part = (name: string, value: string, more = '') =>
    `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const upload = (headers: Record<string, string>, last = '') =>
    test.call({
      method: 'POST',
      url: '/v2/document',
      headers: { 'content-type': 'multipart/form-data; boundary=x', ...headers },
      body: Buffer.from(
        `${part('caseId', caseId)}${part('countryCode', 'DE')}${part('document', '%PDF-1.7', '; filename="a.pdf"')}${last}--x--\r\n`,
      ),
    })

  it('returns the error of the upload, and leaves the bytes to the sweep', async () => {
    overrides['DE'] = { delete: down }
    const { status, body } = await upload({}, part('expiryDate', 'never'))
    assert.deepEqual([status, body.code], [400, 'invalid-request'])
    assert.equal(await pending(), 1)
    delete overrides['DE']
    clock.advance(151)
    await uploads.sweep()
    clock.advance(121)
    assert.equal(await uploads.sweep(), 1)
  })

  it('returns the first response to a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'upload-again' }
    const first = await upload(headers)
    overrides['DE'] = { delete: down }
    const again = await upload(headers)
    assert.deepEqual([again.status, again.body], [201, first.body])
  })
})
