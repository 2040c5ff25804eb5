import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { invalidCursor, listQuery, pageOf } from '../http/pagination.ts'
import type { AuditRow } from './audit.store.ts'

const AuditEntry = {
  type: 'object',
  title: 'AuditEntry',
  properties: {
    at: { type: 'string', description: 'UTC, with Z.' },
    clientId: { type: 'string', description: 'Who.' },
    action: { type: 'string', description: 'Did what, such as `applicant.read` or `case.write`.' },
    recordId: { type: 'string', description: 'To which record.' },
    requestId: { type: 'string', description: 'In which request.' },
  },
  required: ['at', 'clientId', 'action', 'recordId', 'requestId'],
  additionalProperties: false,
}

const criterion = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 256, description }))

export const listAudit = {
  operationId: 'listAudit',
  tags: ['Operator: audit'],
  summary: 'List who read or changed what',
  description:
    'In order of time. Changes are there as soon as they are made, reads within a second. Paging is by cursor.',
  querystring: Type.Object({
    ...listQuery({ maxRecords: 100 }).properties,
    clientId: criterion('Only by this client.'),
    action: criterion('Only this action.'),
    recordId: criterion('Only about this record.'),
  }),
  response: { 200: pageOf('AuditPage', AuditEntry) },
  errors: [invalidCursor],
} satisfies Operation

export function toWire({ at, clientId, action, recordId, requestId }: AuditRow) {
  return { at: at.toISOString(), clientId, action, recordId, requestId }
}
