// The `webhooks` section of the OpenAPI document: what registered webhooks receive, with a schema for each event.
import { EVENT_FIELDS, EVENT_TYPES, type EventType, type FieldKind, TEST_EVENT } from '../lib/event-types.ts'
import { type Components, type Json, pascalCase } from './openapi-components.ts'

const SUMMARIES: Record<EventType | typeof TEST_EVENT, string> = {
  [TEST_EVENT]: 'A test event was requested',
  'applicant.created': 'A primary applicant was created',
  'applicant.updated': 'A primary applicant was changed',
  'applicant.number_changed': 'The employee number of a primary applicant was changed',
  'applicant.merged': 'A primary applicant absorbed another record of the same person',
  'applicant.unmerged': 'A merge into a primary applicant was undone',
  'dependent.created': 'A dependent was created',
  'dependent.updated': 'A dependent was changed, or moved to another primary applicant',
  'dependent.number_changed': 'The employee number of a dependent was changed',
  'dependent.archived': 'A dependent was archived because a replace left it out',
  'dependent.restored': 'An archived dependent was restored',
  'dependent.merged': 'A dependent absorbed another record of the same person',
  'dependent.unmerged': 'A merge into a dependent was undone',
  'case.created': 'A case was created',
  'case.updated': 'A field of a case, its assignee or its due date was changed',
  'case.status_changed': 'The status of a case was changed',
  'case.step_changed': 'A step was added or changed',
  'case.note_added': 'A note that everyone sees was added to a case',
  'case.note_changed': 'A note that everyone saw was changed',
  'case.checklist_changed': 'The checklist of a case was changed',
  'document.created': 'A document was added to a record, or a file uploaded to a case or for a person',
  'document.updated': 'A document was changed',
  'document.removed': 'A document was removed: by a write of its record, by a merge, or by the desk',
  'document.renewal_due': 'A document is due for renewal',
  'passport.renewal_due': 'A passport is due for renewal',
}

type SentType = keyof typeof SUMMARIES
const SENT_TYPES: SentType[] = [...EVENT_TYPES, TEST_EVENT]

const kinds: Record<FieldKind, Json> = {
  text: { type: 'string' },
  'text or null': { type: ['string', 'null'] },
}

/** ApplicantNumberChangedEvent for applicant.number_changed. */
export const eventSchemaName = (type: string) => `${pascalCase(type)}Event`

export function eventSchemas(): Record<string, Json> {
  return Object.fromEntries(SENT_TYPES.map(type => [eventSchemaName(type), eventSchema(type)]))
}

function eventSchema(type: SentType): Json {
  const fields: Record<string, FieldKind> =
    type === TEST_EVENT ? { webhookId: 'text' } : { ...EVENT_FIELDS[type], employeeNumber: 'text or null' }
  return {
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', const: type },
      timestamp: { type: 'string', format: 'date-time', description: 'Time of the event, UTC.' },
      data: {
        type: 'object',
        required: Object.keys(fields),
        properties: Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, kinds[kind]])),
      },
    },
  }
}

const DESCRIPTION =
  'Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.'
const TEST_DESCRIPTION =
  'Sent once for each request to Send a test event, whatever the webhook subscribes to. It is signed like all events. It is not repeated.'

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const HEADERS = [
  header('webhook-id', 'Identifies the event. A retry has the same.'),
  header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.'),
  header('webhook-signature', '`v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`.'),
]

export function webhookOperations(tag: string, { share }: Components): Record<string, Json> {
  const parameters = HEADERS.map(parameter =>
    share('parameters', `${pascalCase(String(parameter['name']))}Header`, parameter),
  )
  const responses = {
    '2XX': share('responses', 'EventReceived', {
      description: 'Received. Any other response is retried for three days.',
    }),
    410: share('responses', 'WebhookGone', {
      description: 'The receiver wants no more events: the webhook becomes inactive.',
    }),
  }
  return Object.fromEntries(
    SENT_TYPES.map(type => {
      const schema = { $ref: `#/components/schemas/${eventSchemaName(type)}` }
      const post = {
        operationId: `on${eventSchemaName(type)}`,
        tags: [tag],
        summary: SUMMARIES[type],
        description: type === TEST_EVENT ? TEST_DESCRIPTION : DESCRIPTION,
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses,
        security: [],
      }
      return [type, { post }]
    }),
  )
}
