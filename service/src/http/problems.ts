// Turns every error into an application/problem+json response, without stack traces, SQL or personal data.
import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { type ConstraintProblems, problemOf } from '../db/sqlstate.ts'
import { errorForLog } from '../lib/log.ts'
import { declareProblem, invalid, invalidRequest, Problem } from '../lib/problem.ts'
import type { App, Operation } from './app-types.ts'
import { tooBusy } from './shedding.ts'
import { validationErrorsOf } from './validation.ts'

export const routeNotFound = declareProblem({
  code: 'route-not-found',
  status: 404,
  title: 'There is no operation at this path.',
  remedy: 'Compare the path with the reference at /docs.',
})
export const methodNotAllowed = declareProblem({
  code: 'method-not-allowed',
  status: 405,
  title: 'This path does not support this method.',
  remedy: 'Use one of the methods in the Allow header.',
})
export const requestTimeout = declareProblem({
  code: 'request-timeout',
  status: 408,
  title: 'The request did not arrive in time.',
  remedy: 'Send headers and body without long pauses.',
})
export const payloadTooLarge = declareProblem({
  code: 'payload-too-large',
  status: 413,
  title: 'The request body is too large.',
  remedy: 'Send less in one request.',
})
export const unsupportedMediaType = declareProblem({
  code: 'unsupported-media-type',
  status: 415,
  title: 'This operation does not accept the media type of the request body.',
  remedy: 'Set Content-Type to a media type of the operation, in most cases application/json.',
})
export const internalError = declareProblem({
  code: 'internal-error',
  status: 500,
  title: 'The service failed to handle the request.',
  remedy: 'Retry the request. If the error persists, report the requestId to the operator.',
})

export const overloaded = declareProblem({
  code: 'overloaded',
  status: 503,
  title: 'The request took too long.',
  remedy:
    'The change may have been made. After the seconds in Retry-After, read the record before you retry.',
})

/** The problems of Fastify's own errors by status; its other 4xx errors become `invalidRequest`. */
const KINDS: Record<number, typeof invalidRequest> = {
  404: routeNotFound,
  408: requestTimeout,
  413: payloadTooLarge,
}

export function installProblems(app: App, constraints: ConstraintProblems): void {
  app.setErrorHandler((error: (FastifyError | Problem) & { code?: string }, request, reply) => {
    const problem = isHangUp(request, error)
      ? invalidRequest('The connection was lost.')
      : toProblem(error, { request, constraints })
    // Fastify would close the connection at once. A client that is still sending would then see a reset instead of the
    // response; server.ts reads and discards the rest, for a limited time.
    if (problem.kind === payloadTooLarge.kind) reply.removeHeader('connection')
    if (problem.kind.status >= 500 && problem.kind !== tooBusy.kind)
      request.log.error(errorForLog(error), 'request failed')
    return sendProblem(request, reply, problem)
  })
  // Before the body is read, so that an invalid body does not hide the 404.
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? noRoute(app, request) : undefined))
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, noRoute(app, request)))
}

function noRoute(app: App, request: FastifyRequest): Problem {
  const url = request.url.split('?')[0] ?? ''
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  const allow = methods.filter(method => app.findRoute({ method, url })).join(', ')
  return allow ? methodNotAllowed(`This path supports ${allow}.`, { headers: { allow } }) : routeNotFound()
}

function acceptedTypesOf({ routeOptions }: FastifyRequest): string {
  const { consumes = 'application/json' } = (routeOptions.schema ?? {}) as Partial<Operation>
  return `Set Content-Type to ${[consumes].flat().join(' or ')}.`
}

/** The client hung up while it sent or waited: no client reads the response, and it is not logged as an error. */
function isHangUp({ raw }: FastifyRequest, error: Error): boolean {
  return (raw.destroyed && !raw.complete) || (error.name === 'AbortError' && raw.socket.destroyed)
}

function toProblem(
  error: FastifyError | Problem,
  { request, constraints }: { request: FastifyRequest; constraints: ConstraintProblems },
): Problem {
  if (error instanceof Problem) return error
  if (error.validation) return invalid(validationErrorsOf(error.validation as FastifySchemaValidationError[]))
  const fromDatabase = problemOf(error, constraints)
  if (fromDatabase) return fromDatabase
  const status = error.statusCode ?? 500
  if (status < 400 || status >= 500) return internalError()
  if (status === 415) return unsupportedMediaType(acceptedTypesOf(request))
  return (KINDS[status] ?? invalidRequest)(error.message)
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.headers) reply.headers(problem.headers)
  request.problemCode = problem.kind.code
  return reply
    .code(problem.kind.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(problemBody(request, problem))
}

export function problemBody(
  request: FastifyRequest,
  { kind: { code, status, title }, message, errors, members }: Problem,
) {
  return {
    type: `/docs#error-${code}`,
    title,
    status,
    detail: message,
    instance: `urn:caseport:request:${request.id}`,
    code,
    requestId: request.id,
    ...(errors && { errors }),
    ...members,
  }
}

/** The response to bytes that are no HTTP request, as text for the socket. */
export function rawProblem(declared: typeof invalidRequest, requestId: string): string {
  const { code, status, title } = declared.kind
  const body = JSON.stringify({
    type: `/docs#error-${code}`,
    title,
    status,
    detail: title,
    instance: `urn:caseport:request:${requestId}`,
    code,
    requestId,
  })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json; charset=utf-8',
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
