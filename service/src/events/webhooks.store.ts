// Webhooks. A caller that may use only its own passes its client id as `owner`; null leads to all of them.
import type { Sql, Tx } from '../db/database.ts'
import { every } from '../db/limited.ts'
import type { SealedColumn } from '../db/sealed-columns.ts'
import { SCOPES_OF_RECORDS } from '../lib/event-types.ts'

export interface Webhook {
  webhookId: string
  /** The client that it belongs to; null for the operator. */
  clientId: string | null
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

export type Owner = string | null

const secretColumn: SealedColumn = { table: 'webhooks', id: 'webhook_id', column: 'secret', type: 'text' }

/** A rotation moves a secret from one column to the other. */
export const webhookSecretColumns: [SealedColumn, SealedColumn] = [
  secretColumn,
  { ...secretColumn, column: 'previous_secret', sealedFor: 'secret' },
]

const columns = (sql: Sql) => sql`
  webhook_id as "webhookId", client_id as "clientId", url, description, event_types as "eventTypes", active,
  disabled_reason as "disabledReason", companies, version, created_at as "createdAt", updated_at as "updatedAt"`

const ownedBy = (sql: Sql, owner: Owner) => (owner === null ? sql`true` : sql`client_id = ${owner}`)

/**
 * The ids under which the owner of the webhook `w` can be disabled, blocked or limited: for a caller of the external issuer also
 * its subject with any client, and its client with any subject, as in lib/external-caller.ts. The id of a local client has
 * no colon, and no caller has what this makes of it.
 */
const ownerNames = (sql: Sql) => sql`array[w.client_id,
  'oidc:' || split_part(w.client_id, ':', 2) || ':' || split_part(w.client_id, ':', 3),
  'oidc:' || split_part(w.client_id, ':', 2) || '::'
    || coalesce(nullif(split_part(w.client_id, ':', 4), ''), split_part(w.client_id, ':', 3))]`

/** Whether the webhook `w` belongs to the operator or to an enabled client that is not blocked. */
export const ownerIsEnabled = (sql: Sql) => sql`(w.client_id is null or (
  not exists (select from clients c where c.client_id = any(${ownerNames(sql)}) and c.disabled_at is not null)
  and not exists (select from blocked_callers b where b.caller = any(${ownerNames(sql)}))))`

/** Whether the webhook `w` belongs to the operator or to such a client that may read records of this type of event. */
export const ownerMayReceive = (sql: Sql, type: ReturnType<typeof ownerIsEnabled>) => sql`(
  w.client_id is null or ${ownerIsEnabled(sql)} and exists (
    select from clients c
    where c.client_id = w.client_id
      and (${sql.json(SCOPES_OF_RECORDS)}::jsonb -> split_part(${type}, '.', 1)) ?| c.scopes))`

/**
 * Whether a record of this set of companies belongs to a company that the webhook `w` has, and that its client has now under each of
 * its names.
 */
export const belongsToCompanies = (sql: Sql, set: ReturnType<typeof ownerIsEnabled>) => sql`(
  w.companies is null and not exists (
    select from clients c where c.client_id = any(${ownerNames(sql)}) and c.companies is not null)
  or exists (
    select from company_sets s, unnest(s.company_ids) company
    where s.company_set_id = ${set} and (w.companies is null or company = any(w.companies)) and not exists (
      select from clients c where c.client_id = any(${ownerNames(sql)}) and not company = any(c.companies))))`

/** Whether there is a client with this id. */
export async function isClient(sql: Sql, clientId: string): Promise<boolean> {
  const rows = await sql`select from clients where client_id = ${clientId}`
  return rows.length > 0
}

/** Whether the webhook `w` was disabled for its failures, or has a delivery that failed and is tried again. */
const isFailing = (sql: Sql) => sql`(
  w.disabled_reason is not null or w.active and exists (
    select from webhook_deliveries d
    where d.webhook_id = w.webhook_id and d.state = 'pending'
      and (d.last_status is not null or d.last_error is not null)))`

/** All of the owner, or those that fail, or those that do not. */
export async function listWebhooks(sql: Sql, owner: Owner, failing?: boolean): Promise<Webhook[]> {
  return sql<Webhook[]>`
    select ${columns(sql)} from webhooks w
    where ${ownedBy(sql, owner)}
      and (${failing ?? null}::boolean is null or ${isFailing(sql)} = ${failing ?? null}::boolean)
    order by created_at, webhook_id`
}

export async function countFailing(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from webhooks w where ${isFailing(sql)}`
  return row.count
}

export async function findWebhook(sql: Sql, webhookId: string, owner: Owner): Promise<Webhook | undefined> {
  const [row] = await sql<Webhook[]>`
    select ${columns(sql)} from webhooks where webhook_id = ${webhookId} and ${ownedBy(sql, owner)}`
  return row
}

export async function lockWebhook(tx: Tx, webhookId: string, owner: Owner): Promise<Webhook | undefined> {
  const [row] = await tx<Webhook[]>`
    select ${columns(tx)} from webhooks where webhook_id = ${webhookId} and ${ownedBy(tx, owner)} for update`
  return row
}

interface Target {
  url: string
  /** More than one while an old secret is still valid. */
  secrets: string[]
}

/** Where its deliveries are sent to, and what signs them. */
export async function findTarget(
  sql: Sql,
  webhookId: string,
  { owner, now }: { owner: Owner; now: Date },
): Promise<Target | undefined> {
  const [row] = await sql<Target[]>`
    select url,
      array_remove(array[secret, case when previous_secret_until > ${now} then previous_secret end], null) as secrets
    from webhooks
    where webhook_id = ${webhookId} and ${ownedBy(sql, owner)}`
  return row
}

type WebhookFields = Pick<Webhook, 'webhookId' | 'url' | 'description' | 'eventTypes' | 'active'>

interface NewWebhook {
  webhook: WebhookFields & Pick<Webhook, 'clientId'>
  companies: readonly string[] | null
  secret: string
  now: Date
}

export async function insertWebhook(
  tx: Tx,
  { webhook, companies, secret, now }: NewWebhook,
): Promise<Webhook> {
  const [row] = await tx<[Webhook]>`
    insert into webhooks
      (webhook_id, client_id, url, description, event_types, secret, active, companies, created_at, updated_at)
    values (${webhook.webhookId}, ${webhook.clientId}, ${webhook.url}, ${webhook.description}, ${webhook.eventTypes},
      ${secret}, ${webhook.active}, ${companies && [...companies]}::text[], ${now}, ${now})
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
  owner: Owner
  secret: string
  /** Until then deliveries are signed with the old secret, too. */
  oldUntil: Date
  now: Date
}

export async function rotateSecret(
  tx: Tx,
  { webhookId, owner, secret, oldUntil, now }: Rotation,
): Promise<Webhook | undefined> {
  const [row] = await tx<Webhook[]>`
    update webhooks
    set previous_secret = secret, previous_secret_until = ${oldUntil}, secret = ${secret},
      version = version + 1, updated_at = ${now}
    where webhook_id = ${webhookId} and ${ownedBy(tx, owner)}
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

/** Gives webhooks whose secrets are lost a new one that nobody knows, and switches them off. */
export async function replaceLostSecrets(
  tx: Tx,
  { secrets, reason, now }: { secrets: { webhookId: string; secret: string }[]; reason: string; now: Date },
): Promise<void> {
  await tx`
    update webhooks w
    set secret = lost.secret, previous_secret = null, previous_secret_until = null, active = false,
      disabled_reason = case when active then ${reason} else disabled_reason end,
      version = version + 1, updated_at = ${now}
    from unnest(${secrets.map(({ webhookId }) => webhookId)}::text[],
      ${secrets.map(({ secret }) => secret)}::text[]) as lost (webhook_id, secret)
    where w.webhook_id = lost.webhook_id`
}

export async function deletePreviousSecrets(tx: Tx, webhookIds: string[]): Promise<void> {
  await tx`
    update webhooks set previous_secret = null, previous_secret_until = null
    where webhook_id = any(${webhookIds}::text[])`
}

/** Takes all other companies from the webhooks of all callers that this id names. Also from those that the caller does not see. */
export async function limitWebhooksOf(
  tx: Tx,
  { clientId, companies, now }: { clientId: string; companies: readonly string[]; now: Date },
): Promise<void> {
  await tx`
    update ${every(tx, 'webhooks')} w
    set companies = case when companies is null then ${[...companies]}::text[]
        else array(select id from unnest(companies) id where id = any(${[...companies]}::text[])) end,
      version = version + 1, updated_at = ${now}
    where ${clientId} = any(${ownerNames(tx)}) and (companies is null or not companies <@ ${[...companies]}::text[])`
}

export async function deleteWebhook(tx: Tx, webhookId: string, owner: Owner): Promise<boolean> {
  const { count } = await tx`delete from webhooks where webhook_id = ${webhookId} and ${ownedBy(tx, owner)}`
  return count > 0
}
