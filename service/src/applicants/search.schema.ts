import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { VISIBLE_PATTERN } from '../http/fields.ts'
import { countedPageOf, invalidCursor, walkQuery } from '../http/pagination.ts'
import { employeeNumberInUse, employeeNumberRetired } from './applicants.errors.ts'
import { Applicant } from './applicants.shapes.ts'
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
    'Primary applicants and dependents, a page at a time, in order of their names. Without a criterion it lists all of them; several criteria must all hold. With `archived=true` it looks among archived records instead.',
    'Names and passport numbers are compared without case, accents, spaces, hyphens, apostrophes and other punctuation, and with `ł ø đ ß æ œ þ ı` as `l o d ss ae oe th i`: `lukasz` finds Łukasz, `obrien` finds O’Brien. Of a text of more than 200 characters the first 200 count.',
    'What is found by the whole number, e-mail address or passport number of `q` comes first, then those whose last name begins with the text of `q` or `name`, then those whose first name does.',
  ].join('\n\n'),
  querystring: Type.Object({
    q: criterion(
      'The beginning of a name, as in `name`, or a whole employee number, e-mail address or passport number, without regard to case.',
    ),
    name: criterion('The beginning of "last first middle" or "first middle last".'),
    employeeNumber: criterion('The whole number, as it is written.'),
    email: criterion('The whole address, without regard to case; the alternate one counts too.'),
    passportNumber: criterion('The whole number.'),
    archived: Type.Optional(Type.Boolean({ default: false })),
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
    'Puts a dependent that was left out of a replace back under its primary applicant. If its employee number has been given to someone else meanwhile, or was retired, set `withoutEmployeeNumber`.',
  params: Type.Object({ applicantId: Type.String({ description: 'Encoded id of the archived record.' }) }),
  body: Type.Object(
    { withoutEmployeeNumber: Type.Optional(Type.Boolean({ default: false })) },
    { title: 'Restoration', additionalProperties: false },
  ),
  response: { 200: Applicant },
  idempotent: true,
  errors: [archivedNotFound, employeeNumberInUse, employeeNumberRetired],
  example: { withoutEmployeeNumber: false },
} satisfies Operation
