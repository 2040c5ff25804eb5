// Owns what every place for the bytes of documents promises. Knows nothing of documents: a blob is a key and its bytes.
// Must not be told file names: keys are random ids of ours, so that no name of a person lies in a listing or a path.
import type { Readable } from 'node:stream'
import { isId } from '../lib/ids.ts'

/** Where the blobs of one repository lie. */
export type Place =
  | { kind: 'file'; dir: string }
  | { kind: 's3'; bucket: string; endpoint?: string; region?: string }

export type Content = Readable | AsyncIterable<Uint8Array>

export interface Stored {
  size: number
  /** In lower-case hexadecimal. */
  sha256: string
}

export interface Blob {
  key: string
  size: number
  modifiedAt: Date
}

export interface BlobStore {
  /** Bytes of memory that one put, or the reading of one blob, holds at most. */
  readonly memory: { put: number; get: number }
  /**
   * Stores the content under the key, in place of what is there; resolves when it is durable. Ends the content in any
   * case. A put that failed or was aborted leaves nothing, and what was there before stays; only where the answer of a
   * remote store is lost may the blob be there all the same, for `list` to show.
   */
  put(key: string, content: Content, options?: { signal?: AbortSignal | undefined }): Promise<Stored>
  /**
   * The whole, or a range; undefined where there is no such blob. `end` is inclusive and may lie behind the last byte;
   * a `start` behind it is a RangeError. The caller reads the stream to its end or destroys it.
   */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  stat(key: string): Promise<{ size: number } | undefined>
  /** Removes the blob, and what interrupted puts of it have left; resolves just the same where there is nothing. */
  delete(key: string): Promise<void>
  /** In no certain order. */
  list(options?: { prefix?: string }): AsyncIterable<Blob>
  /** Removes what puts left that a crash interrupted before this time, and answers how much. Blobs stay. */
  sweep(before?: Date): Promise<number>
  /** Resolves when the place answers and can be written to. The first call makes a folder that is not there yet. */
  check(): Promise<void>
}

/** The place is full: a part of it may be written when it has been given room, nothing of this put is. */
export class NoRoom extends Error {}

/** The place does not do its work at the moment, or its settings are wrong; says in one line what the operator can see. */
export class PlaceUnavailable extends Error {}

export function assertKey(key: string): void {
  if (!isId(key)) throw new TypeError(`Not the key of a blob: ${JSON.stringify(key)}.`)
}

export function assertRange(range: { start: number; end: number } | undefined): void {
  if (!range) return
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError(`Not a range of bytes: ${start}-${end}.`)
}
