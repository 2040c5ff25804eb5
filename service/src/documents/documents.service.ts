// Reads documents and changes their expiry. Uploads are in uploads.service.ts, downloads in files.service.ts.

import { coalesced } from '../db/coalesce.ts'
import type { Lookup, Sql } from '../db/database.ts'
import type { RenderedRecord } from '../db/etag-cache.ts'
import type { Page, Slice, Window } from '../db/keyset.ts'
import type { RecordSource } from '../db/server-cursor.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { reminderDays } from '../lib/schedule.ts'
import { typeOf } from './document.ts'
import { createDocumentLock, type DocumentFamilies } from './document-lock.ts'
import { documentNotFound } from './documents.errors.ts'
import { render as renderOn } from './documents.mapper.ts'
import type {
  DocumentFilters,
  DocumentOwner,
  DocumentRow,
  Expiry,
  ListedDocument,
} from './documents.store.ts'
import * as store from './documents.store.ts'

export { type DocumentFamilies, documentNotFound }

export interface DocumentParts {
  sql: Sql
  lookup: Lookup
  clock: Clock
  families: DocumentFamilies
}

/** Undefined fields stay unchanged. */
export interface ExpiryChange {
  expiryDate: string
  remindAboutRenewal: boolean | undefined
  expiryReminder: string | number | null | undefined
}

export type Documents = ReturnType<typeof createDocuments>

export function createDocuments({ sql, lookup, clock, families }: DocumentParts) {
  const find = coalesced(ids => lookup(sql => store.listDocumentsById(sql, ids)))
  const render = (row: DocumentRow): RenderedRecord => renderOn(row, clock.now().toISOString().slice(0, 10))
  const lock = createDocumentLock(families)

  const read = async (from: Sql, documentId: string): Promise<RenderedRecord> =>
    render(await getRow(from, documentId))

  /** All documents that were not removed. */
  const everyDocument: RecordSource = {
    open: store.openDocumentIds,
    async render(tx, ids) {
      const rows = await store.listDocumentsById(tx, ids)
      return [...rows.values()].map(row => render(row).json)
    },
  }

  return {
    everyDocument,
    read,
    render,

    async get(documentId: string): Promise<RenderedRecord> {
      const row = await find(documentId)
      if (!row) throw documentNotFound()
      return render(row)
    },

    async list(window: Window, filters: DocumentFilters): Promise<Page<RenderedRecord>> {
      const page: Page<ListedDocument> = await store.listDocuments(sql, window, filters)
      return { ...page, records: page.records.map(render) }
    },

    /** By their creation; those that were removed too. */
    async listAdded(owner: DocumentOwner, slice: Slice) {
      const rows = await store.listDocumentsAdded(sql, owner, slice)
      return rows.map(row => ({ ...row, type: typeOf(row) }))
    },
    /** Of all documents, those that were removed too: the name by id, or the type of a document without a name. */
    async listNamesOf(owner: DocumentOwner): Promise<Map<string, string | null>> {
      const rows = await store.listDocumentNamesOf(sql, owner)
      return new Map(rows.map(row => [row.documentId, row.name || typeOf(row)]))
    },

    async setExpiry(
      unit: UnitOfWork,
      documentId: string,
      { change, requireState }: { change: ExpiryChange; requireState: (etag: string) => void },
    ): Promise<RenderedRecord> {
      const { applicantId, caseId, inRecord } = await lock(unit, documentId)
      const row = await getRow(unit.tx, documentId)
      requireState(render(row).etag)
      const expiry = {
        expiryDate: change.expiryDate,
        remindAboutRenewal: change.remindAboutRenewal ?? row.remindAboutRenewal,
        expiryReminder: change.expiryReminder === undefined ? row.expiryReminder : change.expiryReminder,
      }
      if (isSameExpiry(row, expiry)) {
        unit.audit({ action: 'document.read', recordId: documentId })
        return render(row)
      }
      const days = reminderDays(expiry.expiryReminder, expiry.expiryDate)
      await store.updateExpiry(unit.tx, documentId, { expiry, reminderDays: days, now: unit.now })
      if (inRecord) await families.touch(unit, applicantId)
      unit.audit({
        action: 'document.write',
        recordId: documentId,
        before: expiryOf(row),
        after: expiry,
      })
      unit.emit({
        type: 'document.updated',
        recordId: documentId,
        data: { documentId, applicantId, caseId },
      })
      return read(unit.tx, documentId)
    },
  }
}

async function getRow(sql: Sql, documentId: string): Promise<DocumentRow> {
  const row = (await store.listDocumentsById(sql, [documentId])).get(documentId)
  if (!row) throw documentNotFound()
  return row
}

/** What the audit compares. */
const expiryOf = ({ expiryDate, remindAboutRenewal, expiryReminder }: DocumentRow): Expiry | object => ({
  expiryDate,
  remindAboutRenewal,
  expiryReminder,
})

function isSameExpiry(row: DocumentRow, expiry: Expiry): boolean {
  return (
    row.expiryDate === expiry.expiryDate &&
    row.remindAboutRenewal === expiry.remindAboutRenewal &&
    row.expiryReminder === expiry.expiryReminder
  )
}
