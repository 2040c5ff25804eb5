// Parses CSV as a stream: comma, semicolon or tab, quotes, any line ends. The first record is the header.
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { type Column, columnsOf } from './csv-columns.ts'
import { FileError } from './file-error.ts'

export interface CsvRow {
  /** Records after the header, from 1. */
  row: number
  cells: string[]
}

const DELIMITERS = [',', ';', '\t']
const MAX_HEADER = 256 * 1024
/** The columns of a spreadsheet: many programs export all of them, though most are empty. */
export const MAX_CELLS = 16_384

/** The columns come first, then the rows as they are parsed. */
export async function readCsv(
  texts: AsyncIterable<string>,
  { maxBytes }: { maxBytes: number },
): Promise<{ columns: Column[]; rows: AsyncIterable<CsvRow> }> {
  const source = texts[Symbol.asyncIterator]()
  const start = await readHeader(source)
  const records = parseRecords(restOf(start, source), { delimiter: delimiterOf(start), maxBytes })
  const header = await records.next()
  if (header.done) throw new FileError('The file is empty. Its first line names the columns.')
  return { columns: columnsOf(header.value), rows: numbered(records) }
}

async function* numbered(records: AsyncIterable<string[]>): AsyncGenerator<CsvRow> {
  let row = 0
  for await (const cells of records) yield { row: ++row, cells }
}

/** The text up to the end of the first line, and what came with it. */
async function readHeader(source: AsyncIterator<string>): Promise<string> {
  let text = ''
  for (;;) {
    const { done, value } = await source.next()
    if (done) return text
    text += value
    if (headerEnd(text) >= 0) return text
    if (text.length > MAX_HEADER)
      throw new FileError('The first line of the file is too long to be a header.')
  }
}

/** Where the first line that is not empty ends, outside quotes; -1 where it does not. */
function headerEnd(text: string): number {
  let isQuoted = false
  const start = text.search(/[^\r\n]/)
  for (let at = start < 0 ? text.length : start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === '\n' || character === '\r')) return at
  }
  return -1
}

/** The delimiter that occurs most in the header, outside quotes. */
export function delimiterOf(text: string): string {
  const end = headerEnd(text)
  const header = (end < 0 ? text : text.slice(0, end)).replaceAll(/"(?:[^"]|"")*"/g, '')
  const counts = DELIMITERS.map(delimiter => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] as string
}

async function* restOf(start: string, source: AsyncIterator<string>): AsyncGenerator<string> {
  if (start) yield start
  for (;;) {
    const { done, value } = await source.next()
    if (done) return
    yield value
  }
}

async function* parseRecords(
  texts: AsyncIterable<string>,
  { delimiter, maxBytes }: { delimiter: string; maxBytes: number },
): AsyncGenerator<string[]> {
  const parser = parse({
    delimiter,
    // All of them: a header and rows from different systems may end in different ways.
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: maxBytes,
    // The size of a record does not include its delimiters. Beyond these cells they are part of the last one.
    ignore_last_delimiters: MAX_CELLS + 1,
    // The cells of a row are counted by the reader, which rejects the row and not the file.
    relax_column_count: true,
    skip_empty_lines: true,
  })
  // Errors of the source destroy the parser, and are thrown by the loop below.
  // What the source has read ahead is parsed without its pauses.
  pipeline(Readable.from(texts, { highWaterMark: 1 }), parser, () => {})
  try {
    for await (const record of parser) yield record as string[]
  } catch (error) {
    throw error instanceof CsvError ? new FileError(messageOf(error, maxBytes)) : error
  } finally {
    parser.destroy()
  }
}

/** The message of the parser may quote the file. */
function messageOf({ code, lines }: CsvError & { lines?: number }, maxBytes: number): string {
  const at = lines ? ` near line ${lines}` : ''
  switch (code) {
    case 'CSV_MAX_RECORD_SIZE':
      return `The file has a row of more than ${maxBytes} bytes${at}. A quote may be missing there.`
    case 'CSV_QUOTE_NOT_CLOSED':
      return `The file ends within a quoted cell${at}: a quote is missing, or the file was cut off.`
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return `The file has a quote within a cell${at}. Double it, and put the cell in quotes.`
    default:
      return `The file is not valid CSV${at}.`
  }
}
