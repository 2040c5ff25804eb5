// The `webhooks` section of the OpenAPI document: what is sent to a registered webhook, with a schema for each event.
import { EVENT_FIELDS, EVENT_TYPES, type EventType, type FieldKind } from '../lib/event-types.ts'

type Json = { [key: string]: unknown }

const SUMMARIES: Record<EventType, string> = {
  'applicant.created': 'A primary applicant was created',
  'applicant.updated': 'A primary applicant has changed',
  'applicant.number_changed': 'A primary applicant has another employee number',
  'dependent.created': 'A dependent was created',
  'dependent.updated': 'A dependent has changed, or moved to another primary applicant',
  'dependent.number_changed': 'A dependent has another employee number',
  'dependent.archived': 'A dependent was left out of a replace',
  'dependent.restored': 'An archived dependent came back',
  'case.created': 'A case was created',
  'case.status_changed': 'The status of a case has changed',
  'case.step_changed': 'A step was added or has changed',
  'case.note_added': 'A note was written',
  'document.created': 'A document was added to a record, or uploaded to a case',
  'document.updated': 'A document has changed',
  'document.removed': 'A document was removed from its record',
  'document.renewal_due': 'A reminder of an expiry is due',
}

const kinds: Record<FieldKind, Json> = {
  text: { type: 'string' },
  'text or null': { type: ['string', 'null'] },
}

/** ApplicantNumberChangedEvent for applicant.number_changed. */
export const eventSchemaName = (type: string) =>
  `${type
    .split(/[._]/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`

export function eventSchemas(): Record<string, Json> {
  return Object.fromEntries(EVENT_TYPES.map(type => [eventSchemaName(type), eventSchema(type)]))
}

function eventSchema(type: EventType): Json {
  const fields: Record<string, FieldKind> = { ...EVENT_FIELDS[type], employeeNumber: 'text or null' }
  return {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened, in UTC.' },
      data: {
        type: 'object',
        required: Object.keys(fields),
        properties: Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, kinds[kind]])),
      },
    },
  }
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

export function webhookOperations(tag: string): Record<string, Json> {
  return Object.fromEntries(
    EVENT_TYPES.map(type => [
      type,
      {
        post: {
          operationId: `on${eventSchemaName(type)}`,
          tags: [tag],
          summary: SUMMARIES[type],
          description:
            'Sent to every active webhook that asks for this type (Standard Webhooks 1.0). It may be sent more than once, with the same `webhook-id`.',
          parameters: [
            header('webhook-id', 'Identifies the event, also when it is sent again.'),
            header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.'),
            header('webhook-signature', '`v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`.'),
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: { $ref: `#/components/schemas/${eventSchemaName(type)}` } },
            },
          },
          responses: {
            '2XX': { description: 'Received. Anything else is tried again for three days.' },
            410: { description: 'The webhook is not wanted any more: it becomes inactive.' },
          },
          security: [],
        },
      },
    ]),
  )
}
