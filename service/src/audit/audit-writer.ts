// Writes the entries of requests that have no transaction of their own: reads, and calls that were rejected or failed. The
// entries of concurrent requests go into one statement: those that arrive while it runs wait for the next.
import { currentSpan, runInSpan, type Span } from '../lib/spans.ts'
import type { AuditRow } from './audit.store.ts'

interface Waiting {
  row: AuditRow
  resolve: () => void
  reject: (error: unknown) => void
  /** That of the request, where it is traced. */
  span: Span | undefined
}

/** Bounds the size of a statement. */
const MAX_BATCH = 500

/** Resolves when the entry is in the database. */
export type AuditWriter = (row: AuditRow) => Promise<void>

export function createAuditWriter(insert: (rows: AuditRow[]) => Promise<void>): AuditWriter {
  const waiting: Waiting[] = []
  let isWriting = false

  const write = async () => {
    if (isWriting || waiting.length === 0) return
    const batch = waiting.splice(0, MAX_BATCH)
    isWriting = true
    try {
      const rows = batch.map(({ row }) => row)
      await runInSpan(batch[0]?.span, () => insert(rows))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      isWriting = false
      void write()
    }
  }

  return row =>
    new Promise((resolve, reject) => {
      // Immediate callbacks run after all callbacks of this turn of the event loop: reads that one lookup has returned are
      // written by one statement.
      if (waiting.length === 0) setImmediate(write)
      waiting.push({ row, resolve, reject, span: currentSpan() })
    })
}
