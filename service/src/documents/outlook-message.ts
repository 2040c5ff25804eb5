// Reads the directory of a compound file (MS-CFB), and decides whether it is an Outlook message. Documents of Word, Excel
// and PowerPoint have the same container.
import { type ReadBytes, RejectedFileError } from './accepted-kinds.ts'

const HEADER_BYTES = 512
const DIFAT_IN_HEADER = 109
const ENTRY_BYTES = 128
const LAST_SECTOR = 0xfffffffa
const NO_STREAM = 0xffffffff
const MAX_DIRECTORY_BYTES = 1024 * 1024
/** Enough for files of 8 GiB. */
const MAX_DIFAT_SECTORS = 1_000

const MACROS = /^(?:_?vba(?:_project(?:_cur)?)?|macros|xlm)$/i
const MESSAGE_STREAMS = ['__properties_version1.0', '__nameid_version1.0']

const damaged = () => new RejectedFileError('It is no intact Outlook message.')

interface DirectoryEntry {
  name: string
  left: number
  right: number
  child: number
}

/** Throws unless the file is an Outlook message without macros. */
export async function checkOutlookMessage(read: ReadBytes): Promise<void> {
  const entries = await readEntries(read)
  const [root] = entries
  if (!root) throw damaged()
  const names = namesBelow(root, entries)
  if (!MESSAGE_STREAMS.every(name => names.includes(name)))
    throw new RejectedFileError(
      'It is no Outlook message. The old formats doc, xls and ppt are not accepted.',
    )
  if (entries.some(({ name }) => MACROS.test(name)))
    throw new RejectedFileError('It has macros or embedded objects.')
}

/** The names directly below the root, which is the top of a binary tree of siblings. */
function namesBelow(root: DirectoryEntry, entries: DirectoryEntry[]): string[] {
  const names: string[] = []
  const open = [root.child]
  const seen = new Set<number>()
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const entry = entries[index]
    if (index === NO_STREAM || !entry || seen.has(index)) continue
    seen.add(index)
    names.push(entry.name)
    open.push(entry.left, entry.right)
  }
  return names
}

async function readEntries(read: ReadBytes): Promise<DirectoryEntry[]> {
  const header = await read(0, HEADER_BYTES)
  const shift = header.length === HEADER_BYTES ? header.readUInt16LE(30) : 0
  if (shift !== 9 && shift !== 12) throw damaged()
  const sectorBytes = 1 << shift
  const sector = async (number: number) => {
    const bytes = number > LAST_SECTOR ? Buffer.alloc(0) : await read((number + 1) * sectorBytes, sectorBytes)
    if (bytes.length < sectorBytes) throw damaged()
    return bytes
  }
  const nextSector = await sectorChain({ header, sectorBytes, sector })
  const pieces: Buffer[] = []
  for (let number = header.readUInt32LE(48); number <= LAST_SECTOR; number = await nextSector(number)) {
    pieces.push(await sector(number))
    if (pieces.length * sectorBytes > MAX_DIRECTORY_BYTES) throw damaged()
  }
  const directory = Buffer.concat(pieces)
  return Array.from({ length: directory.length / ENTRY_BYTES }, (_, index) =>
    entryOf(directory.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES)),
  )
}

function entryOf(bytes: Buffer): DirectoryEntry {
  const length = Math.min(64, bytes.readUInt16LE(64))
  return {
    name: bytes.toString('utf16le', 0, Math.max(0, length - 2)),
    left: bytes.readUInt32LE(68),
    right: bytes.readUInt32LE(72),
    child: bytes.readUInt32LE(76),
  }
}

interface Sectors {
  header: Buffer
  sectorBytes: number
  sector: (number: number) => Promise<Buffer>
}

/** Returns the function that finds the sector after a sector, by the allocation table. The table itself is in sectors. */
async function sectorChain({ header, sectorBytes, sector }: Sectors) {
  const perSector = sectorBytes / 4
  const tables = Array.from({ length: DIFAT_IN_HEADER }, (_, index) => header.readUInt32LE(76 + index * 4))
  let read = 0
  for (let number = header.readUInt32LE(68); number <= LAST_SECTOR; read++) {
    if (read > MAX_DIFAT_SECTORS) throw damaged()
    const part = await sector(number)
    for (let index = 0; index < perSector - 1; index++) tables.push(part.readUInt32LE(index * 4))
    number = part.readUInt32LE(sectorBytes - 4)
  }
  const cached = new Map<number, Buffer>()
  return async (number: number): Promise<number> => {
    const location = tables[Math.floor(number / perSector)] ?? NO_STREAM
    const table = cached.get(location) ?? (await sector(location))
    cached.set(location, table)
    return table.readUInt32LE((number % perSector) * 4)
  }
}
