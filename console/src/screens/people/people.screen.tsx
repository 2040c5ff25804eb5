import { Button, Select } from '@mantine/core'
import { useCallback, useMemo, useRef, useState } from 'react'
import { type Action, useActions } from '../../app/actions.tsx'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { useGo } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { DataTable, type Folding } from '../../list/data-table.tsx'
import { FilterBar, SearchField } from '../../list/filter-bar.tsx'
import { SavedViews } from '../../list/saved-views.tsx'
import { useList } from '../../list/use-list.ts'
import { useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { canFold, foldedRows, type Person } from './families.ts'
import { NewPerson } from './new-person.tsx'
import { peopleList } from './people.list.ts'
import { usePeopleColumns } from './people-columns.tsx'

export default function PeopleScreen() {
  const { t, tn } = useTexts()
  const { can, isLimited } = useSession()
  const go = useGo()
  const latestGo = useRef(go)
  latestGo.current = go
  const { companies } = useCompanies()
  const list = useList(peopleList)

  const mayCreate = can('applicants:write')
  const create = useCallback(async () => {
    const applicantId = await openDialog<string | undefined>(close => <NewPerson onClose={close} />)
    if (applicantId) latestGo.current(`/people/${encodeURIComponent(applicantId)}`)
  }, [])
  useActions(
    useMemo<Action[]>(
      () =>
        mayCreate
          ? [
              {
                id: 'new-person',
                label: t('people.new'),
                icon: 'plus',
                group: t('shell.group.list'),
                shortcut: 'n',
                run: () => void create(),
              },
            ]
          : [],
      [mayCreate, create, t],
    ),
  )

  const columns = usePeopleColumns()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const isFolded = canFold(list.query)
  const rows = useMemo(
    () => (isFolded ? foldedRows(list.rows, open) : list.rows),
    [isFolded, list.rows, open],
  )
  const folding = useMemo<Folding<Person>>(
    () => ({
      sizeOf: person => person.dependents?.length ?? 0,
      isOpen: person => open.has(person.applicantId),
      isMember: person => person.primaryApplicantId !== null,
      toggle: ({ applicantId }) => setOpen(old => new Set(old).symmetricDifference(new Set([applicantId]))),
      label: person => tn('people.familyOf', person.dependents?.length ?? 0, { name: nameOf(person) }),
    }),
    [open, tn],
  )
  // A page may have dependents only: then the next one is read.
  const isLoading = list.isLoading || (rows.length === 0 && list.hasMore)

  return (
    <PageFrame
      title={t('people.title')}
      isFull
      actions={
        mayCreate && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void create()}>
            {t('people.new')}
          </Button>
        )
      }
    >
      <FilterBar list={list} end={<SavedViews screen="applicants" list={list} />}>
        <SearchField list={list} label={t('people.search')} />
        {(!isLimited || companies.length > 1) && (
          <Select
            size="sm"
            className="filter-select"
            searchable
            clearable
            placeholder={t('people.company')}
            aria-label={t('people.company')}
            data={companies.map(({ companyId, name }) => ({ value: companyId, label: name }))}
            value={list.query.company ?? null}
            onChange={company => list.setQuery({ company: company ?? undefined })}
          />
        )}
        <Select
          size="sm"
          className="filter-select"
          aria-label={t('people.archive')}
          data={[
            { value: 'false', label: t('people.current') },
            { value: 'true', label: t('people.archived') },
          ]}
          value={list.query.archived ?? 'false'}
          onChange={value => list.setQuery({ archived: value === 'true' ? 'true' : undefined })}
        />
      </FilterBar>
      <DataTable
        label={t('people.title')}
        list={{ ...list, rows, isLoading }}
        folding={isFolded ? folding : undefined}
        columns={columns}
        rowKey={person => person.applicantId}
        rowLabel={nameOf}
        href={person => `/people/${encodeURIComponent(person.applicantId)}`}
        empty={{ title: t('people.empty'), text: t('people.emptyHelp') }}
      />
    </PageFrame>
  )
}
