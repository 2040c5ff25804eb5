// The filters of a list. Text is searched while it is typed.
import { Button, CloseButton, Group, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useActions } from '../app/actions.tsx'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import type { List } from './use-list.ts'

const TYPING_MS = 100

interface SearchFieldProps<T, F extends string> {
  list: List<T, F>
  /** The parameter, `q` by default. */
  filter?: F
  label: string
}

/** `/` moves the focus here. */
export function SearchField<T, F extends string>({ list, filter = 'q' as F, label }: SearchFieldProps<T, F>) {
  const { t } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  const current = list.query[filter] ?? ''
  const [text, setText] = useState(current)
  const [sent, setSent] = useState(current)
  const [known, setKnown] = useState(current)
  if (current !== known) {
    setKnown(current)
    // The address has changed by other means than typing, such as the back button.
    if (current !== sent) {
      setSent(current)
      setText(current)
    }
  }
  const { setQuery } = list
  useEffect(() => {
    const next = text.trim()
    if (next === sent) return
    const timer = setTimeout(() => {
      setSent(next)
      setQuery({ [filter]: next || undefined } as Partial<Record<F, string | undefined>>)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, sent, setQuery, filter])

  useActions(
    useMemo(
      () => [
        {
          id: 'filter-text',
          label,
          icon: 'search' as const,
          group: t('shell.group.list'),
          shortcut: '/',
          run: () => input.current?.focus(),
        },
      ],
      [label, t],
    ),
  )
  return (
    <TextInput
      ref={input}
      type="search"
      size="sm"
      className="search-field"
      value={text}
      onChange={event => setText(event.currentTarget.value)}
      placeholder={label}
      aria-label={label}
      leftSection={<Icon name="search" size={16} />}
      rightSection={
        text && <CloseButton size="sm" onClick={() => setText('')} aria-label={t('list.clearText')} />
      }
    />
  )
}

interface FilterBarProps<T, F extends string> {
  list: List<T, F>
  children: ReactNode
  /** Buttons at the end, such as saved views and export. */
  end?: ReactNode
}

export function FilterBar<T, F extends string>({ list, children, end }: FilterBarProps<T, F>) {
  const { t } = useTexts()
  return (
    <Group className="filter-bar no-print" gap="xs" role="search">
      {children}
      {list.isFiltered && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<Icon name="close" size={14} />}
          onClick={() => list.replaceQuery({})}
        >
          {t('list.clear')}
        </Button>
      )}
      {end && (
        <Group gap="xs" ml="auto">
          {end}
        </Group>
      )}
    </Group>
  )
}
