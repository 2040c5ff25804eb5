// A renewal came in: the new file, and until when it is valid, in one go. The version before it is kept.
import { FileInput, Progress, Select, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { FormDialog } from '../../dialogs/form-dialog.tsx'
import { DateField } from '../../fields/date-field.tsx'
import { saveOver } from '../../fields/save-over.ts'
import { untilSent, uploadClient } from '../../files/upload-client.ts'
import { repositoryName } from '../../files/upload-queue.tsx'
import { REPOSITORY_COUNTRIES, type RepositoryCountry } from '../../files/uploads.ts'
import { type Document, type DocumentDialogProps, dayOf, readDocument } from './documents.ts'

interface Renewal {
  etag: string
  /** A file that was chosen here, or the one that is stored. */
  file: File | { name: string; sha256: string | null } | null
  expiryDate: string | null
  issueDate: string | null
}

const RENEWAL_LABELS = {
  file: 'documents.newFile',
  expiryDate: 'documents.newExpiry',
  issueDate: 'documents.issueDate',
} as const

const renewalOf = (
  { hasFile, fileName, sha256, expiryDate, issueDate }: Document,
  etag: string,
): Renewal => ({
  etag,
  file: hasFile ? { name: fileName ?? '', sha256 } : null,
  expiryDate: dayOf(expiryDate),
  issueDate: dayOf(issueDate),
})

export function RenewDialog({ document, etag, onClose }: DocumentDialogProps) {
  const texts = useTexts()
  const { t, date } = texts
  const { documentId } = document
  const [file, setFile] = useState<File | null>(null)
  const [country, setCountry] = useState<string | null>(document.countryCode)
  const [expiryDate, setExpiryDate] = useState(dayOf(document.expiryDate))
  const [issueDate, setIssueDate] = useState(dayOf(document.issueDate))
  const [progress, setProgress] = useState<number>()
  const base = useRef(renewalOf(document, etag))
  /** The file that is stored already, where only the dates failed. */
  const stored = useRef<{ file: File; sha256: string | null }>(undefined)

  const store = async (chosen: File, version: string): Promise<void> => {
    const saved = await untilSent(() =>
      uploadClient.documents.replaceFile(
        documentId,
        { file: chosen, ...(!document.hasFile && country && { countryCode: country as RepositoryCountry }) },
        {
          ifMatch: version,
          onProgress: ({ loaded, total = chosen.size }) => setProgress(total ? (loaded / total) * 100 : 100),
        },
      ),
    )
    stored.current = { file: chosen, sha256: saved.sha256 }
    base.current = { ...base.current, file: chosen, etag: uploadClient.etagOf(saved) }
  }
  const submit = () =>
    saveOver<Renewal>({
      base: base.current,
      changes: { file, expiryDate, issueDate },
      async read() {
        const theirs = await readDocument(documentId)
        const isStored = stored.current && stored.current.sha256 === theirs.document.sha256
        return {
          ...renewalOf(theirs.document, theirs.etag),
          ...(isStored && { file: stored.current?.file ?? null }),
        }
      },
      async write({ file: chosen, ...dates }, { etag: version }) {
        if (chosen instanceof File) await store(chosen, version)
        if (Object.keys(dates).length > 0)
          await caseport.documents.correct(documentId, dates, {
            ifMatch: chosen ? base.current.etag : version,
          })
      },
      labelOf: field => (field === 'etag' ? field : t(RENEWAL_LABELS[field])),
      show: (value, field) =>
        field === 'file' ? ((value as Renewal['file'])?.name ?? '') : date(value as string | null),
    })

  const hasCountry = document.hasFile || country !== null
  return (
    <FormDialog
      title={t(document.hasFile ? 'documents.renewTitle' : 'documents.addFile', {
        name: document.name ?? document.type,
      })}
      action={t('documents.store')}
      isReady={file !== null && hasCountry}
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
            onChange={setExpiryDate}
            error={errorOf('expiryDate')}
          />
          <DateField
            label={t('documents.issueDate')}
            value={issueDate}
            onChange={setIssueDate}
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
