import { Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import type { DocumentDialogProps } from './remove-dialog.tsx'

/** Whether reminders are sent, and how many days before the expiry date. */
export function ReminderDialog({ document, etag, onClose }: DocumentDialogProps) {
  const { t } = useTexts()
  const [isOn, setOn] = useState(document.remindAboutRenewal)
  const [days, setDays] = useState(document.expiryReminder ? String(document.expiryReminder) : '')
  return (
    <FormDialog
      title={t('documents.reminder')}
      action={t('edit.save')}
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
      onSubmit={() =>
        caseport.documents.setExpiry(
          document.documentId,
          {
            ExpiryDate: document.expiryDate?.slice(0, 10) ?? '',
            RemindAboutRenewal: isOn,
            ExpiryReminder: days.trim() || null,
          },
          { ifMatch: etag },
        )
      }
    >
      {errorOf => (
        <>
          <Switch
            label={t('documents.remindersOn')}
            checked={isOn}
            onChange={event => setOn(event.currentTarget.checked)}
            data-autofocus
          />
          <TextInput
            label={t('documents.reminderDays')}
            description={t('documents.reminderDaysHelp')}
            placeholder="90, 30, 7"
            value={days}
            disabled={!isOn}
            onChange={event => setDays(event.currentTarget.value)}
            error={errorOf('ExpiryReminder')}
          />
        </>
      )}
    </FormDialog>
  )
}
