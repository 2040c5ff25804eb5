// Splits NDJSON into lines. A line that is too long is not kept in memory.
import { FileError } from './file-error.ts'

const BYTE_ORDER_MARK = '\uFEFF'

export interface Line {
  /** From 1; empty lines count. */
  row: number
  /** Undefined where the line is longer than `maxBytes`. */
  text: string | undefined
}

/** Yields the lines that end in a chunk together. Empty lines are left out. */
export async function* readLines(texts: AsyncIterable<string>, maxBytes: number): AsyncGenerator<Line[]> {
  let row = 1
  let rest = ''
  let isTooLong = false
  const lineOf = (sent: string): Line[] => {
    // Files that were joined may each begin with one.
    const text = sent.startsWith(BYTE_ORDER_MARK) ? sent.slice(1) : sent
    const line = { row, text: isTooLong || isLonger(text, maxBytes) ? undefined : text }
    isTooLong = false
    row += 1
    return line.text === undefined || text.trim() !== '' ? [line] : []
  }
  for await (const text of texts) {
    const parts = text.split('\n')
    const last = parts.pop() ?? ''
    const lines = parts.flatMap((part, index) => lineOf(index === 0 ? rest + part : part))
    rest = parts.length > 0 ? last : rest + last
    // What is known to be too long need not be kept.
    if (isLonger(rest, maxBytes)) {
      isTooLong = true
      rest = ''
    }
    if (lines.length > 0) yield lines
  }
  if (rest.trim() === '' && !isTooLong) return
  if (!isTooLong && !isJson(rest))
    throw new FileError(`The file ends in the middle of line ${row}: it was cut off. Send it whole.`)
  yield lineOf(rest)
}

const isLonger = (text: string, maxBytes: number) =>
  text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
