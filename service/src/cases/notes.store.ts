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
import type { Visibility } from './case.ts'

/** Whether a caller sees the notes of the team too. */
export interface Audience {
  isTeam: boolean
}

export interface NoteRow {
  noteId: string
  caseId: string
  applicantId: string
  /** The number that the applicant has now. */
  employeeNumber: string | null
  content: string
  author: string
  /** Null for a client, and for notes of earlier releases. */
  authorId: string | null
  visibility: Visibility
  version: number
  createdAt: Date
  updatedAt: Date
}

export interface NoteVersion {
  version: number
  content: string
  visibility: Visibility
  /** Who wrote this version. */
  author: string
  authorId: string | null
  writtenAt: Date
}

/** Of note `k` of case `c` of applicant `a`. */
const columns = (sql: Sql) => sql`
  k.note_id as "noteId", c.case_id as "caseId", c.applicant_id as "applicantId", a.employee_number as "employeeNumber",
  k.content, k.author, k.author_id as "authorId", k.visibility, k.version, k.created_at as "createdAt",
  k.updated_at as "updatedAt"`

const KEYSET_COLUMNS = [
  'note_id', 'case_id', 'content', 'author', 'author_id', 'visibility', 'version', 'created_at', 'updated_at',
] // biome-ignore format: a table reads better than a column

/** A condition of the notes `k` that this audience sees. Indexes without the notes of the team have the same. */
const seenBy = (sql: Sql, { isTeam }: Audience) => (isTeam ? sql`` : sql`and k.visibility = 'everyone'`)

const DATES: Record<string, string> = { created: 'created_at', updated: 'updated_at' }

export const NOTE_DATES = Object.keys(DATES)

export async function listNotes(
  sql: Sql,
  window: Window,
  audience: Audience = { isTeam: false },
): Promise<Page<NoteRow & PositionedRow>> {
  const column = DATES[window.type] ?? 'created_at'
  const page = keyset(sql, window, {
    table: 'case_notes',
    columns: KEYSET_COLUMNS,
    column,
    isDay: false,
    byCompany: true,
    filter: seenBy(sql, audience),
  })
  const rows = await sql<(NoteRow & PositionedRow & BehindFlag)[]>`
    select k.key_at as at, k.seq, ${page.behind} as behind, ${columns(sql)}
    from (${page.rows}) k
    join cases c on c.case_id = k.case_id
    join ${caseApplicants(sql)} a on a.applicant_id = c.applicant_id
    order by ${page.order}`
  return pageOf(window, rows, () => sql<BehindFlag[]>`select ${page.behind} as behind`)
}

/** Undefined where there is no such case. */
export async function findNotesOf(
  sql: Sql,
  caseId: string,
  audience: Audience,
): Promise<NoteRow[] | undefined> {
  const rows = await sql<(NoteRow | { noteId: null })[]>`
    select ${columns(sql)}
    from cases c
    join ${caseApplicants(sql)} a on a.applicant_id = c.applicant_id
    left join case_notes k on k.case_id = c.case_id ${seenBy(sql, audience)}
    where c.case_id = ${caseId}
    order by k.created_at, k.seq`
  return rows.length === 0 ? undefined : rows.filter(row => row.noteId !== null)
}

/** The notes of these cases by their creation, the notes of the team included. */
export async function listNotesAdded(
  sql: Sql,
  caseIds: string[],
  slice: Slice,
): Promise<(NoteRow & PositionedRow)[]> {
  const { where, order } = sliceOf(sql, slice, 'created_at')
  return sql<(NoteRow & PositionedRow)[]>`
    select k.created_at as at, k.seq, ${columns(sql)}
    from cases c
    join ${caseApplicants(sql)} a on a.applicant_id = c.applicant_id
    cross join lateral (
      select k.* from case_notes k where k.case_id = c.case_id and ${where} ${order}
    ) k
    where c.case_id = any(${caseIds}::text[])
    ${order}`
}

export async function countNotesAdded(sql: Sql, caseIds: string[], limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count
    from (select from case_notes where case_id = any(${caseIds}::text[]) limit ${limit}) k`
  return row.count
}

interface NewNote {
  noteId: string
  caseId: string
  content: string
  visibility: Visibility
  author: string
  authorId: string | null
  now: Date
}

export async function insertNote(tx: Tx, note: NewNote): Promise<void> {
  await tx`
    insert into case_notes (note_id, case_id, content, visibility, author, author_id, created_at, updated_at)
    values (${note.noteId}, ${note.caseId}, ${note.content}, ${note.visibility}, ${note.author}, ${note.authorId},
      ${note.now}, ${note.now})`
}

/** The current version of note `k`. */
const currentVersion = (sql: Sql) => sql`
  k.version, k.content, k.visibility, coalesce(k.editor, k.author) as author,
  case when k.editor is null then k.author_id else k.editor_id end as "authorId",
  coalesce(k.edited_at, k.created_at) as "writtenAt"`

/** The current version. Undefined where the case has no such note. */
export async function findNote(
  tx: Tx,
  { caseId, noteId }: { caseId: string; noteId: string },
): Promise<NoteVersion | undefined> {
  const [row] = await tx<NoteVersion[]>`
    select ${currentVersion(tx)} from case_notes k where k.note_id = ${noteId} and k.case_id = ${caseId}`
  return row
}

/** All versions, the current one first. Empty where the case has no such note. */
export async function listNoteVersions(
  sql: Sql,
  { caseId, noteId }: { caseId: string; noteId: string },
): Promise<NoteVersion[]> {
  return sql<NoteVersion[]>`
    select ${currentVersion(sql)} from case_notes k where k.note_id = ${noteId} and k.case_id = ${caseId}
    union all
    select version, content, visibility, author, author_id, written_at
    from case_note_versions where note_id = ${noteId} and case_id = ${caseId}
    order by version desc`
}

/** Keeps the current version as an earlier one, and makes this the current one. */
export async function replaceNote(
  tx: Tx,
  { caseId, noteId }: { caseId: string; noteId: string },
  { version, content, visibility, author, authorId, writtenAt }: NoteVersion,
): Promise<void> {
  await tx`
    with earlier as (
      insert into case_note_versions (note_id, case_id, version, content, visibility, author, author_id, written_at)
      select k.note_id, k.case_id, v.* from case_notes k, lateral (select ${currentVersion(tx)}) v
      where k.note_id = ${noteId} and k.case_id = ${caseId}
    )
    update case_notes
    set version = ${version}, content = ${content}, visibility = ${visibility}, editor = ${author},
      editor_id = ${authorId}, edited_at = greatest(updated_at, ${writtenAt}),
      updated_at = greatest(updated_at, ${writtenAt})
    where note_id = ${noteId} and case_id = ${caseId}`
}

export async function getNote(tx: Tx, noteId: string): Promise<NoteRow> {
  const [row] = await tx<[NoteRow]>`
    select ${columns(tx)}
    from case_notes k
    join cases c on c.case_id = k.case_id
    join ${caseApplicants(tx)} a on a.applicant_id = c.applicant_id
    where k.note_id = ${noteId}`
  return row
}

export async function touchNotesOf(tx: Tx, applicantIds: string[], now: Date): Promise<void> {
  await tx`
    update ${every(tx, 'case_notes')}
    set updated_at = greatest(updated_at, ${now})
    where case_id in (select case_id from ${every(tx, 'cases')} where applicant_id = any(${applicantIds}::text[]))`
}

export async function touchNotesOfCases(tx: Tx, caseIds: string[], now: Date): Promise<void> {
  await tx`
    update ${every(tx, 'case_notes')} set updated_at = greatest(updated_at, ${now})
    where case_id = any(${caseIds}::text[])`
}
