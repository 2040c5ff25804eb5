import type { App } from '../http/app-types.ts'
import type { Pagination } from '../http/pagination.ts'
import { preconditionsOf, principalOf, type Responses } from '../http/responses.ts'
import * as schema from './webhooks.schema.ts'
import { toWire } from './webhooks.schema.ts'
import { etagOf, type Webhooks } from './webhooks.service.ts'
import type { Webhook } from './webhooks.store.ts'

interface Options {
  responses: Responses
  pagination: Pagination
  webhooks: Webhooks
}

export function webhookRoutes(app: App, { responses, pagination, webhooks }: Options): void {
  const path = '/admin/v1/webhooks'
  const one = `${path}/:webhookId`
  const scope = 'webhooks:write'
  const json = (webhook: Webhook) => JSON.stringify(toWire(webhook))

  app.get(path, { schema: schema.listWebhooks, scope }, async req => {
    const found = await webhooks.list(principalOf(req), req.query)
    responses.auditRead(
      req,
      'webhook.list',
      found.map(({ webhookId }) => webhookId),
    )
    return found.map(toWire)
  })

  app.get(one, { schema: schema.getWebhook, scope }, async (req, reply) => {
    const webhook = await webhooks.get(req.params.webhookId, principalOf(req))
    const outgoing = { id: webhook.webhookId, json: json(webhook), etag: etagOf(webhook) }
    return responses.one(req, reply, 'webhook.read', outgoing)
  })
  app.post(path, { schema: schema.createWebhook, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const webhook = await webhooks.create(unit, req.body, principalOf(req))
      const location = `${path}/${encodeURIComponent(webhook.webhookId)}`
      return { status: 201, json: json(webhook), headers: { location } }
    }),
  )
  app.patch(one, { schema: schema.patchWebhook, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const webhook = await webhooks.merge(unit, req.params.webhookId, {
        input: req.body,
        caller: principalOf(req),
        requireState: preconditionsOf(req),
      })
      return { status: 200, json: json(webhook), headers: { etag: etagOf(webhook) } }
    }),
  )
  app.post(`${one}/rotate-secret`, { schema: schema.rotateSecret, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { graceSeconds = 0 } = req.body
      return {
        status: 200,
        json: json(
          await webhooks.rotateSecret(unit, req.params.webhookId, { graceSeconds, caller: principalOf(req) }),
        ),
      }
    }),
  )
  app.delete(one, { schema: schema.deleteWebhook, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      await webhooks.remove(unit, req.params.webhookId, principalOf(req))
      return { status: 204, json: '' }
    }),
  )

  app.post(`${one}/test`, { schema: schema.testWebhook, scope }, async (req, reply) => {
    const { webhookId } = req.params
    const outcome = await webhooks.test(webhookId, principalOf(req))
    return responses.write(req, reply, async unit => {
      unit.audit({ action: 'webhook.test', recordId: webhookId })
      return { status: 200, json: JSON.stringify(outcome) }
    })
  })

  app.get(`${one}/deliveries`, { schema: schema.listDeliveries, scope }, async (req, reply) => {
    const window = pagination.window({ request: req, defaultOffset: 0, defaultType: 'created' })
    const page = await webhooks.listDeliveries(req.params.webhookId, window, {
      filter: req.query,
      caller: principalOf(req),
    })
    responses.auditRead(req, 'webhook.deliveries_read', [req.params.webhookId])
    return pagination.send(req, reply, { ...page, records: page.records.map(record => record.json) })
  })
  app.post(`${one}/deliveries/:deliveryId/replay`, { schema: schema.replayDelivery, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const { webhookId, deliveryId } = req.params
      return {
        status: 202,
        json: await webhooks.replay(unit, webhookId, { deliveryId, caller: principalOf(req) }),
      }
    }),
  )
  app.post(`${one}/replay`, { schema: schema.replayEvents, scope }, (req, reply) =>
    responses.write(req, reply, async unit => {
      const deliveries = await webhooks.replayRange(unit, req.params.webhookId, {
        ...req.body,
        caller: principalOf(req),
      })
      return { status: 202, json: JSON.stringify({ deliveries }) }
    }),
  )
}
