import type { Operation } from '../http/app-types.ts'
import { country, text, VISIBLE_PATTERN } from '../http/fields.ts'
import { allCompaniesRequired } from '../lib/boundary.ts'
import { Type } from '../lib/json-schema.ts'
import { companyCodeInUse, companyNameInUse, companyNotFound } from './companies.service.ts'
import type { Company as Row } from './companies.store.ts'

const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })

export const Company = Type.Object(
  {
    companyId: Type.String(),
    name: Type.String(),
    code: nullable,
    country: nullable,
    active: Type.Boolean(),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  { title: 'Company', additionalProperties: false },
)

const name = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: VISIBLE_PATTERN,
  description: 'Unique without regard to case.',
})
const optional = {
  code: text(100, { description: 'Short name, unique without regard to case.', example: 'ACME-DE' }),
  country: country(),
  active: Type.Optional(Type.Boolean({ description: 'A new case can only name active companies.' })),
}

const tags = ['Operator: companies'] as [string]
const params = Type.Object({ companyId: Type.String({ description: 'Id of the company.' }) })

export const listCompanies = {
  operationId: 'listCompanies',
  tags,
  summary: 'List the companies',
  description:
    'Returns all companies in order of their names, in one array without pages. Inactive companies are included. A limited caller gets its own.',
  response: { 200: Type.Array(Company) },
} satisfies Operation

export const createCompany = {
  operationId: 'createCompany',
  tags,
  summary: 'Create a company',
  description:
    'Creates a company that cases can name by its name, code or id. Name and code must be unique without regard to case. The company is active unless `active` is false. Applicants whose `sendingCompany` names it belong to it from then on. Send an `Idempotency-Key` to make a retry safe.',
  idempotent: true,
  body: Type.Object({ name, ...optional }, { title: 'NewCompany', additionalProperties: false }),
  response: { 201: Company },
  errors: [companyNameInUse, companyCodeInUse, allCompaniesRequired],
  example: { name: 'Acme GmbH', code: 'ACME-DE', country: 'DE' },
} satisfies Operation

export const getCompany = {
  operationId: 'getCompany',
  tags,
  summary: 'Read a company',
  description: 'Returns one company, active or inactive. Supports `If-None-Match`.',
  conditional: true,
  params,
  response: { 200: Company },
  errors: [companyNotFound],
} satisfies Operation

export const patchCompany = {
  operationId: 'patchCompany',
  tags,
  summary: 'Change a company',
  description:
    'Changes only the fields in the body. Companies cannot be deleted, because cases name them; set `active` to false instead, and new cases cannot name it. Applicants whose `sendingCompany` names its new name or code belong to it, and those that named the former one no longer do. Sending the same body again changes nothing.',
  conditional: true,
  params,
  body: Type.Object(
    { name: Type.Optional(name), ...optional },
    { title: 'CompanyPatch', additionalProperties: false },
  ),
  response: { 200: Company },
  errors: [companyNotFound, companyNameInUse, companyCodeInUse, allCompaniesRequired],
  example: { active: false },
} satisfies Operation

export function toWire({ version: _version, createdAt, updatedAt, ...rest }: Row) {
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
}
