// Records that only lists of the desk show: people who left, passports that expire soon, documents with a file, and
// possible duplicates. Their people come after those of the dataset, so that no workload reads or writes them.
import { KEYS_VERSION, searchKeysOf } from '../service/src/applicants/search-keys.ts'
import { copy, NULL, type Progress, type Sql } from './copy.ts'
import {
  applicantId,
  COMPANIES,
  caseId,
  type Dataset,
  dayFromNow,
  employeeNumber,
  expiryOf,
  itemIdsOf,
  passportId,
  recordOf,
} from './records.ts'

/** One of so many records of the dataset. */
const PART = 10
const PASSPORTS_EXPIRE_WITHIN_DAYS = 365

export async function seedDesk(
  sql: Sql,
  dataset: Dataset,
  { companySetId, progress }: { companySetId: string; progress: Progress },
): Promise<void> {
  const people = Math.ceil(dataset.applicants / PART)
  const firstArchived = dataset.applicants
  const firstLive = firstArchived + people
  const now = new Date().toISOString()
  const passportExpiryOf = (index: number) => dayFromNow(index % PASSPORTS_EXPIRE_WITHIN_DAYS)

  await copy(sql, {
    table: 'applicants',
    columns:
      'applicant_id, employee_number, record, name_key, name_key_reversed, search_keys, item_ids, keys_version, company_key, company_set_id, created_at, updated_at, archived_at',
    total: 2 * people,
    progress,
    row: position => {
      const index = firstArchived + position
      const text = recordOf(index, COMPANIES.large.name, passportExpiryOf(index))
      const { name, nameReversed, keys } = searchKeysOf(JSON.parse(text))
      return [applicantId(index), employeeNumber(index), text, name, nameReversed, `{${keys.join(',')}}`, itemIdsOf(index),
        String(KEYS_VERSION), COMPANIES.large.key, companySetId, now, now, index < firstLive ? now : NULL] // biome-ignore format: one row
    },
  })
  await copy(sql, {
    table: 'expiries',
    columns: 'applicant_id, kind, item_id, expires_on, company_set_id',
    total: people,
    progress,
    row: position => {
      const index = firstLive + position
      return [applicantId(index), 'passport', passportId(index), passportExpiryOf(index), companySetId]
    },
  })
  await copy(sql, {
    table: 'duplicate_pairs',
    columns: 'first_id, second_id, score, reasons, matched, found_at, company_set_id, other_company_set_id',
    total: Math.floor(people / 2),
    progress,
    row: position => {
      const index = firstLive + 2 * position
      return [applicantId(index), applicantId(index + 1), 40 + (position % 50), '{email}', '\\x00', now,
        companySetId, companySetId] // biome-ignore format: one row
    },
  })
  await sql`
    insert into company_set_pairs (company_set_id, other_company_set_id)
    values (${companySetId}, ${companySetId}) on conflict do nothing`

  const files = Math.ceil(dataset.documents / PART)
  const documentId = (position: number) => `D${dataset.documents + position}`
  await copy(sql, {
    table: 'documents',
    columns:
      'document_id, applicant_id, case_id, type, name, issue_date, expiry_date, country, country_code, company_set_id, created_at, updated_at',
    total: files,
    progress,
    row: position => [documentId(position), applicantId(position), caseId(position % dataset.cases), 'Visa', 'Visa',
      '2024-01-01 00:00:00', `${expiryOf(position)} 00:00:00`, 'DE', 'DE', companySetId, now, now], // biome-ignore format: one row
  })
  await copy(sql, {
    table: 'document_files',
    columns:
      'document_id, country_code, blob_key, file_name, content_type, size, sha256, block_hashes, company_set_id, created_at',
    total: files,
    progress,
    row: position => [documentId(position), 'DE', `bench-${position}`, 'visa.pdf', 'application/pdf', 1000,
      '0'.repeat(64), '\\x', companySetId, now], // biome-ignore format: one row
  })
  await copy(sql, {
    table: 'expiries',
    columns: 'applicant_id, kind, item_id, case_id, expires_on, company_set_id',
    total: files,
    progress,
    row: position => [
      applicantId(position),
      'document',
      documentId(position),
      caseId(position % dataset.cases),
      expiryOf(position),
      companySetId,
    ],
  })
}
