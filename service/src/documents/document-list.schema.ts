// The operators' list of documents, and the list of what expires.

import type { Operation } from '../http/app-types.ts'
import { VISIBLE_PATTERN } from '../http/fields.ts'
import { countedPageOf, invalidCursor, sortOf, walkQuery } from '../http/pagination.ts'
import { COUNTRY_CODES } from '../lib/countries.ts'
import { type TSchema, Type } from '../lib/json-schema.ts'
import { statusOn, typeOf } from './document.ts'
import { DEFAULT_DOCUMENT_SORT, type ExpiringRow } from './document-list.service.ts'
import { DOCUMENT_SORTS } from './document-list.store.ts'
import { getDocument } from './documents.schema.ts'
import { EXPIRING_KINDS } from './expiring.store.ts'

const STATUSES = ['active', 'expiring', 'expired']

const nullable = (description?: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...(description && { description }) })

const DocumentApplicant = Type.Object(
  {
    applicantId: Type.String(),
    employeeNumber: nullable('Current employee number.'),
    firstName: nullable('Null where the caller may see neither the record nor a case of the person.'),
    lastName: nullable(),
  },
  { title: 'DocumentApplicant', additionalProperties: false },
)

const { properties } = getDocument.response[200] as unknown as { properties: Record<string, TSchema> }

/** A document with the name of its applicant. */
export const ListedDocument = Type.Object(
  { ...properties, applicant: DocumentApplicant },
  { title: 'ListedDocument', additionalProperties: false },
)

const day = (description: string) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      format: 'day',
      expects: 'a real calendar day such as 2026-03-01',
      description,
      example: '2026-03-01',
    }),
  )
const choice = (values: readonly string[], description: string) =>
  Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...values], description }))
const criterion = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 320, pattern: VISIBLE_PATTERN, description }))
const expiresFrom = day('Expires on this day or later. Documents without an expiry date are left out.')
const expiresTo = day('Expires on this day or earlier.')

export const listAllDocuments = {
  operationId: 'listAllDocuments',
  tags: ['Operator: documents'] as [string],
  summary: 'List documents for operators',
  description: [
    'Returns documents of applicant records and of cases page by page, in the order of `sort`. With several filters, a document must match all of them. Documents that never expire come last in the order of `expiryDate`. Removed documents are not listed.',
    'An id or type that does not exist returns an empty page. A cursor is valid only with the filters of the request that returned it. To keep a copy by polling, use List documents.',
  ].join('\n\n'),
  querystring: Type.Object({
    applicantId: criterion('Only documents of this person: those of the record and those of its cases.'),
    caseId: criterion('Only documents uploaded to this case.'),
    status: choice(STATUSES, 'As in the record, today in UTC.'),
    type: criterion('Whole type, without regard to case.'),
    countryCode: choice(COUNTRY_CODES, 'Only documents whose file is in the repository of this country.'),
    expiresFrom,
    expiresTo,
    hasFile: Type.Optional(Type.Boolean({ description: 'Whether the document has a file.' })),
    sort: sortOf(DOCUMENT_SORTS, DEFAULT_DOCUMENT_SORT),
    ...walkQuery({ maxRecords: 100 }),
  }),
  response: { 200: countedPageOf('ListedDocumentPage', ListedDocument) },
  errors: [invalidCursor],
} satisfies Operation

const Expiring = Type.Object(
  {
    kind: Type.Unsafe<string>({ type: 'string', enum: [...EXPIRING_KINDS] }),
    expiryDate: Type.String({ description: 'YYYY-MM-DD.' }),
    status: Type.Unsafe<string>({
      type: 'string',
      enum: STATUSES,
      description: '`expiring` within 90 days, `expired` after the expiry date.',
    }),
    documentId: nullable('Null on a passport.'),
    passportId: nullable('Null on a document.'),
    name: nullable('Name of the document; null on a passport.'),
    type: Type.String({ description: 'Type of the document; `Passport` on a passport.' }),
    country: nullable('Country of the document or passport.'),
    caseId: nullable('The case that the document was uploaded to.'),
    applicant: DocumentApplicant,
  },
  { title: 'Expiring', additionalProperties: false },
)

export const listExpiring = {
  operationId: 'listExpiring',
  tags: ['Operator: documents'] as [string],
  summary: 'List what expires',
  description: [
    'Returns passports and documents with an expiry date in one list, by this date. Passports and record documents of archived people are left out, and so is a passport while the same person has another one of the same country that expires later.',
    'With several filters, an item must match all of them. A company that does not exist returns an empty page. A cursor is valid only with the filters of the request that returned it.',
  ].join('\n\n'),
  querystring: Type.Object({
    kind: Type.Optional(
      Type.Unsafe<(typeof EXPIRING_KINDS)[number]>({
        type: 'string',
        enum: [...EXPIRING_KINDS],
        description: 'Only documents, or only passports.',
      }),
    ),
    within: choice(
      ['expired', '7', '30', '60', '90'],
      '`expired`: before today. `7`, `30`, `60`, `90`: today or within that many days. Days are UTC.',
    ),
    expiresFrom,
    expiresTo,
    company: criterion('Name, code or id of a company that the record or the case belongs to.'),
    sort: sortOf(['expiryDate'], 'expiryDate'),
    ...walkQuery({ maxRecords: 100 }),
  }),
  response: { 200: countedPageOf('ExpiringPage', Expiring) },
  errors: [invalidCursor],
} satisfies Operation

/** The only mapper of an item that expires to its wire form. */
export function expiringToWire(row: ExpiringRow, today: string) {
  const isDocument = row.kind === 'document'
  return {
    kind: row.kind,
    expiryDate: row.expiresOn,
    status: statusOn(today, row.expiresOn),
    documentId: isDocument ? row.itemId : null,
    passportId: isDocument ? null : row.itemId,
    name: row.documentName,
    type: isDocument ? typeOf({ type: row.documentType, caseId: row.caseId }) : 'Passport',
    country: row.country,
    caseId: row.caseId,
    applicant: {
      applicantId: row.applicantId,
      employeeNumber: row.employeeNumber,
      firstName: row.firstName,
      lastName: row.lastName,
    },
  }
}
