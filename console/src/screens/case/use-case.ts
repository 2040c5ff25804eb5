// The case of the screen: its fields, with undo and conflicts, and its steps.
import { isCaseportError } from '@caseport/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { errorText } from '../../app/states.tsx'
import { notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { type EditedRecord, useRecord, type Versioned, versioned } from '../../fields/use-record.ts'
import { useColleagues } from '../../records/colleagues.tsx'
import { useCompanies } from '../../records/links.tsx'
import { fieldName } from '../../records/timeline.tsx'
import {
  CASE_LISTS,
  type Case,
  type CaseStep,
  COMPANY_LABELS,
  caseKey,
  completeSteps,
  currentStepOf,
  restoreStep,
} from '../cases/cases.ts'

/** As it is edited: the assignee by id. */
export interface EditedCase extends Case {
  assigneeId: string | null
}

type StepChanges = Parameters<typeof caseport.cases.steps.update>[2]

export interface CaseActions extends EditedRecord<EditedCase> {
  caseId: string
  currentStep: CaseStep | undefined
  /** The step that is being changed. */
  busyStep: string | undefined
  completeStep(step: CaseStep): Promise<void>
  changeStep(step: CaseStep, changes: StepChanges): Promise<boolean>
  addStep(name: string): Promise<boolean>
  /** After something that belongs to the case has changed, such as a note or a file. */
  changed(): void
}

const isCompany = (field: string): field is keyof typeof COMPANY_LABELS =>
  Object.hasOwn(COMPANY_LABELS, field)

const editedOf = (record: Case): Versioned<EditedCase> => {
  const { etag } = versioned(record)
  return { value: { ...record, assigneeId: record.assignee?.userId ?? null }, etag }
}

export function useCase(caseId: string): CaseActions {
  const texts = useTexts()
  const { t, date, country } = texts
  const client = useQueryClient()
  const { nameOfCompany } = useCompanies()
  const { nameOfColleague } = useColleagues()
  const [busyStep, setBusyStep] = useState<string>()
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  /** The status that steps get by changes which are not saved yet. */
  const requested = useRef(new Map<string, CaseStep['status']>())
  const queryKey = [...caseKey(caseId), 'record']
  const timelineKey = [...caseKey(caseId), 'timeline']

  const edited = useRecord<EditedCase>({
    queryKey,
    read: async signal => editedOf(await caseport.cases.get(caseId, signal ? { signal } : {})),
    async write(changes, etag) {
      const body = changes as Parameters<typeof caseport.cases.update>[1]
      try {
        return editedOf(await caseport.cases.update(caseId, body, { ifMatch: etag }))
      } catch (error) {
        // Undoing "closed": a closed case has to be open before it is pending again.
        if (!isCaseportError(error, 'invalid-transition') || changes.status !== 'pending') throw error
        const opened = await caseport.cases.update(caseId, { status: 'open' }, { ifMatch: etag })
        return editedOf(await caseport.cases.update(caseId, body, { ifMatch: opened }))
      }
    },
    invalidates: [...CASE_LISTS, timelineKey, [...caseKey(caseId), 'checklist']],
    labelOf: field => (isCompany(field) ? t(COMPANY_LABELS[field]) : fieldName(field, texts)),
    show(value, field) {
      if (value === null || value === undefined) return ''
      if (field === 'assigneeId') return nameOfColleague(String(value)) || String(value)
      if (field === 'status') return t(`caseStatus.${value as 'open'}`)
      if (field === 'dueDate') return date(String(value))
      if (field === 'hostCountry' || field === 'homeCountry') return country(String(value))
      if (isCompany(field)) return nameOfCompany(String(value))
      if (field === 'metadata')
        return (value as EditedCase['metadata']).map(tag => `${tag.tagName}: ${tag.value}`).join(', ')
      return String(value)
    },
  })

  const refresh = async () => {
    await client.invalidateQueries({ queryKey })
    for (const key of [...CASE_LISTS, timelineKey]) void client.invalidateQueries({ queryKey: key })
  }

  /** False where the step has this status, or is about to get it: the key was pressed before the screen followed. */
  const claim = (stepId: string, status: CaseStep['status']): boolean => {
    const shown = client.getQueryData<Versioned<EditedCase>>(queryKey)?.value.steps
    const now = requested.current.get(stepId) ?? shown?.find(step => step.stepId === stepId)?.status
    if (now === status) return false
    requested.current.set(stepId, status)
    return true
  }

  /** Runs a change of a step after those before it; shows its error. `undo` is offered if the change succeeds. */
  const run = async (
    step: Pick<CaseStep, 'stepId' | 'name'>,
    change: () => Promise<{ message: string; undo?: () => Promise<unknown> }>,
    status?: CaseStep['status'],
  ): Promise<boolean> => {
    if (status && !claim(step.stepId, status)) return false
    const work = queue.current.then(async () => {
      setBusyStep(step.stepId)
      try {
        const { message, undo } = await change()
        await refresh()
        if (undo)
          notifyWithUndo(message, t('undo.action'), () => {
            undo()
              .catch((error: unknown) =>
                notifyError(t('steps.failed', { name: step.name }), errorText(error, texts)),
              )
              .finally(() => void refresh())
          })
        return true
      } catch (error) {
        notifyError(t('steps.failed', { name: step.name }), errorText(error, texts))
        void refresh()
        return false
      } finally {
        setBusyStep(undefined)
        if (status) requested.current.delete(step.stepId)
      }
    })
    queue.current = work
    return work
  }

  const steps = edited.record?.steps ?? []
  return {
    ...edited,
    caseId,
    currentStep: currentStepOf(steps),
    busyStep,
    async completeStep(step) {
      await run(
        step,
        async () => {
          const { error, undo } = await completeSteps(caseId, [step.stepId], steps)
          if (error !== undefined) throw error
          return { message: t('steps.changed', { name: step.name, status: t('stepStatus.completed') }), undo }
        },
        'completed',
      )
    },
    changeStep: (step, changes) =>
      run(
        step,
        async () => {
          const saved = await caseport.cases.steps.update(caseId, step.stepId, changes)
          if (changes.status !== undefined)
            return {
              message: t('steps.changed', { name: step.name, status: t(`stepStatus.${changes.status}`) }),
              undo: () => restoreStep(step, saved.status),
            }
          const before = {
            ...('name' in changes && { name: step.name }),
            ...('dueDate' in changes && { dueDate: step.dueDate }),
            ...('assigneeId' in changes && { assigneeId: step.assignee?.userId ?? null }),
            ...('startDate' in changes && { startDate: step.startDate }),
            ...('completionDate' in changes && { completionDate: step.completionDate }),
          }
          return {
            message: t('steps.saved', { name: step.name }),
            undo: () => caseport.cases.steps.update(caseId, step.stepId, before),
          }
        },
        changes.status,
      ),
    addStep: name =>
      run({ stepId: 'new', name }, async () => {
        await caseport.cases.steps.add(caseId, { name })
        return { message: t('steps.added', { name }) }
      }),
    changed: () => void client.invalidateQueries({ queryKey: caseKey(caseId) }),
  }
}
