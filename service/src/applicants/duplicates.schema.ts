import type { Operation } from '../http/app-types.ts'
import { ID_EXPECTED, text } from '../http/fields.ts'
import { arrayOf, identifiersSchema } from '../http/identifiers.ts'
import { countedPageOf, invalidCursor, walkQuery } from '../http/pagination.ts'
import { ID_PATTERN } from '../lib/ids.ts'
import { Type } from '../lib/json-schema.ts'
import { MAX_SCORE, REASONS } from './duplicate-matching.ts'
import { duplicateNotFound } from './duplicates.service.ts'
import type { DuplicateRow, DuplicateSummary } from './duplicates.store.ts'

const tags = ['Operator: duplicates'] as [string]
const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })

/** An id in a body that names a record. */
export const recordId = Type.Unsafe<string>({ type: 'string', pattern: ID_PATTERN, expects: ID_EXPECTED })

const PossibleDuplicate = Type.Object(
  {
    applicantId: Type.String(),
    primaryApplicantId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Null on a primary applicant.',
    }),
    employeeNumber: nullable,
    firstName: nullable,
    lastName: nullable,
    dateOfBirth: nullable,
    email: nullable,
    sendingCompany: nullable,
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  { title: 'PossibleDuplicate', additionalProperties: false },
)

const reasons = Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...REASONS] }), {
  description: 'What the two records have in common.',
})
const score = Type.Integer({
  minimum: 1,
  maximum: MAX_SCORE,
  description: 'Passport 60, name and birth date 40, e-mail address 20; at most 100.',
})

const DuplicatePair = Type.Object(
  {
    score,
    reasons,
    applicants: Type.Array(PossibleDuplicate, { minItems: 2, maxItems: 2 }),
    foundAt: Type.String({ description: 'When these reasons were found. UTC, with `Z`.' }),
  },
  { title: 'DuplicatePair', additionalProperties: false },
)

export const listDuplicates = {
  operationId: 'listDuplicates',
  tags,
  summary: 'List possible duplicates',
  description: [
    'Returns pairs of records that may be the same person, the highest score first. They have the same passport (number and country, compared as in Update applicant; a missing country matches any), the same first name, last name and day of birth (without case, accents and punctuation), or the same e-mail address.',
    'Members of one family are a pair only if their name and day of birth are the same. A value that more than 20 records have is ignored. A record that was written is compared within seconds.',
  ].join('\n\n'),
  querystring: Type.Object({
    minScore: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_SCORE, default: 1, description: 'Lowest score to list.' }),
    ),
    applicantId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Lists the pairs of this record only.' }),
    ),
    ...walkQuery({ maxRecords: 100 }),
  }),
  response: { 200: countedPageOf('DuplicatePage', DuplicatePair) },
  errors: [invalidCursor],
} satisfies Operation

const Dismissal = Type.Object(
  {
    applicantIds: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
    score,
    reasons,
    reason: nullable,
    dismissedBy: Type.String({ description: 'Name of the person, or id of the client.' }),
    dismissedAt: Type.String({ description: 'UTC, with `Z`.' }),
  },
  { title: 'DuplicateDismissal', additionalProperties: false },
)

export const dismissDuplicate = {
  operationId: 'dismissDuplicate',
  tags,
  summary: 'Dismiss a possible duplicate',
  description:
    'States that the two records are not the same person, and removes the pair from the list. It stays out until one of the records changes in what they have in common. Dismissing a pair again returns the first dismissal.',
  body: Type.Object(
    {
      applicantIds: Type.Unsafe<string[]>({
        type: 'array',
        items: recordId,
        minItems: 2,
        maxItems: 2,
        description: 'The ids of the two records, in any order.',
      }),
      reason: text(1000, { description: 'For the colleagues; stored with the dismissal.' }),
    },
    { title: 'DismissDuplicate', additionalProperties: false },
  ),
  response: { 200: Dismissal },
  identifiers: {
    readScope: 'desk:read',
    schema: identifiersSchema('DuplicateDismissalIdentifiers', [], {
      applicantIds: arrayOf({ type: 'string' }),
    }),
  },
  idempotent: true,
  errors: [duplicateNotFound],
  example: {
    applicantIds: ['kY0v1Jm8Zr3Qe5Tn7Wb9Xc2=', 'pL4s6Dh8Fg0Hj2Kl4Zx6Cv8='],
    reason: 'Cousins who share a name.',
  },
} satisfies Operation

const summaryToWire = ({ createdAt, updatedAt, ...rest }: DuplicateSummary) => ({
  ...rest,
  createdAt: new Date(createdAt).toISOString(),
  updatedAt: new Date(updatedAt).toISOString(),
})

export const pairToWire = ({ score, reasons, first, second, foundAt }: DuplicateRow) => ({
  score,
  reasons,
  applicants: [summaryToWire(first), summaryToWire(second)],
  foundAt: foundAt.toISOString(),
})
