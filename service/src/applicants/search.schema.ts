import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { VISIBLE_PATTERN } from '../http/fields.ts'
import { countedPageOf, invalidCursor, walkQuery } from '../http/pagination.ts'
import { employeeNumberInUse, employeeNumberRetired } from './applicants.errors.ts'
import { Applicant, applicantIdentifiers } from './applicants.shapes.ts'
import { archivedNotFound, MAX_COUNTED } from './search.service.ts'

const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })

const FoundApplicant = Type.Object(
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
    relationship: Type.String(),
    createdAt: Type.String(),
    updatedAt: Type.String(),
    archivedAt: nullable,
  },
  { title: 'FoundApplicant', additionalProperties: false },
)

const tags = ['Operator: applicants'] as [string]
const criterion = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 320, pattern: VISIBLE_PATTERN, description }))

export const searchApplicants = {
  operationId: 'searchApplicants',
  tags,
  summary: 'Browse and search applicants',
  description: [
    'Returns primary applicants and dependents page by page, in order of their names. Without a filter it lists all of them; with several, a record must match all. With `archived=true` it searches archived records instead.',
    'Names and passport numbers are compared without case, accents, spaces, hyphens, apostrophes and other punctuation, and with `ł ø đ ß æ œ þ ı` as `l o d ss ae oe th i`: `lukasz` finds Łukasz, `obrien` finds O’Brien. Only the first 200 characters of a text count.',
    'Records whose whole number, e-mail address or passport number equals `q` come first, then those whose last name begins with `q` or `name`, then those whose first name does.',
  ].join('\n\n'),
  querystring: Type.Object({
    q: criterion(
      'Beginning of a name, as in `name`, or a whole employee number, e-mail address or passport number, without regard to case.',
    ),
    name: criterion('Beginning of "last first middle" or "first middle last".'),
    employeeNumber: criterion('Whole number; case matters.'),
    email: criterion('Whole address or alternate address, without regard to case.'),
    passportNumber: criterion('Whole number, compared like names.'),
    archived: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to search archived records instead.' }),
    ),
    ...walkQuery({ maxRecords: 100 }),
  }),
  response: { 200: countedPageOf('ApplicantPage', FoundApplicant, MAX_COUNTED) },
  errors: [invalidCursor],
} satisfies Operation

export const restoreApplicant = {
  operationId: 'restoreApplicant',
  tags,
  summary: 'Restore an archived dependent',
  description:
    'Restores a dependent that a replace has archived, under its former primary applicant and with the same id. If its employee number was assigned to another person or retired in the meantime, the request is rejected (409); send `withoutEmployeeNumber` to restore it without the number.',
  params: Type.Object({ applicantId: Type.String({ description: 'Encoded id of the archived record.' }) }),
  body: Type.Object(
    {
      withoutEmployeeNumber: Type.Optional(
        Type.Boolean({ default: false, description: 'Restores the record without its employee number.' }),
      ),
    },
    { title: 'Restoration', additionalProperties: false },
  ),
  response: { 200: Applicant },
  identifiers: applicantIdentifiers,
  idempotent: true,
  errors: [archivedNotFound, employeeNumberInUse, employeeNumberRetired],
  example: { withoutEmployeeNumber: false },
} satisfies Operation
