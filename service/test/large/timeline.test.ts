// What a page of a timeline reads: the changes of its records, however often these were read.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { countChanges, listChanges } from '../../src/audit/audit.store.ts'
import { createTestDatabase } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const { sql } = await createTestDatabase()
const NEWEST = { at: '9999-12-31T00:00:00Z', seq: 0 }

/** Cases that are polled: one change in 400 entries. */
before(async () => {
  await sql`
    insert into audit (at, client_id, action, record_id, request_id, changes)
    select timestamptz '2026-01-01Z' + n * interval '1 minute', 'client', 'case.' || kind, 'case-' || n % 10, 'request',
      case when kind = 'write' then '[{"pointer":"/status","before":"open","after":"closed"}]'::json end
    from generate_series(1, 40000) n, lateral (select case when n / 10 % 400 = 0 then 'write' else 'read' end as kind) k`
  await sql`vacuum analyze`
})

describe('the changes of records', () => {
  const records = ['case-1', 'case-2', 'case-3', 'nothing']

  for (const [name, slice] of Object.entries({
    'the first page': { from: NEWEST, isNewer: false, limit: 4 },
    'a later page': { from: { at: '2026-01-15T00:00:00Z', seq: 0 }, isNewer: false, limit: 4 },
    'a page backwards': { from: { at: '2026-01-15T00:00:00Z', seq: 0 }, isNewer: true, limit: 4 },
  }))
    it(`are read from their index, without the reads of these records: ${name}`, async () => {
      const { result, plans } = await planned(sql, recorder => listChanges(recorder, records, slice))
      assert.equal(result.length, 4)
      assert.ok(result.every(({ action }) => action === 'case.write'))
      const times = result.map(({ at }) => Number(at))
      assert.deepEqual(times, slice.isNewer ? times.toSorted() : times.toSorted().toReversed())
      const readers = plans.flat().filter(node => node['Relation Name']?.startsWith('audit'))
      assert.ok(readers.some(node => node['Relation Name'] === 'audit_first'))
      const indexes = await sql<{ name: string }[]>`
        select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'audit_changes_of_record'::regclass`
      const ofPartitions = new Set(indexes.map(index => index.name))
      for (const reader of readers) {
        assert.ok(ofPartitions.has(reader['Index Name'] ?? ''), JSON.stringify(reader))
        assert.ok(blocksOf(reader) <= 40, `${blocksOf(reader)} blocks`)
      }
    })

  it('are counted up to a limit', async () => {
    assert.equal(await countChanges(sql, records, 1000), 30)
    assert.equal(await countChanges(sql, records, 7), 7)
  })
})
