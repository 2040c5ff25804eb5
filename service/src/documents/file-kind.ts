// Decides by bytes and name whether a file is of a kind that is stored. All other files are rejected: what could run when it
// is opened is a list that never ends.
import { MAIL_TYPE, OFFICE_TYPES, OUTLOOK_TYPE, RejectedFileError, TEXT_TYPES } from './accepted-kinds.ts'
import { isMail, isPlainText } from './text-file.ts'

export const SNIFFED_BYTES = 4_100

export interface FileKind {
  /** Empty for an office document without an extension, until its entries are read. */
  contentType: string
  /** What the first bytes cannot show: the entries of a container, or all characters of a text. */
  check: 'office' | 'outlook' | 'text' | 'mail' | undefined
}

/** Kinds that no program executes. Scans and photographs often have the extension of another one of these. */
const PASSIVE: [string, string][] = [
  ['application/pdf', '255044462d'],
  ['image/jpeg', 'ffd8ff'],
  ['image/png', '89504e470d0a1a0a'],
  ['image/gif', '474946383761'],
  ['image/gif', '474946383961'],
  ['image/tiff', '49492a00'],
  ['image/tiff', '4d4d002a'],
]
const PASSIVE_EXTENSIONS = [
  'pdf', 'jpg', 'jpeg', 'jpe', 'jfif', 'png', 'gif', 'webp', 'tif', 'tiff', 'bmp', 'dib', 'heic', 'heif', 'hif',
] // biome-ignore format: a table

const EXTENSIONS = new Set([
  ...PASSIVE_EXTENSIONS,
  ...Object.keys(OFFICE_TYPES),
  ...Object.keys(TEXT_TYPES),
  'eml',
  'msg',
])

const ZIP = '504b0304'
const COMPOUND_FILE = 'd0cf11e0a1b11ae1'

/** Rejected whatever else they are, because some of them pass for text. */
const EXECUTABLES = [
  '7f454c46', // ELF
  '4d5a', // DOS and Windows
  'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', // Mach-O
  'cafebabe', // Java class, universal Mach-O
  '0061736d', // WebAssembly
  '6465780a', // Dalvik
  '4c000000011402', // Windows shortcut
  '2321', // #! script
  'efbbbf2321', // #! behind a byte order mark
] // biome-ignore format: a table

/** Rejected in text, PDF and images: an image that also holds a script is a polyglot. */
const ACTIVE_MARKUP =
  /<(?:!doctype\s+html|html|head|body|script|iframe|svg|object|embed|meta|xsl:stylesheet)\b|<\?php/i

const MISMATCH = 'The extension of the name does not match the content.'

/** Throws for a file that is not stored. */
export function kindOf(head: Buffer, fileName: string): FileKind {
  const extension = extensionOf(fileName)
  if (extension !== undefined && !EXTENSIONS.has(extension))
    throw new RejectedFileError('The extension of its name is not accepted.')
  const hex = head.subarray(0, 16).toString('hex')
  if (EXECUTABLES.some(signature => hex.startsWith(signature)))
    throw new RejectedFileError('It is a program.')
  if (hex.startsWith(ZIP)) return officeKind(extension)
  if (hex.startsWith(COMPOUND_FILE)) return outlookKind(extension)
  if (extension === 'eml') return mailKind(head)

  const text = textOf(head)
  if (ACTIVE_MARKUP.test(text)) throw new RejectedFileError('It contains markup or a script.')
  const passive = PASSIVE.find(([, signature]) => hex.startsWith(signature))?.[0] ?? imageKind(head)
  if (passive) {
    if (extension !== undefined && !PASSIVE_EXTENSIONS.includes(extension))
      throw new RejectedFileError(MISMATCH)
    return { contentType: passive, check: undefined }
  }
  const contentType = TEXT_TYPES[extension ?? '']
  if (!contentType)
    throw new RejectedFileError(
      extension === undefined ? 'Its content is not of an accepted kind.' : MISMATCH,
    )
  if (!isPlainText(text)) throw new RejectedFileError('It is no plain text.')
  return { contentType, check: 'text' }
}

function officeKind(extension: string | undefined): FileKind {
  const contentType = extension === undefined ? '' : OFFICE_TYPES[extension]
  if (contentType === undefined) throw new RejectedFileError(MISMATCH)
  return { contentType, check: 'office' }
}

/** Not the old formats of Word, Excel and PowerPoint: their macros can be in streams that only they can read. */
function outlookKind(extension: string | undefined): FileKind {
  if (extension !== undefined && extension !== 'msg') throw new RejectedFileError(MISMATCH)
  return { contentType: OUTLOOK_TYPE, check: 'outlook' }
}

function mailKind(head: Buffer): FileKind {
  if (!isMail(head.toString('latin1'))) throw new RejectedFileError(MISMATCH)
  return { contentType: MAIL_TYPE, check: 'mail' }
}

/** The text after the last dot, as Windows sees it: without trailing dots and spaces, and without a stream name. */
function extensionOf(fileName: string): string | undefined {
  const plain = fileName
    .replace(/\p{Cf}/gu, '')
    .replace(/(?<=.):.*$/, '')
    .replace(/[.\s]+$/, '')
  return /\.([^.]*)$/.exec(plain)?.[1]?.toLowerCase()
}

/** Decodes UTF-16 with a byte order mark as browsers do, so that it hides no markup. */
function textOf(head: Buffer): string {
  const mark = head.subarray(0, 2).toString('hex')
  if (mark === 'fffe') return head.toString('utf16le')
  if (mark === 'feff')
    return Buffer.from(head.subarray(0, head.length & ~1))
      .swap16()
      .toString('utf16le')
  return head.toString('latin1')
}

const BMP_HEADERS = [12, 40, 52, 56, 64, 108, 124]

function imageKind(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, 16)
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp'
  // The four bytes before `ftyp` are the size of the box, which is small: the first two are zero.
  if (/^\0\0..ftyp(?:heic|heix|heim|heis|hevc|hevx)/s.test(text)) return 'image/heic'
  if (/^\0\0..ftyp(?:mif1|msf1)/s.test(text)) return 'image/heif'
  // Two letters are no proof, so the reserved bytes and the size of the second header are checked too.
  const isBmp = head.length >= 18 && text.startsWith('BM') && head.readUInt32LE(6) === 0
  return isBmp && BMP_HEADERS.includes(head.readUInt32LE(14)) ? 'image/bmp' : undefined
}
