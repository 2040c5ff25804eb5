// Removes entries of the audit by whole months, as the owner of the tables: their partitions are dropped. The hash of the last
// block that goes with them is kept as an anchor, from which the rest of the chain is verified.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Sql, Tx } from '../db/database.ts'
import { isLockUnavailable } from '../db/sqlstate.ts'
import { systemActor } from '../db/unit-of-work.ts'
import { StartError } from '../lib/problem.ts'
import type { Audit } from './audit.service.ts'
import type { Anchor, ChainPosition } from './chain.store.ts'
import { findAnchor } from './chain.store.ts'
import { hashRemaining, START } from './chain-verification.ts'
import {
  detachPartition,
  dropDetached,
  listPartitions,
  type Partition,
  whileWritable,
} from './partitions.store.ts'
import * as store from './retention.store.ts'

const LOCK_ATTEMPTS = 60
const LOCK_PAUSE_MS = 1_000

export interface Removal {
  /** All entries from before this time are removed: the end of the last partition. */
  before: Date
  partitions: Partition[]
  /** The last block that is removed; -1 where none is. */
  cut: { block: number; to: ChainPosition; hash: Buffer }
  /** What an earlier removal has left. */
  anchor: Anchor | undefined
}

export interface Removed {
  entries: number
  anchor: Anchor
}

/** What there is to remove before this time; undefined where there is nothing. */
export async function planRemoval(sql: Sql, before: Date): Promise<Removal | undefined> {
  const all = await listPartitions(sql)
  const partitions = all.filter(({ endsAt }) => endsAt !== null && endsAt <= before)
  const last = partitions.at(-1)
  if (!last?.endsAt) return undefined
  const anchor = await findAnchor(sql)
  const none = anchor ?? { block: -1, to: START, hash: Buffer.alloc(0) }
  const cut = (await store.findLastBlockBefore(sql, last.endsAt, none.block)) ?? none
  return { before: last.endsAt, partitions, cut, anchor }
}

/** The end of the oldest partition: nothing from before it can be removed on its own. */
export async function findFirstEnd(sql: Sql): Promise<Date | undefined> {
  return (await listPartitions(sql)).find(({ endsAt }) => endsAt !== null)?.endsAt ?? undefined
}

/** Reads and writes of services go on; they wait while tables are dropped, two seconds at most. */
export async function remove(
  db: Database,
  audit: Pick<Audit, 'append'>,
  { removal, now }: { removal: Removal; now: Date },
): Promise<Removed> {
  const { before, cut, anchor } = removal
  const { count: remaining, hash: remainingHash } = await hashRemaining(db.sql, cut.to, before)
  const wasEarlier = anchor?.earlier ?? (await store.countEarlierInChain(db.sql))
  const earlier = wasEarlier === 0 ? 0 : await store.countEarlierSince(db.sql, before)
  return db.transaction(async tx => {
    await store.lockChain(tx)
    const current = await findAnchor(tx)
    if (current?.removedBefore.getTime() !== anchor?.removedBefore.getTime())
      throw new StartError('Another command has removed entries meanwhile. Run this one again.')
    const inBlocks = await store.countEntriesOfBlocks(tx, cut.block)
    const next: Anchor = {
      ...cut,
      removedBefore: before,
      entries: inBlocks + (anchor?.remaining ?? 0) - remaining + wasEarlier - earlier,
      remaining,
      remainingHash,
      earlier,
    }
    await store.insertAnchor(tx, next, now)
    await whileWritable(tx, 'audit_chain', () => store.deleteBlocks(tx, cut.block))
    await store.keepLateEntries(tx, next)
    await withTables(tx, savepoint => dropPartitions(savepoint, removal.partitions, next))
    await audit.append(
      tx,
      [{ action: 'audit.remove', recordId: '', before: factsOf(anchor), after: factsOf(next) }],
      { actor: systemActor('operator', 'audit:remove'), now },
    )
    return { entries: next.entries, anchor: next }
  })
}

async function dropPartitions(tx: Tx, partitions: Partition[], anchor: Anchor): Promise<void> {
  await store.lockTables(tx)
  for (const partition of partitions) {
    await detachPartition(tx, partition)
    await dropDetached(tx, partition)
  }
  await whileWritable(tx, 'audit_default', () =>
    whileWritable(tx, 'audit_records_default', () => store.deleteStragglers(tx, anchor)),
  )
  await store.insertLateEntries(tx)
}

/** Repeats the work until it gets its locks without a long wait. What the transaction has done before stays. */
async function withTables(tx: Tx, work: (savepoint: Tx) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tx.savepoint(savepoint => work(savepoint as Tx))
    } catch (error) {
      if (!isLockUnavailable(error)) throw error
      if (attempt === LOCK_ATTEMPTS)
        throw new StartError(
          'Another session has used the tables of the audit for minutes, such as a dump. See pg_stat_activity; run the command again when it has ended. Nothing was removed.',
        )
      await sleep(LOCK_PAUSE_MS)
    }
  }
}

const factsOf = (anchor: Anchor | undefined) =>
  anchor && {
    removedBefore: anchor.removedBefore.toISOString(),
    anchor: `${anchor.block}:${anchor.hash.toString('hex')}`,
    entries: anchor.entries,
  }
