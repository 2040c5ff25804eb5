// What needs me today: numbers, each of which leads to the list that it counts, and what is due or expires next.
import type { components } from '@caseport/sdk'
import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { caseport } from '../../app/connection.ts'
import { type Key, useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { AppLink, type Search } from '../../app/router.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState } from '../../app/states.tsx'
import { daysUntil, today } from '../../records/dates.ts'
import { CaseLink, ExpiryBadge, PersonLink, ToneBadge } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { overviewQuery } from '../../records/queries.ts'
import { ContactHome } from './contact-home.tsx'
import { Lines, SHOWN, type Tile, Tiles } from './today-parts.tsx'

type Overview = components['schemas']['Overview']
type ListedCase = components['schemas']['ListedCase']

const caseTiles = ({ cases }: Overview): Tile[] => [
  {
    label: 'today.overdue',
    value: cases.overdue,
    to: '/cases',
    search: { due: 'overdue' },
    icon: 'alert',
    tone: 'bad',
  },
  {
    label: 'today.dueThisWeek',
    value: cases.dueThisWeek,
    to: '/cases',
    search: { due: '7' },
    icon: 'clock',
    tone: 'warn',
  },
  {
    label: 'today.unassigned',
    value: cases.unassigned,
    to: '/cases',
    search: { assignee: 'none' },
    icon: 'person',
  },
  { label: 'today.open', value: cases.open, to: '/cases', search: { status: 'open' }, icon: 'cases' },
  {
    label: 'today.pending',
    value: cases.pending,
    to: '/cases',
    search: { status: 'pending' },
    icon: 'cases',
  },
]

const expiryTiles = ({ expiring }: Overview): Tile[] => {
  const tile = (label: Key, value: number, within: string, tone?: Tile['tone']): Tile => ({
    label,
    value,
    to: '/documents',
    search: { show: 'expiring', within },
    icon: within === 'expired' ? 'alert' : 'calendar',
    ...(tone && { tone }),
  })
  return [
    tile('today.expired', expiring.expired, 'expired', 'bad'),
    tile('today.in7', expiring.in7, '7', 'warn'),
    tile('today.in30', expiring.in30, '30', 'warn'),
    tile('today.in60', expiring.in60, '60'),
    tile('today.in90', expiring.in90, '90'),
  ]
}

export default function TodayScreen() {
  const { isContact } = useSession()
  return isContact ? <ContactHome /> : <Office />
}

function Office() {
  const { t, tn, date, capped } = useTexts()
  const { can } = useSession()
  const { data, error, refetch } = useQuery(overviewQuery)
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  const failing = data?.failingWebhooks ?? 0
  const held = data?.heldImports ?? 0
  return (
    <PageFrame
      title={t('today.title')}
      aside={
        <Text size="sm" c="dimmed">
          {date(today())}
        </Text>
      }
    >
      <Stack gap="lg">
        <Tiles title={t('today.cases')} tiles={data && caseTiles(data)} />
        <Tiles title={t('today.expiring')} tiles={data && expiryTiles(data)} />
        {held > 0 && can('applicants:write') && (
          <AppLink to="/imports" search={{ status: 'held' }} className="notice">
            <Icon name="upload" /> {tn('imports.heldNotice', held, { count: capped(held) })}
          </AppLink>
        )}
        {failing > 0 && can('webhooks:write') && (
          <AppLink to="/connections" search={{ show: 'webhooks', state: 'failing' }} className="notice">
            <Icon name="alert" /> {t('today.failingWebhooks', { count: failing })}
          </AppLink>
        )}
        <div className="today-lists">
          <NextDue />
          <NextExpiring />
        </div>
      </Stack>
    </PageFrame>
  )
}

/** `?whose=me` shows the cases of the person who is signed in. */
function NextDue() {
  const { t } = useTexts()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const isMine = search['whose'] === 'me'
  const { data, error, refetch } = useQuery({
    queryKey: ['list', 'cases', 'next-due', isMine],
    queryFn: ({ signal }) =>
      caseport.cases
        .list(
          { sort: 'dueDate', status: 'open,pending', maxRecords: SHOWN, ...(isMine && { assignee: 'me' }) },
          { signal },
        )
        .first(),
  })
  const due = data?.records.filter(({ nextDueDate }) => nextDueDate !== null)
  return (
    <Section
      title={t('today.nextDue')}
      actions={
        <SegmentedControl
          size="xs"
          value={isMine ? 'me' : 'all'}
          onChange={whose =>
            void navigate({ to: '.', search: { ...(whose === 'me' && { whose }) } as never, replace: true })
          }
          data={[
            { value: 'all', label: t('today.all') },
            { value: 'me', label: t('today.mine') },
          ]}
          aria-label={t('today.whose')}
        />
      }
    >
      <Lines
        error={error}
        onRetry={() => void refetch()}
        isLoading={!due}
        empty={t(isMine ? 'today.nothingMine' : 'today.nothingDue')}
        lines={(due ?? []).map(found => ({ key: found.caseId, content: <DueLine found={found} /> }))}
      />
    </Section>
  )
}

function DueLine({ found }: { found: ListedCase }) {
  const { t, date, country } = useTexts()
  const { applicant, currentStep, nextDueDate } = found
  const days = nextDueDate === null ? Number.POSITIVE_INFINITY : daysUntil(nextDueDate)
  const isLate = days < 0
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <div className="line-text">
        <CaseLink caseId={found.caseId}>
          <bdi>{nameOf(applicant)}</bdi> · {found.processName ?? found.caseType ?? country(found.hostCountry)}
        </CaseLink>
        <Text size="xs" c="dimmed">
          {[currentStep?.name, found.assignee?.name ?? t('today.nobody')].filter(Boolean).join(' · ')}
        </Text>
      </div>
      <ToneBadge tone={isLate ? 'bad' : days <= 7 ? 'warn' : 'neutral'}>
        {isLate ? t('today.overdueSince', { date: date(nextDueDate) }) : date(nextDueDate)}
      </ToneBadge>
    </Group>
  )
}

function NextExpiring() {
  const { t, country } = useTexts()
  const { data, error, refetch } = useQuery({
    queryKey: ['list', 'expiring', 'next'],
    queryFn: ({ signal }) =>
      caseport.expiring
        .list({ expiresFrom: today(), sort: 'expiryDate', maxRecords: SHOWN }, { signal })
        .first(),
  })
  return (
    <Section title={t('today.nextExpiring')}>
      <Lines
        error={error}
        onRetry={() => void refetch()}
        isLoading={!data}
        empty={t('today.nothingExpires')}
        lines={(data?.records ?? []).map(item => ({
          key: item.documentId ?? item.passportId ?? `${item.applicant.applicantId}-${item.expiryDate}`,
          content: (
            <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
              <div className="line-text">
                <PersonLink person={item.applicant} />
                <Text size="xs" c="dimmed">
                  {[
                    item.kind === 'passport' ? t('papers.passport') : (item.name ?? item.type),
                    country(item.country),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </Text>
              </div>
              <ExpiryBadge date={item.expiryDate} />
            </Group>
          ),
        }))}
      />
    </Section>
  )
}
