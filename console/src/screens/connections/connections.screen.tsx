// What is connected to the service: clients with their keys, webhooks with their deliveries, and callers that are blocked.
import { Button, SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { servicePath } from '../../app/page.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import type { Search } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { BlockedCallers } from './blocked-callers.tsx'
import { Clients } from './clients.tsx'
import { Webhooks } from './webhooks.tsx'
import './connections.css'

const SHOWS = ['clients', 'webhooks', 'blocked'] as const

export default function ConnectionsScreen() {
  const { t } = useTexts()
  const { can, isLimited } = useSession()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const offered = SHOWS.filter(show => can(show === 'webhooks' ? 'webhooks:write' : 'access:write')).filter(
    // Callers of an external issuer belong to no company.
    show => show !== 'blocked' || !isLimited,
  )
  const show = offered.find(name => name === search['show']) ?? offered[0]
  return (
    <PageFrame
      title={t('connections.title')}
      isFull
      actions={
        <Button
          component="a"
          href={`${servicePath}/docs`}
          variant="default"
          leftSection={<Icon name="external" size={16} />}
        >
          {t('shell.reference')}
        </Button>
      }
    >
      <SegmentedControl
        className="view-switch"
        aria-label={t('documents.view')}
        value={show ?? ''}
        data={offered.map(value => ({ value, label: t(`connections.show.${value}`) }))}
        onChange={value => void navigate({ to: '.', search: { show: value } as never })}
      />
      {show === 'webhooks' ? <Webhooks /> : show === 'blocked' ? <BlockedCallers /> : <Clients />}
    </PageFrame>
  )
}
