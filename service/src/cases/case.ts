// Domain rules of cases, without I/O: status transitions, dates of steps, and a case applicant as an applicant record.
import { plusDays } from '../lib/dates.ts'
import { declareProblem } from '../lib/problem.ts'

export const invalidTransition = declareProblem({
  code: 'invalid-transition',
  status: 409,
  title: 'The status cannot change from the stored one to this one.',
  remedy: 'Read the record to see its status. The reference of the operation lists the allowed changes.',
})

export type CaseStatus = 'open' | 'pending' | 'closed'
export type StepStatus = 'notStarted' | 'inProgress' | 'completed' | 'waived'

/** Who sees a note: the team at the desk, or everyone who may read the case. */
export type Visibility = 'team' | 'everyone'
export const VISIBILITIES: Visibility[] = ['team', 'everyone']

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

/** Setting the current status again is a no-op. */
export function requireCaseTransition(from: CaseStatus, to: CaseStatus): void {
  if (from !== to && !CASE_TRANSITIONS[from].includes(to)) throw transitionProblem('case', from, to)
}

export function requireStepTransition(from: StepStatus, to: StepStatus): void {
  if (from !== to && !STEP_TRANSITIONS[from].includes(to)) throw transitionProblem('step', from, to)
}

function transitionProblem(what: string, from: string, to: string) {
  return invalidTransition(`A ${what} that is ${from} cannot become ${to}.`)
}

export interface StepDates {
  startDate: string | null
  completionDate: string | null
}

/** The dates that a step keeps where the patch has none. A step that is no longer waived starts over. */
export function datesKept(from: StepStatus, to: StepStatus, dates: StepDates): StepDates {
  return from === 'waived' && to === 'notStarted' ? { startDate: null, completionDate: null } : dates
}

interface ChangedDates {
  dates: StepDates
  /** Whether the caller has sent the start, and not planned it before. */
  isStartSent: boolean
  today: string
}

/**
 * The dates after a change of status. A missing date becomes today; a step that never started and is completed on an
 * earlier day started on that day. A step that is begun before the day that was planned starts on the day that it is begun.
 */
export function datesAfter(
  from: StepStatus,
  to: StepStatus,
  { dates, isStartSent, today }: ChangedDates,
): StepDates {
  const startOn = (day: string) => {
    if (dates.startDate === null) return day
    const isPlanned = from === 'notStarted' && !isStartSent
    return isPlanned && dates.startDate > day ? day : dates.startDate
  }
  if (from === to) return dates
  if (to === 'inProgress') return { startDate: startOn(today), completionDate: null }
  if (to === 'completed') {
    const completionDate = dates.completionDate ?? today
    return { startDate: startOn(completionDate < today ? completionDate : today), completionDate }
  }
  return dates
}

/** When a step is due: as a caller has set it, else a number of days after the start. */
export interface StepDue {
  dueDate: string | null
  /** Of the process when the case was created. */
  dueDays: number | null
  dueDateIsSet: boolean
}

/** What `sent` makes of the due date; null goes back to the computed one, undefined keeps what is there. */
export function dueAfter(
  current: StepDue,
  { sent, startDate }: { sent: string | null | undefined; startDate: string | null },
): StepDue {
  const { dueDays, dueDateIsSet } = current
  const computed = startDate !== null && dueDays !== null ? plusDays(startDate, dueDays) : null
  const set = sent === undefined && dueDateIsSet ? current.dueDate : (sent ?? null)
  // A computed date that is sent back stays a computed one.
  const isSet = set !== null && (dueDateIsSet || set !== computed)
  return { dueDate: isSet ? set : computed, dueDays, dueDateIsSet: isSet }
}

/** The top-level fields of a case that are stored as sent. */
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
export const METADATA_FIELDS = ['tagName', 'value'] as const

export type Value = string | boolean | null
export type CasePassport = Record<(typeof PASSPORT_FIELDS)[number], string | null>
export type CaseDependent = Record<(typeof DEPENDENT_FIELDS)[number], string | null>
export type CaseApplicant = Record<(typeof APPLICANT_FIELDS)[number], Value> & {
  passports: CasePassport[]
  dependents: CaseDependent[]
}
export type CaseDetails = Record<(typeof DETAIL_FIELDS)[number], string | null> & {
  metadata: Record<(typeof METADATA_FIELDS)[number], string | null>[]
}

export const COMPANY_FIELDS = ['hostCompany', 'sendingCompany', 'billingCompany'] as const
export type CaseCompanies = Record<(typeof COMPANY_FIELDS)[number], string>

/** What an operator changes; undefined fields stay. */
export interface CasePatch {
  details: Partial<CaseDetails>
  status?: CaseStatus | undefined
  assigneeId?: string | null | undefined
  dueDate?: string | null | undefined
}

/** What a client sends to create a case. */
export interface CaseInput {
  details: CaseDetails & {
    caseType: string
    hostCompany: string
    sendingCompany: string
    billingCompany: string
  }
  employeeNumber: string | null
  applicant: CaseApplicant
}

const textOf = (value: Value) => (typeof value === 'string' ? value : null)

/** Records of applicants have null for empty text. */
const filled = (value: Value) => textOf(value) || null

/** What is compared with the record that the employee number names. */
export function identityOf({ firstName, lastName, dateOfBirth }: CaseApplicant) {
  return { firstName: textOf(firstName), lastName: textOf(lastName), dateOfBirth: textOf(dateOfBirth) }
}

/** The applicant of a case as input of the Applicant API, for a person who is not on record yet. */
export function applicantOf(
  applicant: CaseApplicant,
  { employeeNumber, sendingCompany }: { employeeNumber: string | null; sendingCompany: string | null },
) {
  const midnight = (day: Value) => (typeof day === 'string' && day ? `${day}T00:00:00` : null)
  return {
    primaryApplicant: {
      employeeNumber,
      sendingCompany,
      firstName: filled(applicant.firstName),
      lastName: filled(applicant.lastName),
      middleName: filled(applicant.middleName),
      countryOfBirth: filled(applicant.countryOfBirth),
      cityOfBirth: filled(applicant.placeOfBirth),
      dateOfBirth: midnight(applicant.dateOfBirth),
      gender: filled(applicant.gender),
      maritalStatus: filled(applicant.maritalStatus),
      email: filled(applicant.emailAddress),
      telephone: filled(applicant.telephoneNumber),
      hireDate: midnight(applicant.hireDate),
      jobTitle: filled(applicant.currentJobTitle),
      addressLine1: filled(applicant.addressStreet1),
      addressLine2: filled(applicant.addressStreet2),
      addressCity: filled(applicant.addressCity),
      addressState: filled(applicant.addressState),
      addressPostalCode: filled(applicant.addressPostalCode),
      addressCountry: filled(applicant.addressCountry),
      passports: applicant.passports.map(passport => ({
        passportNumber: passport.passportNumber,
        issueDate: midnight(passport.issueDate),
        expiryDate: midnight(passport.expirationDate),
        nationality: filled(passport.Nationality),
        country: filled(passport.country),
        issuedBy: filled(passport.issuingAuthority),
      })),
    },
    dependents: applicant.dependents.map(dependent => ({
      firstName: dependent.firstName,
      lastName: dependent.lastName,
      relationship: dependent.relationship,
      nationality: filled(dependent.nationality),
      dateOfBirth: midnight(dependent.dateOfBirth),
      gender: filled(dependent.gender),
    })),
  }
}

export const WARNING_CODES = [
  'applicant-name-differs',
  'applicant-birth-date-differs',
  'applicant-not-compared',
  'unknown-process',
] as const

/** What the client should check, although the case was created. Never holds a stored value. */
interface Warning {
  pointer: string
  code: (typeof WARNING_CODES)[number]
  detail: string
}

const DIFFERS: Record<'firstName' | 'lastName' | 'dateOfBirth', Warning> = {
  firstName: {
    pointer: '/applicant/firstName',
    code: 'applicant-name-differs',
    detail: 'The record of this employee number has another first name. The record is left as it is.',
  },
  lastName: {
    pointer: '/applicant/lastName',
    code: 'applicant-name-differs',
    detail: 'The record of this employee number has another last name. The record is left as it is.',
  },
  dateOfBirth: {
    pointer: '/applicant/dateOfBirth',
    code: 'applicant-birth-date-differs',
    detail:
      'The record of this employee number has another date of birth, or none. The record is left as it is.',
  },
}

const NOT_COMPARED: Warning = {
  pointer: '/applicant',
  code: 'applicant-not-compared',
  detail: 'Too many cases differed from the record that they name, so this one was not compared with it.',
}

const UNKNOWN_PROCESS: Warning = {
  pointer: '/processName',
  code: 'unknown-process',
  detail: 'There is no process of this name. The steps are those for the type of case and the host country.',
}

/** `differs` is null where the applicant was not compared, and undefined where it was not on record before. */
export function warningsOf({
  differs,
  unknownProcess,
}: {
  differs: (keyof typeof DIFFERS)[] | null | undefined
  unknownProcess: boolean
}): Warning[] {
  const applicant = differs === null ? [NOT_COMPARED] : (differs ?? []).map(field => DIFFERS[field])
  return [...applicant, ...(unknownProcess ? [UNKNOWN_PROCESS] : [])]
}
