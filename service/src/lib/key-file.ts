// The file with the keys that seal secrets: one key per line in base64, optionally followed by its date. The first one
// seals, all of them open.
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Log } from './log.ts'
import { StartError } from './problem.ts'
import { KEY_BYTES, type KeyRing, type SealingKey, sealingKey } from './sealing.ts'

const HEADER = [
  '# The keys that seal secrets in the database of Caseport. The first seals, all of them open.',
  '# Keep a copy apart from the backups of the database. Change it with: npm run rotate-key',
]

/** Throws a StartError that names the file and the remedy. */
export function readKeyFile(path: string): SealingKey[] {
  const keys = parseKeys(path, readText(path))
  if (keys.length === 0)
    throw new StartError(`ENCRYPTION_KEY_FILE ${path} holds no key. Restore it from its backup.`)
  return keys
}

/** Whether other users than the owner and its group may read the file. */
export function isReadableByOthers(path: string): boolean {
  return (statSync(path).mode & 0o007) !== 0
}

/** The keys of the file. A changed file is read again, so that a rotation needs no restart. */
export function openKeyFile(path: string, log: Pick<Log, 'error'>): KeyRing {
  let keys = readKeyFile(path)
  let version = versionOf(path)
  let reported: string | undefined

  /** Keeps the known keys while the file is missing or cannot be read. */
  const refresh = () => {
    const latest = versionOf(path)
    if (latest === undefined || latest === version) return
    try {
      keys = readKeyFile(path)
      version = latest
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      if (reported === latest) return
      reported = latest
      log.error(
        { reason: error.message },
        'the key file was changed and cannot be read: the old keys stay in use',
      )
    }
  }
  const known = (id: string) => keys.find(key => key.id === id)
  return {
    current() {
      refresh()
      return keys[0]
    },
    find(id) {
      if (!known(id)) refresh()
      return known(id)
    },
  }
}

/** Replaces the file atomically and durably. Owner, group and what the group may do stay; others may do nothing. */
export function writeKeyFile(path: string, keys: readonly SealingKey[]): void {
  const lines = keys.map(
    ({ bytes, createdAt }) => bytes.toString('base64') + (createdAt ? ` ${createdAt.toISOString()}` : ''),
  )
  const draft = `${path}.new`
  try {
    // A start or a rotation as root must not leave a file that the service cannot read.
    const replaced = statSync(path, { throwIfNoEntry: false })
    const owner = replaced ?? statSync(dirname(path))
    rmSync(draft, { force: true })
    const fd = openSync(draft, 'wx', 0o600)
    try {
      writeSync(fd, `${[...HEADER, ...lines].join('\n')}\n`)
      if (process.getuid?.() === 0) fchownSync(fd, owner.uid, owner.gid)
      if (replaced && hasChosenGroup(replaced) && keepGroup(fd, replaced))
        fchmodSync(fd, replaced.mode & 0o640)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(draft, path)
    const directory = openSync(dirname(path), 'r')
    fsyncSync(directory)
    closeSync(directory)
  } catch (error) {
    throw new StartError(`ENCRYPTION_KEY_FILE ${path} cannot be written: ${codeOf(error)}.`)
  }
}

/** Not so for a file that everybody may read in the user's own group, which is what a umask makes. */
const hasChosenGroup = ({ mode, gid }: Stats) => (mode & 0o007) === 0 || gid !== process.getegid?.()

/** Gives the file to the group of the one that it replaces; false where the user is not in that group. */
function keepGroup(fd: number, { gid }: Stats): boolean {
  const own = fstatSync(fd)
  if (own.gid === gid) return true
  try {
    fchownSync(fd, own.uid, gid)
    return true
  } catch {
    return false
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new StartError(
        `ENCRYPTION_KEY_FILE ${path} does not exist. Restore it from its backup; for a new database, make it with: npm run rotate-key`,
      )
    throw new StartError(
      `ENCRYPTION_KEY_FILE ${path} cannot be read: ${codeOf(error)}. It must be a file that the user of the service can read.`,
    )
  }
}

function parseKeys(path: string, text: string): SealingKey[] {
  return text.split('\n').flatMap((line, index) => {
    const words = line.trim()
    if (!words || words.startsWith('#')) return []
    const [key = '', date] = words.split(/\s+/)
    const bytes = Buffer.from(key, 'base64')
    const createdAt = date === undefined ? undefined : new Date(date)
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== key || Number.isNaN(createdAt?.getTime()))
      throw new StartError(
        `ENCRYPTION_KEY_FILE ${path}, line ${index + 1}: expected a key of ${KEY_BYTES} bytes in base64, and its date if known. Restore the file from its backup.`,
      )
    return [sealingKey(bytes, createdAt)]
  })
}

/** Undefined while the file does not exist. */
function versionOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error)
