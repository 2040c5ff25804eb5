// The documents that stand in an applicant's own record. Of what is uploaded to a case, only the date of update changes here.
import type { Tx } from '../db/database.ts'

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
  documents: (ApplicantDocument & { position: number })[]
  now: Date
}

export async function insertDocuments(tx: Tx, { applicantId, documents, now }: Saving): Promise<void> {
  await tx`
    insert into documents (document_id, applicant_id, position, name, description, issue_date, expiry_date,
      reference_number, country, remind_about_renewal, expiry_reminder, created_at, updated_at)
    select "documentId", ${applicantId}, position, name, description, "issueDate", "expiryDate", "referenceNumber",
      country, "remindAboutRenewal", nullif("expiryReminder", 'null'), ${now}, ${now}
    from jsonb_to_recordset(${tx.json(documents as never)}) as d (
      "documentId" text, position integer, name text, description text, "issueDate" timestamp, "expiryDate" timestamp,
      "referenceNumber" text, country text, "remindAboutRenewal" boolean, "expiryReminder" jsonb)`
}

export async function updateDocuments(tx: Tx, { applicantId, documents, now }: Saving): Promise<void> {
  await tx`
    update documents
    set position = d.position, name = d.name, description = d.description, issue_date = d."issueDate",
      expiry_date = d."expiryDate", reference_number = d."referenceNumber", country = d.country,
      remind_about_renewal = d."remindAboutRenewal", expiry_reminder = nullif(d."expiryReminder", 'null'),
      version = documents.version + 1, updated_at = ${now}
    from jsonb_to_recordset(${tx.json(documents as never)}) as d (
      "documentId" text, position integer, name text, description text, "issueDate" timestamp, "expiryDate" timestamp,
      "referenceNumber" text, country text, "remindAboutRenewal" boolean, "expiryReminder" jsonb)
    where documents.document_id = d."documentId" and documents.applicant_id = ${applicantId}
      and documents.case_id is null`
}

export async function deleteDocuments(tx: Tx, applicantId: string, documentIds: string[]): Promise<void> {
  await tx`
    delete from documents
    where applicant_id = ${applicantId} and document_id = any(${documentIds}::text[]) and case_id is null`
}

/** All documents that name these applicants: those of their records and those of their cases. Returns how many. */
export async function touchDocumentsOf(tx: Tx, applicantIds: string[], now: Date): Promise<number> {
  const { count } = await tx`
    update documents
    set version = version + 1, updated_at = greatest(updated_at, ${now})
    where applicant_id = any(${applicantIds}::text[])`
  return count
}
