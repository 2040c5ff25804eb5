import { FoundApplicant } from '../applicants/search.schema.ts'
import { ListedCaseShape } from '../cases/case-list.schema.ts'
import { Company } from '../companies/companies.schema.ts'
import { ListedDocument } from '../documents/document-list.schema.ts'
import type { Operation } from '../http/app-types.ts'
import { VISIBLE_EXPECTED, VISIBLE_PATTERN } from '../http/fields.ts'
import { countOf } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import { MOST_RESULTS } from './desk.service.ts'

const tags = ['Operator: desk'] as [string]
const count = (description: string) => Type.Unsafe<number>(countOf(description))

const Overview = Type.Object(
  {
    cases: Type.Object(
      {
        open: count('Open cases.'),
        pending: count('Pending cases.'),
        overdue: count('Cases that were due before today.'),
        dueThisWeek: count('Cases that are due today or within 7 days.'),
        unassigned: count('Open and pending cases without an assignee.'),
      },
      { title: 'OverviewOfCases', additionalProperties: false },
    ),
    expiring: Type.Object(
      {
        expired: count('Passports and documents that have expired.'),
        in7: count('Those that expire today or within 7 days.'),
        in30: count('Those that expire today or within 30 days.'),
        in60: count('Those that expire today or within 60 days.'),
        in90: count('Those that expire today or within 90 days.'),
      },
      { title: 'OverviewOfExpiry', additionalProperties: false },
    ),
    failingWebhooks: Type.Integer({
      description:
        'Webhooks that the service has disabled, or that have a delivery which failed and is tried again.',
    }),
    heldImports: count('Imports that are held until they are released.'),
  },
  { title: 'Overview', additionalProperties: false },
)

export const getOverview = {
  operationId: 'getOverview',
  tags,
  summary: 'Overview',
  description:
    'Returns how many cases, passports and documents need attention, of those that the caller sees. Each number is the `total` of a list: List cases with `status`, `due` or `assignee=none`, List what expires with `within`, List imports with `status=held`, and List the webhooks with `failing=true`. Days are UTC.',
  response: { 200: Overview },
} satisfies Operation

const results = (items: object, description: string) =>
  Type.Unsafe<unknown>({ type: 'array', items, maxItems: MOST_RESULTS, description })

export const globalSearch = {
  operationId: 'globalSearch',
  tags,
  summary: 'Search everything',
  description: [
    `Returns the ${MOST_RESULTS} best matches of each kind: people by name, employee number, e-mail address or passport number; cases by these, by their id or by the beginning of the process name; documents by whole reference number or the beginning of the name; companies by name, code or id.`,
    'Names of people are compared as in Browse and search applicants, which also has further pages. Archived people and removed documents are left out.',
  ].join('\n\n'),
  querystring: Type.Object({
    q: Type.Unsafe<string>({
      type: 'string',
      minLength: 1,
      maxLength: 320,
      pattern: VISIBLE_PATTERN,
      expects: VISIBLE_EXPECTED,
      description: 'What to search for.',
    }),
  }),
  response: {
    200: Type.Unsafe<unknown>({
      type: 'object',
      title: 'SearchResults',
      properties: {
        people: results(FoundApplicant, 'Primary applicants and dependents.'),
        cases: results(ListedCaseShape, 'Cases of any status.'),
        documents: results(ListedDocument, 'Documents of records and of cases.'),
        companies: results(Company, 'Companies, active or not.'),
      },
      required: ['people', 'cases', 'documents', 'companies'],
      additionalProperties: false,
    }),
  },
} satisfies Operation
