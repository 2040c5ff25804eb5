// Verifies the hash chain of the audit: recomputes every hash from the entries, a block in memory at a time, and looks up the
// entries of lists by their records.
import { createHash, hash } from 'node:crypto'
import type { Sql } from '../db/database.ts'
import {
  type Anchor,
  type Block,
  type ChainedEntry,
  type ChainPosition,
  countOutside,
  findAnchor,
  hasBlocksThrough,
  listBlocks,
  listChained,
  listHidden,
  listUnnamed,
} from './chain.store.ts'
import { listPartitions } from './partitions.store.ts'

const PAGE = 50
const DIGEST_BYTES = 8
/** A month may have any number of rows that were added. */
const MAX_UNNAMED = 1_000

/** The hash of a block that was noted earlier, outside the database. */
export interface Head {
  block: number
  hash: string
}

/** What was verified of a chain, block by block. */
interface Walk {
  last: Link
  entries: number
  /** The number of entries of earlier releases, where the chain has it. */
  earlier: number | undefined
  findings: string[]
}

export interface Verification {
  /** Entries of verified blocks. */
  entries: number
  blocks: number
  /** Entries that no block has yet, and the time of the oldest. */
  waiting: number
  oldestWaiting: Date | null
  /** Entries of earlier releases, which are counted only. */
  earlier: number
  /** What was altered, in the order of the chain. */
  findings: string[]
  head: Head
  /** What was removed at the start of the chain, if anything was. */
  anchor: Anchor | undefined
}

type Link = Pick<Block, 'block' | 'to' | 'hash'>

export const START: ChainPosition = { xid: 0n, seq: 0n }

interface Options {
  head?: Head | undefined
  onBlock?: ((entries: number) => void) | undefined
}

export async function verifyChain(sql: Sql, { head, onBlock }: Options = {}): Promise<Verification> {
  const anchor = await findAnchor(sql)
  const walk = await walkChain(sql, { anchor, head, onBlock })
  const { last, findings } = walk
  const { earlier, waiting, oldest } = await countOutside(sql, last.to)
  findings.push(...(await unnamedErrorsOf(sql)))
  const earlierChained = anchor?.earlier ?? walk.earlier ?? 0
  if (earlier !== earlierChained)
    findings.push(
      `there are ${earlier} entries of earlier releases, and ${earlierChained} were there when the chain began`,
    )
  return {
    entries: walk.entries,
    blocks: last.block - Math.max(anchor?.block ?? 0, 0),
    waiting,
    oldestWaiting: oldest,
    earlier,
    findings,
    head: { block: last.block, hash: last.hash.toString('hex') },
    anchor,
  }
}

/** Verifies the blocks up to this one, and returns what was altered. */
export async function verifyThrough(
  sql: Sql,
  { block, onBlock }: { block: number; onBlock: (entries: number) => void },
): Promise<string[]> {
  const { findings } = await walkChain(sql, { anchor: await findAnchor(sql), through: block, onBlock })
  return findings
}

async function walkChain(
  sql: Sql,
  {
    anchor,
    head,
    through = Number.POSITIVE_INFINITY,
    onBlock = () => {},
  }: Options & { anchor: Anchor | undefined; through?: number },
): Promise<Walk> {
  let last: Link = anchor ?? { block: -1, to: START, hash: Buffer.alloc(0) }
  const walk: Walk = { last, entries: 0, earlier: undefined, findings: await anchorErrorsOf(sql, anchor) }
  const { findings } = walk
  let foundHead = head === undefined
  const compareHead = ({ block, hash }: Link) => {
    if (head?.block !== block) return
    foundHead = true
    if (hash.toString('hex') !== head.hash)
      findings.push(`block ${head.block} has another hash than the one that was noted`)
  }
  compareHead(last)
  let blocks: Block[]
  do {
    blocks = (await listBlocks(sql, last.block, PAGE)).filter(({ block }) => block <= through)
    for (const block of blocks) {
      findings.push(...linkErrorsOf(block, last))
      if (block.block === 0) {
        walk.earlier = block.entries
        if (!block.hash.equals(sha256(`caseport audit ${block.entries}`)))
          findings.push('block 0 was altered: it has the number of entries of earlier releases')
      } else {
        const rows = await listChained(sql, block)
        findings.push(...blockErrorsOf(block, rows, last.hash), ...(await hiddenErrorsOf(sql, block)))
        walk.entries += rows.length
      }
      compareHead(block)
      last = block
      onBlock(walk.entries)
    }
  } while (blocks.length === PAGE)
  if (last.block === walk.last.block)
    findings.push(
      anchor && anchor.block >= 0
        ? 'the chain is empty: all blocks after the removed ones were deleted'
        : 'the chain is empty: its first block was deleted',
    )
  if (!foundHead)
    findings.push(
      head && anchor && head.block < anchor.block
        ? `block ${head.block}, whose hash was noted, was removed with the entries before ${anchor.removedBefore.toISOString()}: pass a later head`
        : `block ${head?.block}, whose hash was noted, does not exist`,
    )
  return { ...walk, last }
}

/** Whether the entries of removed blocks that stayed are unaltered, and the blocks are gone. */
async function anchorErrorsOf(sql: Sql, anchor: Anchor | undefined): Promise<string[]> {
  if (!anchor) return []
  const errors: string[] = []
  if (await hasBlocksThrough(sql, anchor.block))
    errors.push(`there are blocks before ${anchor.block + 1}, which were removed`)
  const { count, hash } = await hashRemaining(sql, anchor.to)
  if (count !== anchor.remaining)
    errors.push(`of the removed blocks there are ${count} entries, and ${anchor.remaining} had stayed`)
  else if (!hash.equals(anchor.remainingHash))
    errors.push('one of the entries of removed blocks that had stayed was altered')
  return errors
}

/** The index by which the readers of a record are found is derived from the entries, and is not chained itself. */
async function hiddenErrorsOf(sql: Sql, block: Block): Promise<string[]> {
  const hidden = await listHidden(sql, block)
  return hidden.map(
    ({ seq, recordId }) =>
      `entry ${seq} is not found by the record ${recordId} any more (block ${block.block})`,
  )
}

/** Rows of that index that no entry accounts for, month by month: a statement for all would keep its snapshot for too long. */
async function unnamedErrorsOf(sql: Sql): Promise<string[]> {
  const partitions = await listPartitions(sql)
  const ends = partitions.flatMap(({ parent, endsAt }) =>
    parent === 'audit_records' && endsAt ? [endsAt] : [],
  )
  const errors: string[] = []
  for (const [index, to] of [...ends, undefined].entries()) {
    const unnamed = await listUnnamed(sql, { from: ends[index - 1], to, limit: MAX_UNNAMED })
    for (const { seq, recordId } of unnamed)
      errors.push(`entry ${seq} has the further record ${recordId}, which it does not name`)
  }
  return errors
}

/** Of the entries up to this position, and of this time or later, the number and the SHA-256 of the SHA-256 of each. */
export async function hashRemaining(
  sql: Sql,
  to: ChainPosition,
  since?: Date,
): Promise<{ count: number; hash: Buffer }> {
  const rows = await listChained(sql, { from: START, to }, since)
  const whole = createHash('sha256')
  for (const { text } of rows) whole.update(sha256(text))
  return { count: rows.length, hash: whole.digest() }
}

/** Whether a block follows the one before. */
function linkErrorsOf({ block, from }: Block, last: Link): string[] {
  if (block !== last.block + 1) return [`block ${last.block + 1} was deleted`]
  return from.xid === last.to.xid && from.seq === last.to.seq
    ? []
    : [`block ${block} was altered: it does not begin where the last one ends`]
}

function blockErrorsOf(block: Block, rows: ChainedEntry[], previousHash: Buffer): string[] {
  const digests = rows.map(({ text }) => sha256(text))
  const whole = createHash('sha256').update(previousHash)
  for (const digest of digests) whole.update(digest)
  if (whole.digest().equals(block.hash) && block.entries === rows.length) return []

  const chained = new Map(
    block.seqs.map((seq, index) => [
      seq,
      block.digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES),
    ]),
  )
  const where = `(block ${block.block})`
  const errors: string[] = []
  for (const [index, { seq }] of rows.entries()) {
    const known = chained.get(seq)
    chained.delete(seq)
    if (!known) errors.push(`entry ${seq} was added later ${where}`)
    else if (!digests[index]?.subarray(0, DIGEST_BYTES).equals(known))
      errors.push(`entry ${seq} was altered ${where}`)
  }
  for (const seq of chained.keys()) errors.push(`entry ${seq} was deleted ${where}`)
  return errors.length > 0 ? errors : [`block ${block.block} was altered, or the one before it`]
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
