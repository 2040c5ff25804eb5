// Makes the search keys of rows anew that an earlier release wrote. Folding is JavaScript, so a migration cannot do it.
// Any number of services may do this at once, each with its own rows; what a crash interrupts is done by the next run.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Log } from '../lib/log.ts'
import { recordFromText } from './applicants.mapper.ts'
import { lockOldKeys, updateKeys } from './search.store.ts'
import { searchKeysOf } from './search-keys.ts'

const AT_ONCE = 200
/** Between two batches, so that requests hardly notice. */
const PAUSE = 20

export type KeyRefresh = ReturnType<typeof createKeyRefresh>

export function createKeyRefresh({ db, log }: { db: Database; log: Log }) {
  let stopping = false
  let running: Promise<unknown> = Promise.resolve()

  /** Returns the last id of the batch, and undefined once there is none left. */
  const refreshSome = (after: string) =>
    db.transaction(async tx => {
      const rows = await lockOldKeys(tx, { after, limit: AT_ONCE })
      if (rows.length === 0) return { count: 0, last: undefined }
      const keys = rows.map(({ id, record }) => ({ id, ...searchKeysOf(recordFromText(record)) }))
      await updateKeys(tx, keys)
      return { count: rows.length, last: rows.at(-1)?.id }
    })

  const refreshAll = async () => {
    let records = 0
    for (let after: string | undefined = ''; after !== undefined && !stopping; ) {
      const { count, last } = await refreshSome(after)
      records += count
      after = last
      if (last !== undefined) await sleep(PAUSE)
    }
    if (records > 0) log.info({ records }, 'search keys of an earlier release were made anew')
  }

  return {
    /** Does all rows that no other transaction holds; the rest is for the next run. */
    run(): Promise<void> {
      const done = running.then(refreshAll)
      running = done.catch(() => {})
      return done
    },
    /** Waits for the batch under way. */
    async stop(): Promise<void> {
      stopping = true
      await running
    },
  }
}
