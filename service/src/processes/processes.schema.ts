import type { Operation } from '../http/app-types.ts'
import { country, text, VISIBLE_PATTERN } from '../http/fields.ts'
import { allCompaniesRequired } from '../lib/boundary.ts'
import { Type } from '../lib/json-schema.ts'
import { processNotFound } from './processes.service.ts'
import type { Process as Row } from './processes.store.ts'

const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })

const Process = Type.Object(
  {
    name: Type.String(),
    caseType: nullable,
    hostCountry: nullable,
    steps: Type.Array(Type.String()),
    dueDays: Type.Array(Type.Unsafe<number | null>({ type: ['integer', 'null'] }), {
      description: 'For each step, the days from its start to its due date. Null where it has no due date.',
    }),
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
    description: 'Name of the process, without regard to case.',
  }),
})
export const processParams = params

export const listProcesses = {
  operationId: 'listProcesses',
  tags,
  summary: 'List the processes',
  description:
    'Returns all processes in order of their names, in one array without pages. The built-in default process is not listed.',
  response: { 200: Type.Array(Process) },
} satisfies Operation

export const putProcess = {
  operationId: 'putProcess',
  tags,
  summary: 'Create or replace a process',
  description:
    'Creates or replaces the template of steps with this name. A new case uses the process that its `processName` names; else the one for its `caseType` and `hostCountry`, where codes of two and three letters are equal (`DE`, `DEU`); else the one for its `caseType` and any country; else a built-in default. Existing cases keep their steps and due dates.',
  params,
  body: Type.Object(
    {
      caseType: text(200, { description: 'Cases of this type use the process.', example: 'Work Permit' }),
      hostCountry: country({
        description: 'Only cases with this host country; any country if it is left out.',
      }),
      steps: Type.Array(Type.String({ minLength: 1, maxLength: 300, pattern: VISIBLE_PATTERN }), {
        minItems: 1,
        maxItems: 200,
      }),
      dueDays: Type.Optional(
        Type.Unsafe<(number | null)[] | null>({
          type: ['array', 'null'],
          items: { type: ['integer', 'null'], minimum: 0, maximum: 3_650 },
          maxItems: 200,
          description:
            'For each step in the order of `steps`, the days from its start to its due date. Null where it has no due date. Left out, no step has one.',
        }),
      ),
    },
    { title: 'ProcessInput', additionalProperties: false },
  ),
  response: { 200: Process, 201: Process },
  errors: [allCompaniesRequired],
  example: {
    caseType: 'Work Permit',
    hostCountry: 'DE',
    steps: ['Collect documents', 'File application', 'Await decision'],
    dueDays: [14, 7, null],
  },
} satisfies Operation

export const deleteProcess = {
  operationId: 'deleteProcess',
  tags,
  summary: 'Delete a process',
  description:
    'Deletes the template. Existing cases keep their steps. New cases that name it get a warning, and use another process or the built-in default.',
  params,
  response: { 204: Type.Null() },
  errors: [processNotFound, allCompaniesRequired],
} satisfies Operation

export function toWire({ updatedAt, ...rest }: Row) {
  return { ...rest, updatedAt: updatedAt.toISOString() }
}
