// Undoes a merge: both records are as they were before, and what was moved goes back. Only while what the merge made is
// unchanged; cases may have moved on, and take their present state with them.
import { isVisibleCompany } from '../companies/companies.service.ts'
import { RetryTransaction } from '../db/sqlstate.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import {
  listDocumentIds,
  returnDocuments,
  saveApplicantDocuments,
} from '../documents/applicant-documents.service.ts'
import { isFindable } from '../lib/ids.ts'
import type { FieldError } from '../lib/problem.ts'
import { type Applicant, equal, LIST_NAMES, LISTS, type ListName } from './applicant.ts'
import { documentsOf, fromRow, type Stored, toRow } from './applicants.mapper.ts'
import * as applicants from './applicants.store.ts'
import {
  auditedOf,
  type MergedCases,
  type MergedReminders,
  type MergeState,
  noteMove,
  type PartState,
  storedOf,
} from './merge-state.ts'
import { changedSinceMerge, mergeNotFound, mergeUndone } from './merges.errors.ts'
import * as store from './merges.store.ts'
import { lockItemIds, lockNumbers } from './numbers.store.ts'
import type { TouchReferences } from './references.service.ts'

interface Undo {
  mergeId: string
  reason: string | null
  cases: MergedCases
  reminders: MergedReminders
  touchReferences: TouchReferences
}

export interface UndoneMerge {
  merge: store.MergeRow
  target: Stored
  restored: Stored
  moved: { cases: string[]; documents: string[]; dependents: string[] }
}

export async function undoMerge(
  unit: UnitOfWork,
  { mergeId, reason, cases, reminders, touchReferences }: Undo,
): Promise<UndoneMerge> {
  const { tx, now } = unit
  const found = isFindable(mergeId) ? await store.findMerge(tx, mergeId) : undefined
  if (!found) throw mergeNotFound()
  if (found.undoneAt) throw mergeUndone()
  const state = JSON.parse(found.state) as MergeState
  const person = state.parts[0] as PartState
  await lockUnchanged(unit, { mergeId, state, cases })
  const by = unit.actor.user?.name ?? unit.actor.clientId

  await store.deleteAbsorbed(tx, mergeId)
  await store.releaseNumbers(tx, mergeId)
  // A number is released before another record gets it.
  for (const { before } of state.parts)
    await applicants.updateApplicant(tx, toRow(before.record, before.primaryId, now))
  for (const { source } of state.parts)
    await store.restoreApplicant(tx, {
      ...source,
      values: toRow(source.record, source.primaryId, now),
      createdAt: new Date(source.createdAt),
      updatedAt: new Date(source.updatedAt),
    })
  await store.returnDependents(tx, {
    ids: state.movedDependents,
    from: person.targetId,
    to: person.sourceId,
    now,
  })
  for (const part of state.parts) await returnPart(unit, part, { cases, reminders })
  const renumbered = state.parts.filter(
    ({ before, after }) => before.record.employeeNumber !== after.employeeNumber,
  )
  await touchReferences(
    unit,
    renumbered.map(({ targetId }) => targetId),
  )
  await store.markUndone(tx, mergeId, { by, now })
  note(unit, { mergeId, reason, state })
  const [row] = (await applicants.listRecords(tx, [person.targetId], [])).map(fromRow)
  const moved = {
    cases: await cases.listVisible(
      unit,
      state.parts.flatMap(({ caseIds }) => caseIds),
    ),
    documents: await listDocumentIds(
      tx,
      state.parts.map(({ sourceId }) => sourceId),
    ),
    dependents: state.movedDependents.filter(id => state.family.some(one => one.applicantId === id)),
  }
  const { state: _state, ...merge } = found
  return {
    merge: { ...merge, undoneBy: by, undoneAt: now },
    target: row as Stored,
    restored: storedOf(person.source),
    moved,
  }
}

interface Check {
  mergeId: string
  state: MergeState
  cases: MergedCases
}

/** Locks everything that the undo writes, and throws if what the merge made was changed since. */
async function lockUnchanged(unit: UnitOfWork, { mergeId, state, cases }: Check): Promise<void> {
  const { tx } = unit
  const person = state.parts[0] as PartState
  const { targetId } = person
  const primaryOfSource = person.source.primaryId
  const wanted = [targetId, ...(primaryOfSource === null ? [] : [primaryOfSource])]
  const [locked, rows, again] = await Promise.all([
    applicants.lockFamilies(tx, wanted, []),
    applicants.listRecords(tx, wanted, []),
    store.findMerge(tx, mergeId),
  ])
  if (again?.undoneAt) throw mergeUndone()
  const people = rows.map(fromRow)
  if (people.some(({ record, primaryId }) => !locked.includes(primaryId ?? record.applicantId)))
    throw new RetryTransaction()
  const target = people.find(({ record }) => record.applicantId === targetId)
  const changes: FieldError[] = []
  const report = (pointer: string, detail: string) => changes.push({ pointer, detail })
  if (!target || target.archived)
    report('/target', `The record ${targetId} is gone: it was merged into another one, or archived.`)
  else if (target.primaryId !== person.before.primaryId || !equal(target.record, person.after))
    report('/target', `The record ${targetId} was changed.`)
  if (primaryOfSource !== null && !people.some(one => isLivePrimary(one, primaryOfSource)))
    report('/source', `The primary applicant ${primaryOfSource} of the absorbed record is gone.`)
  if (target && target.primaryId === null) await compareFamily()
  const restored = [
    { pointer: '/target', one: person.before },
    { pointer: '/source', one: person.source },
  ]
  for (const { pointer, one } of restored)
    if (one.primaryId === null && !(await isVisibleCompany(tx, one.record.sendingCompany)))
      report(pointer, `You see no company ${one.record.sendingCompany}, which the record had.`)
  const targets = state.parts.map(one => one.targetId)
  const numbers = state.parts.flatMap(({ before, source, after }) =>
    [before.record, source.record, after].flatMap(({ employeeNumber }) => employeeNumber ?? []),
  )
  const released = state.parts.flatMap(({ source, after }) => releasedItems(source.record, after))
  await lockItemIds(tx, released)
  await lockNumbers(tx, [...new Set(numbers)])
  if (released.length > 0 && (await applicants.listKnownItems(tx, released)).length > 0)
    report('/source', 'The id of an item of the absorbed record belongs to another person now.')
  await applicants.lockRecords(tx, [...targets, ...state.movedDependents])
  const known = new Set(state.cases)
  const added = (await cases.lock(unit, targets)).flatMap(({ caseId }) => (known.has(caseId) ? [] : caseId))
  const visible = await cases.listVisible(unit, added)
  if (visible.length > 0) report('/cases', 'A case was created for the merged record.')
  // The caller is not told that there is a case that it does not see.
  else if (added.length > 0) report('/target', `The record ${targetId} was changed.`)
  if (changes.length > 0) throw changedSinceMerge(undefined, { errors: changes })

  async function compareFamily(): Promise<void> {
    const family = (await applicants.listFamily(tx, { id: targetId }))
      .map(fromRow)
      .filter(({ primaryId }) => primaryId === targetId)
    const now = new Map(family.map(({ record }) => [record.applicantId, record]))
    for (const known of state.family) {
      const record = now.get(known.applicantId)
      now.delete(known.applicantId)
      if (!record) report(`/dependents/${known.applicantId}`, 'The dependent left the family.')
      else if (!equal(record, known)) report(`/dependents/${known.applicantId}`, 'The dependent was changed.')
    }
    for (const id of now.keys()) report(`/dependents/${id}`, 'The dependent was added.')
  }
}

const idsIn = (record: Applicant, list: ListName) =>
  record[list].flatMap(item => {
    const id = item[LISTS[list].id]
    return typeof id === 'string' ? [id] : []
  })

/** Ids of items that the merged record has not. Those of documents stay in use. */
const releasedItems = (absorbed: Applicant, merged: Applicant): string[] =>
  LIST_NAMES.filter(list => list !== 'documents').flatMap(list => {
    const remaining = new Set(idsIn(merged, list))
    return idsIn(absorbed, list).filter(id => !remaining.has(id))
  })

const isLivePrimary = ({ record, primaryId, archived }: Stored, id: string) =>
  record.applicantId === id && primaryId === null && !archived

/** Moves what belonged to an absorbed record back to it. */
async function returnPart(
  unit: UnitOfWork,
  part: PartState,
  { cases, reminders }: { cases: MergedCases; reminders: MergedReminders },
): Promise<void> {
  const { sourceId, targetId, caseIds, documents, retiredNumbers, source, before, after } = part
  await cases.move(unit, { caseIds, to: sourceId })
  const remains = new Set(idsIn(after, 'documents'))
  const removed = idsIn(source.record, 'documents').filter(id => !remains.has(id))
  await returnDocuments(unit, { documents, removed, caseIds, from: targetId, to: sourceId })
  const moved = new Set(documents.map(({ documentId }) => documentId))
  const remaining: Applicant = {
    ...after,
    documents: after.documents.filter(one => !moved.has(String(one['documentId']))),
  }
  await saveApplicantDocuments(unit, {
    applicantId: targetId,
    before: documentsOf(remaining),
    after: documentsOf(before.record),
    returning: new Set(),
    keepsSent: true,
  })
  await reminders.moveBack(unit, {
    ids: part.reminders,
    passportIds: source.record.passports.map(one => String(one['passportId'])),
    from: targetId,
    to: sourceId,
  })
  await store.returnRetiredNumbers(unit.tx, retiredNumbers, sourceId)
}

/** Audit entries and events. */
function note(
  unit: UnitOfWork,
  { mergeId, reason, state }: { mergeId: string; reason: string | null; state: MergeState },
): void {
  for (const { sourceId, targetId, source, before, after } of state.parts) {
    unit.audit({
      action: 'applicant.unmerge',
      recordId: targetId,
      before: { ...auditedOf(after), absorbedApplicantId: sourceId, mergeId },
      after: { ...auditedOf(before.record), reason },
    })
    unit.audit({
      action: 'applicant.unmerge',
      recordId: sourceId,
      before: { mergedInto: targetId, mergeId },
      after: { ...auditedOf(source.record), reason },
    })
    const data = { applicantId: targetId, restoredApplicantId: sourceId }
    if (before.primaryId === null) unit.emit({ type: 'applicant.unmerged', recordId: targetId, data })
    else
      unit.emit({
        type: 'dependent.unmerged',
        recordId: targetId,
        data: { ...data, primaryApplicantId: before.primaryId },
      })
  }
  const { sourceId: to, targetId: from } = state.parts[0] as PartState
  const live = new Set(state.family.map(({ applicantId }) => applicantId))
  for (const id of state.movedDependents) if (live.has(id)) noteMove(unit, id, { from, to })
}
