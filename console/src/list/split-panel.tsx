// The panel of one record beside its list.
import { Button, Group, Stack, Title } from '@mantine/core'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react'
import { useActions } from '../app/actions.tsx'
import { useTexts } from '../app/i18n.tsx'
import { ErrorState, NotFound, SkeletonLines } from '../app/states.tsx'

interface SplitPanelProps {
  title: string
  /** Beside the title. */
  state?: ReactNode
  /** Before the button that closes the panel. */
  actions?: ReactNode
  isBusy?: boolean
  onClose(): void
  children: ReactNode
}

/** Narrow windows hide the list, and with it the focus: the title of the panel gets it. */
export function useTitleFocus(): RefObject<HTMLHeadingElement | null> {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const list = title.current?.closest('.split')?.querySelector('.split-list')
    if (list && getComputedStyle(list).display === 'none') title.current?.focus()
  }, [])
  return title
}

export function SplitPanel({ title, state, actions, isBusy, onClose, children }: SplitPanelProps) {
  const { t } = useTexts()
  const heading = useTitleFocus()
  const latest = useRef(onClose)
  latest.current = onClose
  useActions(
    useMemo(
      () => [
        {
          id: 'panel-close',
          label: t('dialog.close'),
          icon: 'close' as const,
          group: t('shell.group.list'),
          shortcut: 'escape',
          run: () => latest.current(),
        },
      ],
      [t],
    ),
  )
  return (
    <aside className="split-panel" aria-label={title} aria-busy={isBusy}>
      <Stack gap="md">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={2} className="panel-title" ref={heading} tabIndex={-1}>
              {title}
            </Title>
            {state}
          </Group>
          <Group gap={6}>
            {actions}
            <Button variant="default" size="compact-md" onClick={onClose}>
              {t('dialog.close')}
            </Button>
          </Group>
        </Group>
        {children}
      </Stack>
    </aside>
  )
}

interface UnlistedPanelProps {
  title: string
  isPending: boolean
  error: unknown
  onRetry(): void
  onClose(): void
}

/** The panel of a record that the address names and the loaded rows do not have: until it is read, or if it is not found. */
export function UnlistedPanel({ title, isPending, error, onRetry, onClose }: UnlistedPanelProps) {
  return (
    <SplitPanel title={title} isBusy={isPending} onClose={onClose}>
      {error ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : isPending ? (
        <SkeletonLines lines={6} />
      ) : (
        <NotFound />
      )}
    </SplitPanel>
  )
}
