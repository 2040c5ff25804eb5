// What a chosen file is: by its name and its first bytes.

export type ImportFormat = 'csv' | 'ndjson'

export interface FileKind {
  format: ImportFormat
  gzip: boolean
  /** Why it cannot be sent. */
  error?: 'imports.empty' | 'imports.isSpreadsheet'
}

const NDJSON = /\.(?:ndjson|jsonl|json)(?:\.gz)?$/i
const starts = (bytes: Uint8Array, ...wanted: number[]) => wanted.every((byte, at) => bytes[at] === byte)

export async function kindOf(file: File): Promise<FileKind> {
  const head = new Uint8Array(await file.slice(0, 64).arrayBuffer())
  const gzip = starts(head, 0x1f, 0x8b)
  // A line of JSON begins with a brace, which no header of a CSV file does.
  const isJson = !gzip && /^\uFEFF?\s*\{/.test(new TextDecoder().decode(head))
  const kind: FileKind = { format: isJson || NDJSON.test(file.name) ? 'ndjson' : 'csv', gzip }
  if (file.size === 0) return { ...kind, error: 'imports.empty' }
  // Spreadsheets are zip archives, or have the signature of old Office files.
  if (starts(head, 0x50, 0x4b, 0x03, 0x04) || starts(head, 0xd0, 0xcf, 0x11, 0xe0))
    return { ...kind, error: 'imports.isSpreadsheet' }
  return kind
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

export function sizeText(bytes: number, language: string): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1000)))
  const format = {
    style: 'unit',
    unit: UNITS[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const
  return new Intl.NumberFormat(language, format).format(bytes / 1000 ** power)
}
