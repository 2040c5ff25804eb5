// Signing in: password, then a second factor where the person has one; a passkey alone; or the issuer of the organisation.
// The same form is used when a session has ended in the middle of work.
import type { components } from '@caseport/sdk'
import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { signInClient } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { rememberPage, servicePath } from '../../app/page.ts'
import { errorText } from '../../app/states.tsx'

type Step = components['schemas']['SignInStep']
type Request = components['schemas']['SignInRequest']

async function readPasskey(options: unknown): Promise<Request['passkey']> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey })
  return (credential as PublicKeyCredential).toJSON() as unknown as NonNullable<Request['passkey']>
}

/** A passkey belongs to a domain name; addresses of machines have none. */
const hasDomain = !/^(?:\d+\.){3}\d+$|^\[/.test(location.hostname)

interface SignInFormProps {
  /** What it throws is shown in the form. */
  onSignedIn(): void | Promise<void>
  /** Whether it lies over a page that must stay as it is: then the issuer gets a window of its own. */
  isOverPage?: boolean
}

export function SignInForm({ onSignedIn, isOverPage = false }: SignInFormProps) {
  const texts = useTexts()
  const { t } = texts
  const [step, setStep] = useState<Step>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const { data: methods } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: async () => (await signInClient.api.GET('/auth/v1/methods')).data,
    staleTime: Number.POSITIVE_INFINITY,
  })

  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (cause) {
      const isCancelled = cause instanceof DOMException && cause.name === 'NotAllowedError'
      setError(isCancelled ? t('signIn.passkeyCancelled') : errorText(cause, texts))
    } finally {
      setBusy(false)
    }
  }
  const send = async (body: Request) => {
    const { data, response } = await signInClient.api.POST('/auth/v1/session', { body })
    if (response.status === 201) await onSignedIn()
    else setStep(data as Step)
  }
  const submit = (
    event: FormEvent<HTMLFormElement>,
    work: (fields: Record<string, string>) => Promise<void>,
  ) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
    void run(() => work(fields))
  }
  const signInByPasskey = () =>
    run(async () => {
      const { data } = await signInClient.api.POST('/auth/v1/passkey/options')
      if (data) await send({ challenge: data.challenge, passkey: await readPasskey(data.options) } as Request)
    })

  const message = error && (
    <Alert color="red" icon={<Icon name="alert" />} role="alert">
      {error}
    </Alert>
  )

  if (step)
    return (
      <Stack gap="md">
        {message}
        <SecondFactor
          step={step}
          isBusy={isBusy}
          onCode={event =>
            submit(event, ({ code = '' }) =>
              send({ challenge: step.challenge, code: code.replaceAll(' ', '') }),
            )
          }
          onRecoveryCode={event =>
            submit(event, ({ recoveryCode = '' }) => send({ challenge: step.challenge, recoveryCode }))
          }
          onPasskey={() =>
            void run(async () =>
              send({ challenge: step.challenge, passkey: await readPasskey(step.passkey) } as Request),
            )
          }
        />
        <Anchor component="button" type="button" size="sm" onClick={() => setStep(undefined)}>
          {t('signIn.startAgain')}
        </Anchor>
      </Stack>
    )

  return (
    <Stack gap="md">
      {message}
      {methods?.password !== false && (
        <form onSubmit={event => submit(event, ({ email = '', password = '' }) => send({ email, password }))}>
          <Stack gap="sm">
            <TextInput
              name="email"
              type="email"
              label={t('signIn.email')}
              autoComplete="username webauthn"
              required
              withAsterisk={false}
              data-autofocus
              autoFocus
            />
            <PasswordInput
              name="password"
              label={t('signIn.password')}
              autoComplete="current-password"
              required
              withAsterisk={false}
              visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword'), tabIndex: 0 }}
            />
            <Button type="submit" loading={isBusy} fullWidth mt={4}>
              {t('signIn.submit')}
            </Button>
          </Stack>
        </form>
      )}
      {(methods?.passkey || methods?.externalIssuer) && methods.password && (
        <Divider label={t('signIn.or')} />
      )}
      {methods?.passkey && (
        <Button
          variant="default"
          fullWidth
          onClick={() => void signInByPasskey()}
          disabled={isBusy || !hasDomain}
        >
          {t('signIn.passkey')}
        </Button>
      )}
      {methods?.passkey && !hasDomain && (
        <Text size="xs" c="dimmed">
          {t('signIn.passkeyNeedsName')}
        </Text>
      )}
      {methods?.externalIssuer && (
        <Button
          variant="default"
          fullWidth
          component="a"
          href={`${servicePath}/auth/v1/oidc/start`}
          {...(isOverPage ? { target: '_blank', rel: 'noopener' } : { onClick: rememberPage })}
        >
          {t('signIn.external')}
        </Button>
      )}
    </Stack>
  )
}

interface SecondFactorProps {
  step: Step
  isBusy: boolean
  onCode(event: FormEvent<HTMLFormElement>): void
  onRecoveryCode(event: FormEvent<HTMLFormElement>): void
  onPasskey(): void
}

function SecondFactor({ step, isBusy, onCode, onRecoveryCode, onPasskey }: SecondFactorProps) {
  const { t } = useTexts()
  const [usesRecovery, setRecovery] = useState(false)
  if (usesRecovery)
    return (
      <form onSubmit={onRecoveryCode}>
        <Stack gap="sm">
          <TextInput
            name="recoveryCode"
            label={t('signIn.recoveryCode')}
            autoComplete="off"
            required
            autoFocus
          />
          <Button type="submit" loading={isBusy}>
            {t('signIn.continue')}
          </Button>
        </Stack>
      </form>
    )
  return (
    <Stack gap="sm">
      {step.methods.includes('totp') && (
        <form onSubmit={onCode}>
          <Stack gap="sm">
            <TextInput
              name="code"
              label={t('signIn.code')}
              inputMode="numeric"
              autoComplete="one-time-code"
              required
              autoFocus
            />
            <Button type="submit" loading={isBusy}>
              {t('signIn.continue')}
            </Button>
          </Stack>
        </form>
      )}
      {step.methods.includes('passkey') && (
        <Button variant="default" onClick={onPasskey} disabled={isBusy}>
          {t('signIn.usePasskey')}
        </Button>
      )}
      {step.methods.includes('recovery-code') && (
        <Anchor component="button" type="button" size="sm" onClick={() => setRecovery(true)}>
          {t('signIn.useRecoveryCode')}
        </Anchor>
      )}
    </Stack>
  )
}
