// What statements read of an audit with two years of months.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { listAudit, listExported } from '../../src/audit/audit.store.ts'
import { listChained, listUnnamed } from '../../src/audit/chain.store.ts'
import { createTestDatabase } from '../support/harness.ts'
import { blocksOf, planned } from '../support/query-plans.ts'

const db = await createTestDatabase()
const { sql } = db
const MONTHS = 24
const month = (ahead: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1))
}
const nameOf = (date: Date) => `audit_${date.toISOString().slice(0, 7).replace('-', '_')}`
const dayOf = (date: Date) => date.toISOString().slice(0, 10)

/** 2,000 entries a month about 100 records; every tenth is about three. */
before(async () => {
  for (const parent of ['audit', 'audit_records']) {
    await sql.unsafe(`alter table ${parent} detach partition ${parent}_first; drop table ${parent}_first`)
    for (let ahead = -MONTHS; ahead < 0; ahead++)
      await db.transaction(tx => tx`select audit_add_partition(${parent}, ${month(ahead)})`)
  }
  await sql`
    with entry as (
      insert into audit (at, client_id, action, record_id, request_id, record_ids)
      select ${month(-MONTHS)}::timestamptz + n * (${month(0)}::timestamptz - ${month(-MONTHS)}::timestamptz) / 48001,
        'client', 'case.read', 'case-' || n % 100, 'request',
        case when n % 10 = 0 then array['case-' || n % 100, 'b-' || n % 100, 'c-' || n % 100] end
      from generate_series(1, 48000) n
      returning at, seq, record_ids)
    insert into audit_records (record_id, at, seq)
    select id, at, seq from entry, unnest(record_ids) with ordinality r (id, position) where position > 1`
  await sql`vacuum analyze`
})

/** The partitions that a statement has read: others were skipped before or while it ran. */
const readOf = (plans: Awaited<ReturnType<typeof planned>>['plans'], parent = 'audit_2') => [
  ...new Set(
    plans
      .flat()
      .filter(node => node['Relation Name']?.startsWith(parent) && blocksOf(node) > 0)
      .map(node => node['Relation Name']),
  ),
]

describe('the audit by months', () => {
  const start = month(-6)
  const window = {
    startDate: dayOf(start),
    endDate: dayOf(new Date(start.getTime() + 9 * 86_400_000)),
    type: 'at',
    limit: 100,
    offset: 0,
  }

  it('reads the months of a list by time, and no others', async () => {
    const { result, plans } = await planned(sql, recorder => listAudit(recorder, window, {}))
    assert.equal(result.records.length, 100)
    assert.deepEqual(readOf(plans), [nameOf(start)])
    for (const [root] of plans) assert.ok(root && blocksOf(root) < 200, `${root && blocksOf(root)} blocks`)
  })

  it('reads the months of a list by record, also where it is a further record', async () => {
    const { result, plans } = await planned(sql, recorder =>
      listAudit(recorder, window, { recordId: 'b-20' }),
    )
    assert.ok(result.records.length > 0)
    assert.deepEqual(readOf(plans), [nameOf(start)])
    assert.deepEqual(readOf(plans, 'audit_records_2'), [nameOf(start).replace('audit', 'audit_records')])
  })

  it('reads the months of an export', async () => {
    const range = { from: start, to: new Date(start.getTime() + 86_400_000) }
    const { result, plans } = await planned(sql, recorder =>
      listExported(recorder, range, { after: undefined, limit: 50 }),
    )
    assert.equal(result.length, 50)
    assert.deepEqual(readOf(plans), [nameOf(start)])
  })

  it('finds the entries of a block by index, a few blocks in each month', async () => {
    const [row] = await sql<[{ xid: string; seq: string }]>`
      select xid, min(seq) as seq from audit where at >= ${start} group by xid`
    const [from, to] = [0n, 100n].map(more => ({ xid: BigInt(row.xid), seq: BigInt(row.seq) + more }))
    assert.ok(from && to)
    // All entries are of one transaction here: another one, which has none, is read as fast in all months.
    const none = { xid: from.xid + 1n, seq: 0n }
    const { result, plans } = await planned(sql, recorder =>
      listChained(recorder, { from: none, to: { ...none, seq: 10n } }),
    )
    assert.equal(result.length, 0)
    for (const [root] of plans)
      assert.ok(root && blocksOf(root) < 4 * (MONTHS + 5), `${root && blocksOf(root)} blocks`)
  })

  it('compares the further records of a month with its entries, without the other months', async () => {
    const slice = { from: month(-6), to: month(-5), limit: 10 }
    const { result, plans } = await planned(sql, recorder => listUnnamed(recorder, slice))
    assert.deepEqual([...result], [])
    const name = nameOf(month(-6))
    assert.deepEqual(readOf(plans), [name])
    assert.deepEqual(readOf(plans, 'audit_records_2'), [name.replace('audit', 'audit_records')])
  })
})
