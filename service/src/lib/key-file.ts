// The file with the keys that seal secrets: one key per line in base64, optionally followed by its date. The first one
// seals, all of them open.
import {
  closeSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
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
export function openKeyFile(path: string): KeyRing {
  let keys = readKeyFile(path)
  let version = versionOf(path)

  /** Keeps the known keys while the file is missing or invalid; the next start reports that. */
  const refresh = () => {
    const latest = versionOf(path)
    if (latest === undefined || latest === version) return
    try {
      keys = readKeyFile(path)
      version = latest
    } catch (error) {
      if (!(error instanceof StartError)) throw error
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

/** Replaces the file atomically and durably, readable by its owner only. */
export function writeKeyFile(path: string, keys: readonly SealingKey[]): void {
  const lines = keys.map(
    ({ bytes, createdAt }) => bytes.toString('base64') + (createdAt ? ` ${createdAt.toISOString()}` : ''),
  )
  const draft = `${path}.new`
  try {
    // A start or a rotation as root must not leave a file that the service cannot read.
    const owner = statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path))
    rmSync(draft, { force: true })
    const fd = openSync(draft, 'wx', 0o600)
    try {
      writeSync(fd, `${[...HEADER, ...lines].join('\n')}\n`)
      if (process.getuid?.() === 0) fchownSync(fd, owner.uid, owner.gid)
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
