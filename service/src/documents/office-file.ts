// Reads the directory of a zip archive, and decides which office document it is. Everything that a strict reader and an
// office program could see differently is rejected: a macro must not hide behind a second directory.
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import { createBudget } from '../lib/budget.ts'
import { createPauses } from '../lib/pauses.ts'
import { OFFICE_TYPES, type ReadBytes, RejectedFileError } from './accepted-kinds.ts'
import { checkRelationship } from './office-relationships.ts'

const inflate = promisify(inflateRaw)

interface Entry {
  name: string
  method: number
  offset: number
  compressedSize: number
  /** As the directory has it; an entry that has more is damaged. */
  size: number
}

const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const ZIP64_END_BYTES = 76
const MAX_DIRECTORY_BYTES = 1024 * 1024
const MAX_ENTRY_BYTES = 1024 * 1024
/** Names of office programs have less than a hundred. */
const MAX_NAME_BYTES = 1024
/** Of all parts together: a document may have tens of thousands of links, and a presentation thousands of parts. */
const MAX_RELATIONSHIPS_BYTES = 16 * 1024 * 1024
const MAX_RELATIONSHIP_PARTS = 5_000
const MAX_RELATIONSHIPS = 250_000
const SATURATED = 0xffffffff
/** A file waits as long as its request may last. */
const MAX_WAIT_MS = 2 ** 31 - 1
/** Of relationships in memory: small uploads may have large ones, and many may arrive at once. */
const memory = createBudget({
  capacity: 4 * MAX_RELATIONSHIPS_BYTES,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitMs: MAX_WAIT_MS,
})
const pausesOfFile = createPauses()

const OPEN_XML_MAIN: Record<string, string> = {
  docx: 'wordprocessingml.document.main+xml',
  xlsx: 'spreadsheetml.sheet.main+xml',
  pptx: 'presentationml.presentation.main+xml',
}
/** Content types of macros, ActiveX controls, Excel 4 macro sheets and embedded programs. */
const ACTIVE_TYPES = /macro|vba|activex|oleobject|ms-package|x-msdownload/i
/** The same by the names that office programs give them. */
const ACTIVE_ENTRY = /(?:^|\/)(?:vba|activex|macrosheets|dialogsheets)/
/** Programs, scripts, disk images, and documents of kinds that are not accepted by themselves. */
const ACTIVE_EXTENSION =
  /\.(?:docm|dotm|xlsm|xltm|xlam|xlsb|pptm|potm|ppsm|ppam|doc|xls|ppt|rtf|mht|mhtml|html?|xhtml|swf|exe|dll|scr|com|cpl|pif|msi|msp|jar|jnlp|js|jse|vbs|vbe|wsf|wsh|wsc|sct|hta|ps1|psm1|bat|cmd|py|sh|reg|inf|lnk|url|scf|chm|msc|iso|img|vhd|vhdx|one|rdp|application)$/
/** Embedded documents without macros may stay, and so may the folder. */
const EMBEDDED = /(?:^|\/)embeddings\/./
const EMBEDDED_DOCUMENT = /\.(?:docx|xlsx|pptx)$/
/** The declaration itself, folders, and what Word and Excel leave of deleted parts. */
const UNDECLARED = /^\[content_types\]\.xml$|\/$|^\[trash\]\//
/** Libraries of macros, their dialogs, and embedded objects of Windows, in an OpenDocument file. */
const ACTIVE_OPEN_DOCUMENT = /^(?:basic|scripts|dialogs|ole)\/.|^object[^/]*$/
/** Links of a workbook to other programs. */
const ACTIVE_LINK = /<(?:\w+:)?(?:ddeLink|oleLink)\b/

const damaged = () => new RejectedFileError('It is no intact office document.')
const active = () => new RejectedFileError('It has macros or embedded objects.')
const encrypted = () => new RejectedFileError('It is encrypted.')
const otherArchive = () =>
  new RejectedFileError('It is an archive, but no office document of an accepted kind.')

/** The media type of the office document; throws for any other archive. */
export async function officeTypeOf(read: ReadBytes, size: number): Promise<string> {
  const entries = await readDirectory(read, size)
  const byName = new Map(entries.map(entry => [normalized(entry.name), entry]))
  if (byName.size !== entries.length || Math.min(...entries.map(({ offset }) => offset)) !== 0)
    throw damaged()
  const text = async (name: string) => {
    const entry = byName.get(name)
    if (!entry) return undefined
    if (entry.size > MAX_ENTRY_BYTES) throw damaged()
    return (await readEntry(read, entry)).toString('utf8')
  }
  const names = [...byName.keys()]
  const contentTypes = await text('[content_types].xml')
  if (contentTypes !== undefined) {
    const type = openXmlType(contentTypes, names)
    const entriesWith = (isWanted: (name: string) => boolean) =>
      [...byName].flatMap(([name, entry]) => (isWanted(name) ? [entry] : []))
    await checkRelationships(
      read,
      entriesWith(name => name.endsWith('.rels')),
    )
    const links = new Set(partsOf(contentTypes, /externalLink\+xml/i))
    await rejectActiveLinks(
      read,
      entriesWith(name => links.has(name)),
    )
    return type
  }
  const mimetype = await text('mimetype')
  if (mimetype !== undefined) {
    const type = openDocumentType(mimetype.trim(), names)
    if ((await text('meta-inf/manifest.xml'))?.includes('encryption-data')) throw encrypted()
    return type
  }
  throw otherArchive()
}

/** Names are compared as office programs do: without case, and with either slash. */
const normalized = (name: string) => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()

function openXmlType(contentTypes: string, names: string[]): string {
  // UTF-16, entities and character references could spell a content type so that it is not found below.
  if (/[\0\ufffd]|<!|&#/.test(contentTypes)) throw damaged()
  const kinds = Object.entries(OPEN_XML_MAIN).filter(([, main]) => contentTypes.includes(main))
  if (ACTIVE_TYPES.test(contentTypes) || names.some(isActive)) throw active()
  const [kind] = kinds[0] ?? []
  if (!kind || kinds.length > 1) throw otherArchive()
  if (!areDeclared(names, contentTypes)) throw damaged()
  return OFFICE_TYPES[kind] ?? ''
}

const isActive = (name: string) =>
  ACTIVE_ENTRY.test(name) ||
  ACTIVE_EXTENSION.test(name) ||
  (EMBEDDED.test(name) && !EMBEDDED_DOCUMENT.test(name))

/** The relationships of all parts: the main part may have any name. */
async function checkRelationships(read: ReadBytes, parts: Entry[]): Promise<void> {
  const bytes = parts.reduce((sum, { size }) => sum + size, 0)
  if (parts.length > MAX_RELATIONSHIP_PARTS || bytes > MAX_RELATIONSHIPS_BYTES) throw damaged()
  const pauses = pausesOfFile()
  let count = 0
  for (const part of parts.sort((a, b) => a.offset - b.offset))
    await withText(read, part, async text => {
      for (let start = text.indexOf('<'); start >= 0; ) {
        const next = text.indexOf('<', start + 1)
        checkRelationship(text.slice(start, next < 0 ? undefined : next))
        start = next
        count += 1
        if (count > MAX_RELATIONSHIPS) throw damaged()
        if (pauses.areDue()) await pauses.pause()
      }
    })
}

async function rejectActiveLinks(read: ReadBytes, parts: Entry[]): Promise<void> {
  for (const part of parts) {
    if (part.size > MAX_RELATIONSHIPS_BYTES) throw damaged()
    await withText(read, part, text => {
      if (text.includes('<!') || ACTIVE_LINK.test(text)) throw active()
    })
  }
}

/** Reads a part when there is memory for it. */
async function withText(
  read: ReadBytes,
  part: Entry,
  check: (text: string) => void | Promise<void>,
): Promise<void> {
  // The compressed bytes, the bytes, and their text.
  const reservation = await memory.reserve(3 * part.size)
  try {
    const text = (await readEntry(read, part)).toString('utf8')
    if (/[\0\ufffd]/.test(text)) throw damaged()
    await check(text)
  } finally {
    reservation.release()
  }
}

/** The parts with such a content type. */
const partsOf = (contentTypes: string, type: RegExp): string[] =>
  tagsOf(contentTypes).flatMap(tag => {
    const part = /\sPartName\s*=\s*["']([^"']*)/.exec(tag)?.[1]
    return part !== undefined && type.test(tag) ? [normalized(part.replaceAll('&amp;', '&'))] : []
  })

const tagsOf = (contentTypes: string): string[] =>
  [...contentTypes.matchAll(/<(?:\w+:)?(?:Default|Override)\s[^<]*/g)].map(([tag]) => tag)

/** Whether each part has a content type, as office programs require. */
function areDeclared(names: string[], contentTypes: string): boolean {
  const declared = new Set<string>()
  for (const tag of tagsOf(contentTypes)) {
    const extension = /\sExtension\s*=\s*["']([^"']*)/.exec(tag)?.[1]
    const part = /\sPartName\s*=\s*["']([^"']*)/.exec(tag)?.[1]
    if (extension !== undefined) declared.add(`.${extension.toLowerCase()}`)
    if (part !== undefined) declared.add(normalized(part.replaceAll('&amp;', '&')))
  }
  return names.every(
    name => UNDECLARED.test(name) || declared.has(name) || declared.has(/\.[^./]*$/.exec(name)?.[0] ?? ''),
  )
}

function openDocumentType(mimetype: string, names: string[]): string {
  if (!Object.values(OFFICE_TYPES).includes(mimetype) || !mimetype.includes('opendocument'))
    throw otherArchive()
  if (!names.includes('content.xml') || !names.includes('meta-inf/manifest.xml')) throw damaged()
  if (names.some(name => ACTIVE_OPEN_DOCUMENT.test(name) || ACTIVE_EXTENSION.test(name))) throw active()
  return mimetype
}

async function readDirectory(read: ReadBytes, size: number): Promise<Entry[]> {
  if (size < END_BYTES) throw damaged()
  const end = await read(size - END_BYTES, END_BYTES)
  // A comment would allow a second end of the directory.
  if (end.readUInt32LE(0) !== 0x06054b50 || end.readUInt16LE(20) !== 0) throw damaged()
  const count = end.readUInt16LE(10)
  const length = end.readUInt32LE(12)
  const start = end.readUInt32LE(16)
  const gap = size - END_BYTES - start - length
  if (end.readUInt32LE(4) !== 0 || end.readUInt16LE(8) !== count || count === 0) throw damaged()
  if (length > MAX_DIRECTORY_BYTES || (gap !== 0 && gap !== ZIP64_END_BYTES)) throw damaged()
  const directory = await read(start, length + gap)
  if (directory.length < length + gap) throw damaged()
  if (gap > 0 && directory.readUInt32LE(length) !== 0x06064b50) throw damaged()
  return parseDirectory(directory.subarray(0, length), count)
}

function parseDirectory(directory: Buffer, count: number): Entry[] {
  const entries: Entry[] = []
  let at = 0
  for (; at + ENTRY_BYTES <= directory.length && entries.length < count; ) {
    if (directory.readUInt32LE(at) !== 0x02014b50) throw damaged()
    const flags = directory.readUInt16LE(at + 8)
    const method = directory.readUInt16LE(at + 10)
    const nameBytes = directory.readUInt16LE(at + 28)
    const nameEnd = at + ENTRY_BYTES + nameBytes
    const extraLength = directory.readUInt16LE(at + 30)
    const name = directory.toString('utf8', at + ENTRY_BYTES, nameEnd)
    const commentLength = directory.readUInt16LE(at + 32)
    // Encrypted, or compressed in a way that office documents do not use.
    if ((flags & 0x2041) !== 0 || (method !== 0 && method !== 8) || name.includes('\0')) throw damaged()
    if (nameBytes > MAX_NAME_BYTES) throw damaged()
    entries.push({
      name,
      method,
      offset: directory.readUInt32LE(at + 42),
      ...sizesOf(directory, { at, nameEnd, extraLength }),
    })
    at = nameEnd + extraLength + commentLength
  }
  if (at !== directory.length || entries.length !== count) throw damaged()
  return entries
}

/** Some writers always use the 64-bit fields of the ZIP64 extension, also for small entries. */
function sizesOf(
  directory: Buffer,
  { at, nameEnd, extraLength }: { at: number; nameEnd: number; extraLength: number },
): { compressedSize: number; size: number } {
  const compressedSize = directory.readUInt32LE(at + 20)
  const size = directory.readUInt32LE(at + 24)
  if (compressedSize !== SATURATED && size !== SATURATED) return { compressedSize, size }
  const extra = directory.subarray(nameEnd, nameEnd + extraLength)
  for (let from = 0; from + 4 <= extra.length; from += 4 + extra.readUInt16LE(from + 2)) {
    if (extra.readUInt16LE(from) !== 1) continue
    // It has only the fields that are saturated, in this order.
    const fields = extra.subarray(from + 4, from + 4 + extra.readUInt16LE(from + 2))
    const compressedAt = size === SATURATED ? 8 : 0
    if (fields.length < compressedAt + (compressedSize === SATURATED ? 8 : 0)) throw damaged()
    return {
      size: size === SATURATED ? Number(fields.readBigUInt64LE(0)) : size,
      compressedSize:
        compressedSize === SATURATED ? Number(fields.readBigUInt64LE(compressedAt)) : compressedSize,
    }
  }
  throw damaged()
}

async function readEntry(read: ReadBytes, { method, offset, compressedSize, size }: Entry): Promise<Buffer> {
  // What cannot be compressed becomes a little larger.
  if (compressedSize > 1.01 * size + 1_000 || (method === 0 && compressedSize !== size)) throw damaged()
  const local = await read(offset, LOCAL_BYTES)
  if (local.length < LOCAL_BYTES || local.readUInt32LE(0) !== 0x04034b50) throw damaged()
  const start = offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28)
  const data = await read(start, compressedSize)
  if (method === 0) return data
  try {
    return await inflate(data, { maxOutputLength: Math.max(1, size) })
  } catch {
    throw damaged()
  }
}
