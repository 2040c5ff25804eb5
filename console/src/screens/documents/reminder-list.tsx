// The reminders that were sent, or are still to be sent.
import type { components } from '@caseport/sdk'
import { Select, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { caseport } from '../../app/connection.ts'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { useGo } from '../../app/router.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { FilterBar } from '../../list/filter-bar.tsx'
import { useList } from '../../list/use-list.ts'
import { parseDate, today } from '../../records/dates.ts'
import { ExpiryBadge, type Tone, ToneBadge } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { DateFilter } from './date-filter.tsx'
import type { PanelProps } from './documents.screen.tsx'

type Reminder = components['schemas']['Notification']
type State = Reminder['state']

const FILTERS = ['state', 'startDate', 'endDate'] as const
const STATES = ['pending', 'sent', 'recorded', 'failed'] as const
const COLORS: Record<State, Tone> = { pending: 'warn', sent: 'good', recorded: 'neutral', failed: 'bad' }
const DEFAULT_DAYS = 90

/** The service names days in English. */
function rungText({ rung }: Reminder, tn: Texts['tn']): string {
  const days = /^(\d+) days?$/.exec(rung)?.[1]
  return days === undefined ? rung : tn('cases.days', Number(days))
}

/** A reminder has the id of the person; only the rows in sight are looked up. */
function Whose({ reminder: { applicantId } }: { reminder: Reminder }) {
  const { t } = useTexts()
  const { data, isPending } = useQuery({
    queryKey: ['found', applicantId],
    queryFn: ({ signal }) => caseport.applicants.find(applicantId, { signal }),
    staleTime: 300_000,
  })
  if (isPending) return <Skeleton height={10} width="70%" />
  return data ? nameOf(data) : t('reminders.unknown')
}

export function ReminderList({ open, onOpen }: PanelProps) {
  const { t, tn, date, time } = useTexts()
  const go = useGo()
  const list = useList<Reminder, (typeof FILTERS)[number]>({
    name: 'reminders',
    filters: FILTERS,
    load: (
      { startDate = parseDate(`-${DEFAULT_DAYS}d`) ?? today(), endDate = parseDate('+1d') ?? today(), state },
      page,
      signal,
    ) =>
      caseport.notifications
        .list(
          { startDate, endDate, sort: '-createdAt', ...(state && { state: state as State }), ...page },
          { signal },
        )
        .first(),
  })
  const columns = useMemo<Column<Reminder>[]>(() => {
    const all: Column<Reminder>[] = [
      {
        id: 'person',
        header: t('documents.person'),
        width: 'minmax(140px, 1.4fr)',
        narrow: 'title',
        cell: row => <Whose reminder={row} />,
      },
      {
        id: 'expiry',
        header: t('documents.expiry'),
        width: 'minmax(180px, 1.2fr)',
        cell: row => <ExpiryBadge date={row.expiryDate} />,
      },
      {
        id: 'kind',
        header: t('documents.kind'),
        width: '90px',
        cell: row => t(row.passportId ? 'documents.passport' : 'documents.document'),
      },
      {
        id: 'state',
        header: t('reminders.state'),
        width: '165px',
        cell: row => <ToneBadge tone={COLORS[row.state]}>{t(`reminders.state.${row.state}`)}</ToneBadge>,
      },
      {
        id: 'rung',
        header: t('reminders.before'),
        width: '100px',
        narrow: 'hidden',
        cell: row => rungText(row, tn),
      },
      {
        id: 'due',
        header: t('reminders.due'),
        width: '95px',
        narrow: 'hidden',
        cell: row => date(row.dueOn),
      },
      { id: 'sent', header: t('reminders.sent'), width: 'minmax(100px, 1fr)', cell: row => time(row.sentAt) },
      {
        id: 'error',
        header: t('reminders.error'),
        width: 'minmax(80px, 1.5fr)',
        cell: row => row.lastError ?? '',
      },
    ]
    return open ? all.slice(0, 3) : all
  }, [t, tn, date, time, open])
  return (
    <>
      <FilterBar list={list}>
        <Select
          className="filter-select"
          clearable
          placeholder={t('reminders.state')}
          aria-label={t('reminders.state')}
          data={STATES.map(value => ({ value, label: t(`reminders.state.${value}`) }))}
          value={list.query.state ?? null}
          onChange={value => list.setQuery({ state: value ?? undefined })}
        />
        <DateFilter list={list} filter="startDate" label={t('reminders.from')} />
        <DateFilter list={list} filter="endDate" label={t('reminders.to')} />
      </FilterBar>
      <DataTable
        label={t('documents.show.reminders')}
        list={list}
        columns={columns}
        rowKey={row => row.notificationId}
        openKey={open && list.rows.find(({ documentId }) => documentId === open)?.notificationId}
        rowLabel={row => `${rungText(row, tn)}, ${date(row.expiryDate)}`}
        onOpen={row =>
          row.documentId ? onOpen(row.documentId) : go(`/people/${encodeURIComponent(row.applicantId)}`)
        }
        empty={{ title: t('reminders.empty'), text: t('reminders.emptyHelp', { days: DEFAULT_DAYS }) }}
      />
    </>
  )
}
