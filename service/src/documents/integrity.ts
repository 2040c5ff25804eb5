// Damaged bytes are never served. Every block of a MiB has its own hash, so that any range can be verified as it is read,
// and a block is sent only after it is verified.
import { createHash, hash } from 'node:crypto'

export const BLOCK = 1024 * 1024
const HASH_BYTES = 32

/** Passes the content through and collects the hash of each block. */
export function hashBlocks(content: AsyncIterable<Buffer>) {
  const hashes: Buffer[] = []
  let block = createHash('sha256')
  let filled = 0
  const update = (piece: Buffer) => {
    block.update(piece)
    filled += piece.length
    if (filled === BLOCK) close()
  }
  const close = () => {
    hashes.push(block.digest())
    block = createHash('sha256')
    filled = 0
  }
  async function* pass() {
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length; ) {
        const piece = chunk.subarray(at, at + BLOCK - filled)
        update(piece)
        at += piece.length
      }
      yield chunk
    }
    if (filled > 0) close()
  }
  return { content: pass(), blockHashes: () => Buffer.concat(hashes) }
}

export class DamagedFileError extends Error {}

export interface Span {
  start: number
  /** Included. */
  end: number
}

/** Widens a span to whole blocks: what has to be read to verify it. */
export function blocksAround({ start, end }: Span, size: number): Span {
  return { start: start - (start % BLOCK), end: Math.min(size - 1, end - (end % BLOCK) + BLOCK - 1) }
}

interface Verification {
  content: AsyncIterable<Buffer>
  /** The part of the file that the content is, in whole blocks. */
  read: Span
  /** The part to return. */
  span: Span
  blockHashes: Buffer
}

/** Yields the span block by block, each after its verification. Throws at the first damaged or missing block. */
export async function* verifyBlocks({
  content,
  read,
  span,
  blockHashes,
}: Verification): AsyncGenerator<Buffer> {
  let position = read.start
  let pieces: Buffer[] = []
  let filled = 0
  const completeBlock = (): Buffer => {
    const block = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, filled)
    const index = position / BLOCK
    const expected = blockHashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
    if (!hash('sha256', block, 'buffer').equals(expected)) throw new DamagedFileError()
    const from = Math.max(0, span.start - position)
    const to = Math.min(block.length, span.end + 1 - position)
    position += block.length
    pieces = []
    filled = 0
    return block.subarray(from, to)
  }
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + BLOCK - filled)
      pieces.push(piece)
      filled += piece.length
      at += piece.length
      if (filled === BLOCK) yield completeBlock()
    }
  }
  if (filled > 0) yield completeBlock()
  if (position !== read.end + 1) throw new DamagedFileError()
}
