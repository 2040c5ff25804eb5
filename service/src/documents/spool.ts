// For a file that comes before the fields that say where it belongs. It must not rest anywhere but in its country's
// repository, so it waits encrypted, with a key that never leaves memory, in a file that has no name any more.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { NoRoom } from '../blobs/blob-store.ts'
import { faultOf, writeAll } from '../blobs/folders.ts'
import { storageFull } from '../db/sqlstate.ts'

const ALGORITHM = 'aes-256-ctr'
const READ = 256 * 1024
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
    throw faultOf(folder, error) instanceof NoRoom ? storageFull() : error
  }
}

async function write(content: AsyncIterable<Buffer>, folder: string): Promise<Spooled> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await tidy(folder)
  const path = join(folder, randomBytes(12).toString('hex'))
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  const key = randomBytes(32)
  const iv = randomBytes(16)
  try {
    const cipher = createCipheriv(ALGORITHM, key, iv)
    let size = 0
    for await (const chunk of content) {
      const sealed = cipher.update(chunk)
      await writeAll(file, { bytes: sealed, position: size })
      size += sealed.length
    }
    return { size, content: () => decrypted(file, { key, iv, size }), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A name is there for a moment only; one that stays is an empty file of a service that died in that moment. */
async function tidy(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const left = await stat(path).catch(() => undefined)
    if (left && left.mtimeMs < Date.now() - MINUTE) await rm(path, { force: true })
  }
}

async function* decrypted(
  file: FileHandle,
  { key, iv, size }: { key: Buffer; iv: Buffer; size: number },
): AsyncGenerator<Buffer> {
  const decipher = createDecipheriv(ALGORITHM, key, iv)
  const sealed = Buffer.allocUnsafeSlow(READ)
  for (let position = 0; position < size; ) {
    const { bytesRead } = await file.read(sealed, 0, READ, position)
    if (bytesRead === 0) throw new Error('The spooled file is shorter than what was written to it.')
    position += bytesRead
    yield decipher.update(sealed.subarray(0, bytesRead))
  }
}
