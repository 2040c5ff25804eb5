// Results go to standard output: a table at a terminal, newline-delimited JSON everywhere else. Everything for people alone goes to
// standard error.
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { usageError } from '../exit-codes.ts'
import { type Column, cellOf, columnsOf, escaped, fitWidths, lineOf, linesOfRecord } from './table.ts'

export type TerminalStream = Writable & { isTTY?: boolean; columns?: number }

export type Output = ReturnType<typeof createOutput>

interface Options {
  stdout: TerminalStream
  stderr: TerminalStream
  /** JSON at a terminal, too. */
  json: boolean
  /** Without a reader, nothing more is written. */
  hasReader?: () => boolean
}

/** The widths of a table are those of its first rows. */
const ROWS_FOR_WIDTHS = 200
/** Some terminals, such as those of build servers, say that they have 0 columns. */
export const DEFAULT_COLUMNS = 80

export function createOutput({ stdout, stderr, json, hasReader = () => true }: Options) {
  const isTerminal = Boolean(stdout.isTTY)
  const isTable = isTerminal && !json

  const write = async (content: string | Uint8Array) => {
    const shown = isTerminal && typeof content === 'string' ? escaped(content) : content
    if (!hasReader() || stdout.write(shown)) return
    await once(stdout, 'drain').catch(error => {
      if (hasReader()) throw error
    })
  }

  const printTable = async <T>(records: AsyncIterable<T> | Iterable<T>, given?: Column<T>[]) => {
    const terminal = stdout.columns || DEFAULT_COLUMNS
    let columns: Column<T>[] = given ?? []
    let widths: number[] | undefined
    let waiting: string[][] = []
    const flush = async () => {
      if (waiting.length === 0) return
      if (!widths) {
        const titles = columns.map(({ title }) => title)
        widths = fitWidths(waiting, titles, { terminal, kept: columns.map(({ isId }) => isId === true) })
        await write(`${lineOf(titles, widths)}\n`)
      }
      for (const cells of waiting) await write(`${lineOf(cells, widths)}\n`)
      waiting = []
    }
    for await (const record of records) {
      if (columns.length === 0) columns = columnsOf(record, terminal)
      waiting.push(columns.map(({ value }) => cellOf(value(record))))
      if (widths || waiting.length >= ROWS_FOR_WIDTHS) await flush()
    }
    await flush()
    if (!widths) stderr.write('Nothing found.\n')
    else if (!given) stderr.write('--json prints all fields.\n')
  }

  return {
    isTable,
    write,

    /** Records one below the other; without columns, with those fields that the terminal has room for. */
    async list<T>(records: AsyncIterable<T> | Iterable<T>, columns?: Column<T>[]): Promise<void> {
      if (isTable) return printTable(records, columns)
      for await (const record of records) {
        await write(`${JSON.stringify(record)}\n`)
        if (!hasReader()) return
      }
    },

    /** A record that arrives now and then, in columns of fixed width. */
    async row<T>(record: T, columns: (Column<T> & { width: number })[]): Promise<void> {
      if (!isTable) return write(`${JSON.stringify(record)}\n`)
      const cells = columns.map(({ value }) => cellOf(value(record)))
      const widths = columns.map(({ width }) => width)
      await write(`${lineOf(cells, widths)}\n`)
    },

    /** A file. A terminal gets text only. */
    async bytes(chunks: AsyncIterable<Uint8Array>): Promise<void> {
      const decoder = new TextDecoder()
      for await (const chunk of chunks) {
        if (isTerminal && chunk.includes(0))
          throw usageError('The response is a file. Redirect it: … > file.')
        await write(isTerminal ? decoder.decode(chunk, { stream: true }) : chunk)
        if (!hasReader()) return
      }
    },

    async record(record: object): Promise<void> {
      await write(isTable ? `${linesOfRecord(record).join('\n')}\n` : `${JSON.stringify(record)}\n`)
    },

    /** For people: what happened, or what to do next. */
    note(text: string): void {
      stderr.write(`${escaped(text)}\n`)
    },
  }
}
