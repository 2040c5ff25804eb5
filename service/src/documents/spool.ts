// Spools a file that is sent before the fields that name its country. Its bytes may be stored in that country's repository
// only, so the spool file is encrypted with a key that exists only in memory, and is unlinked at once.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { RepositoryFullError } from '../blobs/blob-store.ts'
import { toRepositoryError, writeAll } from '../blobs/durable-files.ts'
import { storageFull } from '../db/sqlstate.ts'

const ALGORITHM = 'aes-256-ctr'
const READ_SIZE = 256 * 1024
const MINUTE = 60_000

export interface Spooled {
  size: number
  content(): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/** A full disk is `storage-full`. */
export async function spool(content: AsyncIterable<Buffer>, folder: string): Promise<Spooled> {
  try {
    return await write(content, folder)
  } catch (error) {
    throw toRepositoryError(folder, error) instanceof RepositoryFullError ? storageFull() : error
  }
}

async function write(content: AsyncIterable<Buffer>, folder: string): Promise<Spooled> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeOrphans(folder)
  const path = join(folder, randomBytes(12).toString('hex'))
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  const key = randomBytes(32)
  const iv = randomBytes(16)
  try {
    const cipher = createCipheriv(ALGORITHM, key, iv)
    let size = 0
    for await (const chunk of content) {
      const encrypted = cipher.update(chunk)
      await writeAll(file, { bytes: encrypted, position: size })
      size += encrypted.length
    }
    return { size, content: () => decrypt(file, { key, iv, size }), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A spool file is unlinked right after its creation. A name that stays is the empty file of a service that crashed. */
async function removeOrphans(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const orphan = await stat(path).catch(() => undefined)
    if (orphan && orphan.mtimeMs < Date.now() - MINUTE) await rm(path, { force: true })
  }
}

async function* decrypt(
  file: FileHandle,
  { key, iv, size }: { key: Buffer; iv: Buffer; size: number },
): AsyncGenerator<Buffer> {
  const decipher = createDecipheriv(ALGORITHM, key, iv)
  const encrypted = Buffer.allocUnsafeSlow(READ_SIZE)
  for (let position = 0; position < size; ) {
    const { bytesRead } = await file.read(encrypted, 0, READ_SIZE, position)
    if (bytesRead === 0) throw new Error('The spool file was truncated.')
    position += bytesRead
    yield decipher.update(encrypted.subarray(0, bytesRead))
  }
}
