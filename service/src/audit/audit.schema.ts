import type { Operation } from '../http/app-types.ts'
import { invalidCursor, listQuery, pageOf, sortOf } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import type { StoredEntry } from './audit.store.ts'

const nullableText = (description: string) => ({ type: ['string', 'null'], description })
const ANY = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'], items: {} }

const AuditChange = {
  type: 'object',
  title: 'AuditChange',
  properties: {
    pointer: {
      type: 'string',
      description:
        'JSON pointer to the field. An item of a list is named by its id: `/passports/{id}/expiryDate`.',
      example: '/jobTitle',
    },
    before: { ...ANY, description: 'Null where there was nothing.' },
    after: { ...ANY, description: 'Null where nothing is left.' },
  },
  required: ['pointer', 'before', 'after'],
  additionalProperties: false,
}

const AuditEntry = {
  type: 'object',
  title: 'AuditEntry',
  properties: {
    at: { type: 'string', description: 'UTC, with `Z`.' },
    clientId: {
      type: 'string',
      description: 'The client that sent the request. Empty where the caller could not be identified.',
    },
    action: {
      type: 'string',
      description:
        'Such as `applicant.read` or `case.write`. `request.reject` for a call that was rejected before it did anything, `request.replay` for the stored response of an `Idempotency-Key`.',
    },
    recordId: {
      type: 'string',
      description: 'Id of the record, or of the first of several. Empty where the entry is about no record.',
    },
    requestId: { type: 'string', description: 'X-Request-Id of the request.' },
    seq: { type: 'integer', description: 'Number of the entry. Numbers are unique and have gaps.' },
    recordIds: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ids of all records that the request read or changed.',
    },
    userId: nullableText('The person who sent the request; null for a client.'),
    userName: nullableText("The person's name at that time."),
    address: nullableText('IP address of the caller; null for work of the service itself.'),
    method: nullableText('HTTP method.'),
    operationId: nullableText('The operation, as in the OpenAPI document.'),
    outcome: {
      type: 'string',
      enum: ['ok', 'refused', 'failed'],
      description: '`refused` is a response of 4xx, `failed` one of 5xx.',
    },
    status: {
      type: ['integer', 'null'],
      description: 'Status of the response; null for work of the service itself.',
    },
    code: nullableText('Code of the error; null where there was none.'),
    changes: {
      type: ['array', 'null'],
      items: AuditChange,
      description:
        'The fields that were changed. Secrets are never in it. A limited caller gets neither ids of other companies nor, of a checklist, ids of documents. Null for anything but a change.',
    },
  },
  required: [
    'at', 'clientId', 'action', 'recordId', 'requestId', 'seq', 'recordIds', 'userId', 'userName', 'address', 'method',
    'operationId', 'outcome', 'status', 'code', 'changes',
  ], // biome-ignore format: a table reads better than a column
  additionalProperties: false,
}

const tags = ['Operator: audit'] as [string]

const criterion = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 256, description }))

const instant = (description: string) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'instant',
    expects: 'a day such as 2026-03-01, or a time in UTC such as 2026-03-01T09:30:00Z',
    description,
    example: '2026-03-01T09:30:00Z',
  })

export const listAudit = {
  operationId: 'listAudit',
  tags,
  summary: 'List the audit log',
  description:
    'Returns the audit log in order of time, page by page: who read or changed which records in which request, from where, and with which outcome. It includes calls that were refused or failed, token requests, and reads of this log. An entry is stored before the response that it is about is sent. Entries are never changed; the owner of the database can remove whole months, which is an entry itself.',
  querystring: Type.Object({
    ...listQuery({ maxRecords: 100 }).properties,
    sort: sortOf(['at'], 'at'),
    clientId: criterion('Only entries of this client.'),
    userId: criterion('Only entries of this person.'),
    action: criterion('Only entries with this action.'),
    recordId: criterion(
      'Only entries about this record, alone or among others. Exports of all records name none of them: look for the actions `applicant.export`, `case.export` and `document.export`.',
    ),
    outcome: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['ok', 'refused', 'failed'],
        description: 'Only entries with this outcome.',
      }),
    ),
    address: criterion('Only entries of callers with this IP address.'),
    from: Type.Optional(instant('Only entries from this time on, within the days of the range.')),
    to: Type.Optional(instant('Only entries before this time, within the days of the range.')),
  }),
  response: { 200: pageOf('AuditPage', AuditEntry) },
  errors: [invalidCursor],
} satisfies Operation

export const exportAudit = {
  operationId: 'exportAudit',
  tags,
  summary: 'Export the audit log',
  description:
    'Streams all entries of a time range in order of time, one JSON object a line, each as `GET /admin/v1/audit` returns it. A response that ends without its last chunk is incomplete: request the range again. Entries of a transaction appear when it commits, at most a minute after their time, so end a range a minute ago, or begin the next one a minute earlier and skip entries whose `seq` is known.',
  querystring: Type.Object({
    from: instant('Begin of the range, included.'),
    to: instant('End of the range, excluded.'),
  }),
  produces: 'application/x-ndjson',
  response: { 200: Type.String({ description: 'One `AuditEntry` a line.' }) },
} satisfies Operation

export function toWire(entry: StoredEntry) {
  const { at, clientId, action, recordId, requestId, recordIds } = entry
  return {
    at: at.toISOString(),
    clientId,
    action,
    recordId,
    requestId,
    seq: Number(entry.seq),
    recordIds: recordIds ?? (recordId === '' ? [] : [recordId]),
    userId: entry.userId,
    userName: entry.userName,
    address: entry.address,
    method: entry.method,
    operationId: entry.operationId,
    outcome: entry.outcome,
    status: entry.status,
    code: entry.code,
    changes: entry.changes,
  }
}
