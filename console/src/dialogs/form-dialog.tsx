// A dialog with a form. What fails is shown in it, and what was typed stays. It does not close while the form is sent: the
// response may have a secret that is shown once. It asks before it throws away what was typed or chosen.
import { isCaseportError } from '@caseport/sdk'
import { Alert, Button, Group, Modal, type ModalProps, Stack } from '@mantine/core'
import { type FocusEvent, type FormEvent, type ReactNode, useCallback, useRef, useState } from 'react'
import { isTyping } from '../app/actions.tsx'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { errorText } from '../app/states.tsx'
import { focusInvalidDate } from '../fields/date-field.tsx'
import { confirm } from './confirm.tsx'

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
  const form = useRef<HTMLFormElement>(null)
  /** What a list or a choice of several has is in a hidden field. */
  const hiddenBefore = useRef(new Map<HTMLInputElement, string>())
  const noteForm = useCallback((shown: HTMLFormElement | null) => {
    form.current = shown
    for (const field of hiddenOf(shown)) hiddenBefore.current.set(field, field.value)
  }, [])
  /** A box was ticked, or a file chosen. */
  const isChosen = useRef(false)
  const noteChoice = ({ target }: { target: EventTarget }) => {
    if ((target as HTMLElement).matches('[type=checkbox], [type=radio], [type=file]')) isChosen.current = true
  }
  /** The text of each field when it first got the focus. */
  const textsBefore = useRef(new Map<HTMLInputElement, string>())
  const noteText = ({ target }: FocusEvent) => {
    const field = target as HTMLInputElement
    if (isTyping(field) && !textsBefore.current.has(field)) textsBefore.current.set(field, field.value)
  }
  // Escape closes the question, and reaches this dialog as well.
  const isAsking = useRef(false)
  const close = async () => {
    if (isBusy || isAsking.current) return
    const isTyped = [...textsBefore.current].some(
      ([field, text]) => field.isConnected && field.value !== text,
    )
    const isChanged =
      isTyped ||
      isChosen.current ||
      hiddenOf(form.current).some(field => field.value !== (hiddenBefore.current.get(field) ?? ''))
    isAsking.current = isChanged
    const isSure =
      !isChanged ||
      (await confirm({
        title: t('discard.title'),
        text: t('discard.typed'),
        action: t('discard.action'),
      }))
    isAsking.current = false
    if (isSure) onClose()
  }
  const errorOf: FieldErrors = name =>
    isCaseportError(error) ? error.errors.find(({ pointer }) => pointer === `/${name}`)?.detail : undefined

  return (
    <Modal
      opened
      onClose={() => void close()}
      title={title}
      size={size}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('dialog.close'), disabled: isBusy }}
    >
      <form
        ref={noteForm}
        onSubmit={event => void submit(event)}
        onFocus={noteText}
        onChangeCapture={noteChoice}
        noValidate
      >
        <Stack gap="sm">
          {error !== undefined && (
            <Alert color="red" icon={<Icon name="alert" />} role="alert">
              {errorText(error, texts)}
            </Alert>
          )}
          {typeof children === 'function' ? children(errorOf) : children}
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={() => void close()} disabled={isBusy}>
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

const hiddenOf = (form: HTMLFormElement | null) => [
  ...(form?.querySelectorAll<HTMLInputElement>('input[type=hidden]') ?? []),
]
