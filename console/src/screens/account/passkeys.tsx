// The passkeys of the person who is signed in.
import type { components } from '@caseport/sdk'
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Revocable, Section } from '../../app/section.tsx'
import { ErrorState } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { useRun } from './account-parts.tsx'
import { createPasskey, hasPasskeys } from './passkey.ts'

export function Passkeys({ onChanged }: { onChanged: () => void }) {
  const { t, ago } = useTexts()
  const run = useRun()
  const client = useQueryClient()
  const { data = [], error } = useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => caseport.passkeys.list({ signal }),
  })
  const refresh = () => {
    void client.invalidateQueries({ queryKey: ['passkeys'] })
    onChanged()
  }
  const add = async () => {
    const isAdded = await openDialog<boolean>(close => <PasskeyDialog onClose={close} />)
    if (isAdded) refresh()
  }
  const remove = (passkey: components['schemas']['Passkey']) =>
    run(async () => {
      const isSure = await confirm({
        title: t('account.removePasskey', { name: passkey.name }),
        text: t('account.removePasskeyHelp'),
        action: t('documents.remove'),
      })
      if (!isSure) return
      await caseport.passkeys.delete(passkey.passkeyId)
      refresh()
    })
  return (
    <Section
      title={t('account.passkeys')}
      actions={
        hasPasskeys && (
          <Button variant="default" onClick={() => void add()}>
            {t('account.addPasskey')}
          </Button>
        )
      }
    >
      {error && data.length === 0 ? (
        <ErrorState error={error} />
      ) : data.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t(hasPasskeys ? 'account.noPasskeys' : 'signIn.passkeyNeedsName')}
        </Text>
      ) : (
        <Stack gap="xs">
          {data.map(passkey => (
            <Revocable
              key={passkey.passkeyId}
              name={passkey.name}
              detail={
                passkey.lastUsedAt
                  ? t('account.lastUsed', { ago: ago(passkey.lastUsedAt) })
                  : t('account.neverUsed')
              }
              action={t('documents.remove')}
              label={t('account.removePasskey', { name: passkey.name })}
              onClick={() => void remove(passkey)}
            />
          ))}
        </Stack>
      )}
    </Section>
  )
}

function PasskeyDialog({ onClose }: { onClose: (isDone: boolean) => void }) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  return (
    <FormDialog
      title={t('account.addPasskey')}
      action={t('account.addPasskey')}
      isReady={name.trim() !== ''}
      onSubmit={() => createPasskey(name.trim())}
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      <TextInput
        label={t('account.passkeyName')}
        description={t('account.passkeyNameHelp')}
        value={name}
        maxLength={100}
        onChange={event => setName(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  )
}
