// Batches of an import: what the check of the next rows finds, and what becomes of them when they are applied. Each batch
// is part of a transaction that holds the row of the import.
import type { FamilyBatches, FamilyOutcome, FamilyWrite } from '../applicants/family-batches.ts'
import type { Tx } from '../db/database.ts'
import { type Actor, type Recorders, runUnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { findKnown, fingerprintOf, remember } from './fingerprints.ts'
import { addRows, type GuardedRow, heldBy } from './guard.ts'
import { type Counts, type Import, type RowProblem, type RowResult, rowProblemOf } from './import.ts'
import * as store from './imports.store.ts'
import * as stored from './row-results.store.ts'
import { readRow } from './rows.ts'
import type { PendingRow } from './staged-rows.store.ts'
import * as staged from './staged-rows.store.ts'

const MISSING_BATCH = 5_000
const MIN_FAMILIES = 10

interface Options {
  clock: Clock
  recorders: Recorders
  families: FamilyBatches
}

export type ImportBatches = ReturnType<typeof createImportBatches>

export function createImportBatches({ clock, recorders, families }: Options) {
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

  const checkRows = async (tx: Tx, one: Import, limit: number): Promise<void> => {
    const { importId, checkedTo, mode } = one
    const rows = await staged.listUnchecked(tx, { importId, after: checkedTo, limit })
    if (rows.length === 0) return endOfCheck(tx, one)
    const ofRow = await dependentsOf(tx, one, rows)
    const hashes = rows.map(row => ({ row, hash: fingerprintOf(one, row, ofRow(row)) }))
    const { known, states } = await findKnown(tx, families, hashes)
    const others = rows.filter(row => !known.has(row))
    const bodies =
      others.length > 0
        ? await staged.listBodies(
            tx,
            importId,
            others.map(({ row }) => row),
          )
        : []
    const bodyOf = new Map(bodies.map(({ row, body }) => [row, body]))
    const read = new Map(
      others.map(row => [row, readRow(one, { ...row, body: bodyOf.get(row.row) ?? null }, ofRow(row))]),
    )
    const writes = [...read.values()].filter(isWrite)
    const outcomes = writes.length > 0 ? await families.check(tx, mode, writes) : []
    const byWrite = new Map<FamilyWrite | RowProblem, FamilyOutcome | undefined>(
      writes.map((write, index) => [write, outcomes[index]]),
    )
    const found = rows.map(row => {
      const same = known.get(row)
      if (same) return { row, outcome: { outcome: 'unchanged' as const, ...same } }
      const meaning = read.get(row) as FamilyWrite | RowProblem
      return { row, outcome: byWrite.get(meaning) ?? (meaning as RowProblem) }
    })
    const compared = found.filter(({ row }) => !known.has(row))
    await remember(tx, states, settledOf(compared, hashes, { isSaved: false }))
    await saveChecked(tx, one, found)
  }

  const saveChecked = async (tx: Tx, one: Import, found: Found[]) => {
    const results = found.map(({ row, outcome }) => resultOf(row, outcome))
    const guarded = found.flatMap(({ row, outcome }): GuardedRow[] =>
      'taken' in outcome
        ? [
            {
              row: row.row,
              employeeNumber: row.employeeNumber ?? '',
              changed: outcome.changed,
              taken: outcome.taken,
            },
          ]
        : [],
    )
    const unchanged = found.reduce((sum, { outcome }) => sum + ('people' in outcome ? outcome.people : 0), 0)
    await stored.insertResults(tx, one.importId, results)
    await save(tx, one, {
      counts: counted(one, results),
      checked: one.checked + results.length,
      checkedTo: results.at(-1)?.row ?? one.checkedTo,
      guard: addRows(one.guard, guarded, unchanged),
    })
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
    const ofRow = await dependentsOf(tx, one, rows)
    const read = rows.map(row => ({ row, read: readRow(one, row, ofRow(row)) }))
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
        // A row that was applied leaves its family as it is when it comes again.
        const hashes = applied.map(({ row }) => ({ row, hash: fingerprintOf(one, row, ofRow(row)) }))
        const numbers = applied.flatMap(({ row }) => row.employeeNumber ?? [])
        await remember(
          tx,
          await families.listStates(tx, numbers),
          settledOf(applied, hashes, { isSaved: true }),
        )
        return nextLimit(limit, outcomes.length < writes.length)
      },
    })
  }

  const saveApplied = async (tx: Tx, one: Import, applied: Found[]) => {
    const results = applied.map(({ row, outcome }) => ({ row, result: resultOf(row, outcome) }))
    const differing = results
      .filter(({ row, result }) => isDifferent(row, result))
      .map(({ result }) => result)
    const counts = countsOf(one)
    for (const { row, result } of results) {
      if (row.outcome) counts[row.outcome] -= 1
      counts[result.outcome] += 1
    }
    await stored.updateResults(tx, one.importId, differing)
    await save(tx, one, {
      counts,
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
      const { importId, checkedTo } = one
      const [row] = await staged.listUnchecked(tx, { importId, after: checkedTo, limit: 1 })
      if (row) await saveChecked(tx, one, [{ row, outcome: problem }])
    } else {
      const [row] = await nextRows(tx, one, 1)
      if (row) await saveApplied(tx, one, [{ row, outcome: problem }])
    }
  }

  return { checkRows, applyRows, applyRow, rejectRow }
}

/** A row, and what becomes of it. */
interface Found {
  row: PendingRow
  outcome: FamilyOutcome | RowProblem
}

interface Hashed {
  row: PendingRow
  hash: string | undefined
}

/** The rows that leave their families as they are: unchanged ones, and those that were saved. */
function settledOf(found: Found[], hashes: Hashed[], { isSaved }: { isSaved: boolean }) {
  const hashOf = new Map(hashes.map(({ row, hash }) => [row, hash]))
  return found.flatMap(({ row, outcome }) => {
    const saved = isSaved && 'taken' in outcome ? outcome.taken.people : undefined
    const people = 'people' in outcome ? outcome.people : saved
    return people === undefined ? [] : [{ row, hash: hashOf.get(row), people }]
  })
}

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

/** Half after a batch that was cut short, double after a whole one. */
const nextLimit = (limit: number, isShort: boolean) =>
  isShort ? Math.max(MIN_FAMILIES, Math.floor(limit / 2)) : limit * 2
