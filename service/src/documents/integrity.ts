// Owns the promise that damaged bytes are never served as good. Every MiB of a file has a hash of its own, so that any
// part can be checked as it is read, and a block is sent only when it has been found whole.
import { createHash, hash } from 'node:crypto'

export const BLOCK = 1024 * 1024
const HASH = 32

/** Passes the content through and collects the hash of each block. */
export function hashingBlocks(content: AsyncIterable<Buffer>) {
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

export class Damaged extends Error {}

export interface Span {
  start: number
  /** Included. */
  end: number
}

/** The blocks that hold a span: what has to be read to be able to check it. */
export function blocksAround({ start, end }: Span, size: number): Span {
  return { start: start - (start % BLOCK), end: Math.min(size - 1, end - (end % BLOCK) + BLOCK - 1) }
}

interface Check {
  content: AsyncIterable<Buffer>
  /** What the content is of the file, in whole blocks. */
  read: Span
  /** What is asked for. */
  span: Span
  blockHashes: Buffer
}

/** Gives the span, block by block, each only after it was found whole; throws Damaged at the first that is not. */
export async function* checkedBlocks({ content, read, span, blockHashes }: Check): AsyncGenerator<Buffer> {
  let position = read.start
  let pieces: Buffer[] = []
  let filled = 0
  const take = (): Buffer => {
    const block = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, filled)
    const index = position / BLOCK
    const expected = blockHashes.subarray(index * HASH, (index + 1) * HASH)
    if (!hash('sha256', block, 'buffer').equals(expected)) throw new Damaged()
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
      if (filled === BLOCK) yield take()
    }
  }
  if (filled > 0) yield take()
  if (position !== read.end + 1) throw new Damaged()
}
