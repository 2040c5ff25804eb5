// The one error class of the SDK. Its `code` is the `code` of the service's problem document, an error of the token
// endpoint, or one of the SDK's own.
import type { ProblemCode } from './api-types.ts'

/** Errors of the token endpoint (RFC 6749). */
export type TokenErrorCode =
  | 'invalid_client'
  | 'invalid_request'
  | 'invalid_scope'
  | 'too_many_requests'
  | 'unsupported_grant_type'

/** Errors that the SDK finds itself. Their status is 0 unless there was a response. */
export type SdkErrorCode =
  | 'deadline-exceeded'
  | 'digest-mismatch'
  | 'file-changed'
  | 'file-error'
  | 'invalid-argument'
  | 'invalid-response'
  | 'network-error'
  | 'webhook-rejected'

/** Known codes, and any other text: a newer service may have more. */
export type ErrorCode = ProblemCode | TokenErrorCode | SdkErrorCode | (string & {})

export interface FieldError {
  /** JSON pointer to the field, or `/name` of a path or query parameter. */
  pointer: string
  detail: string
}

interface Details {
  status?: number
  detail: string
  title?: string | undefined
  errors?: FieldError[] | undefined
  problem?: Record<string, unknown>
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
}

const MAX_FIELDS_IN_MESSAGE = 3

export class CaseportError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'CaseportError'
  declare readonly code: Code
  /** HTTP status, or 0 where there was no response. */
  declare readonly status: number
  /** What the code means, the same for every error with this code. */
  declare readonly title: string
  /** What happened in this request. */
  declare readonly detail: string
  /** Every invalid field of the request; empty if the error is not about fields. */
  declare readonly errors: readonly FieldError[]
  /** The problem document of the service, with members that only some codes have, such as `mergedInto`. */
  declare readonly problem: Readonly<Record<string, unknown>>
  /** For the operator of the service, who finds the request in the log by it. */
  declare readonly requestId: string | undefined
  /** Seconds to wait, if the service asked for it. */
  declare readonly retryAfter: number | undefined

  constructor(
    code: Code,
    { status = 0, detail, title = detail, errors = [], problem = {}, requestId, retryAfter, cause }: Details,
  ) {
    const fields = errors.slice(0, MAX_FIELDS_IN_MESSAGE).map(field => `${field.pointer}: ${field.detail}`)
    super([`${code}: ${detail}`, ...fields].join(' '), { cause })
    Object.assign(this, { code, status, title, detail, errors, problem, requestId, retryAfter })
  }
}

/** Narrows a caught value to an error of the SDK, and to these codes if any are given. */
export function isCaseportError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is CaseportError<Code> {
  return error instanceof CaseportError && (codes.length === 0 || codes.includes(error.code as Code))
}

export function invalidArgument(name: string, detail: string): CaseportError<'invalid-argument'> {
  const errors = [{ pointer: `/${name}`, detail }]
  return new CaseportError('invalid-argument', { detail: 'The call was not sent.', errors })
}

/** A response that is not one of the service. */
export const invalidResponse = (detail: string, about?: Partial<Details>) =>
  new CaseportError('invalid-response', { ...about, detail })

/** For `catch` of what fails when the connection does. */
export const throwNetworkError = (cause: unknown): never => {
  throw networkError(cause)
}

export function networkError(cause: unknown): CaseportError<'network-error'> {
  const { message = String(cause), cause: deeper } = (cause ?? {}) as {
    message?: string
    cause?: AggregateError
  }
  // For a name with several addresses, Node has an error for each, and an empty message.
  const why = deeper?.message || deeper?.errors?.map(error => error.message).join(', ')
  const reason = why ? `${message} (${why})` : message
  return new CaseportError('network-error', { detail: `The service cannot be reached: ${reason}.`, cause })
}

interface ErrorBody extends Record<string, unknown> {
  code?: string
  title?: string
  detail?: string
  requestId?: string
  errors?: FieldError[]
  error?: string
  error_description?: string
}

/** The error that a response is. `body` is its text. */
export function errorOf(response: Pick<Response, 'status' | 'headers'>, body: string): CaseportError {
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const about = { status, requestId, retryAfter: secondsOf(headers.get('retry-after') ?? '') }
  if (status < 400) return unexpectedRedirect(headers.get('location'), about)
  const parsed = parseObject(body) as ErrorBody
  if (typeof parsed.code === 'string')
    return new CaseportError(parsed.code, {
      ...about,
      detail: parsed.detail ?? parsed.title ?? parsed.code,
      title: parsed.title,
      errors: parsed.errors,
      problem: parsed,
      requestId: parsed.requestId ?? requestId,
    })
  if (typeof parsed.error === 'string')
    return new CaseportError(parsed.error, { ...about, detail: parsed.error_description ?? parsed.error })
  return invalidResponse(`The response with status ${status} may come from a proxy. Check baseUrl.`, about)
}

function unexpectedRedirect(location: string | null, about: Partial<Details>): CaseportError {
  const target = location ? ` to ${location}` : ''
  return invalidResponse(`The service redirects${target}. Check baseUrl.`, about)
}

/** Text and numbers have none of the fields either. */
function parseObject(text: string): object {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

function secondsOf(retryAfter: string): number | undefined {
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
