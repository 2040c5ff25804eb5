// The operators' list of cases, and the row that it consists of.

import type { Operation } from '../http/app-types.ts'
import { country, VISIBLE_PATTERN } from '../http/fields.ts'
import { countedPageOf, invalidCursor, sortBy, walkQuery } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import { CASE_STATUSES, STEP_STATUSES } from './case.ts'
import { CASE_SORTS } from './case-filters.ts'
import type { ListedCase } from './case-list.store.ts'

const nullable = (description?: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...(description && { description }) })

const Assignee = Type.Unsafe<{ userId: string; name: string } | null>({
  type: ['object', 'null'],
  title: 'ListedAssignee',
  properties: { userId: { type: 'string' }, name: { type: 'string' } },
  required: ['userId', 'name'],
  additionalProperties: false,
})

export const ListedCaseShape = Type.Object(
  {
    caseId: Type.String(),
    status: Type.Unsafe<string>({ type: 'string', enum: CASE_STATUSES }),
    caseType: nullable(),
    processName: nullable(),
    hostCountry: nullable(),
    hostCompanyId: Type.String(),
    sendingCompanyId: Type.String(),
    billingCompanyId: Type.String(),
    applicant: Type.Object(
      {
        applicantId: Type.String(),
        employeeNumber: nullable('Current employee number.'),
        firstName: nullable(),
        lastName: nullable(),
        vip: Type.Boolean(),
      },
      {
        title: 'ListedCaseApplicant',
        additionalProperties: false,
        description: 'As sent when the case was created.',
      },
    ),
    currentStep: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      title: 'ListedStep',
      description:
        'The first step in progress, or else the first that has not started. Null if none is left.',
      properties: {
        stepId: { type: 'string' },
        name: { type: 'string' },
        status: { type: 'string', enum: STEP_STATUSES },
        dueDate: { type: ['string', 'null'] },
        assignee: Assignee,
      },
      required: ['stepId', 'name', 'status', 'dueDate', 'assignee'],
      additionalProperties: false,
    }),
    progress: Type.Object(
      {
        finished: Type.Integer({ description: 'Steps that are completed or waived.' }),
        total: Type.Integer(),
      },
      { title: 'CaseProgress', additionalProperties: false },
    ),
    assignee: Assignee,
    dueDate: nullable('Of the case itself.'),
    nextDueDate: nullable(
      'The first date on which the case or one of its unfinished steps is due. Null if there is none, or the case is closed.',
    ),
    overdue: Type.Boolean({ description: 'Whether `nextDueDate` is before today, UTC.' }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  { title: 'ListedCase', additionalProperties: false },
)

const criterion = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 320, pattern: VISIBLE_PATTERN, description }))

export const listCases = {
  operationId: 'listCases',
  tags: ['Operator: cases'] as [string],
  summary: 'List cases',
  description: [
    'Returns cases page by page, in the order of `sort`. With several filters, a case must match all of them.',
    'A due date is that of the case or of one of its unfinished steps, whichever comes first; closed cases have none. In the order of `dueDate` they come last. Days are UTC.',
    'A company, user, type or country that does not exist returns an empty page. A cursor is valid only with the filters of the request that returned it.',
  ].join('\n\n'),
  querystring: Type.Object({
    q: criterion(
      'Beginning of the name of the applicant, in either order, compared as in Browse and search applicants; or a whole employee number, e-mail address, passport number or case id.',
    ),
    status: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        pattern: `^(?:${CASE_STATUSES.join('|')})(?:,(?:${CASE_STATUSES.join('|')}))*$`,
        expects: 'open, pending or closed, or several of them with commas between them',
        description: '`open`, `pending` or `closed`, or several of them with commas between them.',
        example: 'open,pending',
      }),
    ),
    caseType: criterion('Whole case type, without regard to case.'),
    hostCountry: Type.Optional(
      Type.Unsafe<string>({
        ...country(),
        type: 'string',
        description: 'Two- or three-letter code of the country.',
      }),
    ),
    company: criterion('Name, code or id of the host, sending or billing company.'),
    assignee: criterion(
      '`me` for the person who is signed in, `none` for cases without an assignee, or the id of a user.',
    ),
    vip: Type.Optional(Type.Boolean({ description: 'Whether the applicant is a VIP.' })),
    due: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['overdue', '7', '30'],
        description: '`overdue`: due before today. `7`, `30`: due today or within that many days.',
      }),
    ),
    updatedSince: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        format: 'instant',
        expects: 'a UTC time such as 2026-03-01T08:00:00Z',
        description: 'Last update at this time or later, UTC.',
        example: '2026-03-01T08:00:00Z',
      }),
    ),
    sort: sortBy(CASE_SORTS, { more: ' Default: `dueDate`, or `updatedAt` with `updatedSince`.' }),
    ...walkQuery({ maxRecords: 100 }),
  }),
  response: { 200: countedPageOf('CasePage', ListedCaseShape) },
  errors: [invalidCursor],
} satisfies Operation

const assignee = (userId: string | null, name: string | null) =>
  userId === null ? null : { userId, name: name ?? '' }

/** The only mapper of a listed case to its wire form. */
export function listedCaseToWire(row: ListedCase, today: string) {
  const nextDueDate = row.nextDue === 'infinity' ? null : row.nextDue
  return {
    caseId: row.caseId,
    status: row.status,
    caseType: row.caseType,
    processName: row.processName,
    hostCountry: row.hostCountry,
    hostCompanyId: row.hostCompanyId,
    sendingCompanyId: row.sendingCompanyId,
    billingCompanyId: row.billingCompanyId,
    applicant: {
      applicantId: row.applicantId,
      employeeNumber: row.employeeNumber,
      firstName: row.firstName,
      lastName: row.lastName,
      vip: row.vip,
    },
    currentStep:
      row.stepId === null
        ? null
        : {
            stepId: row.stepId,
            name: row.stepName,
            status: row.stepStatus,
            dueDate: row.stepDueDate,
            assignee: assignee(row.stepAssigneeId, row.stepAssigneeName),
          },
    progress: { finished: row.stepsFinished, total: row.stepsTotal },
    assignee: assignee(row.assigneeId, row.assigneeName),
    dueDate: row.dueDate,
    nextDueDate,
    overdue: nextDueDate !== null && nextDueDate < today,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
