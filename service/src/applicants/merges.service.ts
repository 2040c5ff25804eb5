// Merges two records of one person into one, and undoes a merge. Lock order: the rows of the primary applicants by id, the
// employee numbers, the rows of all other people concerned by id, their cases by id, their documents, the duplicates.
import { requireOwnCompany, unknownCompany } from '../companies/companies.service.ts'
import type { Sql, Tx } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { isLimited } from '../db/limited.ts'
import { EXACT_TOTAL } from '../db/ordered-list.ts'
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import {
  listDocumentIds,
  listFiledDocuments,
  moveDocuments,
  saveApplicantDocuments,
} from '../documents/applicant-documents.service.ts'
import { isFindable, newId } from '../lib/ids.ts'
import { invalid } from '../lib/problem.ts'
import type { Applicant } from './applicant.ts'
import * as errors from './applicants.errors.ts'
import { documentsOf, etagOf, fromRow, type Stored, toRow } from './applicants.mapper.ts'
import * as applicants from './applicants.store.ts'
import {
  type Choices,
  choiceErrorsOf,
  type MergePlan,
  type PersonMerge,
  planMerge,
  type Side,
  sizeErrorsOf,
} from './merge-plan.ts'
import {
  auditedOf,
  type CaseOfApplicant,
  type MergedCases,
  type MergedReminders,
  type MergeState,
  noteMove,
  type PartState,
  savedOf,
} from './merge-state.ts'
import { undoMerge } from './merge-undo.ts'
import { absentApplicant, recordsNotMergeable } from './merges.errors.ts'
import * as store from './merges.store.ts'
import { lockNumbers } from './numbers.store.ts'
import type { TouchReferences } from './references.service.ts'

export interface MergeDependencies {
  sql: Sql
  touchReferences: TouchReferences
  cases: MergedCases
  reminders: MergedReminders
}

export interface MergeRequest {
  /** The record to absorb. */
  from: string
  choices: Choices
  number: Side | undefined
  dryRun: boolean
  /** Throw if a record does not meet the preconditions of the request. */
  requireTarget: (etag: string) => void
  requireSource: (etag: string) => void
}

export interface MergeResult {
  /** Undefined for a dry run. */
  mergeId: string | undefined
  plan: MergePlan
  primary: Stored
  dependents: Stored[]
  moved: { cases: string[]; documents: string[]; dependents: string[] }
}

export type Merges = ReturnType<typeof createMerges>

export function createMerges({ sql, touchReferences, cases, reminders }: MergeDependencies) {
  return {
    async merge(unit: UnitOfWork, applicantId: string, request: MergeRequest): Promise<MergeResult> {
      const { from, dryRun } = request
      if (from === applicantId)
        throw invalid([{ pointer: '/from', detail: 'Must be another record than that of the path.' }])
      const plan = await lockAndPlan(unit, applicantId, request)
      const visible = async (movedCases: string[]) => ({
        cases: await cases.listVisible(unit, movedCases),
        documents: await listDocumentIds(
          unit.tx,
          partsOf(plan).map(({ source }) => source.record.applicantId),
        ),
        dependents: plan.moved.map(({ record }) => record.applicantId),
      })
      const absorbedIds = partsOf(plan).map(({ source }) => source.record.applicantId)
      const locked = await lockMoved(unit, plan, cases)
      const movedCases = locked.filter(one => absorbedIds.includes(one.applicantId))
      const moved = await visible(movedCases.map(({ caseId }) => caseId))
      if (dryRun) {
        for (const recordId of [applicantId, from]) unit.audit({ action: 'applicant.read', recordId })
        return { mergeId: undefined, plan, moved, ...resultOf(plan, unit.now) }
      }
      const mergeId = newId<'merge'>() as string
      await execute(unit, { mergeId, plan, locked })
      record(unit, plan, mergeId)
      return { mergeId, plan, moved, ...resultOf(plan, unit.now) }
    },

    undo: (unit: UnitOfWork, mergeId: string, reason: string | null) =>
      undoMerge(unit, { mergeId, reason, cases, reminders, touchReferences }),

    /** The records that this one has absorbed, also by way of others. */
    listAbsorbed: (applicantId: string) => store.listAbsorbed(sql, applicantId),

    async list(
      { applicantId }: { applicantId?: string },
      { limit, after, before }: PageRequest<store.MergePosition>,
    ) {
      if (applicantId !== undefined && !isFindable(applicantId))
        return { records: [], next: undefined, prev: undefined, total: 0 }
      const filters = { applicantId }
      const from = after ?? before
      const backwards = before !== undefined
      const opposite = from && { ...from, inclusive: !from.inclusive }
      const [rows, behind] = await Promise.all([
        store.listMerges(sql, filters, { from, backwards, limit: limit + 1 }),
        from && store.listMerges(sql, filters, { from: opposite, backwards: !backwards, limit: 1 }),
      ])
      const more = rows.length > limit
      const kept = rows.slice(0, limit)
      const records = backwards ? kept.reverse() : kept
      const hasBehind = behind !== undefined && behind.length > 0
      const [hasNext, hasPrev] = backwards ? [hasBehind, more] : [more, hasBehind]
      const positionAt = (row: store.MergeRow | undefined) =>
        row ? { at: row.mergedAt.toISOString(), seq: row.seq, inclusive: false } : opposite
      return {
        records,
        next: hasNext ? positionAt(records.at(-1)) : undefined,
        prev: hasPrev ? positionAt(records[0]) : undefined,
        total: from || more ? await store.countMerges(sql, filters, EXACT_TOTAL + 1) : rows.length,
      }
    },
  }

  /** Locks both families, checks the request against the records, and plans the merge. */
  async function lockAndPlan(
    { tx }: UnitOfWork,
    applicantId: string,
    { from, choices, number, requireTarget, requireSource }: MergeRequest,
  ): Promise<MergePlan> {
    if (!isFindable(applicantId)) throw errors.applicantNotFound()
    const [locked, rows] = await Promise.all([
      applicants.lockFamilies(tx, [applicantId, from], []),
      applicants.listRecords(tx, [applicantId, from], []),
    ])
    const live = rows.map(fromRow).filter(({ archived }) => !archived)
    // A dependent moved to another family while we waited, so we do not hold the lock of that family.
    if (live.some(({ record, primaryId }) => !locked.includes(primaryId ?? record.applicantId)))
      throw new RetryTransaction()
    const target = live.find(({ record }) => record.applicantId === applicantId)
    if (!target) throw await absentApplicant(tx, { id: applicantId })
    const source = live.find(({ record }) => record.applicantId === from)
    if (!source) {
      const detail = 'There is no such record. One that was merged already is not merged again.'
      throw errors.unknownReference(undefined, { errors: [{ pointer: '/from', detail }] })
    }
    requireTarget(etagOf(target))
    requireSource(etagOf(source))
    requireMergeable(target, source)
    const [targetDependents, sourceDependents] = await Promise.all(
      [target, source].map(one => listDependents(tx, one)),
    )
    const people = [target, source, ...(targetDependents ?? []), ...(sourceDependents ?? [])]
    const filed = await listFiledDocuments(tx, idsOf(people))
    const input = {
      target,
      source,
      targetDependents: targetDependents ?? [],
      sourceDependents: sourceDependents ?? [],
      choices,
      number,
      filed: new Set(filed),
    }
    const choiceErrors = choiceErrorsOf(input)
    if (choiceErrors.length > 0) throw invalid(choiceErrors)
    const plan = planMerge(input)
    const sizeErrors = sizeErrorsOf(plan)
    if (sizeErrors.length > 0) throw recordsNotMergeable(undefined, { errors: sizeErrors })
    await requireSight(tx, plan.person)
    return plan
  }

  async function execute(
    unit: UnitOfWork,
    { mergeId, plan, locked }: { mergeId: string; plan: MergePlan; locked: CaseOfApplicant[] },
  ): Promise<void> {
    const { tx, now } = unit
    const parts = partsOf(plan)
    const { target, source } = plan.person
    const [targetId, sourceId] = [target.record.applicantId, source.record.applicantId]
    const seqs = await store.listSeqs(tx, idsOf(parts.flatMap(part => [part.target, part.source])))
    const states: PartState[] = []
    for (const part of parts) states.push(await movePart(unit, part, { seqs, locked }))
    const absorbed = states.map(({ sourceId, targetId }) => ({ sourceId, targetId }))
    const movedDependents = await store.moveDependents(tx, {
      from: sourceId,
      to: targetId,
      except: absorbed.map(one => one.sourceId),
      now,
    })
    const state: MergeState = {
      employeeNumber: plan.person.record.employeeNumber,
      retiredNumber: plan.retiredNumber,
      mergedDependents: absorbed
        .slice(1)
        .map(one => ({ applicantId: one.targetId, absorbedApplicantId: one.sourceId })),
      parts: states,
      movedDependents,
      family: resultOf(plan, now).dependents.map(({ record }) => record),
      cases: locked.map(({ caseId }) => caseId),
    }
    const by = unit.actor.user?.name ?? unit.actor.clientId
    await store.insertMerge(tx, { mergeId, targetId, sourceId, state, by, now })
    await store.absorb(tx, mergeId, absorbed)
    for (const part of parts) await saveTarget(unit, part)
    const { retiredNumber } = plan
    if (retiredNumber !== null)
      await store.retireNumberByMerge(tx, retiredNumber, { applicantId: targetId, mergeId, now })
    const renumbered = parts.filter(part => part.record.employeeNumber !== part.target.record.employeeNumber)
    await touchReferences(unit, idsOf(renumbered.map(part => part.target)))
  }

  /** Moves what belongs to an absorbed record. */
  async function movePart(
    unit: UnitOfWork,
    { target, source, record, duplicateDocuments }: PersonMerge,
    { seqs, locked }: { seqs: Map<string, string>; locked: CaseOfApplicant[] },
  ): Promise<PartState> {
    const [to, from] = [target.record.applicantId, source.record.applicantId]
    const caseIds = locked.filter(one => one.applicantId === from).map(({ caseId }) => caseId)
    await cases.move(unit, { caseIds, to })
    const doubled = new Set(duplicateDocuments)
    const documents = await moveDocuments(unit, {
      from,
      to,
      order: documentsOf(source.record)
        .map(one => one.documentId)
        .filter(id => !doubled.has(id)),
      offset: target.record.documents.length,
      removed: duplicateDocuments,
    })
    const movedReminders = await reminders.move(unit, { from, to })
    const retiredNumbers = await store.moveRetiredNumbers(unit.tx, { from, to })
    return {
      sourceId: from,
      targetId: to,
      source: savedOf(source, seqs.get(from) ?? ''),
      before: savedOf(target, seqs.get(to) ?? ''),
      after: record,
      caseIds,
      documents,
      retiredNumbers,
      reminders: movedReminders,
    }
  }
}

/** The person itself and the dependents that both records have. */
const partsOf = ({ person, dependents }: MergePlan): PersonMerge[] => [person, ...dependents]

const idsOf = (people: Stored[]) => people.map(({ record }) => record.applicantId)

function requireMergeable(target: Stored, source: Stored): void {
  const [a, b] = [target.primaryId, source.primaryId]
  if ((a === null) === (b === null) || b === target.record.applicantId) return
  throw recordsNotMergeable(
    a === null
      ? 'The record to absorb is a dependent of another primary applicant.'
      : 'A primary applicant cannot become a dependent. Merge the other way round.',
  )
}

/** A limited caller keeps the merged record in sight: a dependent that is absorbed may name any company, or none. */
async function requireSight(tx: Tx, { target, record }: PersonMerge): Promise<void> {
  const { sendingCompany } = record
  if (target.primaryId !== null || sendingCompany === target.record.sendingCompany) return
  const pointer = '/choices/sendingCompany'
  if (isLimited(tx) && !sendingCompany?.trim())
    throw unknownCompany(undefined, {
      errors: [{ pointer, detail: 'The absorbed record names no company. Choose that of the target.' }],
    })
  await requireOwnCompany(tx, sendingCompany, pointer)
}

/** The live dependents of a primary applicant. */
async function listDependents(tx: Tx, { record, primaryId }: Stored): Promise<Stored[]> {
  if (primaryId !== null) return []
  const rows = await applicants.listFamily(tx, { id: record.applicantId })
  return rows.map(fromRow).filter(one => one.primaryId === record.applicantId && !one.archived)
}

/** Locks what the merge moves, and returns the cases of everyone whose record changes. */
async function lockMoved(unit: UnitOfWork, plan: MergePlan, cases: MergedCases) {
  const { tx } = unit
  const parts = partsOf(plan)
  const people = parts.flatMap(({ target, source }) => [target, source])
  const numbers = people.flatMap(({ record }) => record.employeeNumber ?? [])
  await lockNumbers(tx, numbers)
  await applicants.lockRecords(tx, idsOf([...people, ...plan.moved]))
  return cases.lock(unit, idsOf(people))
}

/** Writes the remaining record. Its documents are those of both by now. */
async function saveTarget(unit: UnitOfWork, part: PersonMerge): Promise<void> {
  const { target, source, record, duplicateDocuments } = part
  const doubled = new Set(duplicateDocuments)
  const before: Applicant = {
    ...target.record,
    documents: [
      ...target.record.documents,
      ...source.record.documents.filter(one => !doubled.has(String(one['documentId']))),
    ],
  }
  await applicants.updateApplicant(unit.tx, toRow(record, target.primaryId, unit.now))
  await saveApplicantDocuments(unit, {
    applicantId: record.applicantId,
    before: documentsOf(before),
    after: documentsOf(record),
    returning: new Set(),
    keepsSent: true,
  })
}

/** The merged family as it is after the merge. */
function resultOf(
  { person, dependents, moved, untouched }: MergePlan,
  now: Date,
): { primary: Stored; dependents: Stored[] } {
  const saved = ({ target, record }: PersonMerge): Stored => ({
    ...target,
    record,
    version: target.version + 1,
    updatedAt: now,
  })
  const primaryId = person.target.record.applicantId
  const arrived = moved.map(one => ({ ...one, primaryId, version: one.version + 1, updatedAt: now }))
  return { primary: saved(person), dependents: [...untouched, ...dependents.map(saved), ...arrived] }
}

/** Audit entries and events. */
function record(unit: UnitOfWork, plan: MergePlan, mergeId: string): void {
  for (const [index, part] of partsOf(plan).entries()) {
    const [applicantId, absorbedApplicantId] = [
      part.target.record.applicantId,
      part.source.record.applicantId,
    ]
    const { primaryId } = part.target
    unit.audit({
      action: 'applicant.merge',
      recordId: applicantId,
      before: auditedOf(part.target.record),
      after: { ...auditedOf(part.record), absorbedApplicantId, mergeId },
    })
    unit.audit({
      action: 'applicant.merge',
      recordId: absorbedApplicantId,
      before: auditedOf(part.source.record),
      after: { mergedInto: applicantId, mergeId },
    })
    const retiredEmployeeNumber = index === 0 ? plan.retiredNumber : null
    const data = { applicantId, absorbedApplicantId, retiredEmployeeNumber }
    if (primaryId === null) unit.emit({ type: 'applicant.merged', recordId: applicantId, data })
    else
      unit.emit({
        type: 'dependent.merged',
        recordId: applicantId,
        data: { ...data, primaryApplicantId: primaryId },
      })
  }
  const [from, to] = [plan.person.source.record.applicantId, plan.person.target.record.applicantId]
  for (const { record } of plan.moved) noteMove(unit, record.applicantId, { from, to })
}
