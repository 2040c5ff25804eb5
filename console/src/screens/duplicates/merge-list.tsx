import type { components } from '@caseport/sdk'
import { Button, Text, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { useGo } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { notifyDone } from '../../dialogs/notify.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { ToneBadge } from '../../records/links.tsx'

type Merge = components['schemas']['Merge']
const FILTERS = ['applicantId'] as const

export function MergeList() {
  const { t, time } = useTexts()
  const { can } = useSession()
  const cache = useQueryClient()
  const go = useGo()
  const list = useList<Merge, 'applicantId'>({
    name: 'merges',
    filters: FILTERS,
    load: (query, page, signal) => caseport.merges.list({ ...query, ...page }, { signal }).first(),
  })
  const undo = async (merge: Merge) => {
    if (!(await openDialog<boolean>(close => <UndoDialog merge={merge} onClose={close} />))) return
    notifyDone(t('duplicates.undone'))
    void cache.invalidateQueries({ queryKey: ['list'] })
  }
  const latest = useRef(undo)
  latest.current = undo
  const columns = useMemo<Column<Merge>[]>(
    () => [
      {
        id: 'number',
        header: t('duplicates.kept'),
        width: 'minmax(120px, 1fr)',
        narrow: 'title',
        cell: merge => merge.employeeNumber ?? merge.applicantId,
      },
      {
        id: 'retired',
        header: t('duplicates.absorbed'),
        width: 'minmax(120px, 1fr)',
        cell: merge => merge.retiredEmployeeNumber ?? merge.absorbedApplicantId,
      },
      { id: 'by', header: t('audit.who'), width: 'minmax(120px, 1fr)', cell: merge => merge.mergedBy },
      { id: 'at', header: t('audit.time'), width: '180px', cell: merge => time(merge.mergedAt) },
      {
        id: 'state',
        header: t('users.state'),
        width: 'minmax(150px, 1fr)',
        cell: merge =>
          merge.undoneAt ? (
            <ToneBadge tone="neutral">{t('duplicates.undoneAt', { time: time(merge.undoneAt) })}</ToneBadge>
          ) : can('desk:write', 'applicants:write') ? (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Icon name="undo" size={15} />}
              aria-label={t('duplicates.undoOf', {
                number: merge.retiredEmployeeNumber ?? merge.absorbedApplicantId,
              })}
              onClick={() => void latest.current(merge)}
            >
              {t('undo.action')}
            </Button>
          ) : (
            <ToneBadge tone="good">{t('duplicates.isMerged')}</ToneBadge>
          ),
      },
    ],
    [t, time, can],
  )
  return (
    <>
      <FilterBar list={list}>
        <Text size="sm" c="dimmed">
          {t('duplicates.mergesHelp')}
        </Text>
      </FilterBar>
      <DataTable
        label={t('duplicates.show.merges')}
        list={list}
        columns={columns}
        rowKey={merge => merge.mergeId}
        rowLabel={merge => merge.employeeNumber ?? merge.applicantId}
        onOpen={merge => go(`/people/${encodeURIComponent(merge.applicantId)}`)}
        empty={{ title: t('duplicates.noMerges') }}
      />
    </>
  )
}

function UndoDialog({ merge, onClose }: { merge: Merge; onClose: (isDone: boolean) => void }) {
  const { t } = useTexts()
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      title={t('duplicates.undoTitle')}
      action={t('undo.action')}
      onSubmit={() => caseport.merges.undo(merge.mergeId, { reason: reason.trim() || null })}
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      {errorOf => (
        <>
          <Text size="sm">{t('duplicates.undoHelp')}</Text>
          <Textarea
            label={t('duplicates.dismissReason')}
            value={reason}
            maxLength={1000}
            autosize
            minRows={2}
            onChange={event => setReason(event.currentTarget.value)}
            error={errorOf('reason')}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  )
}
