// Statements of the owner of the tables, who alone may remove entries of the audit.
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts'
import type { Sql, Tx } from '../db/database.ts'
import type { Anchor, ChainPosition } from './chain.store.ts'

interface CutRow {
  block: string
  toXid: string
  toSeq: string
  hash: Buffer
}

/** Whether the login may drop partitions. */
export async function ownsAudit(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ owned: boolean }[]>`
    select pg_has_role(relowner, 'USAGE') as owned from pg_class where oid = 'audit'::regclass`
  return row?.owned === true
}

/**
 * The last block that was made before this time, and after this block. One block always stays, because the next one
 * continues from it.
 */
export async function findLastBlockBefore(
  sql: Sql,
  before: Date,
  after: number,
): Promise<{ block: number; to: ChainPosition; hash: Buffer } | undefined> {
  const [row] = await sql<CutRow[]>`
    select block, to_xid as "toXid", to_seq as "toSeq", hash
    from audit_chain
    where block > ${after} and chained_at < ${before} and block < (select max(block) from audit_chain)
    order by block desc limit 1`
  return (
    row && {
      block: Number(row.block),
      to: { xid: BigInt(row.toXid), seq: BigInt(row.toSeq) },
      hash: row.hash,
    }
  )
}

/** Entries of releases before the chain, as the first block has their number. */
export async function countEarlierInChain(sql: Sql): Promise<number> {
  const [row] = await sql<{ entries: string }[]>`select entries from audit_chain where block = 0`
  return Number(row?.entries ?? 0)
}

export async function countEarlierSince(sql: Sql, since: Date): Promise<number> {
  const [row] = await sql<[{ count: string }]>`select count(*) from audit where xid = 0 and at >= ${since}`
  return Number(row.count)
}

/** Nothing is chained, and no partition is made, until the end of the transaction. */
export async function lockChain(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.auditChain})`
  await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.auditPartitions})`
  await tx`select set_config('lock_timeout', '2s', true)`
}

export async function countEntriesOfBlocks(tx: Tx, through: number): Promise<number> {
  const [row] = await tx<[{ sum: string | null }]>`
    select sum(entries) from audit_chain where block > 0 and block <= ${through}`
  return Number(row.sum ?? 0)
}

export async function insertAnchor(tx: Tx, anchor: Anchor, now: Date): Promise<void> {
  await tx`
    insert into audit_anchors (removed_at, removed_before, entries, block, to_xid, to_seq, hash, remaining, remaining_hash,
      earlier)
    values (${now}, ${anchor.removedBefore}, ${anchor.entries}, ${anchor.block}, ${String(anchor.to.xid)},
      ${String(anchor.to.seq)}, ${anchor.hash}, ${anchor.remaining}, ${anchor.remainingHash}, ${anchor.earlier})`
}

export async function deleteBlocks(tx: Tx, through: number): Promise<void> {
  await tx`delete from audit_chain where block <= ${through}`
}

/** Entries of removed months that share a block of the chain with a kept month: at the end of a month, or by clock skew. */
export async function keepLateEntries(tx: Tx, { removedBefore, to }: Anchor): Promise<void> {
  await tx`
    create temporary table late_entries on commit drop as
    select * from audit
    where at < ${removedBefore} and xid > 0 and xid >= ${String(to.xid)}::bigint
      and (xid, seq) > (${String(to.xid)}::bigint, ${String(to.seq)}::bigint)`
  await tx`
    create temporary table late_records on commit drop as
    select * from audit_records where (at, seq) in (select at, seq from late_entries where record_ids is not null)`
}

/** Requests wait for the first table while the second one is waited for. */
export async function lockTables(tx: Tx): Promise<void> {
  await tx`lock table audit in access exclusive mode`
  await tx`select set_config('lock_timeout', '500ms', true)`
  await tx`lock table audit_records in access exclusive mode`
}

/** Entries that earlier removals have kept, and that can go now. Late ones are inserted again. */
export async function deleteStragglers(tx: Tx, { removedBefore }: Anchor): Promise<void> {
  await tx`delete from audit_default where at < ${removedBefore}`
  await tx`delete from audit_records_default where at < ${removedBefore}`
}

/** Into the default partition, because there is no other one for their time any more. */
export async function insertLateEntries(tx: Tx): Promise<void> {
  await tx`insert into audit overriding system value select * from late_entries`
  await tx`insert into audit_records select * from late_records`
}
