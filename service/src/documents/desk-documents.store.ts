// What the desk changes about documents: details, removal, versions of files.
import type { Sql, Tx } from '../db/database.ts'
import type { StoredFile } from './documents.store.ts'

export interface Details {
  name: string | null
  type: string | null
  description: string | null
  issueDate: string | null
  expiryDate: string | null
  referenceNumber: string | null
  country: string | null
}

interface DetailsUpdate {
  details: Details
  reminderDays: number
  /** The document as the writer of its record sent it; kept from the first correction on. */
  asSent: object | null
  now: Date
}

export async function updateDetails(
  tx: Tx,
  documentId: string,
  { details, reminderDays, asSent, now }: DetailsUpdate,
): Promise<void> {
  await tx`
    update documents
    set name = ${details.name}, type = ${details.type}, description = ${details.description},
      issue_date = ${details.issueDate}, expiry_date = ${details.expiryDate},
      reference_number = ${details.referenceNumber}, country = ${details.country}, reminder_days = ${reminderDays},
      as_sent = coalesce(as_sent, ${asSent && JSON.stringify(asSent)}::text::jsonb), version = version + 1,
      updated_at = ${now}
    where document_id = ${documentId}`
}

export async function removeDocument(
  tx: Tx,
  documentId: string,
  { by, reason, now }: { by: string; reason: string; now: Date },
): Promise<void> {
  await tx`
    update documents
    set removed_at = ${now}, removed_by = ${by}, removal_reason = ${reason}, version = version + 1, updated_at = ${now}
    where document_id = ${documentId}`
}

/** A document of a record becomes the last of the record. */
export async function restoreDocument(
  tx: Tx,
  documentId: string,
  { applicantId, now }: { applicantId: string; now: Date },
): Promise<void> {
  await tx`
    update documents
    set removed_at = null, removed_by = null, removal_reason = null, version = version + 1, updated_at = ${now},
      position = (
        select coalesce(max(o.position), 0) + 1 from documents o
        where o.applicant_id = ${applicantId} and o.case_id is null and o.removed_at is null
      )
    where document_id = ${documentId}`
}

/** Makes the file the current one of its document. The one before it is kept. Returns the number of the version. */
export async function replaceFile(
  tx: Tx,
  documentId: string,
  { file, uploadedBy, now }: { file: StoredFile; uploadedBy: string; now: Date },
): Promise<number> {
  await tx`
    insert into former_files (document_id, file_version, country_code, blob_key, file_name, content_type, size, sha256,
      block_hashes, uploaded_by, created_at, replaced_at)
    select document_id, file_version, country_code, blob_key, file_name, content_type, size, sha256, block_hashes,
      uploaded_by, created_at, ${now}
    from document_files where document_id = ${documentId}`
  const [row] = await tx<[{ fileVersion: number }]>`
    insert into document_files as f (document_id, country_code, blob_key, file_name, content_type, size, sha256,
      block_hashes, uploaded_by, created_at)
    values (${documentId}, ${file.countryCode}, ${file.blobKey}, ${file.fileName}, ${file.contentType}, ${file.size},
      ${file.sha256}, ${file.blockHashes}, ${uploadedBy}, ${now})
    on conflict (document_id) do update
      set country_code = excluded.country_code, blob_key = excluded.blob_key, file_name = excluded.file_name,
        content_type = excluded.content_type, size = excluded.size, sha256 = excluded.sha256,
        block_hashes = excluded.block_hashes, uploaded_by = excluded.uploaded_by, created_at = excluded.created_at,
        file_version = f.file_version + 1
    returning f.file_version as "fileVersion"`
  await tx`
    update documents set country_code = ${file.countryCode}, version = version + 1, updated_at = ${now}
    where document_id = ${documentId}`
  return row.fileVersion
}

export interface FileVersion {
  fileVersion: number
  fileName: string
  contentType: string
  size: number
  sha256: string
  countryCode: string
  uploadedBy: string | null
  createdAt: Date
  /** Null for the current version. */
  replacedAt: Date | null
}

/** All versions of the file of a document that is not removed, the current one first. */
export async function listFileVersions(sql: Sql, documentId: string): Promise<FileVersion[]> {
  const rows = await sql<(Omit<FileVersion, 'size'> & { size: string })[]>`
    select v.file_version as "fileVersion", v.file_name as "fileName", v.content_type as "contentType", v.size, v.sha256,
      v.country_code as "countryCode", v.uploaded_by as "uploadedBy", v.created_at as "createdAt",
      v.replaced_at as "replacedAt"
    from (
      select document_id, file_version, file_name, content_type, size, sha256, country_code, uploaded_by, created_at,
        null::timestamptz as replaced_at
      from document_files
      union all
      select document_id, file_version, file_name, content_type, size, sha256, country_code, uploaded_by, created_at,
        replaced_at
      from former_files
    ) v
    join documents d on d.document_id = v.document_id
    where v.document_id = ${documentId} and d.removed_at is null
    order by v.file_version desc`
  return rows.map(row => ({ ...row, size: Number(row.size) }))
}

export async function findFileVersion(
  sql: Sql,
  documentId: string,
  fileVersion: number,
): Promise<StoredFile | undefined> {
  const [row] = await sql<(Omit<StoredFile, 'size'> & { size: string })[]>`
    select v.blob_key as "blobKey", v.country_code as "countryCode", v.file_name as "fileName",
      v.content_type as "contentType", v.size, v.sha256, v.block_hashes as "blockHashes"
    from (
      select document_id, blob_key, country_code, file_name, content_type, size, sha256, block_hashes
      from document_files where file_version = ${fileVersion}
      union all
      select document_id, blob_key, country_code, file_name, content_type, size, sha256, block_hashes
      from former_files where file_version = ${fileVersion}
    ) v
    join documents d on d.document_id = v.document_id
    where v.document_id = ${documentId} and d.removed_at is null`
  return row && { ...row, size: Number(row.size) }
}
