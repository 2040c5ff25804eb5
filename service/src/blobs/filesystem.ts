// Blobs in a directory: <dir>/ab/abcd…, with writes in progress in <dir>/.new. A blob appears by a rename, so it is complete
// or absent. The directory is created once. If it disappears later, as a mount can, nothing is written to the mount point
// and no blob counts as missing. Blobs that the sweep of uploads has removed are in <dir>/.quarantine for a week.
import type { Dirent } from 'node:fs'
import {
  access,
  type FileHandle,
  lstat,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { isId, newId } from '../lib/ids.ts'
import {
  assertKey,
  assertRange,
  type BlobEntry,
  type BlobStore,
  type ByteRange,
  RepositoryUnavailableError,
} from './blob-store.ts'
import { writeInChunks } from './chunked-write.ts'
import { openContent } from './content.ts'
import {
  createDirectory,
  createFile,
  syncDirectory,
  systemErrorCode,
  toRepositoryError,
  writeAll,
} from './durable-files.ts'

const WRITE_SIZE = 512 * 1024
/** A single write in flight leaves the disk idle on a busy machine. */
const CONCURRENT_WRITES = 3
/** The size of the blocks that downloads verify, so that a block is one chunk. */
const READ_SIZE = 1024 * 1024
const HOUR = 3_600_000
const QUARANTINE_MS = 7 * 24 * HOUR

export function createFilesystemStore({ dir }: { dir: string }): BlobStore {
  const newDir = join(dir, '.new')
  const quarantineDir = join(dir, '.quarantine')
  const markPath = join(dir, '.repository')
  let created: Promise<void> | undefined

  const ensureCreated = () => {
    created ??= createDirectory(newDir).catch(error => {
      created = undefined
      throw toRepositoryError(dir, error)
    })
    return created
  }

  /** Not for a whole put: errors of its source are no errors of the repository. */
  const withRepositoryErrors = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(error => {
      throw toRepositoryError(dir, error)
    })

  /** Returns undefined if the work finds no file, after a check that the directory itself exists. */
  const findOrUndefined = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      await ensureCreated()
      return await work()
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw toRepositoryError(dir, error)
      await assertMounted()
      return undefined
    }
  }

  const assertMounted = async () => {
    await access(newDir).catch(error => {
      throw new RepositoryUnavailableError(`${dir} is not there any more: is its disk still mounted?`, {
        cause: error,
      })
    })
  }

  /** A rename sets the time of the last change. */
  const purgeQuarantine = async () => {
    for (const name of (await findOrUndefined(() => readdir(quarantineDir))) ?? []) {
      const path = join(quarantineDir, name)
      const entry = await findOrUndefined(() => lstat(path))
      if (entry && entry.ctime < new Date(Date.now() - QUARANTINE_MS))
        await findOrUndefined(() => unlink(path))
    }
  }

  return {
    // A download has one chunk read ahead, one verified and one in the socket.
    memory: { put: (CONCURRENT_WRITES + 1) * WRITE_SIZE, get: 3 * READ_SIZE },

    async put(key, content, { signal } = {}) {
      const reader = openContent(content)
      let temporary = ''
      let file: FileHandle | undefined
      try {
        const directory = directoryOf(dir, key)
        temporary = join(newDir, `${key}.${newId()}`)
        await ensureCreated()
        const opened = await withRepositoryErrors(() => createFile(temporary, dir))
        file = opened
        const result = await writeInChunks({
          content: reader,
          signal,
          chunkSize: WRITE_SIZE,
          concurrency: CONCURRENT_WRITES,
          write: chunk => withRepositoryErrors(() => writeAll(opened, chunk)),
        })
        await withRepositoryErrors(async () => {
          await opened.sync()
          await opened.close()
        })
        signal?.throwIfAborted()
        await withRepositoryErrors(() => moveInto(directory, { from: temporary, key }))
        return result
      } catch (error) {
        reader.discard()
        await file?.close().catch(() => {})
        if (temporary) await rm(temporary, { force: true }).catch(() => {})
        throw error
      }
    },

    async get(key, range) {
      const path = join(directoryOf(dir, key), key)
      assertRange(range)
      const file = await findOrUndefined(() => open(path, 'r'))
      return file && openStream(file, range)
    },

    async stat(key) {
      const path = join(directoryOf(dir, key), key)
      const found = await findOrUndefined(() => stat(path))
      return found && { size: found.size }
    },

    async delete(key, { quarantine = false } = {}) {
      const directory = directoryOf(dir, key)
      const isThere = quarantine && (await findOrUndefined(() => stat(join(directory, key)))) !== undefined
      if (isThere) await withRepositoryErrors(() => createDirectory(quarantineDir))
      await findOrUndefined(async () => {
        if (isThere) {
          await rename(join(directory, key), join(quarantineDir, key))
          await syncDirectory(quarantineDir)
        } else await unlink(join(directory, key))
        await syncDirectory(directory)
      })
      // Only writes in progress are listed. A key has no dot, so `key.` is a prefix of no other key.
      const names = (await findOrUndefined(() => readdir(newDir))) ?? []
      for (const name of names.filter(one => one.startsWith(`${key}.`)))
        await findOrUndefined(() => unlink(join(newDir, name)))
    },

    async restore(key) {
      const directory = directoryOf(dir, key)
      const from = join(quarantineDir, key)
      if (!(await findOrUndefined(() => stat(from)))) return false
      await withRepositoryErrors(() => moveInto(directory, { from, key }))
      return true
    },

    mark: {
      location: dir,
      path: markPath,
      async read() {
        const text = await findOrUndefined(() => readFile(markPath, 'utf8'))
        return text?.trim()
      },
      async write(text) {
        await ensureCreated()
        const temporary = join(newDir, newId())
        await withRepositoryErrors(async () => {
          const file = await createFile(temporary, dir)
          await file
            .write(`${text}\n`)
            .then(() => file.sync())
            .finally(() => file.close())
          await rename(temporary, markPath)
          await syncDirectory(dir)
        })
      },
    },

    async *list({ prefix = '' } = {}) {
      const entries = (await findOrUndefined(() => readdir(dir, { withFileTypes: true }))) ?? []
      const directories = entries.filter(
        entry => isFanOut(entry) && entry.name.startsWith(prefix.slice(0, 2)),
      )
      for (const { name: start } of directories) {
        const directory = join(dir, start)
        const names = (await findOrUndefined(() => readdir(directory))) ?? []
        const keys = names.filter(name => isId(name) && name.startsWith(start) && name.startsWith(prefix))
        const blobs = await Promise.all(keys.map(key => findOrUndefined(() => readEntry(directory, key))))
        yield* blobs.filter(blob => blob !== undefined)
      }
    },

    async sweep(before = new Date(Date.now() - HOUR)) {
      let removed = 0
      for (const name of (await findOrUndefined(() => readdir(newDir))) ?? []) {
        const path = join(newDir, name)
        // Each write updates the time, so a slow put that is still running is not swept.
        const orphan = await findOrUndefined(() => lstat(path))
        if (!orphan || orphan.mtime >= before) continue
        await findOrUndefined(() => unlink(path))
        removed++
      }
      await purgeQuarantine()
      return removed
    },

    async check() {
      const path = join(newDir, newId())
      await ensureCreated()
      await assertMounted()
      try {
        await withRepositoryErrors(async () => {
          const file = await createFile(path, dir)
          await file.write('.').finally(() => file.close())
        })
      } finally {
        await rm(path, { force: true }).catch(() => {})
      }
    },
  }
}

/** Fans out to 4096 directories: a million files are 250 in each. The key is checked before it becomes part of a path. */
function directoryOf(dir: string, key: string): string {
  assertKey(key)
  return join(dir, key.slice(0, 2))
}

function isFanOut(entry: Dirent): boolean {
  return entry.isDirectory() && /^[\w-]{2}$/.test(entry.name)
}

async function moveInto(directory: string, { from, key }: { from: string; key: string }): Promise<void> {
  const to = join(directory, key)
  try {
    await rename(from, to)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
    await createDirectory(directory)
    await rename(from, to)
  }
  await syncDirectory(directory)
}

async function openStream(file: FileHandle, range: ByteRange | undefined): Promise<Readable> {
  try {
    const { size } = await file.stat()
    const start = range?.start ?? 0
    if (range && start >= size) throw new RangeError(`There are only ${size} bytes.`)
    return file.createReadStream({ start, ...(range && { end: range.end }), highWaterMark: READ_SIZE })
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readEntry(directory: string, key: string): Promise<BlobEntry> {
  const { size, mtime } = await lstat(join(directory, key))
  return { key, size, modifiedAt: mtime }
}
