// Rows whose order matters: dragged by the handle, moved with the buttons, or with Alt and the arrow keys.
import { ActionIcon, Button, Group } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'

interface OrderedListProps<T extends { key: string }> {
  label: string
  items: T[]
  onChange(items: T[]): void
  /** Names a row, for its buttons. */
  nameOf(item: T, index: number): string
  render(item: T, change: (changes: Partial<T>) => void, index: number): ReactNode
  /** The text of the button that adds a row, and the row. */
  addLabel: string
  create(): T
  isReadOnly?: boolean
}

export function OrderedList<T extends { key: string }>(props: OrderedListProps<T>) {
  const { label, items, onChange, nameOf, render, addLabel, create, isReadOnly = false } = props
  const { t } = useTexts()
  const [dragged, setDragged] = useState<number>()
  const [over, setOver] = useState<number>()
  const list = useRef<HTMLOListElement>(null)

  const move = (from: number, to: number) => {
    if (to < 0 || to >= items.length || from === to) return
    const next = [...items]
    const [item] = next.splice(from, 1)
    if (item) next.splice(to, 0, item)
    onChange(next)
  }
  /** A row that moves may lose the focus of its button. */
  const moveByButton = (index: number, step: -1 | 1) => {
    move(index, index + step)
    requestAnimationFrame(() => {
      const buttons = [
        ...(list.current?.children[index + step]?.querySelectorAll<HTMLButtonElement>('[data-move]') ?? []),
      ]
      const usable = buttons.filter(button => !button.disabled)
      const same = usable.find(button => button.dataset['move'] === String(step))
      ;(same ?? usable[0])?.focus()
    })
  }
  const focusInput = (index: number) =>
    requestAnimationFrame(() => list.current?.children[index]?.querySelector('input')?.focus())
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (!event.altKey || step === 0) return
    event.preventDefault()
    move(index, index + step)
    focusInput(Math.max(0, Math.min(items.length - 1, index + step)))
  }
  const endDrag = () => {
    setDragged(undefined)
    setOver(undefined)
  }

  return (
    <>
      <ol className="ordered" aria-label={label} ref={list}>
        {items.map((item, index) => {
          const name = nameOf(item, index)
          return (
            <li
              key={item.key}
              className={['ordered-row', dropMark(dragged, over, index), dragged === index && 'is-dragged']
                .filter(Boolean)
                .join(' ')}
              onKeyDown={event => onKeyDown(event, index)}
              onDragOver={event => {
                if (dragged === undefined) return
                event.preventDefault()
                setOver(index)
              }}
              onDrop={event => {
                event.preventDefault()
                if (dragged !== undefined) move(dragged, index)
                endDrag()
              }}
            >
              {!isReadOnly && (
                <span
                  className="ordered-handle"
                  draggable
                  aria-hidden="true"
                  title={t('order.drag')}
                  onDragStart={event => {
                    event.dataTransfer.effectAllowed = 'move'
                    event.dataTransfer.setData('text/plain', item.key)
                    setDragged(index)
                  }}
                  onDragEnd={endDrag}
                >
                  ⠿
                </span>
              )}
              <span className="ordered-number">{index + 1}</span>
              <div className="ordered-content">
                {render(
                  item,
                  changes =>
                    onChange(items.map(other => (other.key === item.key ? { ...other, ...changes } : other))),
                  index,
                )}
              </div>
              {!isReadOnly && (
                <Group gap={2} wrap="nowrap">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    disabled={index === 0}
                    aria-label={t('order.up', { name })}
                    data-move={-1}
                    onClick={() => moveByButton(index, -1)}
                  >
                    <Icon name="arrowUp" size={16} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    disabled={index === items.length - 1}
                    aria-label={t('order.down', { name })}
                    data-move={1}
                    onClick={() => moveByButton(index, 1)}
                  >
                    <Icon name="arrowDown" size={16} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('order.remove', { name })}
                    onClick={() => onChange(items.filter(other => other.key !== item.key))}
                  >
                    <Icon name="trash" size={16} />
                  </ActionIcon>
                </Group>
              )}
            </li>
          )
        })}
      </ol>
      {!isReadOnly && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon name="plus" size={15} />}
          onClick={() => {
            onChange([...items, create()])
            focusInput(items.length)
          }}
        >
          {addLabel}
        </Button>
      )}
    </>
  )
}

/** The line is where the row will be: below the row under the pointer when it comes from above. */
function dropMark(dragged: number | undefined, over: number | undefined, index: number): string | undefined {
  if (dragged === undefined || over !== index || dragged === index) return undefined
  return dragged < index ? 'is-over is-below' : 'is-over'
}
