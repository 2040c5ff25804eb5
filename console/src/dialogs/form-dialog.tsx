// A dialog with a form. What fails is shown in it, and what was typed stays. It does not close while the form is sent: the
// response may have a secret that is shown once.
import { isCaseportError } from '@caseport/sdk'
import { Alert, Button, Group, Modal, type ModalProps, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { errorText } from '../app/states.tsx'
import { focusInvalidDate } from '../fields/date-field.tsx'

/** The errors of the service about a field, by its name in the body. */
export type FieldErrors = (name: string) => string | undefined

interface FormDialogProps {
  title: string
  /** What happens, as a verb: "Invite", not "OK". */
  action: string
  onSubmit(): Promise<unknown>
  /** After a submission that did not fail. */
  onDone(): void
  onClose(): void
  isReady?: boolean
  isDangerous?: boolean
  size?: ModalProps['size']
  children: ReactNode | ((errorOf: FieldErrors) => ReactNode)
}

export function FormDialog(props: FormDialogProps) {
  const {
    title,
    action,
    onSubmit,
    onDone,
    onClose,
    isReady = true,
    isDangerous = false,
    size = 'md',
    children,
  } = props
  const texts = useTexts()
  const { t } = texts
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation()
    if (!isReady || isBusy || focusInvalidDate(event.currentTarget)) return
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit()
      onDone()
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  const close = () => {
    if (!isBusy) onClose()
  }
  const errorOf: FieldErrors = name =>
    isCaseportError(error) ? error.errors.find(({ pointer }) => pointer === `/${name}`)?.detail : undefined

  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={size}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('dialog.close'), disabled: isBusy }}
    >
      <form onSubmit={event => void submit(event)} noValidate>
        <Stack gap="sm">
          {error !== undefined && (
            <Alert color="red" icon={<Icon name="alert" />} role="alert">
              {errorText(error, texts)}
            </Alert>
          )}
          {typeof children === 'function' ? children(errorOf) : children}
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={close} disabled={isBusy}>
              {t('dialog.cancel')}
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={!isReady}
              {...(isDangerous && { color: 'red.9' })}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
