import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { employeeNumberInUse, employeeNumberRetired } from './applicants.errors.ts'
import { Applicant } from './applicants.shapes.ts'
import { archivedNotFound } from './search.service.ts'
import type { FoundRow } from './search.store.ts'

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
  Type.Optional(Type.String({ minLength: 1, maxLength: 320, description }))

export const searchApplicants = {
  operationId: 'searchApplicants',
  tags,
  summary: 'Search applicants',
  description:
    'Primary applicants and dependents, in order of their names. Name at least one criterion; several must all hold. With `archived=true` it looks among archived records instead, and then needs no other criterion.',
  querystring: Type.Object({
    name: criterion('The beginning of "last first" or "first last", without regard to case and accents.'),
    employeeNumber: criterion('The whole number.'),
    email: criterion('The whole address, without regard to case; the alternate one counts too.'),
    passportNumber: criterion('The whole number, without regard to case and spaces.'),
    archived: Type.Optional(Type.Boolean({ default: false })),
    maxRecords: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  }),
  response: { 200: Type.Array(FoundApplicant) },
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

export function toWire({ createdAt, updatedAt, archivedAt, ...rest }: FoundRow) {
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
  }
}
