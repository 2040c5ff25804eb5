// Batches of an import: what the check of the next rows finds, and what becomes of them when they are applied. Each batch
// is part of a transaction that holds the row of the import.
import type { FamilyBatches, FamilyOutcome, FamilyWrite } from '../applicants/family-batches.ts'
import type { Tx } from '../db/database.ts'
import { type Actor, type Recorders, runUnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { createPauses } from '../lib/pauses.ts'
import { readingOf } from './fingerprints.ts'
import {
  addApplied,
  addRows,
  type GuardedRow,
  type GuardState,
  type Held,
  heldBy,
  heldByApplied,
} from './guard.ts'
import { type Counts, type Import, type RowProblem, type RowResult, rowProblemOf } from './import.ts'
import * as store from './imports.store.ts'
import * as stored from './row-results.store.ts'
import { readRow } from './rows.ts'
import type { PendingRow } from './staged-rows.store.ts'
import * as staged from './staged-rows.store.ts'

/** Rows of a batch to check: more while most of them are known to change nothing. */
export const FIRST_CHECK = 250
const MOST_CHECKED = 4_000
/** Families that are compared at once: requests in between wait for as long as that computes. */
const COMPARED_FAMILIES = 250
/** Bytes of their rows, beyond which fewer of them are checked or applied at once. A row has at most 1 MiB. */
const MOST_BYTES = 8 * 1024 * 1024
/** Families of a batch to apply: fewer after one that could not be applied whole. */
export const MOST_APPLIED = 200
const LEAST_APPLIED = 10
const MISSING_BATCH = 5_000

interface Options {
  clock: Clock
  recorders: Recorders
  families: FamilyBatches
}

export function createImportBatches({ clock, recorders, families }: Options) {
  const pausesOfBatch = createPauses()
  const actorOf = (one: Import): Actor => ({
    clientId: one.clientId,
    ...(one.userId && { user: { userId: one.userId, name: one.userName ?? '' } }),
    companies: one.companies,
    address: one.address,
    requestId: one.requestId,
    traceId: one.traceId ?? undefined,
    operation: { operationId: 'createImport', method: 'POST' },
  })

  /** The dependents of rows of a CSV file. */
  const dependentsOf = async (tx: Tx, one: Import, rows: PendingRow[]) => {
    const numbers = rows.flatMap(({ employeeNumber }) => employeeNumber ?? [])
    const isNeeded = one.format === 'csv' && numbers.length > 0
    const dependents = isNeeded ? await staged.listDependentsOf(tx, one.importId, numbers) : []
    const byNumber = Map.groupBy(dependents, ({ primaryNumber }) => primaryNumber)
    return (row: PendingRow) => (row.employeeNumber && byNumber.get(row.employeeNumber)) || []
  }

  /** Each row with the family that it means. A row of 1 MiB takes as long as hundreds of others. */
  const readRows = async (tx: Tx, one: Import, rows: PendingRow[]): Promise<ReadRow[]> => {
    const ofRow = await dependentsOf(tx, one, rows)
    const pauses = pausesOfBatch()
    const read: ReadRow[] = []
    for (const row of rows) {
      if (pauses.areDue()) await pauses.pause()
      read.push({ row, read: readRow(one, row, ofRow(row)) })
    }
    return read
  }

  /** Returns the limit for the next batch: larger while most rows are known to change nothing. */
  const checkRows = async (tx: Tx, one: Import, limit: number): Promise<number> => {
    const { importId, checkedTo } = one
    const batch = await staged.checkKnown(tx, { importId, reading: readingOf(one), after: checkedTo, limit })
    if (batch.last === null) {
      await endOfCheck(tx, one)
      return limit
    }
    const found: Found[] = []
    for (const others of comparedAtOnce(batch.others)) {
      const compared = await compare(tx, one, others)
      await staged.rememberCompared(tx, settledOf(others, compared))
      found.push(...compared)
    }
    await saveChecked(tx, one, { found, known: batch.known, people: batch.people, last: batch.last })
    return nextCheck(limit, batch.others.length)
  }

  /** What each of these rows would do. */
  const compare = async (tx: Tx, one: Import, others: staged.UnknownRow[]): Promise<Found[]> => {
    const rows = await staged.listUnchecked(
      tx,
      one.importId,
      others.map(({ row }) => row),
    )
    const read = await readRows(tx, one, rows)
    const writes = read.flatMap(({ read }) => (isWrite(read) ? [read] : []))
    const outcomes = writes.length > 0 ? await families.check(tx, one.mode, writes) : []
    const byWrite = new Map(outcomes.map((outcome, index) => [writes[index], outcome]))
    return read.map(({ row, read }) => ({
      row,
      outcome: isWrite(read) ? (byWrite.get(read) as FamilyOutcome) : read,
    }))
  }

  const saveChecked = async (tx: Tx, one: Import, { found, known, people, last }: Checked) => {
    const results = await withIds(
      tx,
      found.map(({ row, outcome }) => resultOf(row, outcome)),
    )
    const unchanged = found.reduce(
      (sum, { outcome }) => sum + ('people' in outcome ? outcome.people : 0),
      people,
    )
    await stored.insertResults(tx, one.importId, results)
    const counts = counted(one, results)
    await save(tx, one, {
      counts: { ...counts, unchanged: counts.unchanged + known },
      checked: one.checked + results.length + known,
      checkedTo: last,
      guard: addRows(one.guard, guardedOf(found), unchanged),
    })
  }

  /** A rejected row of a person who exists has the id, too. */
  const withIds = async (tx: Tx, results: RowResult[]): Promise<RowResult[]> => {
    const numbers = results.flatMap(({ outcome, employeeNumber }) =>
      outcome === 'rejected' && employeeNumber ? [employeeNumber] : [],
    )
    if (numbers.length === 0) return results
    const ids = await families.findPrimaryIds(tx, numbers)
    return results.map(result =>
      result.outcome === 'rejected'
        ? { ...result, applicantId: ids.get(result.employeeNumber ?? '') ?? null }
        : result,
    )
  }

  /** Finds who is missing, then decides how the import goes on. */
  const endOfCheck = async (tx: Tx, one: Import): Promise<void> => {
    if (one.complete && !one.missingDone) {
      const people = await families.listNumbers(tx, one.missingTo, MISSING_BATCH)
      const missing = await stored.insertMissing(tx, {
        importId: one.importId,
        people: people.map(({ number, applicantId }) => ({ employeeNumber: number, applicantId })),
        position: one.checkedTo + one.missing,
      })
      return save(tx, one, {
        counts: { ...countsOf(one), missing: one.missing + missing },
        missingTo: people.at(-1)?.number ?? one.missingTo,
        missingDone: people.length < MISSING_BATCH,
      })
    }
    const held = heldBy(one.guard) ?? null
    if (one.dryRun) return save(tx, one, { status: 'completed', heldReasons: held, finishedAt: clock.now() })
    if (held) return save(tx, one, { status: 'held', heldReasons: held })
    return save(tx, one, { status: 'running' })
  }

  const nextRows = (tx: Tx, one: Import, limit: number) =>
    staged.listUnapplied(tx, {
      importId: one.importId,
      after: one.appliedTo,
      limit,
      maxBytes: MOST_BYTES,
      // A row that was rejected may be valid after an earlier one. Between the check and a release, anything may have changed.
      outcomes: one.releasedAt
        ? ['created', 'updated', 'rejected', 'unchanged']
        : ['created', 'updated', 'rejected'],
    })

  /** Returns the limit for the next batch: smaller after one that could not be applied whole. */
  const applyRows = async (tx: Tx, one: Import, limit: number): Promise<number> => {
    const rows = await nextRows(tx, one, limit)
    if (rows.length === 0) {
      await save(tx, one, { status: 'completed', finishedAt: clock.now() })
      return limit
    }
    const read = await readRows(tx, one, rows)
    const writes = read.flatMap(({ read }) => (isWrite(read) ? [read] : []))
    return runUnitOfWork({
      tx,
      actor: actorOf(one),
      now: clock.now(),
      recorders,
      async work(unit) {
        const outcomes = writes.length > 0 ? await families.save(unit, one.mode, writes) : []
        const byWrite = new Map(outcomes.map((outcome, index) => [writes[index], outcome]))
        const done = read.map(({ row, read }) => ({ row, outcome: isWrite(read) ? byWrite.get(read) : read }))
        // Rows from the first one on that depends on an earlier one belong to the next batch.
        const end = done.findIndex(({ outcome }) => outcome === undefined)
        const applied = (end < 0 ? done : done.slice(0, end)) as Found[]
        await saveApplied(tx, one, applied)
        const reading = readingOf(one)
        await staged.rememberApplied(tx, { importId: one.importId, reading, rows: appliedOf(applied) })
        return nextApply(limit, outcomes.length < writes.length)
      },
    })
  }

  const saveApplied = async (tx: Tx, one: Import, applied: Found[]) => {
    const found = await withIds(
      tx,
      applied.map(({ row, outcome }) => resultOf(row, outcome)),
    )
    const results = found.map((result, index) => ({ row: (applied[index] as Found).row, result }))
    const differing = results
      .filter(({ row, result }) => isDifferent(row, result))
      .map(({ result }) => result)
    const guard = guardApplied(one, applied)
    const counts = countsOf(one)
    for (const { row, result } of results) {
      if (row.outcome) counts[row.outcome] -= 1
      counts[result.outcome] += 1
    }
    await stored.updateResults(tx, one.importId, differing)
    await save(tx, one, {
      counts,
      guard,
      applied: one.applied + results.length,
      appliedTo: results.at(-1)?.result.row ?? one.appliedTo,
    })
  }

  type Changes = Partial<Omit<store.Progress, 'importId' | 'now'>>
  const save = (tx: Tx, one: Import, changes: Changes) =>
    store.saveProgress(tx, { ...one, counts: countsOf(one), ...changes, now: clock.now() })

  /** The next row alone, as a single request. */
  const applyRow = async (tx: Tx, one: Import): Promise<void> => {
    const [row] = await nextRows(tx, one, 1)
    if (!row) return save(tx, one, { status: 'completed', finishedAt: clock.now() })
    const ofRow = await dependentsOf(tx, one, [row])
    const read = readRow(one, row, ofRow(row))
    if (!isWrite(read)) return saveApplied(tx, one, [{ row, outcome: read }])
    await runUnitOfWork({
      tx,
      actor: actorOf(one),
      now: clock.now(),
      recorders,
      async work(unit) {
        const outcome = await families.saveOne(unit, one.mode, read)
        await saveApplied(tx, one, [{ row, outcome }])
      },
    })
  }

  const rejectRow = async (tx: Tx, one: Import, problem: RowProblem): Promise<void> => {
    if (one.status === 'checking') {
      const [row] = await staged.listNext(tx, one.importId, one.checkedTo)
      if (row)
        await saveChecked(tx, one, { found: [{ row, outcome: problem }], known: 0, people: 0, last: row.row })
    } else {
      const [row] = await nextRows(tx, one, 1)
      if (row) await saveApplied(tx, one, [{ row, outcome: problem }])
    }
  }

  /** Holds an import whose next batch exceeds the guard. */
  const hold = (tx: Tx, one: Import, held: Held) => save(tx, one, { status: 'held', heldReasons: held })

  return { checkRows, applyRows, applyRow, rejectRow, hold }
}

/** Rolls back a batch that would take something from more people than the check has found, or a person has released. */
export class GuardExceeded extends Error {
  readonly held: Held

  constructor(held: Held) {
    super('The import takes from more people than its check has found.')
    this.held = held
  }
}

/** The state of the guard with these rows applied. An import that was held and then released may take what it takes. */
function guardApplied(one: Import, applied: Found[]): GuardState {
  const guard = addApplied(one.guard, guardedOf(applied))
  const held = one.heldReasons ? undefined : heldByApplied(guard)
  if (held) throw new GuardExceeded(held)
  return guard
}

const guardedOf = (found: Found[]): GuardedRow[] =>
  found.flatMap(({ row: { row, employeeNumber }, outcome }) =>
    'taken' in outcome
      ? [{ row, employeeNumber: employeeNumber ?? '', changed: outcome.changed, taken: outcome.taken }]
      : [],
  )

interface ReadRow {
  row: PendingRow
  read: FamilyWrite | RowProblem
}

/** The same rows in groups that are small enough to be in memory together. */
function comparedAtOnce(others: staged.UnknownRow[]): staged.UnknownRow[][] {
  const groups: staged.UnknownRow[][] = []
  let group: staged.UnknownRow[] = []
  let bytes = 0
  for (const other of others) {
    if (group.length === 0 || group.length === COMPARED_FAMILIES || bytes + other.bytes > MOST_BYTES) {
      group = []
      bytes = 0
      groups.push(group)
    }
    group.push(other)
    bytes += other.bytes
  }
  return groups
}

/** A row, and what becomes of it. */
interface Found {
  row: PendingRow
  outcome: FamilyOutcome | RowProblem
}

interface Checked {
  found: Found[]
  /** Rows before the last one that are known to change nothing, and how many people they name. */
  known: number
  people: number
  last: number
}

/** Compared rows that leave their families as they are, with the states that they were compared with. */
function settledOf(others: staged.UnknownRow[], compared: Found[]) {
  const peopleOf = new Map(
    compared.flatMap(({ row, outcome }) => ('people' in outcome ? [[row.row, outcome.people]] : [])),
  )
  return others.flatMap(other => {
    const people = peopleOf.get(other.row)
    return people === undefined || !other.fingerprint || !other.applicantId ? [] : [{ ...other, people }]
  })
}

/** Applied rows, which leave their families as they are when they come again. */
const appliedOf = (applied: Found[]) =>
  applied.flatMap(({ row: { row }, outcome }) => {
    if ('people' in outcome) return [{ row, people: outcome.people }]
    return 'taken' in outcome ? [{ row, people: outcome.taken.people }] : []
  })

const isWrite = (read: FamilyWrite | RowProblem): read is FamilyWrite => 'input' in read

const countsOf = ({ created, updated, unchanged, rejected, missing }: Import): Counts => ({
  created,
  updated,
  unchanged,
  rejected,
  missing,
})

function counted(one: Import, results: RowResult[]): Counts {
  const counts = countsOf(one)
  for (const { outcome } of results) counts[outcome] += 1
  return counts
}

function resultOf({ row, employeeNumber }: PendingRow, outcome: FamilyOutcome | RowProblem): RowResult {
  const base = { row, employeeNumber, applicantId: null, changed: [], problem: null }
  if (!('outcome' in outcome)) return { ...base, outcome: 'rejected', problem: outcome }
  if (outcome.outcome === 'rejected')
    return { ...base, outcome: 'rejected', problem: rowProblemOf(outcome.problem) }
  const changed = 'changed' in outcome ? outcome.changed : []
  return { ...base, outcome: outcome.outcome, applicantId: outcome.applicantId, changed }
}

/** Whether the result of the check is to be replaced. The problem of a row that cannot be read stays the same. */
const isDifferent = (row: PendingRow, result: RowResult) =>
  (result.outcome === 'rejected' && row.problem === null) ||
  row.outcome !== result.outcome ||
  row.applicantId !== result.applicantId ||
  JSON.stringify(row.changed ?? []) !== JSON.stringify(result.changed)

const nextCheck = (limit: number, unknown: number) =>
  unknown > COMPARED_FAMILIES
    ? Math.max(FIRST_CHECK, Math.floor(limit / 4))
    : unknown < COMPARED_FAMILIES / 4
      ? Math.min(limit * 4, MOST_CHECKED)
      : limit

/** Half after a batch that was cut short, double after a whole one. */
const nextApply = (limit: number, isShort: boolean) =>
  isShort ? Math.max(LEAST_APPLIED, Math.floor(limit / 2)) : Math.min(limit * 2, MOST_APPLIED)
