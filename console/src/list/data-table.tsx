// A table of any length: only the rows in sight exist in the page, further ones are read as they come near. In narrow
// windows a row is a card. Arrow keys move between rows, Enter opens one, Space selects it.
import { Checkbox, Group, Loader, Skeleton, Text } from '@mantine/core'
import { measureElement, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { EmptyState, ErrorState } from '../app/states.tsx'
import { MoreError } from './more-error.tsx'
import type { Selection } from './selection.ts'
import { type Column, cellClass, type Folding, type RowActions, TableRow } from './table-row.tsx'
import { useAnchor } from './use-anchor.ts'
import type { List } from './use-list.ts'
import { useScrollOffset } from './use-scroll-offset.ts'

export type { Column, Folding } from './table-row.tsx'

interface DataTableProps<T, F extends string> {
  /** Names the table for screen readers. */
  label: string
  list: List<T, F>
  columns: Column<T>[]
  rowKey: (row: T) => string
  /** Names a row, for its checkbox and its link. */
  rowLabel: (row: T) => string
  /** Where a row leads. The first column is the link. */
  href?: (row: T) => string
  /** Instead of a link: opens the row on the same screen. */
  onOpen?: (row: T) => void
  /** The row that is open. */
  openKey?: string | undefined
  selection?: Selection
  /** The list has the rows of what is unfolded, in order. */
  folding?: Folding<T> | undefined
  empty?: { title: string; text?: string; action?: ReactNode }
}

const ROW_HEIGHT = 44
/** How many rows before the end of what is loaded the next page is read. */
const READ_AHEAD = 30

export function DataTable<T, F extends string>(props: DataTableProps<T, F>) {
  const { label, list, columns, rowKey, rowLabel, href, onOpen, openKey, selection, folding, empty } = props
  const { t, tn, number } = useTexts()
  const scroller = useRef<HTMLDivElement>(null)
  // The row of the keyboard: by its key, because a refresh moves it.
  const [active, setActive] = useState<{ index: number; key?: string }>({ index: 0 })
  const { rows, hasMore, isLoadingMore, loadMore } = list
  const mayLoadMore = hasMore && !isLoadingMore && list.moreError === undefined

  const initialOffset = useScrollOffset(list.name, scroller)
  const virtual = useVirtualizer({
    initialOffset,
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    // The first rows are drawn with the table; its height is known after that.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    // A row tells its height when it is laid out. Asking for it as soon as it exists would lay out the page twice.
    measureElement: (element, entry, instance) =>
      entry
        ? measureElement(element, entry, instance)
        : (instance.measurementsCache[instance.indexFromElement(element)]?.size ?? ROW_HEIGHT),
    getItemKey: index => {
      const row = rows[index]
      return row ? rowKey(row) : index
    },
  })
  const keys = useMemo(() => rows.map(rowKey), [rows])
  useAnchor({ keys, virtual, isStale: list.isStale })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const activeIndex = indexOfRow(keys, active)
  // A row that is not drawn cannot be reached by Tab: the first one in sight is.
  const tabbable = items.some(({ index }) => index === activeIndex)
    ? activeIndex
    : items.find(({ start }) => start >= (virtual.scrollOffset ?? 0))?.index

  // Other filters or another order give another list.
  const query = JSON.stringify(list.query)
  const shownQuery = useRef(query)
  useEffect(() => {
    if (shownQuery.current === query) return
    shownQuery.current = query
    scroller.current?.scrollTo({ top: 0 })
  }, [query])

  useEffect(() => {
    if (mayLoadMore && last >= rows.length - READ_AHEAD) loadMore()
  }, [mayLoadMore, last, rows.length, loadMore])

  const selectedCount = selection?.countOf(list.total, keys) ?? 0
  const areAllSelected = selection?.isAll
    ? selection.excluded === 0
    : selectedCount > 0 && selectedCount === rows.length
  const template = [
    selection ? '24px' : '',
    ...columns.map(column => column.width ?? 'minmax(100px, 1fr)'),
  ].join(' ')

  const elementOf = (index: number) => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index))
    setActive(positionOf(keys, next))
    virtual.scrollToIndex(next)
    requestAnimationFrame(() => elementOf(next)?.focus({ preventScroll: true }))
  }

  // A panel that closes takes the focus with it, and so does a row that is gone, unless its row gets it, or what has taken the
  // place of that. A list that was hidden draws its rows later.
  const wasOpen = useRef<{ key: string; isListed: boolean }>(undefined)
  const focusedKey = useRef<string>(undefined)
  const wantsFocus = useRef<string>(undefined)
  useEffect(() => {
    const before = wasOpen.current
    if (openKey === undefined) {
      if (before?.isListed) wantsFocus.current = before.key
      wasOpen.current = undefined
    } else {
      const wasListed = before?.key === openKey && before.isListed
      wasOpen.current = { key: openKey, isListed: wasListed || keys.includes(openKey) }
    }
  }, [openKey, keys])
  useEffect(() => {
    const key = focusedKey.current
    if (key === undefined || keys.includes(key)) return
    focusedKey.current = undefined
    wantsFocus.current = key
  }, [keys])
  useEffect(() => {
    if (wantsFocus.current === undefined) return
    const isLost = document.activeElement === document.body
    if (isLost && keys.length === 0) document.getElementById('main')?.focus()
    const index =
      isLost && keys.length > 0 ? indexOfRow(keys, { index: active.index, key: wantsFocus.current }) : -1
    const element = index < 0 ? undefined : elementOf(index)
    if (element) element.focus()
    // The list does not move to a row that nobody has chosen.
    else if (index >= 0 && keys[index] === wantsFocus.current) virtual.scrollToIndex(index)
    else wantsFocus.current = undefined
  })

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const target = event.target as HTMLElement
    if (!target.matches('[data-index]')) return
    const row = rows[activeIndex]
    const moves: Record<string, number> = {
      ArrowDown: activeIndex + 1,
      ArrowUp: activeIndex - 1,
      PageDown: activeIndex + 15,
      PageUp: activeIndex - 15,
      Home: 0,
      End: rows.length - 1,
    }
    const to = moves[event.key]
    if (to !== undefined) focusRow(to)
    // The row that a key has moved to gets the focus a frame later; Enter may come before that.
    else if (event.key === 'Enter' && row) open(elementOf(activeIndex) ?? target, row)
    else if (event.key === ' ' && row && selection) selection.toggle(rowKey(row))
    else if (row && folding && canFold(folding, row, event.key)) folding.toggle(row)
    else return
    event.preventDefault()
  }
  const open = (element: HTMLElement, row: T) => {
    if (onOpen) onOpen(row)
    else element.querySelector<HTMLAnchorElement>('a.row-link')?.click()
  }

  // Rows stay as they are while others scroll past: what they call is that of the latest render.
  const latest = useRef({ keys, rowKey, rowLabel, href, onOpen, selection, onKeyDown, open })
  latest.current = { keys, rowKey, rowLabel, href, onOpen, selection, onKeyDown, open }
  const actions = useMemo<RowActions<T>>(
    () => ({
      href: row => latest.current.href?.(row),
      button: row => (latest.current.onOpen ? () => latest.current.onOpen?.(row) : undefined),
      open: (element, row) => latest.current.open(element, row),
      toggle: row => latest.current.selection?.toggle(latest.current.rowKey(row)),
      label: row => latest.current.rowLabel(row),
      focused(index) {
        focusedKey.current = latest.current.keys[index]
        setActive(positionOf(latest.current.keys, index))
      },
      onKeyDown: event => latest.current.onKeyDown(event),
    }),
    [],
  ) as RowActions<unknown>

  if (list.error) return <ErrorState error={list.error} onRetry={list.refresh} />
  if (!list.isLoading && rows.length === 0) {
    if (list.isFiltered || !empty)
      return <EmptyState title={t('list.noMatch')}>{t('list.noMatchHelp')}</EmptyState>
    return (
      <EmptyState title={empty.title} action={empty.action}>
        {empty.text}
      </EmptyState>
    )
  }

  return (
    <div className="table-frame">
      <div className="table-scroller" ref={scroller}>
        <div
          role="table"
          aria-label={label}
          aria-rowcount={folding ? (hasMore ? -1 : rows.length + 1) : (list.total ?? rows.length)}
          aria-busy={list.isLoading || list.isStale}
          className={list.isStale ? 'table is-stale' : 'table'}
          style={{ '--columns': template } as object}
        >
          <div role="rowgroup" className="table-head">
            <div role="row" className="table-row">
              {selection && (
                <div role="columnheader" className="cell cell-check">
                  <Checkbox
                    size="xs"
                    checked={areAllSelected}
                    indeterminate={selectedCount > 0 && !areAllSelected}
                    onChange={() => selection.toggleAll(rows.map(rowKey))}
                    aria-label={t('list.selectAll')}
                  />
                </div>
              )}
              {columns.map(column => (
                <HeaderCell key={column.id} column={column} list={list as unknown as List<T>} />
              ))}
            </div>
          </div>
          {list.isLoading ? (
            <LoadingRows columns={columns.length + (selection ? 1 : 0)} />
          ) : (
            <div
              role="rowgroup"
              className="table-body"
              style={{ height: virtual.getTotalSize() }}
              onBlur={() => {
                focusedKey.current = undefined
              }}
            >
              {items.map(({ index, start, key }) => {
                const row = rows[index]
                if (row === undefined) return null
                const id = rowKey(row)
                return (
                  <TableRow
                    key={key}
                    row={row}
                    columns={columns as Column<unknown>[]}
                    index={index}
                    start={start}
                    isActive={index === tabbable}
                    isSelected={selection?.has(id)}
                    isOpen={id === openKey}
                    folding={folding as Folding<unknown> | undefined}
                    measure={virtual.measureElement}
                    actions={actions}
                  />
                )
              })}
            </div>
          )}
        </div>
      </div>
      <Group className="table-foot" gap="xs" role="status">
        {!list.isLoading && list.total !== undefined && (
          <Text size="xs" c="dimmed">
            {list.total >= 10_000 ? t('list.many', { count: number(10_000) }) : tn('list.total', list.total)}
          </Text>
        )}
        {(isLoadingMore || list.isStale) && <Loader size={12} />}
        <MoreError list={list} />
      </Group>
    </div>
  )
}

const positionOf = (keys: readonly string[], index: number) => {
  const key = keys[index]
  return { index, ...(key !== undefined && { key }) }
}

/** Where the row is now; where it is gone, what has taken its place. */
function indexOfRow(keys: readonly string[], { index, key }: { index: number; key?: string }): number {
  if (key === undefined || keys[index] === key) return Math.min(index, Math.max(0, keys.length - 1))
  const found = keys.indexOf(key)
  return found >= 0 ? found : Math.min(index, Math.max(0, keys.length - 1))
}

/** The arrow keys unfold and fold a row. */
const canFold = <T,>(folding: Folding<T>, row: T, key: string) =>
  folding.sizeOf(row) > 0 && key === (folding.isOpen(row) ? 'ArrowLeft' : 'ArrowRight')

function HeaderCell<T>({ column, list }: { column: Column<T>; list: List<T> }) {
  const { sort: by } = column
  const order = list.query['sort']
  const direction =
    by === undefined ? undefined : order === by ? 'ascending' : order === `-${by}` ? 'descending' : 'none'
  return (
    <div role="columnheader" className={cellClass(column)} aria-sort={direction}>
      {by === undefined ? (
        column.header
      ) : (
        <button
          type="button"
          className="sort-button"
          onClick={() => list.setQuery({ sort: order === by ? `-${by}` : by })}
        >
          {column.header}
          {direction === 'none' ? (
            <Icon name="sort" size={13} />
          ) : (
            <span aria-hidden="true">{direction === 'ascending' ? '↑' : '↓'}</span>
          )}
        </button>
      )}
    </div>
  )
}

function LoadingRows({ columns }: { columns: number }) {
  const rows = Array.from({ length: 12 }, (_, index) => `row-${index}`)
  const cells = Array.from({ length: columns }, (_, index) => `cell-${index}`)
  return (
    <div role="rowgroup">
      {rows.map((row, at) => (
        <div role="row" key={row} className="table-row loading-row">
          {cells.map((cell, index) => (
            <div role="cell" key={cell} className="cell">
              <Skeleton height={10} width={`${80 - (((at + index) * 23) % 45)}%`} />
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
