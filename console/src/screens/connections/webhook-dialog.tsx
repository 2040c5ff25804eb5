// The dialog that creates or changes a webhook.
import type { components } from '@caseport/sdk'
import { Checkbox, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useAttempts } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { type Key, useTexts } from '../../app/i18n.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { saveOver } from '../../fields/save-over.ts'
import { EVENT_TYPES } from './event-types.ts'

export type Webhook = components['schemas']['Webhook']
type EventType = Webhook['eventTypes'][number]

const LABELS: Partial<Record<keyof Webhook, Key>> = {
  url: 'webhooks.url',
  description: 'documents.description',
  eventTypes: 'webhooks.events',
  active: 'companies.active',
}

interface WebhookDialogProps {
  base?: Webhook
  onClose(webhook: components['schemas']['WebhookWithSecret'] | undefined): void
}

export function WebhookDialog({ base, onClose }: WebhookDialogProps) {
  const { t } = useTexts()
  const attempt = useAttempts()
  const [url, setUrl] = useState(base?.url ?? 'https://')
  const [description, setDescription] = useState(base?.description ?? '')
  const [eventTypes, setEventTypes] = useState<EventType[]>(base?.eventTypes ?? [])
  const [active, setActive] = useState(base?.active ?? true)
  const saved = useRef<components['schemas']['WebhookWithSecret']>(undefined)
  const body = { url: url.trim(), description: description.trim(), eventTypes, active }
  return (
    <FormDialog
      title={t(base ? 'webhooks.edit' : 'webhooks.add')}
      action={t(base ? 'edit.save' : 'webhooks.add')}
      size="lg"
      isReady={URL.canParse(body.url)}
      onSubmit={async () => {
        if (!base) {
          saved.current = await attempt(body, idempotencyKey =>
            caseport.webhooks.create(body, { idempotencyKey }),
          )
          return
        }
        await saveOver<Webhook>({
          base,
          changes: body,
          read: () => caseport.webhooks.get(base.webhookId),
          write: (changes, version) =>
            caseport.webhooks.update(base.webhookId, changes as components['schemas']['WebhookPatch'], {
              ifMatch: version,
            }),
          labelOf: field => t(LABELS[field] ?? 'webhooks.url'),
        })
        saved.current = { ...base, ...body, secret: '' }
      }}
      onDone={() => onClose(saved.current)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => (
        <>
          <TextInput
            label={t('webhooks.url')}
            description={t('webhooks.urlHelp')}
            type="url"
            value={url}
            maxLength={2000}
            onChange={event => setUrl(event.currentTarget.value)}
            error={errorOf('url')}
            data-autofocus
          />
          <TextInput
            label={t('documents.description')}
            value={description}
            maxLength={500}
            onChange={event => setDescription(event.currentTarget.value)}
            error={errorOf('description')}
          />
          <Checkbox.Group
            label={t('webhooks.events')}
            description={t('webhooks.eventsHelp')}
            value={eventTypes}
            onChange={chosen => setEventTypes(EVENT_TYPES.filter(type => chosen.includes(type)))}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={6} verticalSpacing={6} mt={6}>
              {EVENT_TYPES.map(type => (
                <Checkbox key={type} value={type} label={type} size="xs" />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
          <Switch
            label={t('companies.active')}
            checked={active}
            onChange={event => setActive(event.currentTarget.checked)}
          />
        </>
      )}
    </FormDialog>
  )
}
