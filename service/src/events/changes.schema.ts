import type { Operation } from '../http/app-types.ts'
import { insufficientScope } from '../http/authorization.ts'
import { invalidCursor } from '../http/pagination.ts'
import { EVENT_FIELDS, EVENT_TYPES } from '../lib/event-types.ts'
import { Type } from '../lib/json-schema.ts'
import { tooManyRequests } from '../lib/limiter.ts'
import { type Change as ChangeRow, feedExpired } from './changes.service.ts'

export const MAX_WAIT_SECONDS = 30

const DESCRIPTIONS: Record<string, string> = {
  applicantId: 'The person concerned.',
  employeeNumber: 'Number of this person after the change; null if there is none.',
  caseId: 'Null on a document that belongs to no case.',
}

/** Each field is present on the types that have it. */
const data = Object.fromEntries(
  [...new Set(['employeeNumber', ...Object.values(EVENT_FIELDS).flatMap(fields => Object.keys(fields))])].map(
    name => [
      name,
      {
        type: name === 'applicantId' ? 'string' : ['string', 'null'],
        ...(DESCRIPTIONS[name] && { description: DESCRIPTIONS[name] }),
      },
    ],
  ),
)

const Change = {
  type: 'object',
  title: 'Change',
  description:
    'An event. Beside `id`, `type` and `at` it has the fields of its type, as `data` of a webhook has.',
  properties: {
    id: { type: 'string', description: 'Identifies the event, as `webhook-id` of a delivery does.' },
    type: { type: 'string', enum: EVENT_TYPES },
    at: { type: 'string', format: 'date-time', description: 'Time of the event, UTC.' },
    ...data,
  },
  required: ['id', 'type', 'at', 'applicantId', 'employeeNumber'],
  additionalProperties: false,
  examples: [
    {
      id: 'evt_0c1f6a3e-4c5b-4d53-9a43-3f2e6c0a7d11',
      type: 'case.status_changed',
      at: '2026-03-02T10:15:00.000Z',
      caseId: 'gM3kX0d3Qm6wq0mJb1nUu2s=',
      applicantId: 'Xq2v9l0aTj2k5cV7m8yTzRk=',
      employeeNumber: 'E-10042',
      from: 'open',
      to: 'pending',
    },
  ],
}

const properties = {
  records: { type: 'array', items: Change },
  nextCursor: {
    type: 'string',
    description: 'Where to go on: send it as `after`. Present on every page, the last one included.',
  },
  more: {
    type: 'boolean',
    description: 'Whether there is more to read now. A page of some types may be empty while there is.',
  },
}

export const listChanges = {
  operationId: 'listChanges',
  tags: ['Changes'],
  summary: 'List changes',
  description: [
    'Returns every event once, in the order in which the changes were committed: those of the records that the caller may read and that belong to its companies. `applicant.*`, `dependent.*` and `passport.*` need the scope `applicants:read`, `case.*` `cases:read`, `document.*` `documents:read`; one of them is required. The events are those that webhooks receive.',
    'Send `nextCursor` as `after` in the next request. With `wait`, a request at the end of the feed waits for the next change. A caller that accepts `text/event-stream` gets server-sent events instead, one for each record, until the token expires or a quarter of an hour has passed; `id` is the cursor to go on from.',
    'Events are kept for thirty days at least. An older cursor, or one from before the database was restored, is 410: take a new copy with `GET /v2/export`. A repetition with the same cursor returns the same records. A client may read at most 50 times at once.',
  ].join('\n\n'),
  querystring: Type.Object({
    after: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description:
          '`nextCursor` of an earlier response, or the cursor of an export; `now` for the end of the feed. Absent or empty: the oldest change that is kept.',
        example: 'now',
      }),
    ),
    types: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'Only events of these types, separated by commas. Absent: all that the caller may read.',
        example: 'case.created,case.status_changed',
      }),
    ),
    maxRecords: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 100,
        description: 'Maximum records per page.',
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        default: 0,
        description: 'Seconds to wait for a change where there is none. Server-sent events ignore it.',
      }),
    ),
  }),
  response: {
    200: Type.Unsafe<unknown>({
      type: 'object',
      title: 'ChangePage',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    }),
  },
  eventStream: Type.String({
    description:
      'Events of `id`, the cursor, and `data`, the JSON of one change. An event without data moves the cursor only; one is sent every 15 seconds.',
  }),
  errors: [insufficientScope, invalidCursor, feedExpired, tooManyRequests],
} satisfies Operation

/** The JSON of a change. */
export function changeToJson({ eventId, type, occurredAt, data: fields }: ChangeRow): string {
  return JSON.stringify({ id: eventId, type, at: occurredAt.toISOString(), ...fields })
}
