// Where each case stands: a table, or a board by step. Filters, order and the kind of view are in the address.
import { Button, SegmentedControl, VisuallyHidden } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useMemo, useRef } from 'react'
import { type Action, useActions } from '../../app/actions.tsx'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { AppLink, type Search, useGo } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { exportRows } from '../../list/export.tsx'
import { SavedViews } from '../../list/saved-views.tsx'
import { useList } from '../../list/use-list.ts'
import { today } from '../../records/dates.ts'
import { useCompanies } from '../../records/links.tsx'
import { CaseBoard } from './case-board.tsx'
import { CaseFilters } from './case-filters.tsx'
import { CaseTable } from './case-table.tsx'
import { caseList } from './cases.list.ts'
import { type ListedCase, personOf } from './cases.ts'
import './cases.css'

/** A view opens as the table or the board that it was saved as. */
const VIEW_PARAMETERS = ['show']

export default function CasesScreen() {
  const texts = useTexts()
  const { t, country } = texts
  const { can } = useSession()
  const { nameOfCompany } = useCompanies()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const go = useGo()
  const isBoard = search['show'] === 'board'
  const list = useList(caseList)

  const show = (value: string) =>
    void navigate({
      to: '.',
      search: ((old: Search) => ({ ...old, show: value === 'board' ? 'board' : undefined })) as never,
      replace: true,
    })
  const startExport = () =>
    void exportRows<ListedCase>({
      title: t('export.title'),
      fileName: `cases-${today()}.csv`,
      list,
      columns: [
        { header: t('cases.person'), value: personOf },
        { header: t('people.number'), value: row => row.applicant.employeeNumber },
        { header: t('cases.process'), value: row => row.processName },
        { header: t('field.caseType'), value: row => row.caseType },
        { header: t('field.hostCountry'), value: row => country(row.hostCountry) },
        { header: t('cases.status'), value: row => t(`caseStatus.${row.status}`) },
        { header: t('cases.step'), value: row => row.currentStep?.name },
        { header: t('cases.due'), value: row => row.nextDueDate },
        { header: t('cases.overdue'), value: row => t(row.overdue ? 'common.yes' : 'common.no') },
        { header: t('cases.stepsFinished'), value: row => row.progress.finished },
        { header: t('cases.stepsTotal'), value: row => row.progress.total },
        { header: t('cases.assignee'), value: row => row.assignee?.name },
        { header: t('field.hostCompany'), value: row => nameOfCompany(row.hostCompanyId) },
        { header: t('case.sendingCompany'), value: row => nameOfCompany(row.sendingCompanyId) },
        { header: t('field.billingCompany'), value: row => nameOfCompany(row.billingCompanyId) },
        { header: t('cases.created'), value: row => row.createdAt },
        { header: t('cases.updated'), value: row => row.updatedAt },
        { header: t('cases.id'), value: row => row.caseId },
      ],
    })

  const latest = useRef({ show, startExport, go })
  latest.current = { show, startExport, go }
  useActions(
    useMemo<Action[]>(
      () => [
        {
          id: 'cases-board',
          label: t(isBoard ? 'cases.showTable' : 'cases.showBoard'),
          icon: 'board',
          group: t('shell.group.list'),
          shortcut: 'b',
          run: () => latest.current.show(isBoard ? 'table' : 'board'),
        },
        {
          id: 'cases-export',
          label: t('export.title'),
          icon: 'download',
          group: t('shell.group.list'),
          run: () => latest.current.startExport(),
        },
        ...(can('cases:write')
          ? [
              {
                id: 'cases-new',
                label: t('newCase.title'),
                icon: 'plus' as const,
                group: t('shell.group.list'),
                shortcut: 'n',
                run: () => latest.current.go('/cases/new'),
              },
            ]
          : []),
      ],
      [t, can, isBoard],
    ),
  )

  return (
    <PageFrame
      title={t('cases.title')}
      isFull
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('cases.show')}
            value={isBoard ? 'board' : 'table'}
            onChange={show}
            data={[
              { value: 'table', label: t('cases.table') },
              { value: 'board', label: t('cases.board') },
            ]}
          />
          <SavedViews screen="cases" list={list} keeps={VIEW_PARAMETERS} />
          <Button
            variant="default"
            leftSection={<Icon name="download" size={16} />}
            onClick={startExport}
            className="collapses"
          >
            <span className="collapsing">{t('export.action')}</span>
            <VisuallyHidden className="expanding">{t('export.action')}</VisuallyHidden>
          </Button>
          {can('cases:write') && (
            <Button
              renderRoot={(props: ComponentProps<typeof AppLink>) => <AppLink {...props} to="/cases/new" />}
              leftSection={<Icon name="plus" size={16} />}
            >
              {t('newCase.action')}
            </Button>
          )}
        </>
      }
    >
      <CaseFilters list={list} isBoard={isBoard} />
      {isBoard ? <CaseBoard list={list} /> : <CaseTable list={list} />}
    </PageFrame>
  )
}
