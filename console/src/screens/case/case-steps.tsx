// The steps of a case. The current one is completed with one key; due dates and assignees are edited where they are read.
import { ActionIcon, Button, Group, Menu, Text, Tooltip } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type Action, useActions } from '../../app/actions.tsx'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { Section } from '../../app/section.tsx'
import { InlineField } from '../../fields/inline-field.tsx'
import { useAssigneeOptions } from '../../records/colleagues.tsx'
import type { StepStatus } from '../../records/links.tsx'
import type { CaseStep } from '../cases/cases.ts'
import { DueBadge } from '../cases/due-badge.tsx'
import { AddLine } from './add-line.tsx'
import type { CaseActions } from './use-case.ts'

interface StepAction {
  id: string
  label: 'steps.complete' | 'steps.start' | 'steps.waive' | 'steps.reopen'
  shortcut: string
  from: StepStatus[]
  run(work: CaseActions, step: CaseStep): void
}

const STEP_ACTIONS: StepAction[] = [
  {
    id: 'complete',
    label: 'steps.complete',
    shortcut: 'c',
    from: ['notStarted', 'inProgress'],
    run: (work, step) => void work.completeStep(step),
  },
  {
    id: 'start',
    label: 'steps.start',
    shortcut: 's',
    from: ['notStarted'],
    run: (work, step) => void work.changeStep(step, { status: 'inProgress' }),
  },
  {
    id: 'waive',
    label: 'steps.waive',
    shortcut: 'w',
    from: ['notStarted', 'inProgress'],
    run: (work, step) => void work.changeStep(step, { status: 'waived' }),
  },
  {
    id: 'reopen',
    label: 'steps.reopen',
    shortcut: 'r',
    from: ['completed', 'waived'],
    run: (work, step) =>
      void work.changeStep(step, { status: step.status === 'waived' ? 'notStarted' : 'inProgress' }),
  },
]

const isFinished = ({ status }: CaseStep) => status === 'completed' || status === 'waived'

export function CaseSteps({ work, canWrite }: { work: CaseActions; canWrite: boolean }) {
  const { t } = useTexts()
  const steps = work.record?.steps ?? []
  const list = useRef<HTMLOListElement>(null)
  const [isAdding, setAdding] = useState(false)
  const { currentStep } = work

  const latest = useRef({ work, steps })
  latest.current = { work, steps }
  const count = Math.min(9, steps.length)
  useActions(
    useMemo<Action[]>(() => {
      const group = t('steps.title')
      // A key means the step that has the focus, or else the current one.
      const target = () => {
        const id = document.activeElement?.closest('[data-step]')?.getAttribute('data-step')
        return latest.current.steps.find(({ stepId }) => stepId === id) ?? latest.current.work.currentStep
      }
      const digits = Array.from({ length: count }, (_, index) => ({
        id: `step-${index + 1}`,
        label: t('steps.focus', { number: index + 1 }),
        icon: 'chevronRight' as const,
        group,
        shortcut: String(index + 1),
        run: () => list.current?.querySelectorAll<HTMLElement>('[data-step]')[index]?.focus(),
      }))
      if (!canWrite) return digits
      return [
        ...STEP_ACTIONS.map(({ id, label, shortcut, from, run }) => ({
          id: `step-${id}`,
          label: id === 'complete' ? t('steps.completeNext') : t(label),
          icon: 'check' as const,
          group,
          shortcut,
          run() {
            const step = target()
            if (step && from.includes(step.status)) run(latest.current.work, step)
          },
        })),
        ...digits,
      ]
    }, [t, canWrite, count]),
  )

  // The button of a step is gone once it is completed. The next step gets the focus, and its keys; not its button, which a
  // key that is held would press.
  const pressed = useRef<string>(undefined)
  useEffect(() => {
    if (work.busyStep !== undefined || pressed.current === undefined) return
    const row =
      list.current?.querySelector<HTMLElement>('[aria-current]') ??
      list.current?.querySelector<HTMLElement>(`[data-step="${pressed.current}"]`)
    if (document.activeElement === document.body) row?.focus({ preventScroll: true })
    pressed.current = undefined
  }, [work.busyStep])

  return (
    <Section
      title={t('steps.title')}
      aside={
        steps.length > 0 && (
          <Text size="sm" c="dimmed">
            {t('steps.progress', {
              finished: steps.filter(isFinished).length,
              total: steps.length,
            })}
          </Text>
        )
      }
      actions={
        canWrite && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setAdding(true)}
          >
            {t('steps.add')}
          </Button>
        )
      }
    >
      {steps.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('steps.none')}
        </Text>
      )}
      <ol className="steps" ref={list}>
        {steps.map((step, index) => (
          <StepRow
            key={step.stepId}
            step={step}
            number={index + 1}
            isCurrent={step.stepId === currentStep?.stepId}
            work={work}
            canWrite={canWrite}
            onPress={() => {
              pressed.current = step.stepId
            }}
          />
        ))}
      </ol>
      {isAdding && (
        <AddLine
          label={t('steps.name')}
          maxLength={300}
          onAdd={work.addStep}
          onClose={() => setAdding(false)}
        />
      )}
    </Section>
  )
}

interface StepRowProps {
  step: CaseStep
  number: number
  isCurrent: boolean
  work: CaseActions
  canWrite: boolean
  /** Before the button of the step runs its action. */
  onPress(): void
}

function StepRow({ step, number, isCurrent, work, canWrite, onPress }: StepRowProps) {
  const { t, date } = useTexts()
  const assignees = useAssigneeOptions(step.assignee)
  const shown = work.shownStep(step)
  const { name, status, startDate, completionDate, dueDate } = shown
  // A button stays where it is until its change is saved.
  const offered = canWrite ? STEP_ACTIONS.filter(({ from }) => from.includes(step.status)) : []
  // The step that is next has a button; the others are quiet.
  const main = isCurrent ? offered[0] : undefined
  const others = offered.filter(action => action !== main)
  const isBusy = work.busyStep === step.stepId
  const dates =
    status === 'completed' && completionDate
      ? t('steps.completed', { date: date(completionDate) })
      : startDate && status === 'inProgress'
        ? t('steps.started', { date: date(startDate) })
        : t(`stepStatus.${status}`)
  return (
    <li
      className={`step step-${status}${isCurrent ? ' is-current' : ''}`}
      aria-current={isCurrent ? 'step' : undefined}
      tabIndex={-1}
      data-step={step.stepId}
    >
      <StepMark status={status} number={number} />
      <div className="step-name">
        <Text fw={isCurrent ? 650 : 500} size="sm">
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {dates}
        </Text>
      </div>
      <div className="step-due">
        {canWrite && !isFinished(shown) ? (
          <InlineField
            label={t('steps.due')}
            of={name}
            kind="date"
            value={dueDate}
            display={dueDate && <DueBadge date={dueDate} />}
            onSave={value => work.changeStep(step, { dueDate: value })}
          />
        ) : (
          dueDate &&
          !isFinished(shown) && (
            <InlineField label={t('steps.due')} value={dueDate} display={<DueBadge date={dueDate} />} />
          )
        )}
      </div>
      <div className="step-assignee">
        {(canWrite || shown.assignee) && (
          <InlineField
            label={t('cases.assignee')}
            of={name}
            kind="select"
            options={assignees}
            value={shown.assignee?.userId ?? null}
            display={shown.assignee?.name}
            onSave={canWrite ? value => work.changeStep(step, { assigneeId: value }) : undefined}
          />
        )}
      </div>
      <Group gap={4} wrap="nowrap" justify="flex-end" className="step-actions no-print">
        {main && (
          <Tooltip label={t('steps.completeNext')}>
            <Button
              size="compact-sm"
              variant={isCurrent ? 'filled' : 'default'}
              loading={isBusy}
              onClick={() => {
                onPress()
                main.run(work, step)
              }}
              aria-label={`${t(main.label)}: ${name}`}
            >
              {t(main.label)}
            </Button>
          </Tooltip>
        )}
        {others.length > 0 && (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={t('steps.more', { name })}>
                <Icon name="dots" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {others.map(action => (
                <Menu.Item key={action.id} onClick={() => action.run(work, step)}>
                  {t(action.label)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
    </li>
  )
}

function StepMark({ status, number }: { status: StepStatus; number: number }) {
  const { t } = useTexts()
  return (
    <span className={`step-mark mark-${status}`} role="img" aria-label={t(`stepStatus.${status}`)}>
      {status === 'completed' ? (
        <Icon name="check" size={14} />
      ) : status === 'waived' ? (
        <Icon name="close" size={13} />
      ) : (
        <span aria-hidden="true">{number}</span>
      )}
    </span>
  )
}
