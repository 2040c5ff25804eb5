import type { Sql } from '../db/database.ts'

/** The order of the chain. */
export interface ChainPosition {
  xid: bigint
  seq: bigint
}

export interface Block {
  block: number
  from: ChainPosition
  to: ChainPosition
  entries: number
  seqs: string[]
  digests: Buffer
  hash: Buffer
}

/** Where the chain begins after entries were removed. */
export interface Anchor {
  /** The last block that was removed, where it ended, and its hash. Block -1 where none was removed. */
  block: number
  to: ChainPosition
  hash: Buffer
  /** Entries of removed blocks that stayed, because their time is later, and the hash of these. */
  remaining: number
  remainingHash: Buffer
  /** Entries of releases before the chain that stayed. */
  earlier: number
  removedBefore: Date
  /** How many were removed. */
  entries: number
}

export interface ChainedEntry {
  seq: string
  text: string
}

/** Chains the next entries and returns their number; migration 0018 has the function. */
export async function extendChain(sql: Sql, most: number): Promise<number> {
  const [row] = await sql<[{ entries: string }]>`select audit_extend_chain(${most}) as entries`
  return Number(row.entries)
}

type BlockRow = Pick<Block, 'seqs' | 'digests' | 'hash'> &
  Record<'block' | 'fromXid' | 'fromSeq' | 'toXid' | 'toSeq' | 'entries', string>

type AnchorRow = Pick<Anchor, 'hash' | 'remainingHash' | 'removedBefore'> &
  Record<'block' | 'toXid' | 'toSeq' | 'remaining' | 'earlier' | 'entries', string>

export async function findAnchor(sql: Sql): Promise<Anchor | undefined> {
  const [row] = await sql<AnchorRow[]>`
    select block, to_xid as "toXid", to_seq as "toSeq", hash, remaining, remaining_hash as "remainingHash", earlier,
      removed_before as "removedBefore", entries
    from audit_anchors order by removed_at desc limit 1`
  if (!row) return undefined
  const { block, toXid, toSeq, remaining, earlier, entries, ...rest } = row
  return {
    ...rest,
    block: Number(block),
    to: { xid: BigInt(toXid), seq: BigInt(toSeq) },
    remaining: Number(remaining),
    earlier: Number(earlier),
    entries: Number(entries),
  }
}

export async function hasBlocksThrough(sql: Sql, block: number): Promise<boolean> {
  const { count } = await sql`select from audit_chain where block <= ${block} limit 1`
  return count > 0
}

export async function listBlocks(sql: Sql, after: number, limit: number): Promise<Block[]> {
  const rows = await sql<BlockRow[]>`
    select block, from_xid as "fromXid", from_seq as "fromSeq", to_xid as "toXid", to_seq as "toSeq", entries, seqs,
      digests, hash
    from audit_chain where block > ${after} order by block limit ${limit}`
  return rows.map(({ block, fromXid, fromSeq, toXid, toSeq, entries, seqs, digests, hash }) => ({
    block: Number(block),
    from: { xid: BigInt(fromXid), seq: BigInt(fromSeq) },
    to: { xid: BigInt(toXid), seq: BigInt(toSeq) },
    entries: Number(entries),
    seqs,
    digests,
    hash,
  }))
}

/**
 * The entries of a block in the order of the chain, with the text that is hashed. It repeats the text of the migration: a
 * function in the database could be replaced by one that hides a change.
 */
export async function listChained(
  sql: Sql,
  { from, to }: Pick<Block, 'from' | 'to'>,
  since?: Date,
): Promise<ChainedEntry[]> {
  return sql<ChainedEntry[]>`
    select a.seq, row(a.xid, a.seq, a.at, a.client_id, a.user_id, a.user_name, a.address, a.method, a.operation_id,
      a.request_id, a.action, a.record_id, a.record_ids, a.outcome, a.status, a.code, a.companies, a.changes)::text as text
    from audit a
    where ${isWithin(sql, { from, to })} ${since ? sql`and a.at >= ${since}` : sql``}
    order by a.xid, a.seq`
}

const isWithin = (sql: Sql, { from, to }: Pick<Block, 'from' | 'to'>) => sql`
  a.xid > 0 and a.xid >= ${String(from.xid)}::bigint and a.xid <= ${String(to.xid)}::bigint
  and (a.xid, a.seq) > (${String(from.xid)}::bigint, ${String(from.seq)}::bigint)
  and (a.xid, a.seq) <= (${String(to.xid)}::bigint, ${String(to.seq)}::bigint)`

/** Records of these entries, after the first one, under which the entry is not found. */
export async function listHidden(
  sql: Sql,
  block: Pick<Block, 'from' | 'to'>,
): Promise<{ seq: string; recordId: string }[]> {
  return sql<{ seq: string; recordId: string }[]>`
    select a.seq, further.record_id as "recordId"
    from audit a
    cross join lateral unnest(a.record_ids[2:]) as further(record_id)
    where ${isWithin(sql, block)} and not exists (
      select from audit_records r where r.record_id = further.record_id and r.at = a.at and r.seq = a.seq)
    order by a.seq`
}

/**
 * Records under which an entry of this time is found that does not name them. Compares all rows at once, because no index
 * leads from an entry to its further records.
 */
export async function listUnnamed(
  sql: Sql,
  { from, to, limit }: { from: Date | undefined; to: Date | undefined; limit: number },
): Promise<{ seq: string; recordId: string }[]> {
  const begin = from?.toISOString() ?? '-infinity'
  const end = to?.toISOString() ?? 'infinity'
  return sql<{ seq: string; recordId: string }[]>`
    select r.seq, r.record_id as "recordId"
    from audit_records r
    where r.at >= ${begin}::text::timestamptz and r.at < ${end}::text::timestamptz and not exists (
      select from audit a
      cross join lateral unnest(a.record_ids[2:]) as further(record_id)
      where a.at >= ${begin}::text::timestamptz and a.at < ${end}::text::timestamptz and a.record_ids is not null
        and a.at = r.at and a.seq = r.seq and further.record_id = r.record_id)
    order by r.at, r.seq, r.record_id
    limit ${limit}`
}

/** Entries of earlier releases, and those that no block has yet. */
export async function countOutside(
  sql: Sql,
  last: ChainPosition,
): Promise<{ earlier: number; waiting: number; oldest: Date | null }> {
  const [row] = await sql<[{ earlier: string; waiting: string; oldest: Date | null }]>`
    select (select count(*) from audit) - (select count(*) from audit where xid > 0) as earlier, count(*) as waiting,
      min(at) as oldest
    from audit
    where xid > 0 and xid >= ${String(last.xid)}::bigint
      and (xid, seq) > (${String(last.xid)}::bigint, ${String(last.seq)}::bigint)`
  return { earlier: Number(row.earlier), waiting: Number(row.waiting), oldest: row.oldest }
}
