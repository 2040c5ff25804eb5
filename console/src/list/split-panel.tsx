// The panel of one record beside its list.
import { Button, Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
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

export function SplitPanel({ title, state, actions, isBusy, onClose, children }: SplitPanelProps) {
  const { t } = useTexts()
  return (
    <aside className="split-panel" aria-label={title} aria-busy={isBusy}>
      <Stack gap="md">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={2} className="panel-title">
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
