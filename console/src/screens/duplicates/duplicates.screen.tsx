// Records that may be the same person: compared side by side, merged, or kept apart; and merges that can be undone.
import type { components } from '@caseport/sdk'
import { Button, Group, SegmentedControl, Select, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import type { Search } from '../../app/router.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { ToneBadge } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { ComparePanel } from './compare-panel.tsx'
import { MergeList } from './merge-list.tsx'
import './duplicates.css'

type Pair = components['schemas']['DuplicatePair']

const FILTERS = ['minScore', 'applicantId'] as const
const SCORES = ['90', '70', '50'] as const

export default function DuplicatesScreen() {
  const { t } = useTexts()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const show = search['show'] === 'merges' ? 'merges' : 'pairs'
  return (
    <PageFrame title={t('duplicates.title')} isFull>
      <SegmentedControl
        className="view-switch"
        aria-label={t('documents.view')}
        value={show}
        data={[
          { value: 'pairs', label: t('duplicates.show.pairs') },
          { value: 'merges', label: t('duplicates.show.merges') },
        ]}
        onChange={value => void navigate({ to: '.', search: { show: value } as never })}
      />
      {show === 'merges' ? <MergeList /> : <Pairs />}
    </PageFrame>
  )
}

/** The pair of an address: both ids. */
const keyOf = ({ applicants }: Pair) => applicants.map(({ applicantId }) => applicantId).join('~')

function Pairs() {
  const { t, date } = useTexts()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const open = search['pair']
  const openPair = (pair: string | undefined) =>
    void navigate({ to: '.', search: ((old: Search) => ({ ...old, pair })) as never })
  const list = useList<Pair, (typeof FILTERS)[number]>({
    name: 'duplicates',
    filters: FILTERS,
    load: ({ minScore, ...query }, page, signal) =>
      caseport.duplicates
        .list({ ...query, ...(minScore && { minScore: Number(minScore) }), ...page }, { signal })
        .first(),
  })
  const columns = useMemo<Column<Pair>[]>(() => {
    const person = (index: 0 | 1): Column<Pair> => ({
      id: `person-${index}`,
      header: t(index === 0 ? 'duplicates.one' : 'duplicates.other'),
      width: 'minmax(140px, 1.6fr)',
      ...(index === 0 && { narrow: 'title' as const }),
      cell: ({ applicants }) => {
        const found = applicants[index]
        return (
          found && (
            <>
              <bdi>{nameOf(found)}</bdi>
              {found.employeeNumber && ` · ${found.employeeNumber}`}
            </>
          )
        )
      },
    })
    const all: Column<Pair>[] = [
      person(0),
      person(1),
      {
        id: 'born',
        header: t('people.born'),
        width: '120px',
        cell: ({ applicants }) => date(applicants[0]?.dateOfBirth),
      },
      {
        id: 'reasons',
        header: t('duplicates.reasons'),
        width: 'minmax(160px, 1.4fr)',
        cell: pair => <Reasons pair={pair} />,
      },
      {
        id: 'score',
        header: t('duplicates.score'),
        width: '80px',
        align: 'right',
        cell: ({ score }) => score,
      },
    ]
    return open ? all.filter(({ id }) => id !== 'born' && id !== 'reasons') : all
  }, [t, date, open])
  const shown = list.rows.find(pair => keyOf(pair) === open)
  return (
    <div className={open ? 'split has-open' : 'split'}>
      <div className="split-list">
        <FilterBar list={list}>
          <Select
            className="filter-select"
            clearable
            placeholder={t('duplicates.score')}
            aria-label={t('duplicates.score')}
            data={SCORES.map(value => ({ value, label: t('duplicates.scoreFrom', { score: value }) }))}
            value={list.query.minScore ?? null}
            onChange={value => list.setQuery({ minScore: value ?? undefined })}
          />
          {list.query.applicantId && (
            <Button
              variant="light"
              size="compact-sm"
              onClick={() => list.setQuery({ applicantId: undefined })}
            >
              {t('documents.ofOnePerson')} ✕
            </Button>
          )}
        </FilterBar>
        <DataTable
          label={t('duplicates.title')}
          list={list}
          columns={columns}
          rowKey={keyOf}
          rowLabel={({ applicants }) => applicants.map(nameOf).join(', ')}
          onOpen={pair => openPair(keyOf(pair))}
          openKey={open}
          empty={{ title: t('duplicates.empty'), text: t('duplicates.emptyHelp') }}
        />
      </div>
      {open && (
        <ComparePanel
          key={open}
          ids={open.split('~') as [string, string]}
          header={
            shown && (
              <Group gap="xs">
                <Text size="sm">{t('duplicates.scoreIs', { score: shown.score })}</Text>
                <Reasons pair={shown} />
              </Group>
            )
          }
          onDone={() => {
            list.refresh()
            openPair(undefined)
          }}
          onClose={() => openPair(undefined)}
        />
      )}
    </div>
  )
}

function Reasons({ pair }: { pair: Pair }) {
  const { t } = useTexts()
  return (
    <Group gap={4}>
      {pair.reasons.map(reason => (
        <ToneBadge key={reason} tone="info">
          {t(`duplicates.reason.${reason}`)}
        </ToneBadge>
      ))}
    </Group>
  )
}
