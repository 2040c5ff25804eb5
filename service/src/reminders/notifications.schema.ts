import type { Operation } from '../http/app-types.ts'
import { invalidCursor, listQuery, pageOf, sortOf } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import type { NotificationRow } from './notifications.store.ts'

const STATES = ['pending', 'sent', 'recorded', 'failed']

const properties = {
  notificationId: { type: 'string' },
  documentId: { type: ['string', 'null'], description: 'The document that expires; null for a passport.' },
  passportId: { type: ['string', 'null'], description: 'The passport that expires; null for a document.' },
  applicantId: { type: 'string' },
  expiryDate: { type: 'string', description: 'Expiry date that it announces.' },
  rung: { type: 'string', description: 'Reminder of the schedule, such as `30 days`.' },
  dueOn: { type: 'string', description: 'Day on which it became due.' },
  state: {
    type: 'string',
    enum: STATES,
    description:
      '`pending`: to be sent. `sent`: accepted by the mail server. `recorded`: not sent, because there is no recipient or no need any more. `failed`: retried for days without success.',
  },
  attempts: { type: 'integer' },
  nextAttemptAt: { type: ['string', 'null'], description: 'UTC, with `Z`; null after the last attempt.' },
  lastError: { type: ['string', 'null'] },
  createdAt: { type: 'string' },
  sentAt: { type: ['string', 'null'] },
}

const Notification = {
  type: 'object',
  title: 'Notification',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
}

export const listNotifications = {
  operationId: 'listNotifications',
  tags: ['Operator: notifications'],
  summary: 'List the renewal notifications',
  description:
    'Returns renewal notifications in order of creation, page by page. Each document with reminders has one for each reminder of its schedule, and so has each passport if `PASSPORT_REMINDER_DAYS` is set. If several were missed, only the latest is created, and none after the expiry date.',
  querystring: Type.Object({
    ...listQuery({ maxRecords: 100 }).properties,
    sort: sortOf(['createdAt'], 'createdAt'),
    state: Type.Optional(
      Type.Unsafe<string>({ type: 'string', enum: STATES, description: 'Only notifications in this state.' }),
    ),
  }),
  response: { 200: pageOf('NotificationPage', Notification) },
  errors: [invalidCursor],
} satisfies Operation

export function toWire(row: NotificationRow) {
  const { notificationId, documentId, passportId, applicantId, expiryDate } = row
  const { rung, dueOn, state, attempts, lastError } = row
  return {
    notificationId,
    documentId,
    passportId,
    applicantId,
    expiryDate,
    rung,
    dueOn,
    state,
    attempts,
    nextAttemptAt: state === 'pending' ? (row.nextAttemptAt?.toISOString() ?? null) : null,
    lastError,
    createdAt: row.createdAt.toISOString(),
    sentAt: row.sentAt?.toISOString() ?? null,
  }
}
