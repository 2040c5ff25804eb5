// Owns the way of the bytes from a content to a place: cut into pieces of one size, hashed, a few of them at a time.
// Holds `ahead` + 1 pieces in memory, whatever the size of the content, and stops reading while the place is behind.
import { createHash } from 'node:crypto'
import type { Stored } from './blob-store.ts'
import type { Source } from './source.ts'

export interface Piece {
  /** Only until the promise of `take` settles: the memory is used again. */
  bytes: Buffer
  /** Counts from 1. */
  number: number
  /** Of its first byte in the whole. */
  position: number
  /** An empty content is one empty piece, which is the last. */
  last: boolean
  /** Aborted when the put has failed or was aborted. */
  signal: AbortSignal
}

export interface PiecesOptions {
  source: Source
  signal: AbortSignal | undefined
  pieceSize: number
  /** How many pieces may be under way while the next one fills. */
  ahead: number
  take(piece: Piece): Promise<void>
}

/** Throws the first fault, of the source or of a take, or the reason of the abort; never while a take is running. */
export async function inPieces({ source, signal, pieceSize, ahead, take }: PiecesOptions): Promise<Stored> {
  const halt = new AbortController()
  const halted = signal ? AbortSignal.any([signal, halt.signal]) : halt.signal
  const hash = createHash('sha256')
  const running = new Set<Promise<void>>()
  const free: Buffer[] = []
  let buffer: Buffer = Buffer.allocUnsafeSlow(pieceSize)
  let filled = 0
  let number = 0
  let size = 0

  const hand = async (last: boolean) => {
    while (running.size >= ahead) await Promise.race(running)
    halted.throwIfAborted()
    const full = buffer
    const bytes = full.subarray(0, filled)
    const work = take({ bytes, number: ++number, position: size - filled, last, signal: halted })
      .then(() => void free.push(full))
      .catch(error => halt.abort(error))
      .finally(() => running.delete(work))
    running.add(work)
    if (last) return
    buffer = free.pop() ?? Buffer.allocUnsafeSlow(pieceSize)
    filled = 0
  }

  try {
    for await (const chunk of source.chunks(halted)) {
      for (let offset = 0; offset < chunk.length; ) {
        if (filled === pieceSize) await hand(false)
        const part = chunk.subarray(offset, offset + pieceSize - filled)
        buffer.set(part, filled)
        // The copy is hashed, not the chunk: the hash is that of the very bytes that are stored.
        hash.update(buffer.subarray(filled, filled + part.length))
        filled += part.length
        size += part.length
        offset += part.length
      }
    }
    await hand(true)
  } catch (error) {
    halt.abort(error)
  } finally {
    await Promise.all(running)
    source.discard()
  }
  halted.throwIfAborted()
  return { size, sha256: hash.digest('hex') }
}
