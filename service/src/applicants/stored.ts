// Between a row and a record: how it is read back and shown.
import type { ApplicantDocument } from '../documents/applicant-documents.service.ts'
import type { Applicant } from './applicant.ts'
import type { ShownRow, StoredRow } from './applicants.store.ts'

/** A record as it stands in the database. */
export interface Stored {
  record: Applicant
  primaryId: string | null
  archived: boolean
  version: number
  createdAt: Date
  updatedAt: Date
}

export interface Outgoing {
  id: string
  json: string
  etag: string
}

export function fromRow(row: StoredRow): Stored {
  const { previousNames, ...rest } = JSON.parse(row.record)
  // The members stand in the order of a freshly made record, so that two equal ones have equal JSON.
  const record = { ...rest, documents: row.documents ? JSON.parse(row.documents) : [], previousNames }
  const { primaryId, version, createdAt, updatedAt } = row
  return { record, primaryId, archived: row.archivedAt !== null, version, createdAt, updatedAt }
}

export function showRow({ id, record, rest, version }: ShownRow): Outgoing {
  return { id, json: record.slice(0, -1) + rest, etag: tagOf(id, version) }
}

export function show(stored: Stored): Outgoing {
  const { record, createdAt, updatedAt } = stored
  const { documents, ...rest } = record
  return {
    id: record.applicantId,
    json: JSON.stringify({ ...rest, documents, createdAt, updatedAt }),
    etag: etagOf(stored),
  }
}

export function etagOf({ record, version }: Stored): string {
  return tagOf(record.applicantId, version)
}

/** With the id, because one employee number can lead to two people, one after the other. */
function tagOf(id: string, version: number): string {
  return `"${id}.${version}"`
}

export function documentsOf(record: Applicant): ApplicantDocument[] {
  return record.documents as unknown as ApplicantDocument[]
}
