// One webhook: where it sends to, its state, secret and deliveries.
import type { components } from '@caseport/sdk'
import { Alert, Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { Fact } from '../../app/section.tsx'
import { errorText } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { notifyDone, notifyError } from '../../dialogs/notify.tsx'
import { showSecret } from '../../dialogs/secret-dialog.tsx'
import { ToneBadge } from '../../records/links.tsx'
import { useCompanyNames } from '../setup/access-fields.tsx'
import { RotateDialog } from './client-dialogs.tsx'
import { Deliveries } from './deliveries.tsx'
import { Panel, PendingPanel, useRunAnd } from './panel.tsx'
import { type Webhook, WebhookDialog } from './webhook-dialog.tsx'

/** `stopped`: the service made it inactive, because deliveries failed. */
export const stateOf = (webhook: Webhook): 'active' | 'stopped' | 'off' =>
  webhook.active ? 'active' : webhook.disabledReason ? 'stopped' : 'off'

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { t } = useTexts()
  const state = stateOf(webhook)
  const tone = ({ active: 'good', stopped: 'bad', off: 'neutral' } as const)[state]
  return <ToneBadge tone={tone}>{t(`webhooks.state.${state}`)}</ToneBadge>
}

export function useShowSecret() {
  const { t } = useTexts()
  return (url: string, secret: string) =>
    showSecret({
      title: t('webhooks.secretTitle', { name: url }),
      text: t('webhooks.secretHelp'),
      values: [{ label: t('webhooks.secret'), value: secret }],
    })
}

interface WebhookPanelProps {
  webhookId: string
  onChanged(): void
  onClose(): void
}

export function WebhookPanel({ webhookId, onChanged, onClose }: WebhookPanelProps) {
  const texts = useTexts()
  const { t, time, number } = texts
  const namesOf = useCompanyNames()
  const show = useShowSecret()
  const cache = useQueryClient()
  const queryKey = ['webhook', webhookId]
  const {
    data: webhook,
    error,
    refetch,
  } = useQuery({
    queryKey,
    queryFn: ({ signal }) => caseport.webhooks.get(webhookId, { signal }),
    // The ETag belongs to the object that the SDK returned.
    structuralSharing: false,
  })
  const [isTesting, setTesting] = useState(false)
  const [result, setResult] = useState<components['schemas']['WebhookTest']>()
  const changed = () => {
    void cache.invalidateQueries({ queryKey })
    void cache.invalidateQueries({ queryKey: ['deliveries', webhookId] })
    onChanged()
  }
  const run = useRunAnd(changed)
  if (!webhook)
    return (
      <PendingPanel
        label={t('webhooks.webhook')}
        error={error}
        onRetry={() => void refetch()}
        onClose={onClose}
      />
    )
  const edit = async () => {
    if (await openDialog<unknown>(close => <WebhookDialog base={webhook} onClose={close} />)) {
      notifyDone(t('setup.saved', { name: webhook.url }))
      changed()
    }
  }
  const test = async () => {
    setTesting(true)
    await run(async () => setResult(await caseport.webhooks.test(webhookId)))
    setTesting(false)
  }
  const rotate = async () => {
    const secret = await openDialog<string | undefined>(close => (
      <RotateDialog
        name={webhook.url}
        onClose={close}
        rotate={async graceSeconds =>
          (await caseport.webhooks.rotateSecret(webhookId, { graceSeconds })).secret
        }
      />
    ))
    if (!secret) return
    changed()
    await show(webhook.url, secret)
  }
  const remove = async () => {
    const isSure = await confirm({
      title: t('webhooks.deleteTitle'),
      text: t('webhooks.deleteHelp'),
      action: t('processes.delete'),
      typed: new URL(webhook.url).host,
    })
    if (!isSure) return
    try {
      await caseport.webhooks.delete(webhookId)
    } catch (cause) {
      notifyError(t('state.error'), errorText(cause, texts))
      changed()
      return
    }
    // Only the list is read again: the webhook and its deliveries do not exist any more.
    onChanged()
    onClose()
  }
  return (
    <Panel
      title={webhook.url}
      state={<WebhookState webhook={webhook} />}
      onEdit={() => void edit()}
      onClose={onClose}
    >
      {webhook.disabledReason && !webhook.active && (
        <Alert color="red" icon={<Icon name="alert" />} title={t('webhooks.stopped')}>
          {webhook.disabledReason}
          <Button
            variant="default"
            size="compact-md"
            mt="xs"
            display="block"
            onClick={() =>
              void run(() => caseport.webhooks.update(webhookId, { active: true }, { ifMatch: webhook }))
            }
          >
            {t('webhooks.start')}
          </Button>
        </Alert>
      )}
      <dl className="facts">
        {webhook.description && <Fact label={t('documents.description')}>{webhook.description}</Fact>}
        <Fact label={t('webhooks.events')}>{webhook.eventTypes.join(', ') || t('webhooks.allEvents')}</Fact>
        <Fact label={t('webhooks.owner')}>{webhook.clientId ?? '–'}</Fact>
        <Fact label={t('access.companies')}>{namesOf(webhook.companies)}</Fact>
        <Fact label={t('clients.created')}>{time(webhook.createdAt)}</Fact>
      </dl>
      <Group gap="xs">
        <Button
          variant="default"
          loading={isTesting}
          leftSection={<Icon name="check" size={16} />}
          onClick={() => void test()}
        >
          {t('webhooks.test')}
        </Button>
        <Button
          variant="default"
          leftSection={<Icon name="refresh" size={16} />}
          onClick={() => void rotate()}
        >
          {t('clients.rotate')}
        </Button>
        <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => void remove()}>
          {t('webhooks.delete')}
        </Button>
      </Group>
      <div role="status">
        {result && (
          <Alert
            color={result.delivered ? 'green' : 'red'}
            icon={<Icon name={result.delivered ? 'check' : 'alert'} />}
          >
            {result.delivered
              ? t('webhooks.testOk', { status: result.status ?? '', ms: number(result.milliseconds) })
              : t('webhooks.testFailed', { error: result.error ?? String(result.status ?? '') })}
          </Alert>
        )}
      </div>
      <Deliveries webhookId={webhookId} />
      <Text size="xs" c="dimmed">
        {t('webhooks.retries')}
      </Text>
    </Panel>
  )
}
