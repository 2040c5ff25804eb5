import type { components } from '@caseport/sdk'
import { SegmentedControl, Select } from '@mantine/core'
import { useMemo } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { useGo } from '../../app/router.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar } from '../../list/filter-bar.tsx'
import { SavedViews } from '../../list/saved-views.tsx'
import { useList } from '../../list/use-list.ts'
import { ExpiryBadge, ToneBadge, useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { DateFilter } from './date-filter.tsx'
import type { PanelProps } from './documents.screen.tsx'

export type Expiring = components['schemas']['Expiring']

const FILTERS = ['within', 'kind', 'company', 'expiresFrom', 'expiresTo', 'sort'] as const
type Filter = (typeof FILTERS)[number]
const WITHIN = ['expired', '7', '30', '60', '90'] as const

export function ExpiringList({ open, onOpen }: PanelProps) {
  const { t, country } = useTexts()
  const { companies } = useCompanies()
  const go = useGo()
  const list = useList<Expiring, Filter>({
    name: 'expiring',
    filters: FILTERS,
    load: (query, page, signal) =>
      caseport.expiring.list({ ...(query as object), ...page }, { signal }).first(),
  })
  const columns = useMemo<Column<Expiring>[]>(() => {
    const all: Column<Expiring>[] = [
      {
        id: 'person',
        header: t('documents.person'),
        width: 'minmax(140px, 1.4fr)',
        narrow: 'title',
        cell: row => nameOf(row.applicant),
      },
      {
        id: 'kind',
        header: t('documents.kind'),
        width: '120px',
        cell: row => (
          <ToneBadge tone={row.kind === 'passport' ? 'info' : 'neutral'}>
            {t(row.kind === 'passport' ? 'documents.passport' : 'documents.document')}
          </ToneBadge>
        ),
      },
      {
        id: 'name',
        header: t('documents.name'),
        width: 'minmax(140px, 1.6fr)',
        cell: row => row.name ?? row.type,
      },
      {
        id: 'expiry',
        header: t('documents.expiry'),
        width: 'minmax(180px, 1.2fr)',
        sort: 'expiryDate',
        cell: row => <ExpiryBadge date={row.expiryDate} />,
      },
      {
        id: 'country',
        header: t('documents.country'),
        width: 'minmax(90px, 1fr)',
        cell: row => country(row.country),
      },
      {
        id: 'number',
        header: t('documents.number'),
        width: 'minmax(80px, 0.7fr)',
        narrow: 'hidden',
        cell: row => row.applicant.employeeNumber ?? '',
      },
    ]
    return open ? all.filter(({ id }) => ['person', 'name', 'expiry'].includes(id)) : all
  }, [t, country, open])

  return (
    <>
      <FilterBar list={list} end={<SavedViews screen="expiring" list={list} />}>
        <SegmentedControl
          className="filter-segments"
          aria-label={t('documents.within')}
          value={list.query.within ?? 'all'}
          data={[
            { value: 'all', label: t('documents.within.all') },
            ...WITHIN.map(value => ({ value, label: t(`documents.within.${value}`) })),
          ]}
          onChange={value => list.setQuery({ within: value === 'all' ? undefined : value })}
        />
        <Select
          className="filter-select"
          clearable
          placeholder={t('documents.kind')}
          aria-label={t('documents.kind')}
          data={[
            { value: 'passport', label: t('documents.passports') },
            { value: 'document', label: t('documents.documents') },
          ]}
          value={list.query.kind ?? null}
          onChange={value => list.setQuery({ kind: value ?? undefined })}
        />
        <Select
          className="filter-select"
          searchable
          clearable
          placeholder={t('people.company')}
          aria-label={t('people.company')}
          data={companies.map(({ companyId, name }) => ({ value: companyId, label: name }))}
          value={list.query.company ?? null}
          onChange={value => list.setQuery({ company: value ?? undefined })}
        />
        <DateFilter list={list} filter="expiresFrom" label={t('documents.expiresFrom')} />
        <DateFilter list={list} filter="expiresTo" label={t('documents.expiresTo')} />
      </FilterBar>
      <DataTable
        label={t('documents.show.expiring')}
        list={list}
        columns={columns}
        rowKey={expiringKey}
        rowLabel={row => `${nameOf(row.applicant)}: ${row.name ?? row.type}`}
        onOpen={row =>
          row.documentId
            ? onOpen(row.documentId)
            : go(`/people/${encodeURIComponent(row.applicant.applicantId)}`)
        }
        openKey={open}
        empty={{ title: t('documents.noneExpires'), text: t('documents.noneExpiresHelp') }}
      />
    </>
  )
}

/** A document by its id, so that the open one is marked. */
export const expiringKey = (row: Expiring): string => row.documentId ?? row.passportId ?? ''

export function ExpiringIcon({ kind }: Pick<Expiring, 'kind'>) {
  return <Icon name={kind === 'passport' ? 'person' : 'document'} size={14} />
}
