// The sixteen operations of the Applicant API.

import { unknownCompany } from '../companies/companies.service.ts'
import type { Operation } from '../http/app-types.ts'
import { Type } from '../lib/json-schema.ts'
import * as errors from './applicants.errors.ts'
import {
  Applicant,
  ApplicantPatch,
  applicantIdentifiers,
  DependentInput,
  dateOfBirth,
  FamilyResponse,
  familyIdentifiers,
  MergeApplicantBody,
  NewApplicantBody,
  NewDependentBody,
  NumberChange,
  newIdSchema,
  newNumber,
  personName,
  SaveApplicantBody,
} from './applicants.shapes.ts'

const ById = Type.Object({
  applicantId: Type.String({ description: 'Encoded id of the primary applicant.' }),
})
const ByNumber = Type.Object({
  employeeNumber: Type.String({ description: 'Employee number of the primary applicant.' }),
})
const DependentByNumber = Type.Object({
  ...ByNumber.properties,
  dependentId: Type.String({ description: 'Encoded id of the dependent, or its employee number.' }),
})

const tags = ['Applicants'] as [string]
const { applicantNotFound, dependentNotFound } = errors
const conflicts = [
  errors.employeeNumberInUse,
  errors.employeeNumberRetired,
  errors.employeeNumberFixed,
  errors.dependentOfAnother,
]
const saved = { 200: FamilyResponse, 201: FamilyResponse }
/** The response to a change of numbers has no personal data. */
const numberIdentifiers = { readScope: 'applicants:read', schema: NumberChange } as const

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

/** What a nightly feed sends: no ids. */
const feedExample = {
  primaryApplicant: {
    firstName: 'Anna',
    lastName: 'Schmidt',
    dateOfBirth: '1990-05-31',
    jobTitle: 'Researcher',
    passports: [{ passportNumber: 'C01X00T47', country: 'DE', expiryDate: '2031-02-28' }],
  },
  dependents: example.dependents,
}

const oneDependent = example.dependents[0]

export const getApplicant = {
  operationId: 'getApplicant',
  tags,
  conditional: true,
  summary: 'Get applicant by ID',
  description:
    'Returns the primary applicant alone; its dependents have operations of their own. Every field is present: null where it is empty. Send the `ETag` of an earlier response as `If-None-Match` to get 304 without a body while nothing has changed.',
  params: ById,
  response: { 200: Applicant },
  errors: [applicantNotFound],
} satisfies Operation

export const getApplicantByNumber = {
  operationId: 'getApplicantByEmployeeNumber',
  tags,
  conditional: true,
  summary: 'Get applicant by employee number',
  description:
    'Returns the primary applicant that has this number now, without dependents. A number that was changed is not found any more. Dependents are not found by this operation, even by their own numbers.',
  params: ByNumber,
  response: { 200: Applicant },
  errors: [applicantNotFound],
} satisfies Operation

export const getDependents = {
  operationId: 'getDependents',
  tags,
  summary: 'Get dependents',
  description:
    'Returns all dependents of the primary applicant in one array, without pages. The array is empty if there are none. Archived dependents are left out.',
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
  description:
    'Returns one dependent of this primary applicant. A dependent of another primary applicant, or an archived one, is not found. Supports `If-None-Match`.',
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
  description:
    'Returns one dependent of the primary applicant with this number. The last part of the path is the employee number of the dependent, or its id. A dependent of another primary applicant is not found.',
  params: DependentByNumber,
  response: { 200: Applicant },
  errors: [dependentNotFound],
} satisfies Operation

export const saveApplicant = {
  operationId: 'saveApplicant',
  tags,
  idempotent: true,
  summary: 'Save applicant',
  description:
    'Creates a primary applicant and its dependents in one transaction: either all of them or none. The service assigns every id; a body with ids is rejected, and empty ids are ignored. A POST is not repeatable by itself: send an `Idempotency-Key`, or use the PUT by employee number. The body has at most 100 dependents. The family belongs to the company that the `sendingCompany` of the primary applicant names, by name, code or id; a caller who is limited to one company may leave it out.',
  body: NewApplicantBody,
  response: { 201: FamilyResponse },
  identifiers: familyIdentifiers,
  errors: [errors.employeeNumberInUse, errors.employeeNumberRetired, unknownCompany],
  example,
} satisfies Operation

export const updateApplicant = {
  operationId: 'updateApplicant',
  tags,
  conditional: true,
  summary: 'Update applicant',
  description: [
    'Replaces the whole record, or creates it under this id. Fields that are left out are cleared, except for the employee number. Each list is the full set: an item that is left out is removed.',
    'Items and dependents need no ids. Stored ones are matched and keep their ids: passports by number and country, documents by name and reference number, tags by name, previous names by all three names, and dependents by employee number, or else by names and day of birth.',
    '`dependents` is the full set too, if it is present; leave it out to keep the dependents as they are. A dependent that is left out of the set is archived: no read returns it, and it is the same record when it is sent again. Sending the same body again changes nothing.',
    'A caller who is limited to some companies must name one of them as `sendingCompany`, unless it has only one. An id that a record of another company has is 404.',
  ].join('\n\n'),
  params: Type.Object({
    applicantId: { ...newIdSchema, description: 'Encoded id of the primary applicant.' },
  }),
  body: SaveApplicantBody,
  response: saved,
  identifiers: familyIdentifiers,
  errors: [applicantNotFound, ...conflicts, errors.unknownReference, unknownCompany],
  example: feedExample,
} satisfies Operation

export const saveApplicantByNumber = {
  ...updateApplicant,
  operationId: 'saveApplicantByEmployeeNumber',
  summary: 'Save applicant by employee number',
  description:
    'Replaces the primary applicant that has this employee number, or creates it. The rules are those of Update applicant. An employee number in the body must equal the one in the path. This is the operation for nightly feeds: sending the same body again is a no-op that keeps ids, `updatedAt` and `ETag`, and emits no event.',
  params: Type.Object({
    employeeNumber: { ...newNumber, description: 'Employee number of the primary applicant.' },
  }),
  errors: [...conflicts, errors.unknownReference, unknownCompany],
} satisfies Operation

export const mergeApplicant = {
  operationId: 'mergeApplicant',
  tags,
  conditional: true,
  summary: 'Merge applicant',
  description: [
    'Changes only the fields in the body; null clears a field. Sending the same body again changes nothing. A stored employee number can be neither changed nor removed here.',
    'A list item with an id is merged into that item. One without an id is matched as in Update applicant, or else added. Items that are not mentioned stay.',
    'Dependents are matched in the same way, and created if there is no match. A dependent of another primary applicant moves to this one if the body names it by id or employee number.',
  ].join('\n\n'),
  params: ById,
  body: MergeApplicantBody,
  response: { 200: FamilyResponse },
  identifiers: familyIdentifiers,
  errors: [applicantNotFound, ...conflicts, errors.unknownReference, unknownCompany],
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
  description:
    'Creates a dependent of an existing primary applicant and returns it with its id. The service assigns every id; a body with ids is rejected. Send an `Idempotency-Key` to make a retry safe.',
  params: ById,
  body: NewDependentBody,
  response: { 201: Applicant },
  identifiers: applicantIdentifiers,
  errors: [applicantNotFound, errors.employeeNumberInUse, errors.employeeNumberRetired],
  example: oneDependent,
} satisfies Operation

export const saveDependentByNumber = {
  operationId: 'saveDependentByEmployeeNumber',
  tags,
  conditional: true,
  summary: 'Save dependent by employee number',
  description:
    'Replaces one dependent. Fields that are left out are cleared, except for the employee number. List items without ids are matched as in Update applicant. The dependent must exist already; Save applicant by employee number creates dependents.',
  params: DependentByNumber,
  body: DependentInput,
  response: { 200: Applicant },
  identifiers: applicantIdentifiers,
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
    'Changes only the fields in the body, by the rules of Merge applicant. If the body has an `applicantId`, it must be that of the dependent. Sending the same body again changes nothing.',
  params: DependentByNumber,
  body: ApplicantPatch,
  response: { 200: Applicant },
  identifiers: applicantIdentifiers,
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
  description: [
    'Changes the employee number of a primary applicant. This is irreversible: the old number is retired, is not found any more, and can never be assigned again.',
    'The body proves that the right person is meant. Names are compared without regard to case, accents, spaces and punctuation, and dates by day. After 10 failed checks for one person, or 100 in total, a client is rejected (429) for up to five minutes.',
    'Cases, steps, notes and documents of the person return the new number at once, and lists by date return them as updated. The operation needs an API key in addition to the token.',
  ].join('\n\n'),
  params: Type.Object({
    oldEmployeeNumber: Type.String({ description: 'Current employee number of the primary applicant.' }),
    newEmployeeNumber: { ...newNumber, description: 'Number that it gets instead.' },
  }),
  body: Type.Object(
    { firstName: personName, lastName: personName, dateOfBirth },
    { title: 'IdentityCheck', additionalProperties: false },
  ),
  response: { 200: NumberChange },
  identifiers: numberIdentifiers,
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
  description: [
    'Changes the employee number of a dependent. The old number is retired for good, and the dependent stays with its primary applicant. Send the new number as `newEmployeeNumber`, or leave it out to get the next free one: the number of the primary applicant, `-D` and a count.',
    '`firstName`, `dateOfBirth` and, if present, `lastName` prove that the right person is meant. They are compared, and failed checks are limited, as in Change employee number. Cases, steps, notes and documents of the dependent count as updated.',
  ].join('\n\n'),
  params: DependentByNumber,
  body: Type.Object(
    {
      firstName: personName,
      lastName: Type.Optional(Type.Unsafe<string | null>({ ...personName, type: ['string', 'null'] })),
      dateOfBirth,
      newEmployeeNumber: Type.Optional(
        Type.Unsafe<string | null>({
          ...newNumber,
          type: ['string', 'null'],
          description: 'Null for the next free one.',
        }),
      ),
    },
    { title: 'DependentIdentityCheck', additionalProperties: false },
  ),
  response: { 200: NumberChange },
  identifiers: numberIdentifiers,
  errors: [
    dependentNotFound,
    errors.employeeNumberInUse,
    errors.employeeNumberRetired,
    errors.identityMismatch,
  ],
  example: { firstName: 'Ben', dateOfBirth: '2018-09-12' },
} satisfies Operation
