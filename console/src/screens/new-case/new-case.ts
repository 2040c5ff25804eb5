// A new case while it is typed, and as it is sent.
import type { components } from '@caseport/sdk'
import { newKey } from '../../app/attempts.ts'

export type NewCase = components['schemas']['NewCase']
export type Person = components['schemas']['FoundApplicant']

export interface PassportDraft {
  key: number
  passportNumber: string
  country: string | null
  expirationDate: string | null
}

export interface MemberDraft {
  key: number
  firstName: string
  lastName: string
  relationship: string
  dateOfBirth: string | null
  nationality: string | null
}

export interface CaseDraft {
  /** The same for every attempt to send this content. */
  idempotencyKey: string
  /** A person of whom there is a record; null where a new one is typed. */
  person: Person | null
  isNew: boolean
  firstName: string
  lastName: string
  employeeNumber: string
  dateOfBirth: string | null
  email: string
  jobTitle: string
  passports: PassportDraft[]
  family: MemberDraft[]
  sendingCompany: string | null
  hostCompany: string | null
  billingCompany: string | null
  processName: string | null
  caseType: string
  hostCountry: string | null
  hostCity: string
}

export const emptyDraft = (company: string | null = null): CaseDraft => ({
  idempotencyKey: newKey(),
  person: null,
  isNew: false,
  firstName: '',
  lastName: '',
  employeeNumber: '',
  dateOfBirth: null,
  email: '',
  jobTitle: '',
  passports: [],
  family: [],
  sendingCompany: company,
  hostCompany: company,
  billingCompany: company,
  processName: null,
  caseType: '',
  hostCountry: null,
  hostCity: '',
})

const contentOf = ({ idempotencyKey: _, ...content }: CaseDraft) => JSON.stringify(content)

export const isUntouched = (draft: CaseDraft): boolean => contentOf(draft) === contentOf(emptyDraft())

/** The names of required fields that are empty. */
export function missingOf(draft: CaseDraft): Set<string> {
  const missing = new Set<string>()
  if (!draft.person && !draft.isNew) missing.add('person')
  if (!draft.person && draft.isNew)
    for (const field of ['firstName', 'lastName'] as const) if (!draft[field].trim()) missing.add(field)
  for (const field of ['sendingCompany', 'hostCompany', 'billingCompany'] as const)
    if (!draft[field]) missing.add(field)
  if (!draft.caseType.trim()) missing.add('caseType')
  for (const { key, firstName, lastName, relationship } of draft.person ? [] : draft.family) {
    if (!firstName.trim()) missing.add(`family-${key}-firstName`)
    if (!lastName.trim()) missing.add(`family-${key}-lastName`)
    if (!relationship.trim()) missing.add(`family-${key}-relationship`)
  }
  return missing
}

const text = (value: string) => value.trim() || null

export function requestOf(draft: CaseDraft): NewCase {
  const { person } = draft
  const applicant: NewCase['applicant'] = person
    ? {
        employeeNumber: person.employeeNumber,
        firstName: person.firstName ?? '',
        lastName: person.lastName ?? '',
        dateOfBirth: person.dateOfBirth,
      }
    : {
        employeeNumber: text(draft.employeeNumber),
        firstName: draft.firstName.trim(),
        lastName: draft.lastName.trim(),
        dateOfBirth: draft.dateOfBirth,
        emailAddress: text(draft.email),
        currentJobTitle: text(draft.jobTitle),
        passports: draft.passports
          .filter(passport => passport.passportNumber.trim() || passport.country || passport.expirationDate)
          .map(({ passportNumber, country, expirationDate }) => ({
            passportNumber: text(passportNumber),
            country,
            expirationDate,
            Nationality: country,
          })),
        dependents: draft.family.map(({ firstName, lastName, relationship, dateOfBirth, nationality }) => ({
          firstName: firstName.trim(),
          lastName: lastName.trim(),
          relationship: relationship.trim(),
          dateOfBirth,
          nationality,
        })),
      }
  return {
    caseType: draft.caseType.trim(),
    hostCompany: draft.hostCompany ?? '',
    sendingCompany: draft.sendingCompany ?? '',
    billingCompany: draft.billingCompany ?? '',
    hostCountry: draft.hostCountry,
    hostCity: text(draft.hostCity),
    processName: draft.processName,
    applicant,
  }
}

/** Where the pointer of an error of the service belongs in the form. */
export function fieldOf(pointer: string, draft: CaseDraft): string {
  const [, first = '', second = '', index = '', field = ''] = pointer.split('/')
  if (first !== 'applicant') return first
  if (second === 'dependents') return `family-${draft.family[Number(index)]?.key}-${field}`
  if (second === 'passports') return `passport-${draft.passports[Number(index)]?.key}-${field}`
  return { emailAddress: 'email', currentJobTitle: 'jobTitle' }[second] ?? second
}
