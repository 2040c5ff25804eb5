// Cursors: the pages they select, their Link header, and which are rejected.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  dayAfter,
  idOf,
  idsOf,
  type List,
  listed,
  ownToken,
  page,
  pagesFrom,
  type Query,
  type Section,
  sectionOf,
} from './case-factories.ts'
import { baseUrl, call, type TestResponse } from './client.ts'
import { expectInvalid, expectProblem } from './people.ts'

/** The URLs of a Link header by relation. */
function linksOf({ headers }: TestResponse): Record<string, string> {
  const links = (headers.get('link') ?? '').matchAll(/<([^>]*)>;\s*rel="(\w+)"/g)
  return Object.fromEntries([...links].map(([, address = '', rel = '']) => [rel, address]))
}

for (const list of ['steps', 'notes'] as List[])
  describe(`GET /v2/cases/applicants/${list}: cursors`, () => {
    let section: Section
    let cursor = ''
    const at = (query: Query) => page(list, { ...section.range, ...query })
    const response = (query: Query) => listed(list, { ...section.range, ...query })

    before(async () => {
      section = await sectionOf(list, 40)
      const first = await at({ offset: section.base, maxRecords: 10 })
      assert.deepEqual(idsOf(first.records), section.ids.slice(0, 10))
      assert.ok(first.nextCursor)
      cursor = first.nextCursor
    })

    it('return the same records forwards and backwards', async () => {
      const { ids } = section
      const second = await at({ maxRecords: 10, nextCursor: cursor })
      assert.deepEqual(idsOf(second.records), ids.slice(10, 20))
      const third = await at({ maxRecords: 10, nextCursor: second.nextCursor ?? '' })
      assert.deepEqual(idsOf(third.records), ids.slice(20, 30))
      const back = await at({ maxRecords: 10, prevCursor: third.prevCursor ?? '' })
      assert.deepEqual(idsOf(back.records), ids.slice(10, 20))
      const again = await at({ maxRecords: 10, nextCursor: back.nextCursor ?? '' })
      assert.deepEqual(idsOf(again.records), ids.slice(20, 30))
      const first = await at({ maxRecords: 10, prevCursor: back.prevCursor ?? '' })
      assert.deepEqual(idsOf(first.records), ids.slice(0, 10))
    })

    it('can be reused, also with another page size', async () => {
      const { ids } = section
      for (const maxRecords of [1, 3, 25, 3])
        assert.deepEqual(
          idsOf((await at({ maxRecords, nextCursor: cursor })).records),
          ids.slice(10, 10 + maxRecords),
        )
      const seen = []
      let next: string | null = cursor
      for (let maxRecords = 1; next && seen.length < ids.length - 10; maxRecords++) {
        const found: Awaited<ReturnType<typeof at>> = await at({ maxRecords, nextCursor: next })
        seen.push(...idsOf(found.records))
        next = found.nextCursor
      }
      assert.deepEqual(seen.slice(0, ids.length - 10), ids.slice(10))
    })

    it('take precedence over an offset', async () => {
      const expected = section.ids.slice(10, 15)
      for (const offset of [0, 7, 100_000, ''])
        assert.deepEqual(idsOf((await at({ maxRecords: 5, nextCursor: cursor, offset })).records), expected)
      const { prevCursor } = await at({ maxRecords: 5, nextCursor: cursor })
      for (const offset of [0, 7, 100_000, ''])
        assert.deepEqual(
          idsOf((await at({ maxRecords: 5, prevCursor: prevCursor ?? '', offset })).records),
          section.ids.slice(5, 10),
        )
    })

    it('are null exactly if there is no page in that direction', async () => {
      const pages = await pagesFrom(list, { ...section.range, offset: '', maxRecords: 30 })
      assert.ok(pages.length > 1)
      assert.equal(pages[0]?.prevCursor, null)
      assert.equal(pages.at(-1)?.nextCursor, null)
      for (const { prevCursor } of pages.slice(1)) assert.ok(prevCursor)
      const last = pages.at(-1)?.records.length ?? 0
      assert.ok(last > 0, 'The last page that a cursor leads to holds something.')
    })

    it('are in the Link header in either mode, and the links can be followed', async () => {
      const ways: Query[] = [
        { offset: section.base + 10, maxRecords: 10 },
        { nextCursor: cursor, maxRecords: 10 },
      ]
      for (const way of ways) {
        const { next = '', prev = '' } = linksOf(await response(way))
        const follow = async (address: string) => {
          const { pathname, search } = new URL(address, `${baseUrl}/v2/cases/applicants/${list}`)
          const { status, body } = await call({ path: pathname + search })
          assert.equal(status, 200)
          return idsOf(body.records)
        }
        assert.deepEqual(await follow(next), section.ids.slice(20, 30))
        assert.deepEqual(await follow(prev), section.ids.slice(0, 10))
      }
    })

    it('are the same in the Link header and in the body', async () => {
      const found = await response({ nextCursor: cursor, maxRecords: 5 })
      const links = linksOf(found)
      const parameter = (rel: string, name: string) =>
        new URL(links[rel] ?? '', baseUrl).searchParams.get(name)
      assert.equal(parameter('next', 'nextCursor'), found.body.nextCursor)
      assert.equal(parameter('prev', 'prevCursor'), found.body.prevCursor)
      const first = linksOf(await response({ offset: '', maxRecords: 1 }))
      assert.deepEqual(Object.keys(first), ['next'])
      const beyond = linksOf(await response({ offset: 100_000_000 }))
      assert.deepEqual(Object.keys(beyond), ['prev'])
    })

    it('are rejected if both are sent', async () => {
      await expectProblem(response({ nextCursor: cursor, prevCursor: cursor }), 400, 'invalid-request')
    })

    it('are rejected if any part was modified', async () => {
      const other = (letter: string) => (letter === 'A' ? 'B' : 'A')
      const changed = [...cursor].map(
        (letter, index) => cursor.slice(0, index) + other(letter) + cursor.slice(index + 1),
      )
      const longer = [`${cursor}A`, `A${cursor}`, `${cursor}=`, `${cursor}.`, ` ${cursor}`, cursor + cursor]
      const shorter = [cursor.slice(1), cursor.slice(0, -1), cursor.slice(0, 8), cursor.slice(-8)]
      const made = [
        'x',
        Buffer.from('["2026-03-01T00:00:00.000Z",1]').toString('base64url'),
        Buffer.from(JSON.stringify({ offset: 0 })).toString('base64url'),
        `${'A'.repeat(16)}W251bGwsMF0`,
        cursor.toLowerCase(),
        'null',
      ]
      for (const text of [...changed, ...longer, ...shorter, ...made]) {
        await expectProblem(response({ nextCursor: text }), 400, 'invalid-cursor')
        if (!changed.includes(text))
          await expectProblem(response({ prevCursor: text }), 400, 'invalid-cursor')
      }
    })

    it('are rejected for other dates, another type, another list and another client', async () => {
      const { startDate = '', endDate = '' } = section.range as Record<string, string>
      const others: Query[] = [
        { startDate: dayAfter(startDate, -1) },
        { endDate: dayAfter(endDate) },
        { type: 'updated' },
      ]
      for (const query of others)
        await expectProblem(response({ ...query, nextCursor: cursor }), 400, 'invalid-cursor')
      const both = { startDate: '0001-01-01', endDate: '9999-12-31', type: 'created', maxRecords: 1 }
      const mine = await page(list, { ...both, offset: '' })
      assert.equal((await listed(list, { ...both, nextCursor: mine.nextCursor ?? '' })).status, 200)
      const another = list === 'steps' ? 'notes' : 'steps'
      await expectProblem(
        listed(another, { ...both, nextCursor: mine.nextCursor ?? '' }),
        400,
        'invalid-cursor',
      )
      const { token } = await ownToken(['cases:read'])
      const query = { ...section.range, nextCursor: cursor }
      await expectProblem(listed(list, query, { token }), 400, 'invalid-cursor')
    })

    it('work for the same client with another token', async () => {
      const query = { ...section.range, maxRecords: 5, nextCursor: cursor }
      const { body } = await listed(list, query, { scopes: ['cases:read'] })
      assert.deepEqual(body.records.map(idOf), section.ids.slice(10, 15))
    })

    it('are rejected with an invalid maxRecords', async () => {
      await expectInvalid(response({ nextCursor: cursor, maxRecords: 0 }), '/maxRecords')
    })
  })
