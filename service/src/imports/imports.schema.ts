import type { Operation } from '../http/app-types.ts'
import { countedPageOf, invalidCursor, walkQuery } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import { OUTCOMES } from './import.ts'
import {
  importEnded,
  importInterrupted,
  importNotAllowed,
  importNotFound,
  importNotReleasable,
} from './imports.service.ts'

const tags = ['Imports'] as [string]

const STATUSES = ['receiving', 'checking', 'held', 'running', 'completed', 'cancelled', 'failed']
const count = (description: string) => ({ type: 'integer', minimum: 0, description })
const nullableText = (description: string) => ({ type: ['string', 'null'], description })
const pointers = { type: 'array', items: { type: 'string' } }

const ImportProblem = {
  type: 'object',
  title: 'ImportProblem',
  description: 'A problem document (RFC 9457), as a single request would get it.',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', description: 'As of a single request, such as `invalid-request`.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        title: 'ImportFieldError',
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
        required: ['pointer', 'detail'],
        additionalProperties: false,
      },
    },
    mergedInto: { type: 'string', description: 'The id of the record that a merge has made of this one.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
  additionalProperties: false,
}
const orNull = (schema: object, description: string) => ({ anyOf: [schema, { type: 'null' }], description })

const Held = {
  type: 'object',
  title: 'ImportHeld',
  properties: {
    people: count('People from whom the import would take something.'),
    limit: count('The most people that it may take something from: 5 % of those that it names, at least 25.'),
    reasons: {
      type: 'array',
      items: {
        type: 'object',
        title: 'ImportHeldReason',
        properties: {
          code: { type: 'string', enum: ['values-taken', 'dependents-taken', 'companies-taken'] },
          detail: { type: 'string' },
          people: count('People concerned.'),
          samples: {
            type: 'array',
            description: 'The first rows concerned.',
            items: {
              type: 'object',
              title: 'ImportSample',
              properties: {
                row: { type: 'integer' },
                employeeNumber: { type: 'string' },
                changed: pointers,
              },
              required: ['row', 'employeeNumber', 'changed'],
              additionalProperties: false,
            },
          },
        },
        required: ['code', 'detail', 'people', 'samples'],
        additionalProperties: false,
      },
    },
  },
  required: ['people', 'limit', 'reasons'],
  additionalProperties: false,
}

const properties = {
  importId: { type: 'string', description: 'Encoded id.' },
  status: {
    type: 'string',
    enum: STATUSES,
    description:
      '`receiving` the file, `checking` its rows, `held` by the guard until it is released, `running` (applying the rows). A dry run is `completed` once its rows are checked.',
  },
  mode: { type: 'string', enum: ['replace', 'merge'] },
  dryRun: { type: 'boolean' },
  complete: { type: 'boolean' },
  format: { type: 'string', enum: ['ndjson', 'csv'] },
  counts: {
    type: 'object',
    title: 'ImportCounts',
    description:
      'Rows by outcome: what they would do once they are checked, what they did once they are applied. So of an import that is `held`, `cancelled` or `failed`, they have what the check found for the rows that were not applied: `progress.applied` says how many were, and `applied` of each row which.',
    properties: {
      total: count('Rows of the file; of a CSV file, families.'),
      created: count('Families that are new.'),
      updated: count('Families that change.'),
      unchanged: count('Families that are stored like this already.'),
      rejected: count('Rows with an error. Nothing of them is applied.'),
      missing: count('With `complete`: people who are stored and not in the file. They are not changed.'),
    },
    required: ['total', ...OUTCOMES],
    additionalProperties: false,
  },
  progress: {
    type: 'object',
    title: 'ImportProgress',
    properties: {
      checked: count('Rows that were checked, of `counts.total`.'),
      applied: count('Rows that were applied, of `toApply`.'),
      toApply: count(
        'Rows to apply, as far as it is known; rejected rows are tried again. 0 for a dry run that was not released.',
      ),
    },
    required: ['checked', 'applied', 'toApply'],
    additionalProperties: false,
  },
  held: orNull(Held, 'Why the import is held, or a dry run would be; null otherwise.'),
  problem: orNull(ImportProblem, 'Why the import failed; null otherwise.'),
  createdBy: {
    type: 'string',
    description: 'The client that sent the file, or `user:` and the id of a person.',
  },
  createdByName: nullableText("The person's name; null for a client."),
  createdAt: { type: 'string', description: 'UTC, with `Z`.' },
  updatedAt: { type: 'string', description: 'UTC, with `Z`.' },
  releasedAt: nullableText('UTC, with `Z`; null unless it was released.'),
  finishedAt: nullableText('UTC, with `Z`; null before its end.'),
}

const ImportRecord = Type.Unsafe<string>({
  type: 'object',
  title: 'Import',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const rowProperties = {
  row: {
    type: ['integer', 'null'],
    description:
      'From 1: the line of NDJSON, or the record of CSV after the header. Null for a person who is missing.',
  },
  employeeNumber: nullableText('Employee number of the primary applicant; null where the row has none.'),
  applicantId: nullableText('Id of the primary applicant; null while there is none.'),
  outcome: { type: 'string', enum: [...OUTCOMES] },
  applied: { type: 'boolean', description: 'Whether the row was applied. False in a dry run.' },
  changed: {
    ...pointers,
    description:
      'JSON pointers to what changes. A dependent of the row is named by its index, one that is archived by its id; an item by its id, and a new one by `-`.',
  },
  problem: orNull(ImportProblem, 'Why the row is rejected; null otherwise.'),
}

const ImportRow = {
  type: 'object',
  title: 'ImportRow',
  properties: rowProperties,
  required: Object.keys(rowProperties),
  additionalProperties: false,
}

/** The response has no personal data. */
const identifiers = { readScope: 'applicants:read', schema: ImportRecord } as const
const ById = Type.Object({ importId: Type.String({ description: 'Encoded id of the import.' }) })

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

export const createImport = {
  operationId: 'createImport',
  tags,
  idempotent: true,
  waits: true,
  summary: 'Import people',
  description: [
    'Takes a file of people, checks every row and applies the rows in the background. A row is what one PUT (`mode=replace`) or PATCH (`mode=merge`) by employee number takes: the same rules, errors, audit entries and events. Rows that are stored like this already change nothing, so that the same file can be sent every night. Imports of one company run one after the other.',
    '`application/x-ndjson` has one `{ "primaryApplicant": …, "dependents": … }` a line, each at most 1 MiB. `text/csv` has a header of field names: `lastName`, `passports[0].expiryDate`, `metaData.costCentre`; comma, semicolon or tab; lines end with CRLF, LF or CR. Both are UTF-8. A CSV row with `primaryEmployeeNumber` is a dependent of that person, anywhere in the file. An empty cell is a field that is left out. If the file has that column, `mode=replace` takes the dependents of each person as the full set. The body may be compressed (`Content-Encoding: gzip`) and have up to 1 GiB, also unpacked.',
    'A file that cannot be read to its end, is not UTF-8 or has an unknown column is rejected as a whole. A row with an error is rejected alone; so is the second row of a number. An import that would take a value, a dependent or the company from more than 5 % of the people that it names, and from more than 25, is `held` until it is released.',
    'With `dryRun`, the rows are compared with what is stored, not with each other, and nothing is changed; release the import to apply it. With `complete`, people who are not in the file are listed as `missing`; a row that is rejected counts, as long as its number can be read. The file is deleted when the import ends, or after 7 days if it is not released; the results of its rows are kept for 30 days.',
  ].join('\n\n'),
  querystring: Type.Object({
    mode: Type.Optional(
      Type.Unsafe<'replace' | 'merge'>({
        type: 'string',
        enum: ['replace', 'merge'],
        default: 'replace',
        description:
          '`replace`: rows are whole records, as in a PUT. `merge`: rows are changes, as in a PATCH.',
      }),
    ),
    dryRun: flag('Checks the rows and changes nothing.'),
    complete: flag('Whether the file has all people: reports who is missing.'),
  }),
  consumes: ['application/x-ndjson', 'text/csv'],
  form: Type.String({ description: 'One family a line, or a header and rows.' }),
  example: {
    'application/x-ndjson':
      '{"primaryApplicant":{"employeeNumber":"E-10042","firstName":"Anna","lastName":"Schmidt"},"dependents":[]}\n',
    'text/csv':
      'employeeNumber,firstName,lastName,passports[0].expiryDate\nE-10042,Anna,Schmidt,2031-02-28\n',
  },
  response: { 202: ImportRecord },
  identifiers,
  errors: [importInterrupted],
} satisfies Operation

export const listImports = {
  operationId: 'listImports',
  tags,
  summary: 'List imports',
  description:
    'Returns imports page by page, the latest first. A caller who is limited to some companies sees the imports of callers who are limited to the same companies, or to some of them. Imports are kept for 30 days after their end.',
  querystring: Type.Object({
    ...walkQuery({ maxRecords: 50 }),
    status: Type.Optional(
      Type.Unsafe<string>({ type: 'string', enum: STATUSES, description: 'Only imports with this status.' }),
    ),
  }),
  response: { 200: countedPageOf('ImportPage', ImportRecord) },
  errors: [invalidCursor],
} satisfies Operation

export const getImport = {
  operationId: 'getImport',
  tags,
  conditional: true,
  waits: true,
  summary: 'Get import',
  description:
    'Returns the state of an import, with counts and progress. `Prefer: wait=20` waits until the import ends or is held, for 20 seconds at most.',
  params: ById,
  response: { 200: ImportRecord },
  errors: [importNotFound],
} satisfies Operation

export const getImportRows = {
  operationId: 'getImportRows',
  tags,
  summary: 'Get rows of an import',
  description:
    'Returns what became of each row, or would become of it, in the order of the file: page by page as JSON. With `Accept: application/x-ndjson` or `Accept: text/csv` it streams all rows at once; `maxRecords` and cursors are then ignored. Rows that were not checked yet are left out. Values of people are not part of the results.',
  params: ById,
  querystring: Type.Object({
    ...walkQuery({ maxRecords: 100 }),
    outcome: Type.Optional(
      Type.Unsafe<(typeof OUTCOMES)[number]>({
        type: 'string',
        enum: [...OUTCOMES],
        description: 'Only rows with this outcome.',
      }),
    ),
  }),
  response: { 200: countedPageOf('ImportRowPage', ImportRow) },
  alsoProduces: {
    'application/x-ndjson': Type.String({ description: 'One `ImportRow` a line.' }),
    'text/csv': Type.String({
      description:
        'A header and one row for each `ImportRow`; pointers are separated by spaces. Employee numbers and texts that a spreadsheet would take for a formula, those that begin with `=`, `+`, `-`, `@`, a tab or a carriage return, have an apostrophe in front. Ids are as they are.',
    }),
  },
  errors: [importNotFound, invalidCursor],
} satisfies Operation

export const getImportRowContent = {
  operationId: 'getImportRowContent',
  tags,
  summary: 'Get the content of a row',
  description:
    'Returns what the file says about a family, to compare it with what is stored. Needs the scope `applicants:read` too. `content` is null where the row is not in the file or is no family, and once the file is deleted: when the import ends, or after 7 days if a dry run is not released.',
  params: Type.Object({
    ...ById.properties,
    row: Type.String({ description: 'Number of the row, from 1, as in the results.' }),
  }),
  response: {
    200: Type.Object(
      {
        row: Type.Integer(),
        content: Type.Unsafe<unknown>({
          type: ['object', 'null'],
          additionalProperties: true,
          description: 'With `primaryApplicant` and `dependents`, as they were sent.',
        }),
      },
      { title: 'ImportRowContent', additionalProperties: false },
    ),
  },
  errors: [importNotFound],
} satisfies Operation

export const releaseImport = {
  operationId: 'releaseImport',
  tags,
  idempotent: true,
  waits: true,
  summary: 'Release import',
  description:
    'Applies an import that is held, or a dry run that has completed. Its rows are compared with the records as they are now, also those that were unchanged or rejected. If they would take from more people than the check has found, because records changed since, the import is `held` once more, with the rows applied so far. What it changes is changed in the name of the caller that sent the file, which must still be enabled and have the scope and the companies.',
  params: ById,
  response: { 200: ImportRecord },
  identifiers,
  errors: [importNotFound, importNotReleasable, importNotAllowed],
} satisfies Operation

export const cancelImport = {
  operationId: 'cancelImport',
  tags,
  idempotent: true,
  summary: 'Cancel import',
  description:
    'Ends an import. Rows that were applied stay applied; the others are not. An import that is applying rows stops after the current batch. Cancelling a cancelled import is a no-op.',
  params: ById,
  response: { 200: ImportRecord },
  identifiers,
  errors: [importNotFound, importEnded],
} satisfies Operation

export interface ImportQuery {
  mode?: 'replace' | 'merge'
  dryRun?: boolean
  complete?: boolean
}
