import { Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { saveOver } from '../../fields/save-over.ts'
import { type Document, type DocumentDialogProps, dayOf, readDocument } from './documents.ts'

/** A reminder is saved together with the expiry date, which stays as it is. */
interface Reminder {
  etag: string
  expiryDate: string | null
  isOn: boolean
  days: string
}

const reminderOf = (
  { expiryDate, remindAboutRenewal, expiryReminder }: Document,
  etag: string,
): Reminder => ({
  etag,
  expiryDate: dayOf(expiryDate),
  isOn: remindAboutRenewal,
  days: expiryReminder ? String(expiryReminder) : '',
})

/** Whether reminders are sent, and how many days before the expiry date. */
export function ReminderDialog({ document, etag, onClose }: DocumentDialogProps) {
  const { t } = useTexts()
  const { documentId } = document
  const base = reminderOf(document, etag)
  const [isOn, setOn] = useState(base.isOn)
  const [days, setDays] = useState(base.days)
  const submit = () =>
    saveOver<Reminder>({
      base,
      changes: { isOn, days: days.trim() },
      async read() {
        const theirs = await readDocument(documentId)
        return reminderOf(theirs.document, theirs.etag)
      },
      write(changes, version) {
        const saved = { ...version, ...changes }
        return caseport.documents.setExpiry(
          documentId,
          {
            ExpiryDate: saved.expiryDate ?? '',
            RemindAboutRenewal: saved.isOn,
            ExpiryReminder: saved.days || null,
          },
          { ifMatch: version.etag },
        )
      },
      labelOf: field => t(field === 'isOn' ? 'documents.remindersOn' : 'documents.reminderDays'),
      show: value => (typeof value === 'boolean' ? t(value ? 'common.yes' : 'common.no') : String(value)),
    })
  return (
    <FormDialog
      title={t('documents.reminder')}
      action={t('edit.save')}
      onDone={() => onClose(true)}
      onClose={() => onClose(false)}
      onSubmit={submit}
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
