import type { App } from '../http/app-types.ts'
import type { Responses } from '../http/responses.ts'
import * as schema from './blocked-callers.schema.ts'
import { toWire } from './blocked-callers.schema.ts'
import type { BlockedCallers } from './blocked-callers.service.ts'

interface Options {
  responses: Responses
  blockedCallers: BlockedCallers
  /** Reloads the disabled clients and blocked callers, so that their tokens are rejected at once. */
  refreshDisabled: () => Promise<void>
}

export function blockedCallerRoutes(app: App, { responses, blockedCallers, refreshDisabled }: Options): void {
  const path = '/admin/v1/blocked-callers'
  const scope = 'access:write'
  // After the transaction and before the response, so that a caller is blocked when the operator reads it.
  const onSend = async (_req: unknown, reply: { statusCode: number }, payload: unknown) => {
    if (reply.statusCode < 400) await refreshDisabled()
    return payload
  }

  app.get(path, { schema: schema.listBlockedCallers, scope }, async () =>
    (await blockedCallers.list()).map(toWire),
  )
  app.post(path, { schema: schema.blockCaller, scope, onSend }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { blocked, created } = await blockedCallers.block(unit, req.body)
      const json = JSON.stringify(toWire(blocked))
      return created ? { status: 201, json, headers: { location: path } } : { status: 200, json }
    }),
  )
  app.delete(`${path}/:blockId`, { schema: schema.unblockCaller, scope, onSend }, (req, reply) =>
    responses.write(req, reply, async unit => {
      await blockedCallers.unblock(unit, req.params.blockId)
      return { status: 204, json: '' }
    }),
  )
}
