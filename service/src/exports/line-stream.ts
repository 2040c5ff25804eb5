// A stream of lines whose writer waits for the reader, so that memory stays bounded. A reader that takes nothing for a while,
// or disconnects, ends the writer.
import { PassThrough } from 'node:stream'

export class ReaderGone extends Error {
  readonly reason: 'closed' | 'stalled'

  constructor(reason: 'closed' | 'stalled') {
    super(`The reader has ${reason}.`)
    this.reason = reason
  }
}

export function createLineStream({ stallMs }: { stallMs: number }) {
  const stream = new PassThrough({ highWaterMark: 64 * 1024 })
  const begun = Promise.withResolvers<void>()

  const drained = () =>
    new Promise<void>((resolve, reject) => {
      const finish = (error?: ReaderGone) => {
        clearTimeout(timer)
        stream.off('drain', onDrain).off('close', onClose)
        if (error) reject(error)
        else resolve()
      }
      const onDrain = () => finish()
      const onClose = () => finish(new ReaderGone('closed'))
      const timer = setTimeout(() => finish(new ReaderGone('stalled')), stallMs)
      stream.once('drain', onDrain).once('close', onClose)
    })

  return {
    stream,
    /** Resolves with the first write. */
    begun: begun.promise,
    /** Resolves when the reader has room for more. */
    async write(text: string): Promise<void> {
      if (stream.destroyed) throw new ReaderGone('closed')
      const hasRoom = stream.write(text)
      begun.resolve()
      if (!hasRoom) await drained()
    },
  }
}
