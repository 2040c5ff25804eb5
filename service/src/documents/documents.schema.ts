// The operations of the Document API, including the capitalized field names of the expiry patch.

import type { Operation } from '../http/app-types.ts'
import { identifiersSchema } from '../http/identifiers.ts'
import { invalidCursor, listQuery, pageOf } from '../http/pagination.ts'
import { COUNTRY_CODES } from '../lib/countries.ts'
import { Type } from '../lib/json-schema.ts'
import { type DeclaredProblem, declareProblem } from '../lib/problem.ts'
import { ACCEPTED_KINDS } from './accepted-kinds.ts'
import { documentNotFound } from './documents.service.ts'
import { fileDamaged, fileNotFound } from './files.service.ts'
import { fileInfected, scannerUnavailable, tooLargeToScan } from './scanner.ts'
import { quotaExceeded, repositoryUnavailable, uploadExpired } from './uploads.service.ts'

export const fileRefused = declareProblem({
  code: 'file-kind-refused',
  status: 415,
  title: 'Files of this kind are not accepted.',
  remedy: `Send a file of another kind, such as a PDF, with the extension of its kind. ${ACCEPTED_KINDS}`,
})
export const rangeNotSatisfiable = declareProblem({
  code: 'range-not-satisfiable',
  status: 416,
  title: 'The requested range lies outside the file.',
  remedy: 'Request a range within the size in the Content-Range header of the response.',
})

export const nullable = (description?: string) => ({
  type: ['string', 'null'],
  ...(description && { description }),
})
const date = nullable('YYYY-MM-DDTHH:MM:SS, as sent, without time zone.')

export const documentFields = {
  documentId: { type: 'string' },
  type: {
    type: 'string',
    description:
      'As sent; the default is `Applicant document` for an applicant record and `Case document` for a case.',
  },
  name: nullable(),
  description: nullable(),
  status: {
    type: 'string',
    enum: ['active', 'expiring', 'expired'],
    description: '`expiring`: within 90 days before the expiry date. `expired`: after it.',
  },
  issueDate: date,
  expiryDate: date,
  remindAboutRenewal: { type: 'boolean' },
  expiryReminder: { type: ['integer', 'string', 'null'] },
  referenceNumber: nullable(),
  country: nullable(),
  countryCode: nullable('Country whose repository stores the file.'),
  fileName: nullable(),
  contentType: nullable(),
  size: { type: ['integer', 'null'], description: 'Bytes.' },
  sha256: nullable('Hash of the file, in hexadecimal.'),
  hasFile: { type: 'boolean' },
  caseId: nullable(
    'Null on a document of an applicant record, and on a file that was uploaded for the person.',
  ),
  applicantId: { type: 'string' },
  employeeNumber: nullable('Current employee number of the applicant.'),
  createdAt: { type: 'string' },
  updatedAt: { type: 'string' },
}

export const Document = {
  type: 'object',
  title: 'Document',
  properties: documentFields,
  required: Object.keys(documentFields),
  additionalProperties: false,
}

export const documentIdentifiers = {
  readScope: 'documents:read',
  schema: identifiersSchema('DocumentIdentifiers', ['documentId', 'applicantId'], {
    caseId: documentFields.caseId,
  }),
} as const

const tags = ['Documents'] as [string]
export const documentParams = Type.Object({
  documentId: Type.String({ description: 'Encoded id of the document.' }),
})

const filter = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const listQuerystring = Type.Object({
  ...listQuery({ maxRecords: 10 }).properties,
  caseId: filter('Only documents uploaded to this case.'),
  applicantId: filter('Only documents of this person: those of the record and those of its cases.'),
  employeeNumber: filter(
    'Only documents of the primary applicant or dependent with this number: those of the record and those of its cases.',
  ),
  countryCode: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: [...COUNTRY_CODES],
      description: 'Only documents whose file is in the repository of this country.',
    }),
  ),
})

export const listDocuments = {
  operationId: 'listDocuments',
  tags,
  summary: 'List documents',
  description: [
    'Returns documents that were created or updated within the range, page by page: those of applicant records and those of cases. A document is listed at its last update, or at its creation if the last update is after the range.',
    'A document must match all filters. An id or number that does not exist returns an empty page. A cursor is valid only with the filters of the request that returned it.',
  ].join('\n\n'),
  querystring: listQuerystring,
  response: { 200: pageOf('DocumentPage', Document) },
  errors: [invalidCursor],
} satisfies Operation

export const getDocument = {
  operationId: 'getDocument',
  tags,
  summary: 'Get document by ID',
  description:
    'Returns the metadata of a document of an applicant record or of a case. If `hasFile` is true, GET `/v2/document/{documentId}/file` returns the file. Supports `If-None-Match`.',
  conditional: true,
  params: documentParams,
  response: { 200: Type.Unsafe<unknown>(Document) },
  errors: [documentNotFound],
} satisfies Operation

export const downloadDocument = {
  operationId: 'downloadDocument',
  tags,
  summary: 'Download document',
  description:
    'Returns the file as an attachment. Supports `Range` and `If-None-Match`. Each part is verified against the stored hash before it is sent: a damaged file is rejected (500), or the transfer is aborted where the damage begins.',
  conditional: true,
  params: documentParams,
  produces: '*/*',
  response: {
    200: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
    206: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
  },
  errors: [documentNotFound, fileNotFound, rangeNotSatisfiable, repositoryUnavailable, fileDamaged],
} satisfies Operation

export const patchExpiry = {
  operationId: 'patchDocumentExpiry',
  tags,
  summary: 'Patch document expiry',
  description: [
    'Changes the expiry date and the reminders of a document. Sending stored values again changes nothing, not even `updatedAt`. A new expiry date restarts the reminders.',
    '`ExpiryReminder` accepts a number of days before expiry, the same as text, a list of days (`90,30,7`), a date, or an ISO 8601 duration (`P3M`). 0 or null selects the default schedule.',
  ].join('\n\n'),
  conditional: true,
  params: documentParams,
  body: Type.Object(
    {
      ExpiryDate: Type.Unsafe<string>({
        type: 'string',
        format: 'wall-clock',
        minLength: 1,
        expects: 'a real calendar date such as 2027-06-30',
      }),
      RemindAboutRenewal: Type.Optional(
        Type.Boolean({ description: 'Whether renewal notifications are sent.' }),
      ),
      ExpiryReminder: Type.Optional(
        Type.Unsafe<string | number | null>({
          type: ['integer', 'string', 'null'],
          minimum: 0,
          maximum: 3650,
          maxLength: 100,
          format: 'reminder',
          expects:
            'at most 3650 days before expiry (30, "30" or "90,30,7"), a date, or an ISO 8601 duration such as P3M',
        }),
      ),
    },
    { title: 'DocumentExpiry', additionalProperties: false },
  ),
  response: { 200: Type.Unsafe<unknown>(Document) },
  identifiers: documentIdentifiers,
  errors: [documentNotFound],
  example: { ExpiryDate: '2027-06-30', RemindAboutRenewal: true, ExpiryReminder: 30 },
} satisfies Operation

const part = (description: string) => Type.Optional(Type.String({ description }))

/** The parts of a form that uploads a file. */
export const filePart = Type.Unsafe<unknown>({
  type: 'string',
  format: 'binary',
  description: 'The file; not empty.',
})
export const countryCodePart = Type.Unsafe<string>({
  type: 'string',
  enum: [...COUNTRY_CODES],
  description: 'Country whose repository stores the file.',
})
export const detailParts = {
  name: part('Name of the document; the default is the name of the file.'),
  type: part('Kind of document.'),
  description: part('Free text.'),
  issueDate: part('Date such as 2026-03-01.'),
  expiryDate: part('Date such as 2027-06-30.'),
  referenceNumber: part('Number of the document.'),
  country: part('Country code of the document, two or three letters.'),
}

/** Errors of every upload. */
export const uploadErrors = [
  fileRefused,
  fileInfected,
  tooLargeToScan,
  scannerUnavailable,
  repositoryUnavailable,
  uploadExpired,
  quotaExceeded,
]

export const KINDS_TEXT = `Files of other kinds than these are rejected (415). ${ACCEPTED_KINDS} PDF and images may have each other’s extensions, or none. The media type is detected; that of the part is ignored.`

export const uploadDocument = (caseNotFound: DeclaredProblem) =>
  ({
    operationId: 'uploadDocument',
    tags,
    summary: 'Upload document',
    description: [
      'Stores a file in the repository of the country and attaches it to the case.',
      KINDS_TEXT,
      'Send `caseId` and `countryCode` before `document`, so that the bytes go directly to the repository of that country. Otherwise the file is buffered on the disk of the service, encrypted with a key that exists only in memory. Send an `Idempotency-Key` to make a retry safe.',
    ].join('\n\n'),
    idempotent: true,
    consumes: 'multipart/form-data',
    form: Type.Object(
      {
        caseId: Type.String({ description: 'Encoded id of the case that the document belongs to.' }),
        countryCode: countryCodePart,
        document: filePart,
        ...detailParts,
      },
      { title: 'DocumentUpload', additionalProperties: false },
    ),
    response: { 201: Type.Unsafe<unknown>(Document) },
    identifiers: documentIdentifiers,
    errors: [caseNotFound, ...uploadErrors],
  }) satisfies Operation
