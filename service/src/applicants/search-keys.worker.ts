// Recomputes the search keys of rows that an earlier release wrote. Folding is JavaScript, so a migration cannot do it.
// Several services may run this at once: each locks its own rows. The next run finishes what a crash interrupts.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { recordFromText } from './applicants.mapper.ts'
import { lockOldKeys, updateKeys } from './search.store.ts'
import { companyKeyOf, searchKeysOf } from './search-keys.ts'

const BATCH_SIZE = 200
/** Milliseconds between two batches, to leave the database to requests. */
const PAUSE = 20

export type KeyRefresh = ReturnType<typeof createRefresh>

export function createKeyRefresh({ db, log }: { db: Database; log: Log }): KeyRefresh {
  const refreshBatch = (after: string, limit: number) =>
    db.transaction(async tx => {
      const rows = await lockOldKeys(tx, { after, limit })
      if (rows.length === 0) return { count: 0, last: undefined }
      const keys = rows.map(({ id, record: text, primaryId }) => {
        const record = recordFromText(text)
        const company = primaryId === null ? companyKeyOf(record) : null
        return { id, company, ...searchKeysOf(record) }
      })
      await updateKeys(tx, keys)
      return { count: rows.length, last: rows.at(-1)?.id }
    })
  return createRefresh({ log, refreshBatch })
}

interface RefreshOptions {
  log: Log
  /** Recomputes the keys of a batch. `last` is its last id; undefined once no rows are left. */
  refreshBatch: (after: string, limit: number) => Promise<{ count: number; last: string | undefined }>
}

/** Runs through all rows whose keys are of an earlier release, batch by batch. */
export function createRefresh({ log, refreshBatch }: RefreshOptions) {
  let stopping = false
  let running: Promise<unknown> = Promise.resolve()

  const refreshAll = async () => {
    let records = 0
    for (let after: string | undefined = ''; after !== undefined && !stopping; ) {
      const { count, last } = await refreshBatch(after, BATCH_SIZE)
      records += count
      after = last
      if (last !== undefined) await sleep(PAUSE)
    }
    if (records > 0) log.info({ records }, 'search keys of an earlier release were recomputed')
  }

  return {
    /** Refreshes all rows that no other transaction has locked; the next run does the rest. */
    run(): Promise<void> {
      const done = running.then(refreshAll)
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
