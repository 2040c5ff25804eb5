// Maps applicants between their forms: the wire, the record (applicant.ts) and the database row.
import type { RenderedRecord } from '../db/etag-cache.ts'
import type { ApplicantDocument } from '../documents/applicant-documents.service.ts'
import { parseWallClock } from '../lib/dates.ts'
import { reminderDays } from '../lib/schedule.ts'
import {
  type Applicant,
  type ApplicantInput,
  EMPTY_RECORD,
  FIELD_DEFAULTS,
  ITEM_DEFAULTS,
  type Item,
  LISTS,
  type ListName,
  STORED_LISTS,
  type StoredRecord,
  TEXT_FIELDS,
} from './applicant.ts'
import type { ApplicantValues, RenderedRow, StoredRow } from './applicants.store.ts'
import type { FoundRow } from './search.store.ts'
import { companyKeyOf, searchKeysOf } from './search-keys.ts'
import type { ListedApplicant } from './summaries.service.ts'

/** A record with the state of its row. */
export interface Stored {
  record: Applicant
  primaryId: string | null
  archived: boolean
  /** The number that an archived dependent had and that now belongs to another person, or is retired. */
  lostNumber?: string
  version: number
  createdAt: Date
  updatedAt: Date
}

// From the wire.

const DATES = new Set(['dateOfBirth', 'hireDate', 'issueDate', 'expiryDate'])
/** Everything else that is empty is null. */
const MAY_BE_EMPTY = new Set(['relationship', 'passportNumber', 'tagName'])

const emptyAsNull = <T>(key: string, value: T): T | null =>
  value === '' && !MAY_BE_EMPTY.has(key) ? null : value

/** Normalises dates to wall-clock text and empty text to null, and drops read-only fields. */
export function fromWire(body: ApplicantInput): ApplicantInput {
  const input: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(body)) {
    if (key === 'createdAt' || key === 'updatedAt') continue
    input[key] = Array.isArray(value) ? value.map(itemFromWire) : scalarFromWire(key, value)
  }
  return input
}

export function familyFromWire(body: { primaryApplicant?: ApplicantInput; dependents?: ApplicantInput[] }) {
  const { primaryApplicant = {}, dependents } = body
  return { primaryApplicant: fromWire(primaryApplicant), dependents: dependents?.map(fromWire) }
}

const itemFromWire = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [key, scalarFromWire(key, value)]))

function scalarFromWire(key: string, value: unknown): unknown {
  if (DATES.has(key)) return typeof value === 'string' ? (parseWallClock(value) ?? null) : value
  return emptyAsNull(key, value)
}

// Between the row and the record.

export function fromRow(row: StoredRow): Stored {
  const { primaryId, version, createdAt, updatedAt } = row
  return {
    record: { ...recordFromText(row.record), documents: row.documents ? JSON.parse(row.documents) : [] },
    primaryId,
    archived: row.archivedAt !== null,
    version,
    createdAt,
    updatedAt,
  }
}

/** A field that was added after the record was stored has its default. Earlier releases stored empty text. */
export function recordFromText(text: string): StoredRecord {
  const parsed = JSON.parse(text)
  const record: StoredRecord = { ...EMPTY_RECORD, applicantId: parsed.applicantId, documents: undefined }
  for (const field of TEXT_FIELDS)
    record[field] =
      parsed[field] === undefined ? (FIELD_DEFAULTS[field] ?? null) : emptyAsNull(field, parsed[field])
  for (const list of STORED_LISTS)
    record[list] = (parsed[list] ?? []).map((item: Partial<Item>) => storedItem(list, item))
  return record
}

function storedItem(list: ListName, item: Partial<Item>): Item {
  const { id, fields } = LISTS[list]
  const complete: Item = { [id]: item[id] ?? null }
  for (const field of fields)
    complete[field] =
      item[field] === undefined ? (ITEM_DEFAULTS[field] ?? null) : emptyAsNull(field, item[field])
  return complete
}

export function toRow(record: Applicant, primaryId: string | null, now: Date): ApplicantValues {
  return {
    record: { ...record, documents: undefined },
    primaryId,
    itemIds: itemIdsOf(record),
    searchKeys: searchKeysOf(record),
    companyKey: primaryId === null ? companyKeyOf(record) : null,
    now,
  }
}

/** Documents are not included: their ids are unique in a table of their own. */
function itemIdsOf(record: Applicant): string[] {
  return STORED_LISTS.flatMap(list => record[list].map(item => String(item[LISTS[list].id])))
}

export function documentsOf(record: Applicant): ApplicantDocument[] {
  return record.documents as unknown as ApplicantDocument[]
}

// To the wire.

export function toWire(stored: Stored): RenderedRecord {
  const { record, createdAt, updatedAt } = stored
  const documents = record.documents.map(document => ({
    ...document,
    expiryReminder: reminderDays(
      document['expiryReminder'] as string | number | null,
      document['expiryDate'] as string | null,
    ),
  }))
  return {
    id: record.applicantId,
    json: JSON.stringify({ ...record, documents, createdAt, updatedAt }),
    etag: etagOf(stored),
  }
}

/** The wire form of a family has the id and the entity tag of its primary applicant. */
export function familyToWire({
  primary,
  dependents,
}: {
  primary: Stored
  dependents: Stored[]
}): RenderedRecord {
  const { id, json, etag } = toWire(primary)
  const list = dependents.map(dependent => toWire(dependent).json).join(',')
  return { id, json: `{"primaryApplicant":${json},"dependents":[${list}]}`, etag }
}

/**
 * The same as `toWire(fromRow(row))` for reads, without parsing: the stored JSON is the beginning of the wire form, and
 * the query renders the rest. Only a record that lacks a field, because it was stored before the field existed, is parsed.
 */
export function rowToWire({ id, record, rest, version }: RenderedRow): RenderedRecord {
  const text = isComplete(record) ? record : JSON.stringify(recordFromText(record))
  return { id, json: text.slice(0, -1) + rest, etag: tagOf(id, version) }
}

/** A longer text is parsed: a regular expression overflows its stack somewhere above three million characters. */
const MAX_MATCHED_LENGTH = 1_000_000

const isComplete = (record: string) => record.length <= MAX_MATCHED_LENGTH && COMPLETE_RECORD.test(record)

/** Matches the JSON of a record that has every field, in the order in which records are written. */
const COMPLETE_RECORD = (() => {
  const value = /(?:"[^"\\]*(?:\\.[^"\\]*)*"|[^",{}[\]]+)/.source
  const members = (names: readonly string[]) => names.map(name => `"${name}":${value}`)
  const lists = STORED_LISTS.map(list => {
    const { id, fields } = LISTS[list]
    const item = `\\{${members([id, ...fields]).join(',')}\\}`
    return `"${list}":\\[(?:${item}(?:,${item})*)?\\]`
  })
  return new RegExp(`^\\{${[...members(['applicantId', ...TEXT_FIELDS]), ...lists].join(',')}\\}$`)
})()

export function foundToWire<Row extends FoundRow>({
  relationship,
  createdAt,
  updatedAt,
  archivedAt,
  ...rest
}: Row) {
  return {
    ...rest,
    relationship: relationship ?? FIELD_DEFAULTS.relationship,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
  }
}

export function listedToWire({ dependents, ...row }: ListedApplicant) {
  return { ...foundToWire(row), ...(dependents && { dependents: dependents.map(foundToWire) }) }
}

export function etagOf({ record, version }: Stored): string {
  return tagOf(record.applicantId, version)
}

/** The id is part of the tag because an employee number can belong to two people, one after the other. */
function tagOf(id: string, version: number): string {
  return `"${id}.${version}"`
}
