// The rules of cases, as functions over values: which changes of status are allowed, and what a case applicant is as an
// applicant record.
import { declareProblem } from '../lib/problem.ts'

export const invalidTransition = declareProblem({
  code: 'invalid-transition',
  status: 409,
  title: 'This status cannot follow the one that is stored.',
  remedy: 'Read the record to see its status; the documentation of the operation lists what may follow what.',
})

export type CaseStatus = 'open' | 'pending' | 'closed'
export type StepStatus = 'notStarted' | 'inProgress' | 'completed' | 'waived'

export const CASE_STATUSES: CaseStatus[] = ['open', 'pending', 'closed']
export const STEP_STATUSES: StepStatus[] = ['notStarted', 'inProgress', 'completed', 'waived']

const CASE_TRANSITIONS: Record<CaseStatus, CaseStatus[]> = {
  open: ['pending', 'closed'],
  pending: ['open', 'closed'],
  closed: ['open'],
}

const STEP_TRANSITIONS: Record<StepStatus, StepStatus[]> = {
  notStarted: ['inProgress', 'completed', 'waived'],
  inProgress: ['completed', 'waived'],
  completed: ['inProgress'],
  waived: ['notStarted'],
}

/** Saying again what is so is no change, and allowed. */
export function requireCaseTransition(from: CaseStatus, to: CaseStatus): void {
  if (from !== to && !CASE_TRANSITIONS[from].includes(to)) throw refused('case', from, to)
}

export function requireStepTransition(from: StepStatus, to: StepStatus): void {
  if (from !== to && !STEP_TRANSITIONS[from].includes(to)) throw refused('step', from, to)
}

function refused(what: string, from: string, to: string) {
  return invalidTransition(`A ${what} that is ${from} cannot become ${to}.`)
}

export interface StepDates {
  startDate: string | null
  completionDate: string | null
}

/** The dates that a step keeps where a change of status names none: one that is no longer waived starts over. */
export function datesKept(from: StepStatus, to: StepStatus, dates: StepDates): StepDates {
  return from === 'waived' && to === 'notStarted' ? { startDate: null, completionDate: null } : dates
}

/**
 * A step starts and ends today where no other day is given. One that is completed on an earlier day without ever having
 * started has started that day.
 */
export function datesAfter(
  from: StepStatus,
  to: StepStatus,
  { dates, today }: { dates: StepDates; today: string },
): StepDates {
  if (from === to) return dates
  if (to === 'inProgress') return { startDate: dates.startDate ?? today, completionDate: null }
  if (to === 'completed') {
    const completionDate = dates.completionDate ?? today
    return { startDate: dates.startDate ?? (completionDate < today ? completionDate : today), completionDate }
  }
  return dates
}

/** The top-level fields of a case that are kept as they were sent. */
export const DETAIL_FIELDS = [
  'caseType', 'hostCompany', 'sendingCompany', 'billingCompany', 'hostCountry', 'hostCity', 'homeCountry',
  'assignmentId', 'processName', 'payrollLocation', 'salary', 'newJobTitle', 'placeOfWork', 'authorizingPerson',
  'costCenter', 'department', 'billingReference',
] as const // biome-ignore format: a table reads better than a column

export const APPLICANT_FIELDS = [
  'firstName', 'lastName', 'middleName', 'countryOfResidence', 'countryOfBirth', 'placeOfBirth', 'dateOfBirth', 'gender',
  'maritalStatus', 'Vip', 'emailAddress', 'telephoneNumber', 'hireDate', 'currentJobTitle', 'addressStreet1',
  'addressStreet2', 'addressCity', 'addressState', 'addressPostalCode', 'addressCountry',
] as const // biome-ignore format: a table reads better than a column

export const PASSPORT_FIELDS = [
  'country',
  'passportNumber',
  'expirationDate',
  'issueDate',
  'issuingAuthority',
  'Nationality',
] as const
export const DEPENDENT_FIELDS = [
  'firstName',
  'lastName',
  'relationship',
  'nationality',
  'dateOfBirth',
  'gender',
] as const

export type Value = string | boolean | null
export type CasePassport = Record<(typeof PASSPORT_FIELDS)[number], string | null>
export type CaseDependent = Record<(typeof DEPENDENT_FIELDS)[number], string | null>
export type CaseApplicant = Record<(typeof APPLICANT_FIELDS)[number], Value> & {
  passports: CasePassport[]
  dependents: CaseDependent[]
}
export type CaseDetails = Record<(typeof DETAIL_FIELDS)[number], string | null> & {
  metadata: { tagName: string | null; value: string | null }[]
}

/** What a case says of a person who is not on record yet, as the Applicant API would be told it. */
export function applicantOf(
  applicant: CaseApplicant,
  { employeeNumber, sendingCompany }: { employeeNumber: string | null; sendingCompany: string | null },
) {
  const text = (value: Value) => (typeof value === 'string' ? value : null)
  const midnight = (day: Value) => (typeof day === 'string' && day ? `${day}T00:00:00` : null)
  return {
    primaryApplicant: {
      employeeNumber,
      sendingCompany,
      firstName: text(applicant.firstName),
      lastName: text(applicant.lastName),
      middleName: text(applicant.middleName),
      countryOfBirth: text(applicant.countryOfBirth),
      cityOfBirth: text(applicant.placeOfBirth),
      dateOfBirth: midnight(applicant.dateOfBirth),
      gender: text(applicant.gender),
      maritalStatus: text(applicant.maritalStatus),
      email: text(applicant.emailAddress),
      telephone: text(applicant.telephoneNumber),
      hireDate: midnight(applicant.hireDate),
      jobTitle: text(applicant.currentJobTitle),
      addressLine1: text(applicant.addressStreet1),
      addressLine2: text(applicant.addressStreet2),
      addressCity: text(applicant.addressCity),
      addressState: text(applicant.addressState),
      addressPostalCode: text(applicant.addressPostalCode),
      addressCountry: text(applicant.addressCountry),
      passports: applicant.passports.map(passport => ({
        passportNumber: passport.passportNumber,
        issueDate: midnight(passport.issueDate),
        expiryDate: midnight(passport.expirationDate),
        nationality: passport.Nationality,
        country: passport.country,
        issuedBy: passport.issuingAuthority,
      })),
    },
    dependents: applicant.dependents.map(dependent => ({
      firstName: dependent.firstName,
      lastName: dependent.lastName,
      relationship: dependent.relationship,
      nationality: dependent.nationality,
      dateOfBirth: midnight(dependent.dateOfBirth),
      gender: dependent.gender,
    })),
  }
}
