import type { Sql, Tx } from '../db/database.ts'

export interface Webhook {
  webhookId: string
  url: string
  description: string
  /** Empty for all types. */
  eventTypes: string[]
  active: boolean
  disabledReason: string | null
  /** The companies whose events it receives; null is all of them. */
  companies: string[] | null
  version: number
  createdAt: Date
  updatedAt: Date
}

const columns = (sql: Sql) => sql`
  webhook_id as "webhookId", url, description, event_types as "eventTypes", active,
  disabled_reason as "disabledReason", companies, version, created_at as "createdAt", updated_at as "updatedAt"`

export async function listWebhooks(sql: Sql): Promise<Webhook[]> {
  return sql<Webhook[]>`select ${columns(sql)} from webhooks order by created_at, webhook_id`
}

export async function findWebhook(sql: Sql, webhookId: string): Promise<Webhook | undefined> {
  const [row] = await sql<Webhook[]>`select ${columns(sql)} from webhooks where webhook_id = ${webhookId}`
  return row
}

export async function lockWebhook(tx: Tx, webhookId: string): Promise<Webhook | undefined> {
  const [row] = await tx<Webhook[]>`
    select ${columns(tx)} from webhooks where webhook_id = ${webhookId} for update`
  return row
}

type WebhookFields = Pick<Webhook, 'webhookId' | 'url' | 'description' | 'eventTypes' | 'active'>

export async function insertWebhook(
  tx: Tx,
  {
    webhook,
    companies,
    secret,
    now,
  }: { webhook: WebhookFields; companies: readonly string[] | null; secret: string; now: Date },
): Promise<Webhook> {
  const [row] = await tx<[Webhook]>`
    insert into webhooks (webhook_id, url, description, event_types, secret, active, companies, created_at, updated_at)
    values (${webhook.webhookId}, ${webhook.url}, ${webhook.description}, ${webhook.eventTypes}, ${secret},
      ${webhook.active}, ${companies && [...companies]}::text[], ${now}, ${now})
    returning ${columns(tx)}`
  return row
}

/** Making a webhook active again clears the reason why it was disabled. */
export async function updateWebhook(
  tx: Tx,
  { webhook, now }: { webhook: WebhookFields; now: Date },
): Promise<Webhook> {
  const [row] = await tx<[Webhook]>`
    update webhooks
    set url = ${webhook.url}, description = ${webhook.description}, event_types = ${webhook.eventTypes},
      active = ${webhook.active}, disabled_reason = case when ${webhook.active} then null else disabled_reason end,
      version = version + 1, updated_at = ${now}
    where webhook_id = ${webhook.webhookId}
    returning ${columns(tx)}`
  return row
}

interface Rotation {
  webhookId: string
  secret: string
  /** Until then deliveries are signed with the old secret, too. */
  oldUntil: Date
  now: Date
}

export async function rotateSecret(
  tx: Tx,
  { webhookId, secret, oldUntil, now }: Rotation,
): Promise<Webhook | undefined> {
  const [row] = await tx<Webhook[]>`
    update webhooks
    set previous_secret = secret, previous_secret_until = ${oldUntil}, secret = ${secret},
      version = version + 1, updated_at = ${now}
    where webhook_id = ${webhookId}
    returning ${columns(tx)}`
  return row
}

export async function disableWebhook(
  tx: Tx,
  { webhookId, reason, now }: { webhookId: string; reason: string; now: Date },
): Promise<void> {
  await tx`
    update webhooks
    set active = false, disabled_reason = ${reason}, version = version + 1, updated_at = ${now}
    where webhook_id = ${webhookId} and active`
}

export async function deleteWebhook(tx: Tx, webhookId: string): Promise<boolean> {
  const { count } = await tx`delete from webhooks where webhook_id = ${webhookId}`
  return count > 0
}
