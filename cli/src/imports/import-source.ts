// A file to import: its kind, what can be seen to be wrong before it is sent, and renamed columns.
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FileSource, UploadContent } from '@caseport/sdk'
import { InvalidArgumentError } from 'commander'
import { parse } from 'csv-parse/sync'
import type { Cli } from '../cli.ts'
import { usageError } from '../exit-codes.ts'

export type Mapping = Record<string, string>

export interface ImportSource {
  file: UploadContent
  contentType: 'text/csv' | 'application/x-ndjson'
  gzip: boolean
}

/** A header that is longer is not one. */
const MAX_HEADER_BYTES = 256 * 1024
const DELIMITERS = [',', ';', '\t']
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

export function collectMapping(given: string, before: Mapping = {}): Mapping {
  const [, column = '', field = ''] = /^(.+)=([^=]+)$/s.exec(given) ?? []
  if (!column) throw new InvalidArgumentError('Expected column=field, such as "Surname=lastName".')
  return { ...before, [column.trim()]: field.trim() }
}

interface Options {
  format?: 'csv' | 'ndjson'
  map?: Mapping
}

export async function importSource(cli: Cli, path: string, { format, map }: Options): Promise<ImportSource> {
  const name = basename(path)
  const gzip = /\.gz$/i.test(name)
  const kind = format ?? kindOf(name)
  if (!kind) throw usageError(`${path}: Is it CSV or NDJSON? Add --format csv or --format ndjson.`)
  if (map && (kind !== 'csv' || gzip || path === '-'))
    throw usageError('--map renames columns of a CSV file that is not compressed, and not of standard input.')
  const contentType = kind === 'csv' ? 'text/csv' : 'application/x-ndjson'
  if (path === '-') return { file: cli.stdin, contentType, gzip }
  const { size, isFile } = await stat(path).then(stats => ({ size: stats.size, isFile: stats.isFile() }))
  if (!isFile) throw usageError(`${path}: It is no file.`)
  if (size === 0) throw usageError(`${path}: The file is empty.`)
  if (kind === 'csv' && !gzip) return { file: await csvFile(path, size, map), contentType, gzip }
  return { file: { name, size, stream: () => createReadStream(path) }, contentType, gzip }
}

function kindOf(name: string): 'csv' | 'ndjson' | undefined {
  const plain = name.toLowerCase().replace(/\.gz$/, '')
  if (/\.(csv|tsv|txt)$/.test(plain)) return 'csv'
  if (/\.(ndjson|jsonl)$/.test(plain)) return 'ndjson'
  return undefined
}

/** The file with its header checked, and with columns renamed. */
async function csvFile(path: string, size: number, map: Mapping | undefined): Promise<FileSource> {
  const { names, bytes, delimiter } = await headerOf(path)
  const renamed = names.map(column => map?.[column] ?? column)
  const unknown = Object.keys(map ?? {}).filter(column => !names.includes(column))
  if (unknown.length > 0)
    throw usageError(
      `${path}: There is no column ${unknown.join(', ')}. The columns are ${names.join(', ')}.`,
    )
  if (!renamed.includes('employeeNumber'))
    throw usageError(
      `${path}: There is no column employeeNumber, by which people are matched. If it has another name, add --map "NAME=employeeNumber".`,
    )
  const name = basename(path)
  if (!map) return { name, size, stream: () => createReadStream(path) }
  const header = Buffer.from(renamed.map(column => quoted(column)).join(delimiter))
  return {
    name,
    size: size - bytes + header.length,
    async *stream() {
      yield header
      yield* createReadStream(path, { start: bytes })
    },
  } as FileSource
}

interface Header {
  names: string[]
  /** Up to the end of the header, which does not count: a byte order mark, empty lines, the header. */
  bytes: number
  delimiter: string
}

async function headerOf(path: string): Promise<Header> {
  const handle = await open(path)
  const { buffer, bytesRead } = await handle
    .read({ buffer: Buffer.alloc(MAX_HEADER_BYTES), position: 0 })
    .finally(() => handle.close())
  const start = buffer.subarray(0, bytesRead)
  const mark = start.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0
  const bytes = mark + endOfHeader(start.subarray(mark))
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(start.subarray(mark, bytes))
  } catch {
    throw usageError(`${path}: The file is not UTF-8. Save it as CSV UTF-8.`)
  }
  const delimiter = delimiterOf(text)
  try {
    // As the service reads it, whatever the lines end with.
    const options = { delimiter, record_delimiter: ['\r\n', '\n', '\r'], skip_empty_lines: true }
    const [cells = []] = parse(text, options)
    return { names: cells.map(cell => cell.trim()), bytes, delimiter }
  } catch (error) {
    throw usageError(`${path}: The header cannot be read: ${(error as Error).message}.`)
  }
}

/** Where the first line that is not empty ends; an end of line in quotes does not end it. */
function endOfHeader(start: Buffer): number {
  let isQuoted = false
  let isEmpty = true
  for (const [index, byte] of start.entries()) {
    const isEnd = byte === 0x0a || byte === 0x0d
    if (byte === 0x22) isQuoted = !isQuoted
    if (isEnd && !isQuoted && !isEmpty) return index
    if (!isEnd) isEmpty = false
  }
  return start.length
}

/** The one that most columns are separated by. */
function delimiterOf(header: string): string {
  const plain = header.replace(/"[^"]*"/g, '')
  const counted = DELIMITERS.map(delimiter => ({ delimiter, count: plain.split(delimiter).length }))
  return counted.reduce((best, one) => (one.count > best.count ? one : best)).delimiter
}

const quoted = (name: string) => (/["\n\r,;\t]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)
