// What can be uploaded, as chunks of bytes.
import { invalidArgument } from './errors.ts'

/** Bytes that can be read again for a retry. A Blob or File is one; `fileFromPath` makes one of a path. */
export interface FileSource {
  name?: string
  type?: string
  size?: number
  stream(): ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
}

export type UploadContent =
  | Blob
  | FileSource
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

export interface Source {
  name: string
  type: string
  size: number | undefined
  repeatable: boolean
  read(): AsyncIterable<Uint8Array>
  /** What a browser sends: it cannot send a stream over HTTP/1.1. */
  blob(): Promise<Blob>
}

export function sourceOf(file: UploadContent): Source {
  if (file instanceof Uint8Array) return replayable(new Blob([file as Uint8Array<ArrayBuffer>]))
  if ('stream' in file && typeof file.stream === 'function') return replayable(file)
  if (file instanceof ReadableStream || Symbol.asyncIterator in file) {
    const read = () => iterate(file as ReadableStream<Uint8Array>)
    return { name: '', type: '', size: undefined, repeatable: false, read, blob: () => collect(read(), '') }
  }
  throw invalidArgument('file', 'Expected a Blob, bytes, a stream, or what fileFromPath returns.')
}

export function replayable(
  file: FileSource,
  { name = '', type = '' }: Pick<FileSource, 'name' | 'type'> = file,
): Source {
  const read = () => iterate(file.stream())
  const blob = async () => (file instanceof Blob ? file : collect(read(), type))
  return { name, type, size: file.size, repeatable: true, read, blob }
}

async function collect(chunks: AsyncIterable<Uint8Array>, type: string): Promise<Blob> {
  const parts: BlobPart[] = []
  for await (const chunk of chunks) parts.push(chunk as Uint8Array<ArrayBuffer>)
  return new Blob(parts, { type })
}

/** Not every browser iterates streams. */
export async function* iterate(content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>) {
  if (!(content instanceof ReadableStream)) return yield* content
  const reader = content.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Ends the source where the reader has ended early.
    await reader.cancel().catch(() => {})
  }
}

export function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await chunks.return(undefined)),
  })
}
