import type { Sql, Tx } from '../db/database.ts'
import { type BehindFlag, keyset, type Page, type PositionedRow, pageOf, type Window } from '../db/keyset.ts'
import { caseApplicants, every } from '../db/limited.ts'

export interface NoteRow {
  noteId: string
  caseId: string
  applicantId: string
  /** The number that the applicant has now. */
  employeeNumber: string | null
  content: string
  author: string
  createdAt: Date
  updatedAt: Date
}

/** Of note `k` of case `c` of applicant `a`. */
const columns = (sql: Sql) => sql`
  k.note_id as "noteId", c.case_id as "caseId", c.applicant_id as "applicantId", a.employee_number as "employeeNumber",
  k.content, k.author, k.created_at as "createdAt", k.updated_at as "updatedAt"`

const KEYSET_COLUMNS = ['note_id', 'case_id', 'content', 'author', 'created_at', 'updated_at']

const DATES: Record<string, string> = { created: 'created_at', updated: 'updated_at' }

export const NOTE_DATES = Object.keys(DATES)

export async function listNotes(sql: Sql, window: Window): Promise<Page<NoteRow & PositionedRow>> {
  const column = DATES[window.type] ?? 'created_at'
  const page = keyset(sql, window, {
    table: 'case_notes',
    columns: KEYSET_COLUMNS,
    column,
    isDay: false,
    byCompany: true,
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
export async function findNotesOf(sql: Sql, caseId: string): Promise<NoteRow[] | undefined> {
  const rows = await sql<(NoteRow | { noteId: null })[]>`
    select ${columns(sql)}
    from cases c
    join ${caseApplicants(sql)} a on a.applicant_id = c.applicant_id
    left join case_notes k on k.case_id = c.case_id
    where c.case_id = ${caseId}
    order by k.created_at, k.seq`
  return rows.length === 0 ? undefined : rows.filter(row => row.noteId !== null)
}

export async function insertNote(
  tx: Tx,
  note: { noteId: string; caseId: string; content: string; author: string; now: Date },
): Promise<void> {
  await tx`
    insert into case_notes (note_id, case_id, content, author, created_at, updated_at)
    values (${note.noteId}, ${note.caseId}, ${note.content}, ${note.author}, ${note.now}, ${note.now})`
}

export async function findNote(tx: Tx, noteId: string): Promise<{ content: string } | undefined> {
  const [row] = await tx<{ content: string }[]>`select content from case_notes where note_id = ${noteId}`
  return row
}

/** False where the case has no such note. Setting the current content again is a no-op. */
export async function updateNote(
  tx: Tx,
  note: { noteId: string; caseId: string; content: string; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update case_notes
    set content = ${note.content},
      updated_at = case when content = ${note.content} then updated_at else ${note.now}::timestamptz end
    where note_id = ${note.noteId} and case_id = ${note.caseId}
    returning note_id`
  return rows.length === 1
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
