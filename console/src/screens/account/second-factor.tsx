// Codes of an authenticator app as a second factor.
import type { components } from '@caseport/sdk'
import { Button, Code, Group, Text, TextInput } from '@mantine/core'
import { lazy, Suspense, useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Section } from '../../app/section.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { showSecret } from '../../dialogs/secret-dialog.tsx'
import { ToneBadge } from '../../records/links.tsx'
import { type PartProps, useRun } from './account-parts.tsx'

export function SecondFactor({ current, onChanged }: PartProps) {
  const { t, tn } = useTexts()
  const run = useRun()
  const { totp, recoveryCodes } = current.credentials
  const enrol = () =>
    run(async () => {
      const enrolment = await caseport.totp.enrol()
      const codes = await openDialog<string[] | undefined>(close => (
        <EnrolDialog enrolment={enrolment} onClose={close} />
      ))
      if (!codes) return
      onChanged()
      await showSecret({
        title: t('account.recoveryCodes'),
        text: t('account.recoveryHelp'),
        values: [{ label: t('account.recoveryCodes'), value: codes.join('\n') }],
      })
    })
  const remove = async () => {
    if (await openDialog<boolean>(close => <RemoveTotpDialog onClose={close} />)) onChanged()
  }
  return (
    <Section
      title={t('account.secondFactor')}
      actions={
        totp ? (
          <Button variant="default" onClick={() => void remove()}>
            {t('account.removeTotp')}
          </Button>
        ) : (
          <Button variant="default" onClick={() => void enrol()}>
            {t('account.setUpTotp')}
          </Button>
        )
      }
    >
      <Group gap="xs">
        <ToneBadge tone={totp ? 'good' : 'neutral'}>{t(totp ? 'account.on' : 'account.off')}</ToneBadge>
        <Text size="sm" c="dimmed">
          {totp ? tn('account.codesLeft', recoveryCodes) : t('account.totpHelp')}
        </Text>
      </Group>
    </Section>
  )
}

const QrCode = lazy(() => import('./qr-code.tsx'))

interface EnrolDialogProps {
  enrolment: components['schemas']['TotpEnrolment']
  onClose(recoveryCodes: string[] | undefined): void
}

function EnrolDialog({ enrolment: { secret, uri }, onClose }: EnrolDialogProps) {
  const { t } = useTexts()
  const [code, setCode] = useState('')
  const codes = useRef<string[]>(undefined)
  return (
    <FormDialog
      title={t('account.setUpTotp')}
      action={t('account.confirm')}
      isReady={/^\d{6}$/.test(code.replaceAll(' ', ''))}
      onSubmit={async () => {
        codes.current = (await caseport.totp.confirm({ code: code.replaceAll(' ', '') })).recoveryCodes
      }}
      onDone={() => onClose(codes.current)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => (
        <>
          <Text size="sm">{t('account.totpSteps')}</Text>
          <Suspense fallback={<span className="qr-code" />}>
            <QrCode text={uri} label={t('account.qrCode')} />
          </Suspense>
          <Code block className="secret">
            {secret.replace(/(.{4})(?=.)/g, '$1 ')}
          </Code>
          <Text size="sm">
            <a href={uri}>{t('account.openApp')}</a>
          </Text>
          <TextInput
            label={t('signIn.code')}
            inputMode="numeric"
            autoComplete="one-time-code"
            value={code}
            onChange={event => setCode(event.currentTarget.value)}
            error={errorOf('code')}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  )
}

function RemoveTotpDialog({ onClose }: { onClose: (isDone: boolean) => void }) {
  const { t } = useTexts()
  const [code, setCode] = useState('')
  const digits = code.replaceAll(' ', '')
  return (
    <FormDialog
      title={t('account.removeTotp')}
      action={t('account.removeTotp')}
      isDangerous
      isReady={digits !== ''}
      onSubmit={() =>
        caseport.totp.remove(/^\d{6}$/.test(digits) ? { code: digits } : { recoveryCode: code.trim() })
      }
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      <Text size="sm">{t('account.removeTotpHelp')}</Text>
      <TextInput
        label={t('account.codeOrRecovery')}
        autoComplete="one-time-code"
        value={code}
        onChange={event => setCode(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  )
}
