// The operations of the Document API, with the capitals that the expiry patch is spelled with.
import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { invalidCursor, listQuery, pageOf } from '../http/pagination.ts'
import { COUNTRY_CODES } from '../lib/countries.ts'
import { type DeclaredProblem, declareProblem } from '../lib/problem.ts'
import { documentNotFound } from './documents.service.ts'
import { fileDamaged, fileNotFound } from './files.service.ts'
import { fileInfected, scannerUnavailable } from './scanner.ts'
import { repositoryUnavailable, uploadExpired } from './uploads.service.ts'

export const fileRefused = declareProblem({
  code: 'file-kind-refused',
  status: 415,
  title: 'Files of this kind are never stored: programs, scripts and HTML.',
  remedy: 'Send a document or an image, a PDF for example.',
})
export const rangeNotSatisfiable = declareProblem({
  code: 'range-not-satisfiable',
  status: 416,
  title: 'The file has no such range.',
  remedy: 'Content-Range of the answer tells its size.',
})

const nullable = (description?: string) => ({ type: ['string', 'null'], ...(description && { description }) })
const date = nullable('YYYY-MM-DDTHH:MM:SS, as written.')

const fields = {
  documentId: { type: 'string' },
  type: {
    type: 'string',
    description:
      'As given; else `Applicant document` (of an applicant record) or `Case document` (uploaded to a case).',
  },
  name: nullable(),
  description: nullable(),
  status: {
    type: 'string',
    enum: ['active', 'expiring', 'expired'],
    description: '`expiring` within 90 days of the expiry date, `expired` after it.',
  },
  issueDate: date,
  expiryDate: date,
  remindAboutRenewal: { type: 'boolean' },
  expiryReminder: { type: ['integer', 'string', 'null'] },
  referenceNumber: nullable(),
  country: nullable(),
  countryCode: nullable('Whose repository holds the file.'),
  fileName: nullable(),
  contentType: nullable(),
  size: { type: ['integer', 'null'], description: 'Bytes.' },
  sha256: nullable('Of the file, in hexadecimal.'),
  hasFile: { type: 'boolean' },
  caseId: nullable('Null on a document of an applicant record.'),
  applicantId: { type: 'string' },
  employeeNumber: nullable("The applicant's number as it is now."),
  createdAt: { type: 'string' },
  updatedAt: { type: 'string' },
}

const Document = {
  type: 'object',
  title: 'Document',
  properties: fields,
  required: Object.keys(fields),
  additionalProperties: false,
}

const tags = ['Documents'] as [string]
const params = Type.Object({ documentId: Type.String({ description: 'Encoded id of the document.' }) })

const filter = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const listQuerystring = Type.Object({
  ...listQuery({ maxRecords: 10 }).properties,
  caseId: filter('Only documents uploaded to this case.'),
  applicantId: filter('Only documents of this person: those of the record and those uploaded to its cases.'),
  employeeNumber: filter(
    'Only documents of the person who has this number now, primary applicant or dependent: those of the record and those uploaded to its cases.',
  ),
  countryCode: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: [...COUNTRY_CODES],
      description:
        'Only documents whose file is in the repository of this country, in capitals as it was uploaded.',
    }),
  ),
})

export const listDocuments = {
  operationId: 'listDocuments',
  tags,
  summary: 'List documents',
  description:
    'Documents created or updated within the range, those of applicant records and those of cases. A document stands at its last update; one that was updated after the range, at its creation. Filters can be combined; a document must match all of them. An id or number that does not exist gives an empty page. Paging is by cursor, and a cursor belongs to the filters it was given out for.',
  querystring: listQuerystring,
  response: { 200: pageOf('DocumentPage', Document) },
  errors: [invalidCursor],
} satisfies Operation

export const getDocument = {
  operationId: 'getDocument',
  tags,
  summary: 'Get document by ID',
  description: 'The metadata; the file is at `/v2/document/{documentId}/file`.',
  conditional: true,
  params,
  response: { 200: Type.Unsafe<unknown>(Document) },
  errors: [documentNotFound],
} satisfies Operation

export const downloadDocument = {
  operationId: 'downloadDocument',
  tags,
  summary: 'Download document',
  description:
    'The file itself, as an attachment. `Range` is honoured. Every part is checked against the hash that was made when it came in, before it is sent; a damaged file is refused, or the transfer is broken off where the damage begins.',
  conditional: true,
  params,
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
  description:
    'Changes the expiry and the reminders, nothing else; values that are stored already change nothing, not even `updatedAt`. `ExpiryReminder` takes a number of days before expiry, the same as text, a list of days (`90,30,7`), a date, or an ISO 8601 duration (`P3M`); 0 or nothing is the default ladder. A changed expiry starts a new ladder.',
  conditional: true,
  params,
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
          expects: 'days before expiry (30, "30" or "90,30,7"), a date, or an ISO 8601 duration such as P3M',
        }),
      ),
    },
    { title: 'DocumentExpiry', additionalProperties: false },
  ),
  response: { 200: Type.Unsafe<unknown>(Document) },
  errors: [documentNotFound],
  example: { ExpiryDate: '2027-06-30', RemindAboutRenewal: true, ExpiryReminder: 30 },
} satisfies Operation

const part = (description: string) => Type.Optional(Type.String({ description }))

export const uploadDocument = (caseNotFound: DeclaredProblem) =>
  ({
    operationId: 'uploadDocument',
    tags,
    summary: 'Upload document',
    description:
      "Stores a file in the repository of the country and attaches it to the case. Send `caseId` and `countryCode` before `document`: the bytes then go straight to that country's repository. Sent after it, the file waits on the service's own disk meanwhile, encrypted with a key that exists only in memory. The media type is told from the bytes where they tell, else taken from the part.",
    idempotent: true,
    consumes: 'multipart/form-data',
    form: Type.Object(
      {
        caseId: Type.String({ description: 'Encoded id of the case that the document belongs to.' }),
        countryCode: Type.Unsafe<string>({
          type: 'string',
          enum: [...COUNTRY_CODES],
          description: 'Whose repository keeps the file.',
        }),
        document: Type.Unsafe<unknown>({
          type: 'string',
          format: 'binary',
          description: 'The file; not empty.',
        }),
        name: part('Name of the document; that of the file where it is left out.'),
        type: part('Kind of document, for people.'),
        description: part(''),
        issueDate: part('A date.'),
        expiryDate: part('A date.'),
        referenceNumber: part(''),
        country: part('Country code of the document.'),
      },
      { title: 'DocumentUpload', additionalProperties: false },
    ),
    response: { 201: Type.Unsafe<unknown>(Document) },
    errors: [
      caseNotFound,
      fileRefused,
      fileInfected,
      scannerUnavailable,
      repositoryUnavailable,
      uploadExpired,
    ],
  }) satisfies Operation
