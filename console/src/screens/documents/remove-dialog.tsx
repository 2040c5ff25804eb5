import type { components } from '@caseport/sdk'
import { Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'

export interface DocumentDialogProps {
  document: components['schemas']['DeskDocument']
  /** Of the version on screen. */
  etag: string
  onClose(isDone: boolean): void
}

/** The reason is kept for the audit, and the document can be restored: nothing has to be typed as a safeguard. */
export function RemoveDialog({ document, etag, onClose }: DocumentDialogProps) {
  const { t } = useTexts()
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      title={t('documents.removeTitle', { name: document.name ?? document.type })}
      action={t('documents.remove')}
      isDangerous
      isReady={reason.trim() !== ''}
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
      onSubmit={() =>
        caseport.documents.remove(document.documentId, { reason: reason.trim() }, { ifMatch: etag })
      }
    >
      {errorOf => (
        <>
          <Text size="sm">{t('documents.removeHelp')}</Text>
          <Textarea
            label={t('documents.reason')}
            value={reason}
            onChange={event => setReason(event.currentTarget.value)}
            error={errorOf('reason')}
            autosize
            minRows={2}
            maxLength={1000}
            data-autofocus
            required
          />
        </>
      )}
    </FormDialog>
  )
}
