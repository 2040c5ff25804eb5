import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { invalidCursor, listQuery, pageOf } from '../http/pagination.ts'
import type { AuditRow } from './audit.store.ts'

const AuditEntry = {
  type: 'object',
  title: 'AuditEntry',
  properties: {
    at: { type: 'string', description: 'UTC, with `Z`.' },
    clientId: { type: 'string', description: 'The client that sent the request.' },
    action: { type: 'string', description: 'Such as `applicant.read` or `case.write`.' },
    recordId: { type: 'string', description: 'Id of the record.' },
    requestId: { type: 'string', description: 'X-Request-Id of the request.' },
  },
  required: ['at', 'clientId', 'action', 'recordId', 'requestId'],
  additionalProperties: false,
}

const criterion = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 256, description }))

export const listAudit = {
  operationId: 'listAudit',
  tags: ['Operator: audit'],
  summary: 'List the audit log',
  description:
    'Returns the audit log in order of time, page by page: which client read or changed which record in which request. Changes appear with their transaction, reads within a second. Entries are never changed or deleted.',
  querystring: Type.Object({
    ...listQuery({ maxRecords: 100 }).properties,
    clientId: criterion('Only entries of this client.'),
    action: criterion('Only entries with this action.'),
    recordId: criterion('Only entries about this record.'),
  }),
  response: { 200: pageOf('AuditPage', AuditEntry) },
  errors: [invalidCursor],
} satisfies Operation

export function toWire({ at, clientId, action, recordId, requestId }: AuditRow) {
  return { at: at.toISOString(), clientId, action, recordId, requestId }
}
