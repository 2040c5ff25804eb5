// The password of the person who is signed in.
import { Button, PasswordInput, Text } from '@mantine/core'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Section } from '../../app/section.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { notifyDone } from '../../dialogs/notify.tsx'
import type { PartProps } from './account-parts.tsx'

const MIN_PASSWORD = 12

export function Password({ current, onChanged }: PartProps) {
  const { t } = useTexts()
  const hasPassword = current.credentials.password
  const change = async () => {
    const isChanged = await openDialog<boolean>(close => (
      <PasswordDialog hasPassword={hasPassword} onClose={close} />
    ))
    if (!isChanged) return
    notifyDone(t('account.passwordChanged'))
    onChanged()
  }
  return (
    <Section
      title={t('signIn.password')}
      actions={
        <Button variant="default" onClick={() => void change()}>
          {t(hasPassword ? 'account.changePassword' : 'account.setPassword')}
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        {t(hasPassword ? 'account.passwordHelp' : 'account.noPassword')}
      </Text>
    </Section>
  )
}

function PasswordDialog({
  hasPassword,
  onClose,
}: {
  hasPassword: boolean
  onClose: (isDone: boolean) => void
}) {
  const { t } = useTexts()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const toggle = { visibilityToggleButtonProps: { 'aria-label': t('signIn.showPassword') } }
  return (
    <FormDialog
      title={t(hasPassword ? 'account.changePassword' : 'account.setPassword')}
      action={t('edit.save')}
      isReady={newPassword.length >= MIN_PASSWORD && (!hasPassword || currentPassword !== '')}
      onSubmit={() =>
        caseport.session.changePassword({ newPassword, ...(hasPassword && { currentPassword }) })
      }
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      {errorOf => (
        <>
          {hasPassword && (
            <PasswordInput
              label={t('account.currentPassword')}
              autoComplete="current-password"
              value={currentPassword}
              onChange={event => setCurrent(event.currentTarget.value)}
              error={errorOf('currentPassword')}
              data-autofocus
              {...toggle}
            />
          )}
          <PasswordInput
            label={t('account.newPassword')}
            description={t('account.newPasswordHelp', { count: MIN_PASSWORD })}
            autoComplete="new-password"
            value={newPassword}
            onChange={event => setNew(event.currentTarget.value)}
            error={errorOf('newPassword')}
            {...toggle}
          />
        </>
      )}
    </FormDialog>
  )
}
