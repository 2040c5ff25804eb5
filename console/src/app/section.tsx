// Parts of a screen.
import { Button, Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  /** Beside the title. */
  aside?: ReactNode
  /** At the end of the title line. */
  actions?: ReactNode
  className?: string
  children: ReactNode
}

/** A part of a screen, with a heading. */
export function Section({ title, aside, actions, className = '', children }: SectionProps) {
  return (
    <Paper withBorder component="section" aria-label={title} className={`section ${className}`}>
      <div className="section-head">
        <Title order={2}>{title}</Title>
        {aside}
        {actions && <div className="section-actions no-print">{actions}</div>}
      </div>
      {children}
    </Paper>
  )
}

export function Muted({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

interface RevocableProps {
  name: string
  detail: ReactNode
  /** The text of the button, and what it does with this one, for screen readers. */
  action: string
  label: string
  onClick(): void
}

/** A line with a name and a button that takes it away, such as a key. */
export function Revocable({ name, detail, action, label, onClick }: RevocableProps) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      </div>
      <Button
        flex="none"
        variant="subtle"
        color="gray"
        size="compact-sm"
        aria-label={label}
        onClick={onClick}
      >
        {action}
      </Button>
    </Group>
  )
}

/** One of the facts of a `dl`. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
