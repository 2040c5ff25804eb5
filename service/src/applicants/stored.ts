// Between a row and a record: how it is read back, shown, and found again.
import type { ApplicantDocument } from '../documents/applicant-documents.service.ts'
import { fold } from '../lib/fold.ts'
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

/** What a record can be searched by. */
export function searchKeysOf(record: Applicant) {
  const words = (...parts: (string | null)[]) =>
    parts
      .map(part => searchable(part ?? ''))
      .filter(Boolean)
      .join(' ')
  const { firstName, middleName, lastName } = record
  const keys = [
    ...[record.email, record.alternateEmail].map(email => emailKey(email ?? '')),
    ...record.passports.map(passport => passportKey(String(passport['passportNumber'] ?? ''))),
  ]
  return {
    name: words(lastName, firstName, middleName),
    nameReversed: words(firstName, middleName, lastName),
    keys: [...new Set(keys.filter(key => key.length > 2))],
  }
}

/** Folded, without accents: Müller is found as muller. */
export function searchable(text: string): string {
  return fold(text).normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim()
}

export const emailKey = (email: string) => `e:${searchable(email)}`
export const passportKey = (number: string) => `p:${searchable(number).replaceAll(' ', '')}`
