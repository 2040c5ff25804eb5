// The records of an import and of its rows.
import type { FieldError, Problem } from '../lib/problem.ts'
import type { GuardState, Held } from './guard.ts'

export type ImportStatus =
  | 'receiving'
  | 'checking'
  | 'held'
  | 'running'
  | 'completed'
  | 'cancelled'
  | 'failed'
export type ImportMode = 'replace' | 'merge'
export type ImportFormat = 'ndjson' | 'csv'

export const OUTCOMES = ['created', 'updated', 'unchanged', 'rejected', 'missing'] as const
export type Outcome = (typeof OUTCOMES)[number]
export type Counts = Record<Outcome, number>

export interface Import {
  importId: string
  seq: string
  status: ImportStatus
  mode: ImportMode
  format: ImportFormat
  dryRun: boolean
  complete: boolean
  /** Whether the file states the dependents of each person. */
  hasDependents: boolean
  clientId: string
  userId: string | null
  userName: string | null
  address: string | null
  requestId: string
  traceId: string | null
  companies: string[] | null
  total: number
  created: number
  updated: number
  unchanged: number
  rejected: number
  missing: number
  checked: number
  checkedTo: number
  applied: number
  appliedTo: number
  missingTo: string | null
  missingDone: boolean
  guard: GuardState
  heldReasons: Held | null
  problem: RowProblem | null
  releasedAt: Date | null
  finishedAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}

/** A problem document without what belongs to one request. */
export interface RowProblem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  errors?: FieldError[]
}

export function rowProblemOf({
  kind: { code, status, title },
  message,
  errors,
  members,
}: Problem): RowProblem {
  return {
    type: `/docs#error-${code}`,
    title,
    status,
    detail: message,
    code,
    ...(errors && { errors }),
    ...members,
  }
}

/** What became of a row, or would become of it. */
export interface RowResult {
  row: number
  employeeNumber: string | null
  applicantId: string | null
  outcome: Exclude<Outcome, 'missing'>
  changed: string[]
  problem: RowProblem | null
}

export const etagOf = ({ version }: Pick<Import, 'version'>) => `"${version}"`
