import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { invalidCursor, listQuery, pageOf } from '../http/pagination.ts'
import { EVENT_TYPES } from '../lib/event-types.ts'
import { deliveryNotFound, webhookNotFound } from './webhooks.service.ts'
import type { Webhook as Row } from './webhooks.store.ts'

const nullable = (type: string, description: string) =>
  Type.Unsafe<string | number | null>({ type: [type, 'null'], description })

const url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'http or https, without user name and password; not at a private address.',
  example: 'https://hr.example.com/hooks/caseport',
})
const eventTypes = Type.Array(Type.Unsafe<string>({ type: 'string', enum: EVENT_TYPES }), {
  uniqueItems: true,
  description: 'What it is told of; everything, where the list is empty.',
})
const description = Type.String({ maxLength: 500, description: 'For people: what it is for.' })
const active = Type.Boolean({
  description: 'While it is not active nothing is sent to it, and what happens then is not kept for it.',
})

const fields = {
  webhookId: Type.String(),
  url,
  description,
  eventTypes,
  active,
  disabledReason: nullable('string', 'Why the service made it inactive; null where it did not.'),
  createdAt: Type.String(),
  updatedAt: Type.String(),
}
const Webhook = Type.Object(fields, { title: 'Webhook', additionalProperties: false })
const WebhookWithSecret = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'What deliveries are signed with. Shown in this answer only.' }),
  },
  { title: 'WebhookWithSecret', additionalProperties: false },
)

const Delivery = {
  type: 'object',
  title: 'WebhookDelivery',
  properties: {
    deliveryId: { type: 'string' },
    eventId: { type: 'string', description: 'The `webhook-id` header of every attempt.' },
    eventType: { type: 'string' },
    recordId: { type: 'string', description: 'Deliveries about one record go out in order.' },
    state: { type: 'string', enum: ['pending', 'delivered', 'failed'] },
    attempts: { type: 'integer' },
    nextAttemptAt: { type: ['string', 'null'], description: 'UTC, with Z; null once it is over.' },
    lastStatus: { type: ['integer', 'null'], description: 'Of the last answer; null where there was none.' },
    lastError: { type: ['string', 'null'], description: 'Why the last attempt had no good answer.' },
    createdAt: { type: 'string' },
    updatedAt: { type: 'string' },
  },
  required: [
    'deliveryId',
    'eventId',
    'eventType',
    'recordId',
    'state',
    'attempts',
    'nextAttemptAt',
    'lastStatus',
    'lastError',
    'createdAt',
    'updatedAt',
  ],
  additionalProperties: false,
}

const tags = ['Operator: webhooks'] as [string]
const params = Type.Object({ webhookId: Type.String() })
const day = (words: string) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'day',
    expects: 'a real calendar day such as 2026-03-01',
    description: words,
  })

export const listWebhooks = {
  operationId: 'listWebhooks',
  tags,
  summary: 'List the webhooks',
  description: 'All of them, the oldest first. Secrets are never shown.',
  response: { 200: Type.Array(Webhook) },
} satisfies Operation

export const createWebhook = {
  operationId: 'createWebhook',
  tags,
  summary: 'Create a webhook',
  description:
    'Deliveries follow Standard Webhooks 1.0: a POST of `{ "type", "timestamp", "data" }`, with ids and the employee number of the person in `data` and no other personal data (docs/events.md lists every event), and the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` (`v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes behind `whsec_`). Answer 2xx within 15 seconds; anything else is tried again for three days, and 410 makes the webhook inactive. An event may come more than once: `webhook-id` is then the same. The answer holds the secret, this once, so it takes no `Idempotency-Key`.',
  body: Type.Object(
    {
      url,
      description: Type.Optional(description),
      eventTypes: Type.Optional(eventTypes),
      active: Type.Optional(active),
    },
    { title: 'NewWebhook', additionalProperties: false },
  ),
  response: { 201: WebhookWithSecret },
  example: {
    url: 'https://hr.example.com/hooks/caseport',
    eventTypes: ['case.created', 'case.status_changed'],
  },
} satisfies Operation

export const getWebhook = {
  operationId: 'getWebhook',
  tags,
  summary: 'Read a webhook',
  conditional: true,
  params,
  response: { 200: Webhook },
  errors: [webhookNotFound],
} satisfies Operation

export const patchWebhook = {
  operationId: 'patchWebhook',
  tags,
  summary: 'Change a webhook',
  description:
    'Changes only what the body holds. What was waiting when it was made inactive is sent once it is active again.',
  conditional: true,
  params,
  body: Type.Object(
    {
      url: Type.Optional(url),
      description: Type.Optional(description),
      eventTypes: Type.Optional(eventTypes),
      active: Type.Optional(active),
    },
    { title: 'WebhookPatch', additionalProperties: false },
  ),
  response: { 200: Webhook },
  errors: [webhookNotFound],
  example: { active: false },
} satisfies Operation

export const rotateSecret = {
  operationId: 'rotateWebhookSecret',
  tags,
  summary: 'Give a webhook a new secret',
  description:
    'The answer holds the new secret, this once. For `graceSeconds` deliveries carry a signature of each, so that the receiver can be changed over without a gap.',
  params,
  body: Type.Object(
    {
      graceSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 86_400,
          description: 'How long the old secret signs too.',
        }),
      ),
    },
    { title: 'WebhookSecretRotation', additionalProperties: false },
  ),
  response: { 200: WebhookWithSecret },
  errors: [webhookNotFound],
  example: { graceSeconds: 86_400 },
} satisfies Operation

export const deleteWebhook = {
  operationId: 'deleteWebhook',
  tags,
  summary: 'Delete a webhook',
  description: 'Its deliveries go with it, also those that are waiting.',
  params,
  response: { 204: Type.Null() },
  errors: [webhookNotFound],
} satisfies Operation

export const listDeliveries = {
  operationId: 'listWebhookDeliveries',
  tags,
  summary: 'List the deliveries of a webhook',
  description:
    'By the time they were made. Paging is by cursor. What was delivered is kept for thirty days, what was not is kept until the webhook is deleted.',
  params,
  querystring: Type.Object({
    ...listQuery({ maxRecords: 100 }).properties,
    state: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['pending', 'delivered', 'failed'],
        description: 'Only those in this state.',
      }),
    ),
  }),
  response: { 200: pageOf('WebhookDeliveryPage', Delivery) },
  errors: [webhookNotFound, invalidCursor],
} satisfies Operation

export const replayDelivery = {
  operationId: 'replayWebhookDelivery',
  tags,
  summary: 'Send a delivery again',
  description: 'As a new delivery of the same event, so with the same `webhook-id`.',
  idempotent: true,
  params: Type.Object({ webhookId: Type.String(), deliveryId: Type.String() }),
  response: { 202: Type.Unsafe<unknown>(Delivery) },
  errors: [deliveryNotFound],
} satisfies Operation

export const replayEvents = {
  operationId: 'replayWebhookEvents',
  tags,
  summary: 'Send the events of some days again',
  description:
    'All events of these days that the webhook asks for, in order, whether it has had them or not; what is waiting for it anyway is not sent twice. At most 31 days. Events are removed thirty days after they happened, once everybody has had them.',
  idempotent: true,
  params,
  body: Type.Object(
    { startDate: day('First day, UTC, included.'), endDate: day('Last day, UTC, included.') },
    { title: 'WebhookReplay', additionalProperties: false },
  ),
  response: {
    202: Type.Object(
      { deliveries: Type.Integer({ description: 'How many will be sent.' }) },
      { title: 'WebhookReplayed', additionalProperties: false, description: 'They will be sent.' },
    ),
  },
  errors: [webhookNotFound],
  example: { startDate: '2026-03-01', endDate: '2026-03-02' },
} satisfies Operation

export function toWire<T extends Row>({ version: _version, createdAt, updatedAt, ...rest }: T) {
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
}
