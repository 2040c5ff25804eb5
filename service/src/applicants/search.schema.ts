import type { Operation } from '../http/app-types.ts'
import { VISIBLE_PATTERN } from '../http/fields.ts'
import { countedPageOf, invalidCursor, walkQuery } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import { applicantNotFound, employeeNumberInUse, employeeNumberRetired } from './applicants.errors.ts'
import { Applicant, applicantIdentifiers } from './applicants.shapes.ts'
import { archivedNotFound } from './search.service.ts'

const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })

const foundFields = {
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
  status: nullable,
  nationality: nullable,
  sendingCompany: nullable,
  createdAt: Type.String(),
  updatedAt: Type.String(),
  archivedAt: nullable,
}

export const FoundApplicant = Type.Object(foundFields, {
  title: 'FoundApplicant',
  additionalProperties: false,
})

const NextExpiry = Type.Object(
  {
    kind: Type.Unsafe<'document' | 'passport'>({ type: 'string', enum: ['document', 'passport'] }),
    itemId: Type.String({ description: 'Id of the document or the passport.' }),
    name: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null on a passport.' }),
    type: Type.String({ description: 'Type of the document; `Passport` on a passport.' }),
    country: nullable,
    expiryDate: Type.String({ description: 'YYYY-MM-DD.' }),
  },
  { title: 'NextExpiry', additionalProperties: false },
)

const nextExpiries = Type.Array(NextExpiry, {
  description:
    'What expires next: at most one passport and one document, soonest first. Of each kind it is the first on or after today; where there is none, the last that has expired.',
})
const openCases = Type.Integer({
  minimum: 0,
  description: 'Cases of the person that are open or pending, as far as the caller sees them.',
})

const FamilyMember = Type.Object(
  { ...foundFields, nextExpiries, openCases },
  { title: 'FamilyMember', additionalProperties: false },
)

const ListedApplicant = Type.Object(
  {
    ...foundFields,
    nextExpiries: Type.Optional(nextExpiries),
    openCases: Type.Optional(openCases),
    dependents: Type.Optional(
      Type.Array(FamilyMember, {
        description: 'Dependents that are not archived; none for a person who is a dependent.',
      }),
    ),
  },
  { title: 'ListedApplicant', additionalProperties: false },
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
    'With `summary=true` each record also has what expires next and how many cases are open, and a primary applicant has its dependents, each with the same.',
  ].join('\n\n'),
  querystring: Type.Object({
    q: criterion(
      'Beginning of a name, as in `name`, or a whole employee number, e-mail address or passport number, without regard to case.',
    ),
    name: criterion(
      'Beginning of "last first middle" or "first middle last", or a first and a whole last name.',
    ),
    employeeNumber: criterion('Whole number; case matters.'),
    email: criterion('Whole address or alternate address, without regard to case.'),
    passportNumber: criterion('Whole number, compared like names.'),
    company: criterion('Name, code or id of the company that the record belongs to.'),
    nationality: criterion(
      'Whole text, without regard to case. Two- and three-letter codes of one country are equal.',
    ),
    status: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        pattern: '^[A-Za-z]$',
        expects: 'one letter',
        description: 'Status of the record, such as `A`.',
      }),
    ),
    archived: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to search archived records instead.' }),
    ),
    summary: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether records also have `nextExpiries`, `openCases` and `dependents`.',
      }),
    ),
    ...walkQuery({ maxRecords: 100 }),
  }),
  response: { 200: countedPageOf('ApplicantPage', ListedApplicant) },
  errors: [invalidCursor],
} satisfies Operation

export const getFoundApplicant = {
  operationId: 'getFoundApplicant',
  tags,
  summary: 'Find a person by id',
  description:
    'Returns a primary applicant or a dependent as the search lists it, also an archived one: `primaryApplicantId` names the family that a dependent belongs to. Use it where only the id of a person is known, as in a document or a timeline.',
  params: Type.Object({ applicantId: Type.String({ description: 'Encoded id of the record.' }) }),
  response: { 200: FoundApplicant },
  errors: [applicantNotFound],
} satisfies Operation

export const restoreApplicant = {
  operationId: 'restoreApplicant',
  optionalBody: true,
  tags,
  summary: 'Restore an archived dependent',
  description:
    'Restores a dependent that a replace has archived, under its former primary applicant and with the same id. If its employee number was assigned to another person or retired in the meantime, the request is rejected (409); send `withoutEmployeeNumber` to restore it without the number. A primary applicant with 100 dependents gets no further one (400).',
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
