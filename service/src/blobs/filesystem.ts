// Owns blobs in a folder: <dir>/ab/abcd…, and in <dir>/.new what is still being written. A blob appears by a rename,
// so it is there as a whole or not at all. The folder is made once; should it go missing later, as a mount does, then
// nothing is written in its stead and nothing is taken for lost.
import type { Dirent } from 'node:fs'
import { access, type FileHandle, lstat, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { isId, newId } from '../lib/ids.ts'
import { assertKey, assertRange, type Blob, type BlobStore, PlaceUnavailable } from './blob-store.ts'
import { codeOf, faultOf, makeFile, makeFolder, syncFolder, writeAll } from './folders.ts'
import { inPieces } from './pieces.ts'
import { openSource } from './source.ts'

const WRITE_SIZE = 512 * 1024
/** Each write names its position, so that several may be under way: one alone leaves the disk waiting on a busy machine. */
const WRITES_AHEAD = 3
/** As large as what is checked at once by those who read: nothing has to be put together then. */
const READ_SIZE = 1024 * 1024
const HOUR = 3_600_000

export function createFilesystemStore({ dir }: { dir: string }): BlobStore {
  const newDir = join(dir, '.new')
  let made: Promise<void> | undefined

  const ready = () => {
    made ??= makeFolder(newDir).catch(error => {
      made = undefined
      throw faultOf(dir, error)
    })
    return made
  }

  /** Not around the whole of a put: an error of its source is not a fault of the place. */
  const guard = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(error => {
      throw faultOf(dir, error)
    })

  /** Runs the work in the place; where it finds nothing, answers undefined, once it is sure that the place is there. */
  const find = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      await ready()
      return await work()
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw faultOf(dir, error)
      await assertThere()
      return undefined
    }
  }

  const assertThere = async () => {
    await access(newDir).catch(error => {
      throw new PlaceUnavailable(`${dir} is not there any more: is its disk still mounted?`, { cause: error })
    })
  }

  return {
    // A get has one piece read ahead, one being checked and one being sent.
    memory: { put: (WRITES_AHEAD + 1) * WRITE_SIZE, get: 3 * READ_SIZE },

    async put(key, content, { signal } = {}) {
      const source = openSource(content)
      let aside = ''
      let file: FileHandle | undefined
      try {
        const folder = folderOf(dir, key)
        aside = join(newDir, `${key}.${newId()}`)
        await ready()
        const opened = await guard(() => makeFile(aside, dir))
        file = opened
        const stored = await inPieces({
          source,
          signal,
          pieceSize: WRITE_SIZE,
          ahead: WRITES_AHEAD,
          take: piece => guard(() => writeAll(opened, piece)),
        })
        await guard(async () => {
          await opened.sync()
          await opened.close()
        })
        signal?.throwIfAborted()
        await guard(() => moveInto(folder, { from: aside, key }))
        return stored
      } catch (error) {
        source.discard()
        await file?.close().catch(() => {})
        if (aside) await rm(aside, { force: true }).catch(() => {})
        throw error
      }
    },

    async get(key, range) {
      const path = join(folderOf(dir, key), key)
      assertRange(range)
      const file = await find(() => open(path, 'r'))
      return file && readFrom(file, range)
    },

    async stat(key) {
      const path = join(folderOf(dir, key), key)
      const found = await find(() => stat(path))
      return found && { size: found.size }
    },

    async delete(key) {
      const folder = folderOf(dir, key)
      await find(async () => {
        await unlink(join(folder, key))
        await syncFolder(folder)
      })
      // Few lie here, those that are being written. No key has a dot in it, so this one is nobody else's beginning.
      const names = (await find(() => readdir(newDir))) ?? []
      for (const name of names.filter(one => one.startsWith(`${key}.`)))
        await find(() => unlink(join(newDir, name)))
    },

    async *list({ prefix = '' } = {}) {
      const entries = (await find(() => readdir(dir, { withFileTypes: true }))) ?? []
      const folders = entries.filter(entry => isFanOut(entry) && entry.name.startsWith(prefix.slice(0, 2)))
      for (const { name: start } of folders) {
        const folder = join(dir, start)
        const names = (await find(() => readdir(folder))) ?? []
        const keys = names.filter(name => isId(name) && name.startsWith(start) && name.startsWith(prefix))
        const blobs = await Promise.all(keys.map(key => find(() => blobOf(folder, key))))
        yield* blobs.filter(blob => blob !== undefined)
      }
    },

    async sweep(before = new Date(Date.now() - HOUR)) {
      let removed = 0
      for (const name of (await find(() => readdir(newDir))) ?? []) {
        const path = join(newDir, name)
        // Every write sets this time anew: a put that is slow, but alive, is not swept away.
        const left = await find(() => lstat(path))
        if (!left || left.mtime >= before) continue
        await find(() => unlink(path))
        removed++
      }
      return removed
    },

    async check() {
      const path = join(newDir, newId())
      await ready()
      await assertThere()
      try {
        await guard(async () => {
          const file = await makeFile(path, dir)
          await file.write('.').finally(() => file.close())
        })
      } finally {
        await rm(path, { force: true }).catch(() => {})
      }
    },
  }
}

/** Fanned out over 4096 folders: a million files are 250 in each. A key is checked here before it becomes part of a path. */
function folderOf(dir: string, key: string): string {
  assertKey(key)
  return join(dir, key.slice(0, 2))
}

function isFanOut(entry: Dirent): boolean {
  return entry.isDirectory() && /^[\w-]{2}$/.test(entry.name)
}

async function moveInto(folder: string, { from, key }: { from: string; key: string }): Promise<void> {
  const to = join(folder, key)
  try {
    await rename(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await makeFolder(folder)
    await rename(from, to)
  }
  await syncFolder(folder)
}

async function readFrom(
  file: FileHandle,
  range: { start: number; end: number } | undefined,
): Promise<Readable> {
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

async function blobOf(folder: string, key: string): Promise<Blob> {
  const { size, mtime } = await lstat(join(folder, key))
  return { key, size, modifiedAt: mtime }
}
