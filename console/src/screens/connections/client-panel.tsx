// One client: what it may do, its keys and secrets.
import type { components } from '@caseport/sdk'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { AppLink } from '../../app/router.tsx'
import { Fact, Revocable } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { notifyDone, notifyWithUndo } from '../../dialogs/notify.tsx'
import { showSecret } from '../../dialogs/secret-dialog.tsx'
import { longRange, ToneBadge } from '../../records/links.tsx'
import { useCompanyNames } from '../setup/access-fields.tsx'
import { type Client, ClientDialog, KeyDialog, RotateDialog, showClientSecret } from './client-dialogs.tsx'
import { lastUseOf } from './last-use.ts'
import { Panel, PendingPanel, useRunAnd } from './panel.tsx'

export function ClientState({ client }: { client: Client }) {
  const { t } = useTexts()
  return (
    <ToneBadge tone={client.disabledAt ? 'neutral' : 'good'}>
      {t(client.disabledAt ? 'users.disabled' : 'users.active')}
    </ToneBadge>
  )
}

interface ClientPanelProps {
  clientId: string
  onChanged(): void
  onClose(): void
}

export function ClientPanel({ clientId, onChanged, onClose }: ClientPanelProps) {
  const texts = useTexts()
  const { t, time, ago } = texts
  const { can, me } = useSession()
  const namesOf = useCompanyNames()
  const cache = useQueryClient()
  const queryKey = ['client', clientId]
  const {
    data: client,
    error,
    refetch,
  } = useQuery({
    queryKey,
    queryFn: ({ signal }) => caseport.clients.get(clientId, { signal }),
  })
  const { data: lastUse } = useQuery({
    queryKey: ['last-use', clientId],
    queryFn: ({ signal }) => lastUseOf(clientId, signal),
    enabled: can('audit:read'),
    staleTime: 60_000,
  })
  const changed = () => {
    void cache.invalidateQueries({ queryKey })
    onChanged()
  }
  const run = useRunAnd(changed)
  if (!client)
    return <PendingPanel label={clientId} error={error} onRetry={() => void refetch()} onClose={onClose} />
  const { name } = client
  const edit = () =>
    run(async () => {
      // Another person may have changed it since it was read.
      const base = await caseport.clients.get(clientId)
      if (await openDialog<unknown>(close => <ClientDialog base={base} onClose={close} />))
        notifyDone(t('setup.saved', { name }))
    })
  const rotate = async () => {
    const secret = await openDialog<string | undefined>(close => (
      <RotateDialog
        name={name}
        onClose={close}
        rotate={async graceSeconds =>
          (await caseport.clients.rotateSecret(clientId, { graceSeconds })).clientSecret
        }
      />
    ))
    if (!secret) return
    changed()
    await showClientSecret(name, clientId, secret, texts)
  }
  const setActive = (isActive: boolean) =>
    run(async () => {
      await (isActive ? caseport.clients.enable(clientId) : caseport.clients.disable(clientId))
      notifyWithUndo(
        t(isActive ? 'users.nowEnabled' : 'clients.nowDisabled', { name }),
        t('undo.action'),
        () =>
          void run(() => (isActive ? caseport.clients.disable(clientId) : caseport.clients.enable(clientId))),
      )
    })
  const addKey = async () => {
    const key = await openDialog<components['schemas']['ApiKeyWithSecret'] | undefined>(close => (
      <KeyDialog clientId={clientId} onClose={close} />
    ))
    if (!key) return
    changed()
    await showSecret({
      title: t('clients.keyTitle', { name: key.name }),
      text: t('clients.keyHelp'),
      values: [{ label: t('clients.key'), value: key.apiKey }],
    })
  }
  const revoke = (key: components['schemas']['ApiKey']) =>
    run(async () => {
      const isSure = await confirm({
        title: t('clients.revokeTitle', { name: key.name }),
        text: t('clients.revokeHelp'),
        action: t('clients.revoke'),
        typed: key.name,
      })
      if (isSure) await caseport.clients.revokeApiKey(clientId, key.keyId)
    })
  const keys = client.apiKeys.filter(({ revokedAt }) => revokedAt === null)
  return (
    <Panel title={name} state={<ClientState client={client} />} onEdit={() => void edit()} onClose={onClose}>
      <dl className="facts">
        <Fact label={t('clients.id')}>{client.clientId}</Fact>
        <Fact label={t('clients.scopes')}>{client.scopes.join(', ')}</Fact>
        <Fact label={t('access.companies')}>{namesOf(client.companies)}</Fact>
        <Fact label={t('clients.created')}>{time(client.createdAt)}</Fact>
        {can('audit:read') && (
          <Fact label={t('clients.lastUse')}>
            {lastUse === undefined ? (
              '…'
            ) : lastUse === null ? (
              t('clients.notUsed')
            ) : (
              <AppLink to="/audit" search={{ clientId, ...longRange() }}>
                {`${ago(lastUse.at)}, ${lastUse.operationId ?? lastUse.action}`}
              </AppLink>
            )}
          </Fact>
        )}
        {client.disabledAt && <Fact label={t('users.disabled')}>{time(client.disabledAt)}</Fact>}
      </dl>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<Icon name="refresh" size={16} />}
          onClick={() => void rotate()}
        >
          {t('clients.rotate')}
        </Button>
        {client.clientId !== me.clientId && (
          <Button
            variant="default"
            leftSection={<Icon name={client.disabledAt ? 'check' : 'lock'} size={16} />}
            onClick={() => void setActive(client.disabledAt !== null)}
          >
            {t(client.disabledAt ? 'users.enable' : 'users.disable')}
          </Button>
        )}
      </Group>
      <section aria-label={t('clients.keys')}>
        <Group justify="space-between" mb="xs">
          <Title order={3}>{t('clients.keys')}</Title>
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon name="plus" size={15} />}
            onClick={() => void addKey()}
          >
            {t('clients.addKey')}
          </Button>
        </Group>
        {keys.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('clients.noKeys')}
          </Text>
        )}
        <Stack gap="xs">
          {keys.map(key => (
            <Revocable
              key={key.keyId}
              name={key.name}
              detail={time(key.createdAt)}
              action={t('clients.revoke')}
              label={t('clients.revokeTitle', { name: key.name })}
              onClick={() => void revoke(key)}
            />
          ))}
        </Stack>
      </section>
    </Panel>
  )
}
