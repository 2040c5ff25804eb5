// Where one case stands, and everything that is done with it. Keys: C completes the current step, digits go to steps, N is
// the note, U uploads, P prints.
import { Button, Menu, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import { type Action, useActions } from '../../app/actions.tsx'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { BackLink } from '../../app/router.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { CenteredLoader, ErrorState } from '../../app/states.tsx'
import { localDay, today } from '../../records/dates.ts'
import { AuditLink, type CaseStatus, CaseStatusBadge, ToneBadge } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { Timeline } from '../../records/timeline.tsx'
import { caseKey, titleOf } from '../cases/cases.ts'
import { CaseDetails } from './case-details.tsx'
import { CaseDocuments } from './case-documents.tsx'
import { CaseNotes } from './case-notes.tsx'
import { CaseParties } from './case-parties.tsx'
import { CaseSteps } from './case-steps.tsx'
import { type CaseActions, useCase } from './use-case.ts'
import './case.css'

export default function CaseScreen() {
  const { caseId } = useParams({ strict: false }) as { caseId: string }
  // Another case starts anew: nothing that was typed for one is saved on the other.
  return <CaseOf key={caseId} caseId={caseId} />
}

function CaseOf({ caseId }: { caseId: string }) {
  const texts = useTexts()
  const { t, date } = texts
  const { can } = useSession()
  const work = useCase(caseId)
  const { record, error } = work
  if (error) return <ErrorState error={error} onRetry={work.refresh} />
  if (!record) return <CenteredLoader />
  const name = nameOf(record.applicant)
  return (
    <PageFrame
      title={name}
      before={<BackLink to="/cases">{t('case.back')}</BackLink>}
      aside={
        <>
          <Text size="md" c="dimmed" component="span">
            {titleOf(record, texts)}
          </Text>
          <CaseStatusBadge status={record.status} />
          {record.applicant.Vip && <ToneBadge tone="info">{t('case.vip')}</ToneBadge>}
          {record.closedAt && (
            <Text size="sm" c="dimmed">
              {t('case.closed', { date: date(localDay(record.closedAt)) })}
            </Text>
          )}
        </>
      }
      actions={<CaseButtons work={work} status={record.status} canWrite={can('desk:write')} />}
    >
      <Text className="print-only" size="xs">
        {t('case.printed', { date: date(today()) })} · {t('cases.id')} {record.caseId}
      </Text>
      <div className="case-grid">
        <div className="case-main">
          <CaseSteps work={work} canWrite={can('desk:write')} />
          <CaseDocuments work={work} />
          <CaseNotes work={work} canWrite={can('desk:write')} />
        </div>
        <div className="case-side">
          <CaseDetails work={work} canWrite={can('desk:write')} />
          {/* Those who may change the companies find them among the details. */}
          <CaseParties record={record} hasCompanies={!can('desk:write')} />
          <Section title={t('timeline.title')} className="no-print" actions={<AuditLink recordId={caseId} />}>
            <Timeline
              queryKey={[...caseKey(caseId), 'timeline']}
              load={(nextCursor, signal) =>
                caseport.cases
                  .timeline(caseId, { maxRecords: 20 }, { signal })
                  .page(nextCursor ? { nextCursor } : undefined)
              }
            />
          </Section>
        </div>
      </div>
    </PageFrame>
  )
}

function CaseButtons({
  work,
  status,
  canWrite,
}: {
  work: CaseActions
  status: CaseStatus
  canWrite: boolean
}) {
  const { t } = useTexts()
  const changes = useMemo(() => {
    const all = [
      { to: 'open' as const, label: t('case.status.open'), from: ['pending', 'closed'] },
      { to: 'pending' as const, label: t('case.status.pending'), from: ['open'] },
      { to: 'closed' as const, label: t('case.status.close'), from: ['open', 'pending'] },
    ]
    return canWrite ? all.filter(({ from }) => from.includes(status)) : []
  }, [t, status, canWrite])
  const latest = useRef(work)
  latest.current = work
  useActions(
    useMemo<Action[]>(
      () => [
        ...changes.map(({ to, label }) => ({
          id: `case-${to}`,
          label,
          icon: 'flag' as const,
          group: t('case.group'),
          run: () => void latest.current.save({ status: to }),
        })),
        {
          id: 'case-print',
          label: t('case.print'),
          icon: 'print',
          group: t('case.group'),
          shortcut: 'p',
          run: () => window.print(),
        },
      ],
      [t, changes],
    ),
  )
  return (
    <>
      {changes.length > 0 && (
        <Menu>
          <Menu.Target>
            <Button variant="default" rightSection={<Icon name="chevronDown" size={14} />}>
              {t('cases.status')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {changes.map(({ to, label }) => (
              <Menu.Item key={to} onClick={() => void work.save({ status: to })}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Button variant="default" leftSection={<Icon name="print" size={16} />} onClick={() => window.print()}>
        {t('case.print')}
      </Button>
    </>
  )
}
