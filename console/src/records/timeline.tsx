// What happened to a record, newest first: changes with the values before and after, notes, documents, reminders.
import type { components } from '@caseport/sdk'
import { Button, Text, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { Icon, type IconName } from '../app/icons.tsx'
import { EmptyState, ErrorState, SkeletonLines } from '../app/states.tsx'
import { type Change, type Names, type ShownChange, shownChanges, summaryOf } from './changes.ts'
import { useColleagues } from './colleagues.tsx'
import { ToneBadge, useCompanies } from './links.tsx'

type Page = components['schemas']['TimelinePage']
type Entry = Page['records'][number]

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
              {entry.changes && entry.changes.length > 0 && (
                <Changes action={entry.action} changes={entry.changes} />
              )}
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

const MAX_CHANGES = 5

interface ChangesProps {
  /** Of the entry that has the changes. */
  action: string
  changes: Change[]
}

export function Changes({ action, changes }: ChangesProps) {
  const texts = useTexts()
  const { companies } = useCompanies()
  const { colleagues } = useColleagues()
  const [isWhole, setWhole] = useState(false)
  const names: Names = {
    company: id => companies.find(({ companyId }) => companyId === id)?.name,
    colleague: id => colleagues.find(({ userId }) => userId === id)?.name,
  }
  const shown = shownChanges(changes, { action, texts, names })
  const listed = isWhole ? shown : shown.slice(0, MAX_CHANGES)
  if (shown.length === 0) return null
  return (
    <>
      <dl className="changes">
        {listed.map(change => (
          <div key={change.pointer}>
            <dt>{change.label}</dt>
            <dd>
              <ChangedValue change={change} />
            </dd>
          </div>
        ))}
      </dl>
      {listed.length < shown.length && (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
          {texts.tn('timeline.moreFields', shown.length - listed.length)}
        </Button>
      )}
    </>
  )
}

function ChangedValue({ change: { before, after, isHidden } }: { change: ShownChange }) {
  const { t } = useTexts()
  if (isHidden) return t('timeline.hidden')
  return (
    <>
      {before && (
        <>
          <del>
            <VisuallyHidden>{t('timeline.before')}: </VisuallyHidden>
            {before}
          </del>
          <span aria-hidden="true"> → </span>
        </>
      )}
      <ins>
        <VisuallyHidden>{t('timeline.after')}: </VisuallyHidden>
        {after}
      </ins>
    </>
  )
}
