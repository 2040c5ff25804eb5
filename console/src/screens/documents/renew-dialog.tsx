// A renewal came in: the new file, and until when it is valid, in one go. The version before it is kept.
import { FileInput, Progress, Select, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { DateField } from '../../fields/date-field.tsx'
import {
  REPOSITORY_COUNTRIES,
  type RepositoryCountry,
  repositoryName,
  uploadClient,
} from '../../files/upload-queue.tsx'
import type { DocumentDialogProps } from './remove-dialog.tsx'

export function RenewDialog({ document, etag, onClose }: DocumentDialogProps) {
  const texts = useTexts()
  const { t } = texts
  const [file, setFile] = useState<File | null>(null)
  const [country, setCountry] = useState<string | null>(document.countryCode)
  const [expiryDate, setExpiryDate] = useState(document.expiryDate?.slice(0, 10) ?? null)
  const [issueDate, setIssueDate] = useState(document.issueDate?.slice(0, 10) ?? null)
  const [invalid, setInvalid] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState<number>()
  /** The file that is stored already, where only the dates failed. */
  const stored = useRef<{ file: File; version: object }>(undefined)

  const mark = (name: string, isInvalid: boolean) =>
    setInvalid(all => {
      const next = new Set(all)
      if (isInvalid) next.add(name)
      else next.delete(name)
      return next
    })
  const submit = async () => {
    let version: string | object = etag
    if (file && stored.current?.file !== file) {
      const saved = await uploadClient.documents.replaceFile(
        document.documentId,
        { file, ...(!document.hasFile && country && { countryCode: country as RepositoryCountry }) },
        {
          ifMatch: etag,
          onProgress: ({ loaded, total = file.size }) => setProgress(total ? (loaded / total) * 100 : 100),
        },
      )
      stored.current = { file, version: uploadClient.etagOf(saved) as unknown as object }
    }
    if (stored.current) version = stored.current.version
    const changes = {
      ...(expiryDate !== (document.expiryDate?.slice(0, 10) ?? null) && { expiryDate }),
      ...(issueDate !== (document.issueDate?.slice(0, 10) ?? null) && { issueDate }),
    }
    if (Object.keys(changes).length > 0)
      await caseport.documents.correct(document.documentId, changes, { ifMatch: version })
  }

  const hasCountry = document.hasFile || country !== null
  return (
    <FormDialog
      title={t(document.hasFile ? 'documents.renewTitle' : 'documents.addFile', {
        name: document.name ?? document.type,
      })}
      action={t('documents.store')}
      isReady={file !== null && hasCountry && invalid.size === 0}
      onDone={() => onClose(true)}
      onClose={() => onClose(stored.current !== undefined)}
      onSubmit={submit}
    >
      {errorOf => (
        <>
          {!document.hasFile && (
            <CountrySelect value={country} onChange={setCountry} error={errorOf('countryCode')} />
          )}
          <FileInput
            label={t('documents.newFile')}
            placeholder={t('documents.chooseFile')}
            leftSection={<Icon name="upload" size={16} />}
            value={file}
            onChange={setFile}
            error={errorOf('document')}
            data-autofocus
            clearable
            required
            withAsterisk={false}
          />
          {progress !== undefined && (
            <Progress
              value={progress}
              size="sm"
              aria-label={t('upload.progress', { name: file?.name ?? '' })}
            />
          )}
          <DateField
            label={t('documents.newExpiry')}
            value={expiryDate}
            onChange={value => {
              mark('expiryDate', false)
              setExpiryDate(value)
            }}
            onInvalid={() => mark('expiryDate', true)}
            error={errorOf('expiryDate')}
          />
          <DateField
            label={t('documents.issueDate')}
            value={issueDate}
            onChange={value => {
              mark('issueDate', false)
              setIssueDate(value)
            }}
            onInvalid={() => mark('issueDate', true)}
            error={errorOf('issueDate')}
          />
          {document.hasFile && (
            <Text size="sm" c="dimmed">
              {t('documents.renewHelp')}
            </Text>
          )}
        </>
      )}
    </FormDialog>
  )
}

interface CountrySelectProps {
  value: string | null
  onChange(value: string | null): void
  error?: string | undefined
}

/** The country decides in which repository the bytes are stored, so that it is asked before the file. */
export function CountrySelect({ value, onChange, error }: CountrySelectProps) {
  const texts = useTexts()
  return (
    <Select
      label={texts.t('upload.country')}
      description={texts.t('upload.countryHelp')}
      searchable
      data={REPOSITORY_COUNTRIES.map(code => ({ value: code, label: repositoryName(code, texts) }))}
      value={value}
      onChange={onChange}
      error={error}
    />
  )
}
