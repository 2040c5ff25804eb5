// What happened to a record, newest first: changes with the values before and after, notes, documents, reminders.
import type { components } from '@caseport/sdk'
import { Button, Text, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Texts, useTexts } from '../app/i18n.tsx'
import { Icon, type IconName } from '../app/icons.tsx'
import { EmptyState, ErrorState, SkeletonLines } from '../app/states.tsx'
import { ToneBadge } from './links.tsx'

type Page = components['schemas']['TimelinePage']
type Entry = Page['records'][number]
type Change = NonNullable<Entry['changes']>[number]

interface TimelineProps {
  queryKey: readonly unknown[]
  load(nextCursor: string | undefined, signal: AbortSignal): Promise<Page | undefined>
  /** Links the record of an entry, where it is not the one of the screen. */
  renderRecord?: (record: Entry['record']) => ReactNode
}

const ICONS: Record<Entry['kind'], IconName> = {
  change: 'edit',
  note: 'note',
  document: 'document',
  reminder: 'clock',
}

export function Timeline({ queryKey, load, renderRecord }: TimelineProps) {
  const texts = useTexts()
  const { t } = texts
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page?.nextCursor ?? undefined,
  })
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonLines lines={6} />
  const entries = data.pages.flatMap(page => page?.records ?? [])
  if (entries.length === 0) return <EmptyState icon="clock" title={t('timeline.empty')} />
  return (
    <>
      <ol className="timeline" aria-label={t('timeline.title')}>
        {entries.map(entry => (
          <li key={entry.entryId} className="timeline-entry">
            <span className="timeline-icon">
              <Icon name={ICONS[entry.kind]} size={15} />
            </span>
            <div className="timeline-body">
              <Text size="sm">
                <strong>
                  {entry.kind === 'reminder'
                    ? t('timeline.system')
                    : (entry.actor?.name ?? t('timeline.system'))}
                </strong>{' '}
                {summaryOf(entry, texts)} {renderRecord?.(entry.record)}
              </Text>
              {entry.note && (
                <div className="timeline-note">
                  {entry.note.visibility === 'team' && (
                    <ToneBadge tone="neutral">{t('timeline.teamNote')}</ToneBadge>
                  )}
                  <p>{entry.note.content}</p>
                </div>
              )}
              {entry.changes && entry.changes.length > 0 && <Changes changes={entry.changes} />}
              <Text size="xs" c="dimmed">
                <time dateTime={entry.at} title={texts.time(entry.at)}>
                  {texts.time(entry.at)} · {texts.ago(entry.at)}
                </time>
              </Text>
            </div>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('timeline.more')}
        </Button>
      )}
    </>
  )
}

function summaryOf(entry: Entry, { t, tx, date }: Texts): string {
  if (entry.kind === 'note') return t('timeline.note')
  if (entry.document)
    return t(entry.document.isRemoved ? 'timeline.documentRemoved' : 'timeline.document', {
      name: entry.document.name ?? entry.document.type ?? '',
    })
  if (entry.reminder) return t('timeline.reminder', { date: date(entry.reminder.expiryDate) })
  return tx(`action.${entry.action}`, entry.action.replaceAll('.', ' ').replaceAll('-', ' '))
}

/** The last name of a pointer, in words: `/steps/{id}/dueDate` is "Due date". */
export function fieldName(pointer: string, { tx }: Pick<Texts, 'tx'>): string {
  const name = pointer.split('/').at(-1) ?? pointer
  const words = name.replace(/([a-z])([A-Z])/g, (_whole, end, start) => `${end} ${start.toLowerCase()}`)
  return tx(`field.${name}`, words.charAt(0).toUpperCase() + words.slice(1))
}

const MAX_CHANGES = 5

/** Ids of other records, and whole records, tell people nothing. */
const isReadable = ({ pointer, before, after }: Change) =>
  !/Ids?$/.test(pointer) && !isRecord(before) && !isRecord(after)
const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

export function Changes({ changes }: { changes: Change[] }) {
  const texts = useTexts()
  const [isWhole, setWhole] = useState(false)
  const readable = changes.filter(isReadable)
  const listed = isWhole ? readable : readable.slice(0, MAX_CHANGES)
  if (readable.length === 0) return null
  return (
    <>
      <dl className="changes">
        {listed.map(change => (
          <div key={change.pointer}>
            <dt>{fieldName(change.pointer, texts)}</dt>
            <dd>
              <ChangedValue change={change} />
            </dd>
          </div>
        ))}
      </dl>
      {listed.length < readable.length && (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
          {texts.tn('timeline.moreFields', readable.length - listed.length)}
        </Button>
      )}
    </>
  )
}

function ChangedValue({ change: { before, after } }: { change: Change }) {
  const texts = useTexts()
  const { t } = texts
  if (before === undefined && after === undefined) return t('timeline.hidden')
  const [old, now] = [shown(before, texts), shown(after, texts)]
  return (
    <>
      {old && (
        <>
          <del>
            <VisuallyHidden>{t('timeline.before')}: </VisuallyHidden>
            {old}
          </del>
          <span aria-hidden="true"> → </span>
        </>
      )}
      <ins>
        <VisuallyHidden>{t('timeline.after')}: </VisuallyHidden>
        {now || t('edit.empty')}
      </ins>
    </>
  )
}

function shown(value: unknown, { date }: Pick<Texts, 'date'>): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}$/.test(value) ? date(value) : value
  if (typeof value === 'object')
    return Object.values(value)
      .filter(item => typeof item === 'string' || typeof item === 'number')
      .slice(0, 4)
      .join(', ')
  return String(value)
}
