// Owns making folders and files that are durable and nobody else's, and the faults of a file system in an operator's words.
import { chown, type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { NoRoom, PlaceUnavailable } from './blob-store.ts'

/** Not with the option `recursive`: that never returns where a file system refuses with ENOENT, as /proc does. */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path)
  if (await isThere(path)) return
  if (!(await isThere(parent))) await makeFolder(parent)
  try {
    await mkdir(path, { mode: 0o700 })
    // A single start as root must not leave folders behind that the real owner of the place cannot use afterwards.
    const owner = await stat(parent)
    if (isRoot() && owner.uid !== 0) await chown(path, owner.uid, owner.gid)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  await syncFolder(parent)
}

/** A new file, of the same owner as the folder that is named, even when root makes it. */
export async function makeFile(path: string, ownerFolder: string): Promise<FileHandle> {
  const file = await open(path, 'wx', 0o600)
  if (!isRoot()) return file
  try {
    const { uid, gid } = await stat(ownerFolder)
    if (uid !== 0) await file.chown(uid, gid)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Writes every byte: a system may take fewer than it was given, on a disk that is nearly full for example. */
export async function writeAll(
  file: FileHandle,
  { bytes, position }: { bytes: Uint8Array; position: number },
): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written)
    if (bytesWritten === 0) throw new Error('The file system took no byte of a write.')
    written += bytesWritten
  }
}

/** Makes a new name in the folder, or one that is gone from it, survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** A fault of the file system becomes an error of ours; every other stays what it is. */
export function faultOf(dir: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new NoRoom(`${dir} has no room left (${code}).`, { cause: error })
  const words = getSystemErrorMap().get((error as NodeJS.ErrnoException).errno ?? 0)?.[1]
  return new PlaceUnavailable(`${dir} cannot be used: ${words ?? 'it fails'} (${code}).`, { cause: error })
}

/** Only of a system call: errors of Node itself have codes, too. */
export function codeOf(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return syscall === undefined ? undefined : code
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    error => {
      if (codeOf(error) === 'ENOENT') return false
      throw error
    },
  )
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}
