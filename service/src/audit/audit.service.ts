// Owns the record of who read or changed what. Writes are audited in their own transaction; reads are gathered and
// written together within the second, so that a read costs no write of its own.
import type { Sql } from '../db/database.ts'
import type { Window } from '../db/keyset.ts'
import type { Actor, AuditEntry } from '../db/unit.ts'
import type { Clock } from '../lib/clock.ts'
import { type AuditFilter, type AuditRow, appendAudit, listAudit } from './audit.store.ts'

const FLUSH_AT = 1_000
// A database that is away for long must not fill our memory; what is dropped is counted and said.
const MOST_WAITING = 200_000

export type Audit = ReturnType<typeof createAudit>

export function createAudit({ sql, clock }: { sql: Sql; clock: Clock }) {
  let waiting: AuditRow[] = []
  let flushing: Promise<void> = Promise.resolve()
  let dropped = 0

  const flush = () => {
    flushing = flushing.then(async () => {
      while (waiting.length > 0) {
        const rows = waiting.slice(0, FLUSH_AT)
        await appendAudit(sql, rows)
        waiting = waiting.slice(rows.length)
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
    read(actor: Actor, action: string, recordIds: string[]): void {
      const at = clock.now()
      if (waiting.length + recordIds.length > MOST_WAITING) {
        dropped += recordIds.length
        return
      }
      for (const recordId of recordIds)
        waiting.push({ at, action, recordId, clientId: actor.clientId, requestId: actor.requestId })
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
