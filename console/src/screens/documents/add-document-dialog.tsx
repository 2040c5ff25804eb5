// A file for a person, without a case.
import { FileInput, Progress, SimpleGrid, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { newKey, wasRejected } from '../../app/attempts.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { untilSent, uploadClient } from '../../files/upload-client.ts'
import type { RepositoryCountry } from '../../files/uploads.ts'
import { PersonSelect } from '../../records/person-select.tsx'
import { DOCUMENT_LISTS } from './documents.ts'
import { CountrySelect } from './renew-dialog.tsx'

interface AddDocumentProps {
  /** A file that was dropped. */
  dropped: File | undefined
  onClose(documentId: string | undefined): void
}

export function AddDocumentDialog({ dropped, onClose }: AddDocumentProps) {
  const { t } = useTexts()
  const client = useQueryClient()
  const [applicantId, setApplicantId] = useState<string | null>(null)
  const [country, setCountry] = useState<string | null>(null)
  const [file, setFile] = useState<File | null>(dropped ?? null)
  const [fields, setFields] = useState({ name: '', type: '', referenceNumber: '' })
  const [dates, setDates] = useState<{ issueDate: string | null; expiryDate: string | null }>({
    issueDate: null,
    expiryDate: null,
  })
  const [progress, setProgress] = useState<number>()
  const created = useRef<string>(undefined)
  const key = useRef(newKey())
  /** What is changed after an attempt is another document. */
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      key.current = newKey()
      set(value)
    }
  const change = changing((changes: Partial<typeof fields>) => setFields(all => ({ ...all, ...changes })))
  const changeDate = changing((changes: Partial<typeof dates>) => setDates(all => ({ ...all, ...changes })))

  const text = (name: keyof typeof fields, label: string, error: string | undefined) => (
    <TextInput
      label={label}
      value={fields[name]}
      maxLength={200}
      error={error}
      onChange={event => change({ [name]: event.currentTarget.value })}
    />
  )
  const submit = async () => {
    if (!file || !applicantId || !country) return
    const given = { ...fields, ...dates, ...(!fields.name.trim() && { name: file.name }) }
    const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value))
    const document = await untilSent(() =>
      uploadClient.documents.uploadForApplicant(
        applicantId,
        { ...filled, countryCode: country as RepositoryCountry, file },
        {
          idempotencyKey: key.current,
          onProgress: ({ loaded, total = file.size }) => setProgress(total ? (loaded / total) * 100 : 100),
        },
      ),
    ).catch((error: unknown) => {
      if (wasRejected(error)) key.current = newKey()
      throw error
    })
    created.current = document.documentId
    for (const queryKey of DOCUMENT_LISTS) void client.invalidateQueries({ queryKey })
  }
  return (
    <FormDialog
      title={t('documents.add')}
      action={t('documents.store')}
      size="lg"
      isReady={applicantId !== null && country !== null && file !== null}
      onSubmit={submit}
      onDone={() => onClose(created.current)}
      onClose={() => onClose(undefined)}
    >
      {errorOf => (
        <>
          <PersonSelect
            label={t('documents.person')}
            value={applicantId}
            onChange={changing(setApplicantId)}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <CountrySelect value={country} onChange={changing(setCountry)} error={errorOf('countryCode')} />
            <FileInput
              label={t('documents.file')}
              description={t('documents.fileHelp')}
              placeholder={t('documents.chooseFile')}
              leftSection={<Icon name="upload" size={16} />}
              value={file}
              onChange={changing(setFile)}
              error={errorOf('document')}
              clearable
            />
            {text('name', t('documents.name'), errorOf('name'))}
            {text('type', t('documents.type'), errorOf('type'))}
            <DateField
              label={t('documents.issueDate')}
              value={dates.issueDate}
              onChange={issueDate => changeDate({ issueDate })}
              error={errorOf('issueDate')}
            />
            <DateField
              label={t('documents.expiry')}
              value={dates.expiryDate}
              onChange={expiryDate => changeDate({ expiryDate })}
              error={errorOf('expiryDate')}
            />
            {text('referenceNumber', t('documents.reference'), errorOf('referenceNumber'))}
          </SimpleGrid>
          {progress !== undefined && (
            <Progress
              value={progress}
              size="sm"
              aria-label={t('upload.progress', { name: file?.name ?? '' })}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
