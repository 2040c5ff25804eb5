// Owns the record of who read or changed what. Writes are audited in their own transaction; reads are gathered and
// written together within the second, so that a read costs no write of its own.
import type { Sql } from '../db/database.ts'
import type { Window } from '../db/keyset.ts'
import type { Actor, AuditEntry } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { createInstants } from '../lib/instants.ts'
import { type AuditFilter, appendAudit, appendLines, lineOf, listAudit } from './audit.store.ts'

// A database that is away for long must not fill our memory; what is dropped is counted and said.
const CHUNK_BYTES = 256 * 1024
const MOST_CHUNKS = 128
const MOST_GATHERED = 32 * 1024

export type Audit = ReturnType<typeof createAudit>

export function createAudit({ sql, clock }: { sql: Sql; clock: Clock }) {
  // Reads are kept as bytes, not as objects: thousands of those, alive until they are written, would cost the garbage
  // collector more than the reads themselves.
  const full: Buffer[] = []
  let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  let used = 0
  let flushing: Promise<void> = Promise.resolve()
  let dropped = 0
  const written = createInstants()

  // The lines of one turn of the event loop, which cost less together.
  let lines = ''
  const put = (line: string) => {
    if (lines.length > MOST_GATHERED) settle()
    if (!lines) setImmediate(settle)
    lines += line
  }
  const settle = () => {
    // A character takes three bytes at most.
    if (used + lines.length * 3 > CHUNK_BYTES) close()
    if (full.length >= MOST_CHUNKS) dropped += lines.split('\n').length - 1
    else used += chunk.write(lines, used)
    lines = ''
  }
  const close = () => {
    full.push(chunk.subarray(0, used))
    chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    used = 0
  }

  const flush = () => {
    flushing = flushing.then(async () => {
      settle()
      if (used > 0) close()
      for (let next = full[0]; next; next = full[0]) {
        await appendLines(sql, next.toString())
        full.shift()
      }
    })
    const result = flushing
    flushing = flushing.catch(() => {})
    return result
  }

  return {
    list: (window: Window, filter: AuditFilter) => listAudit(sql, window, filter),

    /** For writes: hand it the unit's transaction. */
    append(tx: Sql, entries: AuditEntry[], { actor, now }: { actor: Actor; now: Date }): Promise<void> {
      return appendAudit(
        tx,
        entries.map(entry => ({ ...entry, at: now, clientId: actor.clientId, requestId: actor.requestId })),
      )
    },
    read({ clientId, requestId }: Actor, action: string, recordIds: string[]): void {
      const at = written(clock.now().getTime())
      for (const recordId of recordIds) put(lineOf({ at, clientId, action, recordId, requestId }))
    },
    /** Writes what reads have gathered; rejects when the database does not take it, and keeps it for the next time. */
    flush,
    takeDropped() {
      const count = dropped
      dropped = 0
      return count
    },
  }
}
