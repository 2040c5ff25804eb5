import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Muted, Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState, SkeletonLines } from '../../app/states.tsx'
import { localDay } from '../../records/dates.ts'
import { CaseLink, CaseStatusBadge } from '../../records/links.tsx'

export function PersonCases({ applicantId }: { applicantId: string }) {
  const { t, country, date } = useTexts()
  const { can } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['cases-of', applicantId],
    queryFn: ({ signal }) => caseport.cases.listForApplicant(applicantId, { signal }),
    enabled: can('cases:read'),
  })
  if (!can('cases:read')) return null
  return (
    <Section title={t('person.cases')}>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonLines lines={2} />
      ) : data.length === 0 ? (
        <Muted>{t('person.noCases')}</Muted>
      ) : (
        <Stack gap="xs" component="ul" className="plain-list">
          {data.map(found => (
            <li key={found.caseId}>
              <Group gap="sm" justify="space-between">
                <Group gap="sm">
                  <CaseLink caseId={found.caseId}>
                    {[found.processName ?? found.caseType ?? t('person.case'), country(found.hostCountry)]
                      .filter(Boolean)
                      .join(' · ')}
                  </CaseLink>
                  <CaseStatusBadge status={found.status} />
                </Group>
                <Text size="xs" c="dimmed">
                  {t('person.since', { date: date(localDay(found.createdAt)) })}
                </Text>
              </Group>
            </li>
          ))}
        </Stack>
      )}
    </Section>
  )
}
