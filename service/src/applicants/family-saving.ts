// Saves the next records of a family, with their audit entries and events. The caller holds the lock on the row of the
// primary applicant.
import { setImmediate as flushSocket } from 'node:timers/promises'
import { RetryTransaction, violates } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { saveApplicantDocuments } from '../documents/applicant-documents.service.ts'
import { allInOrder } from '../lib/async.ts'
import { type Applicant, equal } from './applicant.ts'
import type { employeeNumberInUse } from './applicants.errors.ts'
import { documentsOf, type Stored, toRow } from './applicants.mapper.ts'
import * as store from './applicants.store.ts'
import { lockNumbers } from './numbers.store.ts'
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

export interface FamilySave {
  family: { primary: Stored | undefined; dependents: Stored[] }
  primary: NextRecord
  /** Undefined leaves the dependents as they are. */
  dependents: NextRecord[] | undefined
  /** The dependents of the request, in its order; `dependents` by default. */
  mentioned?: NextRecord[]
  /** Whether this error means that another transaction created the same record between our read and our insert. */
  isRace?: (error: unknown, save: RecordSave) => boolean
}

export async function saveFamily(
  unit: UnitOfWork,
  { touchReferences, isRace, ...rest }: FamilySave & { touchReferences: TouchReferences },
): Promise<SavedFamily> {
  const { tx, now } = unit
  const { saves, removed } = savesOf(rest)
  for (const { record } of removed) noteArchived(unit, record, rest.primary.record.applicantId)
  // The statements are sent in this order without waiting for one another: a number is released before another record
  // gets it, and a primary applicant is inserted before its dependents.
  const sent = [
    lockNumbers(tx, [...movedNumbers(saves), ...numbersOf(removed)]),
    removed.length > 0 && store.archiveApplicants(tx, idsOf(removed), now),
  ]
  const saving = saves.map(save =>
    saveOne(unit, save).catch(error => {
      throw isRace?.(error, save) ? new RetryTransaction(error) : locateNumber(error, pointerOf(save, rest))
    }),
  )
  await allInOrder([...sent, ...saving, touchReferences(unit, renumberedIn(saves))])
  const [saved, ...savedDependents] = (await Promise.all(saving)) as [Stored, ...Stored[]]
  return { created: !rest.family.primary, primary: saved, dependents: savedDependents }
}

/**
 * Saves many families, none of which uses a record, number or id of another one, with a statement for each kind of write.
 * A record that does not change is not written and has no audit entry: nothing of it is returned to a caller.
 */
export async function saveFamilies(
  unit: UnitOfWork,
  families: FamilySave[],
  touchReferences: TouchReferences,
): Promise<void> {
  const { tx, now } = unit
  const parts = families.map(one => ({ ...savesOf(one), primaryId: one.primary.record.applicantId }))
  const all = parts.flatMap(part => part.saves)
  const sent: Promise<unknown>[] = []
  const send = (statement: Promise<unknown>) => {
    // The error is thrown below. Until then, it is not unhandled.
    statement.catch(() => {})
    sent.push(statement)
  }
  send(lockNumbers(tx, [...movedNumbers(all), ...numbersOf(parts.flatMap(part => part.removed))]))
  for (let start = 0; start < parts.length; start += CHUNK) {
    for (const statement of sendChunk(unit, parts.slice(start, start + CHUNK), now)) send(statement)
    // Written to the socket now: PostgreSQL saves these families while the next ones are prepared, and requests run.
    await flushSocket()
  }
  send(touchReferences(unit, renumberedIn(all)))
  await allInOrder(sent)
}

/** Families of one statement. */
const CHUNK = 40

interface FamilyPart {
  saves: RecordSave[]
  removed: Stored[]
  primaryId: string
}

/** Sends the writes of some families, in the order of `saveFamily`. */
function sendChunk(unit: UnitOfWork, parts: FamilyPart[], now: Date): Promise<unknown>[] {
  const { tx } = unit
  for (const { removed, primaryId } of parts)
    for (const { record } of removed) noteArchived(unit, record, primaryId)
  const removed = parts.flatMap(part => part.removed)
  const saves = parts.flatMap(part => part.saves).filter(save => !isUnchanged(save))
  for (const save of saves) noteSaved(unit, save)
  const rows = (wanted: RecordSave[]) => wanted.map(({ record, primaryId }) => toRow(record, primaryId, now))
  const created = saves.filter(({ stored }) => !stored)
  return [
    ...(removed.length > 0 ? [store.archiveApplicants(tx, idsOf(removed), now)] : []),
    store.updateApplicants(tx, rows(saves.filter(({ stored }) => stored))),
    store.insertApplicants(tx, rows(created.filter(({ primaryId }) => primaryId === null))),
    store.insertApplicants(tx, rows(created.filter(({ primaryId }) => primaryId !== null))),
    saveApplicantDocuments(unit, ...saves.map(documentChangeOf)),
  ]
}

/** The records of a family as they will be, and the dependents that leave it. */
export function savesOf({ family, primary, dependents }: Omit<FamilySave, 'isRace'>): {
  saves: RecordSave[]
  removed: Stored[]
} {
  const primaryId = primary.record.applicantId
  const next = dependents ?? family.dependents.map(stored => ({ record: stored.record, stored }))
  const kept = new Set(next.map(({ record }) => record.applicantId))
  return {
    saves: [{ ...primary, primaryId: null }, ...next.map(one => ({ ...one, primaryId }))],
    removed: family.dependents.filter(({ record }) => !kept.has(record.applicantId)),
  }
}

function noteArchived(unit: UnitOfWork, record: Applicant, primaryId: string): void {
  unit.audit({
    action: 'applicant.archive',
    recordId: record.applicantId,
    before: { archived: false },
    after: { archived: true },
  })
  emitEvent(unit, { record, primaryId, verb: 'archived' })
}

/** Where the request has this record. */
export function pointerOf(
  { record, primaryId }: RecordSave,
  { dependents, mentioned = dependents ?? [] }: Pick<FamilySave, 'dependents' | 'mentioned'>,
): string {
  if (primaryId === null) return '/primaryApplicant'
  return `/dependents/${mentioned.findIndex(one => one.record.applicantId === record.applicantId)}`
}

/** Where the request has the number that another person has, or had. Part of the response. */
export function locateNumber(error: unknown, pointer: string): unknown {
  const isNumber =
    violates(error, 'applicants_employee_number') || violates(error, 'applicants_number_not_retired')
  return isNumber ? Object.assign(error as Error, { pointer: `${pointer}/employeeNumber` }) : error
}

/** A number that these records of a request cannot get. */
export const numberProblem = (kind: typeof employeeNumberInUse, pointers: string[]) =>
  kind(undefined, {
    errors: pointers.map(pointer => ({ pointer: `${pointer}/employeeNumber`, detail: kind.kind.title })),
  })

/** Saves one record alone. */
export async function saveRecord(
  unit: UnitOfWork,
  { touchReferences, ...save }: RecordSave & { touchReferences: TouchReferences },
): Promise<Stored> {
  const [, saved] = await allInOrder([
    lockNumbers(unit.tx, movedNumbers([save])),
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
export function movedNumbers(saves: RecordSave[]): string[] {
  return saves.flatMap(({ record, stored }) => {
    const before = stored && !stored.archived ? stored.record.employeeNumber : null
    if (before === record.employeeNumber) return []
    return [before, record.employeeNumber].filter(number => number !== null)
  })
}

/** Whether saving the record would change nothing. */
export function isUnchanged({ record, stored, primaryId }: RecordSave): boolean {
  return (
    stored !== undefined && !stored.archived && stored.primaryId === primaryId && equal(stored.record, record)
  )
}

/** Writes the record if it differs from the stored one. */
async function saveOne(unit: UnitOfWork, save: RecordSave): Promise<Stored> {
  const { record, stored, primaryId } = save
  const { tx, now } = unit
  if (stored && isUnchanged(save)) {
    unit.audit({ action: 'applicant.read', recordId: record.applicantId })
    return stored
  }
  noteSaved(unit, save)
  const values = toRow(record, primaryId, now)
  await Promise.all([
    stored ? store.updateApplicant(tx, values) : store.insertApplicant(tx, values),
    saveApplicantDocuments(unit, documentChangeOf(save)),
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

const documentChangeOf = ({ record, stored, removedDocuments = [] }: RecordSave) => ({
  applicantId: record.applicantId,
  before: stored ? documentsOf(stored.record) : [],
  after: documentsOf(record),
  returning: new Set(removedDocuments),
})

/** The audit entry and the event of a record that is written. */
function noteSaved(unit: UnitOfWork, { record, stored, primaryId }: RecordSave): void {
  unit.audit({
    action: stored ? 'applicant.write' : 'applicant.create',
    recordId: record.applicantId,
    before: stored && { ...auditedOf(stored.record, stored.primaryId), archived: stored.archived },
    after: { ...auditedOf(record, primaryId), ...(stored && { archived: false }) },
  })
  emitEvent(unit, {
    record,
    primaryId,
    verb: stored ? (stored.archived ? 'restored' : 'updated') : 'created',
  })
}

/** What the audit compares: the record without its id, and its primary applicant. Leaving a field out copies more slowly. */
const auditedOf = (record: Applicant, primaryId: string | null) => ({
  ...record,
  applicantId: undefined,
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
