import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { country, text, VISIBLE_PATTERN } from '../http/fields.ts'
import { processNotFound } from './processes.service.ts'
import type { Process as Row } from './processes.store.ts'

const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })

const Process = Type.Object(
  {
    name: Type.String(),
    caseType: nullable,
    hostCountry: nullable,
    steps: Type.Array(Type.String()),
    updatedAt: Type.String(),
  },
  { title: 'Process', additionalProperties: false },
)

const tags = ['Operator: processes'] as [string]
const params = Type.Object({
  name: Type.Unsafe<string>({
    type: 'string',
    minLength: 1,
    maxLength: 200,
    pattern: VISIBLE_PATTERN,
    description: 'Case does not matter.',
  }),
})

export const listProcesses = {
  operationId: 'listProcesses',
  tags,
  summary: 'List the processes',
  response: { 200: Type.Array(Process) },
} satisfies Operation

export const putProcess = {
  operationId: 'putProcess',
  tags,
  summary: 'Create or replace a process',
  description:
    'A template of steps. A new case follows the process that its `processName` names; else the one of its `caseType` and `hostCountry`, where codes of two and three letters are alike (`DE`, `DEU`); else the one of its `caseType` for any country; else a built-in default. Cases that exist keep the steps they have.',
  params,
  body: Type.Object(
    {
      caseType: text(200, { description: 'Cases of this type follow the process.', example: 'Work Permit' }),
      hostCountry: country({ description: 'Only those to this country; any, where it is left out.' }),
      steps: Type.Array(Type.String({ minLength: 1, maxLength: 300, pattern: VISIBLE_PATTERN }), {
        minItems: 1,
        maxItems: 200,
      }),
    },
    { title: 'ProcessInput', additionalProperties: false },
  ),
  response: { 200: Process, 201: Process },
  example: {
    caseType: 'Work Permit',
    hostCountry: 'DE',
    steps: ['Collect documents', 'File application', 'Await decision'],
  },
} satisfies Operation

export const deleteProcess = {
  operationId: 'deleteProcess',
  tags,
  summary: 'Delete a process',
  params,
  response: { 204: Type.Null() },
  errors: [processNotFound],
} satisfies Operation

export function toWire({ updatedAt, ...rest }: Row) {
  return { ...rest, updatedAt: updatedAt.toISOString() }
}
