import { unknownReference } from '../applicants/applicants.errors.ts'
import type { Operation } from '../http/app-types.ts'
import { givenId } from '../http/fields.ts'
import { identifiersSchema } from '../http/identifiers.ts'
import { Type } from '../lib/json-schema.ts'
import { checklistItemFields, itemList } from '../processes/process-checklists.schema.ts'
import { caseNotFound } from './cases.service.ts'

const nullable = (description?: string) => ({ type: ['string', 'null'], ...(description && { description }) })

const object = (title: string, properties: Record<string, object>) => ({
  type: 'object',
  title,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const Item = object('CaseChecklistItem', {
  name: { type: 'string' },
  type: nullable(),
  required: { type: 'boolean' },
  state: {
    type: 'string',
    enum: ['missing', 'received', 'accepted', 'expired'],
    description:
      '`missing`: no document. `received`: a document that is not accepted yet, or whose file was replaced since. `expired`: its expiry date has passed, accepted or not.',
  },
  documentId: nullable('The document that fills the item.'),
  chosen: {
    type: 'boolean',
    description: 'Whether the document was chosen for the item. Otherwise it matches by its type or name.',
  },
  acceptedAt: nullable('UTC, with `Z`.'),
  acceptedBy: nullable('Person or client.'),
  document: {
    ...object('CaseChecklistDocument', {
      name: nullable(),
      type: { type: 'string' },
      expiryDate: nullable('YYYY-MM-DDTHH:MM:SS, as sent, without time zone.'),
      hasFile: { type: 'boolean' },
      caseId: nullable('Null on a document of the applicant.'),
    }),
    type: ['object', 'null'],
  },
})

const Checklist = Type.Unsafe<unknown>(
  object('CaseChecklist', {
    caseId: { type: 'string' },
    source: {
      type: 'string',
      enum: ['process', 'case'],
      description: '`process` until the checklist of the case is saved.',
    },
    complete: {
      type: 'boolean',
      description: 'Whether all items that are required are `received` or `accepted`.',
    },
    items: { type: 'array', items: Item },
  }),
)

const tags = ['Operator: cases'] as [string]
const params = Type.Object({ caseId: Type.String({ description: 'Encoded id of the case.' }) })

export const getChecklist = {
  operationId: 'getCaseChecklist',
  tags,
  summary: 'Get the checklist of a case',
  description: [
    'Returns the documents that the case needs, each with its state and the document that fills it. Until the checklist of the case is saved, its items are those of its process, and change with it.',
    'Documents of the case and those of its applicant fill items: the one that was chosen, or else the newest whose type, or name if the item has no type, is that of the item. Supports `If-None-Match`.',
  ].join('\n\n'),
  conditional: true,
  params,
  response: { 200: Checklist },
  errors: [caseNotFound],
} satisfies Operation

export const putChecklist = {
  operationId: 'putCaseChecklist',
  tags,
  summary: 'Replace the checklist of a case',
  description:
    'Replaces all items: what is needed, which document fills it, and whether it is accepted. From then on the case has a checklist of its own. An acceptance holds for the document and the version of its file. Sending the same list again changes nothing. A caller that does not see the document that another company of the case has chosen for an item leaves it as it is by sending no `documentId`. Emits `case.checklist_changed`.',
  conditional: true,
  params,
  body: Type.Object(
    {
      items: itemList(
        Type.Object(
          {
            ...checklistItemFields,
            documentId: givenId({
              description:
                'A document of the case or of its applicant. Left out, matching documents fill the item.',
            }),
            accepted: Type.Optional(
              Type.Boolean({
                default: false,
                description: 'Whether the document is good. Needs `documentId`.',
              }),
            ),
          },
          { title: 'CaseChecklistItemInput', additionalProperties: false },
        ),
      ),
    },
    { title: 'CaseChecklistInput', additionalProperties: false },
  ),
  response: { 200: Checklist },
  identifiers: {
    readScope: 'cases:read',
    schema: identifiersSchema('CaseChecklistIdentifiers', ['caseId']),
  },
  errors: [caseNotFound, unknownReference],
  example: {
    items: [
      {
        name: 'Passport copy',
        type: 'passport',
        required: true,
        documentId: 'ZG9jdW1lbnQgbnVtYmVyIG8=',
        accepted: true,
      },
      { name: 'Marriage certificate', required: false },
    ],
  },
} satisfies Operation
