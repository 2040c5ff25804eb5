// The notes of a case. What is typed is kept for the tab until it is saved, also over a reload.
import type { components } from '@caseport/sdk'
import { isCaseportError } from '@caseport/sdk'
import { ActionIcon, Anchor, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { type Action, useActions } from '../../app/actions.tsx'
import { newKey } from '../../app/attempts.ts'
import { caseport } from '../../app/connection.ts'
import { useDraft } from '../../app/draft.ts'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { Section } from '../../app/section.tsx'
import { ErrorState, errorText, SkeletonLines } from '../../app/states.tsx'
import { confirm } from '../../dialogs/confirm.tsx'
import { notifyDone, notifyError, notifyWithUndo } from '../../dialogs/notify.tsx'
import { askConflict } from '../../fields/conflict.tsx'
import { ToneBadge } from '../../records/links.tsx'
import { type Visibility, VisibilityControl } from '../cases/case-bulk.tsx'
import { caseKey } from '../cases/cases.ts'
import type { CaseActions } from './use-case.ts'

type Note = components['schemas']['CaseNote']

const MAX_LENGTH = 20_000
const isSend = (event: KeyboardEvent) => event.key === 'Enter' && (event.ctrlKey || event.metaKey)

export function CaseNotes({ work, canWrite }: { work: CaseActions; canWrite: boolean }) {
  const { t } = useTexts()
  const { caseId } = work
  const { data, error, refetch } = useQuery({
    queryKey: [...caseKey(caseId), 'notes'],
    queryFn: ({ signal }) => caseport.cases.notes.listForCase(caseId, { signal }),
  })
  return (
    <Section title={t('notes.title')}>
      {canWrite && <NoteBox work={work} />}
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonLines lines={3} />
      ) : data.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('notes.none')}
        </Text>
      ) : (
        <ol className="notes">
          {data.toReversed().map(note => (
            <NoteEntry key={note.noteId} note={note} work={work} canWrite={canWrite} />
          ))}
        </ol>
      )}
    </Section>
  )
}

interface Draft {
  content: string
  visibility: Visibility
  /** The same for every attempt to save this text. */
  key: string
}

const newDraft = (): Draft => ({
  content: '',
  visibility: 'team',
  key: newKey(),
})

const isBlank = ({ content }: Draft) => content.trim() === ''

function NoteBox({ work }: { work: CaseActions }) {
  const texts = useTexts()
  const { t } = texts
  const { caseId } = work
  const [draft, setDraft] = useDraft<Draft>({
    name: `note-${caseId}`,
    initial: newDraft,
    isEmpty: isBlank,
  })
  const [isSaving, setSaving] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)

  useActions(
    useMemo<Action[]>(
      () => [
        {
          id: 'case-note',
          label: t('notes.write'),
          icon: 'note',
          group: t('case.group'),
          shortcut: 'n',
          run: () => box.current?.focus(),
        },
      ],
      [t],
    ),
  )

  const save = async () => {
    const { content, visibility, key } = draft
    if (!content.trim() || isSaving) return
    setSaving(true)
    try {
      await caseport.cases.notes.add(caseId, { content: content.trim(), visibility }, { idempotencyKey: key })
      setDraft({ ...newDraft(), visibility })
      work.changed()
      notifyDone(t('notes.added'))
    } catch (error) {
      // The text changed after an attempt that had succeeded unnoticed: it is a note of its own.
      if (isCaseportError(error, 'idempotency-key-reused')) setDraft({ ...draft, key: newKey() })
      notifyError(t('notes.failed'), errorText(error, texts))
    } finally {
      setSaving(false)
    }
  }

  return (
    <Stack gap={8} className="note-box no-print">
      <Textarea
        ref={box}
        aria-label={t('notes.content')}
        placeholder={t('notes.placeholder')}
        value={draft.content}
        onChange={event => setDraft({ ...draft, content: event.currentTarget.value })}
        onKeyDown={event => {
          if (isSend(event)) void save()
          else if (event.key === 'Escape') box.current?.blur()
        }}
        readOnly={isSaving}
        autosize
        minRows={2}
        maxRows={14}
        maxLength={MAX_LENGTH}
      />
      <Group justify="space-between" gap="xs">
        <VisibilityControl
          value={draft.visibility}
          disabled={isSaving}
          onChange={visibility => setDraft({ ...draft, visibility })}
        />
        <Button loading={isSaving} disabled={!draft.content.trim()} onClick={() => void save()}>
          {t('notes.add')}
        </Button>
      </Group>
      {draft.visibility === 'everyone' && (
        <Text size="xs" c="dimmed">
          {t('notes.everyoneHelp')}
        </Text>
      )}
    </Stack>
  )
}

function NoteEntry({ note, work, canWrite }: { note: Note; work: CaseActions; canWrite: boolean }) {
  const texts = useTexts()
  const { t, time, ago } = texts
  const [edited, setEdited, discard] = useDraft<EditedNote | null>({
    name: `note-edit-${note.noteId}`,
    initial: noEdit,
    isEmpty: isUnchanged,
  })
  const [hasVersions, setVersions] = useState(false)
  return (
    <li className="note">
      <Group gap={8} justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">
          <strong>{note.author}</strong>{' '}
          <Text span size="xs" c="dimmed">
            <time dateTime={note.createdAt} title={time(note.createdAt)}>
              <span className="no-print">{ago(note.createdAt)}</span>
              <span className="print-only">{time(note.createdAt)}</span>
            </time>
          </Text>
        </Text>
        <Group gap={4} wrap="nowrap">
          <ToneBadge tone={note.visibility === 'team' ? 'neutral' : 'info'}>
            {t(`notes.${note.visibility}`)}
          </ToneBadge>
          {canWrite && !edited && (
            <ActionIcon
              className="no-print"
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('notes.edit', { author: note.author, time: time(note.createdAt) })}
              onClick={() => setEdited({ base: note, content: note.content, visibility: note.visibility })}
            >
              <Icon name="edit" size={14} />
            </ActionIcon>
          )}
        </Group>
      </Group>
      {canWrite && edited ? (
        <NoteEditor edited={edited} work={work} onChange={setEdited} onClose={discard} />
      ) : (
        <p className="note-text">{note.content}</p>
      )}
      {note.version > 1 && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          className="no-print"
          onClick={() => setVersions(true)}
        >
          {t('notes.edited', { version: note.version })}: {t('notes.versions')}
        </Anchor>
      )}
      {hasVersions && <NoteVersions note={note} onClose={() => setVersions(false)} />}
    </li>
  )
}

type Wording = Pick<Note, 'content' | 'visibility'>

/** A note that is being edited. It is compared with the version that the person saw, whatever the note becomes meanwhile. */
interface EditedNote extends Wording {
  base: Note
}

const noEdit = () => null
const isUnchanged = (edited: EditedNote | null) => !edited || !changesOf(edited, edited.base)

interface NoteEditorProps {
  edited: EditedNote
  work: CaseActions
  onChange(edited: EditedNote): void
  /** Forgets what was typed. */
  onClose(): void
}

function NoteEditor({ edited, work, onChange, onClose }: NoteEditorProps) {
  const texts = useTexts()
  const { t } = texts
  const { base, content, visibility } = edited
  const { caseId, noteId } = base
  const [isSaving, setSaving] = useState(false)

  /**
   * Writes only what was changed: who sees a note stays as another person has set it meanwhile. Returns the version that was
   * saved, and the one before it. Undefined where the person keeps that of the other.
   */
  const write = async (
    changes: Partial<Wording>,
    over: Note,
  ): Promise<{ saved: Note; before: Note } | undefined> => {
    try {
      const saved = await caseport.cases.notes.update(caseId, noteId, changes, {
        ifMatch: `"${over.version}"`,
      })
      return { saved, before: over }
    } catch (error) {
      if (!isCaseportError(error, 'version-mismatch')) throw error
      const theirs = (await caseport.cases.notes.listForCase(caseId)).find(other => other.noteId === noteId)
      if (!theirs) throw error
      const mine = { ...theirs, ...changes }
      // Both, because the text was meant for those who could see it.
      const choice = await askConflict([
        { label: t('notes.content'), mine: mine.content, theirs: theirs.content },
        {
          label: t('notes.visibility'),
          mine: t(`notes.${mine.visibility}`),
          theirs: t(`notes.${theirs.visibility}`),
        },
      ])
      return choice === 'mine' ? write(changes, theirs) : undefined
    }
  }
  const save = async () => {
    if (!content.trim() || isSaving) return
    const changes = changesOf({ content: content.trim(), visibility }, base)
    if (!changes) return onClose()
    setSaving(true)
    try {
      const written = await write(changes, base)
      work.changed()
      onClose()
      if (written)
        notifyWithUndo(t('edit.saved', { field: t('notes.content') }), t('undo.action'), () => {
          const { saved, before } = written
          const undone = changesOf(before, saved)
          if (!undone) return
          write(undone, saved)
            .catch((error: unknown) => notifyError(t('notes.failed'), errorText(error, texts)))
            .finally(work.changed)
        })
    } catch (error) {
      notifyError(t('notes.failed'), errorText(error, texts))
    } finally {
      setSaving(false)
    }
  }
  const cancel = async () => {
    if (isSaving) return
    const isSure =
      isUnchanged(edited) ||
      (await confirm({
        title: t('discard.title'),
        text: t('notes.discardText'),
        action: t('discard.action'),
      }))
    if (isSure) onClose()
  }
  return (
    <Stack gap={8} mt={6}>
      <Textarea
        aria-label={t('notes.content')}
        value={content}
        onChange={event => onChange({ ...edited, content: event.currentTarget.value })}
        onKeyDown={event => {
          if (isSend(event)) void save()
          else if (event.key === 'Escape') void cancel()
        }}
        readOnly={isSaving}
        autosize
        minRows={2}
        maxRows={14}
        maxLength={MAX_LENGTH}
        autoFocus
      />
      <Group justify="space-between" gap="xs">
        <VisibilityControl
          value={visibility}
          disabled={isSaving}
          onChange={next => onChange({ ...edited, visibility: next })}
        />
        <Group gap="xs">
          <Button variant="default" disabled={isSaving} onClick={() => void cancel()}>
            {t('dialog.cancel')}
          </Button>
          <Button loading={isSaving} disabled={!content.trim()} onClick={() => void save()}>
            {t('edit.save')}
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}

/** What of a note is different from a version of it. */
function changesOf({ content, visibility }: Wording, from: Wording): Partial<Wording> | undefined {
  const changes = {
    ...(content !== from.content && { content }),
    ...(visibility !== from.visibility && { visibility }),
  }
  return Object.keys(changes).length > 0 ? changes : undefined
}

function NoteVersions({ note: { caseId, noteId }, onClose }: { note: Note; onClose: () => void }) {
  const { t, time } = useTexts()
  const { data, error, refetch } = useQuery({
    queryKey: [...caseKey(caseId), 'note-versions', noteId],
    queryFn: ({ signal }) => caseport.cases.notes.versions(caseId, noteId, { signal }),
  })
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('notes.versionsTitle')}
      closeButtonProps={{ 'aria-label': t('dialog.close') }}
    >
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonLines />
      ) : (
        <ol className="notes">
          {data.map(({ version, author, writtenAt, visibility, content }) => (
            <li key={version} className="note">
              <Group gap={8} justify="space-between">
                <Text size="xs" c="dimmed">
                  {t('notes.version', { version, author, time: time(writtenAt) })}
                </Text>
                <ToneBadge tone={visibility === 'team' ? 'neutral' : 'info'}>
                  {t(`notes.${visibility}`)}
                </ToneBadge>
              </Group>
              <p className="note-text">{content}</p>
            </li>
          ))}
        </ol>
      )}
    </Modal>
  )
}
