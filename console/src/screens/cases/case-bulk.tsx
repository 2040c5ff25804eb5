// Assign, change the status of, or write a note on many cases. What can be undone is undone with the same progress.
import { Button, Group, Menu, Modal, SegmentedControl, Stack, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { notifyWithUndo } from '../../dialogs/notify.tsx'
import { BulkBar, runBulk, selectedOf } from '../../list/bulk.tsx'
import type { Selection } from '../../list/selection.ts'
import type { List } from '../../list/use-list.ts'
import { ColleagueSelect } from '../../records/colleagues.tsx'
import type { CaseStatus } from '../../records/links.tsx'
import { CASE_LISTS, type CaseFilter, changeStatus, type ListedCase, personOf } from './cases.ts'

const STATUSES: CaseStatus[] = ['open', 'pending', 'closed']
export type Visibility = 'team' | 'everyone'

const rowKey = ({ caseId }: ListedCase) => caseId

interface CaseBulkBarProps {
  list: List<ListedCase, CaseFilter>
  selection: Selection
}

export function CaseBulkBar({ list, selection }: CaseBulkBarProps) {
  const { t, tn } = useTexts()
  const count = selection.countOf(list.total, list.rows.map(rowKey))

  /** `undo` gets the case as it was and as the change made it: what has changed since is left as it is. */
  const run = async <R,>(
    title: string,
    change: (row: ListedCase) => Promise<R>,
    undo?: (before: ListedCase, saved: R) => Promise<unknown>,
  ) => {
    const changed = new Map<ListedCase, R>()
    const common = {
      keyOf: rowKey,
      nameOf: personOf,
      invalidates: [...CASE_LISTS, ['case']],
    }
    await runBulk<ListedCase>({
      ...common,
      title,
      items: selectedOf(list, selection, rowKey),
      async run(row) {
        changed.set(row, await change(row))
      },
    })
    selection.clear()
    if (undo && changed.size > 0)
      notifyWithUndo(
        tn('cases.bulkDone', changed.size),
        t('undo.action'),
        () =>
          void runBulk<ListedCase>({
            ...common,
            title: t('cases.bulkUndo'),
            items: [...changed.keys()],
            run: row => undo(row, changed.get(row) as R),
          }),
      )
  }
  const assign = async () => {
    const choice = await openDialog<{ userId: string | null } | undefined>(close => (
      <AssignDialog count={count} onClose={close} />
    ))
    if (!choice) return
    await run(
      t('cases.bulkAssign'),
      row => caseport.cases.update(row.caseId, { assigneeId: choice.userId }),
      (before, saved) =>
        caseport.cases.update(
          before.caseId,
          { assigneeId: before.assignee?.userId ?? null },
          { ifMatch: saved },
        ),
    )
  }
  const setStatus = (status: CaseStatus) =>
    run(
      t('cases.bulkStatus'),
      row => changeStatus(row.caseId, row.status, status),
      (before, saved) => changeStatus(before.caseId, status, before.status, { ifMatch: saved }),
    )
  const note = async () => {
    const body = await openDialog<{ content: string; visibility: Visibility } | undefined>(close => (
      <NoteDialog count={count} onClose={close} />
    ))
    if (!body) return
    // A retry of a failed record must not write a second note.
    const attempt = crypto.getRandomValues(new Uint32Array(3)).join('-')
    await run(t('cases.bulkNote'), row =>
      caseport.cases.notes.add(row.caseId, body, {
        idempotencyKey: `${attempt}-${row.caseId}`.slice(0, 255),
      }),
    )
  }

  return (
    <BulkBar list={list} selection={selection} rowKey={rowKey}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="person" size={14} />}
        onClick={() => void assign()}
      >
        {t('cases.bulkAssign')}
      </Button>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button size="compact-sm" variant="default" leftSection={<Icon name="flag" size={14} />}>
            {t('cases.bulkStatus')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {STATUSES.map(status => (
            <Menu.Item key={status} onClick={() => void setStatus(status)}>
              {t(`caseStatus.${status}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="note" size={14} />}
        onClick={() => void note()}
      >
        {t('cases.bulkNote')}
      </Button>
    </BulkBar>
  )
}

interface DialogProps<T> {
  count: number
  onClose(result: T | undefined): void
}

function AssignDialog({ count, onClose }: DialogProps<{ userId: string | null }>) {
  const { t, tn } = useTexts()
  const [userId, setUserId] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onClose({ userId })
  }
  return (
    <Modal
      opened
      onClose={() => onClose(undefined)}
      title={t('cases.bulkAssign')}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <ColleagueSelect
            label={t('cases.assignee')}
            placeholder={t('assignee.none')}
            value={userId}
            onChange={setUserId}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button type="submit">
              {tn(userId === null ? 'cases.unassignCount' : 'cases.assignCount', count)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function NoteDialog({ count, onClose }: DialogProps<{ content: string; visibility: Visibility }>) {
  const { t, tn } = useTexts()
  const [content, setContent] = useState('')
  const [visibility, setVisibility] = useState<Visibility>('team')
  return (
    <FormDialog
      title={t('cases.bulkNote')}
      action={tn('cases.noteCount', count)}
      size="lg"
      isReady={content.trim() !== ''}
      // The notes are written by the run that follows.
      onSubmit={() => Promise.resolve()}
      onDone={() => onClose({ content: content.trim(), visibility })}
      onClose={() => onClose(undefined)}
    >
      <Textarea
        label={t('notes.content')}
        value={content}
        onChange={event => setContent(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={12}
        maxLength={20_000}
        data-autofocus
      />
      <VisibilityControl value={visibility} onChange={setVisibility} />
    </FormDialog>
  )
}

interface VisibilityControlProps {
  value: Visibility
  disabled?: boolean
  onChange(value: Visibility): void
}

export function VisibilityControl({ value, disabled = false, onChange }: VisibilityControlProps) {
  const { t } = useTexts()
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('notes.visibility')}
      value={value}
      disabled={disabled}
      onChange={next => onChange(next as Visibility)}
      data={[
        { value: 'team', label: t('notes.team') },
        { value: 'everyone', label: t('notes.everyone') },
      ]}
    />
  )
}
