// Writes of many families by employee number, for imports: planned with the rules of single requests, and saved with one
// statement for each kind of write.
import { findNamedCompanies } from '../companies/companies.service.ts'
import type { Sql, Tx } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isFindable } from '../lib/ids.ts'
import { Problem } from '../lib/problem.ts'
import type { FamilyInput } from './applicant.ts'
import { idsOfItems, isUnchangedByMerge, isUnchangedByReplace } from './applicant-changes.ts'
import * as errors from './applicants.errors.ts'
import type { Families } from './families.service.ts'
import { type BatchReads, createBatchReads } from './family-batch-reads.ts'
import { changedIn, companyTextsOf, isNoOp, type Taken, takenBy } from './family-differences.ts'
import { familyOf } from './family-lookup.ts'
import { unchangedOf } from './family-no-op.ts'
import { type FamilyPlan, inOwnCompany, planMerge, planReplace } from './family-planning.ts'
import { movedNumbers, numberProblem, pointerOf, saveFamilies, savesOf } from './family-saving.ts'
import { findPrimaryIds, listNumberStates, listPrimaryNumbers } from './numbers.store.ts'
import type { TouchReferences } from './references.service.ts'
import type { FamilyChange } from './write-checks.ts'

export type Verb = 'replace' | 'merge'

export interface FamilyWrite {
  number: string
  input: FamilyInput
}

export type FamilyOutcome =
  | { outcome: 'created' | 'updated'; applicantId: string | null; changed: string[]; taken: Taken }
  | { outcome: 'unchanged'; applicantId: string; people: number }
  | { outcome: 'rejected'; problem: Problem }

/** What became of one write before it is saved. */
type Planned =
  | { kind: 'unchanged'; applicantId: string; people: number }
  | { kind: 'plan'; plan: FamilyPlan }
  | { kind: 'rejected'; problem: Problem }

/** Imports have no preconditions. */
const requireState = () => {}

const VERBS = {
  replace: { plan: planReplace, isUnchanged: isUnchangedByReplace },
  merge: { plan: planMerge, isUnchanged: isUnchangedByMerge },
}

export type FamilyBatches = ReturnType<typeof createFamilyBatches>

export function createFamilyBatches({
  families,
  touchReferences,
}: {
  families: Families
  touchReferences: TouchReferences
}) {
  return {
    /** What each write would do. Takes no lock and writes nothing. */
    async check(tx: Tx, verb: Verb, writes: FamilyWrite[]): Promise<FamilyOutcome[]> {
      const planned = await planAll(createBatchReads(tx, { locks: false }), verb, writes)
      return outcomesOf(tx, await withoutTakenNumbers(tx, planned))
    },

    /**
     * Saves the writes, up to the first one that depends on an earlier one: the result may be shorter. Throws where the
     * database rejects one of them; each is then to be saved alone.
     */
    async save(unit: UnitOfWork, verb: Verb, writes: FamilyWrite[]): Promise<FamilyOutcome[]> {
      const planned = await planAll(createBatchReads(unit.tx, { locks: true }), verb, writes)
      const independent = planned.slice(0, independentCount(writes, planned))
      const checked = await withoutTakenNumbers(unit.tx, independent)
      const plans = checked.flatMap(one => (one.kind === 'plan' && !isNoOp(one.plan) ? [one.plan] : []))
      if (plans.length > 0) await saveFamilies(unit, plans, touchReferences)
      return outcomesOf(unit.tx, checked, { saved: true })
    },

    /** Saves one write as a single request does. Throws the problem of a write that is rejected. */
    async saveOne(unit: UnitOfWork, verb: Verb, { number, input }: FamilyWrite): Promise<FamilyOutcome> {
      const key = { number }
      const { plan } = VERBS[verb]
      const planned = await plan(createBatchReads(unit.tx, { locks: true }), key, { input, requireState })
      if (isNoOp(planned))
        return {
          outcome: 'unchanged',
          applicantId: planned.primary.record.applicantId,
          people: 1 + planned.mentioned.length,
        }
      const saved = await families[verb](unit, key, { input, requireState })
      const [outcome] = (await outcomesOf(unit.tx, [{ kind: 'plan', plan: planned }])) as [FamilyOutcome]
      if (outcome.outcome === 'rejected') return outcome
      return { ...outcome, applicantId: saved.primary.record.applicantId }
    },

    /** The ids of the primary applicants who have these numbers. */
    findPrimaryIds: (sql: Sql, numbers: readonly string[]) => findPrimaryIds(sql, numbers),

    /** The numbers of primary applicants with their ids, in order. */
    listNumbers: (sql: Sql, after: string | null, limit: number) => listPrimaryNumbers(sql, after, limit),
  }
}

async function planAll(reads: BatchReads, verb: Verb, writes: FamilyWrite[]): Promise<Planned[]> {
  const settled = await Promise.allSettled(writes.map(write => planOne(reads, verb, write)))
  return settled.map((one): Planned => {
    if (one.status === 'fulfilled') return one.value
    if (one.reason instanceof Problem) return { kind: 'rejected', problem: one.reason }
    throw one.reason
  })
}

async function planOne(
  reads: BatchReads,
  verb: Verb,
  { number, input: sent }: FamilyWrite,
): Promise<Planned> {
  const key = { number }
  const { plan, isUnchanged } = VERBS[verb]
  const input = await inOwnCompany(reads, sent, { isMerge: verb === 'merge' })
  const change: FamilyChange = { input, requireState }
  // A merge locks the dependents that it names before its family.
  const isLockedLater = reads.locks && verb === 'merge'
  if (isLockedLater || !isFindable(number)) return { kind: 'plan', plan: await plan(reads, key, change) }
  // The plan gets the same rows: they are read once.
  const locked = reads.lockFamily(key)
  const { rows } = await locked
  const isFullSet = verb === 'replace' && input.dependents !== undefined
  const unchanged = unchangedOf(key, familyOf(key, rows), { ...change, isUnchanged, isFullSet })
  if (unchanged)
    return {
      kind: 'unchanged',
      applicantId: unchanged.primary.record.applicantId,
      people: 1 + (input.dependents?.length ?? 0),
    }
  return { kind: 'plan', plan: await plan({ ...reads, lockFamily: () => locked }, key, change) }
}

/** How many of the first writes use no record, number or id of an earlier one. */
function independentCount(writes: FamilyWrite[], planned: Planned[]): number {
  const used = new Set<string>()
  for (const [index, one] of planned.entries()) {
    const names = [...namesOfWrite(writes[index] as FamilyWrite), ...namesOfPlan(one)]
    if (names.some(name => used.has(name))) return index
    for (const name of names) used.add(name)
  }
  return planned.length
}

function namesOfWrite({ number, input: { primaryApplicant, dependents = [] } }: FamilyWrite): string[] {
  const people = [primaryApplicant, ...dependents]
  return [
    `number ${number}`,
    ...dependents.flatMap(({ employeeNumber }) => (employeeNumber ? [`number ${employeeNumber}`] : [])),
    ...people.flatMap(({ applicantId }) => (applicantId ? [`record ${applicantId}`] : [])),
    ...people.flatMap(person => idsOfItems(person).map(({ id }) => `item ${id}`)),
  ]
}

function namesOfPlan(planned: Planned): string[] {
  if (planned.kind !== 'plan') return []
  const { saves, removed } = savesOf(planned.plan)
  const numbers = [...movedNumbers(saves), ...removed.flatMap(({ record }) => record.employeeNumber ?? [])]
  const own = [...saves, ...removed].map(({ record }) => record.applicantId)
  const former = saves.flatMap(({ stored }) => stored?.primaryId ?? [])
  return [...numbers.map(number => `number ${number}`), ...[...own, ...former].map(id => `record ${id}`)]
}

/** Rejects plans that assign a number which is in use or retired, as the constraints of the table would. */
async function withoutTakenNumbers(tx: Tx, planned: Planned[]): Promise<Planned[]> {
  const assigned = planned.map(one => (one.kind === 'plan' ? assignedBy(one.plan) : []))
  const numbers = assigned.flat().map(({ number }) => number)
  if (numbers.length === 0) return planned
  const { inUse, retired } = await listNumberStates(tx, numbers)
  return planned.map((one, index): Planned => {
    const own = assigned[index] ?? []
    const pointersIn = (numbers: ReadonlySet<string>) =>
      own.flatMap(({ number, pointer }) => (numbers.has(number) ? [pointer] : []))
    const [taken, gone] = [pointersIn(inUse), pointersIn(retired)]
    if (taken.length > 0)
      return { kind: 'rejected', problem: numberProblem(errors.employeeNumberInUse, taken) }
    if (gone.length > 0)
      return { kind: 'rejected', problem: numberProblem(errors.employeeNumberRetired, gone) }
    return one
  })
}

/** Numbers that records of the plan get and that no record of the family has now. */
function assignedBy(plan: FamilyPlan): { number: string; pointer: string }[] {
  const { saves, removed } = savesOf(plan)
  const released = new Set(removed.map(({ record }) => record.employeeNumber))
  return saves.flatMap(save => {
    const { record, stored } = save
    const number = record.employeeNumber
    const had = stored && !stored.archived ? stored.record.employeeNumber : null
    const isAssigned = number && number !== had && !released.has(number)
    return isAssigned ? [{ number, pointer: pointerOf(save, plan) }] : []
  })
}

async function outcomesOf(tx: Tx, planned: Planned[], { saved = false } = {}): Promise<FamilyOutcome[]> {
  const texts = planned.flatMap(one => (one.kind === 'plan' ? companyTextsOf(one.plan) : []))
  const companies = await findNamedCompanies(tx, [...new Set(texts)])
  return planned.map((one): FamilyOutcome => {
    if (one.kind === 'rejected') return { outcome: 'rejected', problem: one.problem }
    if (one.kind === 'unchanged')
      return { outcome: 'unchanged', applicantId: one.applicantId, people: one.people }
    const { plan } = one
    const { applicantId } = plan.primary.record
    if (isNoOp(plan)) return { outcome: 'unchanged', applicantId, people: 1 + plan.mentioned.length }
    const isNew = !plan.family.primary
    return {
      outcome: isNew ? 'created' : 'updated',
      // A dry run plans with an id that the record will not get.
      applicantId: isNew && !saved ? null : applicantId,
      changed: changedIn(plan),
      taken: takenBy(plan, companies),
    }
  })
}
