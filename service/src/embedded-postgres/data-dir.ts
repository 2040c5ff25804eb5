// Owns DATA_DIR as a folder: making it, opening the service's own files in it, and its faults in an operator's words.
// Must not know anything about what the files in it mean.
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { StartError } from '../lib/problem.ts'

export function ensureDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir)
    if (!statSync(dataDir).isDirectory())
      throw new StartError(`DATA_DIR ${dataDir} cannot be used: it is not a folder.`)
  } catch (error) {
    throw dataDirFault(dataDir, error)
  }
}

/** mkdir with the option `recursive` never returns where a file system refuses with ENOENT, as /proc does. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Opens a file of the service in DATA_DIR, readable by nobody else, and never through a link. */
export function openInDataDir({
  dataDir,
  name,
  flags,
}: {
  dataDir: string
  name: string
  flags: number
}): number {
  const fd = openSync(join(dataDir, name), flags | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
  // A single start as root must not leave files behind that the folder's real owner cannot open afterwards.
  if (process.getuid?.() === 0) {
    const owner = statSync(dataDir)
    fchownSync(fd, owner.uid, owner.gid)
  }
  return fd
}

/** Makes a rename in the folder survive a power cut. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Faults of the file system become one line for the operator; every other fault stays what it is. */
export function dataDirFault(dataDir: string, error: unknown): unknown {
  if (error instanceof StartError || codeOf(error) === undefined) return error
  return new StartError(`DATA_DIR ${dataDir} cannot be used: ${inWords(error)}.`)
}

export function inWords(error: unknown): string {
  const { errno, code, message } = error as NodeJS.ErrnoException
  const words = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]
  return words ? `${words} (${code})` : (message.split('\n')[0] ?? message)
}

export function codeOf(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === undefined ? undefined : code
}
