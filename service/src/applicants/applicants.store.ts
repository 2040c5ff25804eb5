// The applicants table. The documents of a record are rows of the Document API. Reads join them here, because a read is
// one round trip; writes go through the service of the Document API.
import type { Sql, Tx } from '../db/database.ts'
import type { KeyEtag } from '../db/etag-cache.ts'
import { isLimited } from '../db/limited.ts'
import { utcText } from '../db/types.ts'
import type { Applicant } from './applicant.ts'
import { KEYS_VERSION, type SearchKeys } from './search-keys.ts'

/** A primary applicant is addressed by its id or by its number. */
export type Key = { id: string } | { number: string }

/** A row for a read, with JSON that is sent without being parsed. */
export interface RenderedRow {
  id: string
  /** The stored JSON of the record. */
  record: string
  /** JSON of the members that are not in `record`: from the comma before the first one to the closing brace. */
  rest: string
  version: number
}

export interface StoredRow {
  id: string
  record: string
  documents: string | null
  version: number
  createdAt: Date
  updatedAt: Date
  primaryId: string | null
  archivedAt: Date | null
}

const documents = (reminder: string) => `
  (
    select json_agg(row_to_json(r))::text from (
      select d.document_id as "documentId", d.name, d.description, d.issue_date as "issueDate",
        d.expiry_date as "expiryDate", d.reference_number as "referenceNumber", d.country,
        d.remind_about_renewal as "remindAboutRenewal", d.${reminder} as "expiryReminder"
      from documents d
      where d.applicant_id = a.applicant_id and d.case_id is null and d.removed_at is null
      order by d.position
    ) r
  )`

const RENDERED = `
  a.applicant_id as id, a.version, a.record::text as record,
  ',"documents":' || coalesce(${documents('reminder_days')}, '[]') || ',"createdAt":"' || ${utcText('a.created_at')}
    || '","updatedAt":"' || ${utcText('a.updated_at')} || '"}' as rest`

const STORED = `
  a.applicant_id as id, a.record::text as record, a.version, a.created_at as "createdAt", a.updated_at as "updatedAt",
  ${documents('expiry_reminder')} as documents, a.primary_id as "primaryId", a.archived_at as "archivedAt"`

/** Built once: building the text for each read costs as much as the read itself. */
const lookups = (column: string) => {
  const primaries = `
    from applicants a
    where a.${column} = any($1::text[]) and a.primary_id is null and a.archived_at is null`
  return {
    tags: `select a.${column} as key, '"' || a.applicant_id || '.' || a.version || '"' as etag ${primaries}`,
    rows: `select a.${column} as key, ${RENDERED} ${primaries}`,
  }
}
const LOOKUPS = { id: lookups('applicant_id'), number: lookups('employee_number') }

/** The column by which a primary applicant is looked up. */
export type By = keyof typeof LOOKUPS

export async function listEtags(sql: Sql, by: By, keys: string[]): Promise<KeyEtag[]> {
  return sql.unsafe<KeyEtag[]>(LOOKUPS[by].tags, [keys], { prepare: true })
}

export async function listPrimaries(
  sql: Sql,
  by: By,
  keys: string[],
): Promise<(RenderedRow & { key: string })[]> {
  return sql.unsafe<(RenderedRow & { key: string })[]>(LOOKUPS[by].rows, [keys], { prepare: true })
}

const primaryOf = (sql: Sql, key: Key) =>
  'id' in key
    ? sql`select p.applicant_id from applicants p
        where p.applicant_id = ${key.id} and p.primary_id is null and p.archived_at is null`
    : sql`select p.applicant_id from applicants p
        where p.employee_number = ${key.number} and p.primary_id is null and p.archived_at is null`

/** Returns undefined if there is no such primary applicant. */
export async function findDependents(sql: Sql, key: Key): Promise<RenderedRow[] | undefined> {
  const rows = await sql<(RenderedRow & { id: string | null })[]>`
    select ${sql.unsafe(RENDERED)}
    from (${primaryOf(sql, key)}) p
    left join applicants a on a.primary_id = p.applicant_id and a.archived_at is null
    order by a.seq`
  return rows.length === 0 ? undefined : rows.filter(row => row.id !== null)
}

/** Finds a dependent of this primary applicant by id or number; an id wins over an equal number. */
export async function findDependent(sql: Sql, key: Key, dependent: string): Promise<RenderedRow | undefined> {
  const [row] = await sql<RenderedRow[]>`
    select ${sql.unsafe(RENDERED)}
    from applicants a
    where a.primary_id = (${primaryOf(sql, key)}) and a.archived_at is null
      and (a.applicant_id = ${dependent} or a.employee_number = ${dependent})
    order by (a.applicant_id = ${dependent}) desc
    limit 1`
  return row
}

/** Every write of a family locks the row of its primary applicant first, so that two writes never interleave. */
export async function lockPrimary(tx: Tx, key: Key): Promise<boolean> {
  const { count } =
    'id' in key
      ? await tx`select from applicants where applicant_id = ${key.id} for update`
      : await tx`select from applicants where employee_number = ${key.number} and archived_at is null for update`
  return count > 0
}

/** The record of the key, primary applicant or not, and its live dependents. Archived ones can be any number. */
export async function listFamily(sql: Sql, key: Key): Promise<StoredRow[]> {
  const owner =
    'id' in key
      ? sql`select ${key.id}::text`
      : sql`select applicant_id from applicants where employee_number = ${key.number} and archived_at is null`
  return sql<StoredRow[]>`
    select ${sql.unsafe(STORED)}
    from applicants a
    where a.applicant_id = (${owner}) or (a.primary_id = (${owner}) and a.archived_at is null)
    order by a.seq`
}

/** Locks the primary applicants of these ids or numbers in the order of their ids, and returns their ids. */
export async function lockFamilies(tx: Tx, ids: string[], numbers: string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select applicant_id as id from applicants
    where applicant_id in (
      select coalesce(primary_id, applicant_id) from applicants where applicant_id = any(${ids}::text[])
      union
      select coalesce(primary_id, applicant_id) from applicants
      where employee_number = any(${numbers}::text[]) and archived_at is null
    )
    order by applicant_id
    for update`
  return rows.map(row => row.id)
}

export async function listRecords(tx: Tx, ids: string[], numbers: string[]): Promise<StoredRow[]> {
  return tx<StoredRow[]>`
    select ${tx.unsafe(STORED)}
    from applicants a
    where a.applicant_id in (
      select applicant_id from applicants where applicant_id = any(${ids}::text[])
      union
      select applicant_id from applicants where employee_number = any(${numbers}::text[]) and archived_at is null
    )
    order by a.seq`
}

/** The archived dependents of this family, and the records of these ids. */
export async function listFormerDependents(
  tx: Tx,
  { primaryId, ids }: { primaryId: string | null; ids: string[] },
): Promise<StoredRow[]> {
  return tx<StoredRow[]>`
    select ${tx.unsafe(STORED)}
    from applicants a
    where a.applicant_id in (
      select applicant_id from applicants where applicant_id = any(${ids}::text[])
      union
      select applicant_id from applicants where primary_id = ${primaryId} and archived_at is not null
    )
    order by a.seq`
}

/** Returns those of these ids that belong to an item in the record of any applicant. */
export async function listKnownItems(tx: Tx, ids: string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select distinct id from ${isLimited(tx) ? tx`item_owners` : tx`applicants`} a, unnest(a.item_ids) as id
    where a.item_ids && ${ids}::text[] and id = any(${ids}::text[])`
  return rows.map(({ id }) => id)
}

export interface ApplicantValues {
  record: Omit<Applicant, 'documents'>
  primaryId: string | null
  itemIds: string[]
  searchKeys: SearchKeys
  /** The folded name, code or id of its company; null on dependents. */
  companyKey: string | null
  now: Date
}

export async function insertApplicant(
  tx: Tx,
  { record, primaryId, itemIds, searchKeys, companyKey, now }: ApplicantValues,
): Promise<void> {
  await tx`
    insert into applicants (applicant_id, primary_id, employee_number, record, item_ids, name_key, name_key_reversed,
      search_keys, keys_version, company_key, created_at, updated_at)
    values (${record.applicantId}, ${primaryId}, ${record.employeeNumber}, ${JSON.stringify(record)}::text::json,
      ${itemIds}::text[], ${searchKeys.name}, ${searchKeys.nameReversed}, ${searchKeys.keys}::text[], ${KEYS_VERSION},
      ${companyKey}, ${now}, ${now})`
}

/** Also restores the record if it is archived. */
export async function updateApplicant(
  tx: Tx,
  { record, primaryId, itemIds, searchKeys, companyKey, now }: ApplicantValues,
): Promise<void> {
  await tx`
    update applicants
    set primary_id = ${primaryId}, employee_number = ${record.employeeNumber},
      record = ${JSON.stringify(record)}::text::json, item_ids = ${itemIds}::text[], version = version + 1,
      name_key = ${searchKeys.name}, name_key_reversed = ${searchKeys.nameReversed},
      search_keys = ${searchKeys.keys}::text[], keys_version = ${KEYS_VERSION}, company_key = ${companyKey},
      updated_at = ${now}, archived_at = null
    where applicant_id = ${record.applicantId}`
}

/** Blocks new cases and documents of these records, which the following statements of the transaction would miss. */
export async function lockRecords(tx: Tx, ids: string[]): Promise<void> {
  await tx`select from applicants where applicant_id = any(${ids}::text[]) order by applicant_id for update`
}

export async function touchApplicant(tx: Tx, applicantId: string, now: Date): Promise<void> {
  await tx`update applicants set version = version + 1, updated_at = ${now} where applicant_id = ${applicantId}`
}

export async function archiveApplicants(tx: Tx, ids: string[], now: Date): Promise<void> {
  await tx`
    update applicants
    set archived_at = ${now}, updated_at = ${now}, version = version + 1
    where applicant_id = any(${ids}::text[])`
}

/** Serializes transactions that assign or release these numbers. A single number needs no lock order. */
export async function lockNumbers(tx: Tx, numbers: string[]): Promise<void> {
  if (numbers.length > 1) await lockTexts(tx, numbers, 20250302)
}

/**
 * Serializes merges that name one of these dependents by id or number. Each of them moves the dependent to another
 * family: a merge that waits only for the family would find it moved and retry, again and again. Taken before the locks
 * of families.
 */
export async function lockDependentKeys(tx: Tx, keys: string[]): Promise<void> {
  if (keys.length > 0) await lockTexts(tx, keys, 20250303)
}

/** Serializes requests that use these ids for new items, so that two people do not get the same one. */
export async function lockItemIds(tx: Tx, ids: string[]): Promise<void> {
  await lockTexts(tx, ids, 20261116)
}

async function lockTexts(tx: Tx, texts: string[], seed: number): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(key)
    from (
      select distinct hashtextextended(t, ${seed}) as key from unnest(${texts}::text[]) as t order by key
    ) as keys`
}

export async function retireNumber(
  tx: Tx,
  number: string,
  { applicantId, now }: { applicantId: string; now: Date },
): Promise<void> {
  await tx`
    insert into retired_employee_numbers (employee_number, applicant_id, retired_at)
    values (${number}, ${applicantId}, ${now})`
}

/** Returns those of these numbers that are in use or retired. */
export async function listTakenNumbers(tx: Tx, numbers: string[]): Promise<Set<string>> {
  const rows = await tx<{ number: string }[]>`
    select employee_number as number from ${isLimited(tx) ? tx`number_owners` : tx`applicants`}
    where employee_number = any(${numbers}::text[]) and archived_at is null
    union all
    select employee_number from retired_employee_numbers where employee_number = any(${numbers}::text[])`
  return new Set(rows.map(row => row.number))
}

export async function findIdByNumber(tx: Tx, number: string): Promise<string | undefined> {
  const [row] = await tx<{ id: string }[]>`
    select applicant_id as id from applicants where employee_number = ${number} and archived_at is null`
  return row?.id
}

export interface IdentityRow {
  applicantId: string
  firstName: string | null
  lastName: string | null
  dateOfBirth: string | null
}

export async function findIdentityByNumber(tx: Tx, number: string): Promise<IdentityRow | undefined> {
  const [row] = await tx<IdentityRow[]>`
    select applicant_id as "applicantId", record->>'firstName' as "firstName", record->>'lastName' as "lastName",
      record->>'dateOfBirth' as "dateOfBirth"
    from applicants
    where employee_number = ${number} and archived_at is null`
  return row
}
