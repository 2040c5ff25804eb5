// What the screens of cases share: the list, names, and the changes that can be undone.
import type { components } from '@caseport/sdk'
import { caseport } from '../../app/connection.ts'
import type { Texts } from '../../app/i18n.tsx'
import type { CaseStatus, StepStatus } from '../../records/links.tsx'
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
export async function changeStatus(caseId: string, from: CaseStatus, to: CaseStatus): Promise<void> {
  if (from === 'closed' && to === 'pending') await caseport.cases.update(caseId, { status: 'open' })
  await caseport.cases.update(caseId, { status: to })
}

const STEP_CHANGES: Record<StepStatus, StepStatus[]> = {
  notStarted: ['inProgress', 'completed', 'waived'],
  inProgress: ['completed', 'waived'],
  completed: ['inProgress'],
  waived: ['notStarted'],
}

/** The shortest way from one status to another that the service allows, without the first. */
export function statusPath(from: StepStatus, to: StepStatus): StepStatus[] {
  const paths: StepStatus[][] = [[from]]
  for (const path of paths) {
    const last = path.at(-1) as StepStatus
    if (last === to) return path.slice(1)
    for (const next of STEP_CHANGES[last]) if (!path.includes(next)) paths.push([...path, next])
  }
  return []
}

/** Gives a step the status and the dates back that it had. */
export async function restoreStep(before: CaseStep, now: StepStatus): Promise<void> {
  const { caseId, stepId, status, startDate, completionDate } = before
  const path = statusPath(now, status)
  for (const [index, next] of path.entries()) {
    const isLast = index === path.length - 1
    await caseport.cases.steps.update(caseId, stepId, {
      status: next,
      ...(isLast && status !== 'notStarted' && startDate !== null && { startDate }),
      ...(isLast && status === 'completed' && completionDate !== null && { completionDate }),
    })
  }
}

interface Completion {
  /** The steps that were completed before one failed. */
  completed: string[]
  error: unknown
  undo(): Promise<void>
}

/** Completes these steps, one after the other, until one fails. */
export async function completeSteps(
  caseId: string,
  stepIds: string[],
  before: CaseStep[],
): Promise<Completion> {
  const touched = new Map<string, StepStatus>()
  const completed: string[] = []
  let error: unknown
  try {
    for (const stepId of stepIds) {
      const { step, nextStep } = await caseport.cases.steps.complete(caseId, stepId)
      completed.push(stepId)
      touched.set(step.stepId, step.status)
      if (nextStep) touched.set(nextStep.stepId, nextStep.status)
    }
  } catch (cause) {
    error = cause
  }
  const undo = async () => {
    // From the last one: a step is not started before the one that it follows is open again.
    for (const step of before.toReversed()) {
      const now = touched.get(step.stepId)
      if (now !== undefined && now !== step.status) await restoreStep(step, now)
    }
  }
  return { completed, error, undo }
}

/** The first step in progress, or else the first that has not started: as in the list. */
export const currentStepOf = (steps: readonly CaseStep[]): CaseStep | undefined =>
  steps.find(({ status }) => status === 'inProgress') ?? steps.find(({ status }) => status === 'notStarted')
