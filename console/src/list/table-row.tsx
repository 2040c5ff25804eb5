// One row of a table. It is drawn again only when it looks different, so that scrolling draws the rows that come into sight.
import { type KeyboardEvent, memo, type ReactNode } from 'react'
import { useTexts } from '../app/i18n.tsx'
import { Icon } from '../app/icons.tsx'
import { PlainLink } from '../app/router.tsx'

export interface Column<T> {
  id: string
  header: string
  cell: (row: T) => ReactNode
  /** A width of a CSS grid, such as `minmax(120px, 1fr)`. */
  width?: string
  /** The value of `sort` that orders by this column; `-value` is the other direction. */
  sort?: string
  align?: 'right'
  /** What a narrow window does with it; a line of the card by default. */
  narrow?: 'title' | 'hidden'
}

/** Rows that are shown below another one when it is unfolded, as a family below its primary applicant. */
export interface Folding<T> {
  /** How many rows are folded under this one. */
  sizeOf: (row: T) => number
  isOpen: (row: T) => boolean
  /** Whether the row is shown because another one is unfolded. */
  isMember: (row: T) => boolean
  toggle: (row: T) => void
  /** Names the button that unfolds the row. */
  label: (row: T) => string
}

/** What a row calls. It stays the same object. */
export interface RowActions<T> {
  href(row: T): string | undefined
  /** Opens the row on the same screen, where rows are no links. */
  button(row: T): (() => void) | undefined
  open(element: HTMLElement, row: T): void
  toggle(row: T): void
  label(row: T): string
  focused(index: number): void
  onKeyDown(event: KeyboardEvent<HTMLDivElement>): void
}

interface TableRowProps<T> {
  row: T
  columns: Column<T>[]
  index: number
  /** Pixels from the top of the table. */
  start: number
  isActive: boolean
  /** Undefined where rows cannot be selected. */
  isSelected: boolean | undefined
  isOpen: boolean
  folding: Folding<T> | undefined
  measure: (element: Element | null) => void
  actions: RowActions<T>
}

export const TableRow = memo(function TableRow(props: TableRowProps<unknown>) {
  const { row, columns, index, start, isActive, isSelected, isOpen, folding, measure, actions } = props
  const { t } = useTexts()
  const classes = [
    'table-row body-row',
    isSelected && 'is-selected',
    isOpen && 'is-open',
    folding?.isMember(row) && 'is-member',
  ]
  return (
    <div
      role="row"
      data-index={index}
      ref={measure}
      aria-rowindex={index + 2}
      tabIndex={isActive ? 0 : -1}
      aria-selected={isSelected}
      className={classes.filter(Boolean).join(' ')}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => actions.focused(index)}
      onKeyDown={actions.onKeyDown}
      onPointerOver={event => showCut(event.target as HTMLElement)}
      onClick={event => {
        const target = event.target as HTMLElement
        if (target.closest('a, button, input, label') || window.getSelection()?.toString()) return
        actions.open(event.currentTarget, row)
      }}
    >
      {isSelected !== undefined && (
        <div role="cell" className="cell cell-check">
          <input
            type="checkbox"
            className="row-check"
            checked={isSelected}
            onChange={() => actions.toggle(row)}
            aria-label={t('list.select', { name: actions.label(row) })}
            tabIndex={-1}
          />
        </div>
      )}
      {columns.map((column, position) => (
        <div key={column.id} role="cell" className={cellClass(column)}>
          {position === 0 && folding && <FoldButton folding={folding} row={row} />}
          {position === 0 ? (
            <RowLink row={row} actions={actions}>
              {column.cell(row)}
            </RowLink>
          ) : (
            column.cell(row)
          )}
        </div>
      ))}
    </div>
  )
})

/** Text that is cut off is shown whole while the pointer is over it. */
function showCut(target: HTMLElement): void {
  const cell = target.closest<HTMLElement>('.cell')
  if (!cell || cell.querySelector('[title]')) return
  if (cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent
  else cell.removeAttribute('title')
}

/** The first cell leads to the record, or opens it. */
function RowLink<T>({ row, actions, children }: { row: T; actions: RowActions<T>; children: ReactNode }) {
  const href = actions.href(row)
  if (href !== undefined)
    return (
      <PlainLink to={href} className="row-link">
        {children}
      </PlainLink>
    )
  const open = actions.button(row)
  if (!open) return children
  return (
    <button type="button" className="row-link" tabIndex={-1} onClick={open}>
      {children}
    </button>
  )
}

function FoldButton<T>({ folding, row }: { folding: Folding<T>; row: T }) {
  const size = folding.sizeOf(row)
  if (size === 0) return <span className="fold-space" />
  const isOpen = folding.isOpen(row)
  return (
    <button
      type="button"
      className="fold-button"
      aria-expanded={isOpen}
      aria-label={folding.label(row)}
      onClick={() => folding.toggle(row)}
    >
      <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
    </button>
  )
}

export const cellClass = <T,>({ align, narrow }: Column<T>) =>
  `cell${align === 'right' ? ' cell-right' : ''}${narrow ? ` cell-${narrow}` : ''}`
