// Who saw or changed what, when and from where.
import { Autocomplete, Button, Select, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import type { Search } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar } from '../../list/filter-bar.tsx'
import { UnlistedPanel } from '../../list/split-panel.tsx'
import { type List, useList } from '../../list/use-list.ts'
import { useColleagues } from '../../records/colleagues.tsx'
import { parseDate, startOfDay, today } from '../../records/dates.ts'
import { type Tone, ToneBadge } from '../../records/links.tsx'
import { DateFilter } from '../documents/date-filter.tsx'
import { actionOf, capitalized } from './action-texts.ts'
import { type Entry, EntryPanel, FILTERS, type Filter, whoOf } from './entry-panel.tsx'
import { ExportDialog } from './export-dialog.tsx'
import './audit.css'

const OUTCOMES = ['ok', 'refused', 'failed'] as const
const COLORS: Record<Entry['outcome'], Tone> = { ok: 'neutral', refused: 'warn', failed: 'bad' }
const DEFAULT_DAYS = 7
/** Changes that people look for. */
const ACTIONS = [
  'applicant.create',
  'applicant.write',
  'applicant.archive',
  'applicant.restore',
  'applicant.merge',
  'applicant.unmerge',
  'applicant.number_change',
  'case.create',
  'case.write',
  'case.step_write',
  'case.note_write',
  'case.checklist_write',
  'document.create',
  'document.write',
  'document.file_write',
  'document.remove',
  'document.restore',
  'session.created',
  'session.refused',
] as const

export default function AuditScreen() {
  const texts = useTexts()
  const { t, time } = texts
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const open = search['entry']
  // The time finds the entry again among millions.
  const openedAt = search['at']
  const openEntry = (entry?: Entry) =>
    void navigate({
      to: '.',
      search: ((old: Search) => ({ ...old, entry: entry?.seq, at: entry?.at })) as never,
    })
  const until = search['endDate']
  const defaults = useMemo(
    () => ({ startDate: parseDate(`-${DEFAULT_DAYS}d`, 'en', until || today()) ?? today() }),
    [until],
  )
  const list = useList<Entry, Filter>({
    name: 'audit',
    filters: FILTERS,
    defaults,
    load({ startDate = defaults.startDate, endDate, outcome, ...query }, page, signal) {
      return caseport.audit
        .list(
          {
            ...rangeOf(startDate, endDate),
            sort: '-at',
            ...query,
            ...(outcome && { outcome: outcome as Entry['outcome'] }),
            ...page,
          },
          { signal },
        )
        .first()
    },
  })
  const people = usePeople(list.query.userId)

  const columns = useMemo<Column<Entry>[]>(() => {
    const all: Column<Entry>[] = [
      {
        id: 'time',
        header: t('audit.time'),
        width: '170px',
        cell: entry => time(entry.at),
      },
      {
        id: 'who',
        header: t('audit.who'),
        width: 'minmax(120px, 1.2fr)',
        cell: entry => whoOf(entry, texts),
      },
      {
        id: 'what',
        header: t('audit.what'),
        width: 'minmax(150px, 1.6fr)',
        narrow: 'title',
        cell: entry => actionOf(entry, texts),
      },
      {
        id: 'record',
        header: t('audit.record'),
        width: 'minmax(120px, 1.2fr)',
        cell: entry => recordText(entry, texts),
      },
      {
        id: 'outcome',
        header: t('audit.outcome'),
        width: '120px',
        cell: entry => (
          <ToneBadge tone={COLORS[entry.outcome]}>{t(`audit.outcome.${entry.outcome}`)}</ToneBadge>
        ),
      },
      {
        id: 'address',
        header: t('audit.address'),
        width: '130px',
        narrow: 'hidden',
        cell: entry => entry.address ?? '',
      },
    ]
    return open ? all.filter(({ id }) => ['time', 'who', 'what'].includes(id)) : all
  }, [t, time, texts, open])

  const listed = list.rows.find(entry => String(entry.seq) === open)
  const unlisted = useQuery({
    queryKey: ['audit-entry', open, openedAt],
    queryFn: ({ signal }) => readEntry(open, openedAt, signal),
    enabled: open !== undefined && !listed && !list.isLoading,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const shown = listed ?? (open === undefined ? undefined : unlisted.data)
  return (
    <PageFrame
      title={t('audit.title')}
      isFull
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          onClick={() => void openDialog<void>(close => <ExportDialog onClose={() => close()} />)}
        >
          {t('audit.export')}
        </Button>
      }
    >
      <FilterBar list={list}>
        <DateFilter list={list} filter="startDate" label={t('audit.from')} isNamed />
        <DateFilter list={list} filter="endDate" label={t('audit.to')} isNamed />
        {people ? (
          <Select
            className="filter-select"
            searchable
            clearable
            placeholder={t('audit.person')}
            aria-label={t('audit.person')}
            data={people}
            value={list.query.userId ?? null}
            onChange={value => list.setQuery({ userId: value ?? undefined })}
          />
        ) : (
          <TextFilter list={list} filter="userId" label={t('audit.personId')} />
        )}
        <TextFilter list={list} filter="clientId" label={t('audit.client')} />
        <TextFilter list={list} filter="action" label={t('audit.action')} known={ACTIONS} />
        <TextFilter list={list} filter="recordId" label={t('audit.recordId')} />
        <TextFilter list={list} filter="address" label={t('audit.address')} />
        <Select
          className="filter-select"
          clearable
          placeholder={t('audit.outcome')}
          aria-label={t('audit.outcome')}
          data={OUTCOMES.map(value => ({ value, label: t(`audit.outcome.${value}`) }))}
          value={list.query.outcome ?? null}
          onChange={value => list.setQuery({ outcome: value ?? undefined })}
        />
      </FilterBar>
      <div className={open ? 'split has-open' : 'split'}>
        <div className="split-list">
          <DataTable
            label={t('audit.title')}
            list={list}
            columns={columns}
            rowKey={entry => String(entry.seq)}
            rowLabel={entry => actionOf(entry, texts)}
            onOpen={openEntry}
            openKey={open}
            empty={{ title: t('audit.empty'), text: t('audit.emptyHelp', { days: DEFAULT_DAYS }) }}
          />
        </div>
        {shown ? (
          <EntryPanel entry={shown} list={list} onClose={() => openEntry()} />
        ) : (
          open && (
            <UnlistedPanel
              title={t('audit.number')}
              isPending={unlisted.isPending}
              error={unlisted.error}
              onRetry={() => void unlisted.refetch()}
              onClose={() => openEntry()}
            />
          )
        )}
      </div>
    </PageFrame>
  )
}

/** Days of the person, as a range of the API, whose days are those of UTC. */
/** Those who sign in, as far as the caller may know them; undefined where it may not. */
function usePeople(current: string | undefined): { value: string; label: string }[] | undefined {
  const { can } = useSession()
  const { data: users } = useQuery({
    queryKey: ['users'],
    queryFn: ({ signal }) => caseport.users.list({ signal }),
    enabled: can('access:write'),
    staleTime: 300_000,
  })
  const { colleagues } = useColleagues()
  const known = users ?? colleagues
  if (known.length === 0) return undefined
  const options = known.map(({ userId, name }) => ({ value: userId, label: name }))
  const isKnown = current === undefined || known.some(({ userId }) => userId === current)
  return isKnown ? options : [...options, { value: current, label: current }]
}

function rangeOf(first: string, last: string | undefined) {
  const from = startOfDay(first)
  // The clock of the service may be ahead.
  const to = startOfDay(parseDate('+1d', 'en', last ?? parseDate('+1d')) ?? today())
  return { startDate: from.slice(0, 10), endDate: to.slice(0, 10), from, to }
}

/** `null`: there is no such entry, or the address does not say when it was written. */
async function readEntry(seq: string | undefined, at: string | undefined, signal: AbortSignal) {
  const time = Date.parse(at ?? '')
  if (Number.isNaN(time)) return null
  const day = new Date(time).toISOString().slice(0, 10)
  const range = { startDate: day, endDate: parseDate('+1d', 'en', day) ?? day }
  const from = new Date(time).toISOString()
  const to = new Date(time + 1).toISOString()
  for await (const entry of caseport.audit.list({ ...range, from, to }, { signal }))
    if (String(entry.seq) === seq) return entry
  return null
}

interface TextFilterProps {
  list: List<Entry, Filter>
  filter: Filter
  label: string
  /** Values to choose from. Others can be typed. */
  known?: readonly string[]
}

/** The API compares whole values, so that a filter is set when the text is complete: by Enter, or when it is left. */
function TextFilter({ list, filter, label, known }: TextFilterProps) {
  const { tx } = useTexts()
  const current = list.query[filter] ?? ''
  const [text, setText] = useState(current)
  useEffect(() => setText(current), [current])
  const apply = (next = text) =>
    next.trim() !== current && list.setQuery({ [filter]: next.trim() || undefined })
  const common = {
    className: 'filter-select',
    'aria-label': label,
    placeholder: label,
    value: text,
    onBlur: () => apply(),
    onKeyDown: (event: KeyboardEvent) => event.key === 'Enter' && apply(),
  }
  if (!known) return <TextInput {...common} onChange={event => setText(event.currentTarget.value)} />
  return (
    <Autocomplete
      {...common}
      data={[...known]}
      comboboxProps={{ width: 280, position: 'bottom-start' }}
      onChange={setText}
      onOptionSubmit={apply}
      // People know the words, programs the name.
      filter={({ options, search: typed }) => {
        const wanted = typed.trim().toLowerCase()
        const textOf = (value: string) => `${value} ${tx(`action.${value}`, '')}`.toLowerCase()
        return options.filter(option => 'value' in option && textOf(option.value).includes(wanted))
      }}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{capitalized(tx(`action.${option.value}`, option.value))}</Text>
          <Text size="xs" c="dimmed">
            {option.value}
          </Text>
        </div>
      )}
    />
  )
}

function recordText({ recordId, recordIds }: Entry, { tn }: Texts): string {
  return recordIds.length > 1 ? tn('audit.records', recordIds.length) : recordId
}
