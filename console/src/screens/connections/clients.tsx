import type { components } from '@caseport/sdk'
import { Button } from '@mantine/core'
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
import { useCompanyNames } from '../setup/access-fields.tsx'
import { type Client, ClientDialog, showClientSecret } from './client-dialogs.tsx'
import { ClientPanel, ClientState } from './client-panel.tsx'

const FILTERS = ['q'] as const

export function Clients() {
  const texts = useTexts()
  const { t, ago } = texts
  const namesOf = useCompanyNames()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const open = search['client']
  const openClient = (client: string | undefined) =>
    void navigate({ to: '.', search: ((old: Search) => ({ ...old, client })) as never })
  const list = useList<Client, 'q'>({
    name: 'clients',
    filters: FILTERS,
    load: async ({ q }, _page, signal) =>
      wholeList(await caseport.clients.list({ signal }), q, client => [
        client.name,
        client.clientId,
        ...client.scopes,
      ]),
  })
  const add = async () => {
    const created = await openDialog<components['schemas']['CreatedClient'] | undefined>(close => (
      <ClientDialog onClose={close} />
    ))
    if (!created) return
    list.refresh()
    if (created.clientSecret)
      await showClientSecret(created.name, created.clientId, created.clientSecret, texts)
    openClient(created.clientId)
  }
  const all: Column<Client>[] = [
    {
      id: 'name',
      header: t('clients.name'),
      width: 'minmax(140px, 1.4fr)',
      narrow: 'title',
      cell: client => client.name,
    },
    { id: 'id', header: t('clients.id'), width: 'minmax(130px, 1.2fr)', cell: client => client.clientId },
    {
      id: 'scopes',
      header: t('clients.scopes'),
      width: 'minmax(140px, 1.6fr)',
      cell: client => client.scopes.join(', '),
    },
    {
      id: 'companies',
      header: t('access.companies'),
      width: 'minmax(110px, 1fr)',
      cell: client => namesOf(client.companies),
    },
    {
      id: 'state',
      header: t('users.state'),
      width: '110px',
      cell: client => <ClientState client={client} />,
    },
    {
      id: 'created',
      header: t('clients.created'),
      width: '120px',
      narrow: 'hidden',
      cell: client => ago(client.createdAt),
    },
  ]
  const columns = open ? all.filter(({ id }) => id === 'name' || id === 'state') : all
  return (
    <div className={open ? 'split has-open' : 'split'}>
      <div className="split-list">
        <FilterBar
          list={list}
          end={
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void add()}>
              {t('clients.add')}
            </Button>
          }
        >
          <SearchField list={list} label={t('clients.search')} />
        </FilterBar>
        <DataTable
          label={t('connections.show.clients')}
          list={list}
          columns={columns}
          rowKey={client => client.clientId}
          rowLabel={client => client.name}
          onOpen={client => openClient(client.clientId)}
          openKey={open}
          empty={{ title: t('clients.empty') }}
        />
      </div>
      {open && (
        <ClientPanel
          key={open}
          clientId={open}
          onChanged={list.refresh}
          onClose={() => openClient(undefined)}
        />
      )}
    </div>
  )
}
