// Expiries by month: how many in each, as bars, and the days of one month as a calendar.
import { ActionIcon, Group, SegmentedControl, Skeleton, Text, Title, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { AppLink, type Search } from '../../app/router.tsx'
import { ErrorState } from '../../app/states.tsx'
import { today } from '../../records/dates.ts'
import { nameOf } from '../../records/names.ts'
import type { PanelProps } from './documents.screen.tsx'
import { type Expiring, ExpiringIcon, expiringKey } from './expiring-list.tsx'
import { addMonths, daysOfCalendar, lastDayOf, monthsFrom, weekdays } from './months.ts'

const MONTHS = 12
const MAX_OF_MONTH = 1_000
const SHOWN_PER_DAY = 3

export function ExpiryMonths({ open, onOpen }: PanelProps) {
  const { t } = useTexts()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const current = today().slice(0, 7)
  const isMonth = (value = '') => /^\d{4}-(?:0[1-9]|1[0-2])$/.test(value)
  const first = isMonth(search['from']) ? (search['from'] as string) : current
  const selected = isMonth(search['month']) ? (search['month'] as string) : first
  const kind = search['kind'] === 'passport' || search['kind'] === 'document' ? search['kind'] : undefined
  const set = (changes: Search | Record<string, undefined>) =>
    void navigate({ to: '.', search: ((old: Search) => ({ ...old, ...changes })) as never, replace: true })

  return (
    <div className="months">
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap={4}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('documents.earlier')}
            onClick={() => set({ from: addMonths(first, -MONTHS), month: addMonths(first, -MONTHS) })}
          >
            <Icon name="arrowLeft" size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('documents.later')}
            onClick={() => set({ from: addMonths(first, MONTHS), month: addMonths(first, MONTHS) })}
          >
            <Icon name="chevronRight" size={16} />
          </ActionIcon>
        </Group>
        <SegmentedControl
          aria-label={t('documents.kind')}
          value={kind ?? 'all'}
          data={[
            { value: 'all', label: t('documents.within.all') },
            { value: 'passport', label: t('documents.passports') },
            { value: 'document', label: t('documents.documents') },
          ]}
          onChange={value => set({ kind: value === 'all' ? undefined : value } as Search)}
        />
      </Group>
      <MonthBars
        months={monthsFrom(first, MONTHS)}
        kind={kind}
        selected={selected}
        onSelect={month => set({ month })}
      />
      <MonthCalendar month={selected} kind={kind} open={open} onOpen={onOpen} />
    </div>
  )
}

interface Counts {
  passport: number
  document: number
}
type Kind = keyof Counts

/** The total of a list is exact up to 10,000, so that one record is read for each number. */
async function countOf(month: string, kind: Kind, signal: AbortSignal): Promise<number> {
  const query = { kind, expiresFrom: `${month}-01`, expiresTo: lastDayOf(month), maxRecords: 1 }
  return (await caseport.expiring.list(query, { signal }).first()).total
}

interface MonthBarsProps {
  months: string[]
  kind: Kind | undefined
  selected: string
  onSelect(month: string): void
}

function MonthBars({ months, kind, selected, onSelect }: MonthBarsProps) {
  const { t, tn, number, language } = useTexts()
  const { data, error, refetch } = useQuery({
    queryKey: ['expiry-months', months[0], kind],
    queryFn: ({ signal }) =>
      Promise.all(
        months.map(async (month): Promise<Counts> => {
          const [passport, document] = await Promise.all(
            (['passport', 'document'] as const).map(each =>
              kind && each !== kind ? 0 : countOf(month, each, signal),
            ),
          )
          return { passport: passport ?? 0, document: document ?? 0 }
        }),
      ),
    staleTime: 60_000,
  })
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={190} mb="md" />
  const highest = Math.max(1, ...data.map(({ passport, document }) => passport + document))
  const short = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' })
  const long = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return (
    <figure className="bars" aria-label={t('documents.byMonth')}>
      <ul className="bar-list">
        {months.map((month, index) => {
          const { passport, document } = data[index] ?? { passport: 0, document: 0 }
          const day = new Date(`${month}-15T00:00:00Z`)
          return (
            <li key={month}>
              <button
                type="button"
                className="bar"
                aria-pressed={month === selected}
                onClick={() => onSelect(month)}
              >
                <span className="bar-count">{number(passport + document)}</span>
                <span className="bar-track">
                  <span
                    className="bar-part bar-passport"
                    style={{ height: `${(passport / highest) * 100}%` }}
                  />
                  <span
                    className="bar-part bar-document"
                    style={{ height: `${(document / highest) * 100}%` }}
                  />
                </span>
                <span className="bar-label">
                  {short.format(day)}
                  {(index === 0 || month.endsWith('-01')) && (
                    <span className="bar-year">{month.slice(0, 4)}</span>
                  )}
                </span>
                <VisuallyHidden>
                  {t('documents.monthCounts', {
                    month: long.format(day),
                    passports: tn('documents.passportCount', passport),
                    documents: tn('documents.documentCount', document),
                  })}
                </VisuallyHidden>
              </button>
            </li>
          )
        })}
      </ul>
      <Group component="figcaption" gap="md" className="bar-legend">
        <span className="legend-passport">{t('documents.passports')}</span>
        <span className="legend-document">{t('documents.documents')}</span>
      </Group>
    </figure>
  )
}

function MonthCalendar({
  month,
  kind,
  open,
  onOpen,
}: PanelProps & { month: string; kind: Kind | undefined }) {
  const { t, tn, language } = useTexts()
  const { data, error, refetch } = useQuery({
    queryKey: ['list', 'expiring', 'month', month, kind],
    queryFn: ({ signal }) =>
      caseport.expiring
        .list(
          {
            expiresFrom: `${month}-01`,
            expiresTo: lastDayOf(month),
            maxRecords: MAX_OF_MONTH,
            ...(kind && { kind }),
          },
          { signal },
        )
        .first(),
  })
  const title = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-15T00:00:00Z`),
  )
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  const byDay = Map.groupBy(data?.records ?? [], ({ expiryDate }) => expiryDate.slice(0, 10))
  const now = today()
  return (
    <section aria-label={title} aria-busy={!data}>
      <Group gap="sm" mb={6} align="baseline">
        <Title order={2}>{title}</Title>
        {data && (
          <Text size="sm" c="dimmed">
            {tn('documents.expiriesIn', data.total)}
            {data.records.length < data.total && ` · ${t('documents.firstOnly', { count: MAX_OF_MONTH })}`}
          </Text>
        )}
      </Group>
      <ol className="calendar">
        {weekdays(language).map(name => (
          <li key={name} className="calendar-weekday" aria-hidden="true">
            {name}
          </li>
        ))}
        {daysOfCalendar(month).map(day => {
          const items = byDay.get(day) ?? []
          const isOther = !day.startsWith(month)
          return (
            <li
              key={day}
              className={`calendar-day${isOther ? ' is-other' : ''}${items.length === 0 ? ' is-empty' : ''}`}
              aria-hidden={isOther || undefined}
              aria-current={day === now ? 'date' : undefined}
            >
              {!isOther && (
                <>
                  <time dateTime={day} className="calendar-number">
                    {Number(day.slice(8))}
                  </time>
                  {items.slice(0, SHOWN_PER_DAY).map(item => (
                    <CalendarItem
                      key={expiringKey(item)}
                      item={item}
                      isOpen={expiringKey(item) === open}
                      onOpen={onOpen}
                    />
                  ))}
                  {items.length > SHOWN_PER_DAY && (
                    <AppLink
                      className="calendar-more"
                      to="/documents"
                      search={{ show: 'expiring', expiresFrom: day, expiresTo: day, ...(kind && { kind }) }}
                    >
                      {t('documents.more', { count: items.length - SHOWN_PER_DAY })}
                    </AppLink>
                  )}
                </>
              )}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

interface CalendarItemProps {
  item: Expiring
  isOpen: boolean
  onOpen(documentId: string): void
}

function CalendarItem({ item, isOpen, onOpen }: CalendarItemProps) {
  const content = (
    <>
      <ExpiringIcon kind={item.kind} />
      <span>
        <bdi>{nameOf(item.applicant)}</bdi>
        <span className="calendar-kind">, {item.name ?? item.type}</span>
      </span>
    </>
  )
  const className = `calendar-item calendar-${item.kind}`
  const { documentId } = item
  if (documentId)
    return (
      <button type="button" className={className} aria-pressed={isOpen} onClick={() => onOpen(documentId)}>
        {content}
      </button>
    )
  return (
    <AppLink className={className} to={`/people/${encodeURIComponent(item.applicant.applicantId)}`}>
      {content}
    </AppLink>
  )
}
