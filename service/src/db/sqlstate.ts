// The one place where what PostgreSQL says becomes an error of ours.
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

export const unstorableText = declareProblem({
  code: 'invalid-request',
  status: 400,
  title: 'The request has text that cannot be stored.',
  remedy: 'Send text without NUL characters and in valid UTF-8.',
})

/** Constraint name to the error a client gets when that constraint refuses a write. Each feature declares its own. */
export type ConstraintProblems = Record<string, DeclaredProblem>

interface DatabaseError {
  code: string
  severity?: string
  constraint_name?: string
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

/** Deadlock and serialization failures: PostgreSQL rolled back and asks to run the transaction again. */
export function isTransient(error: unknown): boolean {
  return isDatabaseError(error) && (error.code === '40001' || error.code === '40P01')
}

/** Thrown to run a transaction again from its start: what it went by has just changed under it. */
export class RetryTransaction extends Error {
  readonly code = '40001'
}

/** Whether this constraint refused the write. */
export function refusedBy(error: unknown, constraint: string): boolean {
  return isDatabaseError(error) && error.constraint_name === constraint
}

/** True where the connection is gone, or is being closed by the server, which is what FATAL means. */
export function isConnectionLost(error: unknown): boolean {
  return isDatabaseError(error) && (CONNECTION_LOST.has(error.code) || error.severity === 'FATAL')
}

/** The server has ended this connection on purpose: an administrator asked it to. */
export function isEndedByServer(error: unknown): boolean {
  return isDatabaseError(error) && error.code === '57P01'
}

/** True where the server is gone, shutting down, starting up, or a standby. */
export function isUnavailable(error: unknown): boolean {
  if (!isDatabaseError(error)) return false
  const { code } = error
  if (CONNECTION_LOST.has(code)) return true
  return code.startsWith('08') || code.startsWith('57P') || code === '53300' || code === '25006'
}

/** The problem a client should see for this error, or undefined when it is a fault of ours. */
export function problemOf(error: unknown, constraints: ConstraintProblems): Problem | undefined {
  if (error instanceof Problem || !isDatabaseError(error)) return undefined
  const declared = error.constraint_name ? constraints[error.constraint_name] : undefined
  if (declared) return declared()
  // 55P03 and 57014 are our own lock and statement time-outs: the work was rolled back and may be sent again.
  if (isUnavailable(error) || isTransient(error) || error.code === '55P03' || error.code === '57014')
    return databaseUnavailable(undefined, { headers: { 'retry-after': '2' } })
  if (error.code === '53100') return storageFull()
  if (error.code === '22021' || error.code === '22P05') return unstorableText()
  return undefined
}
