// Reading documents and changing their expiry. Uploads are in uploads.service.ts, files on their way out in files.service.ts.
import { batched } from '../db/batch.ts'
import type { Lookup, Sql } from '../db/database.ts'
import type { Page, Window } from '../db/keyset.ts'
import type { Unit } from '../db/unit.ts'
import type { Clock } from '../lib/clock.ts'
import { declareProblem } from '../lib/problem.ts'
import { statusOn } from './document.ts'
import type { DocumentRow, Expiry, ListedDocument } from './documents.store.ts'
import * as store from './documents.store.ts'

export const documentNotFound = declareProblem({
  code: 'document-not-found',
  status: 404,
  title: 'There is no such document.',
  remedy: 'Check the id; GET /v2/documents lists documents by date.',
})

export interface Outgoing {
  id: string
  json: string
  etag: string
}

export interface DocumentParts {
  sql: Sql
  lookup: Lookup
  clock: Clock
  /** Tells the applicant's record that a document in it has changed. */
  touchOwner: (unit: Unit, applicantId: string) => Promise<void>
}

export type Documents = ReturnType<typeof createDocuments>

export function createDocuments({ sql, lookup, clock, touchOwner }: DocumentParts) {
  const find = batched(ids => lookup(sql => store.listDocumentsById(sql, ids)))
  const show = (row: DocumentRow): Outgoing => outgoing(row, clock.now().toISOString().slice(0, 10))

  const read = async (from: Sql, documentId: string): Promise<Outgoing> => {
    const row = (await store.listDocumentsById(from, [documentId])).get(documentId)
    if (!row) throw documentNotFound()
    return show(row)
  }

  return {
    read,

    async get(documentId: string): Promise<Outgoing> {
      const row = await find(documentId)
      if (!row) throw documentNotFound()
      return show(row)
    },

    async list(window: Window): Promise<Page<Outgoing>> {
      const page: Page<ListedDocument> = await store.listDocuments(sql, window)
      return { ...page, records: page.records.map(show) }
    },

    async setExpiry(
      unit: Unit,
      documentId: string,
      { expiry, requireState }: { expiry: Expiry; requireState: (etag: string) => void },
    ): Promise<Outgoing> {
      const owner = await store.lockDocument(unit.tx, documentId)
      if (!owner) throw documentNotFound()
      requireState((await read(unit.tx, documentId)).etag)
      await Promise.all([
        store.updateExpiry(unit.tx, documentId, { expiry, now: unit.now }),
        owner.caseId === null && touchOwner(unit, owner.applicantId),
      ])
      unit.audit({ action: 'document.write', recordId: documentId })
      unit.emit({
        type: 'document.updated',
        recordId: documentId,
        data: { documentId, applicantId: owner.applicantId, caseId: owner.caseId },
      })
      return read(unit.tx, documentId)
    },
  }
}

function outgoing(row: DocumentRow, today: string): Outgoing {
  const { version, applicantVersion, size, createdAt, updatedAt } = row
  const status = statusOn(today, row.expiryDate)
  const json = JSON.stringify({
    documentId: row.documentId,
    type: row.type,
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
