// Files of people: a new one, and those that were sent, by people or by other systems.
import type { Import, ImportStatus } from '@caseport/sdk/imports'
import { Select } from '@mantine/core'
import { useEffect, useMemo, useRef } from 'react'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { ImportStatusBadge } from './import-status.tsx'
import { importPath, imports, isWorking, OUTCOMES, STATUSES } from './imports.ts'
import { NewImport } from './new-import.tsx'
import './imports.css'

const FILTERS = ['status'] as const
const REFRESH_MS = 3_000

export default function ImportsScreen() {
  const { t } = useTexts()
  return (
    <PageFrame title={t('imports.title')} isFull>
      <div className="import-layout">
        <NewImport />
        <History />
      </div>
    </PageFrame>
  )
}

function History() {
  const texts = useTexts()
  const { t, time } = texts
  const list = useList<Import, 'status'>({
    name: 'imports',
    filters: FILTERS,
    load: ({ status }, { maxRecords, nextCursor }, signal) =>
      imports
        .list({ maxRecords, ...(status && { status: status as ImportStatus }) }, { signal })
        .page({ nextCursor }),
  })
  const isAnyWorking = list.rows.some(isWorking)
  const refresh = useRef(list.refresh)
  refresh.current = list.refresh
  // Imports make no events: while one of them is working, the list is read again.
  useEffect(() => {
    if (!isAnyWorking) return
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh.current(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [isAnyWorking])
  const columns = useMemo<Column<Import>[]>(
    () => [
      {
        id: 'when',
        header: t('imports.when'),
        width: 'minmax(152px, 1fr)',
        narrow: 'title',
        cell: one => time(one.createdAt),
      },
      {
        id: 'state',
        header: t('imports.state'),
        width: '200px',
        cell: one => <ImportStatusBadge one={one} />,
      },
      {
        id: 'who',
        header: t('imports.who'),
        width: 'minmax(80px, 1fr)',
        cell: one => one.createdByName ?? one.createdBy,
      },
      {
        id: 'result',
        header: t('imports.result'),
        width: 'minmax(100px, 3fr)',
        cell: one => resultOf(one, texts),
      },
    ],
    [t, time, texts],
  )
  return (
    <section className="import-history" aria-label={t('imports.history')}>
      <FilterBar list={list}>
        <Select
          className="filter-select"
          clearable
          placeholder={t('imports.state')}
          aria-label={t('imports.state')}
          data={STATUSES.map(value => ({ value, label: t(`imports.status.${value}`) }))}
          value={list.query.status ?? null}
          onChange={value => list.setQuery({ status: value ?? undefined })}
        />
      </FilterBar>
      <DataTable
        label={t('imports.history')}
        list={list}
        columns={columns}
        rowKey={one => one.importId}
        rowLabel={one => t('imports.of', { time: time(one.createdAt) })}
        href={one => importPath(one.importId)}
        empty={{ title: t('imports.none'), text: t('imports.noneHelp') }}
      />
    </section>
  )
}

/** What there is of each outcome, without those that there is nothing of; of a cancelled import, what was applied. */
function resultOf({ status, counts, progress }: Import, { t, tn, number }: Texts): string {
  if (status === 'cancelled')
    return t('imports.summary.applied', { count: number(progress.applied), total: number(counts.total) })
  const parts = OUTCOMES.filter(outcome => counts[outcome] > 0).map(outcome =>
    t(`imports.summary.${outcome}`, { count: number(counts[outcome]) }),
  )
  return parts.join(' · ') || tn('imports.total', counts.total)
}
