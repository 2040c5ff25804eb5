import type { components } from '@caseport/sdk'
import { Button, Select } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import type { Search } from '../../app/router.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar, SearchField } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { wholeList } from '../../list/whole-list.ts'
import { type Webhook, WebhookDialog } from './webhook-dialog.tsx'
import { stateOf, useShowSecret, WebhookPanel, WebhookState } from './webhook-panel.tsx'

const FILTERS = ['q', 'state'] as const

type Filter = (typeof FILTERS)[number]

export function Webhooks() {
  const { t, ago } = useTexts()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const open = search['webhook']
  const openWebhook = (webhook: string | undefined) =>
    void navigate({ to: '.', search: ((old: Search) => ({ ...old, webhook })) as never })
  const list = useList<Webhook, Filter>({
    name: 'webhooks',
    filters: FILTERS,
    async load({ q, state }, _page, signal) {
      const isFailing = state === 'failing'
      const all = await caseport.webhooks.list({ signal, ...(isFailing && { failing: true }) })
      const wanted = all.filter(webhook => !state || isFailing || stateOf(webhook) === state)
      return wholeList(wanted, q, webhook => [webhook.url, webhook.description, ...webhook.eventTypes])
    },
  })
  const show = useShowSecret()
  const add = async () => {
    const created = await openDialog<components['schemas']['WebhookWithSecret'] | undefined>(close => (
      <WebhookDialog onClose={close} />
    ))
    if (!created) return
    list.refresh()
    await show(created.url, created.secret)
    openWebhook(created.webhookId)
  }
  const all: Column<Webhook>[] = [
    {
      id: 'url',
      header: t('webhooks.url'),
      width: 'minmax(180px, 2fr)',
      narrow: 'title',
      cell: webhook => webhook.url,
    },
    {
      id: 'description',
      header: t('documents.description'),
      width: 'minmax(120px, 1.2fr)',
      cell: webhook => webhook.description,
    },
    {
      id: 'events',
      header: t('webhooks.events'),
      width: 'minmax(140px, 1.4fr)',
      cell: webhook => webhook.eventTypes.join(', ') || t('webhooks.allEvents'),
    },
    {
      id: 'state',
      header: t('users.state'),
      width: '130px',
      cell: webhook => <WebhookState webhook={webhook} />,
    },
    {
      id: 'created',
      header: t('clients.created'),
      width: '120px',
      narrow: 'hidden',
      cell: webhook => ago(webhook.createdAt),
    },
  ]
  const columns = open ? all.filter(({ id }) => id === 'url' || id === 'state') : all
  return (
    <div className={open ? 'split has-open' : 'split'}>
      <div className="split-list">
        <FilterBar
          list={list}
          end={
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void add()}>
              {t('webhooks.add')}
            </Button>
          }
        >
          <SearchField list={list} label={t('webhooks.search')} />
          <Select
            className="filter-select"
            clearable
            placeholder={t('users.state')}
            aria-label={t('users.state')}
            data={(['active', 'failing', 'off'] as const).map(value => ({
              value,
              label: t(`webhooks.state.${value}`),
            }))}
            value={list.query.state ?? null}
            onChange={value => list.setQuery({ state: value ?? undefined })}
          />
        </FilterBar>
        <DataTable
          label={t('connections.show.webhooks')}
          list={list}
          columns={columns}
          rowKey={webhook => webhook.webhookId}
          rowLabel={webhook => webhook.url}
          onOpen={webhook => openWebhook(webhook.webhookId)}
          openKey={open}
          empty={{ title: t('webhooks.empty'), text: t('webhooks.emptyHelp') }}
        />
      </div>
      {open && (
        <WebhookPanel
          key={open}
          webhookId={open}
          onChanged={list.refresh}
          onClose={() => openWebhook(undefined)}
        />
      )}
    </div>
  )
}
