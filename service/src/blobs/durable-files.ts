// Creates private directories and files that survive a power cut, and turns errors of the file system into messages for operators.
import { chown, type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { RepositoryFullError, RepositoryUnavailableError } from './blob-store.ts'

/** Not with the option `recursive`: that never returns on a file system that fails with ENOENT, as /proc does. */
export async function createDirectory(path: string): Promise<void> {
  const parent = dirname(path)
  if (await exists(path)) return
  if (!(await exists(parent))) await createDirectory(parent)
  try {
    await mkdir(path, { mode: 0o700 })
    // One start as root must not create directories that the owner of the repository cannot use later.
    const owner = await stat(parent)
    if (isRoot() && owner.uid !== 0) await chown(path, owner.uid, owner.gid)
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
  await syncDirectory(parent)
}

/** Creates a file that belongs to the owner of the directory, even if root creates it. */
export async function createFile(path: string, ownerDirectory: string): Promise<FileHandle> {
  const file = await open(path, 'wx', 0o600)
  if (!isRoot()) return file
  try {
    const { uid, gid } = await stat(ownerDirectory)
    if (uid !== 0) await file.chown(uid, gid)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Writes all bytes: one system call may write fewer, for example on a nearly full disk. */
export async function writeAll(
  file: FileHandle,
  { bytes, position }: { bytes: Uint8Array; position: number },
): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written)
    if (bytesWritten === 0) throw new Error('The file system wrote no byte.')
    written += bytesWritten
  }
}

/** Makes created and removed names in the directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Errors of system calls become repository errors; others are returned unchanged. */
export function toRepositoryError(dir: string, error: unknown): unknown {
  const code = systemErrorCode(error)
  if (code === undefined) return error
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new RepositoryFullError(`${dir} has no room left (${code}).`, { cause: error })
  const words = getSystemErrorMap().get((error as NodeJS.ErrnoException).errno ?? 0)?.[1]
  return new RepositoryUnavailableError(`${dir} cannot be used: ${words ?? 'it fails'} (${code}).`, {
    cause: error,
  })
}

/** Undefined for errors that no system call caused: those of Node have codes too. */
export function systemErrorCode(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === undefined ? undefined : code
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    error => {
      if (systemErrorCode(error) === 'ENOENT') return false
      throw error
    },
  )
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}
