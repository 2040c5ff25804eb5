// What the screens of cases share: the list, names, and the changes that can be undone.
import type { components } from '@caseport/sdk'
import { caseport } from '../../app/connection.ts'
import type { Texts } from '../../app/i18n.tsx'
import type { CaseStatus } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import type { ListedCase } from './cases.list.ts'

export type { CaseFilter, ListedCase } from './cases.list.ts'

export type Case = components['schemas']['Case']
export type CaseStep = components['schemas']['CaseStep']

/** What a change of a case makes out of date. */
export const CASE_LISTS = [['list', 'cases'], ['overview']] as const

/** How the companies of a case are called. */
export const COMPANY_LABELS = {
  hostCompany: 'field.hostCompany',
  sendingCompany: 'case.sendingCompany',
  billingCompany: 'field.billingCompany',
} as const

export const caseKey = (caseId: string) => ['case', caseId] as const
export const casePath = (caseId: string) => `/cases/${encodeURIComponent(caseId)}`

export const personOf = ({ applicant }: Pick<ListedCase, 'applicant'>): string => nameOf(applicant)

/** "Work permit, Germany". */
export const titleOf = (
  { processName, caseType, hostCountry }: Pick<ListedCase, 'processName' | 'caseType' | 'hostCountry'>,
  { country }: Pick<Texts, 'country'>,
): string => [processName || caseType, country(hostCountry)].filter(Boolean).join(', ')

/** A closed case has to be open before it is pending again. */
export async function changeStatus(
  caseId: string,
  from: CaseStatus,
  to: CaseStatus,
  options: Parameters<typeof caseport.cases.update>[2] = {},
): Promise<Case> {
  if (from !== 'closed' || to !== 'pending') return caseport.cases.update(caseId, { status: to }, options)
  const opened = await caseport.cases.update(caseId, { status: 'open' }, options)
  return caseport.cases.update(caseId, { status: to }, { ifMatch: opened })
}

interface Completion {
  /** The steps that were completed before one failed. */
  completed: string[]
  error: unknown
  /** The steps that it has changed, as they are then. */
  saved: CaseStep[]
}

/** Completes these steps, one after the other, until one fails. */
export async function completeSteps(caseId: string, stepIds: string[]): Promise<Completion> {
  const saved = new Map<string, CaseStep>()
  const completed: string[] = []
  let error: unknown
  try {
    for (const stepId of stepIds) {
      const { step, nextStep } = await caseport.cases.steps.complete(caseId, stepId)
      completed.push(stepId)
      saved.set(step.stepId, step)
      if (nextStep) saved.set(nextStep.stepId, nextStep)
    }
  } catch (cause) {
    error = cause
  }
  return { completed, error, saved: [...saved.values()] }
}

/** The first step in progress, or else the first that has not started: as in the list. */
export const currentStepOf = (steps: readonly CaseStep[]): CaseStep | undefined =>
  steps.find(({ status }) => status === 'inProgress') ?? steps.find(({ status }) => status === 'notStarted')
