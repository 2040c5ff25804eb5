// Short messages at the edge of the window, with a way to undo what they tell.
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMemo, useSyncExternalStore } from 'react'
import { type Action, useActions } from '../app/actions.tsx'
import { useTexts } from '../app/i18n.tsx'

interface Undo {
  id: string
  run(): void
}

const UNDO_MS = 10_000
let lastUndo: Undo | undefined
const listeners = new Set<() => void>()

function setLastUndo(undo: Undo | undefined): void {
  lastUndo = undo
  for (const listener of listeners) listener()
}

export function notifyError(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: 15_000, role: 'alert' })
}

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 4_000 })
}

/** Tells what was done, and offers to undo it for a while: with the button, or with the key Z. */
export function notifyWithUndo(message: string, undoLabel: string, undo: () => void): void {
  const id = `undo-${Date.now()}-${Math.random()}`
  const run = () => {
    notifications.hide(id)
    if (lastUndo?.id === id) setLastUndo(undefined)
    undo()
  }
  setLastUndo({ id, run })
  notifications.show({
    id,
    color: 'green',
    autoClose: UNDO_MS,
    onClose: () => lastUndo?.id === id && setLastUndo(undefined),
    message: (
      <Group justify="space-between" wrap="nowrap" gap="md">
        <Text size="sm">{message}</Text>
        <Button size="compact-sm" variant="light" onClick={run}>
          {undoLabel}
        </Button>
      </Group>
    ),
  })
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Registers the shortcut while there is something to undo. The shell calls it. */
export function useUndoAction(): void {
  const { t } = useTexts()
  const undo = useSyncExternalStore(subscribe, () => lastUndo)
  useActions(
    useMemo<Action[]>(
      () =>
        undo
          ? [
              {
                id: 'undo',
                label: t('undo.action'),
                icon: 'undo',
                group: t('shell.group.general'),
                shortcut: 'z',
                run: undo.run,
              },
            ]
          : [],
      [undo, t],
    ),
  )
}
