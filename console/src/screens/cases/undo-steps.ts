// Undoes a change of steps. They have no ETag in the API, so they are read first, to see whether another person has changed them.
import { caseport } from '../../app/connection.ts'
import type { Texts } from '../../app/i18n.tsx'
import { askConflict } from '../../fields/conflict.tsx'
import { isEqual } from '../../fields/use-record.ts'
import { fieldName } from '../../records/changes.ts'
import type { StepStatus } from '../../records/links.tsx'
import type { CaseStep } from './cases.ts'

const STEP_CHANGES: Record<StepStatus, StepStatus[]> = {
  notStarted: ['inProgress', 'completed', 'waived'],
  inProgress: ['completed', 'waived'],
  completed: ['inProgress'],
  waived: ['notStarted'],
}

/** The shortest way from one status to another that the service allows, without the first. */
function statusPath(from: StepStatus, to: StepStatus): StepStatus[] {
  const paths: StepStatus[][] = [[from]]
  for (const path of paths) {
    const last = path.at(-1) as StepStatus
    if (last === to) return path.slice(1)
    for (const next of STEP_CHANGES[last]) if (!path.includes(next)) paths.push([...path, next])
  }
  return []
}

/** Gives a step the status and the dates back that it had. */
async function restoreStatus(before: CaseStep, now: StepStatus): Promise<void> {
  const { caseId, stepId, status, startDate, completionDate } = before
  const path = statusPath(now, status)
  for (const [index, next] of path.entries()) {
    const isLast = index === path.length - 1
    await caseport.cases.steps.update(caseId, stepId, {
      status: next,
      ...(isLast && startDate !== null && { startDate }),
      ...(isLast && status === 'completed' && completionDate !== null && { completionDate }),
    })
  }
}

export type StepField = 'status' | 'name' | 'dueDate' | 'assignee' | 'startDate' | 'completionDate'
const STATUS_FIELDS: StepField[] = ['status', 'startDate', 'completionDate']

function shown(step: CaseStep, field: StepField, { t, date }: Texts): string {
  if (field === 'status') return t(`stepStatus.${step.status}`)
  if (field === 'assignee') return step.assignee?.name ?? ''
  return field === 'name' ? step.name : date(step[field])
}

async function restore(before: CaseStep, now: CaseStep, fields: StepField[]): Promise<void> {
  // The dates belong to the status.
  if (fields.includes('status')) return restoreStatus(before, now.status)
  const { caseId, stepId, assignee } = before
  await caseport.cases.steps.update(caseId, stepId, {
    ...Object.fromEntries(fields.filter(field => field !== 'assignee').map(field => [field, before[field]])),
    ...(fields.includes('assignee') && { assigneeId: assignee?.userId ?? null }),
  })
}

interface StepUndo {
  caseId: string
  /** The steps before the change; others of the case may be among them. */
  before: readonly CaseStep[]
  /** The steps that the change has changed, as they were then. */
  saved: readonly CaseStep[]
  /** What was changed; the status by default. */
  fields?: StepField[] | undefined
}

/** Where another person has changed the same of a step since, the person decides. */
export async function undoSteps(
  { caseId, before, saved, fields = STATUS_FIELDS }: StepUndo,
  texts: Texts,
): Promise<void> {
  const current = await caseport.cases.steps.listForCase(caseId)
  const find = (steps: readonly CaseStep[], { stepId }: CaseStep) =>
    steps.find(step => step.stepId === stepId)
  // From the last one: a step is not started before the one that it follows is open again.
  const changes = before.toReversed().flatMap(step => {
    const [made, now] = [find(saved, step), find(current, step)]
    if (!made || !now) return []
    return [{ step, made, now, changed: fields.filter(field => !isEqual(step[field], made[field])) }]
  })
  const conflicts = changes.flatMap(({ step, made, now, changed }) =>
    changed
      .filter(field => !isEqual(now[field], made[field]) && !isEqual(now[field], step[field]))
      .map(field => ({
        label: `${step.name}: ${fieldName(field, texts)}`,
        mine: shown(step, field, texts),
        theirs: shown(now, field, texts),
      })),
  )
  if (conflicts.length > 0 && (await askConflict(conflicts)) === 'theirs') return
  for (const { step, now, changed } of changes) if (changed.length > 0) await restore(step, now, changed)
}
