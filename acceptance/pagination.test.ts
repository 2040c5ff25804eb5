// Query parameters and pages of the two lists by date, for steps and for notes.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  dayAfter,
  idsOf,
  type List,
  listed,
  page,
  type Query,
  type Section,
  sectionOf,
} from './case-factories.ts'
import { expectInvalid, get } from './people.ts'

const TYPES = { steps: ['created', 'updated', 'started', 'completed'], notes: ['created', 'updated'] }
const RANGE = { startDate: '2026-03-01', endDate: '2026-03-31' }
const NOWHERE = { startDate: '9000-01-01', endDate: '9000-12-31' }

for (const list of ['steps', 'notes'] as List[])
  describe(`GET /v2/cases/applicants/${list}: the query`, () => {
    const path = `/v2/cases/applicants/${list}`

    it('requires both dates', async () => {
      await expectInvalid(get(path), '/startDate', '/endDate')
      await expectInvalid(listed(list, { startDate: RANGE.startDate }), '/endDate')
      await expectInvalid(listed(list, { endDate: RANGE.endDate }), '/startDate')
    })

    it('rejects dates that are not in the calendar', async () => {
      for (const day of [
        '2026-02-29',
        '2026-13-01',
        '2026-3-1',
        '20260301',
        '01.03.2026',
        'today',
        '',
        '2026-03',
      ])
        await expectInvalid(listed(list, { startDate: day, endDate: day }), '/startDate', '/endDate')
      const leap = await page(list, { startDate: '2024-02-29', endDate: '2024-02-29' })
      assert.deepEqual(Object.keys(leap).sort(), ['nextCursor', 'prevCursor', 'records'])
    })

    it('rejects a range that ends before it begins', async () => {
      await expectInvalid(listed(list, { startDate: '2026-03-02', endDate: '2026-03-01' }), '/endDate')
      assert.equal((await listed(list, { startDate: '2026-03-01', endDate: '2026-03-01' })).status, 200)
    })

    it('accepts maxRecords from 1 to 1000', async () => {
      for (const maxRecords of [0, 1001, -1, 1.5, 'ten', '', ' ', ' 5', '0x10', '1e2'])
        await expectInvalid(listed(list, { ...RANGE, maxRecords }), '/maxRecords')
      for (const maxRecords of [1, 1000])
        assert.equal((await listed(list, { ...RANGE, maxRecords })).status, 200)
    })

    it('accepts an offset of at least 0, or an empty one', async () => {
      for (const offset of [-1, 1.5, 'first'])
        await expectInvalid(listed(list, { ...RANGE, offset }), '/offset')
      for (const offset of [0, 1, 100_000, ''])
        assert.equal((await listed(list, { ...RANGE, offset })).status, 200)
    })

    it('ignores an empty cursor', async () => {
      const { range } = await sectionOf(list, 2)
      const first = await page(list, { ...range, offset: '', maxRecords: 1 })
      assert.equal(first.records.length, 1)
      assert.ok(first.nextCursor)
      for (const query of [{ nextCursor: '' }, { prevCursor: '' }, { nextCursor: '', prevCursor: '' }])
        assert.deepEqual(await page(list, { ...range, offset: '', maxRecords: 1, ...query }), first)
    })

    it(`accepts the types ${TYPES[list].join(', ')}`, async () => {
      for (const type of TYPES[list]) assert.equal((await listed(list, { ...RANGE, type })).status, 200)
      const others = list === 'notes' ? ['started', 'completed'] : []
      for (const type of [...others, 'Created', 'deleted'])
        await expectInvalid(listed(list, { ...RANGE, type }), '/type')
    })

    it('reports all errors at once, and suggests the similar parameter', async () => {
      const wrong = {
        startDate: 'x',
        endDate: 'y',
        maxRecords: 0,
        offset: -1,
        type: 'z',
        cursor: 'c',
        ofset: 1,
      }
      const pointers = ['/startDate', '/endDate', '/maxRecords', '/offset', '/type', '/cursor', '/ofset']
      const { errors } = await expectInvalid(listed(list, wrong), ...pointers)
      const hint = errors.find((error: { pointer: string }) => error.pointer === '/ofset')
      assert.match(hint.detail, /offset/)
    })

    it('returns an empty page without cursors if there are no records', async () => {
      for (const query of [{}, { offset: 0 }, { offset: '' }, { offset: 5, maxRecords: 1 }] as Query[]) {
        const { body, headers } = await listed(list, { ...NOWHERE, ...query })
        assert.deepEqual(body, { records: [], nextCursor: null, prevCursor: null })
        assert.equal(headers.get('link'), null)
      }
    })
  })

for (const list of ['steps', 'notes'] as List[])
  describe(`GET /v2/cases/applicants/${list}: pages by offset`, () => {
    let section: Section
    const at = (query: Query) => page(list, { ...section.range, ...query })

    before(async () => {
      section = await sectionOf(list, 107)
    })

    it('returns 100 records without maxRecords', async () => {
      assert.equal((await at({ offset: section.base })).records.length, 100)
      assert.equal((await at({ offset: '' })).records.length, 100)
    })

    it(`skips ${list === 'steps' ? 'one record' : 'none'} without an offset`, async () => {
      const first = idsOf((await at({ offset: 0, maxRecords: 3 })).records)
      const usual = idsOf((await at({ maxRecords: 2 })).records)
      assert.deepEqual(usual, list === 'steps' ? first.slice(1) : first.slice(0, 2))
    })

    it('begins with the first record if offset is empty', async () => {
      const first = await at({ offset: 0, maxRecords: 3 })
      assert.deepEqual(idsOf((await at({ offset: '', maxRecords: 3 })).records), idsOf(first.records))
      assert.equal(first.prevCursor, null)
    })

    it('returns the selected records for any offset and maxRecords', async () => {
      const { base, ids } = section
      for (const [offset, maxRecords] of [[0, 1], [1, 1], [3, 10], [50, 57], [100, 7], [106, 1]] as const)
        assert.deepEqual(
          idsOf((await at({ offset: base + offset, maxRecords })).records),
          ids.slice(offset, offset + maxRecords),
        ) // biome-ignore format: a table reads better than a column
    })

    it('returns an empty page with a prevCursor beyond the end', async () => {
      const beyond = await at({ offset: 100_000_000, maxRecords: 1000 })
      assert.deepEqual([beyond.records, beyond.nextCursor], [[], null])
      assert.ok(beyond.prevCursor)
      const back = await at({ maxRecords: 1000, prevCursor: beyond.prevCursor ?? '' })
      const found = idsOf(back.records)
      assert.deepEqual(
        section.ids.filter(id => !found.includes(id)),
        [],
      )
    })

    it('returns the cursors of both neighbouring pages on every page', async () => {
      const { base, ids } = section
      const middle = await at({ offset: base + 20, maxRecords: 10 })
      const next = await at({ maxRecords: 10, nextCursor: middle.nextCursor ?? '' })
      const prev = await at({ maxRecords: 10, prevCursor: middle.prevCursor ?? '' })
      assert.deepEqual(idsOf(next.records), ids.slice(30, 40))
      assert.deepEqual(idsOf(prev.records), ids.slice(10, 20))
    })
  })

describe('GET /v2/cases/applicants/steps: the record that is skipped', () => {
  it('is returned by prevCursor', async () => {
    const { range, ids } = await sectionOf('steps', 3)
    const usual = await page('steps', range)
    assert.deepEqual(idsOf(usual.records), ids.slice(1))
    const { records, prevCursor } = await page('steps', { ...range, prevCursor: usual.prevCursor ?? '' })
    assert.deepEqual(idsOf(records), ids.slice(0, 1))
    assert.equal(prevCursor, null)
  })

  it('is returned by prevCursor even if it is the only record', async () => {
    const { range, ids } = await sectionOf('steps', 1)
    const usual = await page('steps', range)
    assert.deepEqual([usual.records, usual.nextCursor], [[], null])
    const found = await page('steps', { ...range, prevCursor: usual.prevCursor ?? '' })
    assert.deepEqual([idsOf(found.records), found.nextCursor, found.prevCursor], [ids, null, null])
  })
})

for (const list of ['steps', 'notes'] as List[])
  describe(`GET /v2/cases/applicants/${list}: the range`, () => {
    it('consists of whole days in UTC, both included', async () => {
      const { range, base, owns } = await sectionOf(list, 1)
      const [record] = (await page(list, { ...range, offset: base, maxRecords: 1 })).records
      for (const [type, field] of [
        ['created', 'createdAt'],
        ['updated', 'updatedAt'],
        ...(list === 'steps' ? [['started', 'startDate']] : []),
      ] as [string, string][]) {
        const day = String(record?.[field]).slice(0, 10)
        const has = async (startDate: string, endDate: string) => {
          const end = await page(list, { startDate, endDate, type, offset: 100_000_000 })
          if (!end.prevCursor) return false
          const query = { startDate, endDate, type, maxRecords: 1000, prevCursor: end.prevCursor }
          return (await page(list, query)).records.some(owns)
        }
        assert.equal(await has(day, day), true, type)
        assert.equal(await has(dayAfter(day, -1), day), true, type)
        assert.equal(await has(day, dayAfter(day)), true, type)
        assert.equal(await has(dayAfter(day), dayAfter(day)), false, type)
        assert.equal(await has(dayAfter(day, -1), dayAfter(day, -1)), false, type)
      }
    })

    it('may have any length', async () => {
      const { range } = await sectionOf(list, 1)
      const wide = { startDate: '0001-01-01', endDate: '9999-12-31', offset: 0, maxRecords: 1 }
      for (const type of TYPES[list]) assert.equal((await listed(list, { ...wide, type })).status, 200)
      assert.equal((await page(list, { ...wide, type: range['type'] ?? '' })).records.length, 1)
    })
  })
