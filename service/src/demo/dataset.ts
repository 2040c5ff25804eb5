// The fictional office of the demo: companies, processes, cases, papers and views. Deterministic, with dates around today.
import type { CaseStatus, Visibility } from '../cases/case.ts'
import { dayOf } from './days.ts'

export const COMPANIES = [
  { name: 'Halden Maritime GmbH', code: 'HALDEN', country: 'DE' },
  { name: 'Brightwater Consulting LLP', code: 'BRIGHT', country: 'UK' },
  { name: 'Solenne Biotech SAS', code: 'SOLENNE', country: 'FR' },
]
const HOSTS = ['DE', 'UK', 'FR'] as const

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

export const companyOf = (index: number) => pick(COMPANIES, index)

interface DemoProcess {
  name: string
  caseType: string
  steps: { name: string; dueDays: number }[]
  checklist: { name: string; type: string; required: boolean }[]
}

const step = (name: string, dueDays: number) => ({ name, dueDays })
const item = (type: string, required = true) => ({ name: type, type, required })

export const PROCESSES: DemoProcess[] = [
  {
    name: 'Work permit',
    caseType: 'Work Permit',
    steps: [
      step('Collect documents', 14),
      step('Check the contract', 5),
      step('File the application', 7),
      step('Biometrics appointment', 21),
      step('Await the decision', 45),
      step('Hand over the permit', 5),
    ],
    checklist: [item('Passport'), item('Contract'), item('Degree'), item('Photo', false)],
  },
  {
    name: 'Business visa',
    caseType: 'Visa',
    steps: [
      step('Collect documents', 7),
      step('Book the appointment', 3),
      step('Appointment at the consulate', 14),
      step('Collect the passport', 10),
    ],
    checklist: [item('Passport'), item('Photo'), item('Invitation')],
  },
  {
    name: 'Renewal of residence',
    caseType: 'Renewal',
    steps: [
      step('Ask for current documents', 10),
      step('File the renewal', 7),
      step('Await the decision', 30),
      step('Hand over the permit', 5),
    ],
    checklist: [item('Passport'), item('Permit'), item('Contract')],
  },
  {
    name: 'Dependent permit',
    caseType: 'Dependent Permit',
    steps: [
      step('Collect family documents', 21),
      step('Have them translated', 10),
      step('File the application', 7),
      step('Await the decision', 60),
    ],
    checklist: [item('Passport'), item('Marriage certificate'), item('Birth certificate', false)],
  },
]

/** Days from today until the current step is due; negative ones are overdue. */
const DUE_IN = [-9, 3, 12, -2, 0, 5, -21, 6, 2, 1]

export interface Journey {
  process: DemoProcess
  fields: {
    caseType: string
    hostCountry: string
    hostCompany: string
    sendingCompany: string
    billingCompany: string
    processName: string
  }
  status: CaseStatus
  isVip: boolean
  /** Index of the step that is in progress; the number of steps where all are completed. */
  current: number
  /** For each step that has begun, how many days ago it did; then, where all are completed, how many days ago that was. */
  startedDaysAgo: number[]
  /** How many days ago the case was closed; 0 where it is not. */
  endedDaysAgo: number
  assignee: 'case-manager' | 'admin' | 'hr' | undefined
}

/** The cases of a family: most have one, some have none, some one that was closed before. */
export function journeysOf(index: number): Journey[] {
  if (index % 10 === 9) return []
  const current = journey(index, pick(PROCESSES, index), statusOf(index))
  return index % 10 === 4 ? [journey(index, pick(PROCESSES, index + 1), 'closed'), current] : [current]
}

const statusOf = (index: number): CaseStatus =>
  index % 4 === 3 ? 'closed' : index % 7 === 2 ? 'pending' : 'open'

function journey(index: number, process: DemoProcess, status: CaseStatus): Journey {
  const company = companyOf(index)
  const isClosed = status === 'closed'
  const current = isClosed ? process.steps.length : index % process.steps.length
  const endedDaysAgo = isClosed ? 1 + ((index * 3) % 50) : 0
  const inProgress = process.steps[current]?.dueDays ?? 0
  return {
    process,
    fields: {
      caseType: process.caseType,
      hostCountry: pick(HOSTS, index),
      hostCompany: company.name,
      sendingCompany: company.code,
      billingCompany: company.name,
      processName: process.name,
    },
    status,
    isVip: index % 11 === 0,
    current,
    endedDaysAgo,
    // The current step began so many days ago that it is due on its day.
    startedDaysAgo: startsOf(
      process,
      current,
      isClosed ? endedDaysAgo : Math.max(0, inProgress - pick(DUE_IN, index)),
    ),
    assignee: assigneeOf(index),
  }
}

/** HALDEN is the company of the HR contact. */
const assigneeOf = (index: number): Journey['assignee'] =>
  index % 12 === 0 ? 'hr' : pick(['case-manager', 'case-manager', 'admin', 'case-manager', undefined], index)

/** Each step before the current one took a little less time than it had. */
function startsOf({ steps }: DemoProcess, current: number, currentDaysAgo: number): number[] {
  const starts: number[] = []
  let daysAgo = currentDaysAgo
  for (let order = current; order >= 0; order--) {
    starts[order] = daysAgo
    daysAgo += Math.max(1, (steps[order - 1]?.dueDays ?? 0) - 2)
  }
  return starts
}

const NOTES: { content: string; visibility: Visibility }[] = [
  { content: 'Passport copy received; the page with the photo is clear.', visibility: 'everyone' },
  { content: 'Asked the employee for the signed contract.', visibility: 'everyone' },
  { content: 'The consulate is slow this month: plan two weeks more.', visibility: 'team' },
  { content: 'The degree certificate is at the translator, back next week.', visibility: 'everyone' },
  { content: 'Fee was invoiced to the wrong cost centre; finance corrects it.', visibility: 'team' },
  { content: 'Decision expected within three weeks, says the authority.', visibility: 'everyone' },
  { content: 'Employee travels from the 3rd to the 9th; no appointments then.', visibility: 'everyone' },
]

export const notesOf = (index: number) =>
  Array.from({ length: 1 + (index % 3) }, (_, order) => pick(NOTES, index + order))

export interface Paper {
  countryCode: string
  kind: 'pdf' | 'png'
  fields: {
    type: string
    name: string
    description: string
    issueDate: string
    expiryDate: string | null
    referenceNumber: string
    country: string
  }
}

/** The papers of a case: the first ones of its checklist, as many as its progress asks for. */
export function papersOf({ process, current, fields }: Journey, index: number, today: Date): Paper[] {
  const received = process.checklist.slice(0, Math.min(1 + current, 1 + (index % process.checklist.length)))
  return received.map(({ type }, order) => ({
    countryCode: fields.hostCountry,
    kind: type === 'Photo' || type === 'Passport' ? 'png' : 'pdf',
    fields: {
      type,
      name: `${type} (specimen)`,
      description: 'Made up for the demo.',
      issueDate: dayOf(today, -400 - index),
      expiryDate: type === 'Passport' || type === 'Permit' ? dayOf(today, 15 + index * 20) : null,
      referenceNumber: `${type.slice(0, 1)}-${8000 + index * 10 + order}`,
      country: fields.hostCountry,
    },
  }))
}

/** A few cases have a checklist on which a colleague has ticked off the first paper. */
export const isChecked = (index: number) => index % 20 === 1

export const VIEWS = [
  {
    screen: 'cases',
    name: 'My overdue cases',
    query: { assignee: 'me', due: 'overdue', sort: 'dueDate' },
    shared: false,
  },
  {
    screen: 'cases',
    name: 'Unassigned cases',
    query: { assignee: 'none', status: 'open,pending' },
    shared: true,
  },
  {
    screen: 'expiring',
    name: 'Expires within 30 days',
    query: { within: '30' },
    shared: true,
  },
  {
    screen: 'applicants',
    name: 'People of Halden',
    query: { company: 'HALDEN' },
    shared: true,
  },
]

/** A receiver that does not exist, so that its deliveries fail. The name can never be registered (RFC 6761). */
export const WEBHOOK = {
  url: 'https://hooks.relocation.invalid/caseport',
  description: 'Dashboard of the relocation agency',
  eventTypes: ['case.checklist_changed'],
}
