import type { App } from '../http/app-types.ts'
import { principalOf, type Responses } from '../http/responses.ts'
import * as schema from './clients.schema.ts'
import { toWire } from './clients.schema.ts'
import type { Clients } from './clients.service.ts'

interface Options {
  responses: Responses
  clients: Clients
  /** Reloads the disabled and limited clients, so that a change holds for their tokens at once. */
  refreshRestricted: () => Promise<void>
}

export function clientRoutes(app: App, { responses, clients, refreshRestricted }: Options): void {
  const path = '/admin/v1/clients'
  const one = `${path}/:clientId`
  const scope = 'access:write'
  const locationOf = (clientId: string) => ({ location: `${path}/${encodeURIComponent(clientId)}` })
  // After the transaction and before the response, so that the change holds when the caller reads it.
  const refreshed = async (_req: unknown, reply: { statusCode: number }, payload: unknown) => {
    // After an error there is nothing to refresh, and an error here would replace it.
    if (reply.statusCode < 400) await refreshRestricted()
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

  app.post(path, { schema: schema.createClient, scope, onSend: refreshed }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const client = await clients.create(unit, req.body, principalOf(req))
      return { status: 201, json: JSON.stringify(toWire(client)), headers: locationOf(client.clientId) }
    }),
  )
  app.patch(one, { schema: schema.patchClient, scope, onSend: refreshed }, (req, reply) =>
    responses.write(req, reply, async unit =>
      ok(toWire(await clients.merge(unit, req.params.clientId, req.body, principalOf(req)))),
    ),
  )
  app.post(`${one}/rotate-secret`, { schema: schema.rotateSecret, scope }, (req, reply) =>
    responses.write(req, reply, async unit =>
      ok(
        toWire(
          await clients.rotateSecret(unit, req.params.clientId, {
            graceSeconds: req.body.graceSeconds ?? 0,
            caller: principalOf(req).scopes,
          }),
        ),
      ),
    ),
  )
  for (const { verb, operation, disabled } of [
    { verb: 'disable', operation: schema.disableClient, disabled: true },
    { verb: 'enable', operation: schema.enableClient, disabled: false },
  ]) {
    app.post(`${one}/${verb}`, { schema: operation, scope, onSend: refreshed }, (req, reply) =>
      responses.write(req, reply, async unit =>
        ok(
          toWire(
            await clients.setDisabled(unit, req.params.clientId, {
              disabled,
              caller: principalOf(req).scopes,
            }),
          ),
        ),
      ),
    )
  }

  app.post(`${one}/api-keys`, { schema: schema.createApiKey, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const key = await clients.createApiKey(unit, req.params.clientId, {
        name: req.body.name,
        caller: principalOf(req).scopes,
      })
      return { status: 201, json: JSON.stringify(key), headers: locationOf(req.params.clientId) }
    }),
  )
  app.delete(`${one}/api-keys/:keyId`, { schema: schema.revokeApiKey, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { clientId, keyId } = req.params
      await clients.revokeApiKey(unit, clientId, { keyId, caller: principalOf(req).scopes })
      return { status: 204, json: '' }
    }),
  )
}
