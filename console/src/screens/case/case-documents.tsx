// The documents that a case needs, and the files that it has. A file is dropped anywhere, or uploaded straight into an item.
import { Button, Modal, Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { type Action, useActions } from '../../app/actions.tsx'
import { caseport } from '../../app/connection.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState, SkeletonLines } from '../../app/states.tsx'
import { FilePreview } from '../../files/preview.tsx'
import { uploadClient } from '../../files/upload-client.ts'
import { DropAnywhere, useUploads } from '../../files/upload-queue.tsx'
import { REPOSITORY_COUNTRIES, type RepositoryCountry } from '../../files/uploads.ts'
import { localDay } from '../../records/dates.ts'
import { ExpiryBadge, MoreDocuments } from '../../records/links.tsx'
import { nameOf } from '../../records/names.ts'
import { CASE_LISTS, caseKey, casePath } from '../cases/cases.ts'
import { ChecklistSection, type Document } from './case-checklist.tsx'
import type { CaseActions } from './use-case.ts'

/** Countries whose repository has another code. */
const REPOSITORIES: Record<string, RepositoryCountry> = { GB: 'UK', IE: 'IR' }

function repositoryOf(country: string | null | undefined): RepositoryCountry | undefined {
  const code = REPOSITORIES[country ?? ''] ?? country
  return REPOSITORY_COUNTRIES.find(known => known === code)
}

export function CaseDocuments({ work }: { work: CaseActions }) {
  const { caseId, record } = work
  const { t } = useTexts()
  const { can } = useSession()
  const canUpload = can('documents:write')
  const [openedId, setOpenedId] = useState<string>()
  const documentsKey = [...caseKey(caseId), 'documents']
  const {
    data: documents,
    error,
    refetch,
  } = useQuery({
    queryKey: documentsKey,
    queryFn: ({ signal }) =>
      caseport.documents.search({ caseId, sort: '-updatedAt', maxRecords: 200 }, { signal }).first(),
    enabled: can('documents:read'),
  })
  const opened = documents?.records.find(({ documentId }) => documentId === openedId)
  /** The kind of document, for files that are uploaded into an item. */
  const types = useRef(new WeakMap<File, string>())
  const uploads = useUploads({
    target: { path: casePath(caseId), label: record ? nameOf(record.applicant) : caseId },
    country: repositoryOf(record?.hostCountry),
    invalidates: [caseKey(caseId), ...CASE_LISTS],
    send(file, { countryCode, idempotencyKey, onProgress, signal }) {
      const type = types.current.get(file)
      return uploadClient.documents.upload(
        { caseId, countryCode, file, ...(type && { type, name: type }) },
        { idempotencyKey, onProgress, signal },
      )
    },
  })
  const input = useRef<HTMLInputElement>(null)
  const wanted = useRef<string>(undefined)
  const choose = (type?: string) => {
    wanted.current = type
    input.current?.click()
  }
  const add = (files: File[]) => {
    const type = wanted.current
    if (type) for (const file of files) types.current.set(file, type)
    void uploads.add(files)
  }

  const latest = useRef(choose)
  latest.current = choose
  useActions(
    useMemo<Action[]>(
      () =>
        canUpload
          ? [
              {
                id: 'case-upload',
                label: t('files.upload'),
                icon: 'upload',
                group: t('case.group'),
                shortcut: 'u',
                run: () => latest.current(),
              },
            ]
          : [],
      [t, canUpload],
    ),
  )

  return (
    <>
      {canUpload && <DropAnywhere onDrop={uploads.add} />}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('files.upload')}
        onChange={event => {
          add([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
      <ChecklistSection
        caseId={caseId}
        applicantId={record?.applicantId ?? null}
        documents={documents?.records ?? []}
        onUpload={canUpload ? choose : undefined}
        onOpen={setOpenedId}
      />
      <Section
        title={t('files.title')}
        actions={
          canUpload && (
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<Icon name="upload" size={14} />}
              onClick={() => choose()}
            >
              {t('files.upload')}
            </Button>
          )
        }
      >
        {error && !documents ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : !documents ? (
          can('documents:read') && <SkeletonLines lines={2} />
        ) : documents.records.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('files.none')} {canUpload && t('files.noneHelp')}
          </Text>
        ) : (
          <>
            <FileList documents={documents.records} onOpen={setOpenedId} />
            <MoreDocuments shown={documents.records.length} total={documents.total} search={{ caseId }} />
          </>
        )}
      </Section>
      <Modal
        opened={opened !== undefined}
        onClose={() => setOpenedId(undefined)}
        size="xl"
        title={opened?.name ?? opened?.fileName ?? ''}
        closeButtonProps={{ 'aria-label': t('files.close') }}
      >
        {opened && (
          <FilePreview
            documentId={opened.documentId}
            updatedAt={opened.updatedAt}
            name={opened.fileName ?? opened.name ?? ''}
            contentType={opened.contentType}
          />
        )}
      </Modal>
    </>
  )
}

function FileList({ documents, onOpen }: { documents: Document[]; onOpen: (documentId: string) => void }) {
  const { t, date } = useTexts()
  return (
    <ul className="files">
      {documents.map(document => {
        const name = document.name ?? document.fileName ?? document.type
        return (
          <li key={document.documentId} className="file">
            <Icon name="document" size={16} />
            <div className="file-name">
              {document.hasFile ? (
                <UnstyledButton
                  className="row-link"
                  onClick={() => onOpen(document.documentId)}
                  aria-label={t('files.open', { name })}
                >
                  {name}
                </UnstyledButton>
              ) : (
                <span>{name}</span>
              )}
              <Text size="xs" c="dimmed">
                {[document.type, document.fileName, date(localDay(document.createdAt))]
                  .filter((part, index, all) => part && part !== name && all.indexOf(part) === index)
                  .join(' · ')}
              </Text>
            </div>
            <ExpiryBadge date={document.expiryDate} />
          </li>
        )
      })}
    </ul>
  )
}
