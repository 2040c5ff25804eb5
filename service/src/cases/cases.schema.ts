// The operations of the Case API, and those of the operators behind it.
import { Type } from 'typebox'
import { applicantNotFound, employeeNumberRetired } from '../applicants/applicants.errors.ts'
import { unknownCompany } from '../companies/companies.service.ts'
import type { Operation } from '../http/app-types.ts'
import { VISIBLE_PATTERN } from '../http/fields.ts'
import { invalidCursor, listQuery, pageOf } from '../http/pagination.ts'
import { CASE_STATUSES, type CaseStatus, invalidTransition, STEP_STATUSES, type StepStatus } from './case.ts'
import { caseNotFound } from './cases.service.ts'
import { Case, CaseBody, CreatedCase, Note, Step } from './cases.shapes.ts'
import { noteNotFound } from './notes.service.ts'
import { NOTE_DATES } from './notes.store.ts'
import { stepNotFound } from './steps.service.ts'
import { STEP_DATES } from './steps.store.ts'

const tags = ['Cases'] as [string]
const CaseParams = Type.Object({ caseId: Type.String({ description: 'Encoded id of the case.' }) })
const many = (items: object) => Type.Unsafe<unknown>({ type: 'array', items })

export const createCase = {
  operationId: 'createCase',
  tags,
  summary: 'Create a case',
  description:
    'A new case is open and its first step in progress. The applicant is linked by `employeeNumber` where that person is on record, and the record is left alone; else a record is created from what is sent, with passports and dependents. A case that is refused leaves nothing behind. The case keeps what was sent. `warnings` tells where names (without regard to case, accents, spaces and punctuation) or date of birth differ from the linked record, and of a `processName` that no process has; it is empty where there is nothing to tell. After 10 cases that differ from one record within five minutes, or 100 of any, further ones are created without being compared (`applicant-not-compared`).',
  idempotent: true,
  body: CaseBody,
  response: { 201: CreatedCase },
  errors: [unknownCompany, employeeNumberRetired],
  example: {
    caseType: 'Work Permit',
    hostCompany: 'Acme GmbH',
    sendingCompany: 'Acme Inc.',
    billingCompany: 'Acme Inc.',
    hostCountry: 'DE',
    hostCity: 'Berlin',
    homeCountry: 'US',
    processName: '',
    salary: '',
    applicant: {
      employeeNumber: 'E-10042',
      firstName: 'Anna',
      lastName: 'Schmidt',
      dateOfBirth: '1990-05-31',
      Vip: false,
      emailAddress: 'anna.schmidt@example.com',
      passports: [
        {
          country: 'US',
          passportNumber: 'X1234567',
          expirationDate: '2031-02-28',
          issueDate: '2021-03-01',
          issuingAuthority: 'US',
          Nationality: 'US',
        },
      ],
      dependents: [
        {
          firstName: 'Ben',
          lastName: 'Schmidt',
          relationship: 'Child',
          nationality: 'US',
          dateOfBirth: '2018-09-12',
          gender: 'M',
        },
      ],
    },
    metadata: [{ tagName: 'project', value: 'Orion' }],
  },
} satisfies Operation

export const getCase = {
  operationId: 'getCase',
  tags,
  summary: 'Get case by ID',
  conditional: true,
  params: CaseParams,
  response: { 200: Case },
  errors: [caseNotFound],
} satisfies Operation

export const getCasesOfApplicant = {
  operationId: 'getCasesForApplicant',
  tags,
  summary: 'Get cases for an applicant',
  params: Type.Object({ applicantId: Type.String({ description: 'Encoded id of the applicant.' }) }),
  response: { 200: many(Case) },
  errors: [applicantNotFound],
} satisfies Operation

export const getCasesOfNumber = {
  operationId: 'getCasesForEmployeeNumber',
  tags,
  summary: 'Get cases for an employee number',
  description: 'Cases of all statuses: open, closed, pending.',
  params: Type.Object({ employeeNumber: Type.String() }),
  response: { 200: many(Case) },
  errors: [applicantNotFound],
} satisfies Operation

export const listSteps = {
  operationId: 'listCaseSteps',
  tags,
  summary: 'List case steps',
  description:
    'Also known as List Cases. Steps across all cases whose date lies in the range; `type` says which date, the last update where nothing is said. `offset` skips records, one where nothing is said; sent empty, or with a cursor, paging is by cursor, which is right for large or busy lists. Every page gives both cursors where there is a page to go to.',
  querystring: listQuery({ maxRecords: 100, offset: 1, types: STEP_DATES }),
  response: { 200: pageOf('CaseStepPage', Step) },
  errors: [invalidCursor],
} satisfies Operation

export const listNotes = {
  operationId: 'listCaseNotes',
  tags,
  summary: 'Get case notes',
  description:
    'Notes across all cases whose date lies in the range, in order of time; `type` says which date, that of creation where nothing is said. Paging as in List case steps, except that no record is skipped where `offset` is not sent.',
  querystring: listQuery({ maxRecords: 100, offset: 0, types: NOTE_DATES }),
  response: { 200: pageOf('CaseNotePage', Note) },
  errors: [invalidCursor],
} satisfies Operation

export const getSteps = {
  operationId: 'getCaseSteps',
  tags,
  summary: 'Get case steps',
  params: CaseParams,
  response: { 200: many(Step) },
  errors: [caseNotFound],
} satisfies Operation

export const getNotes = {
  operationId: 'getCaseNotes',
  tags,
  summary: 'Get notes for a case',
  description: 'All notes of the case, in order of time.',
  params: CaseParams,
  response: { 200: many(Note) },
  errors: [caseNotFound],
} satisfies Operation

const operator = ['Operator: cases'] as [string]
const oneOf = <T extends string>(values: T[]) => Type.Unsafe<T>({ type: 'string', enum: values })
const stepName = Type.String({ minLength: 1, maxLength: 300, pattern: VISIBLE_PATTERN })
const day = Type.Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'day',
    expects: 'a real calendar day such as 2026-03-01',
  }),
)
const content = Type.String({ minLength: 1, maxLength: 20_000, pattern: VISIBLE_PATTERN })

export const patchCase = {
  operationId: 'patchCase',
  tags: operator,
  summary: "Change a case's status",
  description: 'Between `open` and `pending` either way, from either to `closed`, from `closed` to `open`.',
  conditional: true,
  params: CaseParams,
  body: Type.Object(
    { status: oneOf<CaseStatus>(CASE_STATUSES) },
    { title: 'CasePatch', additionalProperties: false },
  ),
  response: { 200: Case },
  errors: [caseNotFound, invalidTransition],
  example: { status: 'closed' },
} satisfies Operation

export const addStep = {
  operationId: 'addCaseStep',
  tags: operator,
  summary: 'Add a step to a case',
  description: 'At the end, or at `sequence`, moving those behind it on.',
  idempotent: true,
  params: CaseParams,
  body: Type.Object(
    { name: stepName, sequence: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })) },
    { title: 'NewStep', additionalProperties: false },
  ),
  response: { 201: Type.Unsafe<unknown>(Step) },
  errors: [caseNotFound],
  example: { name: 'Medical examination' },
} satisfies Operation

export const patchStep = {
  operationId: 'patchCaseStep',
  tags: operator,
  summary: 'Change a step',
  description:
    'From `notStarted` to `inProgress`, `completed` or `waived`; from `inProgress` to `completed` or `waived`; from `completed` back to `inProgress`; from `waived` back to `notStarted`, which clears both dates. Anything else is 409. A step that starts or ends without a date gets that of today; one that goes from `notStarted` to `completed` on an earlier `completionDate` has started on that day, unless `startDate` says otherwise. A `completionDate` does not go with the status `notStarted` or `inProgress`.',
  params: Type.Object({ caseId: Type.String(), stepId: Type.String() }),
  body: Type.Object(
    {
      name: Type.Optional(stepName),
      status: Type.Optional(oneOf<StepStatus>(STEP_STATUSES)),
      startDate: day,
      completionDate: day,
    },
    { title: 'StepPatch', additionalProperties: false, minProperties: 1 },
  ),
  response: { 200: Type.Unsafe<unknown>(Step) },
  errors: [caseNotFound, stepNotFound, invalidTransition],
  example: { status: 'completed' },
} satisfies Operation

export const addNote = {
  operationId: 'addCaseNote',
  tags: operator,
  summary: 'Write a note on a case',
  description: 'Where no author is given, it is the client that calls.',
  idempotent: true,
  params: CaseParams,
  body: Type.Object(
    {
      content,
      author: Type.Optional(Type.String({ minLength: 1, maxLength: 300, pattern: VISIBLE_PATTERN })),
    },
    { title: 'NewNote', additionalProperties: false },
  ),
  response: { 201: Type.Unsafe<unknown>(Note) },
  errors: [caseNotFound],
  example: { content: 'Passport copy received.', author: 'R. Okafor' },
} satisfies Operation

export const patchNote = {
  operationId: 'patchCaseNote',
  tags: operator,
  summary: 'Correct a note',
  params: Type.Object({ caseId: Type.String(), noteId: Type.String() }),
  body: Type.Object({ content }, { title: 'NotePatch', additionalProperties: false }),
  response: { 200: Type.Unsafe<unknown>(Note) },
  errors: [caseNotFound, noteNotFound],
  example: { content: 'Passport copy received; page 2 is missing.' },
} satisfies Operation
