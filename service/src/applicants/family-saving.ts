// Saves the next records of a family, with their audit entries and events. The caller holds the lock on the row of the
// primary applicant.
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { saveApplicantDocuments } from '../documents/applicant-documents.service.ts'
import { allInOrder } from '../lib/async.ts'
import { type Applicant, equal } from './applicant.ts'
import { documentsOf, type Stored, toRow } from './applicants.mapper.ts'
import * as store from './applicants.store.ts'
import type { TouchReferences } from './references.service.ts'

/** A record as it will be, and as it is stored. */
export interface NextRecord {
  record: Applicant
  /** Undefined where the record is created. */
  stored: Stored | undefined
  /** Ids of documents that were removed from the record. Those that are in `record` are restored. */
  removedDocuments?: string[]
}

export interface RecordSave extends NextRecord {
  primaryId: string | null
}

export interface SavedFamily {
  created: boolean
  primary: Stored
  dependents: Stored[]
}

interface FamilySave {
  family: { primary: Stored | undefined; dependents: Stored[] }
  primary: NextRecord
  /** Undefined leaves the dependents as they are. */
  dependents: NextRecord[] | undefined
  /** Whether this error means that another transaction created the same record between our read and our insert. */
  isRace?: (error: unknown, save: RecordSave) => boolean
  touchReferences: TouchReferences
}

export async function saveFamily(
  unit: UnitOfWork,
  { family, primary, dependents, isRace, touchReferences }: FamilySave,
): Promise<SavedFamily> {
  const { tx, now } = unit
  const primaryId = primary.record.applicantId
  const next = dependents ?? family.dependents.map(stored => ({ record: stored.record, stored }))
  const saves: RecordSave[] = [{ ...primary, primaryId: null }, ...next.map(one => ({ ...one, primaryId }))]
  const kept = new Set(next.map(({ record }) => record.applicantId))
  const removed = family.dependents.filter(({ record }) => !kept.has(record.applicantId))
  for (const { record } of removed) {
    unit.audit({
      action: 'applicant.archive',
      recordId: record.applicantId,
      before: { archived: false },
      after: { archived: true },
    })
    emitEvent(unit, { record, primaryId, verb: 'archived' })
  }
  // The statements are sent in this order without waiting for one another: a number is released before another record
  // gets it, and a primary applicant is inserted before its dependents.
  const sent = [
    store.lockNumbers(tx, [...movedNumbers(saves), ...numbersOf(removed)]),
    removed.length > 0 && store.archiveApplicants(tx, idsOf(removed), now),
  ]
  const saving = saves.map(save =>
    saveOne(unit, save).catch(error => {
      throw isRace?.(error, save) ? new RetryTransaction(error) : error
    }),
  )
  await allInOrder([...sent, ...saving, touchReferences(unit, renumberedIn(saves))])
  const [saved, ...savedDependents] = (await Promise.all(saving)) as [Stored, ...Stored[]]
  return { created: !family.primary, primary: saved, dependents: savedDependents }
}

/** Saves one record alone. */
export async function saveRecord(
  unit: UnitOfWork,
  { touchReferences, ...save }: RecordSave & { touchReferences: TouchReferences },
): Promise<Stored> {
  const [, saved] = await allInOrder([
    store.lockNumbers(unit.tx, movedNumbers([save])),
    saveOne(unit, save),
    touchReferences(unit, renumberedIn([save])),
  ])
  return saved
}

/** Ids of the stored records whose number changes. */
const renumberedIn = (saves: RecordSave[]) =>
  idsOf(
    saves.filter(
      ({ record, stored }) =>
        stored && (stored.lostNumber ?? stored.record.employeeNumber) !== record.employeeNumber,
    ),
  )

const idsOf = (records: { record: Applicant }[]) => records.map(({ record }) => record.applicantId)

const numbersOf = (records: { record: Applicant }[]) =>
  records.flatMap(({ record }) => record.employeeNumber ?? [])

/** The numbers that are released or assigned. */
function movedNumbers(saves: RecordSave[]): string[] {
  return saves.flatMap(({ record, stored }) => {
    const before = stored && !stored.archived ? stored.record.employeeNumber : null
    if (before === record.employeeNumber) return []
    return [before, record.employeeNumber].filter(number => number !== null)
  })
}

/** Whether saving the record would change nothing. */
function isUnchanged({ record, stored, primaryId }: RecordSave): boolean {
  return (
    stored !== undefined && !stored.archived && stored.primaryId === primaryId && equal(stored.record, record)
  )
}

/** Writes the record if it differs from the stored one. */
async function saveOne(unit: UnitOfWork, save: RecordSave): Promise<Stored> {
  const { record, stored, primaryId, removedDocuments = [] } = save
  const { tx, now } = unit
  const { applicantId } = record
  if (stored && isUnchanged(save)) {
    unit.audit({ action: 'applicant.read', recordId: applicantId })
    return stored
  }
  unit.audit({
    action: stored ? 'applicant.write' : 'applicant.create',
    recordId: applicantId,
    before: stored && { ...auditedOf(stored.record, stored.primaryId), archived: stored.archived },
    after: { ...auditedOf(record, primaryId), ...(stored && { archived: false }) },
  })
  emitEvent(unit, {
    record,
    primaryId,
    verb: stored ? (stored.archived ? 'restored' : 'updated') : 'created',
  })
  const values = toRow(record, primaryId, now)
  await Promise.all([
    stored ? store.updateApplicant(tx, values) : store.insertApplicant(tx, values),
    saveApplicantDocuments(unit, {
      applicantId,
      before: stored ? documentsOf(stored.record) : [],
      after: documentsOf(record),
      returning: new Set(removedDocuments),
    }),
  ])
  return {
    record,
    primaryId,
    archived: false,
    version: stored ? stored.version + 1 : 1,
    createdAt: stored?.createdAt ?? now,
    updatedAt: now,
  }
}

/** What the audit compares: the record, and its place in a family. */
const auditedOf = ({ applicantId: _applicantId, ...record }: Applicant, primaryId: string | null) => ({
  ...record,
  primaryApplicantId: primaryId,
})

type Verb = 'created' | 'updated' | 'archived' | 'restored'

function emitEvent(
  unit: UnitOfWork,
  { record, primaryId, verb }: { record: Applicant; primaryId: string | null; verb: Verb },
): void {
  const { applicantId } = record
  const recordId = applicantId
  // Only dependents are archived and restored.
  if (primaryId !== null)
    unit.emit({ type: `dependent.${verb}`, recordId, data: { applicantId, primaryApplicantId: primaryId } })
  else if (verb === 'created' || verb === 'updated')
    unit.emit({ type: `applicant.${verb}`, recordId, data: { applicantId } })
}
