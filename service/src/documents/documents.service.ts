// Reads documents and changes their expiry. Uploads are in uploads.service.ts, downloads in files.service.ts.

import { coalesced } from '../db/coalesce.ts'
import type { Lookup, Sql } from '../db/database.ts'
import type { RenderedRecord } from '../db/etag-cache.ts'
import type { Page, Window } from '../db/keyset.ts'
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { declareProblem } from '../lib/problem.ts'
import { reminderDays } from '../lib/schedule.ts'
import { statusOn, typeOf } from './document.ts'
import type { DocumentFilters, DocumentRow, Expiry, ListedDocument } from './documents.store.ts'
import * as store from './documents.store.ts'

export const documentNotFound = declareProblem({
  code: 'document-not-found',
  status: 404,
  title: 'There is no such document.',
  remedy: 'Check the id. GET /v2/documents lists documents by date.',
})

export interface DocumentParts {
  sql: Sql
  lookup: Lookup
  clock: Clock
  families: DocumentFamilies
}

/** Part of the applicants' service. That feature depends on this one, so `app.ts` passes it in. */
export interface DocumentFamilies {
  /** Locks the row of the primary applicant, which comes first in the lock order. */
  lock(unit: UnitOfWork, primaryId: string): Promise<unknown>
  /** Gives the applicant record a new version, because a document in it has changed. */
  touch(unit: UnitOfWork, applicantId: string): Promise<void>
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
  const render = (row: DocumentRow): RenderedRecord => toWire(row, clock.now().toISOString().slice(0, 10))

  const read = async (from: Sql, documentId: string): Promise<RenderedRecord> =>
    render(await getRow(from, documentId))

  return {
    read,

    async get(documentId: string): Promise<RenderedRecord> {
      const row = await find(documentId)
      if (!row) throw documentNotFound()
      return render(row)
    },

    async list(window: Window, filters: DocumentFilters): Promise<Page<RenderedRecord>> {
      const page: Page<ListedDocument> = await store.listDocuments(sql, window, filters)
      return { ...page, records: page.records.map(render) }
    },

    async setExpiry(
      unit: UnitOfWork,
      documentId: string,
      { change, requireState }: { change: ExpiryChange; requireState: (etag: string) => void },
    ): Promise<RenderedRecord> {
      const { applicantId, caseId } = await lock(unit, documentId)
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
      if (caseId === null) await families.touch(unit, applicantId)
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

  /** Locks the family, then the document. Retries if a dependent moved to another family, which has another lock. */
  async function lock(unit: UnitOfWork, documentId: string): Promise<store.Owner> {
    const { tx } = unit
    const before = await store.findOwner(tx, documentId)
    if (!before) throw documentNotFound()
    const [, , owner] = await Promise.all([
      families.lock(unit, before.primaryId),
      store.lockDocument(tx, documentId),
      store.findOwner(tx, documentId),
    ])
    if (!owner) throw documentNotFound()
    if (owner.primaryId !== before.primaryId) throw new RetryTransaction()
    return owner
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

/** The only mapper of a document to its wire form. */
function toWire(row: DocumentRow, today: string): RenderedRecord {
  const { version, applicantVersion, size, createdAt, updatedAt } = row
  const status = statusOn(today, row.expiryDate)
  const json = JSON.stringify({
    documentId: row.documentId,
    type: typeOf(row),
    name: row.name,
    description: row.description,
    status,
    issueDate: row.issueDate,
    expiryDate: row.expiryDate,
    remindAboutRenewal: row.remindAboutRenewal,
    expiryReminder: row.expiryReminder,
    referenceNumber: row.referenceNumber,
    country: row.country,
    countryCode: row.countryCode,
    fileName: row.fileName,
    contentType: row.contentType,
    size: size === null ? null : Number(size),
    sha256: row.sha256,
    hasFile: row.sha256 !== null,
    caseId: row.caseId,
    applicantId: row.applicantId,
    employeeNumber: row.employeeNumber,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  })
  return { id: row.documentId, json, etag: `"${version}-${applicantVersion}-${status}"` }
}
