// The only mapper of a document to its wire form.
import { type RenderedRecord, tagPartOf } from '../db/etag-cache.ts'
import { statusOn, typeOf } from './document.ts'
import type { DocumentRow } from './documents.store.ts'

export function toWire(row: DocumentRow, today: string) {
  return {
    documentId: row.documentId,
    type: typeOf(row),
    name: row.name,
    description: row.description,
    status: statusOn(today, row.expiryDate),
    issueDate: row.issueDate,
    expiryDate: row.expiryDate,
    remindAboutRenewal: row.remindAboutRenewal,
    expiryReminder: row.expiryReminder,
    referenceNumber: row.referenceNumber,
    country: row.country,
    countryCode: row.countryCode,
    fileName: row.fileName,
    contentType: row.contentType,
    size: row.size === null ? null : Number(row.size),
    sha256: row.sha256,
    hasFile: row.sha256 !== null,
    caseId: row.caseId,
    applicantId: row.applicantId,
    employeeNumber: row.employeeNumber,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

export function etagOf({ version, employeeNumber, expiryDate }: DocumentRow, today: string): string {
  return `"${version}-${tagPartOf(employeeNumber)}-${statusOn(today, expiryDate)}"`
}

export function render(row: DocumentRow, today: string): RenderedRecord {
  return { id: row.documentId, json: JSON.stringify(toWire(row, today)), etag: etagOf(row, today) }
}
