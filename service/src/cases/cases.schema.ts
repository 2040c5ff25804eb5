// The operations of the Case API, and those of the operators behind it.

import {
  applicantNotFound,
  employeeNumberInUse,
  employeeNumberRetired,
  unknownReference,
} from '../applicants/applicants.errors.ts'
import { unknownCompany } from '../companies/companies.service.ts'
import type { Operation } from '../http/app-types.ts'
import { VISIBLE_PATTERN } from '../http/fields.ts'
import { invalidCursor, listQuery, pageOf } from '../http/pagination.ts'
import { Type } from '../lib/json-schema.ts'
import {
  CASE_STATUSES,
  type CaseStatus,
  invalidTransition,
  STEP_STATUSES,
  type StepStatus,
  VISIBILITIES,
  type Visibility,
} from './case.ts'
import { caseNotFound } from './cases.service.ts'
import {
  Case,
  CaseBody,
  CreatedCase,
  caseDetailPatch,
  caseIdentifiers,
  completionIdentifiers,
  createdCaseIdentifiers,
  Note,
  NoteVersion,
  noteIdentifiers,
  Step,
  StepCompletion,
  stepIdentifiers,
} from './cases.shapes.ts'
import { noteNotFound } from './notes.service.ts'
import { NOTE_DATES } from './notes.store.ts'
import { stepNotFound } from './steps.service.ts'
import { STEP_DATES } from './steps.store.ts'

const tags = ['Cases'] as [string]
const CaseParams = Type.Object({ caseId: Type.String({ description: 'Encoded id of the case.' }) })
const StepParams = Type.Object({
  ...CaseParams.properties,
  stepId: Type.String({ description: 'Id of the step.' }),
})
const NoteParams = Type.Object({
  ...CaseParams.properties,
  noteId: Type.String({ description: 'Id of the note.' }),
})
const many = (items: object) => Type.Unsafe<unknown>({ type: 'array', items })

export const createCase = {
  operationId: 'createCase',
  tags,
  summary: 'Create a case',
  description: [
    'Creates an open case whose first step is in progress. Its steps come from the process that matches `processName`, or else the case type and host country. A rejected request stores nothing. Send an `Idempotency-Key` to make a retry safe.',
    'If a person with this `employeeNumber` exists, the case is linked to that record, and the record is not changed. Otherwise a record is created from the body, with passports and dependents. The case stores the applicant data as it was sent.',
    'The case belongs to each of its three companies. A caller who is limited to some companies must have the sending company; the number of a person of another company is 409.',
    '`warnings` lists names (compared without regard to case, accents, spaces and punctuation) and a date of birth that differ from the linked record, and a `processName` without a process. It is empty if there are none. After 10 cases that differ from one record within five minutes, or 100 in total, further cases are created without the comparison (`applicant-not-compared`).',
  ].join('\n\n'),
  idempotent: true,
  body: CaseBody,
  response: { 201: CreatedCase },
  identifiers: createdCaseIdentifiers,
  errors: [unknownCompany, employeeNumberInUse, employeeNumberRetired],
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
  description:
    'Returns the case with its steps and the applicant data as sent at creation. `employeeNumber` is the current number of the applicant. Supports `If-None-Match`.',
  conditional: true,
  params: CaseParams,
  response: { 200: Case },
  errors: [caseNotFound],
} satisfies Operation

export const getCasesOfApplicant = {
  operationId: 'getCasesForApplicant',
  tags,
  summary: 'Get cases for an applicant',
  description:
    'Returns all cases of this primary applicant or dependent, open, pending and closed, in one array without pages. The array is empty if there are none. An id without a record is an error (404).',
  params: Type.Object({
    applicantId: Type.String({ description: 'Encoded id of the primary applicant or dependent.' }),
  }),
  response: { 200: many(Case) },
  errors: [applicantNotFound],
} satisfies Operation

export const getCasesOfNumber = {
  operationId: 'getCasesForEmployeeNumber',
  tags,
  summary: 'Get cases for an employee number',
  description:
    'Returns all cases of the person who has this employee number now: open, pending and closed ones, in one array without pages. The person may be a primary applicant or a dependent. A number that was changed is not found.',
  params: Type.Object({
    employeeNumber: Type.String({ description: 'Employee number of the applicant.' }),
  }),
  response: { 200: many(Case) },
  errors: [applicantNotFound],
} satisfies Operation

export const listSteps = {
  operationId: 'listCaseSteps',
  tags,
  summary: 'List case steps',
  description: [
    'Returns the steps of all cases whose date lies in the range, page by page. Also known as List Cases. `type` chooses the date; the default is the last update.',
    '`offset` skips records. Without it one record is skipped, so send `offset=` (empty) to begin at the first record and to page by cursor. Cursors are the right choice for large or changing lists: pass `nextCursor` or `prevCursor` of a response with the same filters.',
  ].join('\n\n'),
  querystring: listQuery({ maxRecords: 100, offset: 1, types: STEP_DATES }),
  response: { 200: pageOf('CaseStepPage', Step) },
  errors: [invalidCursor],
} satisfies Operation

export const listNotes = {
  operationId: 'listCaseNotes',
  tags,
  summary: 'Get case notes',
  description:
    'Returns the notes of all cases whose date lies in the range, page by page and in order of time. `type` chooses the date; the default is the creation. Pages work as in List case steps, except that no record is skipped if `offset` is not sent. Notes for the team are returned only to callers with `desk:read`.',
  querystring: listQuery({ maxRecords: 100, offset: 0, types: NOTE_DATES }),
  response: { 200: pageOf('CaseNotePage', Note) },
  errors: [invalidCursor],
} satisfies Operation

export const getSteps = {
  operationId: 'getCaseSteps',
  tags,
  summary: 'Get case steps',
  description:
    'Returns all steps of the case in order of `sequence`, in one array without pages. Use List case steps to poll the changes of all cases.',
  params: CaseParams,
  response: { 200: many(Step) },
  errors: [caseNotFound],
} satisfies Operation

export const getNotes = {
  operationId: 'getCaseNotes',
  tags,
  summary: 'Get notes for a case',
  description:
    'Returns all notes of the case in order of time, in one array without pages. Notes for the team are returned only to callers with `desk:read`. Use Get case notes to poll the notes of all cases.',
  params: CaseParams,
  response: { 200: many(Note) },
  errors: [caseNotFound],
} satisfies Operation

const operator = ['Operator: cases'] as [string]
const oneOf = <T extends string>(values: T[]) => Type.Unsafe<T>({ type: 'string', enum: values })
const stepName = Type.String({ minLength: 1, maxLength: 300, pattern: VISIBLE_PATTERN })
const day = (description?: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'day',
      expects: 'a real calendar day such as 2026-03-01',
      ...(description && { description }),
    }),
  )
const stepDueDate = day(
  'Day by which the step should be completed. Null restores the due date of the process, if it has one.',
)
const visibility = Type.Unsafe<Visibility>({
  ...oneOf<Visibility>(VISIBILITIES),
  description: '`team`: only callers with `desk:read` see the note. `everyone`: all who may read the case.',
})
const content = Type.String({ minLength: 1, maxLength: 20_000, pattern: VISIBLE_PATTERN })

const assigneeId = Type.Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 130,
    description:
      'Id of an active user who sees a company of the case. Null removes the assignee. GET /admin/v1/colleagues lists the users.',
  }),
)

export const patchCase = {
  operationId: 'patchCase',
  tags: operator,
  summary: 'Change a case',
  description: [
    'Changes only the fields in the body. Null, or empty text, clears a field; `caseType` and the three companies cannot be cleared. `metadata` is the whole list. The applicant is changed through the Applicant API, and existing steps stay, whatever `processName` and `caseType` become. A repetition is a no-op.',
    'Allowed changes of `status` are `open` to `pending` and back, both of them to `closed`, and `closed` to `open`; any other is rejected (409).',
    'A case belongs to each of its three companies. A caller who is limited to some companies can change these only where the sending company is one of its own, and stays so.',
    'Emits `case.status_changed` if the status changes, and `case.updated` if any other field does.',
  ].join('\n\n'),
  conditional: true,
  params: CaseParams,
  body: Type.Unsafe<Record<string, unknown>>(
    Type.Object(
      {
        status: Type.Optional(oneOf<CaseStatus>(CASE_STATUSES)),
        assigneeId,
        dueDate: day('Day by which the case should be closed. Null removes it.'),
        ...caseDetailPatch,
      },
      { title: 'CasePatch', additionalProperties: false, minProperties: 1 },
    ),
  ),
  response: { 200: Case },
  identifiers: caseIdentifiers,
  errors: [caseNotFound, invalidTransition, unknownCompany, unknownReference],
  example: { status: 'pending', dueDate: '2026-09-30', hostCity: 'Hamburg' },
} satisfies Operation

export const addStep = {
  operationId: 'addCaseStep',
  tags: operator,
  summary: 'Add a step to a case',
  description:
    'Adds a step that is not started. It becomes the last one, or takes the position `sequence` and moves the steps from there on by one. Send an `Idempotency-Key` to make a retry safe.',
  idempotent: true,
  params: CaseParams,
  body: Type.Object(
    {
      name: stepName,
      sequence: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      dueDate: day('Day by which the step should be completed.'),
      assigneeId,
    },
    { title: 'NewStep', additionalProperties: false },
  ),
  response: { 201: Type.Unsafe<unknown>(Step) },
  identifiers: stepIdentifiers,
  errors: [caseNotFound, unknownReference],
  example: { name: 'Medical examination', dueDate: '2026-09-30' },
} satisfies Operation

export const patchStep = {
  operationId: 'patchCaseStep',
  tags: operator,
  summary: 'Change a step',
  description: [
    'Changes only the fields in the body and emits `case.step_changed`. Allowed status changes: `notStarted` to `inProgress`, `completed` or `waived`; `inProgress` to `completed` or `waived`; `completed` to `inProgress`; `waived` to `notStarted`, which clears both dates. Any other is rejected (409).',
    'A step that starts or ends without a date gets the current day; one that goes from `notStarted` to `completed` with an earlier `completionDate` starts on that day. If its start was planned for a later day, it starts on the day on which it is begun or completed. A `startDate` that is sent stays. A `completionDate` is rejected with the status `notStarted` or `inProgress`.',
    'A step of a process with `dueDays` is due that many days after its `startDate`, also if that is changed. A `dueDate` that is sent stays, whatever the start becomes.',
  ].join('\n\n'),
  params: StepParams,
  body: Type.Object(
    {
      name: Type.Optional(stepName),
      status: Type.Optional(oneOf<StepStatus>(STEP_STATUSES)),
      startDate: day(),
      completionDate: day(),
      dueDate: stepDueDate,
      assigneeId,
    },
    { title: 'StepPatch', additionalProperties: false, minProperties: 1 },
  ),
  response: { 200: Type.Unsafe<unknown>(Step) },
  identifiers: stepIdentifiers,
  errors: [caseNotFound, stepNotFound, invalidTransition, unknownReference],
  example: { status: 'completed' },
} satisfies Operation

export const completeStep = {
  operationId: 'completeCaseStep',
  optionalBody: true,
  tags: operator,
  summary: 'Complete a step and start the next',
  description:
    'Completes the step, and starts the first step after it that is neither completed nor waived, both or none. The next step starts on the current day; one that is in progress already stays as it is. If the start of one of the two was planned for a later day, that becomes its day of completion or the current day. A repetition for a completed step changes nothing and starts nothing. A waived step is rejected (409). Emits `case.step_changed` for each step that changes.',
  idempotent: true,
  params: StepParams,
  body: Type.Object(
    { completionDate: day('Day on which the step was completed; the current day if it is left out.') },
    { title: 'StepCompletionInput', additionalProperties: false },
  ),
  response: { 200: StepCompletion },
  identifiers: completionIdentifiers,
  errors: [caseNotFound, stepNotFound, invalidTransition],
  example: {},
} satisfies Operation

export const addNote = {
  operationId: 'addCaseNote',
  tags: operator,
  summary: 'Write a note on a case',
  description:
    'Adds a note. The author is the person who is signed in; a client can name an `author`, else it is the id of the client. Emits `case.note_added` if everyone sees the note; a note for the team is announced to nobody. Send an `Idempotency-Key` to make a retry safe.',
  idempotent: true,
  params: CaseParams,
  body: Type.Object(
    {
      content,
      author: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 300,
          pattern: VISIBLE_PATTERN,
          description: 'A client can name an author; a person who is signed in cannot.',
        }),
      ),
      visibility: Type.Optional(visibility),
    },
    { title: 'NewNote', additionalProperties: false },
  ),
  response: { 201: Type.Unsafe<unknown>(Note) },
  identifiers: noteIdentifiers,
  errors: [caseNotFound],
  example: { content: 'Passport copy received.', author: 'R. Okafor' },
} satisfies Operation

export const patchNote = {
  operationId: 'patchCaseNote',
  tags: operator,
  summary: 'Correct a note',
  description:
    'Changes the content or the visibility of a note. The author and the time of creation stay, and the version before is kept. The note appears as updated in Get case notes with `type=updated`. Its ETag is its `version` in quotes. Emits `case.note_changed` if everyone saw the note, `case.note_added` if everyone sees it from then on. A repetition is a no-op.',
  conditional: true,
  params: NoteParams,
  body: Type.Object(
    { content: Type.Optional(content), visibility: Type.Optional(visibility) },
    { title: 'NotePatch', additionalProperties: false, minProperties: 1 },
  ),
  response: { 200: Type.Unsafe<unknown>(Note) },
  identifiers: noteIdentifiers,
  errors: [caseNotFound, noteNotFound],
  example: { content: 'Passport copy received; page 2 is missing.' },
} satisfies Operation

export const getNoteVersions = {
  operationId: 'getCaseNoteVersions',
  tags: operator,
  summary: 'Get all versions of a note',
  description:
    'Returns all versions of a note, the current one first, in one array without pages: what it said, who saw it, who wrote it and when. A caller without `cases:read` gets no content.',
  params: NoteParams,
  response: { 200: many(NoteVersion) },
  errors: [caseNotFound, noteNotFound],
} satisfies Operation
