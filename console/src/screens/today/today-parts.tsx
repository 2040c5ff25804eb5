// Numbers that lead to lists, and short lists: what the first screen of every person is made of.
import { Skeleton, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Key, useTexts } from '../../app/i18n.tsx'
import { Icon, type IconName } from '../../app/icons.tsx'
import { AppLink, type Search } from '../../app/router.tsx'
import { Muted } from '../../app/section.tsx'
import { ErrorState, SkeletonLines } from '../../app/states.tsx'

/** The length of a short list. */
export const SHOWN = 8

export interface Tile {
  label: Key
  value: number
  to: string
  search: Search
  icon: IconName
  tone?: 'bad' | 'warn'
}

export function Tiles({ title, tiles }: { title: string; tiles: Tile[] | undefined }) {
  const { t, capped } = useTexts()
  return (
    <section aria-label={title}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      <div className="tiles">
        {tiles?.map(({ label, value, to, search, icon, tone }) => (
          <AppLink
            key={label}
            to={to}
            search={search}
            className={`tile${tone && value > 0 ? ` tile-${tone}` : ''}`}
          >
            <Icon name={icon} size={18} />
            <span className="tile-value">{capped(value)}</span>
            <Text component="span" size="sm" c="dimmed">
              {t(label)}
            </Text>
          </AppLink>
        )) ?? ['a', 'b', 'c', 'd'].map(key => <Skeleton key={key} height={78} />)}
      </div>
    </section>
  )
}

interface LinesProps {
  error: unknown
  onRetry(): void
  isLoading: boolean
  empty: string
  lines: { key: string; content: ReactNode }[]
}

export function Lines({ error, onRetry, isLoading, empty, lines }: LinesProps) {
  if (error && lines.length === 0) return <ErrorState error={error} onRetry={onRetry} />
  if (isLoading) return <SkeletonLines lines={6} />
  if (lines.length === 0) return <Muted>{empty}</Muted>
  return (
    <ul className="plain-list lines">
      {lines.map(({ key, content }) => (
        <li key={key}>{content}</li>
      ))}
    </ul>
  )
}
