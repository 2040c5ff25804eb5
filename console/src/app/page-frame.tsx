// The frame of a screen: its title, which is also that of the page, its actions, and its content.
import { Group, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import '../styles-screens.ts'

interface PageFrameProps {
  title: string
  /** Beside the title, such as a badge. */
  aside?: ReactNode
  /** Buttons at the end of the title line. */
  actions?: ReactNode
  /** Above the title, such as a way back. */
  before?: ReactNode
  /** Fills the window, as lists do that scroll by themselves. */
  isFull?: boolean
  children: ReactNode
}

export function PageFrame({ title, aside, actions, before, isFull = false, children }: PageFrameProps) {
  useEffect(() => {
    document.title = `${title} · Caseport`
  }, [title])
  return (
    <div className={isFull ? 'page page-full' : 'page'}>
      {before}
      <Group className="page-title" gap="sm" justify="space-between">
        <Group gap="sm" className="page-heading">
          <Title order={1}>{title}</Title>
          {aside}
        </Group>
        {actions && (
          <Group gap="xs" className="no-print">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </div>
  )
}
