import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { connect } from '../../src/db/database.ts'
import { cachedByEtag, createEtagCache, type RenderedRecord } from '../../src/db/etag-cache.ts'
import { createTestApp, createTestDatabase, silent, testConnection } from '../support/harness.ts'

/** A cached lookup in records with a version each, and the keys of which it loaded rows and entity tags. */
function createLookup() {
  const versions = new Map<string, number>()
  const rowsLoaded: string[] = []
  const etagsLoaded: string[][] = []
  const render = ({ key, version }: { key: string; version: number }): RenderedRecord => ({
    id: key,
    json: `{"version":${version}}`,
    etag: `"${version}"`,
  })
  const existing = (keys: string[]) =>
    keys.flatMap(key => {
      const version = versions.get(key)
      return version === undefined ? [] : [{ key, version }]
    })
  const find = cachedByEtag({
    async loadEtags(keys) {
      etagsLoaded.push(keys)
      return existing(keys).map(({ key, version }) => ({ key, etag: `"${version}"` }))
    },
    async loadRows(keys) {
      rowsLoaded.push(...keys)
      return existing(keys)
    },
    render,
  })
  const read = async (key: string) => (await find([key])).get(key)?.json
  return { versions, rowsLoaded, etagsLoaded, find, read }
}

describe('cachedByEtag', () => {
  it('loads a record on its first two reads, and afterwards only when it has changed', async () => {
    const { versions, rowsLoaded, read } = createLookup()
    versions.set('a', 1)
    for (let time = 0; time < 5; time++) assert.equal(await read('a'), '{"version":1}')
    assert.deepEqual(rowsLoaded, ['a', 'a'])
    versions.set('a', 2)
    for (let time = 0; time < 3; time++) assert.equal(await read('a'), '{"version":2}')
    assert.deepEqual(rowsLoaded, ['a', 'a', 'a'])
  })

  it('returns no deleted record, and returns a new record under the same key', async () => {
    const { versions, read } = createLookup()
    versions.set('a', 1)
    for (let time = 0; time < 3; time++) await read('a')
    versions.delete('a')
    assert.equal(await read('a'), undefined)
    versions.set('a', 7)
    assert.equal(await read('a'), '{"version":7}')
  })

  it('bypasses the cache when fewer than one in four keys is cached', async () => {
    const { versions, rowsLoaded, etagsLoaded, find, read } = createLookup()
    for (const key of ['a', 'b', 'c', 'd', 'e']) versions.set(key, 1)
    for (let time = 0; time < 3; time++) await read('a')
    etagsLoaded.length = rowsLoaded.length = 0
    const found = await find(['a', 'b', 'c'])
    assert.deepEqual([etagsLoaded, rowsLoaded], [[['a']], ['b', 'c']])
    assert.equal(found.size, 3)
    etagsLoaded.length = rowsLoaded.length = 0
    assert.equal((await find(['a', 'd', 'e', 'none', 'missing'])).size, 3)
    assert.deepEqual([etagsLoaded, rowsLoaded], [[], ['a', 'd', 'e', 'none', 'missing']])
  })

  it('returns the version that it validated, even when a concurrent lookup replaces the entry', async () => {
    const { versions, find, read } = createLookup()
    versions.set('a', 1)
    for (let time = 0; time < 3; time++) await read('a')
    const first = find(['a', 'b'])
    versions.set('a', 2)
    const second = find(['a'])
    const [early, late] = await Promise.all([first, second])
    assert.equal(early.get('a')?.json, '{"version":1}')
    assert.equal(late.get('a')?.json, '{"version":2}')
  })
})

describe('createEtagCache', () => {
  it('evicts the oldest entries beyond 8 Mi characters of JSON', () => {
    const cache = createEtagCache()
    const json = 'x'.repeat(1024 * 1024)
    for (let index = 0; index < 20; index++)
      for (let time = 0; time < 2; time++) cache.set(`key ${index}`, { id: '', json, etag: '' })
    const cached = Array.from({ length: 20 }, (_, index) => index).filter(index => cache.get(`key ${index}`))
    assert.deepEqual(cached, [12, 13, 14, 15, 16, 17, 18, 19])
  })
})

describe('cached reads of the API', async () => {
  const { name } = await createTestDatabase()
  const statements: string[] = []
  const db = connect({
    connection: testConnection(name),
    log: silent,
    onStatement: text => statements.push(text),
  })
  after(() => db.close())
  const test = await createTestApp({ db })
  const number = '/v2/applicant/employeenumber/E-cached'
  const put = (primaryApplicant: object) =>
    test.call({ method: 'PUT', url: number, body: { primaryApplicant } })
  const anna = { firstName: 'Anna', lastName: 'Schmidt' }
  const ben = { firstName: 'Ben', lastName: 'Okafor', dateOfBirth: '1990-05-31' }

  /** A read, and what its lookups by key have loaded: whole rows, or entity tags alone. */
  const read = async (url: string) => {
    statements.length = 0
    const { body } = await test.call({ url })
    // Background jobs send statements too, but look up nothing by key.
    const lookups = statements.filter(text => text.includes('= any($1::text[])') && text.includes(' as key'))
    const loadsEtags = (text: string) =>
      text.includes('as etag') || /^\s*select c\.case_id as key, c\.version,/.test(text)
    return { body, loaded: lookups.map(text => (loadsEtags(text) ? 'etags' : 'rows')) }
  }
  /** Reads until the record is cached; returns it as it is read from the cache. */
  const readCached = async (url: string) => {
    const loaded: string[][] = []
    for (let time = 0; time < 4; time++) loaded.push((await read(url)).loaded)
    assert.deepEqual(loaded, [['rows'], ['rows'], ['etags'], ['etags']], url)
    return (await read(url)).body
  }

  it('of an applicant show changes of the person and of documents at once', async () => {
    await put({ ...anna, documents: [{ name: 'Visa', expiryDate: '2031-01-01' }] })
    const before = await readCached(number)
    assert.equal(before.documents[0].name, 'Visa')
    const byIdUrl = `/v2/applicant/${before.applicantId}`
    assert.deepEqual(await readCached(byIdUrl), before)
    test.clock.advance(1)
    await put({ ...anna, jobTitle: 'Engineer', documents: [{ name: 'Permit' }] })
    const { body: after, loaded } = await read(number)
    assert.deepEqual(loaded, ['etags', 'rows'])
    assert.equal(after.jobTitle, 'Engineer')
    assert.deepEqual(
      after.documents.map((document: { name: string }) => document.name),
      ['Permit'],
    )
    assert.equal(after.createdAt, before.createdAt)
    assert.notEqual(after.updatedAt, before.updatedAt)
    assert.deepEqual((await read(byIdUrl)).body, after)
  })

  it('by employee number return the current person of a number that was reassigned', async () => {
    const { body: cached, loaded } = await read(number)
    assert.deepEqual(loaded, ['etags'])
    const { applicantId } = cached
    await test.db
      .sql`update applicants set employee_number = null, version = version + 1 where applicant_id = ${applicantId}`
    assert.equal((await test.call({ url: number })).status, 404)
    await put(ben)
    const { body } = await test.call({ url: number })
    assert.equal(body.firstName, 'Ben')
    assert.notEqual(body.applicantId, applicantId)
  })

  it('of a case show changes of its status, of a step and of the employee number at once', async () => {
    await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name: 'Acme' } })
    await put(ben)
    const created = await test.call({
      method: 'POST',
      url: '/v2/case',
      body: {
        caseType: 'Visa',
        hostCompany: 'Acme',
        sendingCompany: 'Acme',
        billingCompany: 'Acme',
        applicant: { ...ben, employeeNumber: 'E-cached' },
      },
    })
    assert.equal(created.status, 201, created.text)
    const { caseId, steps } = created.body
    const url = `/v2/case/${caseId}`
    assert.equal((await readCached(url)).status, 'open')
    const change = async (request: Parameters<typeof test.call>[0]) => {
      const { status, text } = await test.call(request)
      assert.ok(status < 300, text)
      const { body, loaded } = await read(url)
      assert.deepEqual(loaded, ['etags', 'rows'])
      return body
    }
    const admin = `/admin/v1/cases/${caseId}`
    const pending = await change({ method: 'PATCH', url: admin, body: { status: 'pending' } })
    assert.equal(pending.status, 'pending')
    const stepUrl = `${admin}/steps/${steps[0].stepId}`
    const moved = await change({ method: 'PATCH', url: stepUrl, body: { status: 'completed' } })
    assert.equal(moved.steps[0].status, 'completed')
    const renumbered = await change({
      method: 'POST',
      url: `${number}/E-renumbered`,
      body: ben,
      headers: { 'x-api-key': test.client.apiKey },
    })
    assert.equal(renumbered.employeeNumber, 'E-renumbered')
  })
})
