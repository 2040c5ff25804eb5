// Compares records that were written with all others, and keeps the pairs that may be the same person. A trigger queues a
// record in the transaction that writes it, so that nothing is compared before it is committed and nothing is forgotten by
// a crash. One service compares at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { recordFromText } from './applicants.mapper.ts'
import { duplicateKeysOf, matchOf, pairOf, type SharedKey } from './duplicate-matching.ts'
import * as store from './duplicates.store.ts'

const BATCH_SIZE = 500
/** Milliseconds between two batches, to leave the database to requests. */
const PAUSE = 5
/** A key that more records have is no evidence. */
export const MAX_SHARERS = 20

export type DuplicateFinder = ReturnType<typeof createDuplicateFinder>

interface Options {
  db: Database
  clock: Clock
  log: Log
  /** Whether many records are being written. They are compared afterwards, a batch in each run until then. */
  isPostponed?: () => boolean
}

export function createDuplicateFinder({ db, clock, log, isPostponed = () => false }: Options) {
  let stopping = false
  let running: Promise<unknown> = Promise.resolve()

  /** Returns the number of records, and whether the batch was the last one. */
  const compareBatch = () =>
    db.transaction(async tx => {
      if (!(await store.tryLockDuplicates(tx))) return { count: 0, isLast: true }
      const taken = await store.takeChecks(tx, BATCH_SIZE)
      const queued = taken.length > 0 ? await compare(tx, [...new Set(taken)], clock.now()) : 0
      return { count: taken.length, isLast: taken.length < BATCH_SIZE && queued === 0 }
    })

  const compareAll = async () => {
    let records = 0
    // Without a transaction, as long as there is nothing to do.
    while (!stopping && (await store.hasChecks(db.sql))) {
      const { count, isLast } = await compareBatch()
      records += count
      // What has been written meanwhile waits for the next run: a batch takes the same statements for one record as for many.
      if (isLast || isPostponed()) break
      await sleep(PAUSE)
    }
    if (records >= BATCH_SIZE) log.info({ records }, 'records were compared for duplicates')
  }

  return {
    /** Compares all records that were queued before. */
    run(): Promise<void> {
      const done = running.then(compareAll)
      running = done.catch(() => {})
      return done
    },
    /** Waits for the current batch. */
    async stop(): Promise<void> {
      stopping = true
      await running
    },
  }
}

/** Returns how many records are to be compared again because of these. */
async function compare(tx: Tx, ids: string[], now: Date): Promise<number> {
  const rows = await store.listLive(tx, ids)
  const keys = rows.flatMap(({ id, record }) =>
    duplicateKeysOf({ ...recordFromText(record) }).map(key => ({ id, ...key })),
  )
  const added = await store.saveKeys(tx, ids, keys)
  const familyOf = new Map(rows.map(({ id, primaryId }) => [id, primaryId ?? id]))
  const shared = await store.listShared(tx, [...familyOf.keys()], MAX_SHARERS)
  const byPair = Map.groupBy(shared, ({ id, otherId }) => pairOf(id, otherId).join('\n'))
  const pairs = [...byPair.values()].flatMap(([first, ...others]): store.Pair[] => {
    if (!first) return []
    const { id, otherId, otherPrimaryId } = first
    const [firstId, secondId] = pairOf(id, otherId)
    const isFamily = familyOf.get(id) === (otherPrimaryId ?? otherId)
    const match = matchOf([first, ...others].map(toShared), { isFamily })
    return match ? [{ firstId, secondId, ...match }] : []
  })
  await store.savePairs(tx, { ids, live: [...familyOf.keys()], pairs, now })
  return store.queueTooCommon(tx, added, { most: MAX_SHARERS, read: MAX_SHARERS + BATCH_SIZE + 1 })
}

const toShared = ({ reason, key, qualifier, otherQualifier }: store.SharedRow): SharedKey => ({
  reason,
  key,
  qualifiers: [qualifier, otherQualifier],
})
