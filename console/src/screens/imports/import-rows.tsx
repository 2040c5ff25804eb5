// What becomes of each row: counts that are filters, the rows, and the open row with its fields or its errors.
import type { Import, ImportOutcome, ImportRow } from '@caseport/sdk/imports'
import { Button, Group, Text, Title, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { caseport } from '../../app/connection.ts'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { AppLink, type Search } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState, SkeletonLines } from '../../app/states.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { exportRows } from '../../list/export.tsx'
import { SplitPanel, UnlistedPanel } from '../../list/split-panel.tsx'
import { type List, useList } from '../../list/use-list.ts'
import { ToneBadge } from '../../records/links.tsx'
import { imports, isWorking, OUTCOME_TONES, OUTCOMES, outcomeKey } from './imports.ts'
import { listed, pointerText, sentAt, storedAt } from './pointers.ts'

const FILTERS = ['outcome'] as const
const MAX_FIELDS = 3
const keyOf = ({ row, employeeNumber }: ImportRow) => (row === null ? `missing-${employeeNumber}` : `${row}`)

export function ImportRows({ one }: { one: Import }) {
  const texts = useTexts()
  const { t, number } = texts
  const { importId, counts } = one
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const open = search['row']
  const openRow = (row: string | undefined) =>
    void navigate({ to: '.', search: ((old: Search) => ({ ...old, row })) as never, replace: true })

  const list = useList<ImportRow, 'outcome'>({
    // Another state has other rows. Those of the state before are shown until they are read.
    name: `import-rows-${importId}-${one.status}-${one.releasedAt}`,
    filters: FILTERS,
    load: ({ outcome }, { maxRecords, nextCursor }, signal) =>
      imports
        .rows(importId, { maxRecords, ...(outcome && { outcome: outcome as ImportOutcome }) }, { signal })
        .page({ nextCursor }),
  })
  // Rows are added behind those that are shown while the service works on them.
  const done = one.progress.checked + one.progress.applied
  const { hasMore, isLoading, isStale, refresh } = list
  useEffect(() => {
    if (isWorking(one) && !hasMore && !isLoading && !isStale) refresh()
  }, [done])
  const columns = useMemo<Column<ImportRow>[]>(() => {
    const isLost = ({ outcome, applied }: ImportRow) =>
      one.status === 'cancelled' && !applied && (outcome === 'created' || outcome === 'updated')
    const all: Column<ImportRow>[] = [
      {
        id: 'row',
        header: t('imports.row'),
        width: '80px',
        narrow: 'title',
        cell: ({ row }) => (row === null ? '–' : t('imports.rowTitle', { row: number(row) })),
      },
      {
        id: 'number',
        header: t('imports.number'),
        width: 'minmax(110px, 1fr)',
        cell: row => row.employeeNumber ?? '',
      },
      {
        id: 'outcome',
        header: t('imports.outcome'),
        width: '120px',
        cell: ({ outcome }) => <ToneBadge tone={OUTCOME_TONES[outcome]}>{t(outcomeKey(outcome))}</ToneBadge>,
      },
      {
        id: 'what',
        header: t('imports.what'),
        width: 'minmax(220px, 4fr)',
        cell: row =>
          isLost(row) ? t('imports.notApplied', { what: whatOf(row, texts) }) : whatOf(row, texts),
      },
    ]
    return open === undefined ? all : all.filter(({ id }) => id !== 'what')
  }, [t, number, texts, open, one.status])
  const download = () =>
    void exportRows<ImportRow>({
      title: t('imports.download'),
      fileName: `import-${importId}-rejected.csv`,
      columns: [
        { header: 'row', value: ({ row }) => row },
        { header: 'employeeNumber', value: row => row.employeeNumber },
        { header: 'code', value: ({ problem }) => problem?.code },
        { header: 'detail', value: ({ problem }) => problem?.detail },
        {
          header: 'errors',
          value: ({ problem }) =>
            problem?.errors?.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '),
        },
      ],
      list: { all: () => imports.allRows(importId, { outcome: 'rejected' }), total: counts.rejected },
    })

  const listedRow = list.rows.find(row => keyOf(row) === open)
  const unlisted = useQuery({
    queryKey: ['import-row', list.name, open],
    queryFn: async ({ signal }) => {
      for await (const row of imports.allRows(importId, {}, { signal })) if (keyOf(row) === open) return row
      return null
    },
    enabled: open !== undefined && !listedRow && !list.isLoading,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const shown = listedRow ?? (open === undefined ? undefined : unlisted.data)
  return (
    <section className="import-rows" aria-label={t('imports.rows')}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Outcomes list={list} counts={counts} />
        {counts.rejected > 0 && (
          <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={download}>
            {t('imports.download')}
          </Button>
        )}
      </Group>
      <div className={open ? 'split has-open' : 'split'}>
        <div className="split-list">
          <DataTable
            label={t('imports.rows')}
            list={list}
            columns={columns}
            rowKey={keyOf}
            rowLabel={({ row, employeeNumber }) =>
              row === null ? (employeeNumber ?? '') : t('imports.rowTitle', { row })
            }
            onOpen={row => openRow(keyOf(row))}
            openKey={open}
            empty={{ title: t('imports.noRows'), text: t('imports.noRowsHelp') }}
          />
        </div>
        {shown ? (
          <RowPanel importId={importId} row={shown} onClose={() => openRow(undefined)} />
        ) : (
          open && (
            <UnlistedPanel
              title={t('imports.row')}
              isPending={unlisted.isPending}
              error={unlisted.error}
              onRetry={() => void unlisted.refetch()}
              onClose={() => openRow(undefined)}
            />
          )
        )}
      </div>
    </section>
  )
}

function Outcomes({ list, counts }: { list: List<ImportRow, 'outcome'>; counts: Import['counts'] }) {
  const { t, number } = useTexts()
  const { outcome: current } = list.query
  const wanted = OUTCOMES.filter(outcome => outcome !== 'missing' || counts.missing > 0)
  return (
    <Group gap="xs" role="group" aria-label={t('imports.outcome')}>
      {wanted.map(outcome => (
        <UnstyledButton
          key={outcome}
          className={`import-count${counts[outcome] > 0 ? ` import-count-${outcome}` : ''}`}
          aria-pressed={current === outcome}
          onClick={() => list.setQuery({ outcome: current === outcome ? undefined : outcome })}
        >
          <span className="import-count-value">{number(counts[outcome])}</span>
          <span>{t(outcomeKey(outcome))}</span>
        </UnstyledButton>
      ))}
    </Group>
  )
}

function whatOf({ outcome, changed, problem }: ImportRow, texts: Texts): string {
  const { t } = texts
  switch (outcome) {
    case 'created':
      return t('imports.isNew')
    case 'unchanged':
      return t('imports.isUnchanged')
    case 'missing':
      return t('imports.notInFile')
    case 'rejected':
      return problem?.errors
        ? problem.errors.map(({ pointer, detail }) => `${pointerText(pointer, texts)}: ${detail}`).join(' ')
        : (problem?.detail ?? '')
    case 'updated':
      return listed(
        changed.map(pointer => pointerText(pointer, texts)),
        MAX_FIELDS,
        texts,
      )
  }
}

interface RowPanelProps {
  importId: string
  row: ImportRow
  onClose(): void
}

function RowPanel({ importId, row, onClose }: RowPanelProps) {
  const texts = useTexts()
  const { t } = texts
  const { can } = useSession()
  const { applicantId, outcome, problem } = row
  const title = row.row === null ? t('imports.notInFile') : t('imports.rowTitle', { row: row.row })
  return (
    <SplitPanel
      title={title}
      state={<ToneBadge tone={OUTCOME_TONES[outcome]}>{t(outcomeKey(outcome))}</ToneBadge>}
      onClose={onClose}
    >
      {row.employeeNumber && (
        <Text size="sm">
          {t('imports.number')}: <strong>{row.employeeNumber}</strong>
        </Text>
      )}
      {applicantId && can('applicants:read') && (
        <AppLink to={`/people/${encodeURIComponent(applicantId)}`}>{t('imports.openPerson')}</AppLink>
      )}
      {outcome === 'missing' && <Text size="sm">{t('imports.notInFileHelp')}</Text>}
      {outcome === 'unchanged' && <Text size="sm">{t('imports.isUnchanged')}</Text>}
      {outcome === 'created' && <Text size="sm">{t('imports.isNew')}</Text>}
      {outcome === 'updated' && <ChangedFields importId={importId} row={row} />}
      {problem && (
        <section aria-label={t('imports.problems')}>
          <Title order={3} mb="xs">
            {t('imports.problems')}
          </Title>
          <Text size="sm">{problem.detail}</Text>
          {problem.errors && (
            <dl className="import-fields">
              {problem.errors.map(({ pointer, detail }) => (
                <div key={`${pointer} ${detail}`}>
                  <dt>{pointerText(pointer, texts)}</dt>
                  <dd>{detail}</dd>
                </div>
              ))}
            </dl>
          )}
          <Text size="xs" c="dimmed" mt="xs">
            {t('imports.code')}: {problem.code}
          </Text>
          <Text size="sm" mt="sm">
            {t('imports.hint')}
          </Text>
        </section>
      )}
    </SplitPanel>
  )
}

/** Results have no values of people: they are read from the record and from the file, where the person may read them. */
function ChangedFields({ importId, row }: { importId: string; row: ImportRow }) {
  const texts = useTexts()
  const { t, date } = texts
  const { can } = useSession()
  const { applicantId, applied, changed } = row
  const mayRead = can('applicants:read')
  const stored = useQuery({
    queryKey: ['import-stored', applicantId, applied],
    queryFn: ({ signal }) => caseport.applicants.get(applicantId ?? '', { signal }),
    enabled: applicantId !== null && mayRead,
  })
  const dependents = useQuery({
    queryKey: ['import-stored-dependents', applicantId, applied],
    queryFn: ({ signal }) => caseport.applicants.dependents.list(applicantId ?? '', { signal }),
    enabled: applicantId !== null && mayRead && changed.some(pointer => pointer.startsWith('/dependents/')),
  })
  const record = stored.data && { ...stored.data, dependents: dependents.data ?? [] }
  // The file of an import that was applied is deleted, and what is stored is what it said.
  const sent = useQuery({
    queryKey: ['import-sent', importId, row.row, applied],
    queryFn: ({ signal }) => imports.rowContent(importId, row.row ?? 0, { signal }),
    enabled: row.row !== null && mayRead && !applied,
  })
  const failed = [stored, dependents, sent].find(({ error, data }) => error && !data)
  const content = sent.data?.content
  const shown = (value: string | null | undefined, key: 'stored' | 'inFile') => {
    if (value === undefined) return undefined
    return value === null ? t(`imports.${key}Empty`) : t(`imports.${key}`, { value: date(value) })
  }
  return (
    <section aria-label={t('imports.changes')}>
      <Title order={3} mb="xs">
        {t('imports.changes')}
      </Title>
      {failed && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />}
      {stored.isLoading || dependents.isLoading || sent.isLoading ? (
        <SkeletonLines lines={changed.length} />
      ) : (
        <dl className="import-fields">
          {changed.map(pointer => (
            <div key={pointer}>
              <dt>{pointerText(pointer, texts)}</dt>
              <dd>{shown(record && storedAt(record, pointer, content ?? undefined), 'stored')}</dd>
              {content && <dd>{shown(sentAt(content, pointer, record), 'inFile')}</dd>}
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
