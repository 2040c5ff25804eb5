// The panel of one client or webhook beside its list.
import { Button } from '@mantine/core'
import type { ComponentProps } from 'react'
import { useTexts } from '../../app/i18n.tsx'
import { ErrorState, errorText, SkeletonLines } from '../../app/states.tsx'
import { notifyError } from '../../dialogs/notify.tsx'
import { SplitPanel } from '../../list/split-panel.tsx'

interface PanelProps
  extends Pick<ComponentProps<typeof SplitPanel>, 'title' | 'state' | 'onClose' | 'children'> {
  onEdit(): void
}

export function Panel({ onEdit, ...rest }: PanelProps) {
  const { t } = useTexts()
  const edit = (
    <Button size="compact-md" onClick={onEdit}>
      {t('users.edit')}
    </Button>
  )
  return <SplitPanel {...rest} actions={edit} />
}

interface PendingPanelProps {
  label: string
  error: unknown
  onRetry(): void
  onClose(): void
}

/** Until its record is there. */
export function PendingPanel({ label, error, onRetry, onClose }: PendingPanelProps) {
  return (
    <SplitPanel title={label} isBusy={!error} onClose={onClose}>
      {error ? <ErrorState error={error} onRetry={onRetry} /> : <SkeletonLines lines={8} />}
    </SplitPanel>
  )
}

/** Runs a change, and shows its error; what is shown is read again in any case. */
export function useRunAnd(changed: () => void) {
  const texts = useTexts()
  return async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (cause) {
      notifyError(texts.t('state.error'), errorText(cause, texts))
    }
    changed()
  }
}
