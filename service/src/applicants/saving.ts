// Owns how records are written once it is settled what they are to hold: in which order, so that numbers can change
// hands within a family, and under which locks. Whoever calls holds the primary applicant's row.
import { RunAgain } from '../db/sqlstate.ts'
import type { Unit } from '../db/unit.ts'
import { saveApplicantDocuments } from '../documents/applicant-documents.service.ts'
import { together } from '../lib/together.ts'
import { type Applicant, equal } from './applicant.ts'
import * as store from './applicants.store.ts'
import { searchKeysOf } from './search-keys.ts'
import { documentsOf, type Stored } from './stored.ts'

/** A record as it is to be, and as it is. */
export interface Wanted {
  record: Applicant
  stored: Stored | undefined
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
  primary: Applicant
  /** Undefined leaves them alone. */
  dependents: Wanted[] | undefined
  /** Whether this error means that somebody made the very record between our look and our insert. */
  raced?: (error: unknown, save: Save) => boolean
}

export async function saveFamily(
  unit: Unit,
  { family, primary, dependents, raced }: FamilySave,
): Promise<SavedFamily> {
  const { tx, now } = unit
  const primaryId = primary.applicantId
  const wanted = dependents ?? family.dependents.map(stored => ({ record: stored.record, stored }))
  const saves: Save[] = [
    { record: primary, stored: family.primary, primaryId: null },
    ...wanted.map(one => ({ ...one, primaryId })),
  ]
  const kept = new Set(wanted.map(({ record }) => record.applicantId))
  const removed = family.dependents.filter(({ record }) => !kept.has(record.applicantId))
  const renumbered = saves.filter(
    ({ record, stored }) =>
      stored?.record.employeeNumber && stored.record.employeeNumber !== record.employeeNumber,
  )
  for (const { record } of removed) {
    unit.audit({ action: 'applicant.archive', recordId: record.applicantId })
    announce(unit, { applicantId: record.applicantId, primaryId, verb: 'updated' })
  }
  // All statements are sent in this order without waiting for one another: numbers are given back before they are
  // taken, and a primary applicant is there before its dependents.
  const sent = [
    store.lockNumbers(tx, [...movedNumbers(saves), ...numbersOf(removed)]),
    removed.length > 0 && store.archiveApplicants(tx, idsOf(removed), now),
    renumbered.length > 0 && store.releaseNumbers(tx, idsOf(renumbered)),
  ]
  const saving = saves.map(save =>
    saveOne(unit, save).catch(error => {
      throw raced?.(error, save) ? new RunAgain() : error
    }),
  )
  await together([...sent, ...saving])
  const [saved, ...savedDependents] = (await Promise.all(saving)) as [Stored, ...Stored[]]
  return { created: !family.primary, primary: saved, dependents: savedDependents }
}

/** One record by itself. */
export async function saveRecord(unit: Unit, save: Save): Promise<Stored> {
  const [, saved] = await Promise.all([store.lockNumbers(unit.tx, movedNumbers([save])), saveOne(unit, save)])
  return saved
}

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

/** Writes the record where it differs from what is stored. */
async function saveOne(unit: Unit, { record, stored, primaryId }: Save): Promise<Stored> {
  const { tx, now } = unit
  const { applicantId } = record
  const unchanged =
    stored && !stored.archived && stored.primaryId === primaryId && equal(stored.record, record)
  unit.audit({ action: stored ? 'applicant.write' : 'applicant.create', recordId: applicantId })
  if (unchanged) return stored
  announce(unit, { applicantId, primaryId, verb: stored ? 'updated' : 'created' })
  const { documents: _documents, ...rest } = record
  const saving = { record: rest, primaryId, searchKeys: searchKeysOf(record), now }
  const before = stored ? documentsOf(stored.record) : []
  await Promise.all([
    stored ? store.updateApplicant(tx, saving) : store.insertApplicant(tx, saving),
    saveApplicantDocuments(unit, { applicantId, before, after: documentsOf(record) }),
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

function announce(
  unit: Unit,
  { applicantId, primaryId, verb }: { applicantId: string; primaryId: string | null; verb: string },
): void {
  const data = primaryId ? { applicantId, primaryApplicantId: primaryId } : { applicantId }
  unit.emit({ type: `${primaryId ? 'dependent' : 'applicant'}.${verb}`, recordId: applicantId, data })
}
