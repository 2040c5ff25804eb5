// What expires next, and the files behind it: the list on the left, the open document with its file on the right.
import { Button, SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useActions } from '../../app/actions.tsx'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import type { Search } from '../../app/router.tsx'
import { useSession } from '../../app/session.tsx'
import { openDialog, useHasDialog } from '../../dialogs/dialog-host.tsx'
import { DropAnywhere } from '../../files/upload-queue.tsx'
import { AddDocumentDialog } from './add-document-dialog.tsx'
import { DocumentList } from './document-list.tsx'
import { DocumentPanel } from './document-panel.tsx'
import { ExpiringList } from './expiring-list.tsx'
import { ExpiryMonths } from './expiry-months.tsx'
import { ReminderList } from './reminder-list.tsx'
import './documents.css'

const SHOWS = ['expiring', 'months', 'list', 'reminders'] as const
type Show = (typeof SHOWS)[number]

export default function DocumentsScreen() {
  const { t } = useTexts()
  const { can } = useSession()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  // A document that another screen leads to is looked for among all documents.
  const show = SHOWS.find(name => name === search['show']) ?? 'list'
  const open = search['open']

  const openDocument = (documentId: string | undefined) =>
    void navigate({ to: '.', search: ((old: Search) => ({ ...old, open: documentId })) as never })

  const add = useMemo(
    () => async (file?: File) => {
      const documentId = await openDialog<string | undefined>(close => (
        <AddDocumentDialog dropped={file} onClose={close} />
      ))
      if (documentId) openDocument(documentId)
      return documentId !== undefined
    },
    [],
  )
  /** Each file belongs to a person of its own. The first one that is cancelled is the last one. */
  const addAll = async (files: File[]) => {
    for (const file of files) if (!(await add(file))) return
  }
  const hasDialog = useHasDialog()
  const canWrite = can('desk:write', 'documents:write')
  useActions(
    useMemo(
      () =>
        canWrite
          ? [
              {
                id: 'add-document',
                label: t('documents.add'),
                icon: 'plus' as const,
                group: t('documents.title'),
                shortcut: 'n',
                run: () => void add(),
              },
            ]
          : [],
      [canWrite, add, t],
    ),
  )

  return (
    <PageFrame
      title={t('documents.heading')}
      isFull
      actions={
        canWrite && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void add()}>
            {t('documents.add')}
          </Button>
        )
      }
    >
      {canWrite && <DropAnywhere onDrop={addAll} isActive={!hasDialog} />}
      <SegmentedControl
        className="view-switch"
        aria-label={t('documents.view')}
        value={show}
        data={SHOWS.map(value => ({ value, label: t(`documents.show.${value}`) }))}
        onChange={value =>
          void navigate({
            to: '.',
            // A list reads its own filters. Those of the others are there when the person comes back.
            search: (({ sort: _sort, ...old }: Search) => ({ ...old, show: value as Show })) as never,
          })
        }
      />
      <div className={open ? 'split has-open' : 'split'}>
        <div className="split-list">
          {show === 'expiring' ? (
            <ExpiringList open={open} onOpen={openDocument} />
          ) : show === 'months' ? (
            <ExpiryMonths open={open} onOpen={openDocument} />
          ) : show === 'reminders' ? (
            <ReminderList open={open} onOpen={openDocument} />
          ) : (
            <DocumentList open={open} onOpen={openDocument} />
          )}
        </div>
        {open && <DocumentPanel key={open} documentId={open} onClose={() => openDocument(undefined)} />}
      </div>
    </PageFrame>
  )
}

export interface PanelProps {
  /** The document in the panel. */
  open: string | undefined
  onOpen(documentId: string): void
}
