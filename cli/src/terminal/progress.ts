// A progress bar on standard error, if that is a terminal.
import { DEFAULT_COLUMNS, type TerminalStream } from './output.ts'
import { printable, truncate } from './table.ts'

export type Bar = ReturnType<typeof createBar>

interface Amount {
  loaded: number
  /** Undefined if it is not known. */
  total: number | undefined
}

interface Options {
  stderr: TerminalStream
  label: string
  unit: 'bytes' | 'rows'
}

const REDRAW_MS = 100
const BAR_WIDTH = 24
const ERASE_LINE = '\r\u001b[2K'

export function createBar({ stderr, label, unit }: Options) {
  let drawnAt = 0
  let isDrawn = false
  let text = label

  const draw = ({ loaded, total }: Amount) => {
    const columns = stderr.columns || DEFAULT_COLUMNS
    stderr.write(ERASE_LINE + truncate(barLine(text, { loaded, total }, unit), columns - 1))
    isDrawn = true
  }

  return {
    /** Draws at most ten times a second, and always the end. */
    update(amount: Amount, newLabel = text): void {
      if (!stderr.isTTY) return
      const isNew = newLabel !== text
      text = newLabel
      const now = Date.now()
      if (!isNew && now - drawnAt < REDRAW_MS && amount.loaded !== amount.total) return
      drawnAt = now
      draw(amount)
    },

    /** Removes the bar, so that what is printed next begins on an empty line. */
    clear(): void {
      if (isDrawn) stderr.write(ERASE_LINE)
      isDrawn = false
    },
  }
}

export function barLine(label: string, { loaded, total }: Amount, unit: Options['unit']): string {
  const name = printable(label)
  if (total === undefined) return `${name} ${amountOf(loaded, unit)}`
  const share = total === 0 ? 1 : Math.min(1, loaded / total)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
  const percent = String(Math.floor(share * 100)).padStart(3)
  return `${name} ${bar} ${percent}% ${amountOf(loaded, unit)} of ${amountOf(total, unit)}`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB']

export function amountOf(amount: number, unit: Options['unit']): string {
  if (unit === 'rows') return amount.toLocaleString('en')
  const power = Math.min(UNITS.length - 1, amount < 1 ? 0 : Math.floor(Math.log2(amount) / 10))
  const scaled = amount / 1024 ** power
  return `${power === 0 ? scaled : scaled.toFixed(1)} ${UNITS[power]}`
}
