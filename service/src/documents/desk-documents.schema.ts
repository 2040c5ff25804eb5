// The operations of the desk on documents.

import type { Operation } from '../http/app-types.ts'
import { country, date, requiredText, text } from '../http/fields.ts'
import { Type } from '../lib/json-schema.ts'
import type { DeclaredProblem } from '../lib/problem.ts'
import { documentMoved, fileVersionNotFound } from './desk-documents.service.ts'
import type { FileVersion } from './desk-documents.store.ts'
import {
  countryCodePart,
  Document,
  detailParts,
  documentFields,
  documentIdentifiers,
  documentParams,
  filePart,
  KINDS_TEXT,
  nullable,
  rangeNotSatisfiable,
  uploadErrors,
} from './documents.schema.ts'
import { documentNotFound } from './documents.service.ts'
import { fileDamaged } from './files.service.ts'
import { repositoryUnavailable } from './uploads.service.ts'

const tags = ['Operator: documents'] as [string]

const object = (title: string, properties: Record<string, object>) => ({
  type: 'object',
  title,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const removedAt = { type: 'string', description: 'UTC, with `Z`.' }

const DeskDocument = object('DeskDocument', {
  ...documentFields,
  fileVersion: {
    type: ['integer', 'null'],
    description: 'Number of the current version of the file; null without a file.',
  },
  removal: {
    ...object('DocumentRemoval', {
      removedAt,
      removedBy: nullable('Person or client; null where a write of the record left the document out.'),
      reason: nullable('Null where a write of the record left the document out.'),
    }),
    type: ['object', 'null'],
    description: 'Null for a document that is not removed.',
  },
})

export const getDeskDocument = {
  operationId: 'getDeskDocument',
  tags,
  summary: 'Get a document, also a removed one',
  description:
    'Returns the document with the version of its file and, if it was removed, when, by whom and why. `/v2/document/{documentId}` returns 404 for a removed document; this operation does not. Supports `If-None-Match`.',
  conditional: true,
  params: documentParams,
  response: { 200: Type.Unsafe<unknown>(DeskDocument) },
  errors: [documentNotFound],
} satisfies Operation

export const correctDocument = {
  operationId: 'correctDocument',
  tags,
  summary: 'Correct a document',
  description: [
    'Changes only the fields in the body; null clears a field. Sending stored values again changes nothing, not even `updatedAt`. A new expiry date restarts the reminders. Emits `document.updated`.',
    'A document of an applicant record changes there too. The correction holds while later writes of the record send the document as it was before; a write that sends it differently replaces it.',
  ].join('\n\n'),
  conditional: true,
  params: documentParams,
  body: Type.Object(
    {
      name: Type.Optional(requiredText({ maxLength: 300 })),
      type: text(200, { description: 'Kind of document; null for the default.' }),
      description: text(4000),
      issueDate: date(),
      expiryDate: date(),
      referenceNumber: text(200),
      country: country(),
    },
    { title: 'DocumentCorrection', additionalProperties: false, minProperties: 1 },
  ),
  response: { 200: Type.Unsafe<unknown>(Document) },
  identifiers: documentIdentifiers,
  errors: [documentNotFound],
  example: { name: 'Residence permit', expiryDate: '2027-06-30' },
} satisfies Operation

export const removeDocument = {
  operationId: 'removeDocument',
  tags,
  summary: 'Remove a document',
  description: [
    'Removes a document, with a reason that is kept for the audit. Afterwards reads return 404, lists and the applicant record leave it out, and it gives its bytes back to the quota. File and versions are kept: Restore a document brings it back. Removing it again is an error (404). Emits `document.removed`.',
    'A document of an applicant record stays removed while later writes of the record send it as it was; a write that sends it differently, such as with another expiry date, brings it back.',
  ].join('\n\n'),
  conditional: true,
  params: documentParams,
  body: Type.Object(
    { reason: requiredText({ description: 'Why the document is removed.' }) },
    { title: 'DocumentRemovalRequest', additionalProperties: false },
  ),
  response: {
    200: Type.Unsafe<unknown>(
      object('RemovedDocument', {
        documentId: documentFields.documentId,
        applicantId: documentFields.applicantId,
        caseId: documentFields.caseId,
        removedAt,
        removedBy: { type: 'string', description: 'Person or client.' },
        reason: { type: 'string' },
      }),
    ),
  },
  identifiers: documentIdentifiers,
  errors: [documentNotFound],
  example: { reason: 'Belongs to another person.' },
} satisfies Operation

export const restoreDocument = {
  operationId: 'restoreDocument',
  tags,
  summary: 'Restore a document',
  description:
    'Brings a removed document back, with its file. A document of an applicant record becomes the last one of the record; if a write of the record had left it out, the next one that leaves it out removes it again. A document that is not removed is returned as it is. A record with 500 documents gets no further one (400). Emits `document.updated`.',
  idempotent: true,
  params: documentParams,
  response: { 200: Type.Unsafe<unknown>(Document) },
  identifiers: documentIdentifiers,
  errors: [documentNotFound],
} satisfies Operation

export const uploadApplicantDocument = (applicantNotFound: DeclaredProblem) =>
  ({
    operationId: 'uploadApplicantDocument',
    tags,
    summary: 'Upload a document for a person',
    description: [
      'Stores a file in the repository of the country, for a primary applicant or dependent, without a case. The document is no item of the applicant record, so that no write of the record changes or removes it.',
      KINDS_TEXT,
      'Send `countryCode` before `document`, so that the bytes go directly to the repository of that country. Send an `Idempotency-Key` to make a retry safe.',
    ].join('\n\n'),
    idempotent: true,
    params: Type.Object({
      applicantId: Type.String({ description: 'Encoded id of the person: primary applicant or dependent.' }),
    }),
    consumes: 'multipart/form-data',
    form: Type.Object(
      { countryCode: countryCodePart, document: filePart, ...detailParts },
      { title: 'ApplicantDocumentUpload', additionalProperties: false },
    ),
    response: { 201: Type.Unsafe<unknown>(Document) },
    identifiers: documentIdentifiers,
    errors: [applicantNotFound, ...uploadErrors],
  }) satisfies Operation

export const putDocumentFile = {
  operationId: 'putDocumentFile',
  tags,
  summary: 'Upload a new version of a file',
  description: [
    'Stores the file as the current version of the document, or as its first file. The version before it is kept: List the versions of a file, Download a version of a file. Sending the current file again, under its name, changes nothing. Emits `document.updated`.',
    KINDS_TEXT,
    '`countryCode` may be left out where the document has a file: the new version goes to the same repository.',
  ].join('\n\n'),
  conditional: true,
  params: documentParams,
  consumes: 'multipart/form-data',
  form: Type.Object(
    { countryCode: Type.Optional(countryCodePart), document: filePart },
    { title: 'DocumentFileUpload', additionalProperties: false },
  ),
  response: { 200: Type.Unsafe<unknown>(Document) },
  identifiers: documentIdentifiers,
  errors: [documentNotFound, documentMoved, ...uploadErrors],
} satisfies Operation

const Version = object('DocumentFileVersion', {
  fileVersion: { type: 'integer', description: 'From 1 for the first file.' },
  fileName: { type: 'string' },
  contentType: { type: 'string' },
  size: { type: 'integer', description: 'Bytes.' },
  sha256: { type: 'string', description: 'Hash of the file, in hexadecimal.' },
  countryCode: { type: 'string', description: 'Country whose repository stores the file.' },
  uploadedBy: nullable('Client, or `user:` and the id of a person; null for files of early releases.'),
  createdAt: { type: 'string' },
  replacedAt: nullable('Null for the current version.'),
})

export const listFileVersions = {
  operationId: 'listDocumentFileVersions',
  tags,
  summary: 'List the versions of a file',
  description:
    'Returns all versions of the file of a document, the current one first, in one array without pages. The array is empty for a document without a file.',
  params: documentParams,
  response: { 200: Type.Unsafe<unknown>({ type: 'array', items: Version }) },
  errors: [documentNotFound],
} satisfies Operation

export const downloadFileVersion = {
  operationId: 'downloadDocumentFileVersion',
  tags,
  summary: 'Download a version of a file',
  description:
    'Returns this version of the file as an attachment, as Download document does for the current one: with `Range`, `If-None-Match`, and every part verified before it is sent.',
  conditional: true,
  params: Type.Object({
    ...documentParams.properties,
    fileVersion: Type.String({ description: 'Number of the version.' }),
  }),
  produces: '*/*',
  response: {
    200: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
    206: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
  },
  errors: [documentNotFound, fileVersionNotFound, rangeNotSatisfiable, repositoryUnavailable, fileDamaged],
} satisfies Operation

export function versionToWire({ createdAt, replacedAt, ...version }: FileVersion) {
  return {
    ...version,
    createdAt: createdAt.toISOString(),
    replacedAt: replacedAt?.toISOString() ?? null,
  }
}
