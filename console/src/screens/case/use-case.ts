// The case of the screen: its fields, with undo and conflicts, and its steps.
import { isCaseportError } from '@caseport/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useAttempts } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { errorText } from '../../app/states.tsx'
import { notifyDone, notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { type EditedRecord, isEqual, useRecord, type Versioned, versioned } from '../../fields/use-record.ts'
import { fieldName } from '../../records/changes.ts'
import { useColleagues } from '../../records/colleagues.tsx'
import { useCompanies } from '../../records/links.tsx'
import {
  CASE_LISTS,
  type Case,
  type CaseStep,
  COMPANY_LABELS,
  caseKey,
  completeSteps,
  currentStepOf,
} from '../cases/cases.ts'
import { type StepField, undoSteps } from '../cases/undo-steps.ts'

/** As it is edited: the assignee by id. */
export interface EditedCase extends Case {
  assigneeId: string | null
}

type StepChanges = Parameters<typeof caseport.cases.steps.update>[2]
type ShownChanges = Partial<Pick<CaseStep, 'name' | 'status' | 'dueDate' | 'assignee'>>

/** A change of a step that is not saved yet. */
interface PendingStep {
  stepId: string
  shown: ShownChanges
}

/** A change of a step that is saved. */
interface StepChange {
  message: string
  /** The message where the step was like this before. */
  unchanged: string
  /** The steps as the service had them just before: those on the screen may be out of date. */
  before: CaseStep[]
  /** The steps that the change returned. */
  saved: CaseStep[]
  fields?: StepField[] | undefined
}

export interface CaseActions extends EditedRecord<EditedCase> {
  caseId: string
  /** As it is saved: it stays the same until its change is. */
  currentStep: CaseStep | undefined
  /** The step with the changes that are not saved yet. */
  shownStep(step: CaseStep): CaseStep
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

const withPending = (step: CaseStep, pending: PendingStep[]): CaseStep =>
  Object.assign({ ...step }, ...pending.filter(one => one.stepId === step.stepId).map(one => one.shown))

export function useCase(caseId: string): CaseActions {
  const texts = useTexts()
  const { t, date, country } = texts
  const client = useQueryClient()
  const { nameOfCompany } = useCompanies()
  const { nameOfColleague } = useColleagues()
  const [busyStep, setBusyStep] = useState<string>()
  const attempt = useAttempts()
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  const [pending, setPending] = useState<PendingStep[]>([])
  /** The same before the screen has followed. */
  const latestPending = useRef(pending)
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

  const updatePending = (next: PendingStep[]) => {
    latestPending.current = next
    setPending(next)
  }

  /** Whether the step has this status, or is about to get it: the key was pressed before the screen followed. */
  const hasStatus = (stepId: string, status: CaseStep['status']): boolean => {
    const saved = client.getQueryData<Versioned<EditedCase>>(queryKey)?.value.steps
    const step = saved?.find(one => one.stepId === stepId)
    return step !== undefined && withPending(step, latestPending.current).status === status
  }

  const notifyChanged = ({ stepId, name }: Pick<CaseStep, 'stepId' | 'name'>, change: StepChange) => {
    const { message, unchanged, ...undo } = change
    const find = (steps: CaseStep[]) => steps.find(one => one.stepId === stepId)
    // There is nothing to undo where another person has made the same change before.
    if (isEqual(find(undo.before), find(undo.saved))) return notifyDone(unchanged)
    notifyWithUndo(message, t('undo.action'), () => {
      undoSteps({ caseId, ...undo }, texts)
        .catch((error: unknown) => notifyError(t('steps.failed', { name }), errorText(error, texts)))
        .finally(() => void refresh())
    })
  }

  /**
   * Runs a change of a step after those before it, and shows it meanwhile, or its error. To undo it is offered if the change
   * succeeds and returns the steps as they were before and as they are saved.
   */
  const run = async (
    step: Pick<CaseStep, 'stepId' | 'name'>,
    change: () => Promise<StepChange | undefined>,
    shown: ShownChanges = {},
  ): Promise<boolean> => {
    if (shown.status && hasStatus(step.stepId, shown.status)) return false
    const added = { stepId: step.stepId, shown }
    updatePending([...latestPending.current, added])
    const work = queue.current.then(async () => {
      setBusyStep(step.stepId)
      try {
        const changed = await change()
        await refresh()
        if (changed) notifyChanged(step, changed)
        return true
      } catch (error) {
        notifyError(t('steps.failed', { name: step.name }), errorText(error, texts))
        void refresh()
        return false
      } finally {
        setBusyStep(undefined)
        updatePending(latestPending.current.filter(one => one !== added))
      }
    })
    queue.current = work
    return work
  }

  const shownChanges = ({ name, status, dueDate, assigneeId }: StepChanges): ShownChanges => ({
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(dueDate !== undefined && { dueDate }),
    ...(assigneeId !== undefined && {
      assignee: assigneeId === null ? null : { userId: assigneeId, name: nameOfColleague(assigneeId) },
    }),
  })

  const statusTexts = ({ name }: CaseStep, status: CaseStep['status']) => {
    const marks = { name, status: t(`stepStatus.${status}`) }
    return { message: t('steps.changed', marks), unchanged: t('steps.changedAlready', marks) }
  }

  const steps = edited.record?.steps ?? []
  return {
    ...edited,
    caseId,
    currentStep: currentStepOf(steps),
    shownStep: step => withPending(step, pending),
    busyStep,
    async completeStep(step) {
      await run(
        step,
        async () => {
          const before = await caseport.cases.steps.listForCase(caseId)
          const { error, saved } = await completeSteps(caseId, [step.stepId])
          if (error !== undefined) throw error
          return { ...statusTexts(step, 'completed'), before, saved }
        },
        { status: 'completed' },
      )
    },
    changeStep: (step, changes) =>
      run(
        step,
        async () => {
          const before = await caseport.cases.steps.listForCase(caseId)
          const updated = await caseport.cases.steps.update(caseId, step.stepId, changes)
          const saved = [updated]
          if (changes.status !== undefined) return { ...statusTexts(step, changes.status), before, saved }
          const fields = Object.keys(shownChanges(changes)) as StepField[]
          const { name, dueDate } = updated
          // A started step without a due date of its own has that of its process.
          const message =
            changes.dueDate === null && dueDate !== null
              ? t('steps.dueByProcess', { name, date: date(dueDate) })
              : t('steps.saved', { name })
          return { message, unchanged: message, before, saved, fields }
        },
        shownChanges(changes),
      ),
    addStep: name =>
      run({ stepId: 'new', name }, async () => {
        const body = { name }
        await attempt(body, idempotencyKey => caseport.cases.steps.add(caseId, body, { idempotencyKey }))
        return undefined
      }),
    changed: () => void client.invalidateQueries({ queryKey: caseKey(caseId) }),
  }
}
