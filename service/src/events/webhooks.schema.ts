import type { Operation } from '../http/app-types.ts'
import { invalidCursor, listQuery, pageOf, sortOf } from '../http/pagination.ts'
import { EVENT_TYPES } from '../lib/event-types.ts'
import { cannotGrant } from '../lib/grants.ts'
import { Type } from '../lib/json-schema.ts'
import { deliveryNotFound, webhookNotFound } from './webhooks.service.ts'
import type { Webhook as Row } from './webhooks.store.ts'

const nullable = (type: string, description: string) =>
  Type.Unsafe<string | number | null>({ type: [type, 'null'], description })

const url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'http or https, without user name and password. Private addresses are rejected.',
  example: 'https://hr.example.com/hooks/caseport',
})
const eventTypes = Type.Array(Type.Unsafe<string>({ type: 'string', enum: EVENT_TYPES }), {
  uniqueItems: true,
  description: 'Types that it subscribes to; an empty list means all.',
})
const description = Type.String({ maxLength: 500, description: 'For people: its purpose.' })
const active = Type.Boolean({
  description: 'An inactive webhook receives nothing, and events of that time are not stored for it.',
})

const fields = {
  webhookId: Type.String(),
  clientId: nullable('string', 'Client that it belongs to; null if it belongs to the operator.'),
  url,
  description,
  eventTypes,
  active,
  companies: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description:
      'Companies whose events it receives: those of its creator, without those that its client has lost; null is all.',
  }),
  disabledReason: nullable('string', 'Why the service made it inactive; null if it did not.'),
  createdAt: Type.String(),
  updatedAt: Type.String(),
}
const Webhook = Type.Object(fields, { title: 'Webhook', additionalProperties: false })
const WebhookWithSecret = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'Key of the signatures. Only in this response.' }),
  },
  { title: 'WebhookWithSecret', additionalProperties: false },
)

const Delivery = {
  type: 'object',
  title: 'WebhookDelivery',
  properties: {
    deliveryId: { type: 'string' },
    eventId: { type: 'string', description: 'Value of the `webhook-id` header of every attempt.' },
    eventType: { type: 'string' },
    recordId: { type: 'string', description: 'Deliveries about one record are sent in order.' },
    state: { type: 'string', enum: ['pending', 'delivered', 'failed'] },
    attempts: { type: 'integer' },
    nextAttemptAt: { type: ['string', 'null'], description: 'UTC, with `Z`; null after the last attempt.' },
    lastStatus: {
      type: ['integer', 'null'],
      description: 'Status of the last response; null if there was none.',
    },
    lastError: { type: ['string', 'null'], description: 'Why the last attempt failed.' },
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
const webhookId = Type.String({ description: 'Id of the webhook.' })
const params = Type.Object({ webhookId })
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
  description:
    'Returns the webhooks of the caller, the oldest first, in one array without pages; those of all clients with the scope `admin`. Secrets are never returned.',
  querystring: Type.Object({
    failing: Type.Optional(
      Type.Boolean({
        description:
          'Only webhooks that the service has disabled, or that have a delivery which failed and is tried again; or only the others.',
      }),
    ),
  }),
  response: { 200: Type.Array(Webhook) },
} satisfies Operation

export const createWebhook = {
  operationId: 'createWebhook',
  idempotent: 'sealed',
  tags,
  summary: 'Create a webhook',
  description: [
    'Creates a webhook of the caller and returns its secret. It receives only events of records that its client may read: `applicant.*` and `dependent.*` need the scope `applicants:read`, `case.*` `cases:read`, `document.*` `documents:read`. If the client loses the scope or is disabled or blocked, they are no longer sent.',
    'No later response has the secret again, but for a retry with the same `Idempotency-Key`. Events from now on are sent to the URL.',
    'Deliveries follow Standard Webhooks 1.0: a POST of `{ "type", "timestamp", "data" }` with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` (`v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`, with the decoded bytes after `whsec_` as key). `data` has ids and the employee number of the person, and no other personal data; docs/events.md lists every event.',
    'The receiver must return 2xx within 15 seconds. Any other response is retried for three days, and 410 makes the webhook inactive. An event may be sent more than once, with the same `webhook-id`.',
  ].join('\n\n'),
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
  errors: [cannotGrant],
  example: {
    url: 'https://hr.example.com/hooks/caseport',
    eventTypes: ['case.created', 'case.status_changed'],
  },
} satisfies Operation

export const getWebhook = {
  operationId: 'getWebhook',
  tags,
  summary: 'Read a webhook',
  description:
    'Returns the webhook without its secret. `disabledReason` is set if the service made it inactive. Supports `If-None-Match`.',
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
    'Changes only the fields in the body. Pending deliveries of an inactive webhook are sent once it is active again. Sending the same body again changes nothing. The caller must be allowed to read all types of events that the webhook then subscribes to.',
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
  errors: [webhookNotFound, cannotGrant],
  example: { active: false },
} satisfies Operation

export const rotateSecret = {
  operationId: 'rotateWebhookSecret',
  optionalBody: true,
  idempotent: 'sealed',
  tags,
  summary: 'Rotate the secret of a webhook',
  description:
    'Creates a new secret and returns it. No later response has it again. For `graceSeconds`, deliveries have two signatures, one for each secret, so that the receiver can be switched over without downtime.',
  params,
  body: Type.Object(
    {
      graceSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 86_400,
          description: 'Seconds for which the old secret signs too.',
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
  description:
    'Deletes the webhook and all its deliveries, pending ones included. To stop deliveries for a while, set `active` to false instead.',
  params,
  response: { 204: Type.Null() },
  errors: [webhookNotFound],
} satisfies Operation

export const testWebhook = {
  operationId: 'testWebhook',
  tags,
  summary: 'Send a test event',
  description:
    'Sends a signed event of type `webhook.test` to the URL at once, also if the webhook is inactive, and returns what happened. It has the limits of any delivery: 15 seconds, public addresses, no redirects. It is neither repeated nor listed, and 410 does not make the webhook inactive. A client may send ten a minute (429).',
  params,
  response: {
    200: Type.Object(
      {
        delivered: Type.Boolean({ description: 'Whether the receiver returned 2xx.' }),
        status: nullable('integer', 'Status of the response; null if there was none.'),
        error: nullable('string', 'Why there was no response, or why it does not count.'),
        milliseconds: Type.Integer({ description: 'How long the request took.' }),
      },
      { title: 'WebhookTest', additionalProperties: false },
    ),
  },
  errors: [webhookNotFound],
} satisfies Operation

export const listDeliveries = {
  operationId: 'listWebhookDeliveries',
  tags,
  summary: 'List the deliveries of a webhook',
  description:
    'Returns the deliveries of a webhook in order of creation, page by page. Successful deliveries are kept for thirty days, others until the webhook is deleted. Filter by `state=failed` to find what to replay.',
  params,
  querystring: Type.Object({
    ...listQuery({ maxRecords: 100 }).properties,
    sort: sortOf(['createdAt'], 'createdAt'),
    state: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['pending', 'delivered', 'failed'],
        description: 'Only deliveries in this state.',
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
  description:
    'Creates a new delivery of the same event, with the same `webhook-id`. It is sent in the background. Send an `Idempotency-Key` to make a retry safe.',
  idempotent: true,
  params: Type.Object({ webhookId, deliveryId: Type.String({ description: 'Id of the delivery.' }) }),
  response: { 202: Type.Unsafe<unknown>(Delivery) },
  errors: [deliveryNotFound],
} satisfies Operation

export const replayEvents = {
  operationId: 'replayWebhookEvents',
  tags,
  summary: 'Send the events of a range of days again',
  description:
    'Sends all events of these days that the webhook subscribes to, in order, whether they were delivered or not. Events with a pending delivery are not sent twice. The range has at most 31 days. Events are deleted after thirty days, once they are delivered to every webhook.',
  idempotent: true,
  params,
  body: Type.Object(
    { startDate: day('First day of the range, UTC.'), endDate: day('Last day of the range, UTC.') },
    { title: 'WebhookReplay', additionalProperties: false },
  ),
  response: {
    202: Type.Object(
      { deliveries: Type.Integer({ description: 'Number of events that will be sent.' }) },
      {
        title: 'WebhookReplayed',
        additionalProperties: false,
        description: 'Accepted; the events are sent in the background.',
      },
    ),
  },
  errors: [webhookNotFound],
  example: { startDate: '2026-03-01', endDate: '2026-03-02' },
} satisfies Operation

export function toWire<T extends Row>({ version: _version, createdAt, updatedAt, ...rest }: T) {
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
}
