// DATA_DIR as a directory: creates it, opens the service's own files in it, and turns errors of the file system into messages
// for operators.
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
    makeDirectory(dataDir)
    if (!statSync(dataDir).isDirectory())
      throw new StartError(`DATA_DIR ${dataDir} cannot be used: it is not a folder.`)
  } catch (error) {
    throw dataDirError(dataDir, error)
  }
}

/** mkdir with the option `recursive` never returns on a file system that fails with ENOENT, such as /proc. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Opens a file of the service in DATA_DIR, readable by its owner only, without following a symbolic link. */
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
  // A start as root must not leave files that the owner of DATA_DIR cannot open afterwards.
  if (process.getuid?.() === 0) {
    const owner = statSync(dataDir)
    fchownSync(fd, owner.uid, owner.gid)
  }
  return fd
}

/** Makes a rename in the directory durable. */
export function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Turns an error of the file system into a one-line StartError; returns any other error unchanged. */
export function dataDirError(dataDir: string, error: unknown): unknown {
  if (error instanceof StartError || systemErrorCode(error) === undefined) return error
  return new StartError(`DATA_DIR ${dataDir} cannot be used: ${describeError(error)}.`)
}

export function describeError(error: unknown): string {
  const { errno, code, message } = error as NodeJS.ErrnoException
  const words = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]
  return words ? `${words} (${code})` : (message.split('\n')[0] ?? message)
}

export function systemErrorCode(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === undefined ? undefined : code
}
