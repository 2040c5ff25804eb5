import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'
import { useTexts } from '../../app/i18n.tsx'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../list/data-table.tsx'
import { useSelection } from '../../list/selection.ts'
import type { List } from '../../list/use-list.ts'
import { daysUntil, localDay } from '../../records/dates.ts'
import { CaseStatusBadge, ToneBadge, useCompanies } from '../../records/links.tsx'
import { CaseBulkBar } from './case-bulk.tsx'
import { type CaseFilter, casePath, type ListedCase, personOf, titleOf } from './cases.ts'
import { DueBadge } from './due-badge.tsx'

export function CaseTable({ list }: { list: List<ListedCase, CaseFilter> }) {
  const texts = useTexts()
  const { t, tn } = texts
  const { can, isLimited } = useSession()
  const { companies, nameOfCompany } = useCompanies()
  const selection = useSelection(JSON.stringify(list.query))
  const isWide = useMediaQuery('(min-width: 100em)')
  const hasProgress = useMediaQuery('(min-width: 85em)')
  const hasCompanies = isWide && (!isLimited || companies.length > 1)

  const columns = useMemo<Column<ListedCase>[]>(
    () => [
      {
        id: 'name',
        header: t('cases.person'),
        width: 'minmax(170px, 1.6fr)',
        narrow: 'title',
        sort: 'name',
        cell: row => (
          <>
            <bdi>{personOf(row)}</bdi>
            {row.applicant.vip && (
              <span className="vip">
                <ToneBadge tone="info">VIP</ToneBadge>
              </span>
            )}
          </>
        ),
      },
      {
        id: 'case',
        header: t('cases.case'),
        width: 'minmax(125px, 1.6fr)',
        cell: row => titleOf(row, texts),
      },
      {
        id: 'step',
        header: t('cases.step'),
        width: 'minmax(115px, 1.4fr)',
        cell: row => row.currentStep?.name ?? t('cases.noStep'),
      },
      {
        id: 'due',
        header: t('cases.due'),
        width: '130px',
        sort: 'dueDate',
        cell: row => <DueBadge date={row.nextDueDate} isShort />,
      },
      ...(hasProgress
        ? [
            {
              id: 'progress',
              header: t('cases.progress'),
              width: '92px',
              narrow: 'hidden' as const,
              cell: ({ progress: { finished, total } }: ListedCase) => (
                <span className="case-progress dimmed">
                  <progress value={finished} max={total || 1} aria-label={t('cases.progress')} />
                  {finished}/{total}
                </span>
              ),
            },
          ]
        : []),
      {
        id: 'assignee',
        header: t('cases.assignee'),
        width: 'minmax(96px, 1fr)',
        cell: row => row.assignee?.name ?? <span className="dimmed">{t('assignee.none')}</span>,
      },
      ...(hasCompanies
        ? [
            {
              id: 'company',
              header: t('people.company'),
              width: 'minmax(120px, 1.2fr)',
              narrow: 'hidden' as const,
              cell: (row: ListedCase) => nameOfCompany(row.hostCompanyId),
            },
          ]
        : []),
      {
        id: 'status',
        header: t('cases.status'),
        width: '84px',
        cell: row => <CaseStatusBadge status={row.status} />,
      },
      {
        id: 'age',
        header: t('cases.age'),
        width: '72px',
        align: 'right',
        narrow: 'hidden',
        sort: 'createdAt',
        cell: row => tn('cases.days', Math.max(0, -daysUntil(localDay(row.createdAt)))),
      },
    ],
    [t, tn, texts, nameOfCompany, hasCompanies, hasProgress],
  )

  return (
    <>
      {can('desk:write') && <CaseBulkBar list={list} selection={selection} />}
      <DataTable
        label={t('cases.title')}
        list={list}
        columns={columns}
        rowKey={row => row.caseId}
        rowLabel={personOf}
        href={row => casePath(row.caseId)}
        {...(can('desk:write') && { selection })}
        empty={{ title: t('cases.empty'), text: t('cases.emptyHelp') }}
      />
    </>
  )
}
