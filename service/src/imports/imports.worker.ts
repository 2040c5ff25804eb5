// Checks and applies the rows of imports, batch by batch. The results of a batch, the progress of the import and the changes
// themselves are one transaction, which holds the row of the import: a kill loses nothing and repeats nothing, and several
// services never work on the same rows. Each batch runs for the companies of the caller who sent the file.
import { setTimeout as sleep, setImmediate as yieldToRequests } from 'node:timers/promises'
import type { FamilyBatches } from '../applicants/family-batches.ts'
import { runAs } from '../db/caller.ts'
import type { Database, Tx } from '../db/database.ts'
import {
  type ConstraintProblems,
  isConnectionLost,
  isLockUnavailable,
  isOutOfResources,
  isTransient,
  isUnavailable,
  problemOf,
} from '../db/sqlstate.ts'
import type { Recorders } from '../db/unit-of-work.ts'
import { internalError } from '../http/problems.ts'
import type { Clock } from '../lib/clock.ts'
import { errorForLog, type Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { type Import, rowProblemOf } from './import.ts'
import { createImportBatches, FIRST_CHECK, GuardExceeded, MOST_APPLIED } from './import-batches.ts'
import { type IsAllowed, importInterrupted, importNotAllowed } from './imports.service.ts'
import * as store from './imports.store.ts'
import { deleteResults } from './row-results.store.ts'
import { deleteDependents, deleteRows } from './staged-rows.store.ts'

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
  families: FamilyBatches
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
  families,
  isAllowed,
  endedRequests = () => 0,
}: Options) {
  const stopped = new AbortController()
  let stopping = false
  let isRunning = false
  let running: Promise<unknown> = Promise.resolve()
  /** Rows of the next batch, by import. */
  const limits = new Map<string, { check: number; apply: number }>()
  const batches = createImportBatches({ clock, recorders, families })

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

  const runBatch = (importId: string, next: { check: number; apply: number }) =>
    withImport(importId, async (tx, one) => {
      const changed =
        one.status === 'checking'
          ? { check: await batches.checkRows(tx, one, next.check) }
          : { apply: await batches.applyRows(tx, one, next.apply) }
      limits.set(importId, { ...next, ...changed })
    })

  /**
   * The next row alone, as a single request. A row that cannot be checked or applied is rejected; one that another transaction
   * holds is tried again later.
   */
  const runRow = async (importId: string): Promise<boolean> => {
    try {
      return await withImport(importId, async (tx, one) => {
        if (one.status === 'checking') await batches.checkRows(tx, one, 1)
        else await batches.applyRow(tx, one)
      })
    } catch (error) {
      if (isTransientError(error) || isLockUnavailable(error) || error instanceof GuardExceeded) throw error
      const problem = error instanceof Problem ? error : problemOf(error, constraints)
      if (!problem) log.error(errorForLog(error as Error), 'a row of an import could not be handled')
      const rejected = rowProblemOf(problem ?? internalError())
      return withImport(importId, (tx, one) => batches.rejectRow(tx, one, rejected))
    }
  }

  /** One batch of an import. */
  const advance = async (importId: string): Promise<boolean> => {
    try {
      return await runRows(importId)
    } catch (error) {
      if (!(error instanceof GuardExceeded)) throw error
      return withImport(importId, (tx, one) => batches.hold(tx, one, error.held))
    }
  }

  /** One batch, or the same number of rows one by one where it fails. */
  const runRows = async (importId: string): Promise<boolean> => {
    const next = limits.get(importId) ?? { check: FIRST_CHECK, apply: MOST_APPLIED }
    try {
      return await runBatch(importId, next)
    } catch (error) {
      if (isTransientError(error) || error instanceof GuardExceeded) throw error
      log.info(
        { importId, code: (error as { code?: string }).code },
        'a batch of an import is handled row by row',
      )
    }
    let isActive = true
    limits.delete(importId)
    for (let row = 0; row < Math.max(MOST_APPLIED, FIRST_CHECK) && isActive && !stopping; row++)
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
      for (const importId of limits.keys())
        if (!runnable.some(one => one.importId === importId)) limits.delete(importId)
      if (!isActive) return
    }
  }

  const deleteAll = async (remove: (limit: number) => Promise<number>) => {
    while (!stopping && (await remove(SWEEP.rows)) === SWEEP.rows) await yieldToRequests()
  }

  /** The work on each takes it out of the list. */
  const forEach = async (list: (limit: number) => Promise<string[]>, work: (id: string) => Promise<void>) => {
    for (let ids = await list(SWEEP.imports); ids.length > 0 && !stopping; ids = await list(SWEEP.imports))
      for (const id of ids) await work(id)
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
      const interrupted = rowProblemOf(importInterrupted())
      await store.endStalled(sql, { before: ago(STALLED_MS), problem: interrupted, now })
      await store.endUnreleased(sql, { before: ago(UNRELEASED_MS), now })
      const deleteFile = async (importId: string) => {
        await deleteAll(limit => deleteRows(sql, importId, limit))
        await deleteAll(limit => deleteDependents(sql, importId, limit))
      }
      await forEach(limit => store.listSpent(sql, limit), deleteFile)
      await forEach(
        limit => store.listExpired(sql, ago(KEPT_MS), limit),
        async importId => {
          await deleteFile(importId)
          await deleteAll(limit => deleteResults(sql, importId, limit))
          if (!stopping) await store.deleteImport(sql, importId)
        },
      )
    },

    /** Waits for the current batch. */
    async stop(): Promise<void> {
      stopping = true
      stopped.abort()
      await running
    },
  }
}

/** The batch is repeated later: the database is away, or has no room, or its rows are those of another transaction now. */
const isTransientError = (error: unknown) =>
  isUnavailable(error) || isConnectionLost(error) || isTransient(error) || isOutOfResources(error)
