// Maps the bodies of the Case API to values, and rows to the JSON that it returns. Odd spellings stay here and in the
// schemas.
import { dayOf, parseWallClock } from '../lib/dates.ts'
import type { Assignee } from './assignee.store.ts'
import {
  APPLICANT_FIELDS,
  type CaseApplicant,
  type CaseDependent,
  type CaseDetails,
  type CaseInput,
  type CasePassport,
  type CasePatch,
  DEPENDENT_FIELDS,
  DETAIL_FIELDS,
  METADATA_FIELDS,
  PASSPORT_FIELDS,
} from './case.ts'
import type { CaseRow } from './cases.store.ts'
import type { NoteRow, NoteVersion } from './notes.store.ts'
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
    assignee: assigneeToWire(row.assignee),
    dueDate: row.dueDate,
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

const assigneeToWire = (assignee: Assignee | null) =>
  assignee && { userId: assignee.userId, name: assignee.name }

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
  dueDate,
  assignee,
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
    dueDate,
    assignee: assigneeToWire(assignee),
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
  authorId,
  visibility,
  version,
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
    authorId,
    visibility,
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

/** The content is part of the case: a caller who may not read cases gets the rest. */
export function noteVersionToWire({ writtenAt, ...version }: NoteVersion, mayReadCases: boolean) {
  const content = mayReadCases ? version.content : null
  return { ...version, content, writtenAt: writtenAt.toISOString() }
}

type Wire = Record<string, unknown>

const DATES = new Set(['dateOfBirth', 'hireDate', 'issueDate', 'expirationDate'])
const EMPTY_IS_NULL = new Set([
  'hostCountry', 'homeCountry', 'countryOfResidence', 'countryOfBirth', 'addressCountry', 'country', 'Nationality',
  'gender', 'maritalStatus',
]) // biome-ignore format: a table reads better than a column

/** Has every field: null where none was sent or a code is empty, dates as days. */
export function caseFromWire(body: Wire): CaseInput {
  const applicant = body['applicant'] as Wire
  return {
    details: {
      ...pick<CaseDetails>(DETAIL_FIELDS, body),
      metadata: items(body['metadata']).map(item => pick(METADATA_FIELDS, item)),
    } as CaseInput['details'],
    employeeNumber: (applicant['employeeNumber'] as string) || null,
    applicant: {
      ...pick<CaseApplicant>(APPLICANT_FIELDS, applicant),
      passports: items(applicant['passports']).map(item => pick<CasePassport>(PASSPORT_FIELDS, item)),
      dependents: items(applicant['dependents']).map(item => pick<CaseDependent>(DEPENDENT_FIELDS, item)),
    },
  }
}

/** Has only the fields that were sent. `metadata` is the whole list. */
export function casePatchFromWire(body: Wire): CasePatch {
  const sent = DETAIL_FIELDS.filter(field => body[field] !== undefined)
  const metadata = items(body['metadata']).map(item => pick(METADATA_FIELDS, item))
  return {
    details: {
      ...pick<Partial<CaseDetails>>(sent, body),
      ...(body['metadata'] !== undefined && { metadata: metadata as CaseDetails['metadata'] }),
    },
    status: body['status'] as CasePatch['status'],
    assigneeId: body['assigneeId'] as CasePatch['assigneeId'],
    dueDate: body['dueDate'] as CasePatch['dueDate'],
  }
}

const items = (value: unknown) => (value ?? []) as Wire[]

function pick<T>(fields: readonly string[], from: Wire): T {
  return Object.fromEntries(fields.map(field => [field, scalar(field, from[field])])) as T
}

function scalar(field: string, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (DATES.has(field)) return dayOf(parseWallClock(String(value)) ?? '') || null
  return EMPTY_IS_NULL.has(field) && value === '' ? null : value
}
