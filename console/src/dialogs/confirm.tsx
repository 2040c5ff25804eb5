// Asks before something that cannot be undone; with a typed confirmation where an accident would be grave.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { openDialog } from './dialog-host.tsx'

export interface Confirmation {
  title: string
  text: string
  /** What happens, as a verb: "Remove", not "OK". */
  action: string
  /** The text that has to be typed, such as an employee number. */
  typed?: string
  isDangerous?: boolean
}

export const confirm = (options: Confirmation): Promise<boolean> =>
  openDialog<boolean>(close => <ConfirmDialog {...options} onClose={close} />, { cancelled: false })

function ConfirmDialog({
  title,
  text,
  action,
  typed,
  isDangerous = true,
  onClose,
}: Confirmation & { onClose: (isSure: boolean) => void }) {
  const { t } = useTexts()
  const [entered, setEntered] = useState('')
  const isReady = typed === undefined || entered.trim() === typed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) onClose(true)
  }
  return (
    <Modal
      opened
      onClose={() => onClose(false)}
      title={title}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{text}</Text>
          {typed !== undefined && (
            <TextInput
              label={t('dialog.type', { text: typed })}
              value={entered}
              onChange={event => setEntered(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => onClose(false)}>
              {t('dialog.cancel')}
            </Button>
            <Button
              type="submit"
              {...(isDangerous && { color: 'red.9' })}
              disabled={!isReady}
              {...(typed === undefined && { 'data-autofocus': true })}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
