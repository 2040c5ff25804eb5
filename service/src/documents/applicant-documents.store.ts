// The documents of applicant records. Documents of cases are only touched here.
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

interface Saving {
  applicantId: string
  documents: (ApplicantDocument & { position: number; reminderDays: number })[]
  now: Date
}

export async function insertDocuments(tx: Tx, { applicantId, documents, now }: Saving): Promise<void> {
  await tx`
    insert into documents (document_id, applicant_id, position, name, description, issue_date, expiry_date,
      reference_number, country, remind_about_renewal, expiry_reminder, reminder_days, created_at, updated_at)
    select "documentId", ${applicantId}, position, name, description, "issueDate", "expiryDate", "referenceNumber",
      country, "remindAboutRenewal", nullif("expiryReminder", 'null'), "reminderDays", ${now}, ${now}
    from jsonb_to_recordset(${tx.json(documents as never)}) as d (
      "documentId" text, position integer, name text, description text, "issueDate" timestamp, "expiryDate" timestamp,
      "referenceNumber" text, country text, "remindAboutRenewal" boolean, "expiryReminder" jsonb,
      "reminderDays" integer)`
}

export async function updateDocuments(tx: Tx, { applicantId, documents, now }: Saving): Promise<void> {
  await tx`
    update documents
    set position = d.position, name = d.name, description = d.description, issue_date = d."issueDate",
      expiry_date = d."expiryDate", reference_number = d."referenceNumber", country = d.country,
      remind_about_renewal = d."remindAboutRenewal", expiry_reminder = nullif(d."expiryReminder", 'null'),
      reminder_days = d."reminderDays", removed_at = null, version = documents.version + 1, updated_at = ${now}
    from jsonb_to_recordset(${tx.json(documents as never)}) as d (
      "documentId" text, position integer, name text, description text, "issueDate" timestamp, "expiryDate" timestamp,
      "referenceNumber" text, country text, "remindAboutRenewal" boolean, "expiryReminder" jsonb,
      "reminderDays" integer)
    where documents.document_id = d."documentId" and documents.applicant_id = ${applicantId}
      and documents.case_id is null`
}

/** The position is not part of the document: a move gives it no new version and no new date. */
export async function moveDocuments(
  tx: Tx,
  { applicantId, documents }: { applicantId: string; documents: { documentId: string; position: number }[] },
): Promise<void> {
  await tx`
    update documents
    set position = d.position
    from jsonb_to_recordset(${tx.json(documents as never)}) as d ("documentId" text, position integer)
    where documents.document_id = d."documentId" and documents.applicant_id = ${applicantId}
      and documents.case_id is null`
}

/** Keeps the rows: a document that is sent again later gets its id back. */
export async function removeDocuments(
  tx: Tx,
  { applicantId, documentIds, now }: { applicantId: string; documentIds: string[]; now: Date },
): Promise<void> {
  await tx`
    update documents
    set removed_at = ${now}, updated_at = ${now}, version = version + 1
    where applicant_id = ${applicantId} and document_id = any(${documentIds}::text[]) and case_id is null`
}

/** Documents removed from the records of these applicants, the last removed first. */
/** The last removed first; those of one write in the order of the record. */
export async function listRemovedDocuments(
  tx: Tx,
  applicantIds: string[],
): Promise<(ApplicantDocument & { applicantId: string })[]> {
  return tx<(ApplicantDocument & { applicantId: string })[]>`
    select applicant_id as "applicantId", document_id as "documentId", name, description,
      to_char(issue_date, 'YYYY-MM-DD"T"HH24:MI:SS') as "issueDate",
      to_char(expiry_date, 'YYYY-MM-DD"T"HH24:MI:SS') as "expiryDate", reference_number as "referenceNumber", country,
      remind_about_renewal as "remindAboutRenewal", expiry_reminder as "expiryReminder"
    from documents
    where applicant_id = any(${applicantIds}::text[]) and removed_at is not null and case_id is null
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
