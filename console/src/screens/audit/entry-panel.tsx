// One entry of the audit beside the list, and the words for it.
import type { components } from '@caseport/sdk'
import { Button, Group, Text, Title } from '@mantine/core'
import { type Texts, useTexts } from '../../app/i18n.tsx'
import { AppLink } from '../../app/router.tsx'
import { Fact } from '../../app/section.tsx'
import { SplitPanel } from '../../list/split-panel.tsx'
import type { List } from '../../list/use-list.ts'
import { Changes } from '../../records/timeline.tsx'
import { actionOf } from './action-texts.ts'

export type Entry = components['schemas']['AuditEntry']

export const FILTERS = [
  'startDate',
  'endDate',
  'userId',
  'clientId',
  'action',
  'recordId',
  'outcome',
  'address',
] as const
export type Filter = (typeof FILTERS)[number]
export const whoOf = (entry: Entry, { t }: Texts) => entry.userName ?? (entry.clientId || t('audit.unknown'))

interface EntryPanelProps {
  entry: Entry
  list: List<Entry, Filter>
  onClose(): void
}

export function EntryPanel({ entry, list, onClose }: EntryPanelProps) {
  const texts = useTexts()
  const { t, time } = texts
  const narrow = (changes: Partial<Record<Filter, string>>) => () => list.setQuery(changes)
  const { userId, address } = entry
  return (
    <SplitPanel title={actionOf(entry, texts)} onClose={onClose}>
      <dl className="facts">
        <Fact label={t('audit.time')}>{time(entry.at)}</Fact>
        <Fact label={t('audit.who')}>{whoOf(entry, texts)}</Fact>
        <Fact label={t('audit.client')}>{entry.clientId || '–'}</Fact>
        <Fact label={t('audit.address')}>{address ?? '–'}</Fact>
        <Fact label={t('audit.action')}>{entry.action}</Fact>
        <Fact label={t('audit.operation')}>
          {[entry.method, entry.operationId].filter(Boolean).join(' ') || '–'}
        </Fact>
        <Fact label={t('audit.outcome')}>
          {[t(`audit.outcome.${entry.outcome}`), entry.status, entry.code].filter(Boolean).join(' · ')}
        </Fact>
        <Fact label={t('audit.request')}>{entry.requestId}</Fact>
        <Fact label={t('audit.number')}>{entry.seq}</Fact>
      </dl>
      <Group gap="xs">
        {userId && (
          <Button variant="default" size="compact-sm" onClick={narrow({ userId })}>
            {t('audit.onlyPerson')}
          </Button>
        )}
        {entry.recordId && (
          <Button variant="default" size="compact-sm" onClick={narrow({ recordId: entry.recordId })}>
            {t('audit.onlyRecord')}
          </Button>
        )}
        {address && (
          <Button variant="default" size="compact-sm" onClick={narrow({ address })}>
            {t('audit.onlyAddress')}
          </Button>
        )}
      </Group>
      {entry.changes && entry.changes.length > 0 && (
        <section aria-label={t('audit.changes')}>
          <Title order={3} mb="xs">
            {t('audit.changes')}
          </Title>
          <Changes action={entry.action} changes={entry.changes} />
        </section>
      )}
      {entry.recordIds.length > 0 && (
        <section aria-label={t('audit.record')}>
          <Title order={3} mb="xs">
            {t('audit.record')}
          </Title>
          <ul className="record-ids">
            {entry.recordIds.slice(0, MAX_RECORDS).map(recordId => (
              <li key={recordId}>
                <RecordLink action={entry.action} recordId={recordId} />
              </li>
            ))}
          </ul>
          {entry.recordIds.length > MAX_RECORDS && (
            <Text size="sm" c="dimmed">
              {t('documents.more', { count: entry.recordIds.length - MAX_RECORDS })}
            </Text>
          )}
        </section>
      )}
    </SplitPanel>
  )
}

const MAX_RECORDS = 50

/** The kind of a record is in the action. */
function RecordLink({ action, recordId }: { action: string; recordId: string }) {
  const id = encodeURIComponent(recordId)
  if (/^(?:applicant|dependent)\./.test(action)) return <AppLink to={`/people/${id}`}>{recordId}</AppLink>
  if (action.startsWith('case.')) return <AppLink to={`/cases/${id}`}>{recordId}</AppLink>
  if (action.startsWith('document.'))
    return (
      <AppLink to="/documents" search={{ open: recordId }}>
        {recordId}
      </AppLink>
    )
  return recordId
}
