// Builds the JSON of the Case API from rows.
import type { NoteRow } from './notes.store.ts'

export function noteToWire({
  noteId,
  caseId,
  applicantId,
  employeeNumber,
  content,
  author,
  createdAt,
  updatedAt,
}: NoteRow) {
  return {
    noteId,
    caseId,
    applicantId,
    employeeNumber,
    content,
    author,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
