// Copies content to chunks of one size, hashes them, and writes several at a time. Memory is bounded by
// `concurrency` + 1 chunks, whatever the size of the content: reading stops while all writes are in flight.
import { createHash } from 'node:crypto'
import type { PutResult } from './blob-store.ts'
import type { ContentReader } from './content.ts'

export interface Chunk {
  /** Valid until the promise of `write` settles: the buffer is reused. */
  bytes: Buffer
  /** Offset of the first byte in the content. */
  position: number
}

export interface ChunkedWriteOptions {
  content: ContentReader
  signal: AbortSignal | undefined
  chunkSize: number
  concurrency: number
  write(chunk: Chunk): Promise<void>
}

/** Throws the first error of the content or of a write, or the reason of the abort, once no write is running. */
export async function writeInChunks(options: ChunkedWriteOptions): Promise<PutResult> {
  const { content, signal, chunkSize, concurrency, write } = options
  const stop = new AbortController()
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const hash = createHash('sha256')
  const running = new Set<Promise<void>>()
  const free: Buffer[] = []
  let buffer: Buffer = Buffer.allocUnsafeSlow(chunkSize)
  let filled = 0
  let size = 0

  const flush = async () => {
    while (running.size >= concurrency) await Promise.race(running)
    stopped.throwIfAborted()
    const full = buffer
    const work = write({ bytes: full.subarray(0, filled), position: size - filled })
      .then(() => void free.push(full))
      .catch(error => stop.abort(error))
      .finally(() => running.delete(work))
    running.add(work)
    filled = 0
  }

  try {
    for await (const part of content.chunks(stopped)) {
      for (let offset = 0; offset < part.length; ) {
        if (filled === chunkSize) {
          await flush()
          buffer = free.pop() ?? Buffer.allocUnsafeSlow(chunkSize)
        }
        const piece = part.subarray(offset, offset + chunkSize - filled)
        buffer.set(piece, filled)
        // Hashes the copy, because that is what is written: the source may change its own memory.
        hash.update(buffer.subarray(filled, filled + piece.length))
        filled += piece.length
        size += piece.length
        offset += piece.length
      }
    }
    if (filled > 0) await flush()
  } catch (error) {
    stop.abort(error)
  } finally {
    await Promise.all(running)
    content.discard()
  }
  stopped.throwIfAborted()
  return { size, sha256: hash.digest('hex') }
}
