import type { App } from '../http/app-types.ts'
import type { Responses } from '../http/responses.ts'
import * as schema from './clients.schema.ts'
import { toWire } from './clients.schema.ts'
import type { Clients } from './clients.service.ts'

interface Options {
  responses: Responses
  clients: Clients
  /** Reloads the disabled clients, so that their tokens are rejected at once. */
  refreshDisabled: () => Promise<void>
}

export function clientRoutes(app: App, { responses, clients, refreshDisabled }: Options): void {
  const path = '/admin/v1/clients'
  const one = `${path}/:clientId`
  const scope = 'admin'
  const locationOf = (clientId: string) => ({ location: `${path}/${encodeURIComponent(clientId)}` })
  // After the transaction and before the response, so that a client is disabled when the caller reads it.
  const refreshed = async (_req: unknown, reply: { statusCode: number }, payload: unknown) => {
    // After an error there is nothing to refresh, and an error here would replace it.
    if (reply.statusCode < 400) await refreshDisabled()
    return payload
  }
  const ok = (body: unknown) => ({ status: 200, json: JSON.stringify(body) })

  app.get(path, { schema: schema.listClients, scope }, async req => {
    const found = await clients.list()
    responses.auditRead(
      req,
      'client.list',
      found.map(({ clientId }) => clientId),
    )
    return found.map(toWire)
  })

  app.get(one, { schema: schema.getClient, scope }, async req => {
    const client = await clients.get(req.params.clientId)
    responses.auditRead(req, 'client.read', [client.clientId])
    return toWire(client)
  })

  app.post(path, { schema: schema.createClient, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const client = await clients.create(unit, req.body)
      return { status: 201, json: JSON.stringify(toWire(client)), headers: locationOf(client.clientId) }
    }),
  )
  app.post(`${one}/rotate-secret`, { schema: schema.rotateSecret, scope }, (req, reply) =>
    responses.write(req, reply, async unit =>
      ok(toWire(await clients.rotateSecret(unit, req.params.clientId, req.body.graceSeconds ?? 0))),
    ),
  )
  for (const { verb, operation, disabled } of [
    { verb: 'disable', operation: schema.disableClient, disabled: true },
    { verb: 'enable', operation: schema.enableClient, disabled: false },
  ]) {
    app.post(`${one}/${verb}`, { schema: operation, scope, onSend: refreshed }, (req, reply) =>
      responses.write(req, reply, async unit =>
        ok(toWire(await clients.setDisabled(unit, req.params.clientId, disabled))),
      ),
    )
  }

  app.post(`${one}/api-keys`, { schema: schema.createApiKey, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const key = await clients.createApiKey(unit, req.params.clientId, req.body.name)
      return { status: 201, json: JSON.stringify(key), headers: locationOf(req.params.clientId) }
    }),
  )
  app.delete(`${one}/api-keys/:keyId`, { schema: schema.revokeApiKey, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      await clients.revokeApiKey(unit, req.params.clientId, req.params.keyId)
      return { status: 204, json: '' }
    }),
  )
}
