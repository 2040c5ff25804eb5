// The hash chain: every entry is in exactly one block, and nothing can be altered unnoticed.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAudit } from '../../src/audit/audit.service.ts'
import { verifyChain } from '../../src/audit/chain-verification.ts'
import { alignAuditXids } from '../../src/db/audit-xids.ts'
import type { Database, Sql } from '../../src/db/database.ts'
import { systemActor } from '../../src/db/unit-of-work.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createTestDatabase } from '../support/harness.ts'

async function createChain() {
  const db = await createTestDatabase()
  const audit = createAudit({ sql: db.sql, append: db.append, clock: systemClock })
  const actor = { ...systemActor('client "1"', 'request-1'), user: { userId: 'u', name: 'Zoë, (Ł)' } }
  const read = (...recordIds: string[]) =>
    audit.record({ actor, action: 'applicant.read', recordIds, status: 200, code: undefined })
  const write = (tx: Sql, recordId: string) =>
    audit.append(tx, [{ action: 'applicant.write', recordId, before: { a: 1 }, after: { a: 'é "2"\n' } }], {
      actor: { ...actor, companies: ['c1', 'c2'] },
      now: new Date(),
      status: 200,
    })
  return { db, audit, read, write, chainAll: () => chainAll(db, audit.chain) }
}

/** Other tests run transactions on the same server: entries wait until those that began earlier have ended. */
async function chainAll({ sql }: Database, chain: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    await chain()
    if ((await verifyChain(sql)).waiting === 0) return
    await sleep(50)
  }
  throw new Error('The entries were not chained.')
}

/** As the owner of the tables can, with the trigger off. */
async function tamper({ sql }: Database, table: string, statement: string): Promise<void> {
  await sql.unsafe(
    `alter table ${table} disable trigger user; ${statement}; alter table ${table} enable trigger user`,
  )
}

describe('the chain of the audit', () => {
  it('verifies reads and changes, in blocks, whatever they contain', async () => {
    const { db, read, write, chainAll } = await createChain()
    await Promise.all(Array.from({ length: 30 }, (_, each) => read(`r${each}`)))
    await chainAll()
    await read('a', 'b,"c"', 'd')
    await read()
    await db.transaction(tx => write(tx, 'w1'))
    await chainAll()
    const { entries, blocks, waiting, findings } = await verifyChain(db.sql)
    assert.deepEqual({ entries, waiting, findings }, { entries: 33, waiting: 0, findings: [] })
    assert.ok(blocks >= 2)
  })

  it('has blocks of limited size, and every entry once', async () => {
    const { db, read, chainAll } = await createChain()
    for (let batch = 0; batch < 5; batch++)
      await Promise.all(Array.from({ length: 450 }, (_, each) => read(`r${batch}-${each}`)))
    await chainAll()
    const blocks = await db.sql<{ seqs: string[] }[]>`select seqs from audit_chain where block > 0`
    assert.ok(blocks.every(({ seqs }) => seqs.length <= 1000))
    const chained = blocks.flatMap(({ seqs }) => seqs)
    const rows = await db.sql<{ seq: string }[]>`select seq from audit`
    assert.deepEqual(
      chained.map(Number).sort((a, b) => a - b),
      rows.map(({ seq }) => Number(seq)).sort((a, b) => a - b),
    )
  })

  it('splits a transaction with many entries', async () => {
    const { db, chainAll } = await createChain()
    await db.sql`
      insert into audit (at, client_id, action, record_id, request_id)
      select now(), 'x', 'x', 'x', 'x' from generate_series(1, 2500)`
    await chainAll()
    const { entries, blocks, findings } = await verifyChain(db.sql)
    assert.deepEqual({ entries, blocks, findings }, { entries: 2500, blocks: 3, findings: [] })
  })

  it('chains an entry that commits late, after others that began later', async () => {
    const { db, audit, read, write, chainAll } = await createChain()
    const written = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const late = db.transaction(async tx => {
      await write(tx, 'late')
      written.resolve()
      await release.promise
    })
    await written.promise
    await read('early')
    await audit.chain()
    assert.equal((await verifyChain(db.sql)).entries, 0)
    release.resolve()
    await late
    await chainAll()
    const { entries, findings } = await verifyChain(db.sql)
    assert.deepEqual({ entries, findings }, { entries: 2, findings: [] })
  })

  it('is extended by one service at a time', async () => {
    const { db, audit, read, chainAll } = await createChain()
    await Promise.all(Array.from({ length: 100 }, (_, each) => read(`r${each}`)))
    await Promise.all(Array.from({ length: 8 }, () => audit.chain()))
    await chainAll()
    const { entries, findings } = await verifyChain(db.sql)
    assert.deepEqual({ entries, findings }, { entries: 100, findings: [] })
  })

  it('shows an entry that was altered, deleted, or added later', async () => {
    const { db, read, chainAll } = await createChain()
    for (const id of ['a', 'b', 'c', 'd']) await read(id)
    await chainAll()
    const [, second, third] = await db.sql<{ seq: string }[]>`select seq from audit order by seq`
    await tamper(db, 'audit', `update audit set client_id = 'somebody else' where seq = ${second?.seq}`)
    assert.match((await verifyChain(db.sql)).findings.join(), new RegExp(`entry ${second?.seq} was altered`))
    await tamper(db, 'audit', `update audit set client_id = 'client "1"' where seq = ${second?.seq}`)
    assert.deepEqual((await verifyChain(db.sql)).findings, [])

    await tamper(db, 'audit', `delete from audit where seq = ${third?.seq}`)
    assert.match((await verifyChain(db.sql)).findings.join(), new RegExp(`entry ${third?.seq} was deleted`))

    await db.sql`
      insert into audit (at, client_id, action, record_id, request_id, xid)
      select at, client_id, action, record_id, request_id, xid from audit order by seq limit 1`
    assert.match((await verifyChain(db.sql)).findings.join(), /entry \d+ was added later/)
  })

  it('shows a record of a list under which its entry was hidden', async () => {
    const { db, read, chainAll } = await createChain()
    await read('a', 'b', 'c')
    await chainAll()
    await tamper(db, 'audit_records', `delete from audit_records where record_id = 'b'`)
    const [entry] = await db.sql<{ seq: string }[]>`select seq from audit`
    assert.deepEqual((await verifyChain(db.sql)).findings, [
      `entry ${entry?.seq} is not found by the record b any more (block 1)`,
    ])
  })

  it('shows a record under which an entry is found that does not name it', async () => {
    const { db, read, chainAll } = await createChain()
    await read('a', 'b', 'c')
    await read('x')
    await chainAll()
    assert.deepEqual((await verifyChain(db.sql)).findings, [])
    await db.sql`insert into audit_records (record_id, at, seq) select 'victim', at, seq from audit`
    await db.sql`insert into audit_records (record_id, at, seq) values ('old', '2001-01-01Z', 1), ('new', '2999-01-01Z', 2)`
    const [list, single] = await db.sql<{ seq: string }[]>`select seq from audit order by seq`
    assert.deepEqual((await verifyChain(db.sql)).findings, [
      'entry 1 has the further record old, which it does not name',
      `entry ${list?.seq} has the further record victim, which it does not name`,
      `entry ${single?.seq} has the further record victim, which it does not name`,
      'entry 2 has the further record new, which it does not name',
    ])
  })

  it('has times of whole milliseconds: a fraction of one is not stored, or shown as altered', async () => {
    const { db, read, chainAll } = await createChain()
    await read('a')
    await chainAll()
    const textOf = async () => (await db.sql`select at::text from audit`)[0]?.['at']
    const before = await textOf()
    const forge = `update audit set at = at + interval '1 microsecond'`
    await tamper(db, 'audit', forge)
    assert.equal(await textOf(), before)
    assert.deepEqual((await verifyChain(db.sql)).findings, [])
  })

  it('shows an entry of an earlier release that was added later', async () => {
    const { db } = await createChain()
    await db.sql`
      insert into audit (at, client_id, action, record_id, request_id, xid) values (now(), 'x', 'x', 'x', 'x', 0)`
    assert.match(
      (await verifyChain(db.sql)).findings.join(),
      /1 entries of earlier releases, and 0 were there/,
    )
  })

  it('shows a block that was altered, deleted or cut off', async () => {
    const { db, read, chainAll } = await createChain()
    for (const id of ['a', 'b', 'c']) {
      await read(id)
      await chainAll()
    }
    const { head, findings } = await verifyChain(db.sql)
    assert.deepEqual(findings, [])
    await tamper(db, 'audit_chain', `update audit_chain set hash = sha256('x') where block = 1`)
    assert.match((await verifyChain(db.sql)).findings.join(), /block 1 was altered/)
    await tamper(db, 'audit_chain', 'delete from audit_chain where block = 1')
    assert.match((await verifyChain(db.sql)).findings.join(), /block 1 was deleted/)

    const other = await createChain()
    await other.read('a')
    await other.chainAll()
    const noted = (await verifyChain(other.db.sql)).head
    assert.deepEqual((await verifyChain(other.db.sql, { head: noted })).findings, [])
    assert.notDeepEqual((await verifyChain(other.db.sql, { head })).findings, [])
    await tamper(other.db, 'audit_chain', `delete from audit_chain where block = ${noted.block}`)
    assert.match(
      (await verifyChain(other.db.sql, { head: noted })).findings.join(),
      /whose hash was noted, does not exist/,
    )
  })

  it('goes on after a restore into a server whose transaction ids are smaller', async () => {
    const { db, read, chainAll } = await createChain()
    await read('before')
    await chainAll()
    // As if the server had been at a much higher id when it wrote the entries.
    await tamper(
      db,
      'audit_chain',
      `insert into audit_chain (block, from_xid, from_seq, to_xid, to_seq, entries, seqs, digests, hash)
       select block + 1, to_xid, to_seq, to_xid + 1000000000, 0, 0, '{}', '', sha256(hash)
       from audit_chain order by block desc limit 1`,
    )
    await db.transaction(alignAuditXids)
    await read('after')
    await chainAll()
    const { entries, waiting, findings } = await verifyChain(db.sql)
    assert.deepEqual({ entries, waiting, findings }, { entries: 2, waiting: 0, findings: [] })
  })
})

describe('the tables of the audit', () => {
  it('reject changes and deletions', async () => {
    const { db, read, chainAll } = await createChain()
    await read('a', 'b')
    await chainAll()
    const columns = { audit: 'at', audit_records: 'at', audit_chain: 'hash' }
    for (const [table, column] of Object.entries(columns))
      for (const statement of [
        `update ${table} set ${column} = ${column}`,
        `delete from ${table}`,
        `truncate ${table}`,
      ])
        await assert.rejects(db.sql.unsafe(statement), /append-only/, statement)
  })
})
