import type { Operation } from '../http/app-types.ts'
import { insufficientScope } from '../http/authorization.ts'
import { Type } from '../lib/json-schema.ts'
import { KINDS, type Kind } from './exports.service.ts'

export const exportRecords = {
  operationId: 'exportRecords',
  tags: ['Changes'],
  summary: 'Export records',
  description: [
    'Streams all records of a kind that the caller may read, in no particular order, one JSON object a line, as they are in one snapshot of the database. `applicants` are families, one `{ "primaryApplicant", "dependents" }` a line as Save applicant returns it; `cases` and `documents` are records as their reads return them. Each kind needs its read scope. Archived dependents and removed documents are left out.',
    'The last line is `{ "cursor": "…" }`: go on from there with `GET /v2/changes?after=…`, and no change is missed. A change that was committed during the export may be in both. A response without that line is incomplete: request it again.',
    'A service runs two exports at a time, others wait for ten seconds. An export ends when its client takes no data for 30 seconds, when its caller is disabled or loses companies, and after six hours. In the audit it is one entry, without the ids of the records.',
  ].join('\n\n'),
  querystring: Type.Object({
    kind: Type.Unsafe<Kind>({
      type: 'string',
      enum: [...KINDS],
      description: 'Which records.',
      example: 'applicants',
    }),
  }),
  produces: 'application/x-ndjson',
  response: { 200: Type.String({ description: 'One record a line; the last line is the cursor.' }) },
  errors: [insufficientScope],
} satisfies Operation
