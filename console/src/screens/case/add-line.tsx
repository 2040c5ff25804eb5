// One more item of a list, by its name: a step, a document of the checklist.
import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTexts } from '../../app/i18n.tsx'

interface AddLineProps {
  label: string
  maxLength: number
  /** Resolves to whether it was added: else what was typed stays. */
  onAdd(name: string): Promise<boolean>
  onClose(): void
}

export function AddLine({ label, maxLength, onAdd, onClose }: AddLineProps) {
  const { t } = useTexts()
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!name.trim() || isBusy) return
    setBusy(true)
    if (await onAdd(name.trim())) onClose()
    else setBusy(false)
  }
  return (
    <form onSubmit={event => void submit(event)}>
      <Group gap="xs" align="flex-end" mt="sm">
        <TextInput
          flex={1}
          size="sm"
          label={label}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          onKeyDown={event => event.key === 'Escape' && onClose()}
          readOnly={isBusy}
          maxLength={maxLength}
          autoFocus
        />
        <Button type="submit" disabled={!name.trim()} loading={isBusy}>
          {t('edit.save')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('dialog.cancel')}
        </Button>
      </Group>
    </form>
  )
}
