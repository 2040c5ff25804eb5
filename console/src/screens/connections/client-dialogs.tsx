// Dialogs that create a client, a key, and a new secret.
import type { components } from '@caseport/sdk'
import { Checkbox, NumberInput, SimpleGrid, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useAttempts } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { type Scope, useSession } from '../../app/session.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { showSecret } from '../../dialogs/secret-dialog.tsx'
import { isEqual } from '../../fields/use-record.ts'
import { CompanyAccess, hasCompanies } from '../setup/access-fields.tsx'

export type Client = components['schemas']['Client']

const SCOPES: Scope[] = [
  'applicants:read',
  'applicants:write',
  'cases:read',
  'cases:write',
  'documents:read',
  'documents:write',
  'desk:read',
  'desk:write',
  'setup:write',
  'webhooks:write',
  'access:write',
  'audit:read',
  'admin',
]

const DAY_SECONDS = 86_400

export const showClientSecret = (name: string, clientId: string, secret: string, { t }: Texts) =>
  showSecret({
    title: t('clients.secretTitle', { name }),
    text: t('clients.secretHelp'),
    values: [
      { label: t('clients.id'), value: clientId },
      { label: t('clients.secret'), value: secret },
    ],
  })

interface ClientDialogProps {
  /** A new client without. */
  base?: Client
  onClose(client: components['schemas']['CreatedClient'] | undefined): void
}

export function ClientDialog({ base, onClose }: ClientDialogProps) {
  const { t } = useTexts()
  const { me, can } = useSession()
  const attempt = useAttempts()
  const [name, setName] = useState(base?.name ?? '')
  const [scopes, setScopes] = useState<Scope[]>(base?.scopes ?? ['applicants:read', 'applicants:write'])
  const [companies, setCompanies] = useState(base ? (base.companies as string[] | null) : me.companies)
  const saved = useRef<components['schemas']['CreatedClient']>(undefined)
  return (
    <FormDialog
      title={base ? base.name : t('clients.add')}
      action={t(base ? 'edit.save' : 'clients.add')}
      size="lg"
      isReady={name.trim() !== '' && scopes.length > 0 && hasCompanies(companies)}
      onSubmit={async () => {
        const body = { name: name.trim(), scopes, companies }
        if (!base) {
          saved.current = await attempt(body, idempotencyKey =>
            caseport.clients.create(body, { idempotencyKey }),
          )
          return
        }
        // What another person has changed meanwhile stays.
        const changes = Object.entries(body).filter(
          ([field, value]) => !isEqual(value, base[field as keyof typeof body]),
        )
        const updated = await caseport.clients.update(base.clientId, Object.fromEntries(changes))
        saved.current = { ...updated, clientSecret: null }
      }}
      onDone={() => onClose(saved.current)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => (
        <>
          <TextInput
            label={t('clients.name')}
            value={name}
            maxLength={200}
            onChange={event => setName(event.currentTarget.value)}
            error={errorOf('name')}
            data-autofocus
          />
          <Checkbox.Group
            label={t('clients.scopes')}
            description={t('clients.scopesHelp')}
            value={scopes}
            onChange={chosen => setScopes(SCOPES.filter(scope => chosen.includes(scope)))}
            error={errorOf('scopes')}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={6} verticalSpacing={6} mt={6}>
              {/* Only what the person has can be granted. */}
              {SCOPES.filter(scope => can(scope)).map(scope => (
                <Checkbox key={scope} value={scope} label={scope} size="xs" />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
          <CompanyAccess value={companies} onChange={setCompanies} error={errorOf('companies')} />
        </>
      )}
    </FormDialog>
  )
}

export function KeyDialog({
  clientId,
  onClose,
}: {
  clientId: string
  onClose: (key: components['schemas']['ApiKeyWithSecret'] | undefined) => void
}) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  const created = useRef<components['schemas']['ApiKeyWithSecret']>(undefined)
  return (
    <FormDialog
      title={t('clients.addKey')}
      action={t('clients.addKey')}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        created.current = await caseport.clients.createApiKey(clientId, { name: name.trim() })
      }}
      onDone={() => onClose(created.current)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => (
        <TextInput
          label={t('clients.keyName')}
          description={t('clients.keyNameHelp')}
          value={name}
          maxLength={200}
          onChange={event => setName(event.currentTarget.value)}
          error={errorOf('name')}
          data-autofocus
        />
      )}
    </FormDialog>
  )
}

interface RotateDialogProps {
  name: string
  /** Returns the new secret. */
  rotate(graceSeconds: number): Promise<string>
  onClose(secret: string | undefined): void
}

/** The old secret works for a while, so that nothing stands still meanwhile. */
export function RotateDialog({ name, rotate, onClose }: RotateDialogProps) {
  const { t } = useTexts()
  const [days, setDays] = useState<number | string>(1)
  const secret = useRef<string>(undefined)
  return (
    <FormDialog
      title={t('clients.rotateTitle', { name })}
      action={t('clients.rotate')}
      isReady={days !== ''}
      onSubmit={async () => {
        secret.current = await rotate(Math.round(Number(days) * DAY_SECONDS))
      }}
      onDone={() => onClose(secret.current)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => (
        <NumberInput
          label={t('clients.grace')}
          description={t('clients.graceHelp')}
          value={days}
          min={0}
          max={7}
          onChange={setDays}
          error={errorOf('graceSeconds')}
          data-autofocus
        />
      )}
    </FormDialog>
  )
}
