import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cachedByEtag, createEtagCache, type Shown } from '../../src/db/etag-cache.ts'
import { createTestApp } from '../support/harness.ts'

/** Records with a version each, and a note of which of them were given in full. */
function recorded() {
  const versions = new Map<string, number>()
  const given: string[] = []
  const show = ({ key, version }: { key: string; version: number }): Shown => ({
    id: key,
    json: `{"version":${version}}`,
    etag: `"${version}"`,
  })
  const asked: string[][] = []
  const there = (keys: string[]) =>
    keys.flatMap(key => {
      const version = versions.get(key)
      return version === undefined ? [] : [{ key, version }]
    })
  const find = cachedByEtag({
    async tags(keys) {
      asked.push(keys)
      return there(keys).map(({ key, version }) => ({ key, etag: `"${version}"` }))
    },
    async rows(keys) {
      given.push(...keys)
      return there(keys)
    },
    show,
  })
  const read = async (key: string) => (await find([key])).get(key)?.json
  return { versions, given, asked, find, read }
}

describe('a record that is read again and again', () => {
  it('is given in full twice, and then only when it has changed', async () => {
    const { versions, given, read } = recorded()
    versions.set('a', 1)
    for (let time = 0; time < 5; time++) assert.equal(await read('a'), '{"version":1}')
    assert.deepEqual(given, ['a', 'a'])
    versions.set('a', 2)
    for (let time = 0; time < 3; time++) assert.equal(await read('a'), '{"version":2}')
    assert.deepEqual(given, ['a', 'a', 'a'])
  })

  it('is gone when it is gone, and another that comes in its place is shown as it is', async () => {
    const { versions, read } = recorded()
    versions.set('a', 1)
    for (let time = 0; time < 3; time++) await read('a')
    versions.delete('a')
    assert.equal(await read('a'), undefined)
    versions.set('a', 7)
    assert.equal(await read('a'), '{"version":7}')
  })

  it('is read with the others where it is the only one that is held', async () => {
    const { versions, given, asked, find, read } = recorded()
    for (const key of ['a', 'b', 'c', 'd', 'e']) versions.set(key, 1)
    for (let time = 0; time < 3; time++) await read('a')
    asked.length = given.length = 0
    const found = await find(['a', 'b', 'c'])
    assert.deepEqual([asked, given], [[['a']], ['b', 'c']])
    assert.equal(found.size, 3)
    asked.length = given.length = 0
    assert.equal((await find(['a', 'd', 'e', 'none', 'nobody'])).size, 3)
    assert.deepEqual([asked, given], [[], ['a', 'd', 'e', 'none', 'nobody']])
  })

  it('is what it was when it was asked for, whatever a later read finds meanwhile', async () => {
    const { versions, find, read } = recorded()
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

describe('what is held', () => {
  it('stays within eight million characters: the oldest go first', () => {
    const held = createEtagCache()
    const json = 'x'.repeat(1024 * 1024)
    for (let index = 0; index < 20; index++)
      for (let time = 0; time < 2; time++) held.keep(`key ${index}`, { id: '', json, etag: '' })
    const kept = Array.from({ length: 20 }, (_, index) => index).filter(index => held.get(`key ${index}`))
    assert.deepEqual(kept, [12, 13, 14, 15, 16, 17, 18, 19])
  })
})

describe('an applicant and a case, read often', async () => {
  const test = await createTestApp()
  const number = '/v2/applicant/employeenumber/E-held'
  const put = (primaryApplicant: object) =>
    test.call({ method: 'PUT', url: number, body: { primaryApplicant } })
  const anna = { firstName: 'Anna', lastName: 'Schmidt' }

  it('show every change at once: of the person, of a document, of the number', async () => {
    await put({ ...anna, documents: [{ name: 'Visa', expiryDate: '2031-01-01' }] })
    const read = async () => (await test.call({ url: number })).body
    for (let time = 0; time < 3; time++) assert.equal((await read()).documents[0].name, 'Visa')
    const before = await read()
    test.clock.advance(1)
    await put({ ...anna, jobTitle: 'Engineer', documents: [{ name: 'Permit' }] })
    const after = await read()
    assert.equal(after.jobTitle, 'Engineer')
    assert.deepEqual(
      after.documents.map((document: { name: string }) => document.name),
      ['Permit'],
    )
    assert.equal(after.createdAt, before.createdAt)
    assert.notEqual(after.updatedAt, before.updatedAt)
    const byId = await test.call({ url: `/v2/applicant/${before.applicantId}` })
    assert.deepEqual(byId.body, after)
  })

  it('lead to the next person who has the number', async () => {
    const { applicantId } = (await test.call({ url: number })).body
    await test.db
      .sql`update applicants set employee_number = null, version = version + 1 where applicant_id = ${applicantId}`
    assert.equal((await test.call({ url: number })).status, 404)
    await put({ firstName: 'Ben', lastName: 'Okafor' })
    const { body } = await test.call({ url: number })
    assert.equal(body.firstName, 'Ben')
    assert.notEqual(body.applicantId, applicantId)
  })
})
