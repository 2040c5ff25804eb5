import type { components } from '@caseport/sdk'
import { Button, Select, Text } from '@mantine/core'
import { useMemo, useRef } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar } from '../../list/filter-bar.tsx'
import { SavedViews } from '../../list/saved-views.tsx'
import { useList } from '../../list/use-list.ts'
import { ExpiryBadge } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { DateFilter } from './date-filter.tsx'
import type { PanelProps } from './documents.screen.tsx'

type Row = components['schemas']['ListedDocument']

const FILTERS = [
  'applicantId',
  'caseId',
  'status',
  'type',
  'countryCode',
  'expiresFrom',
  'expiresTo',
  'hasFile',
  'sort',
] as const
type Filter = (typeof FILTERS)[number]
const DEFAULTS = { sort: '-updatedAt' }
const STATUSES = ['active', 'expiring', 'expired'] as const

export function DocumentList({ open, onOpen }: PanelProps) {
  const { t, ago } = useTexts()
  const list = useList<Row, Filter>({
    name: 'documents',
    filters: FILTERS,
    defaults: DEFAULTS,
    async load({ hasFile, ...query }, page, signal) {
      const params = { ...query, ...(hasFile && { hasFile: hasFile === 'true' }) } as object
      return caseport.documents.search({ ...params, ...page }, { signal }).first()
    },
  })
  const types = useSeen(list.rows.map(({ type }) => type).concat(list.query.type ?? []))
  const columns = useMemo<Column<Row>[]>(() => {
    const name: Column<Row> = {
      id: 'name',
      header: t('documents.name'),
      width: 'minmax(150px, 2fr)',
      narrow: 'title',
      cell: row => row.name ?? row.type,
    }
    const person: Column<Row> = {
      id: 'person',
      header: t('documents.person'),
      width: 'minmax(120px, 1.4fr)',
      cell: row => nameOf(row.applicant),
    }
    const expiry: Column<Row> = {
      id: 'expiry',
      header: t('documents.expiry'),
      width: 'minmax(170px, 1.2fr)',
      sort: 'expiryDate',
      cell: row => <ExpiryBadge date={row.expiryDate} />,
    }
    if (open) return [name, person, expiry]
    return [
      name,
      { id: 'type', header: t('documents.type'), width: 'minmax(110px, 1fr)', cell: row => row.type },
      person,
      {
        id: 'number',
        header: t('documents.number'),
        width: 'minmax(80px, 0.7fr)',
        cell: row => row.employeeNumber ?? '',
      },
      expiry,
      {
        id: 'file',
        header: t('documents.file'),
        width: 'minmax(120px, 1.2fr)',
        cell: row =>
          row.fileName ?? (
            <Text size="sm" c="dimmed" component="span">
              {t('documents.noFile')}
            </Text>
          ),
      },
      {
        id: 'updated',
        header: t('documents.updated'),
        width: '130px',
        sort: 'updatedAt',
        narrow: 'hidden',
        cell: row => ago(row.updatedAt),
      },
    ]
  }, [t, ago, open])

  return (
    <>
      <FilterBar list={list} end={<SavedViews screen="documents" list={list} />}>
        <Select
          className="filter-select"
          searchable
          clearable
          placeholder={t('documents.type')}
          aria-label={t('documents.type')}
          data={types}
          value={list.query.type ?? null}
          onChange={value => list.setQuery({ type: value ?? undefined })}
        />
        <Select
          className="filter-select"
          clearable
          placeholder={t('documents.status')}
          aria-label={t('documents.status')}
          data={STATUSES.map(value => ({ value, label: t(`documentStatus.${value}`) }))}
          value={list.query.status ?? null}
          onChange={value => list.setQuery({ status: value ?? undefined })}
        />
        <Select
          className="filter-select"
          clearable
          placeholder={t('documents.file')}
          aria-label={t('documents.file')}
          data={[
            { value: 'true', label: t('documents.withFile') },
            { value: 'false', label: t('documents.withoutFile') },
          ]}
          value={list.query.hasFile ?? null}
          onChange={value => list.setQuery({ hasFile: value ?? undefined })}
        />
        <DateFilter list={list} filter="expiresFrom" label={t('documents.expiresFrom')} />
        <DateFilter list={list} filter="expiresTo" label={t('documents.expiresTo')} />
        {list.query.applicantId && (
          <Button variant="light" size="compact-sm" onClick={() => list.setQuery({ applicantId: undefined })}>
            {t('documents.ofOnePerson')} ✕
          </Button>
        )}
        {list.query.caseId && (
          <Button variant="light" size="compact-sm" onClick={() => list.setQuery({ caseId: undefined })}>
            {t('documents.ofOneCase')} ✕
          </Button>
        )}
      </FilterBar>
      <DataTable
        label={t('documents.title')}
        list={list}
        columns={columns}
        rowKey={row => row.documentId}
        rowLabel={row => row.name ?? row.type}
        onOpen={row => onOpen(row.documentId)}
        openKey={open}
        empty={{ title: t('documents.empty'), text: t('documents.emptyHelp') }}
      />
    </>
  )
}

/** The API filters by a whole type, and lists none: those that were on screen are offered. */
function useSeen(values: string[]): string[] {
  const seen = useRef(new Set<string>())
  for (const value of values) seen.current.add(value)
  return [...seen.current].sort((a, b) => a.localeCompare(b))
}
