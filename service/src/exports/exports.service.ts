// Exports all records of a kind that the caller may see, as they are in one snapshot of the database.
import type { Database } from '../db/database.ts'
import { fetchIds, type RecordSource } from '../db/server-cursor.ts'
import type { Changes, FeedPosition } from '../events/changes.service.ts'

/** Records in memory at a time. */
const PAGE = 200

export const KINDS = ['applicants', 'cases', 'documents'] as const

export type Kind = (typeof KINDS)[number]

interface Options {
  db: Pick<Database, 'snapshot'>
  sources: Record<Kind, RecordSource>
  changes: Pick<Changes, 'head'>
}

export type Exports = ReturnType<typeof createExports>

export function createExports({ db, sources, changes }: Options) {
  return {
    /**
     * Writes each record as a line, a page at a time; the next page is read when `write` has resolved. Returns the position
     * in the change feed: changes up to it are in the snapshot, and those after it may be in it too.
     */
    run: (kind: Kind, write: (lines: string) => Promise<void>): Promise<FeedPosition> =>
      db.snapshot(async tx => {
        const source = sources[kind]
        const head = await changes.head(tx)
        await source.open(tx)
        for (;;) {
          const ids = await fetchIds(tx, PAGE)
          if (ids.length === 0) return head
          const records = await source.render(tx, ids)
          await write(records.map(record => `${record}\n`).join(''))
        }
      }),
  }
}
