// The schemas of applicants on the wire. applicants.mapper.ts maps them to the record of applicant.ts.

import {
  country,
  date,
  EMPLOYEE_NUMBER_EXPECTED,
  EMPLOYEE_NUMBER_PATTERN,
  email,
  employeeNumber,
  givenId,
  ID_EXPECTED,
  letter,
  list,
  readOnly,
  text,
  VISIBLE_EXPECTED,
  VISIBLE_PATTERN,
  visibleText,
} from '../http/fields.ts'
import { arrayOf, identifiersSchema } from '../http/identifiers.ts'
import { ID_PATTERN } from '../lib/ids.ts'
import { type TSchema, Type } from '../lib/json-schema.ts'
import {
  type ApplicantInput,
  LIST_NAMES,
  LISTS,
  MAX_DEPENDENTS,
  MAX_ITEMS,
  TEXT_FIELDS,
  type TextField,
} from './applicant.ts'

const MetaDataItem = item('MetaDataItem', {
  noteId: givenId(),
  tagName: text(200, { description: 'Name of the tag.', example: 'costCenter' }),
  value: text(4_000, { description: 'Value of the tag.', example: '4711' }),
})

const Passport = item('Passport', {
  passportId: givenId(),
  passportNumber: text(64, { description: 'May be empty.', example: 'C01X00T47' }),
  issueDate: date(),
  expiryDate: date(),
  nationality: country(),
  country: country(),
  issuedBy: text(200, { description: 'Issuing authority.', example: 'DE' }),
})

const ApplicantDocument = item('ApplicantDocument', {
  documentId: givenId(),
  name: text(300, { example: 'Residence permit' }),
  description: text(4_000),
  issueDate: date(),
  expiryDate: date(),
  referenceNumber: text(200),
  country: country(),
  remindAboutRenewal: Type.Optional(
    Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether renewal notifications are sent.',
    }),
  ),
  expiryReminder: Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ['integer', 'string', 'null'],
      minimum: 0,
      maximum: 3650,
      maxLength: 100,
      format: 'reminder',
      expects: 'days before expiry (30, "30" or "90,30,7"), a date, or an ISO 8601 duration such as P3M',
      description: 'When to remind. 0 or null: the default schedule.',
    }),
  ),
})

const PreviousName = item('PreviousName', {
  previousNameId: givenId(),
  lastName: text(),
  firstName: text(),
  middleName: text(),
})

const ITEMS = {
  metaData: MetaDataItem,
  passports: Passport,
  documents: ApplicantDocument,
  previousNames: PreviousName,
}

function item(title: string, properties: Record<string, TSchema>) {
  return Type.Object(properties, { title, additionalProperties: false })
}

const fields: Record<TextField, TSchema> = {
  employeeNumber: employeeNumber({ description: 'Unique across primaries and dependents.' }),
  status: letter({ description: 'The default is `A`.', example: 'A' }),
  email: email({ example: 'anna.schmidt@example.com' }),
  alternateEmail: email(),
  firstName: visibleText(500, { example: 'Anna' }),
  lastName: visibleText(500, { example: 'Schmidt' }),
  middleName: text(),
  gender: letter({ example: 'F' }),
  maritalStatus: letter({ example: 'M' }),
  sendingCompany: text(),
  dateOfBirth: date(),
  countryOfBirth: country(),
  cityOfBirth: text(),
  nationality: text(100, { example: 'DE' }),
  addressLine1: text(),
  addressLine2: text(),
  addressCity: text(),
  addressState: text(),
  addressPostalCode: text(50),
  addressCountry: country(),
  telephone: text(100),
  alternateTelephone: text(100),
  jobTitle: text(),
  relationship: visibleText(100, {
    description: 'To the primary applicant; empty on a primary applicant.',
    example: 'Child',
  }),
  hireDate: date({ example: '2024-02-01T00:00:00' }),
}

const lists = {
  metaData: list(MetaDataItem, MAX_ITEMS.metaData),
  passports: list(Passport, MAX_ITEMS.passports, { description: 'Current and historical passports.' }),
  documents: list(ApplicantDocument, MAX_ITEMS.documents),
  previousNames: list(PreviousName, MAX_ITEMS.previousNames),
}

const shape = { applicantId: givenId(), ...fields, ...lists, createdAt: readOnly(), updatedAt: readOnly() }

/** Required fields are neither null nor empty: a name that is required has a visible character. */
const needed = (properties: Record<string, TSchema>, names: string[]) => {
  const strict = names.map(name => [
    name,
    {
      ...properties[name],
      type: 'string',
      minLength: 1,
      pattern: VISIBLE_PATTERN,
      expects: VISIBLE_EXPECTED,
    },
  ])
  return { ...properties, ...Object.fromEntries(strict) }
}

const record = (title: string, properties: Record<string, TSchema>, required: string[]) =>
  Type.Unsafe<ApplicantInput>({
    type: 'object',
    title,
    properties: needed(properties, required),
    required,
    additionalProperties: false,
  })

const nothing = (why: string) => ({ maxLength: 0, expects: `nothing: ${why}` })
const primaryShape = {
  ...shape,
  relationship: {
    ...fields.relationship,
    example: '',
    ...nothing('a primary applicant has no relationship'),
  },
}

const PrimaryInput = record('PrimaryApplicantInput', primaryShape, ['firstName', 'lastName'])
export const DependentInput = record('DependentInput', shape, ['firstName', 'lastName', 'relationship'])
const PrimaryPatch = record('PrimaryApplicantPatch', primaryShape, [])
export const ApplicantPatch = record('ApplicantPatch', shape, [])

/**
 * A create accepts no ids. The schema checks it, so that the response lists them with all other errors. The document says
 * it in the operation's description: most generators cannot merge `allOf` into a closed object.
 */
const noId = nothing('a create assigns ids itself')
const noIds = {
  properties: {
    applicantId: noId,
    ...Object.fromEntries(
      LIST_NAMES.map(name => [name, { items: { properties: { [LISTS[name].id]: noId } } }]),
    ),
  },
}

interface Family {
  primaryApplicant: ApplicantInput
  dependents?: ApplicantInput[]
}

const dependentsOf = (items: TSchema) => ({
  type: 'array',
  items,
  maxItems: MAX_DEPENDENTS,
  expects: `an array of at most ${MAX_DEPENDENTS} dependents; leave it out to keep them as they are`,
})

const family = (title: string, primary: TSchema, dependent: TSchema) =>
  Type.Unsafe<Family>({
    type: 'object',
    title,
    properties: {
      primaryApplicant: primary,
      dependents: dependentsOf(dependent),
    },
    required: ['primaryApplicant'],
    additionalProperties: false,
  })

export const SaveApplicantBody = family('SaveApplicant', PrimaryInput, DependentInput)
export const NewApplicantBody = Type.Unsafe<Family>({
  ...SaveApplicantBody,
  title: 'NewApplicant',
  documentedAs: SaveApplicantBody,
  allOf: [{ properties: { primaryApplicant: noIds, dependents: { items: noIds } } }],
})
export const NewDependentBody = Type.Unsafe<ApplicantInput>({
  ...DependentInput,
  title: 'NewDependent',
  documentedAs: DependentInput,
  allOf: [noIds],
})
export const MergeApplicantBody = Type.Unsafe<Partial<Family>>({
  type: 'object',
  title: 'MergeApplicant',
  properties: {
    primaryApplicant: PrimaryPatch,
    dependents: dependentsOf(ApplicantPatch),
  },
  additionalProperties: false,
})

const REMINDER_DAYS = {
  type: 'integer',
  description:
    'Days between the first reminder and the expiry; 0 for the default schedule. Sending it back unchanged keeps the schedule.',
}

const RECORD_TITLES = {
  metaData: 'MetaDataRecord',
  passports: 'PassportRecord',
  documents: 'ApplicantDocumentRecord',
  previousNames: 'PreviousNameRecord',
}

/** The record in responses: every field is present, null or [] where it is empty. */
export const Applicant = Type.Unsafe<string>({
  type: 'object',
  title: 'Applicant',
  description:
    'A primary applicant or a dependent. Every field is present: null if it is empty, [] for an empty list.',
  properties: {
    applicantId: { type: 'string', description: 'Encoded id.' },
    ...Object.fromEntries(TEXT_FIELDS.map(name => [name, output(fields[name])])),
    ...Object.fromEntries(
      LIST_NAMES.map(name => [
        name,
        {
          type: 'array',
          items: { type: 'object', title: RECORD_TITLES[name], properties: itemOutput(name) },
        },
      ]),
    ),
    createdAt: { type: 'string', description: 'UTC, with `Z`.' },
    updatedAt: { type: 'string', description: 'UTC, with `Z`.' },
  },
  required: ['applicantId', ...TEXT_FIELDS, ...LIST_NAMES, 'createdAt', 'updatedAt'],
  additionalProperties: false,
})

function output(schema: TSchema): object {
  const { type, description, example } = schema as { type?: unknown; description?: string; example?: unknown }
  return { type, ...(description && { description }), ...(example !== undefined && { example }) }
}

function itemOutput(name: (typeof LIST_NAMES)[number]): object {
  const properties = (ITEMS[name] as unknown as { properties: Record<string, TSchema> }).properties
  const shown = Object.entries(properties).map(([key, schema]) => [key, output(schema)])
  return { ...Object.fromEntries(shown), ...(name === 'documents' && { expiryReminder: REMINDER_DAYS }) }
}

export const FamilyResponse = Type.Unsafe<string>({
  type: 'object',
  title: 'SavedApplicant',
  properties: { primaryApplicant: Applicant, dependents: { type: 'array', items: Applicant } },
  required: ['primaryApplicant', 'dependents'],
  additionalProperties: false,
})

/** Of one person, with the ids of its items. */
const ApplicantIdentifiers = identifiersSchema('ApplicantIdentifiers', ['applicantId'], {
  employeeNumber: { type: ['string', 'null'] },
  ...Object.fromEntries(
    LIST_NAMES.map(name => [
      name,
      arrayOf(identifiersSchema(RECORD_TITLES[name].replace('Record', 'Identifiers'), [LISTS[name].id])),
    ]),
  ),
})

const FamilyIdentifiers = identifiersSchema('SavedApplicantIdentifiers', [], {
  primaryApplicant: ApplicantIdentifiers,
  dependents: arrayOf(ApplicantIdentifiers),
})

const readScope = 'applicants:read' as const
export const applicantIdentifiers = { readScope, schema: ApplicantIdentifiers }
export const familyIdentifiers = { readScope, schema: FamilyIdentifiers }

export const NumberChange = Type.Object(
  {
    applicantId: Type.String(),
    previousEmployeeNumber: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    employeeNumber: Type.String(),
    casesUpdated: Type.Integer(),
    documentsUpdated: Type.Integer(),
  },
  { title: 'EmployeeNumberChange', additionalProperties: false },
)

export const personName = Type.String({ minLength: 1, maxLength: 500 })
export const dateOfBirth = Type.Unsafe<string>({
  type: 'string',
  format: 'wall-clock',
  minLength: 1,
  expects: 'a real calendar date such as 1990-05-31',
})
/** An id under which a record may be created. */
export const newIdSchema = Type.Unsafe<string>({ type: 'string', pattern: ID_PATTERN, expects: ID_EXPECTED })
export const newNumber = Type.Unsafe<string>({
  type: 'string',
  pattern: EMPLOYEE_NUMBER_PATTERN,
  expects: EMPLOYEE_NUMBER_EXPECTED,
})

export type FamilyBody = Partial<Family>
