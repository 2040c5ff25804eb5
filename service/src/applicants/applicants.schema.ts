// The sixteen operations of the Applicant API.
import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import * as errors from './applicants.errors.ts'
import {
  Applicant,
  ApplicantPatch,
  DependentInput,
  dateOfBirth,
  FamilyResponse,
  MergeApplicantBody,
  NewApplicantBody,
  NewDependentBody,
  NumberChange,
  newId,
  newNumber,
  personName,
  SaveApplicantBody,
} from './applicants.shapes.ts'

const ById = Type.Object({
  applicantId: Type.String({ description: 'Encoded id of the primary applicant.' }),
})
const ByNumber = Type.Object({
  employeeNumber: Type.String({ description: "The primary applicant's employee number." }),
})
const dependentKey = Type.String({ description: "The dependent's encoded id, or its employee number." })

const tags = ['Applicants'] as [string]
const { applicantNotFound, dependentNotFound } = errors
const conflicts = [
  errors.employeeNumberInUse,
  errors.employeeNumberRetired,
  errors.employeeNumberFixed,
  errors.dependentOfAnother,
]
const saved = { 200: FamilyResponse, 201: FamilyResponse }

export const example = {
  primaryApplicant: {
    employeeNumber: 'E-10042',
    status: 'A',
    email: 'anna.schmidt@example.com',
    firstName: 'Anna',
    lastName: 'Schmidt',
    gender: 'F',
    dateOfBirth: '1990-05-31T00:00:00',
    countryOfBirth: 'DE',
    addressCountry: 'DE',
    relationship: '',
    metaData: [{ tagName: 'costCenter', value: '4711' }],
    passports: [
      {
        passportNumber: 'C01X00T47',
        issueDate: '2021-03-01T00:00:00',
        expiryDate: '2031-02-28T00:00:00',
        nationality: 'DE',
        country: 'DE',
        issuedBy: 'DE',
      },
    ],
    documents: [
      {
        name: 'Residence permit',
        expiryDate: '2027-06-30T00:00:00',
        country: 'US',
        remindAboutRenewal: true,
        expiryReminder: 0,
      },
    ],
    previousNames: [{ lastName: 'Meyer', firstName: 'Anna', middleName: '' }],
  },
  dependents: [{ firstName: 'Ben', lastName: 'Schmidt', relationship: 'Child', dateOfBirth: '2018-09-12' }],
}

const oneDependent = example.dependents[0]

export const getApplicant = {
  operationId: 'getApplicant',
  tags,
  conditional: true,
  summary: 'Get applicant by ID',
  params: ById,
  response: { 200: Applicant },
  errors: [applicantNotFound],
} satisfies Operation

export const getApplicantByNumber = {
  operationId: 'getApplicantByEmployeeNumber',
  tags,
  conditional: true,
  summary: 'Get applicant by employee number',
  description: 'The primary applicant alone, without dependents.',
  params: ByNumber,
  response: { 200: Applicant },
  errors: [applicantNotFound],
} satisfies Operation

export const getDependents = {
  operationId: 'getDependents',
  tags,
  summary: 'Get dependents',
  description: 'All dependents of the primary applicant; an empty array when there are none.',
  params: ById,
  response: { 200: Type.Unsafe<string>({ type: 'array', items: Applicant }) },
  errors: [applicantNotFound],
} satisfies Operation

export const getDependentsByNumber = {
  ...getDependents,
  operationId: 'getDependentsByEmployeeNumber',
  summary: 'Get dependents by employee number',
  params: ByNumber,
} satisfies Operation

export const getDependent = {
  operationId: 'getDependent',
  tags,
  conditional: true,
  summary: 'Get dependent by ID',
  params: Type.Object({
    ...ById.properties,
    dependentId: Type.String({ description: 'Encoded id of the dependent.' }),
  }),
  response: { 200: Applicant },
  errors: [dependentNotFound],
} satisfies Operation

export const getDependentByNumber = {
  operationId: 'getDependentByEmployeeNumber',
  tags,
  conditional: true,
  summary: 'Get dependent by employee number',
  params: Type.Object({ ...ByNumber.properties, dependentEmployeeNumber: dependentKey }),
  response: { 200: Applicant },
  errors: [dependentNotFound],
} satisfies Operation

export const saveApplicant = {
  operationId: 'saveApplicant',
  tags,
  idempotent: true,
  summary: 'Save applicant',
  description:
    'Creates a new primary applicant and its dependents together, or nothing at all. Ids are assigned here; empty ones in the body are ignored.',
  body: NewApplicantBody,
  response: { 201: FamilyResponse },
  errors: [errors.employeeNumberInUse, errors.employeeNumberRetired],
  example,
} satisfies Operation

export const updateApplicant = {
  operationId: 'updateApplicant',
  tags,
  conditional: true,
  summary: 'Update applicant',
  description:
    'Creates the record under this id, or replaces it whole: fields that are left out are cleared, except for the employee number, and each list is the full set. Items and dependents need no ids: those that are stored already are recognised and keep theirs (passports by number and country, documents by name and reference number, tags by name, previous names by all three names; dependents by employee number, else by names and day of birth). An item left out is removed. `dependents` present is the full set too; leave it out to leave them alone. A dependent left out is archived: no read shows it, and it is the same record again when it comes back. The same body sent again changes nothing.',
  params: Type.Object({ applicantId: { ...newId, description: 'Encoded id of the primary applicant.' } }),
  body: SaveApplicantBody,
  response: saved,
  errors: [...conflicts, errors.unknownReference],
  example,
} satisfies Operation

export const saveApplicantByNumber = {
  ...updateApplicant,
  operationId: 'saveApplicantByEmployeeNumber',
  summary: 'Save applicant by employee number',
  description:
    'Replaces the primary applicant of this employee number whole, or creates it. The same body sent again changes nothing: same ids, version and `updatedAt`, no event, no reminder. Rules as in Update applicant; the number in the body, where given, must be that of the path.',
  params: Type.Object({
    employeeNumber: { ...newNumber, description: "The primary applicant's employee number." },
  }),
} satisfies Operation

export const mergeApplicant = {
  operationId: 'mergeApplicant',
  tags,
  conditional: true,
  summary: 'Merge applicant',
  description:
    'Changes only what the body holds; null clears. A list item with an id is merged into that item; one without is recognised as in Update applicant, else added. Items that are not mentioned stay. Dependents are recognised in the same way; one that exists under another primary applicant, named by its id or number, moves to this one; without a match it is created. An employee number that is stored can be neither changed nor removed. The same merge sent again changes nothing.',
  params: ById,
  body: MergeApplicantBody,
  response: { 200: FamilyResponse },
  errors: [applicantNotFound, ...conflicts, errors.unknownReference],
  example: {
    primaryApplicant: { jobTitle: 'Head of Research', metaData: [{ tagName: 'costCenter', value: '4712' }] },
  },
} satisfies Operation

export const mergeApplicantByNumber = {
  ...mergeApplicant,
  operationId: 'mergeApplicantByEmployeeNumber',
  summary: 'Merge primary applicant by employee number',
  params: ByNumber,
} satisfies Operation

export const saveDependent = {
  operationId: 'saveDependent',
  tags,
  idempotent: true,
  summary: 'Save dependent',
  description: 'Creates a dependent of an existing primary applicant.',
  params: ById,
  body: NewDependentBody,
  response: { 201: Applicant },
  errors: [applicantNotFound, errors.employeeNumberInUse, errors.employeeNumberRetired],
  example: oneDependent,
} satisfies Operation

const DependentByNumber = Type.Object({ ...ByNumber.properties, dependentId: dependentKey })

export const saveDependentByNumber = {
  operationId: 'saveDependentByEmployeeNumber',
  tags,
  conditional: true,
  summary: 'Save dependent by employee number',
  description:
    'Replaces one dependent whole: fields that are left out are cleared, except for the employee number. Items without ids are recognised as in Update applicant.',
  params: DependentByNumber,
  body: DependentInput,
  response: { 200: Applicant },
  errors: [
    applicantNotFound,
    dependentNotFound,
    errors.employeeNumberInUse,
    errors.employeeNumberRetired,
    errors.employeeNumberFixed,
    errors.unknownReference,
  ],
  example: oneDependent,
} satisfies Operation

export const mergeDependentByNumber = {
  operationId: 'mergeDependentByEmployeeNumber',
  tags,
  conditional: true,
  summary: 'Merge dependent by employee number',
  description:
    'Changes only what the body holds, as in Merge applicant. `applicantId`, where given, is that of the dependent.',
  params: DependentByNumber,
  body: ApplicantPatch,
  response: { 200: Applicant },
  errors: [
    applicantNotFound,
    dependentNotFound,
    errors.employeeNumberInUse,
    errors.employeeNumberRetired,
    errors.employeeNumberFixed,
    errors.unknownReference,
  ],
  example: { jobTitle: 'Student' },
} satisfies Operation

export const changeNumber = {
  operationId: 'changeEmployeeNumber',
  tags,
  idempotent: true,
  summary: 'Change employee number',
  description:
    'Gives the primary applicant another number, once the three fields show that the right person is meant: names are compared without regard to case, accents, spaces and punctuation, dates by day. After 10 failed checks of one person, or 100 of any, a client has to wait for up to five minutes (429). Irreversible: the old number finds nothing any more and can never be given out again. The cases, steps, notes and documents of the person count as updated now and appear with the new number in lists by date. Needs an API key beside the token.',
  params: Type.Object({ oldEmployeeNumber: Type.String(), newEmployeeNumber: newNumber }),
  body: Type.Object(
    { firstName: personName, lastName: personName, dateOfBirth },
    { title: 'IdentityCheck', additionalProperties: false },
  ),
  response: { 200: NumberChange },
  errors: [
    applicantNotFound,
    errors.employeeNumberInUse,
    errors.employeeNumberRetired,
    errors.identityMismatch,
  ],
  example: { firstName: 'Anna', lastName: 'Schmidt', dateOfBirth: '1990-05-31' },
} satisfies Operation

export const changeDependentNumber = {
  operationId: 'changeDependentEmployeeNumber',
  tags,
  idempotent: true,
  summary: 'Change dependent employee number',
  description:
    "Gives a dependent another number, once the fields show that the right person is meant: `firstName` and `dateOfBirth`, and `lastName` where it is given, compared and limited as in Change employee number. Name it in `newEmployeeNumber`, or leave that out to be given the next free one: the primary's number, `-D` and a count. The old number is retired for good; the dependent stays with its primary applicant. Its cases, steps, notes and documents count as updated now.",
  params: Type.Object({ primaryEmployeeNumber: Type.String(), currentDependentEmployeeNumber: dependentKey }),
  body: Type.Object(
    {
      firstName: personName,
      lastName: Type.Optional(personName),
      dateOfBirth,
      newEmployeeNumber: Type.Optional(newNumber),
    },
    { title: 'DependentIdentityCheck', additionalProperties: false },
  ),
  response: { 200: NumberChange },
  errors: [
    dependentNotFound,
    errors.employeeNumberInUse,
    errors.employeeNumberRetired,
    errors.identityMismatch,
  ],
  example: { firstName: 'Ben', dateOfBirth: '2018-09-12' },
} satisfies Operation
