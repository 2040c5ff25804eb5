// The applicants table. The documents of a record are rows of the Document API. Reads join them here, because a read is
// one round trip; writes go through the service of the Document API.
import type { Sql, Tx } from '../db/database.ts'
import type { KeyEtag } from '../db/etag-cache.ts'
import { isLimited } from '../db/limited.ts'
import { openCursor } from '../db/server-cursor.ts'
import { utcText } from '../db/types.ts'
import type { StoredRecord } from './applicant.ts'
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
      where d.applicant_id = a.applicant_id and d.case_id is null and not d.beside_record and d.removed_at is null
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

/** Whether there is such a person, also an archived one. */
export async function isKnown(sql: Sql, applicantId: string): Promise<boolean> {
  const rows = await sql`select from applicants where applicant_id = ${applicantId}`
  return rows.length > 0
}

/** Returns undefined if there is no such primary applicant. */
export async function findDependents(sql: Sql, key: Key): Promise<RenderedRow[] | undefined> {
  const rows = await sql<(RenderedRow & { id: string | null })[]>`
    select ${sql.unsafe(RENDERED)}
    from (${primaryOf(sql, key)}) p
    left join applicants a on a.primary_id = p.applicant_id and a.archived_at is null
    order by a.seq`
  return rows.length === 0 ? undefined : rows.filter(row => row.id !== null)
}

/** The live dependents of these primary applicants, in the order of their creation. */
export async function listDependentsOf(
  sql: Sql,
  primaryIds: string[],
): Promise<(RenderedRow & { primaryId: string })[]> {
  return sql<(RenderedRow & { primaryId: string })[]>`
    select a.primary_id as "primaryId", ${sql.unsafe(RENDERED)}
    from applicants a
    where a.primary_id = any(${primaryIds}::text[]) and a.archived_at is null
    order by a.seq`
}

/** The ids of all primary applicants. */
export const openPrimaryIds = (tx: Tx): Promise<void> =>
  openCursor(tx, 'select applicant_id as id from applicants where primary_id is null and archived_at is null')

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

/** `lockPrimary` for many numbers, in the order of ids. Returns the numbers whose records were locked. */
export async function lockPrimaries(tx: Tx, numbers: string[]): Promise<Set<string>> {
  const rows = await tx<{ number: string }[]>`
    select employee_number as number from applicants
    where employee_number = any(${numbers}::text[]) and archived_at is null
    order by applicant_id
    for update`
  return new Set(rows.map(row => row.number))
}

/** `listFamily` for many numbers. The key of a row is the number of its family. */
export async function listFamilies(sql: Sql, numbers: string[]): Promise<(StoredRow & { key: string })[]> {
  return sql<(StoredRow & { key: string })[]>`
    select o.employee_number as key, ${sql.unsafe(STORED)}
    from applicants o
    cross join lateral (
      select * from applicants where applicant_id = o.applicant_id
      union all
      select * from applicants where primary_id = o.applicant_id and archived_at is null
    ) a
    where o.employee_number = any(${numbers}::text[]) and o.archived_at is null
    order by a.seq`
}

/** `lockFamilies` without the locks. */
export async function listFamilyIds(tx: Tx, ids: string[], numbers: string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select coalesce(primary_id, applicant_id) as id from applicants where applicant_id = any(${ids}::text[])
    union
    select coalesce(primary_id, applicant_id) from applicants
    where employee_number = any(${numbers}::text[]) and archived_at is null`
  return rows.map(row => row.id)
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

export interface FormerDependents {
  primaryId: string | null
  ids: string[]
}

/** `listFormerDependents` for many families. */
export async function listFormerDependentsOf(
  tx: Tx,
  { primaryIds, ids }: { primaryIds: string[]; ids: string[] },
): Promise<StoredRow[]> {
  return tx<StoredRow[]>`
    select ${tx.unsafe(STORED)}
    from applicants a
    where a.applicant_id in (
      select applicant_id from applicants where applicant_id = any(${ids}::text[])
      union
      select applicant_id from applicants where primary_id = any(${primaryIds}::text[]) and archived_at is not null
    )
    order by a.seq`
}

/** The archived dependents of this family, and the records of these ids. */
export async function listFormerDependents(
  tx: Tx,
  { primaryId, ids }: FormerDependents,
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
  record: StoredRecord
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

const RECORD_COLUMNS = [
  'applicant_id', 'primary_id', 'employee_number', 'record', 'item_ids', 'name_key', 'name_key_reversed', 'search_keys',
  'company_key', 'at',
] as const // biome-ignore format: a table reads better than a column

/** An array of text per column, in the order of `RECORD_COLUMNS`. */
const columnsOf = (rows: ApplicantValues[]) => [
  rows.map(({ record }) => record.applicantId),
  rows.map(({ primaryId }) => primaryId),
  rows.map(({ record }) => record.employeeNumber),
  rows.map(({ record }) => JSON.stringify(record)),
  rows.map(({ itemIds }) => JSON.stringify(itemIds)),
  rows.map(({ searchKeys }) => searchKeys.name),
  rows.map(({ searchKeys }) => searchKeys.nameReversed),
  rows.map(({ searchKeys }) => JSON.stringify(searchKeys.keys)),
  rows.map(({ companyKey }) => companyKey),
  rows.map(({ now }) => now.toISOString()),
]

const RECORDS = `unnest(${RECORD_COLUMNS.map((_, index) => `$${index + 1}::text[]`).join(', ')})
  with ordinality as r (${RECORD_COLUMNS.join(', ')}, position)`
const texts = (column: string) => `array(select json_array_elements_text(r.${column}::json))`

const INSERT_MANY = `
  insert into applicants (applicant_id, primary_id, employee_number, record, item_ids, name_key, name_key_reversed,
    search_keys, keys_version, company_key, created_at, updated_at)
  select r.applicant_id, r.primary_id, r.employee_number, r.record::json, ${texts('item_ids')}, r.name_key,
    r.name_key_reversed, ${texts('search_keys')}, ${KEYS_VERSION}, r.company_key, r.at::timestamptz, r.at::timestamptz
  from ${RECORDS}
  order by r.position`
const UPDATE_MANY = `
  update applicants a
  set primary_id = r.primary_id, employee_number = r.employee_number, record = r.record::json,
    item_ids = ${texts('item_ids')}, version = a.version + 1, name_key = r.name_key,
    name_key_reversed = r.name_key_reversed, search_keys = ${texts('search_keys')}, keys_version = ${KEYS_VERSION},
    company_key = r.company_key, updated_at = r.at::timestamptz, archived_at = null
  from ${RECORDS}
  where a.applicant_id = r.applicant_id`

/** `insertApplicant` for many records, in their order. */
export async function insertApplicants(tx: Tx, rows: ApplicantValues[]): Promise<void> {
  if (rows.length > 0) await tx.unsafe(INSERT_MANY, columnsOf(rows), { prepare: true })
}

/** `updateApplicant` for many records. */
export async function updateApplicants(tx: Tx, rows: ApplicantValues[]): Promise<void> {
  if (rows.length > 0) await tx.unsafe(UPDATE_MANY, columnsOf(rows), { prepare: true })
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
