// Text for people at a terminal: tables that fit its width, and records as lines of name and value.

export interface Column<T> {
  title: string
  value: (record: T) => unknown
  /** An id that other commands take: it is not cut off as long as another column can give way. */
  isId?: true
}

const GAP = '  '
const MIN_WIDTH = 4

/** Text of people and files could contain sequences that control the terminal. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ')

/**
 * The same for text that keeps its lines, and for JSON, which escapes a part of them only: they become escapes of JSON, which
 * has them in strings alone.
 */
export const escaped = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
    /(?!\r\n)[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** East Asian Width: wide and full-width characters. Half-width forms of them take one column. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u
/** Also the vowels and final consonants of a Hangul syllable, which join the one before. */
const NO_WIDTH = /^[\p{Mark}\p{Format}\u1160-\u11ff]/u

const widthOfCharacter = (character: string) => (NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** Columns of the terminal that the text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let result = ''
  let used = 0
  for (const character of text) {
    used += widthOfCharacter(character)
    if (used > width - 1) break
    result += character
  }
  return `${result}…`
}

const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)))

export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(cellOf).join(', ')
  if (typeof value === 'object') return printable(JSON.stringify(value))
  return printable(String(value))
}

/** Room for a column whose content is not known. */
const COLUMN_WIDTH = 12

/** Columns for records of any kind: the fields of the first one that are no lists or objects, as many as the terminal has room for. */
export function columnsOf(record: unknown, terminal: number): Column<unknown>[] {
  if (typeof record !== 'object' || record === null) return [{ title: 'VALUE', value: each => each }]
  const names = Object.entries(record)
    .filter(([, value]) => typeof value !== 'object' || value === null)
    .map(([name]) => name)
  const count = Math.max(1, Math.floor(terminal / (COLUMN_WIDTH + GAP.length)))
  return names.slice(0, count).map(name => ({
    title: name,
    value: each => (each as Record<string, unknown> | null)?.[name],
  }))
}

/** Widths for these rows; the widest columns give way if the terminal is narrow, and those to keep after all others. */
export function fitWidths(
  rows: string[][],
  titles: string[],
  { terminal, kept = [] }: { terminal: number; kept?: boolean[] },
): number[] {
  const widths = titles.map((title, index) =>
    Math.max(widthOf(title), ...rows.map(row => widthOf(row[index] ?? ''))),
  )
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)
  const shrink = (isKept: boolean) => {
    while (total() > terminal) {
      const given = widths.filter((_, index) => Boolean(kept[index]) === isKept)
      const widest = Math.max(...given)
      if (widest <= MIN_WIDTH) break
      const others = given.filter(width => width < widest)
      const excess = Math.ceil((total() - terminal) / (given.length - others.length))
      const next = Math.max(MIN_WIDTH, widest - excess, Math.max(MIN_WIDTH - 1, ...others))
      const target = next === widest ? widest - 1 : next
      for (const [index, width] of widths.entries())
        if (width === widest && Boolean(kept[index]) === isKept) widths[index] = target
    }
  }
  shrink(false)
  shrink(true)
  return widths
}

export const lineOf = (cells: string[], widths: number[]): string =>
  cells
    .map((cell, index) => {
      const width = widths[index] ?? 0
      return pad(truncate(cell, width), width)
    })
    .join(GAP)
    .trimEnd()

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** The fields of a record that have a value, nested ones indented. */
export function linesOfRecord(record: object, indent = ''): string[] {
  const fields = Object.entries(record).filter(([, value]) => !isEmpty(value))
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  return fields.flatMap(([name, value]) => {
    const items = Array.isArray(value) ? value : [value]
    const isNested = items.some(item => typeof item === 'object' && item !== null)
    if (!isNested) return [`${indent}${pad(name, width)}${GAP}${cellOf(value)}`]
    const nested = items.map(item =>
      typeof item === 'object' && item !== null
        ? linesOfRecord(item, `${indent}${GAP}${GAP}`)
        : [`${indent}${GAP}${GAP}${cellOf(item)}`],
    )
    const blocks = Array.isArray(value)
      ? nested.map(([first = '', ...rest]) => [`${indent}${GAP}- ${first.trimStart()}`, ...rest])
      : nested
    return [`${indent}${name}`, ...blocks.flat()]
  })
}
