// Between a row and a record: how it is read back and shown.
import type { ApplicantDocument } from '../documents/applicant-documents.service.ts'
import { reminderDays } from '../lib/schedule.ts'
import { type Applicant, LIST_NAMES, LISTS, TEXT_FIELDS } from './applicant.ts'
import type { Saving, ShownRow, StoredRow } from './applicants.store.ts'
import { searchKeysOf } from './search-keys.ts'

/** A record as it stands in the database. */
export interface Stored {
  record: Applicant
  primaryId: string | null
  archived: boolean
  /** The number of a dependent that left, where another has got it meanwhile: it is not the dependent's any more. */
  lostNumber?: string
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
  const parsed = JSON.parse(row.record)
  // A field that was added after the record was written is empty in it.
  const record = { applicantId: row.id } as Applicant
  for (const field of TEXT_FIELDS) record[field] = parsed[field] ?? null
  for (const list of LIST_NAMES) record[list] = parsed[list] ?? []
  record.documents = row.documents ? JSON.parse(row.documents) : []
  const { primaryId, version, createdAt, updatedAt } = row
  return { record, primaryId, archived: row.archivedAt !== null, version, createdAt, updatedAt }
}

export function showRow({ id, record, rest, version }: ShownRow): Outgoing {
  return { id, json: record.slice(0, -1) + rest, etag: tagOf(id, version) }
}

export function show(stored: Stored): Outgoing {
  const { record, createdAt, updatedAt } = stored
  const { documents, ...rest } = record
  const shown = documents.map(document => ({
    ...document,
    expiryReminder: reminderDays(
      document['expiryReminder'] as string | number | null,
      document['expiryDate'] as string | null,
    ),
  }))
  return {
    id: record.applicantId,
    json: JSON.stringify({ ...rest, documents: shown, createdAt, updatedAt }),
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

/** A record as its row is written. */
export function savingOf(record: Applicant, primaryId: string | null, now: Date): Saving {
  const { documents: _documents, ...rest } = record
  return { record: rest, primaryId, itemIds: itemIdsOf(record), searchKeys: searchKeysOf(record), now }
}

/** The ids of the items in a record, but for its documents, which have a table of their own. */
function itemIdsOf(record: Applicant): string[] {
  return LIST_NAMES.filter(list => list !== 'documents').flatMap(list =>
    record[list].map(item => String(item[LISTS[list].id])),
  )
}
