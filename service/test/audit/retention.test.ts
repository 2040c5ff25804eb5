// Months of the audit are removed by dropping partitions, and the rest of the chain still verifies.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAudit } from '../../src/audit/audit.service.ts'
import { verifyChain, verifyThrough } from '../../src/audit/chain-verification.ts'
import { listPartitions } from '../../src/audit/partitions.store.ts'
import { planRemoval, remove } from '../../src/audit/retention.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/harness.ts'

type Owner = Pick<TestDatabase, 'sql'>

const month = (ahead: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1))
}

/** Partitions of the last three months: those of a database that is three months old. */
async function createOldAudit() {
  const db = await createTestDatabase()
  const { sql } = db
  for (const parent of ['audit', 'audit_records']) {
    await sql.unsafe(`alter table ${parent} detach partition ${parent}_first`)
    await sql.unsafe(
      `alter table ${parent} attach partition ${parent}_first for values from (minvalue) to ('${month(-3).toISOString()}')`,
    )
    for (const ahead of [-3, -2, -1]) await addPartition(db, parent, month(ahead))
  }
  const audit = createAudit({ sql: db.service.sql, append: db.service.append, clock: systemClock })
  const write = (at: Date, ...ids: string[]) => insertEntry(db, at, ids)
  return { db, audit, write, chainAll: () => chainAll(db, audit.chain) }
}

async function addPartition(db: TestDatabase, parent: string, startsAt: Date): Promise<void> {
  await db.transaction(tx => tx`select audit_add_partition(${parent}, ${startsAt})`)
}

async function insertEntry({ sql }: Owner, at: Date, [first = '', ...others]: string[]): Promise<void> {
  await sql`
    with entry as (
      insert into audit (at, client_id, action, record_id, request_id, record_ids)
      values (${at}, 'c', 'applicant.read', ${first}, 'r', ${others.length > 0 ? [first, ...others] : null})
      returning at, seq)
    insert into audit_records (record_id, at, seq) select id, at, seq from entry, unnest(${others}::text[]) id`
}

async function chainAll({ sql }: Owner, chain: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    await chain()
    if ((await verifyChain(sql)).waiting === 0) return
    await sleep(50)
  }
  throw new Error('The entries were not chained.')
}

/** The blocks of the chain are made now; as the owner of the tables, a test can make them older. */
async function chainedAt({ sql }: Owner, block: number, at: Date): Promise<void> {
  await sql.unsafe(`alter table audit_chain disable trigger user;
    update audit_chain set chained_at = '${at.toISOString()}' where block <= ${block};
    alter table audit_chain enable trigger user`)
}

const hours = (date: Date, count: number) => new Date(date.getTime() + count * 3_600_000)

async function removeBefore(db: TestDatabase, audit: ReturnType<typeof createAudit>, before: Date) {
  const removal = await planRemoval(db.sql, before)
  assert.ok(removal)
  return remove(db, audit, { removal, now: new Date() })
}

const listIds = async ({ sql }: Owner) =>
  (await sql<{ id: string }[]>`select record_id as id from audit where record_id <> '' order by seq`).map(
    ({ id }) => id,
  )

describe('the partitions of the audit', () => {
  it('are there for this month and the next three, and made by the role of the service', async () => {
    const db = await createTestDatabase()
    const names = async () => (await listPartitions(db.sql)).map(({ name }) => name)
    const before = await names()
    const last = `audit_${month(3).toISOString().slice(0, 7).replace('-', '_')}`
    assert.ok(before.includes(last))
    await db.sql.unsafe(`drop table ${last}`)
    const audit = createAudit({ sql: db.service.sql, append: db.service.append, clock: systemClock })
    assert.equal(await audit.addPartitions(), 1)
    assert.equal(await audit.addPartitions(), 0)
    assert.deepEqual(await names(), before)
  })

  it('give the role of the service no way around the append-only table', async () => {
    const { sql } = (await createTestDatabase()).service
    for (const statement of [
      `update audit_default set client_id = 'x'`,
      `delete from audit_default`,
      `truncate audit_default`,
      `drop table audit_default`,
      `insert into audit_default (at, client_id, action, record_id, request_id) values (now(), '', '', '', '')`,
      `alter table audit detach partition audit_default`,
      `do $$ begin perform audit_add_partition('audit', '2001-01-01'); end $$`,
      `insert into audit_anchors select * from audit_anchors`,
    ])
      await assert.rejects(sql.unsafe(statement), { code: '42501' }, statement)
  })

  it('cannot be changed by the owner without removing the trigger', async () => {
    const { sql } = await createTestDatabase()
    for (const { name } of await listPartitions(sql)) {
      await assert.rejects(sql.unsafe(`delete from ${name}`), { code: '42501' }, name)
      await assert.rejects(sql.unsafe(`truncate ${name}`), { code: '42501' }, name)
    }
  })

  it('keep an entry of a clock far ahead or behind, and take it over when its month is made', async () => {
    const { db, audit, write, chainAll } = await createOldAudit()
    await write(month(4), 'ahead', 'with another one')
    await write(new Date('1999-01-01T00:00:00Z'), 'behind')
    await chainAll()
    const [before] =
      await db.sql`select tableoid::regclass::text as name from audit where record_id = 'ahead'`
    assert.equal(before?.['name'], 'audit_default')
    for (const parent of ['audit', 'audit_records']) await addPartition(db, parent, month(4))
    const [after] = await db.sql`select tableoid::regclass::text as name from audit where record_id = 'ahead'`
    assert.equal(after?.['name'], `audit_${month(4).toISOString().slice(0, 7).replace('-', '_')}`)
    await audit.chain()
    const { findings, entries } = await verifyChain(db.sql)
    assert.deepEqual({ findings, entries }, { findings: [], entries: 2 })
    await assert.rejects(db.sql`delete from audit_default`, { code: '42501' })
  })
})

describe('removing months of the audit', () => {
  it('drops their partitions, and verifies what stays from the anchor on', async () => {
    const { db, audit, write, chainAll } = await createOldAudit()
    await write(hours(month(-3), 5), 'first month', 'and another')
    await write(hours(month(-2), 5), 'second month')
    await chainAll()
    await chainedAt(db, (await verifyChain(db.sql)).head.block, hours(month(-2), 6))
    await write(hours(month(-1), 5), 'third month', 'and a further one')
    await write(new Date(), 'now')
    await chainAll()
    const { head } = await verifyChain(db.sql)

    const { entries, anchor } = await removeBefore(db, audit, month(-1))
    assert.equal(entries, 2)
    assert.deepEqual(await listIds(db), ['third month', 'now'])
    const further = await db.sql`select record_id from audit_records`
    assert.deepEqual(
      further.map(({ record_id }) => record_id),
      ['and a further one'],
    )
    const first = (await listPartitions(db.sql))[0]
    assert.ok(first?.endsAt && first.endsAt > month(-1))

    await write(new Date(), 'later')
    await chainAll()
    const result = await verifyChain(db.sql, { head })
    assert.deepEqual(result.findings, [])
    // two that stayed, the removal itself, and the later one
    assert.equal(result.entries, 4)
    assert.equal(result.anchor?.block, anchor.block)
    const [entry] = await db.sql`select changes from audit where action = 'audit.remove'`
    assert.ok(
      entry?.['changes'].some(
        ({ pointer, after }: { pointer: string; after: string }) =>
          pointer === '/anchor' && after === `${anchor.block}:${anchor.hash.toString('hex')}`,
      ),
    )
  })

  it('keeps entries whose block stays, and verifies entries of removed blocks that stay', async () => {
    const { db, audit, write, chainAll } = await createOldAudit()
    await write(hours(month(-2), 1), 'goes')
    // a clock ahead of its time: its block is removed, it stays
    await write(hours(month(-1), 1), 'ahead')
    await chainAll()
    await chainedAt(db, (await verifyChain(db.sql)).head.block, hours(month(-1), -2))
    // the last second of the month, chained in the next one
    await write(hours(month(-1), -0.001), 'late', 'and another')
    await write(hours(month(-1), 2), 'stays')
    await chainAll()
    await chainedAt(db, 0, month(-3))

    const { entries, anchor } = await removeBefore(db, audit, month(-1))
    assert.equal(entries, 1)
    assert.equal(anchor.remaining, 1)
    assert.deepEqual(await listIds(db), ['ahead', 'late', 'stays'])
    const { count: further } = await db.sql`select from audit_records`
    assert.equal(further, 1)
    assert.deepEqual((await verifyChain(db.sql)).findings, [])

    await db.sql.unsafe(`alter table audit disable trigger user; update audit set client_id = 'x' where record_id = 'ahead';
      alter table audit enable trigger user`)
    assert.match((await verifyChain(db.sql)).findings.join(), /had stayed was altered/)
    await db.sql.unsafe(`alter table audit disable trigger user; update audit set client_id = 'c' where record_id = 'ahead';
      alter table audit enable trigger user`)

    // The next removal takes what the first one has kept.
    await chainAll()
    const { head } = await verifyChain(db.sql)
    await chainedAt(db, head.block - 1, hours(month(-1), 3))
    await removeBefore(db, audit, month(0))
    await chainAll()
    assert.deepEqual((await verifyChain(db.sql)).findings, [])
    const left = await db.sql`select from audit where at < ${month(0)}`
    assert.ok(left.count <= 1)
  })

  it('removes entries of releases before the chain, and counts those that stay', async () => {
    const { db, audit, write, chainAll } = await createOldAudit()
    const insertEarlier = (at: Date) => db.sql`
      insert into audit (at, client_id, action, record_id, request_id, xid) values (${at}, 'c', 'x', 'earlier', 'r', 0)`
    await insertEarlier(hours(month(-3), 1))
    await insertEarlier(hours(month(-1), 1))
    await db.sql.unsafe(`alter table audit_chain disable trigger user;
      update audit_chain set entries = 2, hash = sha256('caseport audit 2') where block = 0;
      alter table audit_chain enable trigger user`)
    await write(new Date(), 'now')
    await chainAll()
    assert.deepEqual((await verifyChain(db.sql)).findings, [])
    const { entries } = await removeBefore(db, audit, month(-1))
    assert.equal(entries, 1)
    const { earlier, findings } = await verifyChain(db.sql)
    assert.deepEqual({ earlier, findings }, { earlier: 1, findings: [] })
    await insertEarlier(new Date())
    assert.match(
      (await verifyChain(db.sql)).findings.join(),
      /2 entries of earlier releases, and 1 were there/,
    )
  })

  it('removes nothing of a month that has not ended, and nothing of an unknown one', async () => {
    const { db } = await createOldAudit()
    assert.equal(await planRemoval(db.sql, hours(month(-3), -1)), undefined)
    const removal = await planRemoval(db.sql, hours(month(-1), 100))
    assert.deepEqual(removal?.before, month(-1))
  })

  it('shows an anchor that was forged, blocks that came back, and a head that was removed', async () => {
    const { db, audit, write, chainAll } = await createOldAudit()
    await write(hours(month(-2), 1), 'goes')
    await chainAll()
    const { head: old } = await verifyChain(db.sql)
    await chainedAt(db, old.block, hours(month(-2), 2))
    await write(new Date(), 'stays')
    await chainAll()
    const { anchor } = await removeBefore(db, audit, month(-1))
    await chainAll()
    assert.deepEqual((await verifyChain(db.sql, { head: old })).findings, [])
    assert.match(
      (await verifyChain(db.sql, { head: { block: old.block - 1, hash: old.hash } })).findings.join(),
      /was removed with the entries before .*: pass a later head/,
    )
    const forge = (statement: string) =>
      db.sql.unsafe(`alter table audit_anchors disable trigger user; ${statement};
        alter table audit_anchors enable trigger user`)
    await forge(`update audit_anchors set hash = sha256('x')`)
    assert.match((await verifyChain(db.sql)).findings.join(), /block \d+ was altered, or the one before it/)
    await forge(`update audit_anchors set hash = '\\x${anchor.hash.toString('hex')}'`)
    await db.sql`
      insert into audit_chain (block, from_xid, from_seq, to_xid, to_seq, entries, seqs, digests, hash)
      values (0, 0, 0, 1, 0, 0, '{}', '', '')`
    assert.match((await verifyChain(db.sql)).findings.join(), /there are blocks before/)
    assert.notDeepEqual(await verifyThrough(db.sql, { block: 10_000, onBlock: () => {} }), [])
  })

  it('waits for a reader without making requests wait for long, and gives nothing up', async () => {
    const { db, audit, write, chainAll } = await createOldAudit()
    await write(hours(month(-2), 1), 'goes')
    await chainAll()
    await chainedAt(db, (await verifyChain(db.sql)).head.block, hours(month(-2), 2))
    await write(new Date(), 'stays')
    await chainAll()
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const reader = db.transaction(async tx => {
      await tx`lock table audit in access share mode`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const removing = removeBefore(db, audit, month(-1))
    await sleep(2_500)
    const began = performance.now()
    await db.service.sql`select from audit limit 1`
    assert.ok(performance.now() - began < 2_500)
    release.resolve()
    await reader
    await removing
    assert.deepEqual(await listIds(db), ['stays'])
  })
})
