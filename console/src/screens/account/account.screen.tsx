// One's own account: password, second factor, passkeys, sessions, calendar.
import { isCaseportError } from '@caseport/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState, SkeletonLines } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { notifyDone } from '../../dialogs/notify.tsx'
import { showSecret } from '../../dialogs/secret-dialog.tsx'
import { ToneBadge } from '../../records/links.tsx'
import { useRun } from './account-parts.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'

export default function AccountScreen() {
  const { t } = useTexts()
  const { me, can } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => caseport.session.get({ signal }),
  })
  return (
    <PageFrame title={t('account.title')}>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonLines lines={8} />
      ) : (
        <Stack gap="md" maw={760}>
          <Section title={me.name}>
            <Text size="sm">{data.user.email}</Text>
            <Text size="sm" c="dimmed">
              {me.roles.map(role => t(`role.${role}`)).join(', ')}
            </Text>
          </Section>
          <Password current={data} onChanged={() => void refetch()} />
          <SecondFactor current={data} onChanged={() => void refetch()} />
          <Passkeys onChanged={() => void refetch()} />
          <Sessions />
          {can('desk:read') && <CalendarAddress />}
        </Stack>
      )}
    </PageFrame>
  )
}

function Sessions() {
  const { t, ago, time } = useTexts()
  const run = useRun()
  const client = useQueryClient()
  const { data, error } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => caseport.session.list({ signal }),
  })
  const end = (sessionId: string) =>
    run(async () => {
      await caseport.session.end(sessionId)
      await client.invalidateQueries({ queryKey: ['sessions'] })
    })
  return (
    <Section title={t('account.sessions')}>
      {error && !data ? (
        <ErrorState error={error} />
      ) : !data ? (
        <SkeletonLines lines={3} />
      ) : (
        <Stack gap="xs">
          {data.map(session => (
            <Group key={session.sessionId} justify="space-between" wrap="nowrap" gap="sm">
              <div className="session-text">
                <Group gap="xs">
                  <Text size="sm">{browserOf(session.userAgent)}</Text>
                  {session.current && <ToneBadge tone="good">{t('account.thisSession')}</ToneBadge>}
                </Group>
                <Text size="xs" c="dimmed" title={session.userAgent}>
                  {[
                    session.address,
                    t('account.lastSeen', { ago: ago(session.lastSeenAt) }),
                    time(session.createdAt),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </Text>
              </div>
              {!session.current && (
                <Button
                  flex="none"
                  variant="subtle"
                  color="gray"
                  size="compact-sm"
                  aria-label={t('account.endSessionOf', { browser: browserOf(session.userAgent) })}
                  onClick={() => void end(session.sessionId)}
                >
                  {t('account.endSession')}
                </Button>
              )}
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  )
}

/** Browsers also name those that they are compatible with: the first match is the one. */
const BROWSERS = [
  [/\bEdgA?\b|\bEdgiOS\b/, 'Edge'],
  [/\bOPR\b/, 'Opera'],
  [/\bFirefox\b|\bFxiOS\b/, 'Firefox'],
  [/\bChrome\b|\bCriOS\b/, 'Chrome'],
  [/\bSafari\b/, 'Safari'],
] as const
const SYSTEMS = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** "Firefox, Windows", as far as the text has it. */
function browserOf(userAgent: string): string {
  const find = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const parts = [find(BROWSERS), find(SYSTEMS)].filter(Boolean)
  return parts.join(', ') || userAgent.slice(0, 60) || '–'
}

function CalendarAddress() {
  const { t } = useTexts()
  const run = useRun()
  const { data: calendar, refetch } = useQuery({
    queryKey: ['calendar'],
    queryFn: async ({ signal }) => {
      try {
        return await caseport.me.calendar.get({ signal })
      } catch (cause) {
        if (isCaseportError(cause, 'calendar-not-found')) return null
        throw cause
      }
    },
  })
  const create = () =>
    run(async () => {
      const isSure = await confirm({
        title: t('account.createCalendar'),
        text: t('account.createCalendarHelp'),
        action: t('account.createCalendar'),
        isDangerous: false,
      })
      if (!isSure) return
      const { url } = await caseport.me.calendar.create()
      void refetch()
      await showSecret({
        title: t('account.calendar'),
        text: t('account.calendarSecret'),
        values: [{ label: t('account.calendarAddress'), value: url }],
      })
    })
  const remove = () =>
    run(async () => {
      const isSure = await confirm({
        title: t('account.removeCalendar'),
        text: t('account.removeCalendarHelp'),
        action: t('documents.remove'),
      })
      if (!isSure) return
      await caseport.me.calendar.delete()
      void refetch()
      notifyDone(t('account.calendarRemoved'))
    })
  return (
    <Section
      title={t('account.calendar')}
      actions={
        <Group gap="xs">
          {calendar && (
            <Button variant="default" onClick={() => void remove()} aria-label={t('account.removeCalendar')}>
              {t('documents.remove')}
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<Icon name="calendar" size={16} />}
            onClick={() => void create()}
          >
            {t('account.createCalendar')}
          </Button>
        </Group>
      }
    >
      <Text size="sm" c="dimmed">
        {t('account.calendarHelp')}
      </Text>
    </Section>
  )
}
