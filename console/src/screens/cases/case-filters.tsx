import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { useSession } from '../../app/session.tsx'
import { FilterBar, SearchField } from '../../list/filter-bar.tsx'
import type { List } from '../../list/use-list.ts'
import { useColleagues } from '../../records/colleagues.tsx'
import { countryOptionsWith } from '../../records/countries.ts'
import { useCompanies } from '../../records/links.tsx'
import { useProcesses } from '../../records/processes.ts'
import { ALL_STATUSES, CASE_DEFAULTS, type CaseFilter, type ListedCase } from './cases.list.ts'

interface FilterSelectProps {
  label: string
  value: string | undefined
  data: { value: string; label: string }[]
  onChange(value: string | undefined): void
  isSearchable?: boolean
  isClearable?: boolean
}

function FilterSelect({
  label,
  value,
  data,
  onChange,
  isSearchable = false,
  isClearable = true,
}: FilterSelectProps) {
  return (
    <Select
      size="sm"
      className="filter-select"
      aria-label={label}
      placeholder={label}
      data={data}
      value={value ?? null}
      onChange={next => onChange(next ?? undefined)}
      searchable={isSearchable}
      clearable={isClearable}
    />
  )
}

export function CaseFilters({ list, isBoard }: { list: List<ListedCase, CaseFilter>; isBoard: boolean }) {
  const { t, language } = useTexts()
  const { me, isLimited } = useSession()
  const { companies } = useCompanies()
  const { colleagues } = useColleagues()
  const { processes } = useProcesses()
  const { query, setQuery } = list
  // Filters that a shared address or a saved view sets must be seen.
  const isFurtherSet = Boolean(query.caseType || query.hostCountry || query.vip)
  const [isExpanded, setExpanded] = useState(isFurtherSet)
  const isStatusSet = query.status !== undefined && query.status !== CASE_DEFAULTS.status
  const setCount = [isStatusSet, query.due, query.assignee, query.company].filter(Boolean).length
  const areAllShown = isExpanded || isFurtherSet

  const types = [
    ...new Set(
      [
        ...processes.map(process => process.caseType),
        ...list.rows.map(row => row.caseType),
        query.caseType,
      ].filter((type): type is string => !!type),
    ),
  ].sort()
  const others = colleagues.filter(({ userId }) => userId !== me.userId)
  const isKnownAssignee = ['me', 'none', ...others.map(({ userId }) => userId)].includes(
    query.assignee ?? 'me',
  )

  return (
    <FilterBar list={list}>
      <SearchField list={list} label={t('cases.search')} />
      <div className={areAllShown ? 'filters is-expanded' : 'filters'}>
        <FilterSelect
          label={t('cases.status')}
          value={query.status}
          isClearable={false}
          onChange={status => setQuery({ status: status === CASE_DEFAULTS.status ? undefined : status })}
          data={[
            { value: CASE_DEFAULTS.status, label: t('cases.active') },
            { value: 'open', label: t('caseStatus.open') },
            { value: 'pending', label: t('caseStatus.pending') },
            { value: 'closed', label: t('caseStatus.closed') },
            { value: ALL_STATUSES, label: t('cases.allStatuses') },
          ]}
        />
        <FilterSelect
          label={t('cases.due')}
          value={query.due}
          onChange={due => setQuery({ due })}
          data={[
            { value: 'overdue', label: t('cases.overdue') },
            { value: '7', label: t('cases.due7') },
            { value: '30', label: t('cases.due30') },
          ]}
        />
        <FilterSelect
          label={t('cases.assignee')}
          value={query.assignee}
          isSearchable
          onChange={assignee => setQuery({ assignee })}
          data={[
            { value: 'me', label: t('assignee.toMe') },
            { value: 'none', label: t('assignee.none') },
            ...others.map(({ userId, name }) => ({ value: userId, label: name })),
            ...(isKnownAssignee ? [] : [{ value: query.assignee ?? '', label: t('assignee.otherPerson') }]),
          ]}
        />
        {(!isLimited || companies.length > 1) && (
          <FilterSelect
            label={t('people.company')}
            value={query.company}
            isSearchable
            onChange={company => setQuery({ company })}
            data={companies.map(({ companyId, name }) => ({ value: companyId, label: name }))}
          />
        )}
        {areAllShown && (
          <>
            <FilterSelect
              label={t('field.caseType')}
              value={query.caseType}
              isSearchable
              onChange={caseType => setQuery({ caseType })}
              data={types.map(value => ({ value, label: value }))}
            />
            <FilterSelect
              label={t('field.hostCountry')}
              value={query.hostCountry?.toUpperCase()}
              isSearchable
              onChange={hostCountry => setQuery({ hostCountry })}
              data={countryOptionsWith(language, query.hostCountry?.toUpperCase())}
            />
            <FilterSelect
              label={t('cases.vip')}
              value={query.vip}
              onChange={vip => setQuery({ vip })}
              data={[
                { value: 'true', label: t('cases.vipOnly') },
                { value: 'false', label: t('cases.vipNot') },
              ]}
            />
          </>
        )}
        {isBoard && (
          <FilterSelect
            label={t('cases.sort')}
            value={query.sort ?? 'dueDate'}
            isClearable={false}
            onChange={sort => setQuery({ sort: sort === 'dueDate' ? undefined : sort })}
            data={[
              { value: 'dueDate', label: t('cases.byDue') },
              { value: 'name', label: t('cases.byName') },
              { value: '-updatedAt', label: t('cases.byUpdate') },
              { value: 'createdAt', label: t('cases.byAge') },
            ]}
          />
        )}
      </div>
      <Button
        variant="default"
        className="filters-toggle"
        leftSection={<Icon name="filter" size={16} />}
        aria-expanded={areAllShown}
        disabled={isFurtherSet}
        onClick={() => setExpanded(!areAllShown)}
      >
        {t(areAllShown ? 'cases.fewerFilters' : 'cases.moreFilters')}
        {/* A narrow window hides these filters until it is pressed. */}
        {!areAllShown && setCount > 0 && <span className="narrow-only">&nbsp;({setCount})</span>}
      </Button>
    </FilterBar>
  )
}
