// Builds the JSON of the Case API from rows.
import {
  APPLICANT_FIELDS,
  DEPENDENT_FIELDS,
  DETAIL_FIELDS,
  METADATA_FIELDS,
  PASSPORT_FIELDS,
} from './case.ts'
import type { CaseRow } from './cases.store.ts'
import type { NoteRow } from './notes.store.ts'
import type { StepRow } from './steps.store.ts'

export function caseToWire(row: CaseRow) {
  const { details, applicant, applicantId, employeeNumber } = row
  return {
    caseId: row.key,
    status: row.status,
    ...everyFieldOf(DETAIL_FIELDS, details),
    metadata: everyItemOf(METADATA_FIELDS, details.metadata),
    applicantId,
    employeeNumber,
    hostCompanyId: row.hostCompanyId,
    sendingCompanyId: row.sendingCompanyId,
    billingCompanyId: row.billingCompanyId,
    applicant: {
      applicantId,
      employeeNumber,
      ...everyFieldOf(APPLICANT_FIELDS, applicant),
      passports: everyItemOf(PASSPORT_FIELDS, applicant.passports),
      dependents: everyItemOf(DEPENDENT_FIELDS, applicant.dependents),
    },
    steps: row.steps.map(stepToWire),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    closedAt: row.closedAt?.toISOString() ?? null,
  }
}

/** A field that was added after the record was stored is null in it. */
function everyFieldOf<Field extends string, Value>(
  fields: readonly Field[],
  stored: Partial<Record<Field, Value>>,
): Record<Field, Value | null> {
  const record = {} as Record<Field, Value | null>
  for (const field of fields) record[field] = stored[field] ?? null
  return record
}

function everyItemOf<Field extends string, Value>(
  fields: readonly Field[],
  stored: Partial<Record<Field, Value>>[] = [],
) {
  return stored.map(item => everyFieldOf(fields, item))
}

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
