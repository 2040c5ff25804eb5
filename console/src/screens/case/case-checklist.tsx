// The checklist of a case: which documents it needs, and which of them are there.
import type { components } from '@caseport/sdk'
import { ActionIcon, Button, Group, Menu, Text, UnstyledButton } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTexts } from '../../app/i18n.tsx'
import { Icon } from '../../app/icons.tsx'
import { Section } from '../../app/section.tsx'
import { useSession } from '../../app/session.tsx'
import { ErrorState, SkeletonLines } from '../../app/states.tsx'
import { openDialog } from '../../dialogs/dialog-host.tsx'
import { localDay } from '../../records/dates.ts'
import { ExpiryBadge, ToneBadge } from '../../records/links.tsx'
import { AddLine } from './add-line.tsx'
import { ChooseDocument } from './choose-document.tsx'
import { type ChecklistItem, useChecklist } from './use-checklist.ts'

export type Document = components['schemas']['ListedDocument']

const isFocusLost = () => document.activeElement === document.body

const STATE_TONES = { missing: 'neutral', received: 'info', accepted: 'good', expired: 'bad' } as const

interface ChecklistSectionProps {
  caseId: string
  applicantId: string | null
  documents: Document[]
  /** Undefined where the person may not upload. */
  onUpload: ((type: string) => void) | undefined
  onOpen(documentId: string): void
}

export function ChecklistSection({
  caseId,
  applicantId,
  documents,
  onUpload,
  onOpen,
}: ChecklistSectionProps) {
  const { t, tn } = useTexts()
  const { can } = useSession()
  const canWrite = can('desk:write')
  const { checklist, error, refresh, busyItem, change } = useChecklist(caseId, documents)
  const [isAdding, setAdding] = useState(false)
  const missing = checklist?.items.filter(
    item => item.required && (item.state === 'missing' || item.state === 'expired'),
  )
  return (
    <Section
      title={t('checklist.title')}
      aside={
        checklist &&
        checklist.items.length > 0 && (
          <ToneBadge tone={checklist.complete ? 'good' : 'warn'}>
            {checklist.complete ? t('checklist.complete') : tn('checklist.incomplete', missing?.length ?? 0)}
          </ToneBadge>
        )
      }
      actions={
        canWrite && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setAdding(true)}
          >
            {t('checklist.add')}
          </Button>
        )
      }
    >
      {error && !checklist ? (
        <ErrorState error={error} onRetry={refresh} />
      ) : !checklist ? (
        <SkeletonLines lines={3} />
      ) : checklist.items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('checklist.none')}
        </Text>
      ) : (
        <ul className="files">
          {checklist.items.map(item => (
            <Item
              key={item.name}
              item={item}
              caseId={caseId}
              applicantId={applicantId}
              documents={documents}
              isBusy={busyItem === item.name}
              canWrite={canWrite}
              onUpload={onUpload}
              onOpen={onOpen}
              change={change}
            />
          ))}
        </ul>
      )}
      {isAdding && (
        <AddLine
          label={t('checklist.name')}
          maxLength={200}
          onClose={() => setAdding(false)}
          onAdd={name =>
            change(name, t('checklist.changed', { name, state: t('checklist.required') }), item => ({
              ...item,
              required: true,
            }))
          }
        />
      )}
    </Section>
  )
}

interface ItemProps {
  item: ChecklistItem
  caseId: string
  applicantId: string | null
  documents: Document[]
  isBusy: boolean
  canWrite: boolean
  onUpload: ((type: string) => void) | undefined
  onOpen(documentId: string): void
  change: ReturnType<typeof useChecklist>['change']
}

function Item({
  item,
  caseId,
  applicantId,
  documents,
  isBusy,
  canWrite,
  onUpload,
  onOpen,
  change,
}: ItemProps) {
  const { t, date } = useTexts()
  const { name, type, state, required, documentId, document } = item
  const canOpen = document?.hasFile && documents.some(found => found.documentId === documentId)
  const detail = document
    ? [
        document.name ?? document.type,
        item.acceptedBy &&
          t('checklist.acceptedBy', {
            name: item.acceptedBy,
            date: item.acceptedAt ? date(localDay(item.acceptedAt)) : '',
          }),
      ]
    : []
  const menu = useRef<HTMLButtonElement>(null)
  const acceptButton = useRef<HTMLButtonElement>(null)
  const accept = async () => {
    const text = t('checklist.changed', { name, state: t('checklist.accepted') })
    const isAccepted = await change(name, text, input => ({ ...input, documentId, accepted: true }))
    // The button is gone then, and what else can be done is in the menu. Else it is enabled with the next frame.
    requestAnimationFrame(() => {
      if (isFocusLost()) (isAccepted ? menu : acceptButton).current?.focus()
    })
  }
  const choose = async () => {
    const chosen = await openDialog<string | undefined>(close => (
      <ChooseDocument item={item} caseId={caseId} applicantId={applicantId} onClose={close} />
    ))
    if (!chosen) return
    await change(name, t('checklist.changed', { name, state: t('checklist.received') }), input => ({
      ...input,
      documentId: chosen,
      accepted: false,
    }))
  }
  return (
    <li className="file">
      <span className={`item-mark item-${state}`}>
        <Icon
          name={
            state === 'accepted'
              ? 'check'
              : state === 'missing'
                ? 'upload'
                : state === 'expired'
                  ? 'alert'
                  : 'document'
          }
          size={14}
        />
      </span>
      <div className="file-name">
        <Group gap={6}>
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <ToneBadge tone={STATE_TONES[state]}>{t(`checklist.${state}`)}</ToneBadge>
          {!required && (
            <Text size="xs" c="dimmed">
              {t('checklist.optional')}
            </Text>
          )}
        </Group>
        {detail.length > 0 && (
          <Text size="xs" c="dimmed" component="div">
            {canOpen && documentId ? (
              <UnstyledButton className="row-link" onClick={() => onOpen(documentId)} fz="xs">
                {detail.filter(Boolean).join(' · ')}
              </UnstyledButton>
            ) : (
              detail.filter(Boolean).join(' · ')
            )}
          </Text>
        )}
      </div>
      <ExpiryBadge date={document?.expiryDate} />
      <Group gap={4} wrap="nowrap" className="file-actions no-print">
        {canWrite && state === 'received' && (
          <Button
            ref={acceptButton}
            size="compact-sm"
            variant="light"
            loading={isBusy}
            onClick={() => void accept()}
            aria-label={t('checklist.acceptOf', { name })}
          >
            {t('checklist.accept')}
          </Button>
        )}
        {onUpload && (state === 'missing' || state === 'expired') && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onUpload(type ?? name)}
            aria-label={t('checklist.uploadOf', { name })}
          >
            {t('checklist.upload')}
          </Button>
        )}
        {canWrite && (
          <Menu>
            <Menu.Target>
              <ActionIcon ref={menu} variant="subtle" color="gray" aria-label={t('checklist.more', { name })}>
                <Icon name="dots" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {state === 'accepted' && (
                <Menu.Item
                  onClick={() =>
                    void change(
                      name,
                      t('checklist.changed', { name, state: t('checklist.received') }),
                      input => ({
                        ...input,
                        accepted: false,
                      }),
                    )
                  }
                >
                  {t('checklist.unaccept')}
                </Menu.Item>
              )}
              {onUpload && state !== 'missing' && state !== 'expired' && (
                <Menu.Item onClick={() => onUpload(type ?? name)}>{t('checklist.upload')}</Menu.Item>
              )}
              <Menu.Item
                onClick={() =>
                  void change(
                    name,
                    t('checklist.changed', {
                      name,
                      state: t(required ? 'checklist.optional' : 'checklist.required'),
                    }),
                    input => ({ ...input, required: !required }),
                  )
                }
              >
                {t(required ? 'checklist.makeOptional' : 'checklist.makeRequired')}
              </Menu.Item>
              <Menu.Item onClick={() => void choose()}>{t('checklist.choose')}</Menu.Item>
              <Menu.Divider />
              <Menu.Item onClick={() => void change(name, t('checklist.removed', { name }), () => undefined)}>
                {t('checklist.remove')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
    </li>
  )
}
