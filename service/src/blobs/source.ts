// Owns reading the content of a put: an abort ends it at once, and an error of it always reaches the put.
import { Readable } from 'node:stream'
import type { Content } from './blob-store.ts'

export interface Source {
  chunks(signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined>
  /** Ends the content, read or not. */
  discard(): void
}

/** To be called before the first await: an error that a stream meets with nobody listening would end the process. */
export function openSource(content: Content): Source {
  if (content instanceof Readable) content.on('error', () => {})
  return {
    chunks: signal => chunksOf(content, signal),
    discard() {
      if (content instanceof Readable) content.destroy()
    },
  }
}

async function* chunksOf(content: Content, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = content[Symbol.asyncIterator]() as AsyncIterator<unknown>
  let ended = false
  try {
    for (;;) {
      const { done, value } = await nextOf(iterator, signal)
      ended = done === true
      if (ended) return
      if (!(value instanceof Uint8Array))
        throw new TypeError(`The content of a blob is bytes, not ${typeof value}.`)
      yield value
    }
  } finally {
    // Not waited for: an iterator that is stuck in its next() would answer only after it.
    if (!ended) void iterator.return?.().catch(() => {})
  }
}

/** Not Promise.race with one promise for the abort: that one would keep every chunk alive until it settles. */
function nextOf<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}
