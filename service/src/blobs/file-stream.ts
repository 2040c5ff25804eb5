// Reads a file in whole pieces, one ahead, into memory that whoever reads may give back. New memory for every piece would be
// garbage at the rate of the download, and collecting it would cost as much as sending.
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

interface Reading {
  /** Of the first byte, and how many there are. */
  start: number
  length: number
  pieceSize: number
  /** Memory that nobody uses any more; taken from here first. */
  spare: Buffer[]
}

/** Closes the file when it has ended or is destroyed. Every chunk has the size of a piece, but for the last. */
export function streamOf(file: FileHandle, { start, length, pieceSize, spare }: Reading): Readable {
  let position = start
  const end = start + length
  // What was never ours, a slice of Node's common pool say, is not written to whoever hands it in.
  const ours = new WeakSet<ArrayBufferLike>()

  const next = async (): Promise<Buffer | null> => {
    const wanted = Math.min(pieceSize, end - position)
    if (wanted <= 0) return null
    const memory = memoryFor(wanted)
    const filled = await fill(memory.subarray(0, wanted))
    position += filled
    return filled > 0 ? memory.subarray(0, filled) : null
  }

  const memoryFor = (size: number): Buffer => {
    const given = spare.pop()?.buffer
    if (given && ours.has(given) && given.byteLength >= size) return Buffer.from(given)
    const memory = Buffer.allocUnsafeSlow(size)
    ours.add(memory.buffer)
    return memory
  }

  const fill = async (memory: Buffer): Promise<number> => {
    for (let filled = 0; ; ) {
      const { bytesRead } = await file.read(memory, filled, memory.length - filled, position + filled)
      filled += bytesRead
      if (bytesRead === 0 || filled === memory.length) return filled
    }
  }

  return new Readable({
    objectMode: true,
    highWaterMark: 1,
    read() {
      next().then(
        piece => this.push(piece),
        error => this.destroy(error),
      )
    },
    destroy(error, done) {
      file.close().then(
        () => done(error),
        fault => done(error ?? fault),
      )
    },
  })
}
