// The applicants table. The documents of a record live in a table of the Document API; they are read along with the
// record here, because a read is one round trip, and are written through its service.
import type { Sql, Tx } from '../db/database.ts'
import type { KeyEtag } from '../db/etag-cache.ts'
import { utcText } from '../db/types.ts'
import type { Applicant } from './applicant.ts'
import { KEYS_VERSION, type SearchKeys } from './search-keys.ts'

/** A primary applicant is addressed by its id or by its number. */
export type Key = { id: string } | { number: string }

/** A record on its way out: JSON that is passed on, not parsed. */
export interface ShownRow {
  id: string
  record: string
  /** What follows the members of `record`, up to the closing brace. */
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

const SHOWN = `
  a.applicant_id as id, a.version, a.record::text as record,
  ',"documents":' || coalesce(${documents('reminder_days')}, '[]') || ',"createdAt":"' || ${utcText('a.created_at')}
    || '","updatedAt":"' || ${utcText('a.updated_at')} || '"}' as rest`

const STORED = `
  a.applicant_id as id, a.record::text as record, a.version, a.created_at as "createdAt", a.updated_at as "updatedAt",
  ${documents('expiry_reminder')} as documents, a.primary_id as "primaryId", a.archived_at as "archivedAt"`

/** Text, put together once: for each read anew it would cost as much as the answer takes to be read. */
const lookups = (column: string) => {
  const primaries = `
    from applicants a
    where a.${column} = any($1::text[]) and a.primary_id is null and a.archived_at is null`
  return {
    tags: `select a.${column} as key, '"' || a.applicant_id || '.' || a.version || '"' as etag ${primaries}`,
    rows: `select a.${column} as key, ${SHOWN} ${primaries}`,
  }
}
const LOOKUPS = { id: lookups('applicant_id'), number: lookups('employee_number') }

/** A primary applicant is looked up by its id, or by its number. */
export type By = keyof typeof LOOKUPS

export async function listEtags(sql: Sql, by: By, keys: string[]): Promise<KeyEtag[]> {
  return sql.unsafe<KeyEtag[]>(LOOKUPS[by].tags, [keys], { prepare: true })
}

export async function listPrimaries(
  sql: Sql,
  by: By,
  keys: string[],
): Promise<(ShownRow & { key: string })[]> {
  return sql.unsafe<(ShownRow & { key: string })[]>(LOOKUPS[by].rows, [keys], { prepare: true })
}

const primaryOf = (sql: Sql, key: Key) =>
  'id' in key
    ? sql`select p.applicant_id from applicants p
        where p.applicant_id = ${key.id} and p.primary_id is null and p.archived_at is null`
    : sql`select p.applicant_id from applicants p
        where p.employee_number = ${key.number} and p.primary_id is null and p.archived_at is null`

/** Undefined where there is no such primary applicant. */
export async function findDependents(sql: Sql, key: Key): Promise<ShownRow[] | undefined> {
  const rows = await sql<(ShownRow & { id: string | null })[]>`
    select ${sql.unsafe(SHOWN)}
    from (${primaryOf(sql, key)}) p
    left join applicants a on a.primary_id = p.applicant_id and a.archived_at is null
    order by a.seq`
  return rows.length === 0 ? undefined : rows.filter(row => row.id !== null)
}

/** By the dependent's id, or its number, among those of this primary applicant. */
export async function findDependent(sql: Sql, key: Key, dependent: string): Promise<ShownRow | undefined> {
  const [row] = await sql<ShownRow[]>`
    select ${sql.unsafe(SHOWN)}
    from applicants a
    where a.primary_id = (${primaryOf(sql, key)}) and a.archived_at is null
      and (a.applicant_id = ${dependent} or a.employee_number = ${dependent})
    order by (a.applicant_id = ${dependent}) desc
    limit 1`
  return row
}

/** Every write of a family locks its primary applicant first, so that two of them never interleave. */
export async function lockPrimary(tx: Tx, key: Key): Promise<boolean> {
  const { count } =
    'id' in key
      ? await tx`select from applicants where applicant_id = ${key.id} for update`
      : await tx`select from applicants where employee_number = ${key.number} and archived_at is null for update`
  return count > 0
}

/** The record of the key, whatever it is, and the dependents it has now; those who left can be any number. */
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

/** Locks the primary applicants of these ids or numbers in the order of their ids, and returns which it locked. */
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

/** Those who left this family, and the records of these ids. */
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

/** Of these ids, those of items in the record of any applicant. */
export async function listKnownItems(tx: Tx, ids: string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select distinct id from applicants a, unnest(a.item_ids) as id
    where a.item_ids && ${ids}::text[] and id = any(${ids}::text[])`
  return rows.map(({ id }) => id)
}

export interface Saving {
  record: Omit<Applicant, 'documents'>
  primaryId: string | null
  itemIds: string[]
  searchKeys: SearchKeys
  now: Date
}

export async function insertApplicant(
  tx: Tx,
  { record, primaryId, itemIds, searchKeys, now }: Saving,
): Promise<void> {
  await tx`
    insert into applicants (applicant_id, primary_id, employee_number, record, item_ids, name_key, name_key_reversed,
      search_keys, keys_version, created_at, updated_at)
    values (${record.applicantId}, ${primaryId}, ${record.employeeNumber}, ${JSON.stringify(record)}::text::json,
      ${itemIds}::text[], ${searchKeys.name}, ${searchKeys.nameReversed}, ${searchKeys.keys}::text[], ${KEYS_VERSION},
      ${now}, ${now})`
}

/** Also takes the record out of the archive, if it was there. */
export async function updateApplicant(
  tx: Tx,
  { record, primaryId, itemIds, searchKeys, now }: Saving,
): Promise<void> {
  await tx`
    update applicants
    set primary_id = ${primaryId}, employee_number = ${record.employeeNumber},
      record = ${JSON.stringify(record)}::text::json, item_ids = ${itemIds}::text[], version = version + 1,
      name_key = ${searchKeys.name}, name_key_reversed = ${searchKeys.nameReversed},
      search_keys = ${searchKeys.keys}::text[], keys_version = ${KEYS_VERSION}, updated_at = ${now}, archived_at = null
    where applicant_id = ${record.applicantId}`
}

/** Against new cases and documents of these records, which would not be seen by what follows in the transaction. */
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

/** Serializes transactions that give or take these numbers. A single number needs no lock order. */
export async function lockNumbers(tx: Tx, numbers: string[]): Promise<void> {
  if (numbers.length > 1) await lockTexts(tx, numbers, 20250302)
}

/**
 * Serializes merges that name one of these dependents. Each moves it to another family, so that a merge that waits for
 * the family only would find it gone, again and again. Taken before the locks of families.
 */
export async function lockNames(tx: Tx, names: string[]): Promise<void> {
  if (names.length > 0) await lockTexts(tx, names, 20250303)
}

/** Serializes requests that bring these ids for new items, so that two people do not get the same one. */
export async function lockItemIds(tx: Tx, ids: string[]): Promise<void> {
  await lockTexts(tx, ids, 20261116)
}

async function lockTexts(tx: Tx, texts: string[], seed: number): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(key)
    from (
      select distinct hashtextextended(name, ${seed}) as key from unnest(${texts}::text[]) as name order by key
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

/** Of these numbers, those that someone has or that were retired. */
export async function listTakenNumbers(tx: Tx, numbers: string[]): Promise<Set<string>> {
  const rows = await tx<{ number: string }[]>`
    select employee_number as number from applicants
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
