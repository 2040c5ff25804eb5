import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { invalidCursor, listQuery, pageOf } from '../http/pagination.ts'
import type { NotificationRow } from './notifications.store.ts'

const STATES = ['pending', 'sent', 'recorded', 'failed']

const properties = {
  notificationId: { type: 'string' },
  documentId: { type: 'string' },
  applicantId: { type: 'string' },
  expiryDate: { type: 'string', description: 'The expiry that it is about, a calendar day.' },
  rung: { type: 'string', description: 'Which reminder it is, such as `30 days` before.' },
  dueOn: { type: 'string', description: 'The calendar day on which it became due.' },
  state: {
    type: 'string',
    enum: STATES,
    description:
      '`pending`: to be sent. `sent`: the mail server took it. `recorded`: there was nobody to send it to, or no need any more. `failed`: given up after days.',
  },
  attempts: { type: 'integer' },
  nextAttemptAt: { type: ['string', 'null'], description: 'UTC, with Z; null once it is over.' },
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
    'By the time they were made. For each document with reminders there is one for each rung of its ladder; where several were missed, for the latest only, and none once the expiry has passed. Paging is by cursor.',
  querystring: Type.Object({
    ...listQuery({ maxRecords: 100 }).properties,
    state: Type.Optional(
      Type.Unsafe<string>({ type: 'string', enum: STATES, description: 'Only those in this state.' }),
    ),
  }),
  response: { 200: pageOf('NotificationPage', Notification) },
  errors: [invalidCursor],
} satisfies Operation

export function toWire(row: NotificationRow) {
  const { notificationId, documentId, applicantId, expiryDate, rung, dueOn, state, attempts, lastError } = row
  return {
    notificationId,
    documentId,
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
