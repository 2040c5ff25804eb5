// The audit of reads and writes. Writes are audited in their own transaction. Reads are buffered and written in batches
// within a second, so that a read costs no write of its own.
import type { Sql } from '../db/database.ts'
import type { Window } from '../db/keyset.ts'
import type { Actor, AuditEntry } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { createInstants } from '../lib/instants.ts'
import { type AuditFilter, appendAudit, appendLines, lineOf, listAudit } from './audit.store.ts'

// Bounds the memory of the buffer while the database is unavailable. Dropped entries are counted and logged.
const CHUNK_BYTES = 256 * 1024
const MAX_CHUNKS = 128
const MAX_PENDING_CHARACTERS = 32 * 1024

export type Audit = ReturnType<typeof createAudit>

export function createAudit({ sql, clock }: { sql: Sql; clock: Clock }) {
  // Reads are buffered as bytes: thousands of live objects would cost the garbage collector more than the reads themselves.
  const fullChunks: Buffer[] = []
  let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  let used = 0
  let flushing: Promise<void> = Promise.resolve()
  let dropped = 0
  const toInstant = createInstants()

  // The lines of one turn of the event loop: one write into the chunk is cheaper than many.
  let pending = ''
  const buffer = (line: string) => {
    if (pending.length > MAX_PENDING_CHARACTERS) drainPending()
    if (!pending) setImmediate(drainPending)
    pending += line
  }
  const drainPending = () => {
    // A UTF-16 code unit takes three bytes of UTF-8 at most.
    if (used + pending.length * 3 > CHUNK_BYTES) closeChunk()
    if (fullChunks.length >= MAX_CHUNKS) dropped += pending.split('\n').length - 1
    else used += chunk.write(pending, used)
    pending = ''
  }
  const closeChunk = () => {
    fullChunks.push(chunk.subarray(0, used))
    chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    used = 0
  }

  const flush = () => {
    flushing = flushing.then(async () => {
      drainPending()
      if (used > 0) closeChunk()
      for (let next = fullChunks[0]; next; next = fullChunks[0]) {
        await appendLines(sql, next.toString())
        fullChunks.shift()
      }
    })
    const result = flushing
    flushing = flushing.catch(() => {})
    return result
  }

  return {
    list: (window: Window, filter: AuditFilter) => listAudit(sql, window, filter),

    /** For writes, in their transaction. */
    append(tx: Sql, entries: AuditEntry[], { actor, now }: { actor: Actor; now: Date }): Promise<void> {
      return appendAudit(
        tx,
        entries.map(entry => ({ ...entry, at: now, clientId: actor.clientId, requestId: actor.requestId })),
      )
    },
    read({ clientId, requestId }: Actor, action: string, recordIds: string[]): void {
      const at = toInstant(clock.now().getTime())
      for (const recordId of recordIds) buffer(lineOf({ at, clientId, action, recordId, requestId }))
    },
    /** Writes the buffered reads. Rejects where the database fails, and keeps them for the next flush. */
    flush,
    takeDropped() {
      const count = dropped
      dropped = 0
      return count
    },
  }
}
