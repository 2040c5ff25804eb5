// The panel of one record beside its list.
import { Button, Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../app/i18n.tsx'

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
