// Verifies the hash chain of the audit: recomputes every hash from the entries, a block in memory at a time.
import { createHash, hash } from 'node:crypto'
import type { Sql } from '../db/database.ts'
import { type Block, type ChainedEntry, countOutside, listBlocks, listChained } from './chain.store.ts'

const PAGE = 50
const DIGEST_BYTES = 8

/** The hash of a block that was noted earlier, outside the database. */
export interface Head {
  block: number
  hash: string
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
}

type Link = Pick<Block, 'block' | 'to' | 'hash'>

export async function verifyChain(
  sql: Sql,
  { head, onBlock = () => {} }: { head?: Head | undefined; onBlock?: (entries: number) => void } = {},
): Promise<Verification> {
  const findings: string[] = []
  let last: Link = { block: -1, to: { xid: 0n, seq: 0n }, hash: Buffer.alloc(0) }
  let earlierChained = 0
  let entries = 0
  let foundHead = head === undefined
  for (;;) {
    const blocks = await listBlocks(sql, last.block, PAGE)
    for (const block of blocks) {
      findings.push(...linkErrorsOf(block, last))
      if (block.block === 0) {
        earlierChained = block.entries
        if (!block.hash.equals(sha256(`caseport audit ${block.entries}`)))
          findings.push('block 0 was altered: it has the number of entries of earlier releases')
      } else {
        const rows = await listChained(sql, block)
        findings.push(...blockErrorsOf(block, rows, last.hash))
        entries += rows.length
      }
      if (head?.block === block.block) {
        foundHead = true
        if (block.hash.toString('hex') !== head.hash)
          findings.push(`block ${head.block} has another hash than the one that was noted`)
      }
      last = block
      onBlock(entries)
    }
    if (blocks.length < PAGE) break
  }
  if (last.block < 0) findings.push('the chain is empty: its first block was deleted')
  if (!foundHead) findings.push(`block ${head?.block}, whose hash was noted, does not exist`)
  const { earlier, waiting, oldest } = await countOutside(sql, last.to)
  if (earlier !== earlierChained)
    findings.push(
      `there are ${earlier} entries of earlier releases, and ${earlierChained} were there when the chain began`,
    )
  return {
    entries,
    blocks: last.block,
    waiting,
    oldestWaiting: oldest,
    earlier,
    findings,
    head: { block: last.block, hash: last.hash.toString('hex') },
  }
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
