import { isDeepStrictEqual } from 'node:util'
import type { Sql } from '../db/database.ts'
import type { Window } from '../db/keyset.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isId, newId } from '../lib/ids.ts'
import { declareProblem, type FieldError, invalid } from '../lib/problem.ts'
import { requireAssignable } from './assignee.ts'
import {
  datesAfter,
  datesKept,
  dueAfter,
  requireStepTransition,
  type StepDates,
  type StepStatus,
} from './case.ts'
import { caseNotFound } from './cases.service.ts'
import * as cases from './cases.store.ts'
import type { StepRow, StoredStep } from './steps.store.ts'
import * as store from './steps.store.ts'

export const stepNotFound = declareProblem({
  code: 'step-not-found',
  status: 404,
  title: 'The case has no such step.',
  remedy: 'List its steps with GET /v2/case/{caseId}/steps.',
})

export interface NewStep {
  name: string
  sequence?: number
  dueDate?: string | null
  assigneeId?: string | null
}

export interface StepPatch {
  name?: string
  status?: StepStatus
  startDate?: string | null
  completionDate?: string | null
  dueDate?: string | null
  assigneeId?: string | null
}

interface Owner {
  caseId: string
  applicantId: string
  companyIds: string[]
}

export type Steps = ReturnType<typeof createSteps>

export function createSteps(sql: Sql) {
  /** Throws where a date of the patch contradicts its status, or would be dropped without notice. */
  const requireDatesKept = ({ status, startDate, completionDate }: StepPatch, dates: StepDates) => {
    const errors: FieldError[] = []
    if (startDate && startDate !== dates.startDate)
      errors.push({ pointer: '/startDate', detail: 'A step of this status has no start date. Leave it out.' })
    const isOpen = status === 'notStarted' || status === 'inProgress'
    if (completionDate && (isOpen || completionDate !== dates.completionDate))
      errors.push({
        pointer: '/completionDate',
        detail: 'A step that is not completed has no completion date. Leave it out, or complete the step.',
      })
    if (errors.length > 0) throw invalid(errors)
  }

  const lockOwner = async ({ tx }: UnitOfWork, caseId: string): Promise<Owner> => {
    const owner = await cases.lockCase(tx, caseId)
    if (!owner) throw caseNotFound()
    return { caseId, ...owner }
  }

  const getStored = async ({ tx }: UnitOfWork, { caseId }: Owner, stepId: string): Promise<StoredStep> => {
    const step = await store.findStep(tx, caseId, stepId)
    if (!step) throw stepNotFound()
    return step
  }

  /** Changes a step of a case that is locked, and returns whether anything has changed. */
  const change = async (
    unit: UnitOfWork,
    owner: Owner,
    { current, patch }: { current: StoredStep; patch: StepPatch },
  ): Promise<boolean> => {
    const { tx, now } = unit
    const { stepId } = current
    const status = patch.status ?? current.status
    requireStepTransition(current.status, status)
    const kept = datesKept(current.status, status, current)
    const given = {
      startDate: patch.startDate === undefined ? kept.startDate : patch.startDate,
      completionDate: patch.completionDate === undefined ? kept.completionDate : patch.completionDate,
    }
    const dates = datesAfter(current.status, status, {
      dates: given,
      isStartSent: patch.startDate !== undefined,
      today: dayOf(now),
    })
    if (dates.startDate && dates.completionDate && dates.completionDate < dates.startDate)
      throw invalid([
        patch.startDate && !patch.completionDate
          ? { pointer: '/startDate', detail: `Must not be after completionDate, ${dates.completionDate}.` }
          : { pointer: '/completionDate', detail: `Must not be before startDate, ${dates.startDate}.` },
      ])
    requireDatesKept(patch, dates)
    const due = dueAfter(current, { sent: patch.dueDate, startDate: dates.startDate })
    const assigneeId = patch.assigneeId === undefined ? current.assigneeId : patch.assigneeId
    if (assigneeId !== current.assigneeId) await requireAssignable(unit, assigneeId, owner.companyIds)
    const step = { ...current, name: patch.name ?? current.name, status, ...dates, ...due, assigneeId }
    unit.audit({
      action: 'case.step_write',
      recordId: owner.caseId,
      before: { steps: { [stepId]: fieldsOf(current) } },
      after: { steps: { [stepId]: fieldsOf(step) } },
    })
    if (isDeepStrictEqual(step, { ...current })) return false
    await store.updateStep(tx, step, now)
    emitStepChanged(unit, owner, stepId)
    return true
  }

  return {
    list: (window: Window) => store.listSteps(sql, window),

    async listNames(stepIds: string[]): Promise<Map<string, string>> {
      if (stepIds.length === 0) return new Map()
      const rows = await store.listStepNames(sql, stepIds)
      return new Map(rows.map(({ stepId, name }) => [stepId, name]))
    },

    async listOf(caseId: string): Promise<StepRow[]> {
      const steps = isId(caseId) ? await store.findStepsOf(sql, caseId) : undefined
      if (!steps) throw caseNotFound()
      return steps
    },

    async add(
      unit: UnitOfWork,
      caseId: string,
      { name, sequence, dueDate = null, assigneeId = null }: NewStep,
    ): Promise<StepRow> {
      const { tx, now } = unit
      const owner = await lockOwner(unit, caseId)
      await requireAssignable(unit, assigneeId, owner.companyIds)
      const last = (await store.countSteps(tx, caseId)) + 1
      const at = sequence ?? last
      if (at > last)
        throw invalid([
          { pointer: '/sequence', detail: `Must be ${last} or less: the case has ${last - 1} steps.` },
        ])
      const stepId = newId<'step'>()
      const step = {
        stepId,
        sequence: at,
        name,
        status: 'notStarted' as const,
        startDate: null,
        completionDate: null,
        dueDate,
        dueDays: null,
        dueDateIsSet: dueDate !== null,
        assigneeId,
      }
      await Promise.all([
        at < last && store.shiftSteps(tx, caseId, { from: at, now }),
        store.insertSteps(tx, caseId, { steps: [step], now }),
        cases.touchCase(tx, caseId, now),
      ])
      const added = { sequence: at, ...fieldsOf(step) }
      unit.audit({ action: 'case.step_write', recordId: caseId, after: { steps: { [stepId]: added } } })
      emitStepChanged(unit, owner, stepId)
      return store.getStep(tx, stepId)
    },

    async merge(
      unit: UnitOfWork,
      { caseId, stepId }: { caseId: string; stepId: string },
      patch: StepPatch,
    ): Promise<StepRow> {
      const owner = await lockOwner(unit, caseId)
      const current = await getStored(unit, owner, stepId)
      if (await change(unit, owner, { current, patch })) await cases.touchCase(unit.tx, caseId, unit.now)
      return store.getStep(unit.tx, stepId)
    },

    /**
     * Completes a step and starts the next one that is neither completed nor waived. A step that is completed already stays
     * as it is, and nothing is started: a repetition changes nothing.
     */
    async complete(
      unit: UnitOfWork,
      { caseId, stepId }: { caseId: string; stepId: string },
      { completionDate }: Pick<StepPatch, 'completionDate'>,
    ): Promise<{ step: StepRow; nextStep: StepRow | null }> {
      const { tx, now } = unit
      const owner = await lockOwner(unit, caseId)
      const current = await getStored(unit, owner, stepId)
      const next = await store.findNextStep(tx, caseId, current.sequence)
      const isCompleted = current.status === 'completed'
      const patch: StepPatch = {
        status: 'completed',
        ...(!isCompleted && { completionDate: completionDate ?? dayOf(now) }),
      }
      if (await change(unit, owner, { current, patch })) {
        if (next?.status === 'notStarted')
          await change(unit, owner, { current: next, patch: { status: 'inProgress' } })
        await cases.touchCase(tx, caseId, now)
      }
      return {
        step: await store.getStep(tx, stepId),
        nextStep: next ? await store.getStep(tx, next.stepId) : null,
      }
    },
  }
}

const dayOf = (moment: Date) => moment.toISOString().slice(0, 10)

/** What the audit compares. */
const fieldsOf = ({ name, status, startDate, completionDate, dueDate, assigneeId }: StoredStep) => ({
  name,
  status,
  startDate,
  completionDate,
  dueDate,
  assigneeId,
})

function emitStepChanged(unit: UnitOfWork, { caseId, applicantId }: Owner, stepId: string): void {
  unit.emit({ type: 'case.step_changed', recordId: caseId, data: { caseId, applicantId, stepId } })
}
