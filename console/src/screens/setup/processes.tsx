// Processes: the steps of a case in their order, when each is due, and the documents that a case needs.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import type { Search } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState, NotFound, SkeletonLines } from '../../app/states.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar, SearchField } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { wholeList } from '../../list/whole-list.ts'
import { type Process, ProcessForm, readProcess } from './process-form.tsx'

const FILTERS = ['q'] as const

/** The address of a process that does not exist yet. */
const NEW = '+'

export function Processes() {
  const { t, tn, country } = useTexts()
  const { can } = useSession()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const open = search['process']
  const openProcess = (process: string | undefined) =>
    void navigate({ to: '.', search: ((old: Search) => ({ ...old, process })) as never })
  const list = useList<Process, 'q'>({
    name: 'processes',
    filters: FILTERS,
    load: async ({ q }, _page, signal) =>
      wholeList(await caseport.processes.list({ signal }), q, process => [
        process.name,
        process.caseType,
        process.hostCountry,
        ...process.steps,
      ]),
  })
  const columns = useMemo<Column<Process>[]>(() => {
    const all: Column<Process>[] = [
      {
        id: 'name',
        header: t('processes.name'),
        width: 'minmax(160px, 2fr)',
        narrow: 'title',
        cell: process => process.name,
      },
      { id: 'type', header: t('processes.caseType'), cell: process => process.caseType ?? '' },
      { id: 'country', header: t('processes.hostCountry'), cell: process => country(process.hostCountry) },
      {
        id: 'steps',
        header: t('processes.steps'),
        width: '110px',
        cell: process => tn('processes.stepCount', process.steps.length),
      },
    ]
    return open ? all.filter(({ id }) => id === 'name' || id === 'steps') : all
  }, [t, tn, country, open])
  return (
    <div className={open ? 'split has-open' : 'split'}>
      <div className="split-list">
        <FilterBar
          list={list}
          end={
            can('setup:write') && (
              <Button leftSection={<Icon name="plus" size={16} />} onClick={() => openProcess(NEW)}>
                {t('processes.add')}
              </Button>
            )
          }
        >
          <SearchField list={list} label={t('processes.search')} />
        </FilterBar>
        <DataTable
          label={t('setup.show.processes')}
          list={list}
          columns={columns}
          rowKey={process => process.name}
          rowLabel={process => process.name}
          onOpen={process => openProcess(process.name)}
          openKey={open}
          empty={{ title: t('processes.empty'), text: t('processes.emptyHelp') }}
        />
      </div>
      {open && (
        <ProcessPanel
          key={open}
          name={open === NEW ? undefined : open}
          onSaved={name => {
            list.refresh()
            openProcess(name)
          }}
          onClose={() => {
            list.refresh()
            openProcess(undefined)
          }}
        />
      )}
    </div>
  )
}

interface ProcessPanelProps {
  /** A new one without. */
  name: string | undefined
  onSaved(name: string): void
  onClose(): void
}

function ProcessPanel({ name, onSaved, onClose }: ProcessPanelProps) {
  const { t } = useTexts()
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['process', name],
    // `null`: there is none of this name.
    queryFn: async ({ signal }) => (name === undefined ? null : ((await readProcess(name, signal)) ?? null)),
    // Read when it is opened, and not again: what is being edited must not be replaced.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <aside className="split-panel" aria-label={name ?? t('processes.add')}>
      {error && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <SkeletonLines lines={8} />
      ) : name !== undefined && !data ? (
        <NotFound />
      ) : (
        <ProcessForm loaded={data ?? undefined} onSaved={onSaved} onClose={onClose} />
      )}
    </aside>
  )
}
