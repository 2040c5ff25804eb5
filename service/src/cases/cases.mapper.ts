// Builds the JSON of the Case API from rows.
import type { NoteRow } from './notes.store.ts'
import type { StepRow } from './steps.store.ts'

export function stepToWire({
  stepId,
  caseId,
  applicantId,
  employeeNumber,
  sequence,
  name,
  status,
  startDate,
  completionDate,
  createdAt,
  updatedAt,
}: StepRow) {
  return {
    stepId,
    caseId,
    applicantId,
    employeeNumber,
    sequence,
    name,
    status,
    startDate,
    completionDate,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

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
