// The audit: who did what, from where, with which outcome. Changes are audited in their transaction, everything else before
// its response is sent. Entries are never changed; a job chains them by hashes. Only the owner of the tables removes some, by
// months: retention.ts.
import { currentCompanies } from '../db/caller.ts'
import type { Sql } from '../db/database.ts'
import type { Slice, Window } from '../db/keyset.ts'
import type { Actor, AuditEntry, RequestEntry } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import * as store from './audit.store.ts'
import { createAuditWriter } from './audit-writer.ts'
import { extendChain } from './chain.store.ts'
import { changesBetween, changesForReader } from './field-differences.ts'
import { addPartitions } from './partitions.store.ts'

const ENTRIES_PER_BLOCK = 1_000
const EXPORT_PAGE = 500

/** Runs a statement that can be repeated, and whose commit need not wait for the disk. */
type Append = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

interface Options {
  sql: Sql
  clock: Clock
  /** `sql` by default. */
  append?: Append
}

export type Audit = ReturnType<typeof createAudit>

export function createAudit({ sql, clock, append = work => work(sql) }: Options) {
  const write = createAuditWriter(rows => append(connection => store.insertEntries(connection, rows)))

  return {
    async list(window: Window, filter: store.AuditFilter) {
      const page = await store.listAudit(sql, window, filter)
      return { ...page, records: page.records.map(forReader()) }
    },

    /** The changes of these records. What adds a note or a document is left out: these are listed by themselves. */
    listChanges: async (recordIds: string[], slice: Slice) =>
      (await store.listChanges(sql, recordIds, slice)).map(forReader()),
    /** At most `limit`. */
    countChanges: (recordIds: string[], limit: number) => store.countChanges(sql, recordIds, limit),
    /** Who created these parts of a record. */
    listCreators: (created: store.Created[], ownerIds: string[]) =>
      store.listCreators(sql, created, ownerIds),

    /** All entries of a range in order of time, a page in memory at a time. */
    async *export(range: store.ExportRange): AsyncGenerator<store.StoredEntry[]> {
      let after: store.ExportPosition | undefined
      const shown = forReader()
      for (;;) {
        const page = await store.listExported(sql, range, { after, limit: EXPORT_PAGE })
        if (page.length > 0) yield page.map(shown)
        const last = page.at(-1)
        if (!last || page.length < EXPORT_PAGE) return
        after = { at: last.at, seq: last.seq }
      }
    },

    /** For changes, in their transaction. */
    append(
      tx: Sql,
      entries: AuditEntry[],
      { actor, now, status }: { actor: Actor; now: Date; status?: number },
    ): Promise<void> {
      const rows = entries.map(({ action, recordId, before, after }): store.AuditRow => {
        const changes =
          before || after
            ? changesBetween(before as Record<string, unknown>, after as Record<string, unknown>)
            : null
        return {
          ...rowOf(actor, now),
          action,
          recordIds: [recordId],
          status: status ?? null,
          changes,
        }
      })
      return store.insertEntries(tx, rows)
    },

    /** For everything else. Resolves when the entry is in the database. */
    record({ actor, action, recordIds, outcome, status, code }: RequestEntry): Promise<void> {
      const row = rowOf(actor, clock.now())
      return write({
        ...row,
        action,
        recordIds,
        outcome: outcome ?? outcomeOf(status),
        status,
        code: code ?? null,
      })
    },

    /** Chains the entries that were committed since the last call. */
    async chain(): Promise<void> {
      const extend = () => append(connection => extendChain(connection, ENTRIES_PER_BLOCK))
      while ((await extend()) === ENTRIES_PER_BLOCK);
    },

    /** Makes the partitions of the next months. */
    addPartitions: () => append(addPartitions),
  }
}

/** Entries as the caller of the running code may see them. */
function forReader() {
  const companies = currentCompanies()
  return <T extends { changes: store.StoredEntry['changes'] }>(entry: T): T =>
    companies && entry.changes ? { ...entry, changes: changesForReader(entry.changes, companies) } : entry
}

function outcomeOf(status: number): store.Outcome {
  if (status < 400) return 'ok'
  return status < 500 ? 'refused' : 'failed'
}

/** An external issuer may send characters that PostgreSQL cannot store. */
const storable = (text: string) => text.replaceAll('\0', ' ')

function rowOf({ clientId, user, address, operation, requestId, companies }: Actor, at: Date) {
  return {
    at,
    clientId: storable(clientId),
    userId: user?.userId ?? null,
    userName: user ? storable(user.name) : null,
    address,
    method: operation?.method ?? null,
    operationId: operation?.operationId ?? null,
    requestId,
    outcome: 'ok' as const,
    code: null,
    companies,
    changes: null,
  }
}
