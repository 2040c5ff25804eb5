// Sends responses for all routes: ETags and 304 for reads, notes for their audit entries, and one transaction per write
// that also stores its audit entries, its events and the response for a retried Idempotency-Key.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import type { RenderedRecord } from '../db/etag-cache.ts'
import { type ConstraintProblems, problemOf } from '../db/sqlstate.ts'
import { type Actor, type Recorders, runUnitOfWork, type UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import type { Principal } from '../lib/principal.ts'
import { invalidRequest, Problem } from '../lib/problem.ts'
import type { Sealer } from '../lib/sealing.ts'
import type { Operation } from './app-types.ts'
import { tokenRequired } from './authorization.ts'
import { matches, requireConditions } from './etags.ts'
import { createIdempotency, type WriteResponse } from './idempotency.ts'
import { visibleTo } from './identifiers.ts'
import { isAbandoned } from './in-flight.ts'
import { overloaded, problemBody } from './problems.ts'

interface UnchangedResponse {
  action: string
  ids: string[]
  response: WriteResponse
}

export type Responses = ReturnType<typeof createResponses>

/** The response has been sent as text; there is nothing left for Fastify to check or serialize. */
type Sent = never

const JSON_TYPE = 'application/json; charset=utf-8'

interface Options {
  db: Database
  clock: Clock
  recorders: Recorders
  constraints: ConstraintProblems
  sealer: Sealer
}

export function createResponses({ db, clock, recorders, constraints, sealer }: Options) {
  const idempotency = createIdempotency(clock, sealer)

  const commit = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (unit: UnitOfWork) => Promise<WriteResponse>,
    findUnchanged?: () => Promise<UnchangedResponse | undefined>,
  ): Promise<WriteResponse> => {
    requireConditional(request)
    const actor = actorOf(request)
    const key = idempotency.keyOf(request, actor)
    try {
      const unchanged = await findUnchanged?.()
      if (unchanged) {
        auditRead(request, unchanged.action, unchanged.ids)
        return unchanged.response
      }
      let hasEntries = false
      const recorded: Recorders = {
        ...recorders,
        audit(...parameters) {
          hasEntries = true
          return recorders.audit(...parameters)
        },
      }
      const response = await db.transaction(async tx => {
        hasEntries = false
        const replayed = key && (await idempotency.begin(tx, key))
        if (replayed) auditRead(request, 'request.replay', [])
        const finish = (result: WriteResponse) =>
          key ? idempotency.finish(tx, key, result) : Promise.resolve()
        const unit = { tx, actor, now: clock.now(), recorders: recorded, work, finish }
        const done = replayed ?? (await runUnitOfWork({ ...unit, statusOf: ({ status }) => status }))
        if (isAbandoned(request, reply)) throw overloaded(undefined, { headers: { 'retry-after': '5' } })
        return done
      })
      request.isAudited = hasEntries
      return response
    } catch (error) {
      const problem = error instanceof Problem ? error : problemOf(error, constraints)
      if (key && problem && idempotency.isFinal(problem))
        await idempotency.storeResponse(db.sql, key, {
          status: problem.kind.status,
          json: JSON.stringify(problemBody(request, problem)),
        })
      throw problem ?? error
    }
  }

  return {
    /** Audits a read whose response is sent by other means than `one`, `many` or `part`. */
    auditRead,

    /** Deletes the stored responses of idempotency keys older than 24 hours. */
    deleteExpiredKeys: () => idempotency.deleteExpired(db.sql),

    /** One record, or 304 where the client has its current state. */
    one(
      request: FastifyRequest,
      reply: FastifyReply,
      action: string,
      { id, json, etag }: RenderedRecord,
    ): Sent {
      auditRead(request, action, [id])
      const known = request.headers['if-none-match']
      reply.header('etag', etag)
      if (known !== undefined && matches(known, etag, false)) return reply.code(304).send() as Sent
      return reply.header('content-type', JSON_TYPE).send(json) as Sent
    },

    /** An array of records. */
    many(request: FastifyRequest, reply: FastifyReply, action: string, records: RenderedRecord[]): Sent {
      auditRead(
        request,
        action,
        records.map(({ id }) => id),
      )
      return reply
        .header('content-type', JSON_TYPE)
        .send(`[${records.map(({ json }) => json).join(',')}]`) as Sent
    },

    /** A part of a record, without an ETag. */
    part(
      request: FastifyRequest,
      reply: FastifyReply,
      action: string,
      { id, json }: Omit<RenderedRecord, 'etag'>,
    ): Sent {
      auditRead(request, action, [id])
      return reply.header('content-type', JSON_TYPE).send(json) as Sent
    },

    /**
     * Runs the work in a transaction and responds with its result. Nothing is committed for a client that has hung up.
     * `findUnchanged` may find, without a transaction, that the work is a no-op: the result is then audited as a read.
     */
    async write(
      request: FastifyRequest,
      reply: FastifyReply,
      work: (unit: UnitOfWork) => Promise<WriteResponse>,
      findUnchanged?: () => Promise<UnchangedResponse | undefined>,
    ): Promise<Sent> {
      return send(request, reply, await commit(request, reply, work, findUnchanged))
    },

    /** The first half of `write`: the route sends the result, or a later state of the record. */
    commit: (
      request: FastifyRequest,
      reply: FastifyReply,
      work: (unit: UnitOfWork) => Promise<WriteResponse>,
    ) => commit(request, reply, work),

    /** The second half. */
    send,
  }
}

function send(request: FastifyRequest, reply: FastifyReply, response: WriteResponse): Sent {
  const { status, json, headers } = visibleTo(request, response)
  if (headers) reply.headers(headers)
  if (status === 204) return reply.code(204).send() as Sent
  const type = status < 400 ? JSON_TYPE : 'application/problem+json; charset=utf-8'
  return reply.code(status).header('content-type', type).send(json) as Sent
}

export function actorOf(request: FastifyRequest): Actor {
  const { principal, ip, id, traceId, inFlight } = request
  const operationId = inFlight?.route.operationId
  return {
    clientId: principal?.clientId ?? '',
    ...(principal?.user && { user: principal.user }),
    companies: principal ? principal.companies : [],
    address: ip,
    requestId: id,
    traceId,
    ...(operationId && { operation: { operationId, method: request.method } }),
  }
}

/** The caller of a route that needs a token. */
export function principalOf({ principal }: FastifyRequest): Principal {
  if (!principal) throw tokenRequired()
  return principal
}

/** Notes what a read discloses: http/audit.ts writes its entry before the response is sent. */
export function auditRead(request: FastifyRequest, action: string, recordIds: readonly string[]): void {
  request.auditNote = { action, recordIds }
}

/** Rejects conditions where the operation has none: ignored, they would protect nothing. */
function requireConditional({ headers, routeOptions }: FastifyRequest): void {
  if ((routeOptions.schema as Operation | undefined)?.conditional) return
  const given = ['If-Match', 'If-None-Match'].filter(name => headers[name.toLowerCase()] !== undefined)
  if (given.length > 0)
    throw invalidRequest(`This operation cannot be made conditional. Leave ${given.join(' and ')} out.`)
}

/** Throws unless the record, or its absence, meets If-Match and If-None-Match of the request. */
export const preconditionsOf =
  ({ headers }: FastifyRequest) =>
  (etag: string | undefined): void =>
    requireConditions({ ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] }, etag)
