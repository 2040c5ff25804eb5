// Callers with tokens of the external issuer that are rejected.
import type { components } from '@caseport/sdk'
import { Button, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { errorText } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { notifyDone, notifyError } from '../../dialogs/notify.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar, SearchField } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { wholeList } from '../../list/whole-list.ts'

type Blocked = components['schemas']['BlockedCaller']

const FILTERS = ['q'] as const

export function BlockedCallers() {
  const texts = useTexts()
  const { t, ago } = texts
  const list = useList<Blocked, 'q'>({
    name: 'blocked-callers',
    filters: FILTERS,
    load: async ({ q }, _page, signal) =>
      wholeList(await caseport.blockedCallers.list({ signal }), q, blocked => [
        blocked.caller,
        blocked.reason,
      ]),
  })
  const block = async () => {
    if (await openDialog<boolean>(close => <BlockDialog onClose={close} />)) {
      notifyDone(t('blocked.done'))
      list.refresh()
    }
  }
  const unblock = async ({ blockId, caller }: Blocked) => {
    const isSure = await confirm({
      title: t('blocked.unblock'),
      text: t('blocked.unblockHelp', { caller }),
      action: t('blocked.unblock'),
      isDangerous: false,
    })
    if (!isSure) return
    try {
      await caseport.blockedCallers.unblock(blockId)
      notifyDone(t('blocked.undone'))
    } catch (error) {
      notifyError(t('state.error'), errorText(error, texts))
    }
    list.refresh()
  }
  const columns: Column<Blocked>[] = [
    {
      id: 'caller',
      header: t('blocked.caller'),
      width: 'minmax(200px, 2fr)',
      narrow: 'title',
      cell: blocked => blocked.caller,
    },
    {
      id: 'reason',
      header: t('blocked.reason'),
      width: 'minmax(160px, 2fr)',
      cell: blocked => blocked.reason,
    },
    { id: 'since', header: t('blocked.since'), width: '130px', cell: blocked => ago(blocked.createdAt) },
    {
      id: 'action',
      header: t('blocked.action'),
      width: '130px',
      cell: blocked => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('blocked.unblockOne', { caller: blocked.caller })}
          onClick={() => void unblock(blocked)}
        >
          {t('blocked.unblock')}
        </Button>
      ),
    },
  ]
  return (
    <div className="split">
      <div className="split-list">
        <FilterBar
          list={list}
          end={
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void block()}>
              {t('blocked.block')}
            </Button>
          }
        >
          <SearchField list={list} label={t('blocked.search')} />
        </FilterBar>
        <DataTable
          label={t('connections.show.blocked')}
          list={list}
          columns={columns}
          rowKey={blocked => blocked.blockId}
          rowLabel={blocked => blocked.caller}
          empty={{ title: t('blocked.empty'), text: t('blocked.emptyHelp') }}
        />
      </div>
    </div>
  )
}

function BlockDialog({ onClose }: { onClose: (isDone: boolean) => void }) {
  const { t } = useTexts()
  const [caller, setCaller] = useState('')
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      title={t('blocked.block')}
      action={t('blocked.block')}
      isReady={caller.trim() !== '' && reason.trim() !== ''}
      onSubmit={async () => {
        await caseport.blockedCallers.block({ caller: caller.trim(), reason: reason.trim() })
      }}
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      {errorOf => (
        <>
          <TextInput
            label={t('blocked.caller')}
            description={t('blocked.callerHelp')}
            value={caller}
            maxLength={1024}
            onChange={event => setCaller(event.currentTarget.value)}
            error={errorOf('caller')}
            data-autofocus
          />
          <Textarea
            label={t('blocked.reason')}
            value={reason}
            onChange={event => setReason(event.currentTarget.value)}
            error={errorOf('reason')}
          />
        </>
      )}
    </FormDialog>
  )
}
