import type { Operation } from '../http/app-types.ts'
import { requiredText, text } from '../http/fields.ts'
import { allCompaniesRequired } from '../lib/boundary.ts'
import { type TSchema, Type } from '../lib/json-schema.ts'
import { processParams } from './processes.schema.ts'
import { processNotFound } from './processes.service.ts'

/** What a checklist says of each document that it needs. */
export const checklistItemFields = {
  name: requiredText({ maxLength: 200, description: 'What is needed; unique in the checklist.' }),
  type: text(200, {
    description:
      'Type of the documents that fill the item. Left out, a document whose name or type is the name of the item fills it.',
  }),
  required: Type.Optional(Type.Boolean({ default: true, description: 'Whether the case needs it.' })),
}

export const itemList = <T extends TSchema>(items: T) => Type.Array(items, { maxItems: 200 })

const Checklist = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          type: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
          required: Type.Boolean(),
        },
        { title: 'ProcessChecklistItem', additionalProperties: false },
      ),
    ),
  },
  { title: 'ProcessChecklist', additionalProperties: false },
)

const tags = ['Operator: processes'] as [string]

export const getProcessChecklist = {
  operationId: 'getProcessChecklist',
  tags,
  summary: 'Get the checklist of a process',
  description: 'Returns the documents that cases of this process need. The list is empty until it is set.',
  params: processParams,
  response: { 200: Checklist },
  errors: [processNotFound],
} satisfies Operation

export const putProcessChecklist = {
  operationId: 'putProcessChecklist',
  tags,
  summary: 'Replace the checklist of a process',
  description:
    'Replaces the documents that cases of this process need. It holds at once for cases whose own checklist was never saved. Sending the same list again changes nothing.',
  params: processParams,
  body: Type.Object(
    {
      items: itemList(
        Type.Object(checklistItemFields, { title: 'ProcessChecklistItemInput', additionalProperties: false }),
      ),
    },
    { title: 'ProcessChecklistInput', additionalProperties: false },
  ),
  response: { 200: Checklist },
  errors: [processNotFound, allCompaniesRequired],
  example: {
    items: [
      { name: 'Passport copy', type: 'passport', required: true },
      { name: 'Marriage certificate', required: false },
    ],
  },
} satisfies Operation
