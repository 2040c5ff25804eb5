// Writes records once it is decided what they hold. The caller holds the lock on the primary applicant's row.
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { saveApplicantDocuments } from '../documents/applicant-documents.service.ts'
import { allInOrder } from '../lib/async.ts'
import { type Applicant, equal } from './applicant.ts'
import { documentsOf, type Stored, toRow } from './applicants.mapper.ts'
import * as store from './applicants.store.ts'
import type { TouchReferences } from './references.service.ts'

/** A record as it is to be, and as it is. */
export interface Wanted {
  record: Applicant
  stored: Stored | undefined
  /** Documents that were once in the record; those of them that are in `record` come back. */
  removedDocuments?: string[]
}

export interface Save extends Wanted {
  primaryId: string | null
}

export interface SavedFamily {
  created: boolean
  primary: Stored
  dependents: Stored[]
}

interface FamilySave {
  family: { primary: Stored | undefined; dependents: Stored[] }
  primary: Wanted
  /** Undefined leaves them alone. */
  dependents: Wanted[] | undefined
  /** Whether this error means that another transaction created the same record between our read and our insert. */
  raced?: (error: unknown, save: Save) => boolean
  touchReferences: TouchReferences
}

export async function saveFamily(
  unit: UnitOfWork,
  { family, primary, dependents, raced, touchReferences }: FamilySave,
): Promise<SavedFamily> {
  const { tx, now } = unit
  const primaryId = primary.record.applicantId
  const wanted = dependents ?? family.dependents.map(stored => ({ record: stored.record, stored }))
  const saves: Save[] = [{ ...primary, primaryId: null }, ...wanted.map(one => ({ ...one, primaryId }))]
  const kept = new Set(wanted.map(({ record }) => record.applicantId))
  const removed = family.dependents.filter(({ record }) => !kept.has(record.applicantId))
  for (const { record } of removed) {
    unit.audit({ action: 'applicant.archive', recordId: record.applicantId })
    announce(unit, { record, primaryId, verb: 'archived' })
  }
  // Sent in this order without waiting for one another: an archived record gives its number back before another takes
  // it, and a primary applicant is there before its dependents.
  const sent = [
    store.lockNumbers(tx, [...movedNumbers(saves), ...numbersOf(removed)]),
    removed.length > 0 && store.archiveApplicants(tx, idsOf(removed), now),
  ]
  const saving = saves.map(save =>
    saveOne(unit, save).catch(error => {
      throw raced?.(error, save) ? new RetryTransaction() : error
    }),
  )
  await allInOrder([...sent, ...saving, touchReferences(unit, renumberedIn(saves))])
  const [saved, ...savedDependents] = (await Promise.all(saving)) as [Stored, ...Stored[]]
  return { created: !family.primary, primary: saved, dependents: savedDependents }
}

/** One record by itself. */
export async function saveRecord(
  unit: UnitOfWork,
  { touchReferences, ...save }: Save & { touchReferences: TouchReferences },
): Promise<Stored> {
  const [, saved] = await allInOrder([
    store.lockNumbers(unit.tx, movedNumbers([save])),
    saveOne(unit, save),
    touchReferences(unit, renumberedIn([save])),
  ])
  return saved
}

/** The records that existed and get another number. */
const renumberedIn = (saves: Save[]) =>
  idsOf(
    saves.filter(
      ({ record, stored }) =>
        stored && (stored.lostNumber ?? stored.record.employeeNumber) !== record.employeeNumber,
    ),
  )

const idsOf = (records: { record: Applicant }[]) => records.map(({ record }) => record.applicantId)

const numbersOf = (records: { record: Applicant }[]) =>
  records.flatMap(({ record }) => record.employeeNumber ?? [])

/** The numbers that are given back or taken. */
function movedNumbers(saves: Save[]): string[] {
  return saves.flatMap(({ record, stored }) => {
    const before = stored && !stored.archived ? stored.record.employeeNumber : null
    if (before === record.employeeNumber) return []
    return [before, record.employeeNumber].filter(number => number !== null)
  })
}

/** Whether saving the record would change nothing. */
function isUnchanged({ record, stored, primaryId }: Save): boolean {
  return (
    stored !== undefined && !stored.archived && stored.primaryId === primaryId && equal(stored.record, record)
  )
}

/** Writes the record where it differs from what is stored. */
async function saveOne(unit: UnitOfWork, save: Save): Promise<Stored> {
  const { record, stored, primaryId, removedDocuments = [] } = save
  const { tx, now } = unit
  const { applicantId } = record
  if (stored && isUnchanged(save)) {
    unit.audit({ action: 'applicant.read', recordId: applicantId })
    return stored
  }
  unit.audit({ action: stored ? 'applicant.write' : 'applicant.create', recordId: applicantId })
  announce(unit, { record, primaryId, verb: stored ? (stored.archived ? 'restored' : 'updated') : 'created' })
  const saving = toRow(record, primaryId, now)
  await Promise.all([
    stored ? store.updateApplicant(tx, saving) : store.insertApplicant(tx, saving),
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

type Verb = 'created' | 'updated' | 'archived' | 'restored'

function announce(
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
