// A field of a record that is edited where it is read: Enter or a click begins, Enter saves, Escape leaves it as it was.
import { ActionIcon, Group, Select, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import type { Search } from '../app/router.tsx'
import { staysUnlessConfirmed } from '../dialogs/leave.ts'
import { askConflict } from './conflict.tsx'
import { DateField } from './date-field.tsx'

interface InlineFieldProps {
  label: string
  /** What the field belongs to, for screen readers, where several fields have this label. */
  of?: string
  value: string | null | undefined
  /** As it is read; the value itself by default. */
  display?: ReactNode
  kind?: 'text' | 'date' | 'select'
  /** Of a select. */
  options?: { value: string; label: string }[]
  isRequired?: boolean
  /** Without it the field is read only. Resolves to whether it is settled: else what was typed comes back. */
  onSave?: ((value: string | null) => Promise<boolean>) | undefined
}

export function InlineField(props: InlineFieldProps) {
  const { label, of, display, kind = 'text', options = [], isRequired = false, onSave } = props
  // Dates of the API may have a time, which is midnight.
  const value = kind === 'date' ? props.value?.slice(0, 10) : props.value
  const { t, date } = useTexts()
  const [draft, setDraft] = useState<string | null>()
  const [isInvalid, setInvalid] = useState(false)
  const [isMissing, setMissing] = useState(false)
  /** What the person saw when the edit began. The value may change meanwhile: records follow the change feed. */
  const seen = useRef<string | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  const isEditing = draft !== undefined

  useEffect(() => {
    if (!isEditing && wasEditing.current) button.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])

  const shown = display ?? (kind === 'date' ? date(value) : value)
  const textOf = (text: string | null | undefined) =>
    (kind === 'date' ? date(text) : options.find(option => option.value === text)?.label) ?? text ?? ''
  const isChanged = isEditing && (value ?? null) !== seen.current
  const typed = draft?.trim() || null
  const isTyped = typed !== (seen.current?.trim() || null) && typed !== (value?.trim() || null)
  const isUnsaved = isEditing && (isInvalid || isTyped)
  useBlocker({
    disabled: !isUnsaved,
    async shouldBlockFn({ current, next }) {
      // Filters of a list beside the record leave it open.
      const isStill =
        current.pathname === next.pathname &&
        (current.search as Search)['open'] === (next.search as Search)['open']
      if (isStill) return false
      return staysUnlessConfirmed({
        title: t('discard.leaveTitle'),
        text: t('discard.field', { field: label }),
        action: t('discard.action'),
      })
    },
  })
  const begin = () => {
    seen.current = value ?? null
    setDraft(value ?? null)
  }
  const save = async (next: string | null = draft ?? null) => {
    const cleaned = next?.trim() || null
    if (isInvalid) return
    if (isRequired && cleaned === null) return setMissing(true)
    setDraft(undefined)
    if (cleaned === seen.current || cleaned === (value ?? null)) return
    if (isChanged) {
      const choice = await askConflict([{ label, mine: textOf(cleaned), theirs: textOf(value) }])
      // What had the focus when the question came is gone.
      button.current?.focus()
      if (choice === 'theirs') return
    }
    // What was typed comes back where it could not be saved.
    if (!(await onSave?.(cleaned))) setDraft(cleaned)
  }
  const cancel = () => {
    setDraft(undefined)
    setInvalid(false)
    setMissing(false)
  }
  const on = (key: 'Enter' | 'Escape', run: () => void) => (event: KeyboardEvent) => {
    if (event.key !== key) return
    run()
    event.preventDefault()
    event.stopPropagation()
  }
  const saveOnEnter = on('Enter', () => void save())

  if (!onSave)
    return (
      <div className="field">
        <Text size="xs" c="dimmed" className="field-label">
          {label}
        </Text>
        <div className="field-value">{shown || <span className="field-empty">–</span>}</div>
      </div>
    )
  if (!isEditing)
    return (
      <div className="field">
        <UnstyledButton ref={button} className="field-button" onClick={begin}>
          <span className="field-label">
            {label}
            {of && <VisuallyHidden> {of}</VisuallyHidden>}
          </span>
          <span className="field-value">
            {shown || <span className="field-empty">{t('edit.add')}</span>}
            <Icon name="edit" size={13} />
            <VisuallyHidden>{t('edit.edit')}</VisuallyHidden>
          </span>
        </UnstyledButton>
      </div>
    )
  return (
    <div className="field">
      <Group gap={4} wrap="nowrap" align="flex-start" className="field-edit" onKeyDown={on('Escape', cancel)}>
        {kind === 'date' ? (
          <DateField
            label={label}
            size="xs"
            autoFocus
            value={draft}
            onChange={next => {
              setInvalid(false)
              setDraft(next)
            }}
            onInvalid={() => setInvalid(true)}
            onKeyDown={saveOnEnter}
          />
        ) : kind === 'select' ? (
          <Select
            label={label}
            size="xs"
            autoFocus
            searchable
            clearable={!isRequired}
            data={options}
            value={draft}
            // The option that was chosen before settles the field as well.
            onOptionSubmit={next => void save(next)}
            onClear={() => void save(null)}
            defaultDropdownOpened
          />
        ) : (
          <TextInput
            label={label}
            size="xs"
            autoFocus
            value={draft ?? ''}
            error={isMissing && t('edit.required')}
            onChange={event => {
              setMissing(false)
              setDraft(event.currentTarget.value)
            }}
            onKeyDown={saveOnEnter}
          />
        )}
        {kind !== 'select' && (
          <ActionIcon size="md" variant="light" onClick={() => void save()} aria-label={t('edit.save')}>
            <Icon name="check" size={16} />
          </ActionIcon>
        )}
        <ActionIcon size="md" variant="subtle" color="gray" onClick={cancel} aria-label={t('dialog.cancel')}>
          <Icon name="close" size={16} />
        </ActionIcon>
      </Group>
      {isChanged && (
        <Text size="xs" c="dimmed" role="status">
          {t('edit.changedMeanwhile', { value: textOf(value) || t('edit.empty') })}
        </Text>
      )}
    </div>
  )
}
