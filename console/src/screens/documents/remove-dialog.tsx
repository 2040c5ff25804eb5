import { isCaseportError } from '@caseport/sdk'
import { Text, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { askConflict, type Conflict } from '../../fields/conflict.tsx'
import { isEqual } from '../../fields/use-record.ts'
import { type Document, type DocumentDialogProps, type Edited, LABELS, readDocument } from './documents.ts'

/** The reason is kept for the audit, and the document can be restored: nothing has to be typed as a safeguard. */
export function RemoveDialog({ document, etag, onClose }: DocumentDialogProps) {
  const { t, date } = useTexts()
  const [reason, setReason] = useState('')
  const isKept = useRef(false)

  /** What another person has changed since the document was shown. */
  const changesOf = (seen: Document, theirs: Document): Conflict[] => {
    const mine = t('documents.remove')
    const fields = (Object.keys(LABELS) as (keyof Edited)[])
      .filter(field => !isEqual(theirs[field], seen[field]))
      .map(field => ({
        label: t(LABELS[field]),
        mine,
        theirs: field.endsWith('Date') ? date(theirs[field]) : (theirs[field] ?? ''),
      }))
    if (theirs.fileVersion === seen.fileVersion) return fields
    return [...fields, { label: t('documents.file'), mine, theirs: theirs.fileName ?? '' }]
  }
  const remove = async (seen: Document, version: string): Promise<void> => {
    try {
      await caseport.documents.remove(seen.documentId, { reason: reason.trim() }, { ifMatch: version })
    } catch (cause) {
      if (!isCaseportError(cause, 'version-mismatch')) throw cause
      const theirs = await readDocument(seen.documentId)
      const changes = changesOf(seen, theirs.document)
      isKept.current = changes.length > 0 && (await askConflict(changes)) === 'theirs'
      if (!isKept.current) return remove(theirs.document, theirs.etag)
    }
  }
  return (
    <FormDialog
      title={t('documents.removeTitle', { name: document.name ?? document.type })}
      action={t('documents.remove')}
      isDangerous
      isReady={reason.trim() !== ''}
      onDone={() => onClose(!isKept.current)}
      onClose={() => onClose(false)}
      onSubmit={() => remove(document, etag)}
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
