import type { Sql } from '../db/database.ts'

export interface Block {
  block: number
  fromXid: bigint
  toXid: bigint
  entries: number
  seqs: string[]
  digests: Buffer
  hash: Buffer
}

export interface ChainedEntry {
  seq: string
  text: string
}

/** Chains the next entries and returns their number; see the migration. */
export async function extendChain(sql: Sql, most: number): Promise<number> {
  const [row] = await sql<[{ entries: string }]>`select audit_extend_chain(${most}) as entries`
  return Number(row.entries)
}

export async function listBlocks(sql: Sql, after: number, limit: number): Promise<Block[]> {
  const rows = await sql<Record<'block' | 'fromXid' | 'toXid' | 'entries', string>[]>`
    select block, from_xid as "fromXid", to_xid as "toXid", entries, seqs, digests, hash
    from audit_chain where block > ${after} order by block limit ${limit}`
  return rows.map(row => ({
    ...(row as unknown as Block),
    block: Number(row.block),
    fromXid: BigInt(row.fromXid),
    toXid: BigInt(row.toXid),
    entries: Number(row.entries),
  }))
}

/**
 * The entries of a block in the order of the chain, with the text that is hashed. It repeats the text of the migration: a
 * function in the database could be replaced by one that hides a change.
 */
export async function listChained(sql: Sql, { fromXid, toXid }: Block): Promise<ChainedEntry[]> {
  return sql<ChainedEntry[]>`
    select a.seq, row(a.xid, a.seq, a.at, a.client_id, a.user_id, a.user_name, a.address, a.method, a.operation_id,
      a.request_id, a.action, a.record_id, a.record_ids, a.outcome, a.status, a.code, a.companies, a.changes)::text as text
    from audit a
    where a.xid > 0 and a.xid >= ${String(fromXid)}::bigint and a.xid < ${String(toXid)}::bigint
    order by a.xid, a.seq`
}

/** Entries of earlier releases, and those that no block has yet. */
export async function countOutside(
  sql: Sql,
  lastXid: bigint,
): Promise<{ earlier: number; waiting: number; oldest: Date | null }> {
  const [row] = await sql<[{ earlier: string; waiting: string; oldest: Date | null }]>`
    select (select count(*) from audit) - (select count(*) from audit where xid > 0) as earlier, count(*) as waiting,
      min(at) as oldest
    from audit where xid > 0 and xid >= ${String(lastXid)}::bigint`
  return { earlier: Number(row.earlier), waiting: Number(row.waiting), oldest: row.oldest }
}
