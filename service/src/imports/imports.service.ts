// Imports: receiving them, listing them, releasing and cancelling them. imports.worker.ts checks and applies their rows.
import type { Sql } from '../db/database.ts'
import type { PageRequest } from '../db/keyset.ts'
import { EXACT_TOTAL } from '../db/ordered-list.ts'
import type { Actor, UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { isId, newId } from '../lib/ids.ts'
import { declareProblem, invalid, Problem } from '../lib/problem.ts'
import { type Counts, type Import, type ImportFormat, type ImportMode, rowProblemOf } from './import.ts'
import * as store from './imports.store.ts'
import { listResults, type ResultRow } from './row-results.store.ts'
import { contentOf } from './rows.ts'
import type { StagedDependent, StagedRow } from './staged-rows.store.ts'
import * as staged from './staged-rows.store.ts'

export const importNotFound = declareProblem({
  code: 'import-not-found',
  status: 404,
  title: 'There is no such import.',
  remedy: 'List the imports with GET /v2/imports. They are kept for 30 days after their end.',
})
export const importNotReleasable = declareProblem({
  code: 'import-not-releasable',
  status: 409,
  title: 'Only an import that is held, or a dry run that has completed, can be released.',
  remedy: 'Read the import to see its status. To apply a file again, send it again.',
})
export const importEnded = declareProblem({
  code: 'import-ended',
  status: 409,
  title: 'The import has ended, so that it cannot be cancelled.',
  remedy: 'Read the import to see its status. What it has applied is changed back by another import.',
})
export const importInterrupted = declareProblem({
  code: 'import-interrupted',
  status: 409,
  title: 'The file of this import was not received whole.',
  remedy: 'Send the file again. Nothing of it was applied.',
})

export const importNotAllowed = declareProblem({
  code: 'import-not-allowed',
  status: 409,
  title:
    'The caller that sent the file was disabled since, or may not write all records of the import any more.',
  remedy: 'Send the file again as a caller that may. Rows that were applied before stay applied.',
})

/** Whether the caller that sent the file may still write its records. */
export type IsAllowed = (one: Pick<Import, 'clientId' | 'userId' | 'companies'>) => Promise<boolean>

export interface ImportOptions {
  mode: ImportMode
  format: ImportFormat
  dryRun: boolean
  complete: boolean
}

/** Rows of a page of results that is read for a download. */
const DOWNLOAD_PAGE = 1_000
const DELETED_AT_ONCE = 5_000

export type Imports = ReturnType<typeof createImports>

export function createImports({ sql, clock, isAllowed }: { sql: Sql; clock: Clock; isAllowed: IsAllowed }) {
  const get = async (importId: string): Promise<Import> => {
    const found = isId(importId) ? await store.findImport(sql, importId) : undefined
    if (!found) throw importNotFound()
    return found
  }
  const lock = async ({ tx }: UnitOfWork, importId: string): Promise<Import> => {
    const found = isId(importId) ? await store.lockImport(tx, importId) : undefined
    if (!found) throw importNotFound()
    return found
  }

  return {
    get,

    /** Begins to receive a file. */
    async open({ clientId, user, companies, address, requestId, traceId }: Actor, options: ImportOptions) {
      const importId = newId<'import'>() as string
      await store.insertImport(sql, {
        ...options,
        importId,
        clientId,
        user,
        companies,
        address,
        requestId,
        traceId,
        now: clock.now(),
      })
      return importId
    },

    /** Throws where the import was cancelled meanwhile. */
    async stage(
      importId: string,
      batch: { rows: StagedRow[]; dependents: StagedDependent[]; bytes: number; received: number },
    ): Promise<void> {
      const { rows, dependents, bytes, received } = batch
      if (!(await store.noteReceived(sql, { importId, bytes, rows: received, now: clock.now() })))
        throw importInterrupted()
      if (rows.length > 0) await staged.insertRows(sql, importId, rows)
      if (dependents.length > 0) await staged.insertDependents(sql, importId, dependents)
    },

    /** The file is complete. */
    async commit(
      unit: UnitOfWork,
      importId: string,
      { bytes, hasDependents, mode }: { bytes: number; hasDependents: boolean; mode: ImportMode },
    ): Promise<Import> {
      const { tx, now } = unit
      if (mode === 'merge') await staged.insertRowsOfOrphans(tx, importId)
      else await staged.rejectOrphans(tx, importId, ORPHAN)
      const received = await store.endReceiving(tx, { importId, bytes, hasDependents, now })
      if (!received) throw importInterrupted()
      unit.audit({ action: 'import.create', recordId: importId, after: fieldsOf(received) })
      return received
    },

    /** The file cannot be imported. What was staged is deleted by `sweep` of the worker. */
    fail: (importId: string, problem: Problem) =>
      store.endImport(sql, { importId, problem: rowProblemOf(problem), now: clock.now() }),

    /** Deletes an import that was received for nothing: its request is a repetition. */
    async discard(importId: string): Promise<void> {
      if ((await store.findImport(sql, importId))?.status !== 'receiving') return
      while ((await staged.deleteRows(sql, importId, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
      while ((await staged.deleteDependents(sql, importId, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
      await store.deleteImport(sql, importId)
    },

    async list(status: string | undefined, page: PageRequest<string>) {
      const [rows, total] = await Promise.all([
        store.listImports(sql, status, page),
        store.countImports(sql, status, EXACT_TOTAL + 1),
      ])
      return { ...pageOf(rows, page, ({ seq }) => seq), total }
    },

    /** How many imports are held. */
    countHeld: () => store.countImports(sql, 'held', EXACT_TOTAL + 1),

    async listRows(
      one: Import,
      { outcome, ...page }: PageRequest<number> & { outcome?: keyof Counts | undefined },
    ) {
      const wanted = { ...page, limit: page.limit + 1, outcome }
      const rows = await listResults(sql, one.importId, wanted)
      const total = Math.min(outcome ? one[outcome] : one.checked + one.missing, EXACT_TOTAL + 1)
      return { ...pageOf(rows, page, ({ position }) => position), total }
    },

    /** The family of a row as the file has it; null where the row is no family, or the import has ended. */
    async findContent(one: Import, row: number): Promise<unknown> {
      // The file of an import that has ended is deleted, though not in the same moment.
      const found = isOver(one) ? undefined : await staged.findStagedRow(sql, one.importId, row)
      if (!found) return null
      const { employeeNumber } = found
      const dependents =
        one.format === 'csv' && employeeNumber
          ? await staged.listDependentsOf(sql, one.importId, [employeeNumber])
          : []
      try {
        const content = contentOf(one, found, dependents)
        return typeof content === 'object' && !Array.isArray(content) ? content : null
      } catch (error) {
        if (error instanceof Problem) return null
        throw error
      }
    },

    /** All results in the order of the file, a page in memory at a time. */
    async *allRows(importId: string, outcome: string | undefined): AsyncGenerator<ResultRow[]> {
      let after: number | undefined
      for (;;) {
        const wanted = { limit: DOWNLOAD_PAGE, outcome, ...(after !== undefined && { after }) }
        const rows = await listResults(sql, importId, wanted)
        if (rows.length > 0) yield rows
        after = rows.at(-1)?.position
        if (rows.length < DOWNLOAD_PAGE) return
      }
    },

    /** Releases a held import, or a dry run. Its rows are checked again when they are applied. */
    async release(unit: UnitOfWork, importId: string): Promise<Import> {
      const current = await lock(unit, importId)
      const { status } = current
      if (!isReleasable(current)) throw importNotReleasable(`The import is ${status}.`)
      if (!(await isAllowed(current))) throw importNotAllowed()
      const released = await store.releaseImport(unit.tx, importId, unit.now)
      unit.audit({
        action: 'import.release',
        recordId: importId,
        before: { status },
        after: { status: released.status },
      })
      return released
    },

    /** What was applied stays. A batch that is being applied is waited for. */
    async cancel(unit: UnitOfWork, importId: string): Promise<Import> {
      const current = await lock(unit, importId)
      const { status } = current
      if (status === 'cancelled') return current
      if (isOver(current)) throw importEnded(`The import is ${status}.`)
      unit.audit({
        action: 'import.cancel',
        recordId: importId,
        before: { status },
        after: { status: 'cancelled' },
      })
      const ended = await store.endImport(unit.tx, { importId, problem: null, now: unit.now })
      return ended ?? current
    },
  }
}

const isReleasable = ({ status, dryRun, releasedAt }: Import) =>
  status === 'held' || (status === 'completed' && dryRun && releasedAt === null)

const isOver = (one: Import) =>
  ['completed', 'cancelled', 'failed'].includes(one.status) && !isReleasable(one)

const orphan = (detail: string) => rowProblemOf(invalid([{ pointer: '/primaryEmployeeNumber', detail }]))

/** Of a dependent whose primary applicant has no row, or none that can be read. */
const ORPHAN = {
  missing: orphan('The file has no row of this primary applicant. Add one, or use mode=merge.'),
  unreadable: orphan(
    'The row of this primary applicant cannot be read. Correct it, then send the file again.',
  ),
}

/** What the audit compares. */
const fieldsOf = ({ mode, format, dryRun, complete, total }: Import) => ({
  mode,
  format,
  dryRun,
  complete,
  total,
})

/** `rows` has one more than the page, where there are further ones; backwards in reverse order. */
function pageOf<T, P>(rows: T[], { limit, after, before }: PageRequest<P>, positionOf: (row: T) => P) {
  const hasMore = rows.length > limit
  const shown = rows.slice(0, limit)
  if (before !== undefined) shown.reverse()
  const [first, last] = [shown[0], shown.at(-1)]
  const hasNext = before !== undefined || hasMore
  const hasPrev = before === undefined ? after !== undefined : hasMore
  return {
    records: shown,
    next: hasNext && last !== undefined ? positionOf(last) : undefined,
    prev: hasPrev && first !== undefined ? positionOf(first) : undefined,
  }
}
