// The contract of a repository for the bytes of documents. A blob is a random key and its bytes. Keys are never file names,
// so that no listing or path shows the name of a person.
import type { Readable } from 'node:stream'
import { isId } from '../lib/ids.ts'

export type RepositoryLocation =
  | { kind: 'file'; dir: string }
  | { kind: 's3'; bucket: string; endpoint?: string; region?: string }

export type Content = Readable | AsyncIterable<Uint8Array>

export interface PutResult {
  size: number
  /** In lower-case hexadecimal. */
  sha256: string
}

export interface BlobEntry {
  key: string
  size: number
  modifiedAt: Date
}

export interface ByteRange {
  start: number
  /** Included. */
  end: number
}

/** Shows whether two services see the same repository. */
export interface RepositoryMark {
  /** How operators name the repository. */
  location: string
  /** The file of the mark. */
  path: string
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
}

export interface BlobStore {
  /** Most bytes of memory that one put, or one download, uses. */
  readonly memory: { put: number; get: number }
  /**
   * Stores the content under the key and replaces an existing blob. Resolves when the blob is durable, and always ends the
   * content. A put that fails or is aborted leaves nothing, and the existing blob stays. Only if the response of a remote
   * store is lost may the new blob exist; `list` shows it then.
   */
  put(key: string, content: Content, options?: { signal?: AbortSignal | undefined }): Promise<PutResult>
  /**
   * Returns the blob or a range of it, or undefined if there is no such blob. The end of a range may lie beyond the last
   * byte; a start beyond it is a RangeError. The caller reads the stream to its end or destroys it.
   */
  get(key: string, range?: ByteRange): Promise<Readable | undefined>
  stat(key: string): Promise<{ size: number } | undefined>
  /**
   * Removes the blob and the orphans of interrupted puts to its key. A missing blob is no error. With `quarantine`, a
   * directory keeps the bytes for a week, and `restore` brings them back; a bucket keeps them as a version if it has versions.
   */
  delete(key: string, options?: { quarantine?: boolean }): Promise<void>
  /** Brings back a blob that is in quarantine. Returns whether there was one. */
  restore(key: string): Promise<boolean>
  /** A mark in the repository itself; undefined for a kind that all services share by nature. */
  readonly mark?: RepositoryMark
  /** The order is unspecified. */
  list(options?: { prefix?: string }): AsyncIterable<BlobEntry>
  /** Removes the orphans of puts that a crash interrupted before this time. Returns their number. Blobs stay. */
  sweep(before?: Date): Promise<number>
  /** Resolves if the repository is reachable and writable. The first call creates a missing directory. */
  check(): Promise<void>
}

/** The repository is full. Nothing of the put is stored. */
export class RepositoryFullError extends Error {}

/** The repository is down or misconfigured. The message is one line for the operator. */
export class RepositoryUnavailableError extends Error {}

export function assertKey(key: string): void {
  if (!isId(key)) throw new TypeError(`Not the key of a blob: ${JSON.stringify(key)}.`)
}

export function assertRange(range: ByteRange | undefined): void {
  if (!range) return
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError(`Not a range of bytes: ${start}-${end}.`)
}
