// One document: its fields, which are edited here, the versions of its file, and the file itself.
import type { components } from '@caseport/sdk'
import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Menu,
  Select,
  SimpleGrid,
  Text,
  Title,
  Tooltip,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { type Action, useActions } from '../../app/actions.tsx'
import { caseport } from '../../app/connection.ts'
import { type Key, useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { useSession } from '../../app/session.tsx'
import { EmptyState, ErrorState, errorText, SkeletonLines } from '../../app/states.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { notifyDone, notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { InlineField } from '../../fields/inline-field.tsx'
import { useRecord, versioned } from '../../fields/use-record.ts'
import { FilePreview } from '../../files/preview.tsx'
import { useTitleFocus } from '../../list/split-panel.tsx'
import { AuditLink, CaseLink, PersonLink, ToneBadge } from '../../records/links.tsx'
import { DOCUMENT_LISTS, type Document, type Edited, LABELS } from './documents.ts'
import { ReminderDialog } from './reminder-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { RenewDialog } from './renew-dialog.tsx'

export function DocumentPanel({ documentId, onClose }: { documentId: string; onClose: () => void }) {
  const texts = useTexts()
  const { t, date, time, country } = texts
  const { can } = useSession()
  const client = useQueryClient()
  const queryKey = useMemo(() => ['document', documentId], [documentId])
  const {
    record,
    etag = '',
    error,
    refresh,
    save,
  } = useRecord<Document>({
    queryKey,
    read: async signal => versioned(await caseport.documents.getForDesk(documentId, signal && { signal })),
    async write(changes, etag) {
      await caseport.documents.correct(documentId, changes as components['schemas']['DocumentCorrection'], {
        ifMatch: etag,
      })
      return versioned(await caseport.documents.getForDesk(documentId))
    },
    invalidates: DOCUMENT_LISTS,
    labelOf: field => (field in LABELS ? t(LABELS[field as keyof Edited]) : field),
    show: (value, field) => (field.endsWith('Date') ? date(value as string | null) : String(value ?? '')),
  })
  const canWrite = can('desk:write') && record?.removal === null
  const canFile = canWrite && can('documents:write')

  const refreshAll = () => {
    refresh()
    void client.invalidateQueries({ queryKey: ['document-files', documentId] })
    for (const key of DOCUMENT_LISTS) void client.invalidateQueries({ queryKey: key })
  }
  const restore = async () => {
    try {
      await caseport.documents.restore(documentId)
      notifyDone(t('documents.restored'))
    } catch (cause) {
      notifyError(t('state.error'), errorText(cause, texts))
    }
    refreshAll()
  }
  const renew = async () => {
    if (!record) return
    if (await openDialog<boolean>(close => <RenewDialog document={record} etag={etag} onClose={close} />))
      refreshAll()
  }
  const remove = async () => {
    if (!record) return
    const isRemoved = await openDialog<boolean>(close => (
      <RemoveDialog document={record} etag={etag} onClose={close} />
    ))
    refreshAll()
    if (isRemoved) notifyWithUndo(t('documents.removed'), t('undo.action'), () => void restore())
  }
  const remind = async () => {
    if (!record) return
    if (await openDialog<boolean>(close => <ReminderDialog document={record} etag={etag} onClose={close} />))
      refreshAll()
  }

  // Actions are registered once, and run what is current then.
  const latest = useRef({ renew, onClose })
  latest.current = { renew, onClose }
  useActions(
    useMemo<Action[]>(
      () => [
        {
          id: 'document-close',
          label: t('documents.close'),
          icon: 'close',
          group: t('documents.title'),
          shortcut: 'escape',
          run: () => latest.current.onClose(),
        },
        ...(canFile
          ? [
              {
                id: 'document-renew',
                label: t('documents.renew'),
                icon: 'upload' as const,
                group: t('documents.title'),
                shortcut: 'u',
                run: () => void latest.current.renew(),
              },
            ]
          : []),
      ],
      [t, canFile],
    ),
  )

  const field = (name: keyof Edited, kind: 'text' | 'date' = 'text', isRequired = false) => (
    <InlineField
      label={t(LABELS[name])}
      value={kind === 'date' ? (record?.[name]?.slice(0, 10) ?? null) : (record?.[name] ?? null)}
      kind={kind}
      isRequired={isRequired}
      {...(name === 'country' && { display: country(record?.country) })}
      onSave={canWrite ? value => save({ [name]: value } as Partial<Document>) : undefined}
    />
  )

  if (error)
    return (
      <aside className="split-panel" aria-label={t('documents.document')}>
        <PanelHead title={t('documents.document')} onClose={onClose} />
        <ErrorState error={error} onRetry={refresh} />
      </aside>
    )
  if (!record)
    return (
      <aside className="split-panel" aria-label={t('documents.document')} aria-busy="true">
        <PanelHead title={t('documents.document')} onClose={onClose} />
        <SkeletonLines lines={8} />
      </aside>
    )
  const title = record.name ?? record.type
  return (
    <aside className="split-panel" aria-label={title}>
      <PanelHead title={title} onClose={onClose}>
        {canFile && (
          <Button
            size="compact-md"
            leftSection={<Icon name="upload" size={16} />}
            onClick={() => void renew()}
          >
            {t(record.hasFile ? 'documents.renew' : 'documents.addFile')}
          </Button>
        )}
        {canWrite && (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="default" size="lg" aria-label={t('documents.actions')}>
                <Icon name="dots" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {can('documents:write') && record.expiryDate && (
                <Menu.Item leftSection={<Icon name="clock" size={16} />} onClick={() => void remind()}>
                  {t('documents.reminder')}
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={<Icon name="trash" size={16} />}
                color="red.9"
                onClick={() => void remove()}
              >
                {t('documents.remove')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </PanelHead>
      {record.removal && (
        <Alert color="red" icon={<Icon name="trash" />} mb="sm" title={t('documents.isRemoved')}>
          {t('documents.removal', {
            time: time(record.removal.removedAt),
            name: record.removal.removedBy ?? '–',
          })}
          {record.removal.reason && <Text size="sm">{record.removal.reason}</Text>}
          {can('desk:write') && (
            <Button
              variant="default"
              mt="xs"
              leftSection={<Icon name="undo" size={16} />}
              onClick={() => void restore()}
            >
              {t('documents.restore')}
            </Button>
          )}
        </Alert>
      )}
      <Group gap="xs" mb="sm">
        <DocumentStatusBadge status={record.status} />
        <PersonOf applicantId={record.applicantId} employeeNumber={record.employeeNumber} />
        {record.caseId && <CaseLink caseId={record.caseId}>{t('documents.case')}</CaseLink>}
        <AuditLink recordId={documentId} />
      </Group>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing={4} mb="sm">
        {field('name', 'text', true)}
        {field('type')}
        {field('expiryDate', 'date')}
        {field('issueDate', 'date')}
        {field('referenceNumber')}
        {field('country')}
        {field('description')}
        <InlineField label={t('documents.reminders')} value={reminderText(record, t)} />
      </SimpleGrid>
      <Files document={record} />
    </aside>
  )
}

function PanelHead({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children?: React.ReactNode
}) {
  const { t } = useTexts()
  const heading = useTitleFocus()
  return (
    <Group justify="space-between" gap="xs" mb="sm">
      <Title order={2} className="panel-title" ref={heading} tabIndex={-1}>
        {title}
      </Title>
      <Group gap={6} wrap="nowrap">
        {children}
        <Tooltip label={t('documents.close')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('documents.close')}
            onClick={onClose}
          >
            <Icon name="close" />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  )
}

function reminderText(
  document: Document,
  t: (key: Key, values?: Record<string, string | number>) => string,
): string {
  if (!document.expiryDate) return ''
  if (!document.remindAboutRenewal) return t('documents.remindersOff')
  const { expiryReminder } = document
  return expiryReminder === null || expiryReminder === 0
    ? t('documents.remindersDefault')
    : t('documents.remindersAt', { days: expiryReminder })
}

const STATUS_COLORS = { active: 'good', expiring: 'warn', expired: 'bad' } as const

function DocumentStatusBadge({ status }: Pick<Document, 'status'>) {
  const { t } = useTexts()
  return <ToneBadge tone={STATUS_COLORS[status]}>{t(`documentStatus.${status}`)}</ToneBadge>
}

function PersonOf({ applicantId, employeeNumber }: { applicantId: string; employeeNumber: string | null }) {
  const { can } = useSession()
  const { data: person } = useQuery({
    queryKey: ['found', applicantId],
    // Also of dependents, and of people who are archived.
    queryFn: ({ signal }) => caseport.applicants.find(applicantId, { signal }),
    enabled: can('desk:read'),
    staleTime: 300_000,
  })
  return <PersonLink person={person ?? { applicantId, employeeNumber }} />
}

/** The current file, or an earlier version of it. */
function Files({ document }: { document: Document }) {
  const { t, time } = useTexts()
  const { can } = useSession()
  const [chosen, setChosen] = useState<number>()
  const { documentId, fileVersion } = document
  const { data: versions = [], error } = useQuery({
    queryKey: ['document-files', documentId],
    queryFn: ({ signal }) => caseport.documents.fileVersions(documentId, { signal }),
    enabled: document.hasFile,
  })
  if (!document.hasFile)
    return (
      <EmptyState icon="document" title={t('documents.noFile')}>
        {t('documents.noFileHelp')}
      </EmptyState>
    )
  if (error && versions.length === 0) return <ErrorState error={error} />
  const shown = chosen ?? fileVersion ?? versions[0]?.fileVersion
  const version = versions.find(candidate => candidate.fileVersion === shown)
  return (
    <>
      {versions.length > 1 && (
        <Select
          label={t('documents.versions')}
          mb="xs"
          data={versions.map(({ fileVersion: number, createdAt, uploadedBy, replacedAt }) => ({
            value: String(number),
            label: [
              replacedAt ? t('documents.version', { number }) : t('documents.currentVersion', { number }),
              time(createdAt),
              uploadedBy,
            ]
              .filter(Boolean)
              .join(' · '),
          }))}
          value={shown === undefined ? null : String(shown)}
          onChange={value => setChosen(Number(value) === fileVersion ? undefined : Number(value))}
        />
      )}
      {version && !can('documents:read') && <EmptyState icon="lock" title={t('state.noPermission')} />}
      {version && can('documents:read') && (
        <FilePreview
          key={version.fileVersion}
          documentId={documentId}
          fileVersion={version.fileVersion}
          name={version.fileName}
          contentType={version.contentType}
        />
      )}
    </>
  )
}
