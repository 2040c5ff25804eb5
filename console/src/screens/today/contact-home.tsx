// The first screen of the contact of a company: who may work until when, where each case stands, and a new case.
import type { components } from '@caseport/sdk'
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { AppLink, useGo } from '../../app/router.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { parseDate } from '../../records/dates.ts'
import { CaseLink, CaseStatusBadge, ExpiryBadge, PersonLink, useCompanies } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { Lines, SHOWN } from './today-parts.tsx'

type ListedCase = components['schemas']['ListedCase']

export function ContactHome() {
  const { t } = useTexts()
  const { can } = useSession()
  const go = useGo()
  const { companies } = useCompanies()
  return (
    <PageFrame
      title={companies[0]?.name ?? t('contact.title')}
      actions={
        can('cases:write') && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => go('/cases/new')}>
            {t('newCase.title')}
          </Button>
        )
      }
    >
      <div className="today-lists">
        <Expiries />
        <OpenCases />
      </div>
    </PageFrame>
  )
}

/** What has expired longer ago is no news. */
const SINCE = '-90d'

function Expiries() {
  const { t, country } = useTexts()
  const { data, error, refetch } = useQuery({
    queryKey: ['list', 'expiring', 'contact'],
    queryFn: ({ signal }) =>
      caseport.expiring
        .list(
          {
            kind: 'document',
            expiresFrom: parseDate(SINCE) as string,
            sort: 'expiryDate',
            maxRecords: SHOWN,
          },
          { signal },
        )
        .first(),
  })
  return (
    <Section title={t('contact.people')} actions={<AppLink to="/people">{t('contact.allPeople')}</AppLink>}>
      <Lines
        error={error}
        onRetry={() => void refetch()}
        isLoading={!data}
        empty={t('contact.noExpiries')}
        lines={(data?.records ?? []).map(item => ({
          key: item.documentId ?? item.applicant.applicantId,
          content: (
            <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
              <div className="line-text">
                <PersonLink person={item.applicant} />
                <Text size="xs" c="dimmed">
                  {[item.name ?? item.type, country(item.country)].filter(Boolean).join(' · ')}
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

function OpenCases() {
  const { t } = useTexts()
  const { data, error, refetch } = useQuery({
    queryKey: ['list', 'cases', 'contact'],
    queryFn: ({ signal }) =>
      caseport.cases
        .list({ sort: '-updatedAt', status: 'open,pending', maxRecords: SHOWN }, { signal })
        .first(),
  })
  return (
    <Section title={t('contact.cases')} actions={<AppLink to="/cases">{t('contact.allCases')}</AppLink>}>
      <Lines
        error={error}
        onRetry={() => void refetch()}
        isLoading={!data}
        empty={t('contact.noCases')}
        lines={(data?.records ?? []).map(found => ({
          key: found.caseId,
          content: <CaseLine found={found} />,
        }))}
      />
    </Section>
  )
}

function CaseLine({ found }: { found: ListedCase }) {
  const { t, country } = useTexts()
  const { applicant, currentStep, progress } = found
  const title = [found.processName ?? found.caseType, country(found.hostCountry)].filter(Boolean).join(', ')
  const step = currentStep
    ? t('contact.step', { step: currentStep.name, at: progress.finished + 1, count: progress.total })
    : t('contact.done')
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <div className="line-text">
          <CaseLink caseId={found.caseId}>
            <bdi>{nameOf(applicant)}</bdi> · {title}
          </CaseLink>
          <Text size="xs" c="dimmed">
            {step}
          </Text>
        </div>
        <CaseStatusBadge status={found.status} />
      </Group>
      <Progress size="xs" value={(100 * progress.finished) / Math.max(1, progress.total)} aria-label={step} />
    </Stack>
  )
}
