import type { App } from '../http/app-types.ts'
import * as schema from './clients.schema.ts'
import { toWire } from './clients.schema.ts'
import type { Clients } from './clients.service.ts'

interface Options {
  clients: Clients
  /** Lets the tokens of a client that was disabled just now be refused at once. */
  refreshDisabled: () => Promise<void>
}

export function clientRoutes(app: App, { clients, refreshDisabled }: Options): void {
  const path = '/admin/v1/clients'

  app.get(path, { schema: schema.listClients, scope: 'admin' }, async () =>
    (await clients.list()).map(toWire),
  )

  app.post(path, { schema: schema.createClient, scope: 'admin' }, async (request, reply) => {
    const client = await clients.create(request.body)
    return reply
      .code(201)
      .header('location', `${path}/${encodeURIComponent(client.clientId)}`)
      .send(toWire(client))
  })

  app.get(`${path}/:clientId`, { schema: schema.getClient, scope: 'admin' }, async request =>
    toWire(await clients.get(request.params.clientId)),
  )

  app.post(
    `${path}/:clientId/rotate-secret`,
    { schema: schema.rotateSecret, scope: 'admin' },
    async request =>
      toWire(await clients.rotateSecret(request.params.clientId, request.body.graceSeconds ?? 0)),
  )

  app.post(`${path}/:clientId/disable`, { schema: schema.disableClient, scope: 'admin' }, async request => {
    const client = await clients.setDisabled(request.params.clientId, true)
    await refreshDisabled()
    return toWire(client)
  })

  app.post(`${path}/:clientId/enable`, { schema: schema.enableClient, scope: 'admin' }, async request => {
    const client = await clients.setDisabled(request.params.clientId, false)
    await refreshDisabled()
    return toWire(client)
  })

  app.post(
    `${path}/:clientId/api-keys`,
    { schema: schema.createApiKey, scope: 'admin' },
    async (request, reply) => {
      const { clientId } = request.params
      const key = await clients.createApiKey(clientId, request.body.name)
      return reply
        .code(201)
        .header('location', `${path}/${encodeURIComponent(clientId)}`)
        .send(key)
    },
  )

  app.delete(
    `${path}/:clientId/api-keys/:keyId`,
    { schema: schema.revokeApiKey, scope: 'admin' },
    async (request, reply) => {
      await clients.revokeApiKey(request.params.clientId, request.params.keyId)
      return reply.code(204).send(null)
    },
  )
}
