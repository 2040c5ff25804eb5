// Checks and applies the rows of imports, batch by batch. The results of a batch, the progress of the import and the changes
// themselves are one transaction, which holds the row of the import: a kill loses nothing and repeats nothing, and several
// services never work on the same rows. Each batch runs for the companies of the caller who sent the file.
import { setTimeout as sleep, setImmediate as yieldToRequests } from 'node:timers/promises'
import type { FamilyBatches, FamilyOutcome, FamilyWrite } from '../applicants/family-batches.ts'
import { runAs } from '../db/caller.ts'
import type { Database, Tx } from '../db/database.ts'
import { type ConstraintProblems, isTransient, isUnavailable, problemOf } from '../db/sqlstate.ts'
import { type Actor, type Recorders, runUnitOfWork } from '../db/unit-of-work.ts'
import { internalError } from '../http/problems.ts'
import type { Clock } from '../lib/clock.ts'
import { errorForLog, type Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { findKnown, fingerprintOf, remember } from './fingerprints.ts'
import { addRows, type GuardedRow, heldBy } from './guard.ts'
import { type Counts, type Import, type RowProblem, type RowResult, rowProblemOf } from './import.ts'
import { type IsAllowed, importInterrupted, importNotAllowed } from './imports.service.ts'
import type { PendingRow } from './imports.store.ts'
import * as store from './imports.store.ts'
import { readRow } from './rows.ts'

/** Families of a transaction. Checks take no locks, but block requests in between for as long as they compute. */
const BATCH = { check: 250, apply: 200, missing: 5_000 }
const MIN_BATCH = 10
/** Beside this many requests a second, an import rests for five times as long as it works. */
const BUSY = { requestsPerSecond: 200, rest: 5, longestMs: 10_000 }
const STALLED_MS = 5 * 60_000
const UNRELEASED_MS = 7 * 86_400_000
const KEPT_MS = 30 * 86_400_000
const SWEEP = { imports: 20, rows: 5_000 }

interface Options {
  /** The database as the caller of the running code may see it. */
  db: Database
  unlimited: Database
  clock: Clock
  log: Log
  recorders: Recorders
  constraints: ConstraintProblems
  batches: FamilyBatches
  isAllowed: IsAllowed
  /** How many requests have ended since the start. */
  endedRequests?: () => number
}

export type ImportWorker = ReturnType<typeof createImportWorker>

export function createImportWorker({
  db,
  unlimited,
  clock,
  log,
  recorders,
  constraints,
  batches,
  isAllowed,
  endedRequests = () => 0,
}: Options) {
  const stopped = new AbortController()
  let stopping = false
  let isRunning = false
  let running: Promise<unknown> = Promise.resolve()
  /** Families of the next batch to apply, smaller after one that could not be applied whole. */
  const sizes = new Map<string, number>()

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
    const dependents = isNeeded ? await store.listDependentsOf(tx, one.importId, numbers) : []
    const byNumber = Map.groupBy(dependents, ({ primaryNumber }) => primaryNumber)
    return (row: PendingRow) => (row.employeeNumber && byNumber.get(row.employeeNumber)) || []
  }

  const checkBatch = async (tx: Tx, one: Import, limit: number): Promise<void> => {
    const { importId, checkedTo, mode } = one
    const rows = await store.listUnchecked(tx, { importId, after: checkedTo, limit })
    if (rows.length === 0) return endOfCheck(tx, one)
    const ofRow = await dependentsOf(tx, one, rows)
    const hashes = rows.map(row => ({ row, hash: fingerprintOf(one, row, ofRow(row)) }))
    const { known, states } = await findKnown(tx, batches, hashes)
    const others = rows.filter(row => !known.has(row))
    const bodies =
      others.length > 0
        ? await store.listBodies(
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
    const outcomes = writes.length > 0 ? await batches.check(tx, mode, writes) : []
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
    await store.insertResults(tx, one.importId, results)
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
      const people = await batches.listNumbers(tx, one.missingTo, BATCH.missing)
      const missing = await store.insertMissing(tx, {
        importId: one.importId,
        people: people.map(({ number, applicantId }) => ({ employeeNumber: number, applicantId })),
        position: one.checkedTo + one.missing,
      })
      return save(tx, one, {
        counts: { ...countsOf(one), missing: one.missing + missing },
        missingTo: people.at(-1)?.number ?? one.missingTo,
        missingDone: people.length < BATCH.missing,
      })
    }
    const held = heldBy(one.guard) ?? null
    if (one.dryRun) return save(tx, one, { status: 'completed', heldReasons: held, finishedAt: clock.now() })
    if (held) return save(tx, one, { status: 'held', heldReasons: held })
    return save(tx, one, { status: 'running' })
  }

  const nextRows = (tx: Tx, one: Import, limit: number) =>
    store.listUnapplied(tx, {
      importId: one.importId,
      after: one.appliedTo,
      limit,
      // A row that was rejected may be valid after an earlier one. Between the check and a release, anything may have changed.
      outcomes: one.releasedAt
        ? ['created', 'updated', 'rejected', 'unchanged']
        : ['created', 'updated', 'rejected'],
    })

  const applyBatch = async (tx: Tx, one: Import, limit: number): Promise<void> => {
    const rows = await nextRows(tx, one, limit)
    if (rows.length === 0) return save(tx, one, { status: 'completed', finishedAt: clock.now() })
    const ofRow = await dependentsOf(tx, one, rows)
    const read = rows.map(row => ({ row, read: readRow(one, row, ofRow(row)) }))
    const writes = read.flatMap(({ read }) => (isWrite(read) ? [read] : []))
    await runUnitOfWork({
      tx,
      actor: actorOf(one),
      now: clock.now(),
      recorders,
      async work(unit) {
        const outcomes = writes.length > 0 ? await batches.save(unit, one.mode, writes) : []
        sizes.set(one.importId, nextSize(limit, outcomes.length < writes.length))
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
          await batches.listStates(tx, numbers),
          settledOf(applied, hashes, { isSaved: true }),
        )
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
    await store.updateResults(tx, one.importId, differing)
    await save(tx, one, {
      counts,
      applied: one.applied + results.length,
      appliedTo: results.at(-1)?.result.row ?? one.appliedTo,
    })
  }

  type Changes = Partial<Omit<store.Progress, 'importId' | 'now'>>
  const save = (tx: Tx, one: Import, changes: Changes) =>
    store.saveProgress(tx, { ...one, counts: countsOf(one), ...changes, now: clock.now() })

  /**
   * Returns false where another service has the import, or it is over. The changes are those of the caller who sent the
   * file, so the import ends when that caller may not make them any more.
   */
  const withImport = (importId: string, work: (tx: Tx, one: Import) => Promise<void>): Promise<boolean> =>
    db.transaction(async tx => {
      const one = await store.claimImport(tx, importId)
      if (!one) return false
      if (await isAllowed(one)) await work(tx, one)
      else {
        const problem = rowProblemOf(importNotAllowed())
        await store.endImport(tx, { importId, problem, now: clock.now() })
      }
      return true
    })

  const runBatch = (importId: string, limits: { check: number; apply: number }) =>
    withImport(importId, async (tx, one) => {
      if (one.status === 'checking') await checkBatch(tx, one, limits.check)
      else await applyBatch(tx, one, limits.apply)
    })

  /** The next row alone, as a single request. A row that cannot be checked or applied is rejected. */
  const runRow = async (importId: string): Promise<boolean> => {
    try {
      return await withImport(importId, async (tx, one) => {
        if (one.status === 'checking') await checkBatch(tx, one, 1)
        else await applyRow(tx, one)
      })
    } catch (error) {
      if (isTransientError(error)) throw error
      const problem = error instanceof Problem ? error : problemOf(error, constraints)
      if (!problem) log.error(errorForLog(error as Error), 'a row of an import could not be handled')
      return rejectRow(importId, rowProblemOf(problem ?? internalError()))
    }
  }

  const applyRow = async (tx: Tx, one: Import): Promise<void> => {
    const [row] = await nextRows(tx, one, 1)
    if (!row) return applyBatch(tx, one, 1)
    const ofRow = await dependentsOf(tx, one, [row])
    const read = readRow(one, row, ofRow(row))
    if (!isWrite(read)) return saveApplied(tx, one, [{ row, outcome: read }])
    await runUnitOfWork({
      tx,
      actor: actorOf(one),
      now: clock.now(),
      recorders,
      async work(unit) {
        const outcome = await batches.saveOne(unit, one.mode, read)
        await saveApplied(tx, one, [{ row, outcome }])
      },
    })
  }

  const rejectRow = (importId: string, problem: RowProblem) =>
    withImport(importId, async (tx, one) => {
      if (one.status === 'checking') {
        const [row] = await store.listUnchecked(tx, { importId, after: one.checkedTo, limit: 1 })
        if (row) await saveChecked(tx, one, [{ row, outcome: problem }])
      } else {
        const [row] = await nextRows(tx, one, 1)
        if (row) await saveApplied(tx, one, [{ row, outcome: problem }])
      }
    })

  /** One batch of an import. */
  const advance = async (importId: string): Promise<boolean> => {
    const apply = sizes.get(importId) ?? BATCH.apply
    try {
      return await runBatch(importId, { check: BATCH.check, apply })
    } catch (error) {
      if (isTransientError(error)) throw error
      log.info(
        { importId, code: (error as { code?: string }).code },
        'a batch of an import is handled row by row',
      )
    }
    let isActive = true
    for (let row = 0; row < Math.max(apply, BATCH.check) && isActive && !stopping; row++)
      isActive = await runRow(importId)
    return isActive
  }

  const restFor = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal: stopped.signal }).catch(() => {})

  /** Runs the work, then rests: the longer, the more requests were served in the meantime. */
  const withRest = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = { at: performance.now(), ended: endedRequests() }
    const result = await work()
    const worked = performance.now() - began.at
    const perSecond = ((endedRequests() - began.ended) / worked) * 1000
    const rest = worked * BUSY.rest * Math.min(1, perSecond / BUSY.requestsPerSecond)
    if (rest >= 1 && !stopping) await restFor(Math.min(rest, BUSY.longestMs))
    // Requests that came in the meantime are served first.
    else await yieldToRequests()
    return result
  }

  const runAll = async () => {
    try {
      await runBatches()
    } finally {
      isRunning = false
    }
  }

  /** Runs all imports, one batch of each in turn, until none is left. */
  const runBatches = async () => {
    while (!stopping) {
      const runnable = await store.listRunnable(unlimited.sql)
      let isActive = false
      for (const { importId, companies } of runnable) {
        if (stopping) return
        isRunning = true
        if (await withRest(() => runAs(companies, () => advance(importId)))) isActive = true
      }
      for (const importId of sizes.keys())
        if (!runnable.some(one => one.importId === importId)) sizes.delete(importId)
      if (!isActive) return
    }
  }

  const deleteAll = async (remove: (limit: number) => Promise<number>) => {
    while (!stopping && (await remove(SWEEP.rows)) === SWEEP.rows) await yieldToRequests()
  }

  const run = (): Promise<void> => {
    const done = running.then(runAll)
    running = done.catch(() => {})
    return done
  }

  return {
    run,

    /** Whether this service works on an import now. */
    isRunning: () => isRunning,

    /** Begins at once where it would wait for its interval. Errors are those of the next periodic run. */
    wake: () => void run().catch(() => {}),

    /** Ends uploads of crashed services, and deletes what is not needed any more. */
    async sweep(): Promise<void> {
      const { sql } = unlimited
      const now = clock.now()
      const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
      for (const importId of await store.listStalled(sql, ago(STALLED_MS)))
        await store.endImport(sql, { importId, problem: rowProblemOf(importInterrupted()), now })
      const spent = await store.listSpent(sql, { unreleasedBefore: ago(UNRELEASED_MS), limit: SWEEP.imports })
      for (const { importId, isUnreleased } of spent) {
        if (isUnreleased) await store.endImport(sql, { importId, problem: null, now })
        await deleteAll(limit => store.deleteRows(sql, importId, limit))
        await deleteAll(limit => store.deleteDependents(sql, importId, limit))
      }
      for (const importId of await store.listExpired(sql, ago(KEPT_MS), SWEEP.imports)) {
        await deleteAll(limit => store.deleteRows(sql, importId, limit))
        await deleteAll(limit => store.deleteDependents(sql, importId, limit))
        await deleteAll(limit => store.deleteResults(sql, importId, limit))
        if (!stopping) await store.deleteImport(sql, importId)
      }
    },

    /** Waits for the current batch. */
    async stop(): Promise<void> {
      stopping = true
      stopped.abort()
      await running
    },
  }
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

const isTransientError = (error: unknown) => isUnavailable(error) || isTransient(error)

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
const nextSize = (limit: number, isShort: boolean) =>
  isShort ? Math.max(MIN_BATCH, Math.floor(limit / 2)) : Math.min(BATCH.apply, limit * 2)
