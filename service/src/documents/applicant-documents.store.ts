// The documents of applicant records. Documents of cases, and files uploaded for a person, are only touched here.
import type { Tx } from '../db/database.ts'
import { every, isLimited } from '../db/limited.ts'

export interface ApplicantDocument {
  documentId: string
  name: string | null
  description: string | null
  issueDate: string | null
  expiryDate: string | null
  referenceNumber: string | null
  country: string | null
  remindAboutRenewal: boolean
  expiryReminder: string | number | null
}

/** Documents of one or several applicants. */
interface Saving {
  documents: SavedDocument[]
  now: Date
}

interface SavedDocument extends ApplicantDocument {
  applicantId: string
  position: number
  reminderDays: number
  /** Whether what the writer of the record sent is kept beside a correction of the desk. */
  keepsSent: boolean
}

export async function insertDocuments(tx: Tx, { documents, now }: Saving): Promise<void> {
  await tx`
    insert into documents (document_id, applicant_id, position, name, description, issue_date, expiry_date,
      reference_number, country, remind_about_renewal, expiry_reminder, reminder_days, created_at, updated_at)
    select "documentId", "applicantId", position, name, description, "issueDate", "expiryDate", "referenceNumber",
      country, "remindAboutRenewal", nullif("expiryReminder", 'null'), "reminderDays", ${now}, ${now}
    from jsonb_to_recordset(${tx.json(documents as never)}) as d (
      "documentId" text, "applicantId" text, position integer, name text, description text, "issueDate" timestamp, "expiryDate" timestamp,
      "referenceNumber" text, country text, "remindAboutRenewal" boolean, "expiryReminder" jsonb,
      "reminderDays" integer)`
}

export async function updateDocuments(tx: Tx, { documents, now }: Saving): Promise<void> {
  await tx`
    update documents
    set position = d.position, name = d.name, description = d.description, issue_date = d."issueDate",
      expiry_date = d."expiryDate", reference_number = d."referenceNumber", country = d.country,
      remind_about_renewal = d."remindAboutRenewal", expiry_reminder = nullif(d."expiryReminder", 'null'),
      reminder_days = d."reminderDays", removed_at = null, removed_by = null, removal_reason = null,
      as_sent = case when d."keepsSent" then documents.as_sent end, version = documents.version + 1, updated_at = ${now}
    from jsonb_to_recordset(${tx.json(documents as never)}) as d (
      "documentId" text, "applicantId" text, position integer, name text, description text, "issueDate" timestamp, "expiryDate" timestamp,
      "referenceNumber" text, country text, "remindAboutRenewal" boolean, "expiryReminder" jsonb,
      "reminderDays" integer, "keepsSent" boolean)
    where documents.document_id = d."documentId" and documents.applicant_id = d."applicantId"
      and documents.case_id is null and not documents.beside_record`
}

/** The position is not part of the document: a move gives it no new version and no new date. */
export async function moveDocuments(
  tx: Tx,
  documents: { applicantId: string; documentId: string; position: number }[],
): Promise<void> {
  await tx`
    update documents
    set position = d.position
    from jsonb_to_recordset(${tx.json(documents as never)}) as d ("documentId" text, "applicantId" text, position integer)
    where documents.document_id = d."documentId" and documents.applicant_id = d."applicantId"
      and documents.case_id is null and not documents.beside_record and documents.position <> d.position`
}

/** Keeps the rows: a document that is sent again later gets its id back. */
export async function removeDocuments(
  tx: Tx,
  { documents, now }: { documents: { applicantId: string; documentId: string }[]; now: Date },
): Promise<void> {
  await tx`
    update documents
    set removed_at = ${now}, updated_at = ${now}, version = version + 1
    from unnest(${documents.map(one => one.applicantId)}::text[], ${documents.map(one => one.documentId)}::text[])
      as r (applicant_id, document_id)
    where documents.applicant_id = r.applicant_id and documents.document_id = r.document_id
      and documents.case_id is null and not documents.beside_record`
}

/** A document of a record that the desk has removed or corrected, or a write of the record has removed. */
export interface DocumentState extends ApplicantDocument {
  applicantId: string
  removed: boolean
  /** Whether it was removed at the desk, and not by a write of the record. */
  atDesk: boolean
  /** The document as the writer of the record sent it, where the desk has corrected it. */
  asSent: ApplicantDocument | null
}

/** The last removed first, those of one write in their order. */
export async function listDocumentStates(tx: Tx, applicantIds: string[]): Promise<DocumentState[]> {
  const columns = tx`
    applicant_id as "applicantId", document_id as "documentId", name, description,
    to_char(issue_date, 'YYYY-MM-DD"T"HH24:MI:SS') as "issueDate",
    to_char(expiry_date, 'YYYY-MM-DD"T"HH24:MI:SS') as "expiryDate", reference_number as "referenceNumber", country,
    remind_about_renewal as "remindAboutRenewal", expiry_reminder as "expiryReminder",
    removed_at is not null as removed, removal_reason is not null as "atDesk", as_sent as "asSent"`
  return tx<DocumentState[]>`
    select ${columns} from (
      select * from documents where applicant_id = any(${applicantIds}::text[]) and removed_at is not null
      union all
      select * from documents
      where applicant_id = any(${applicantIds}::text[]) and as_sent is not null and removed_at is null
    ) d
    where case_id is null and not beside_record
    order by removed_at desc, position, seq`
}

/** Returns those of the ids that are documents. */
export async function listKnownDocuments(tx: Tx, documentIds: string[]): Promise<string[]> {
  const rows = await tx<{ documentId: string }[]>`
    select document_id as "documentId" from documents where document_id = any(${documentIds}::text[])`
  return rows.map(({ documentId }) => documentId)
}

/** Documents of the records and of the cases of these applicants. Returns the number of those that the caller sees. */
export async function touchDocumentsOf(tx: Tx, applicantIds: string[], now: Date): Promise<number> {
  const { count } = await tx`
    update ${every(tx, 'documents')}
    set version = version + 1, updated_at = greatest(updated_at, ${now})
    where applicant_id = any(${applicantIds}::text[]) and removed_at is null`
  if (!isLimited(tx)) return count
  const [row] = await tx<[{ count: number }]>`
    select count(*)::int as count from documents
    where applicant_id = any(${applicantIds}::text[]) and removed_at is null`
  return row.count
}

/** Of a document that was moved to another applicant: what it was before. */
export interface MovedDocument {
  documentId: string
  position: number
}

interface Move {
  from: string
  to: string
  /** Documents of the record in the order that they get at the end of the list. */
  order: string[]
  /** How many documents the list has. */
  offset: number
  /** Documents of the record that are removed with the move. */
  removed: string[]
  now: Date
}

/**
 * Moves all documents of an applicant, also removed ones and those of its cases, and returns what those of the record were
 * before. Documents of cases that the caller does not see move too.
 */
export async function moveDocumentsTo(
  tx: Tx,
  { from, to, order, offset, removed, now }: Move,
): Promise<MovedDocument[]> {
  const before = await tx<MovedDocument[]>`
    select document_id as "documentId", position from documents
    where applicant_id = ${from} and case_id is null
    order by document_id
    for update`
  await tx`
    update ${every(tx, 'documents')} d
    set applicant_id = ${to}, version = d.version + 1, updated_at = greatest(d.updated_at, ${now}),
      position = coalesce(${offset}::integer + array_position(${order}::text[], d.document_id) - 1, d.position),
      removed_at = case when d.document_id = any(${removed}::text[]) then ${now}::timestamptz else d.removed_at end
    where d.applicant_id = ${from}`
  return before
}

interface Return {
  documents: MovedDocument[]
  /** Those that the move has removed. Others stay as the desk has left them since. */
  removed: string[]
  from: string
  to: string
  now: Date
}

/** Moves documents of a record back. */
export async function returnDocuments(tx: Tx, { documents, removed, from, to, now }: Return): Promise<void> {
  await tx`
    update documents d
    set applicant_id = ${to}, position = m.position, version = d.version + 1,
      removed_at = case when d.document_id = any(${removed}::text[]) then null else d.removed_at end,
      updated_at = greatest(d.updated_at, ${now})
    from json_to_recordset(${JSON.stringify(documents)}::text::json) as m ("documentId" text, position integer)
    where d.document_id = m."documentId" and d.applicant_id = ${from} and d.case_id is null`
}

/** Documents of these cases, also those that were added since, follow their case. */
export async function followCases(
  tx: Tx,
  { caseIds, to, now }: { caseIds: string[]; to: string; now: Date },
): Promise<void> {
  await tx`
    update ${every(tx, 'documents')} d
    set applicant_id = ${to}, version = d.version + 1, updated_at = greatest(d.updated_at, ${now})
    where d.case_id = any(${caseIds}::text[])`
}

/** Returns those of the documents of these applicants' records that have a file. */
export async function listFiledDocuments(tx: Tx, applicantIds: string[]): Promise<string[]> {
  const rows = await tx<{ documentId: string }[]>`
    select d.document_id as "documentId" from documents d
    join document_files f on f.document_id = d.document_id
    where d.applicant_id = any(${applicantIds}::text[]) and d.case_id is null`
  return rows.map(({ documentId }) => documentId)
}

/** The documents of an applicant that the caller sees. */
export async function listDocumentIds(tx: Tx, applicantIds: string[]): Promise<string[]> {
  const rows = await tx<{ documentId: string }[]>`
    select document_id as "documentId" from documents
    where applicant_id = any(${applicantIds}::text[]) and removed_at is null
    order by seq`
  return rows.map(({ documentId }) => documentId)
}
