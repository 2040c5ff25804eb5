import type { Sql } from '../db/database.ts'
import type { Window } from '../db/keyset.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { newId } from '../lib/ids.ts'
import { declareProblem, invalid } from '../lib/problem.ts'
import { urlError } from './addresses.ts'
import * as deliveries from './deliveries.store.ts'
import { newSecret } from './signature.ts'
import type { Webhook } from './webhooks.store.ts'
import * as store from './webhooks.store.ts'

export const webhookNotFound = declareProblem({
  code: 'webhook-not-found',
  status: 404,
  title: 'There is no webhook with this id.',
  remedy: 'List the webhooks with GET /admin/v1/webhooks.',
})
export const deliveryNotFound = declareProblem({
  code: 'delivery-not-found',
  status: 404,
  title: 'The webhook has no delivery with this id.',
  remedy: 'List the deliveries of the webhook with GET /admin/v1/webhooks/{webhookId}/deliveries.',
})

const MAX_REPLAY_DAYS = 31
const DAY_MS = 86_400_000

export interface WebhookInput {
  url?: string
  description?: string
  eventTypes?: string[]
  active?: boolean
}

interface Options {
  sql: Sql
  allowPrivate: boolean
}

/** What the audit compares. */
const fieldsOf = ({
  url,
  description,
  eventTypes,
  active,
}: Pick<Webhook, 'url' | 'description' | 'eventTypes' | 'active'>) => ({
  url,
  description,
  eventTypes,
  active,
})

export type Webhooks = ReturnType<typeof createWebhooks>

export function createWebhooks({ sql, allowPrivate }: Options) {
  const checkUrl = (url: string) => {
    const detail = urlError(url, allowPrivate)
    if (detail) throw invalid([{ pointer: '/url', detail }])
  }
  const get = async (webhookId: string): Promise<Webhook> => {
    const webhook = await store.findWebhook(sql, webhookId)
    if (!webhook) throw webhookNotFound()
    return webhook
  }

  return {
    list: () => store.listWebhooks(sql),
    get,

    async create(
      unit: UnitOfWork,
      { url = '', description = '', eventTypes = [], active = true }: WebhookInput,
    ): Promise<Webhook & { secret: string }> {
      checkUrl(url)
      const webhook = { webhookId: newId<'webhook'>() as string, url, description, eventTypes, active }
      const secret = newSecret()
      unit.audit({ action: 'webhook.create', recordId: webhook.webhookId, after: fieldsOf(webhook) })
      return { ...(await store.insertWebhook(unit.tx, { webhook, secret, now: unit.now })), secret }
    },

    async merge(
      unit: UnitOfWork,
      webhookId: string,
      input: WebhookInput,
      requireState: (etag: string) => void,
    ): Promise<Webhook> {
      const current = await store.lockWebhook(unit.tx, webhookId)
      if (!current) throw webhookNotFound()
      requireState(etagOf(current))
      if (input.url !== undefined) checkUrl(input.url)
      const webhook = { ...current, ...input }
      unit.audit({
        action: 'webhook.write',
        recordId: webhookId,
        before: fieldsOf(current),
        after: fieldsOf(webhook),
      })
      return store.updateWebhook(unit.tx, { webhook, now: unit.now })
    },

    async rotateSecret(
      unit: UnitOfWork,
      webhookId: string,
      graceSeconds: number,
    ): Promise<Webhook & { secret: string }> {
      const secret = newSecret()
      const oldUntil = new Date(unit.now.getTime() + graceSeconds * 1000)
      unit.audit({ action: 'webhook.rotate_secret', recordId: webhookId })
      const webhook = await store.rotateSecret(unit.tx, { webhookId, secret, oldUntil, now: unit.now })
      if (!webhook) throw webhookNotFound()
      return { ...webhook, secret }
    },

    async remove(unit: UnitOfWork, webhookId: string): Promise<void> {
      const current = await store.lockWebhook(unit.tx, webhookId)
      if (!current || !(await store.deleteWebhook(unit.tx, webhookId))) throw webhookNotFound()
      unit.audit({ action: 'webhook.delete', recordId: webhookId, before: fieldsOf(current) })
    },

    async listDeliveries(webhookId: string, window: Window, filter: { state?: string }) {
      await get(webhookId)
      return deliveries.listDeliveries(sql, window, { webhookId, ...filter })
    },

    async replay(unit: UnitOfWork, webhookId: string, deliveryId: string): Promise<string> {
      unit.audit({ action: 'webhook.replay', recordId: webhookId })
      const json = await deliveries.replayDelivery(unit.tx, { webhookId, deliveryId, now: unit.now })
      if (!json) throw deliveryNotFound()
      return json
    },

    /** Returns the number of new deliveries. */
    async replayRange(
      unit: UnitOfWork,
      webhookId: string,
      { startDate, endDate }: { startDate: string; endDate: string },
    ): Promise<number> {
      if (endDate < startDate)
        throw invalid([{ pointer: '/endDate', detail: 'Must not be before startDate.' }])
      if (Date.parse(endDate) - Date.parse(startDate) >= MAX_REPLAY_DAYS * DAY_MS)
        throw invalid([
          { pointer: '/endDate', detail: `The range may have at most ${MAX_REPLAY_DAYS} days.` },
        ])
      if (!(await store.lockWebhook(unit.tx, webhookId))) throw webhookNotFound()
      unit.audit({ action: 'webhook.replay', recordId: webhookId })
      return deliveries.replayRange(unit.tx, { webhookId, startDate, endDate, now: unit.now })
    },
  }
}

export function etagOf({ version }: Webhook): string {
  return `"${version}"`
}
