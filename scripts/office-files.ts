// Builds office documents, zip archives and Outlook messages for tests and attacks, without a library: a test must be able
// to build what no library would.
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  name: string
  content: string | Buffer
  stored?: boolean
  flags?: number
}

export function zipOf(
  entries: ZipEntry[],
  { prefix = Buffer.alloc(0), comment = '' }: { prefix?: Buffer; comment?: string } = {},
): Buffer {
  const files: Buffer[] = [prefix]
  const directory: Buffer[] = []
  let offset = prefix.length
  for (const { name, content, stored = false, flags = 0x800 } of entries) {
    const bytes = Buffer.from(content)
    const data = stored ? bytes : deflateRawSync(bytes)
    const encodedName = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(stored ? 0 : 8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(encodedName.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, encodedName, data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([20, 3]), common, rest, encodedName]),
    )
    files.push(local)
    offset += local.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...files, ...directory, end, Buffer.from(comment)])
}

const MAIN_TYPES = {
  docx: 'vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'vnd.openxmlformats-officedocument.presentationml.presentation',
  docm: 'vnd.ms-word.document.macroEnabled',
  xlsm: 'vnd.ms-excel.sheet.macroEnabled',
  pptm: 'vnd.ms-powerpoint.presentation.macroEnabled',
  dotx: 'vnd.openxmlformats-officedocument.wordprocessingml.template',
  xlsb: 'vnd.ms-excel.sheet.binary.macroEnabled',
}

/** An Office Open XML document of this kind, with more entries and content types if given. */
export function openXml(
  kind: keyof typeof MAIN_TYPES,
  { entries = [], types = '' }: { entries?: ZipEntry[]; types?: string } = {},
): Buffer {
  const contentTypes = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="jpeg" ContentType="image/jpeg"/><Override PartName="/main.xml" ContentType="application/${MAIN_TYPES[kind]}.main+xml"/>${types}</Types>`
  return zipOf([
    { name: '[Content_Types].xml', content: contentTypes },
    { name: '_rels/.rels', content: '<Relationships/>' },
    { name: 'main.xml', content: '<document/>' },
    ...entries,
  ])
}

export function openDocument(
  kind: 'text' | 'spreadsheet' | 'presentation',
  entries: ZipEntry[] = [],
): Buffer {
  return zipOf([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}`, stored: true },
    { name: 'content.xml', content: '<office:document-content/>' },
    { name: 'META-INF/manifest.xml', content: '<manifest:manifest/>' },
    ...entries,
  ])
}

const SECTOR = 512
const FREE = 0xffffffff
const END = 0xfffffffe
const OUTLOOK = ['__nameid_version1.0', '__properties_version1.0']

/** A compound file whose root has empty streams of these names. Filler sectors come before the directory. */
export function compoundFile(names: string[] = OUTLOOK, { filler = 0 }: { filler?: number } = {}): Buffer {
  const perSector = SECTOR / 4
  const directorySectors = Math.ceil((names.length + 1) / 4)
  const used = filler + directorySectors
  const fatSectors = Math.ceil(used / (perSector - 1)) + 1
  const difatSectors = Math.ceil(Math.max(0, fatSectors - 109) / (perSector - 1))
  const fat = Array.from({ length: fatSectors * perSector }, (_, sector) => {
    if (sector < filler || sector >= used + fatSectors + difatSectors) return FREE
    if (sector < used) return sector === used - 1 ? END : sector + 1
    return sector < used + fatSectors ? 0xfffffffd : 0xfffffffc
  })
  const locations = Array.from({ length: fatSectors }, (_, index) => used + index)
  const header = Buffer.alloc(SECTOR)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  for (const [at, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    header.writeUInt16LE(value, at)
  header.writeUInt32LE(fatSectors, 44)
  header.writeUInt32LE(filler, 48)
  header.writeUInt32LE(4_096, 56)
  header.writeUInt32LE(END, 60)
  header.writeUInt32LE(difatSectors ? used + fatSectors : END, 68)
  header.writeUInt32LE(difatSectors, 72)
  for (let index = 0; index < 109; index++) header.writeUInt32LE(locations[index] ?? FREE, 76 + index * 4)
  const entries = ['Root Entry', ...names].map((name, index) => {
    const entry = Buffer.alloc(128)
    entry.write(name, 'utf16le')
    entry.writeUInt16LE((name.length + 1) * 2, 64)
    entry[66] = index === 0 ? 5 : 2
    entry.writeUInt32LE(FREE, 68)
    // All siblings are in one chain to the right.
    entry.writeUInt32LE(index > 0 && index < names.length ? index + 1 : FREE, 72)
    entry.writeUInt32LE(index === 0 && names.length > 0 ? 1 : FREE, 76)
    return entry
  })
  const numbers = (values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
    return bytes
  }
  const difat = Array.from({ length: difatSectors }, (_, index) => {
    const from = 109 + index * (perSector - 1)
    const part = Array.from({ length: perSector - 1 }, (_, at) => locations[from + at] ?? FREE)
    return numbers([...part, index === difatSectors - 1 ? END : used + fatSectors + index + 1])
  })
  const directory = Buffer.alloc(directorySectors * SECTOR)
  Buffer.concat(entries).copy(directory)
  return Buffer.concat([header, Buffer.alloc(filler * SECTOR), directory, numbers(fat), ...difat])
}
