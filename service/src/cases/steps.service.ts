import type { Sql } from '../db/database.ts'
import type { Window } from '../db/keyset.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { isId, newId } from '../lib/ids.ts'
import { declareProblem, type FieldError, invalid } from '../lib/problem.ts'
import { datesAfter, datesKept, requireStepTransition, type StepDates, type StepStatus } from './case.ts'
import { caseNotFound } from './cases.service.ts'
import * as cases from './cases.store.ts'
import type { Step, StepRow } from './steps.store.ts'
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
}

export interface StepPatch {
  name?: string
  status?: StepStatus
  startDate?: string | null
  completionDate?: string | null
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

  return {
    list: (window: Window) => store.listSteps(sql, window),

    async listOf(caseId: string): Promise<StepRow[]> {
      const steps = isId(caseId) ? await store.findStepsOf(sql, caseId) : undefined
      if (!steps) throw caseNotFound()
      return steps
    },

    async add(unit: UnitOfWork, caseId: string, { name, sequence }: NewStep): Promise<StepRow> {
      const { tx, now } = unit
      const owner = await cases.lockCase(tx, caseId)
      if (!owner) throw caseNotFound()
      const last = (await store.countSteps(tx, caseId)) + 1
      const at = sequence ?? last
      if (at > last)
        throw invalid([
          { pointer: '/sequence', detail: `Must be ${last} or less: the case has ${last - 1} steps.` },
        ])
      const stepId = newId<'step'>()
      await Promise.all([
        at < last && store.shiftSteps(tx, caseId, { from: at, now }),
        store.insertSteps(tx, caseId, {
          steps: [
            { stepId, sequence: at, name, status: 'notStarted', startDate: null, completionDate: null },
          ],
          now,
        }),
        cases.touchCase(tx, caseId, now),
      ])
      const added = { name, sequence: at, status: 'notStarted' }
      unit.audit({ action: 'case.step_write', recordId: caseId, after: { steps: { [stepId]: added } } })
      emitStepChanged(unit, { caseId, stepId, applicantId: owner.applicantId })
      return store.getStep(tx, stepId)
    },

    async merge(
      unit: UnitOfWork,
      { caseId, stepId }: { caseId: string; stepId: string },
      patch: StepPatch,
    ): Promise<StepRow> {
      const { tx, now } = unit
      const owner = await cases.lockCase(tx, caseId)
      if (!owner) throw caseNotFound()
      const current = await store.findStep(tx, caseId, stepId)
      if (!current) throw stepNotFound()
      const status = patch.status ?? current.status
      requireStepTransition(current.status, status)
      const kept = datesKept(current.status, status, current)
      const given = {
        startDate: patch.startDate === undefined ? kept.startDate : patch.startDate,
        completionDate: patch.completionDate === undefined ? kept.completionDate : patch.completionDate,
      }
      const dates = datesAfter(current.status, status, {
        dates: given,
        today: now.toISOString().slice(0, 10),
      })
      if (dates.startDate && dates.completionDate && dates.completionDate < dates.startDate)
        throw invalid([{ pointer: '/completionDate', detail: 'Must not be before startDate.' }])
      requireDatesKept(patch, dates)
      const step = { ...current, name: patch.name ?? current.name, status, ...dates }
      if (JSON.stringify(step) !== JSON.stringify(current)) {
        await Promise.all([store.updateStep(tx, step, now), cases.touchCase(tx, caseId, now)])
        emitStepChanged(unit, { caseId, stepId, applicantId: owner.applicantId })
      }
      unit.audit({
        action: 'case.step_write',
        recordId: caseId,
        before: { steps: { [stepId]: fieldsOf(current) } },
        after: { steps: { [stepId]: fieldsOf(step) } },
      })
      return store.getStep(tx, stepId)
    },
  }
}

/** What the audit compares. */
const fieldsOf = ({ name, status, startDate, completionDate }: Step) => ({
  name,
  status,
  startDate,
  completionDate,
})

function emitStepChanged(
  unit: UnitOfWork,
  data: { caseId: string; stepId: string; applicantId: string },
): void {
  unit.emit({ type: 'case.step_changed', recordId: data.caseId, data })
}
