// What a merge keeps so that it can be undone, and what its two halves share: audit entries, events, the cases.
import type { UnitOfWork } from '../db/unit-of-work.ts'
import type { MovedDocument } from '../documents/applicant-documents.service.ts'
import type { Applicant } from './applicant.ts'
import type { Stored } from './applicants.mapper.ts'

/** What cases do when people are merged. That feature depends on this one, so `services.ts` passes it in. */
export interface MergedCases {
  /** Locks all cases of these applicants, also those that the caller does not see. */
  lock(unit: UnitOfWork, applicantIds: string[]): Promise<CaseOfApplicant[]>
  move(unit: UnitOfWork, move: { caseIds: string[]; to: string }): Promise<void>
  listVisible(unit: UnitOfWork, caseIds: string[]): Promise<string[]>
}

/** What reminders about passports do. They are passed in as well. */
export interface MergedReminders {
  /** Returns the ids of what was moved. */
  move(unit: UnitOfWork, move: { from: string; to: string }): Promise<string[]>
  moveBack(
    unit: UnitOfWork,
    move: { ids: string[]; passportIds: string[]; from: string; to: string },
  ): Promise<void>
}

export interface CaseOfApplicant {
  caseId: string
  applicantId: string
}

/** A record with the columns of its row. */
interface SavedRecord {
  record: Applicant
  primaryId: string | null
  version: number
  /** Its place among the dependents of a family. */
  seq: string
  createdAt: string
  updatedAt: string
}

/** One absorbed record. */
export interface PartState {
  sourceId: string
  targetId: string
  source: SavedRecord
  /** The target before the merge, and after it. */
  before: SavedRecord
  after: Applicant
  /** What was moved from the absorbed record. */
  caseIds: string[]
  documents: MovedDocument[]
  retiredNumbers: string[]
  /** Ids of notifications about passports. */
  reminders: string[]
}

export interface MergeState {
  employeeNumber: string | null
  retiredNumber: string | null
  mergedDependents: { applicantId: string; absorbedApplicantId: string }[]
  /** The person itself, then dependents that both families had. */
  parts: PartState[]
  /** Dependents that the target had not, live and archived. */
  movedDependents: string[]
  /** The live dependents of the target after the merge. */
  family: Applicant[]
  /** The cases of all targets after the merge. */
  cases: string[]
}

export const savedOf = (
  { record, primaryId, version, createdAt, updatedAt }: Stored,
  seq: string,
): SavedRecord => ({
  record,
  primaryId,
  version,
  seq,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

export const storedOf = ({ record, primaryId, version, createdAt, updatedAt }: SavedRecord): Stored => ({
  record,
  primaryId,
  archived: false,
  version,
  createdAt: new Date(createdAt),
  updatedAt: new Date(updatedAt),
})

/** What the audit compares. */
export const auditedOf = ({ applicantId: _id, ...record }: Applicant) => record

/** Audit entry and event of a dependent that moves to another family. */
export function noteMove(
  unit: UnitOfWork,
  applicantId: string,
  { from, to }: { from: string; to: string },
): void {
  unit.audit({
    action: 'applicant.write',
    recordId: applicantId,
    before: { primaryApplicantId: from },
    after: { primaryApplicantId: to },
  })
  unit.emit({
    type: 'dependent.updated',
    recordId: applicantId,
    data: { applicantId, primaryApplicantId: to },
  })
}
