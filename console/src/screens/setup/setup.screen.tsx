// What an operator sets up: companies, processes, people.
import { SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTexts } from '../../app/i18n.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import type { Search } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { Companies } from './companies.tsx'
import { Processes } from './processes.tsx'
import { Users } from './users.tsx'
import './setup.css'

const SHOWS = ['companies', 'processes', 'users'] as const

export default function SetupScreen() {
  const { t } = useTexts()
  const { can } = useSession()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const offered = SHOWS.filter(show => (show === 'users' ? can('access:write') : can('desk:read')))
  const show = offered.find(name => name === search['show']) ?? offered[0]
  return (
    <PageFrame title={t('setup.title')} isFull>
      <SegmentedControl
        className="view-switch"
        aria-label={t('documents.view')}
        value={show ?? ''}
        data={offered.map(value => ({ value, label: t(`setup.show.${value}`) }))}
        onChange={value => void navigate({ to: '.', search: { show: value } as never })}
      />
      {show === 'users' ? <Users /> : show === 'processes' ? <Processes /> : <Companies />}
    </PageFrame>
  )
}
