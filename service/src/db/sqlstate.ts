// Classifies errors of PostgreSQL and its driver by SQLSTATE, and maps them to problems that clients see.
import { type DeclaredProblem, declareProblem, Problem } from '../lib/problem.ts'

export const databaseUnavailable = declareProblem({
  code: 'database-unavailable',
  status: 503,
  title: 'The database does not respond at the moment.',
  remedy: 'Retry the same request after the seconds in Retry-After.',
})

export const storageFull = declareProblem({
  code: 'storage-full',
  status: 507,
  title: 'The storage is full. Nothing was stored.',
  remedy: 'Ask the operator to free storage, then send the request again.',
})

const unstorableText = declareProblem({
  code: 'invalid-request',
  status: 400,
  title: 'The request has text that cannot be stored.',
  remedy: 'Send text without NUL characters and in valid UTF-8.',
})

/** Maps the name of a constraint to the problem that a client gets when a write violates it. Each feature declares its own. */
export type ConstraintProblems = Record<string, DeclaredProblem>

interface DatabaseError {
  code: string
  severity?: string
  constraint_name?: string
  /** Where the request has the value that violates the constraint, if that is known. */
  pointer?: string
}

const CONNECTION_LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

export function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** Deadlocks and serialization failures: PostgreSQL has rolled back, and the transaction may be retried. */
export function isTransient(error: unknown): boolean {
  return isDatabaseError(error) && (error.code === '40001' || error.code === '40P01')
}

/** The wait for a lock was longer than the lock timeout, or was one of two sessions for each other. */
export function isLockUnavailable(error: unknown): boolean {
  return isDatabaseError(error) && (error.code === '55P03' || error.code === '40P01')
}

/**
 * Thrown to retry a transaction from its start: data that it has read was changed by another one. The `cause` is the error
 * of a limited caller for whom a retry does not help: the other record belongs to other companies.
 */
export class RetryTransaction extends Error {
  readonly code = '40001'

  constructor(cause?: unknown) {
    super('The transaction is to be retried.', { cause })
  }
}

/** A write of a limited caller would have left a row that the caller does not see. */
export function isOutOfSight(error: unknown): boolean {
  return isDatabaseError(error) && error.code === '44000'
}

/** Whether the error is a violation of this constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return isDatabaseError(error) && error.constraint_name === constraint
}

/** True when the connection is closed, or is being closed by the server, which is what FATAL means. */
export function isConnectionLost(error: unknown): boolean {
  return isDatabaseError(error) && (CONNECTION_LOST.has(error.code) || error.severity === 'FATAL')
}

/** True when the server has no disk, memory or connections left. */
export function isOutOfResources(error: unknown): boolean {
  return isDatabaseError(error) && error.code.startsWith('53')
}

/** True when an administrator has terminated the connection. */
export function isTerminated(error: unknown): boolean {
  return isDatabaseError(error) && error.code === '57P01'
}

/** True when a transaction that may only read has tried to write. */
export function isReadOnly(error: unknown): boolean {
  return isDatabaseError(error) && error.code === '25006'
}

/** True when the server is unreachable, shutting down, starting up, or a standby. */
export function isUnavailable(error: unknown): boolean {
  if (!isDatabaseError(error)) return false
  const { code } = error
  if (CONNECTION_LOST.has(code)) return true
  return code.startsWith('08') || code.startsWith('57P') || code === '53300' || isReadOnly(error)
}

/** The problem to respond with, or undefined when the error is a bug in this service. */
export function problemOf(error: unknown, constraints: ConstraintProblems): Problem | undefined {
  if (error instanceof Problem || !isDatabaseError(error)) return undefined
  const declared = error.constraint_name ? constraints[error.constraint_name] : undefined
  if (declared)
    return declared(
      undefined,
      error.pointer === undefined
        ? undefined
        : { errors: [{ pointer: error.pointer, detail: declared.kind.title }] },
    )
  if (error.code === '53100') return storageFull()
  // 55P03 and 57014 are our own lock and statement timeouts: the work is rolled back and may be retried.
  if (
    isUnavailable(error) ||
    isConnectionLost(error) ||
    isTransient(error) ||
    error.code === '55P03' ||
    error.code === '57014'
  )
    return databaseUnavailable(undefined, { headers: { 'retry-after': '2' } })
  if (error.code === '22021' || error.code === '22P05') return unstorableText()
  return undefined
}
