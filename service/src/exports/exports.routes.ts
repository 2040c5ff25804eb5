import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { reserve } from '../documents/transfers.ts'
import { CHANGES_PATH } from '../events/changes.routes.ts'
import type { App } from '../http/app-types.ts'
import { requireScope } from '../http/authorization.ts'
import type { Pagination } from '../http/pagination.ts'
import { auditRead } from '../http/responses.ts'
import { createBudget } from '../lib/budget.ts'
import { errorForLog } from '../lib/log.ts'
import type { Scope } from '../lib/scopes.ts'
import * as schema from './exports.schema.ts'
import type { Exports, Kind } from './exports.service.ts'
import { createLineStream, ReaderGone } from './line-stream.ts'

/** In seconds; the client sets the pace. */
const TIME_LIMIT = 6 * 3_600
/** Shorter than the time after which a transaction without statements is ended. */
const STALL_MS = 30_000
/** As many as there are connections for snapshots. */
const LIMITS = { capacity: 2, maxWaiting: 32, maxWaitMs: 10_000 }

const KIND_DETAILS: Record<Kind, { scope: Scope; action: string }> = {
  applicants: { scope: 'applicants:read', action: 'applicant.export' },
  cases: { scope: 'cases:read', action: 'case.export' },
  documents: { scope: 'documents:read', action: 'document.export' },
}

interface Options {
  pagination: Pagination
  exports: Exports
  stallMs?: number
}

export function exportRoutes(app: App, { pagination, exports, stallMs = STALL_MS }: Options): void {
  const slots = createBudget(LIMITS)

  /** Runs the export into a stream; resolves when its first lines are there, so that an earlier error is a response. */
  const openExport = async (request: FastifyRequest, reply: FastifyReply, kind: Kind) => {
    const slot = await reserve(slots, 1, request.raw.socket)
    const { stream, begun, write } = createLineStream({ stallMs })
    // Also while the stream is not sent yet.
    reply.raw.once('close', () => stream.destroy())
    const cursors = pagination.cursorsOf(request, CHANGES_PATH)
    const finished = exports
      .run(kind, write)
      .then(({ number, mark }) => {
        stream.end(`${JSON.stringify({ cursor: cursors.encode([number, mark]) })}\n`)
      })
      .finally(slot.release)
    finished.catch(error => {
      if (!(error instanceof ReaderGone)) request.log.error(errorForLog(error), 'an export was broken off')
      stream.destroy()
    })
    await Promise.race([begun, finished])
    return stream
  }

  app.get(
    '/v2/export',
    { schema: schema.exportRecords, scope: 'any', timeLimit: TIME_LIMIT },
    async (req, reply) => {
      const { kind } = req.query
      const { scope, action } = KIND_DETAILS[kind]
      requireScope(req, scope)
      // Of an empty text, Fastify would send the length.
      const body = req.method === 'HEAD' ? Readable.from([]) : await openExport(req, reply, kind)
      auditRead(req, action, [])
      return reply.header('content-type', 'application/x-ndjson; charset=utf-8').send(body as never) as never
    },
  )
}
