// Reads the content of a put. An abort ends the read at once, even if the source is stuck, and every error of the source
// reaches the put.
import { Readable } from 'node:stream'
import type { Content } from './blob-store.ts'

export interface ContentReader {
  chunks(signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined>
  /** Ends the content, read or not. */
  discard(): void
}

/** Call it before the first await: an `error` event of a stream without a listener ends the process. */
export function openContent(content: Content): ContentReader {
  if (content instanceof Readable) content.on('error', () => {})
  return {
    chunks: signal => readChunks(content, signal),
    discard() {
      if (content instanceof Readable) content.destroy()
    },
  }
}

async function* readChunks(
  content: Content,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = content[Symbol.asyncIterator]() as AsyncIterator<unknown>
  let ended = false
  try {
    for (;;) {
      const { done, value } = await nextOrAbort(iterator, signal)
      ended = done === true
      if (ended) return
      if (!(value instanceof Uint8Array))
        throw new TypeError(`The content of a blob is bytes, not ${typeof value}.`)
      yield value
    }
  } finally {
    // Not awaited: `return` of an iterator that is stuck in `next` never settles.
    if (!ended) void iterator.return?.().catch(() => {})
  }
}

/** Not Promise.race with one promise for the abort: that promise would keep every chunk alive until it settles. */
function nextOrAbort<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
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
