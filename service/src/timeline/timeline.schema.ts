import { applicantNotFound } from '../applicants/applicants.errors.ts'
import { caseNotFound } from '../cases/cases.service.ts'
import type { Operation } from '../http/app-types.ts'
import { countedPageOf, invalidCursor, walkQuery } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import { SOURCES } from './timeline.ts'

const nullable = (description?: string) => ({
  type: ['string', 'null'],
  ...(description && { description }),
})
const ANY = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'], items: {} }

const whole = (title: string, properties: Record<string, object>, description?: string) => ({
  type: description ? ['object', 'null'] : 'object',
  title,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...(description && { description }),
})

const TimelineChange = {
  type: 'object',
  title: 'TimelineChange',
  properties: {
    pointer: {
      type: 'string',
      description: 'JSON pointer to the field. An item of a list is named by its id: `/steps/{id}/status`.',
      example: '/dueDate',
    },
    before: {
      ...ANY,
      description: 'Only for callers who may read the record. Null where there was nothing.',
    },
    after: {
      ...ANY,
      description: 'Only for callers who may read the record. Null where nothing is left.',
    },
  },
  required: ['pointer'],
  additionalProperties: false,
}

const TimelineEntry = whole('TimelineEntry', {
  entryId: { type: 'string', description: 'Identifies the entry in this service.' },
  kind: { type: 'string', enum: SOURCES, description: 'Which of the fields below has the details.' },
  at: { type: 'string', description: 'UTC, with `Z`.' },
  action: { type: 'string', description: 'Such as `case.write`, as in the audit log.' },
  actor: whole(
    'TimelineActor',
    {
      userId: nullable('Null for a client.'),
      clientId: nullable('Null for a person, and for the author of a note.'),
      name: nullable('Of the person at that time, or as a note names its author.'),
    },
    'Who did it. Null for what the service does by itself, and where it is not known.',
  ),
  record: whole('TimelineRecord', {
    type: { type: 'string', enum: ['applicant', 'case', 'document'] },
    id: { type: 'string' },
    name: nullable(
      'Of a document, as it is now, or its type. Null for other records, and for a caller without `documents:read`.',
    ),
  }),
  step: whole(
    'TimelineStep',
    {
      stepId: { type: 'string' },
      name: nullable('As it is now. Null for a caller without `cases:read`.'),
    },
    'The step that was changed. Null unless `action` is `case.step_write`.',
  ),
  changes: {
    type: ['array', 'null'],
    items: TimelineChange,
    description: 'The fields that were changed. Null unless `kind` is `change`.',
  },
  note: whole(
    'TimelineNote',
    {
      noteId: { type: 'string' },
      content: nullable('As it is now. Null for a caller without `cases:read`.'),
      visibility: { type: 'string', enum: ['team', 'everyone'] },
      version: { type: 'integer' },
      updatedAt: { type: 'string' },
    },
    'Null unless `kind` is `note`.',
  ),
  document: whole(
    'TimelineDocument',
    {
      documentId: { type: 'string' },
      caseId: nullable('Null on a document of the applicant record.'),
      name: nullable('As it is now. Null for a caller without `documents:read`.'),
      type: nullable('Null for a caller without `documents:read`.'),
      isRemoved: { type: 'boolean' },
    },
    'Null unless `kind` is `document`.',
  ),
  reminder: whole(
    'TimelineReminder',
    {
      expiryDate: nullable('YYYY-MM-DD. Null for a caller without `documents:read`.'),
      rung: { type: 'string', description: 'Step of the reminder schedule.' },
      state: { type: 'string', enum: ['pending', 'sent', 'recorded', 'failed'] },
    },
    'Null unless `kind` is `reminder`.',
  ),
})

const page = countedPageOf('TimelinePage', TimelineEntry)
const querystring = Type.Object(walkQuery({ maxRecords: 100 }))
const WHAT =
  'newest first and page by page: changes with who made them and which fields they changed, notes (those of the team too), documents that were added, and reminders that came due. Values before and after a change are returned to callers who may read the record: `applicants:read`, `cases:read` and `documents:read`. Reads, and calls that changed nothing, are in the audit log only.'

export const getCaseTimeline = {
  operationId: 'getCaseTimeline',
  tags: ['Operator: cases'],
  summary: 'Get the timeline of a case',
  description: `Returns what happened to a case, its steps, notes and documents, ${WHAT}`,
  params: Type.Object({ caseId: Type.String({ description: 'Encoded id of the case.' }) }),
  querystring,
  response: { 200: page },
  errors: [caseNotFound, invalidCursor],
} satisfies Operation

export const getApplicantTimeline = {
  operationId: 'getApplicantTimeline',
  tags: ['Operator: applicants'],
  summary: 'Get the timeline of a person',
  description: `Returns what happened to the record of a primary applicant or a dependent, also an archived one, and to all cases and documents of this person, ${WHAT}`,
  params: Type.Object({ applicantId: Type.String({ description: 'Encoded id of the person.' }) }),
  querystring,
  response: { 200: page },
  errors: [applicantNotFound, invalidCursor],
} satisfies Operation
