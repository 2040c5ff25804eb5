// Audits requests: no response of an operation leaves before its audit entry is in the database. A change has its entries
// in its own transaction; the hook below writes those of all other requests, so that no route can forget it. While entries
// cannot be written, nothing is disclosed.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { databaseUnavailable } from '../db/sqlstate.ts'
import type { RequestEntry } from '../db/unit-of-work.ts'
import { errorForLog } from '../lib/log.ts'
import type { App, Operation } from './app-types.ts'
import { problemBody } from './problems.ts'
import { actorOf } from './responses.ts'
import { tooBusy } from './shedding.ts'

/** An error that discloses nothing waits for its entry, but not for a database that does not respond. */
const ERROR_WAIT_MS = 1_000

/** Errors of authentication and of limits, which are audited even where a success is not. */
const REFUSALS = new Set([401, 403, 429])

/** Headers of every response. All others describe the response that is replaced. */
const KEPT_HEADERS = new Set([
  'cache-control',
  'content-security-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-request-id',
])

/** An id that the service itself has made. Other text of a path may be personal data, such as an employee number. */
const OWN_ID = /^[\w-]{23}=$/

type RecordEntry = (entry: RequestEntry) => Promise<void>

export function installAudit(app: App, record: RecordEntry): void {
  app.decorateRequest('auditNote', undefined)
  app.decorateRequest('isAudited', false)
  app.decorateRequest('problemCode', undefined)
  app.addHook('onRoute', route => {
    const operation = route.schema as Operation | undefined
    route.config = {
      ...route.config,
      audit: route.audit ?? (route.scope === 'public' ? 'never' : 'always'),
      ...(operation?.operationId && { operationId: operation.operationId }),
      ...(operation?.oauthErrors && { oauthErrors: true }),
    }
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!needsEntry(request, reply)) return done(null, payload)
    const recorded = record(entryOf(request, reply))
    const isHarmless = disclosesNothing(request, reply)
    let isFinished = false
    const finish = (next: unknown) => {
      if (isFinished) return
      isFinished = true
      clearTimeout(timer)
      // The time limit of the request may have passed meanwhile, and another response may be on its way.
      if (reply.raw.headersSent || reply.raw.writableEnded) discard(payload)
      else done(null, next)
    }
    const timer = isHarmless ? setTimeout(finish, ERROR_WAIT_MS, payload) : undefined
    recorded.then(
      () => finish(payload),
      error => {
        request.log.error(errorForLog(error), 'an audit entry could not be written')
        if (isHarmless || isFinished) return finish(payload)
        discard(payload)
        finish(refuse(request, reply))
      },
    )
    // The connection is closed: there is no response.
    if (request.raw.socket.destroyed) finish(payload)
  })
}

function needsEntry(request: FastifyRequest, reply: FastifyReply): boolean {
  const { audit } = request.inFlight?.route ?? {}
  if (request.isAudited || !audit || audit === 'never') return false
  if (audit === 'refusals') return REFUSALS.has(reply.statusCode)
  // A rejection under overload has to stay cheap. Nothing was done, and the log has it.
  return request.problemCode !== tooBusy.kind.code
}

/** A caller that is known learns something from a 404 or a 409, too. */
const disclosesNothing = (request: FastifyRequest, { statusCode }: FastifyReply): boolean =>
  statusCode >= 500 || (statusCode >= 400 && !request.principal)

function entryOf(request: FastifyRequest, { statusCode: status }: FastifyReply): RequestEntry {
  const note = request.auditNote
  const actor = actorOf(request)
  const isError = status >= 400
  return {
    actor: note?.clientId ? { ...actor, clientId: note.clientId } : actor,
    action: note?.action ?? (isError ? 'request.reject' : 'request.handle'),
    recordIds: note?.recordIds ?? (isError ? idsOf(request) : []),
    outcome: note?.outcome,
    status,
    code: request.problemCode,
  }
}

/** The ids in the path of a request that was rejected. */
function idsOf({ params }: FastifyRequest): string[] {
  const values = Object.values((params ?? {}) as Record<string, unknown>)
  return values.filter((value): value is string => typeof value === 'string' && OWN_ID.test(value))
}

/** Turns the response into an error; returns its body. */
function refuse(request: FastifyRequest, reply: FastifyReply): string {
  for (const name of Object.keys(reply.getHeaders())) if (!KEPT_HEADERS.has(name)) reply.removeHeader(name)
  const problem = databaseUnavailable('The audit log cannot be written, so that nothing is disclosed.')
  const isOAuth = request.inFlight?.route.oauthErrors
  reply
    .code(problem.kind.status)
    .header('retry-after', '2')
    .header('content-type', `application/${isOAuth ? 'json' : 'problem+json'}; charset=utf-8`)
  return JSON.stringify(
    isOAuth
      ? { error: 'temporarily_unavailable', error_description: problem.message }
      : problemBody(request, problem),
  )
}

/** Ends a stream that will not be sent. */
function discard(payload: unknown): void {
  if (payload && typeof payload === 'object' && 'destroy' in payload && typeof payload.destroy === 'function')
    payload.destroy()
}
