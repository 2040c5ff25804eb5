// Documents of applicant records and of cases, with their files. Reads join the applicant: a document shows the employee
// number that its applicant has now.
import type { Sql, Tx } from '../db/database.ts'
import {
  type BehindFlag,
  keyset,
  type Page,
  type PositionedRow,
  pageOf,
  type Slice,
  sliceOf,
  type Window,
} from '../db/keyset.ts'
import { caseApplicants, every } from '../db/limited.ts'
import { openCursor } from '../db/server-cursor.ts'

export interface DocumentRow {
  documentId: string
  type: string | null
  name: string | null
  description: string | null
  issueDate: string | null
  expiryDate: string | null
  remindAboutRenewal: boolean
  expiryReminder: string | number | null
  referenceNumber: string | null
  country: string | null
  countryCode: string | null
  fileName: string | null
  contentType: string | null
  size: string | null
  sha256: string | null
  caseId: string | null
  applicantId: string
  employeeNumber: string | null
  createdAt: Date
  updatedAt: Date
  version: number
}

const columns = (sql: Sql) => sql`
  k.document_id as "documentId", k.type, k.name, k.description,
  to_char(k.issue_date, 'YYYY-MM-DD"T"HH24:MI:SS') as "issueDate",
  to_char(k.expiry_date, 'YYYY-MM-DD"T"HH24:MI:SS') as "expiryDate", k.remind_about_renewal as "remindAboutRenewal",
  k.expiry_reminder as "expiryReminder", k.reference_number as "referenceNumber", k.country,
  f.country_code as "countryCode", f.file_name as "fileName", f.content_type as "contentType", f.size, f.sha256,
  k.case_id as "caseId", k.applicant_id as "applicantId", a.employee_number as "employeeNumber",
  k.created_at as "createdAt", k.updated_at as "updatedAt", k.version`

const joins = (sql: Sql) => sql`
  join ${caseApplicants(sql)} a on a.applicant_id = k.applicant_id
  left join document_files f on f.document_id = k.document_id`

/** What the desk sees of a document: it may be removed. */
export interface DeskDocumentRow extends DocumentRow {
  fileVersion: number | null
  removedAt: Date | null
  removedBy: string | null
  removalReason: string | null
}

const deskColumns = (sql: Sql) => sql`
  ${columns(sql)}, f.file_version as "fileVersion", k.removed_at as "removedAt", k.removed_by as "removedBy",
  k.removal_reason as "removalReason"`

/** Also a document that was removed. */
export async function findDeskDocument(sql: Sql, documentId: string): Promise<DeskDocumentRow | undefined> {
  const [row] = await sql<DeskDocumentRow[]>`
    select ${deskColumns(sql)} from documents k ${joins(sql)} where k.document_id = ${documentId}`
  return row
}

/** The documents of a case, and those of its applicant that belong to no case: the newest first. */
export async function listDocumentsFor(
  sql: Sql,
  { caseId, applicantId }: { caseId: string; applicantId: string },
): Promise<DeskDocumentRow[]> {
  return sql<DeskDocumentRow[]>`
    select ${deskColumns(sql)} from documents k ${joins(sql)}
    where k.applicant_id = ${applicantId} and (k.case_id is null or k.case_id = ${caseId}) and k.removed_at is null
    order by k.created_at desc, k.seq desc`
}

export async function listDocumentsById(sql: Sql, ids: string[]): Promise<Map<string, DocumentRow>> {
  const rows = await sql<DocumentRow[]>`
    select ${columns(sql)} from documents k ${joins(sql)} where k.document_id = any(${ids}::text[]) and k.removed_at is null`
  return new Map(rows.map(row => [row.documentId, row]))
}

/** The ids of all documents that were not removed. */
export const openDocumentIds = (tx: Tx): Promise<void> =>
  openCursor(tx, 'select document_id as id from documents where removed_at is null')

type Branch = ReturnType<typeof keyset>

export type ListedDocument = DocumentRow & PositionedRow

const KEYED = [
  'document_id', 'applicant_id', 'case_id', 'type', 'name', 'description', 'issue_date', 'expiry_date',
  'reference_number', 'country', 'remind_about_renewal', 'expiry_reminder', 'version', 'created_at', 'updated_at',
] // biome-ignore format: a table

/** A listed document matches all filters. */
export interface DocumentFilters {
  caseId?: string
  applicantId?: string
  /** The number that the applicant has now. */
  employeeNumber?: string
  /** Whose repository holds the file. */
  countryCode?: string
}

/** Values are subqueries, as the dates in `keyset` are, so that one plan serves cases with few and with many documents. */
const matching = (sql: Sql, { caseId, applicantId, employeeNumber, countryCode }: DocumentFilters) => sql`
  and k.removed_at is null
  ${caseId === undefined ? sql`` : sql`and k.case_id = (select ${caseId}::text)`}
  ${applicantId === undefined ? sql`` : sql`and k.applicant_id = (select ${applicantId}::text)`}
  ${
    employeeNumber === undefined
      ? sql``
      : sql`and k.applicant_id = (
          select p.applicant_id from ${caseApplicants(sql)} p
          where p.employee_number = ${employeeNumber} and p.archived_at is null
        )`
  }
  ${countryCode === undefined ? sql`` : sql`and k.country_code = (select ${countryCode}::text)`}`

/**
 * Documents created or updated in the range, at the date of their last update. One that was updated after the range is
 * listed at its creation. Each of the two is read from its own index, and the results are merged.
 */
export async function listDocuments(
  sql: Sql,
  window: Window,
  filters: DocumentFilters = {},
): Promise<Page<ListedDocument>> {
  const filter = matching(sql, filters)
  const { caseId, applicantId, employeeNumber, countryCode } = filters
  // A case or a person has few documents, which are read from the index of that case or person.
  const byCompany = [caseId, applicantId, employeeNumber].every(value => value === undefined)
  // Must match the predicates of the partial indexes: `>` in that of all documents, `<>` in those that start with a filter.
  const isFiltered = !byCompany || countryCode !== undefined
  const changed = isFiltered ? sql`k.updated_at <> k.created_at` : sql`k.updated_at > k.created_at`
  const later = sql`and ${changed} and k.updated_at >= (${window.endDate}::date + 1)::timestamp at time zone 'UTC'`
  const skipped = 'offset' in window ? window.offset : 0
  // An offset into the merged result requires both branches from their first row.
  const unskipped = 'offset' in window ? { ...window, offset: 0, limit: window.limit + skipped } : window
  const branches = (part: Window) => [
    keyset(sql, part, {
      table: 'documents',
      column: 'updated_at',
      isDay: false,
      columns: KEYED,
      filter,
      byCompany,
    }),
    keyset(sql, part, {
      table: 'documents',
      column: 'created_at',
      isDay: false,
      columns: KEYED,
      filter: sql`${later} ${filter}`,
      byCompany,
    }),
  ]
  const [updated, created] = branches(unskipped) as [Branch, Branch]
  const [behindUpdated, behindCreated] = branches(window) as [Branch, Branch]
  const behind = sql`${behindUpdated.behind} or ${behindCreated.behind} as behind`
  const rows = await sql<(ListedDocument & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${behind}, ${columns(sql)}
    from (
      select * from ((${updated.rows}) union all (${created.rows})) k
      order by ${updated.order}
      limit ${window.limit + 1} offset ${skipped}
    ) k ${joins(sql)}
    order by ${updated.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${behind}`)
}

// For the list of operators, which joins more.
export { columns as documentColumns, joins as documentJoins }

export interface StoredFile {
  blobKey: string
  countryCode: string
  fileName: string
  contentType: string
  size: number
  sha256: string
  blockHashes: Buffer
}

export async function findFile(sql: Sql, documentId: string): Promise<StoredFile | undefined> {
  const [row] = await sql<(Omit<StoredFile, 'size'> & { size: string })[]>`
    select blob_key as "blobKey", country_code as "countryCode", file_name as "fileName", content_type as "contentType",
      size, sha256, block_hashes as "blockHashes"
    from document_files
    where document_id = ${documentId}
      and exists (select from documents d where d.document_id = ${documentId} and d.removed_at is null)`
  return row && { ...row, size: Number(row.size) }
}

export interface Owner {
  applicantId: string
  caseId: string | null
  /** The primary applicant of the family: the applicant itself, unless it is a dependent. */
  primaryId: string
  /** Whether the applicant record shows it: it belongs to no case, and was not uploaded for the person. */
  inRecord: boolean
  removed: boolean
}

export async function findOwner(tx: Tx, documentId: string): Promise<Owner | undefined> {
  const [row] = await tx<Owner[]>`
    select d.applicant_id as "applicantId", d.case_id as "caseId",
      coalesce(a.primary_id, a.applicant_id) as "primaryId",
      d.case_id is null and not d.beside_record as "inRecord", d.removed_at is not null as removed
    from documents d join ${caseApplicants(tx)} a on a.applicant_id = d.applicant_id
    where d.document_id = ${documentId}`
  return row
}

export async function lockDocument(tx: Tx, documentId: string): Promise<void> {
  await tx`select from documents where document_id = ${documentId} for update`
}

export interface Expiry {
  expiryDate: string
  remindAboutRenewal: boolean
  expiryReminder: string | number | null
}

export async function updateExpiry(
  tx: Tx,
  documentId: string,
  { expiry, reminderDays, now }: { expiry: Expiry; reminderDays: number; now: Date },
): Promise<void> {
  await tx`
    update documents
    set expiry_date = ${expiry.expiryDate}, remind_about_renewal = ${expiry.remindAboutRenewal},
      expiry_reminder = nullif(${JSON.stringify(expiry.expiryReminder)}::text::jsonb, 'null'),
      reminder_days = ${reminderDays}, version = version + 1, updated_at = ${now}
    where document_id = ${documentId}`
}

export async function findCaseApplicant(sql: Sql, caseId: string): Promise<string | undefined> {
  const [row] = await sql<{ applicantId: string }[]>`
    select applicant_id as "applicantId" from cases where case_id = ${caseId}`
  return row?.applicantId
}

/** Whether there is such a person, primary applicant or dependent, who is not archived. */
export async function hasApplicant(sql: Sql, applicantId: string): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`
    select exists (
      select from applicants where applicant_id = ${applicantId} and archived_at is null
    ) as exists`
  return row?.exists === true
}

/** Whether there is such a person; locks the record as the insert of a document does. */
export async function lockApplicant(tx: Tx, applicantId: string): Promise<boolean> {
  const rows = await tx`
    select from applicants where applicant_id = ${applicantId} and archived_at is null for key share`
  return rows.length > 0
}

/** Locks the record of the person as the insert of a document does, also where the caller sees only the case. */
export async function lockCaseApplicant(tx: Tx, applicantId: string): Promise<void> {
  await tx`select from ${every(tx, 'applicants')} where applicant_id = ${applicantId} for key share`
}

export interface NewDocument {
  documentId: string
  applicantId: string
  /** Null for a file that is uploaded for the person. */
  caseId: string | null
  countryCode: string
  type: string | null
  name: string
  description: string | null
  issueDate: string | null
  expiryDate: string | null
  referenceNumber: string | null
  country: string | null
  now: Date
}

export async function insertDocument(tx: Tx, document: NewDocument): Promise<void> {
  await tx`
    insert into documents (document_id, applicant_id, case_id, beside_record, country_code, type, name, description,
      issue_date, expiry_date, reference_number, country, created_at, updated_at)
    values (${document.documentId}, ${document.applicantId}, ${document.caseId}, ${document.caseId === null},
      ${document.countryCode}, ${document.type}, ${document.name}, ${document.description}, ${document.issueDate},
      ${document.expiryDate}, ${document.referenceNumber}, ${document.country}, ${document.now}, ${document.now})`
}

export async function insertFile(
  tx: Tx,
  documentId: string,
  { file, uploadedBy, now }: { file: StoredFile; uploadedBy: string; now: Date },
): Promise<void> {
  await tx`
    insert into document_files (document_id, country_code, blob_key, file_name, content_type, size, sha256,
      block_hashes, uploaded_by, created_at)
    values (${documentId}, ${file.countryCode}, ${file.blobKey}, ${file.fileName}, ${file.contentType}, ${file.size},
      ${file.sha256}, ${file.blockHashes}, ${uploadedBy}, ${now})`
}

/** All documents of a person, those of cases included, or of one case of that person. */
export interface DocumentOwner {
  applicantId: string
  caseId?: string
}

/** What a timeline shows of a document. */
export interface AddedDocument extends PositionedRow {
  documentId: string
  applicantId: string
  caseId: string | null
  name: string | null
  type: string | null
  createdAt: Date
  isRemoved: boolean
}

/** Removed documents are in an index of their own, so they need a branch of their own. */
const ownedBy = (sql: Sql, { applicantId, caseId }: DocumentOwner) => {
  const of = sql`k.applicant_id = ${applicantId} ${caseId === undefined ? sql`` : sql`and k.case_id = ${caseId}`}`
  return sql`(
    select k.* from documents k where ${of} and k.removed_at is null
    union all
    select k.* from documents k where ${of} and k.removed_at is not null
  ) k`
}

export async function listDocumentsAdded(
  sql: Sql,
  owner: DocumentOwner,
  slice: Slice,
): Promise<AddedDocument[]> {
  const { where, order } = sliceOf(sql, slice, 'created_at')
  return sql<AddedDocument[]>`
    select k.created_at as at, k.seq, k.document_id as "documentId", k.applicant_id as "applicantId",
      k.case_id as "caseId", k.name, k.type, k.created_at as "createdAt", k.removed_at is not null as "isRemoved"
    from ${ownedBy(sql, owner)}
    where ${where}
    ${order}`
}

type DocumentName = Pick<AddedDocument, 'documentId' | 'caseId' | 'name' | 'type'>

export async function listDocumentNamesOf(sql: Sql, owner: DocumentOwner): Promise<DocumentName[]> {
  return sql<DocumentName[]>`
    select k.document_id as "documentId", k.case_id as "caseId", k.name, k.type from ${ownedBy(sql, owner)}`
}
