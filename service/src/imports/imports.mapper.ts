// The wire form of imports and of their rows, as JSON and as CSV.
import type { Import } from './import.ts'
import type { ResultRow } from './row-results.store.ts'

const timeOf = (date: Date | null) => date?.toISOString() ?? null

export function toWire(one: Import) {
  const { created, updated, unchanged, rejected, missing, releasedAt } = one
  const isApplied = !one.dryRun || releasedAt !== null
  return {
    importId: one.importId,
    status: one.status,
    mode: one.mode,
    dryRun: one.dryRun,
    complete: one.complete,
    format: one.format,
    counts: { total: one.total, created, updated, unchanged, rejected, missing },
    progress: {
      checked: one.checked,
      applied: one.applied,
      toApply: isApplied ? Math.max(one.applied, releasedAt ? one.total : created + updated + rejected) : 0,
    },
    held: one.heldReasons,
    problem: one.problem,
    createdBy: one.clientId,
    createdByName: one.userName,
    createdAt: one.createdAt.toISOString(),
    updatedAt: one.updatedAt.toISOString(),
    releasedAt: timeOf(releasedAt),
    finishedAt: timeOf(one.finishedAt),
  }
}

export function rowToWire(
  one: Import,
  { row, employeeNumber, applicantId, outcome, changed, problem }: ResultRow,
) {
  const isWritten = outcome === 'created' || outcome === 'updated'
  return {
    row,
    employeeNumber,
    applicantId,
    outcome,
    applied: isWritten && row !== null && row <= one.appliedTo,
    changed,
    problem,
  }
}

export const CSV_HEADER = 'row,employeeNumber,applicantId,outcome,applied,changed,code,detail\r\n'

export function rowToCsv({ row, changed, problem, ...one }: ReturnType<typeof rowToWire>): string {
  const detail = problem?.errors
    ? problem.errors.map(error => `${error.pointer}: ${error.detail}`).join(' ')
    : problem?.detail
  const cells = [
    row,
    cellOf(one.employeeNumber),
    // As it is: an id may begin with a hyphen, but has no character that a formula or a quoted cell needs.
    one.applicantId ?? '',
    one.outcome,
    one.applied,
    cellOf(changed.join(' ')),
    cellOf(problem?.code),
    cellOf(detail),
  ]
  return `${cells.join(',')}\r\n`
}

/** A spreadsheet takes text that begins like this for a formula; an apostrophe in front prevents it. */
const FORMULA = /^[=+\-@\t\r]/

const cellOf = (given: string | null | undefined) => {
  const text = (given ?? '').replace(FORMULA, "'$&")
  return /[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
