// JSON schemas of cases, steps and notes as clients see them, odd spellings included.

import {
  country,
  date,
  email,
  employeeNumber,
  letter,
  list,
  requiredText as required,
  text,
} from '../http/fields.ts'
import { arrayOf, identifiersSchema } from '../http/identifiers.ts'
import { type TSchema, Type } from '../lib/json-schema.ts'
import {
  type APPLICANT_FIELDS,
  CASE_STATUSES,
  type DEPENDENT_FIELDS,
  type DETAIL_FIELDS,
  type PASSPORT_FIELDS,
  STEP_STATUSES,
  VISIBILITIES,
  WARNING_CODES,
} from './case.ts'

const day = { example: '1990-05-31' }
const company = (description: string) =>
  required({ description: `${description} Name, code or id of an active company.`, example: 'Acme GmbH' })

const MetadataItem = Type.Object(
  { tagName: text(200), value: text(4_000) },
  { title: 'CaseMetadataItem', additionalProperties: false },
)

const passportFields: Record<(typeof PASSPORT_FIELDS)[number], TSchema> = {
  country: country(),
  passportNumber: text(64),
  expirationDate: date(day),
  issueDate: date(day),
  issuingAuthority: text(200),
  Nationality: country({ description: 'Spelled with a capital N.' }),
}

const dependentFields: Record<(typeof DEPENDENT_FIELDS)[number], TSchema> = {
  firstName: required(),
  lastName: required(),
  relationship: required({ maxLength: 100, example: 'Spouse' }),
  nationality: text(100),
  dateOfBirth: date(day),
  gender: letter(),
}

const applicantFields: Record<(typeof APPLICANT_FIELDS)[number], TSchema> = {
  firstName: required({ example: 'Anna' }),
  lastName: required({ example: 'Schmidt' }),
  middleName: text(),
  countryOfResidence: country(),
  countryOfBirth: country(),
  placeOfBirth: text(),
  dateOfBirth: date(day),
  gender: letter(),
  maritalStatus: letter(),
  Vip: Type.Optional(
    Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'Spelled with a capital V.' }),
  ),
  emailAddress: email(),
  telephoneNumber: text(100),
  hireDate: date(day),
  currentJobTitle: text(),
  addressStreet1: text(),
  addressStreet2: text(),
  addressCity: text(),
  addressState: text(),
  addressPostalCode: text(50),
  addressCountry: country(),
}

const detailFields: Record<(typeof DETAIL_FIELDS)[number], TSchema> = {
  caseType: required({
    maxLength: 200,
    description: 'Type of the immigration case.',
    example: 'Work Permit',
  }),
  hostCompany: company('Company in the destination country.'),
  sendingCompany: company('Company that the person comes from.'),
  billingCompany: company('Company that pays.'),
  hostCountry: country({ description: 'Destination country.' }),
  hostCity: text(),
  homeCountry: country(),
  assignmentId: text(200),
  processName: text(200, { description: 'Name of the process that has the steps.' }),
  payrollLocation: text(),
  salary: text(200),
  newJobTitle: text(),
  placeOfWork: text(),
  authorizingPerson: text(),
  costCenter: text(200),
  department: text(),
  billingReference: text(),
}

const closed = (title: string, properties: Record<string, TSchema>) =>
  Type.Object(properties, { title, additionalProperties: false })

const CasePassportInput = closed('CasePassportInput', passportFields)
const CaseDependentInput = closed('CaseDependentInput', dependentFields)

type Wire = Record<string, unknown>

export const CaseBody = Type.Unsafe<Wire>(
  closed('NewCase', {
    ...detailFields,
    applicant: closed('CaseApplicantInput', {
      employeeNumber: employeeNumber({
        description: 'The case is linked to the record with this number. Without one, a record is created.',
      }),
      ...applicantFields,
      passports: list(CasePassportInput, 200),
      dependents: list(CaseDependentInput, 100),
    }),
    metadata: list(MetadataItem, 500, { description: 'Custom tags. Spelled in lower case here.' }),
  }),
)

/** A patch requires nothing; what a case requires cannot be cleared. */
const optional = (fields: Record<string, TSchema>) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]))

/** The fields of a case that an operator changes: all but the applicant. */
export const caseDetailPatch = {
  ...optional(detailFields),
  metadata: list(MetadataItem, 500, { description: 'Custom tags: the whole list.' }),
}

const nullable = { type: ['string', 'null'] }

const shown = (fields: Record<string, TSchema>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const { type, description } = schema as { type?: unknown; description?: string }
      return [
        name,
        {
          type: name === 'Vip' ? ['boolean', 'null'] : type === 'string' ? 'string' : ['string', 'null'],
          ...(description && { description }),
        },
      ]
    }),
  )

const whole = (title: string, properties: Record<string, unknown>) => ({
  type: 'object',
  title,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** Not `anyOf` with null: the schema keeps its properties, so that identifiers can be picked by them. */
const orNull = (schema: object) => ({ ...schema, type: ['object', 'null'] })

const assignee = {
  ...orNull(whole('Assignee', { userId: { type: 'string' }, name: { type: 'string' } })),
  description: 'The user who works on it; null if there is none.',
}

export const Step = whole('CaseStep', {
  stepId: { type: 'string' },
  caseId: { type: 'string' },
  applicantId: { type: 'string' },
  employeeNumber: { ...nullable, description: 'Current employee number of the applicant.' },
  sequence: { type: 'integer' },
  name: { type: 'string' },
  status: { type: 'string', enum: STEP_STATUSES },
  startDate: { ...nullable, description: 'YYYY-MM-DD.' },
  completionDate: { ...nullable, description: 'YYYY-MM-DD.' },
  dueDate: {
    ...nullable,
    description:
      'YYYY-MM-DD: as an operator has set it, else `dueDays` of the process after the start. A step is overdue from the day after, while it is not completed or waived.',
  },
  assignee,
  createdAt: { type: 'string' },
  updatedAt: { type: 'string' },
})

const visibility = {
  type: 'string',
  enum: VISIBILITIES,
  description: '`team`: only callers with `desk:read` see it. `everyone`: all who may read the case.',
}

export const NoteVersion = whole('CaseNoteVersion', {
  version: { type: 'integer' },
  content: { ...nullable, description: 'Null for a caller without `cases:read`.' },
  visibility,
  author: { type: 'string', description: 'Who wrote this version.' },
  authorId: { ...nullable, description: 'Id of that user; null for a client.' },
  writtenAt: { type: 'string', description: 'UTC, with `Z`.' },
})

export const Note = whole('CaseNote', {
  noteId: { type: 'string' },
  caseId: { type: 'string' },
  applicantId: { type: 'string' },
  employeeNumber: { ...nullable, description: 'Current employee number of the applicant.' },
  content: { type: 'string' },
  author: { type: 'string' },
  authorId: { ...nullable, description: 'Id of the user who wrote it; null for a client.' },
  visibility,
  version: { type: 'integer', description: 'Grows with each correction.' },
  createdAt: { type: 'string' },
  updatedAt: { type: 'string' },
})

export const StepCompletion = Type.Unsafe<unknown>(
  whole('StepCompletion', {
    step: Step,
    nextStep: {
      ...orNull(Step),
      title: 'NextCaseStep',
      description:
        'The first step after it that is neither completed nor waived, which is in progress now; null if there is none.',
    },
  }),
)

const caseFields = {
  caseId: { type: 'string' },
  status: { type: 'string', enum: CASE_STATUSES },
  ...shown(detailFields),
  metadata: { type: 'array', items: whole('CaseMetadataRecord', { tagName: nullable, value: nullable }) },
  applicantId: { type: 'string' },
  employeeNumber: { ...nullable, description: 'Current employee number of the applicant.' },
  hostCompanyId: { type: 'string' },
  sendingCompanyId: { type: 'string' },
  billingCompanyId: { type: 'string' },
  assignee,
  dueDate: {
    ...nullable,
    description: 'YYYY-MM-DD. A case is overdue from the day after, while it is not closed.',
  },
  applicant: whole('CaseApplicant', {
    applicantId: { type: 'string' },
    employeeNumber: nullable,
    ...shown(applicantFields),
    passports: { type: 'array', items: whole('CasePassport', shown(passportFields)) },
    dependents: { type: 'array', items: whole('CaseDependent', shown(dependentFields)) },
  }),
  steps: { type: 'array', items: Step },
  createdAt: { type: 'string' },
  updatedAt: { type: 'string' },
  closedAt: nullable,
}

export const Case = Type.Unsafe<unknown>(whole('Case', caseFields))

const warnings = {
  type: 'array',
  description:
    'What to check, although the case was created: names or a date of birth that differ from the linked record, or a process that does not exist. Only in this response.',
  items: whole('CaseWarning', {
    pointer: { type: 'string', description: 'JSON pointer of the field in the request body.' },
    code: { type: 'string', enum: WARNING_CODES },
    detail: { type: 'string', description: 'For people. It never has data of the linked record.' },
  }),
}

export const CreatedCase = Type.Unsafe<unknown>(whole('CreatedCase', { ...caseFields, warnings }))

const StepIdentifiers = identifiersSchema('CaseStepIdentifiers', ['stepId', 'caseId'])
const CompletionIdentifiers = identifiersSchema('StepCompletionIdentifiers', [], {
  step: StepIdentifiers,
  nextStep: orNull(identifiersSchema('NextStepIdentifiers', ['stepId', 'caseId'])),
})
const NoteIdentifiers = identifiersSchema('CaseNoteIdentifiers', ['noteId', 'caseId'])
const caseIds = ['caseId', 'applicantId']
const CaseIdentifiers = identifiersSchema('CaseIdentifiers', caseIds, { steps: arrayOf(StepIdentifiers) })
const CreatedCaseIdentifiers = identifiersSchema('CreatedCaseIdentifiers', caseIds, {
  steps: arrayOf(StepIdentifiers),
  warnings,
})

const readScope = 'cases:read' as const
export const stepIdentifiers = { readScope, schema: StepIdentifiers }
export const completionIdentifiers = { readScope, schema: CompletionIdentifiers }
export const noteIdentifiers = { readScope, schema: NoteIdentifiers }
export const caseIdentifiers = { readScope, schema: CaseIdentifiers }
export const createdCaseIdentifiers = { readScope, schema: CreatedCaseIdentifiers }
