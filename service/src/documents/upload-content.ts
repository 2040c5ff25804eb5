// Looks into an upload while it arrives: its first bytes, its kind, and the checks that its kind needs.
import { OUTLOOK_TYPE, type ReadBytes, RejectedFileError } from './accepted-kinds.ts'
import { type FileKind, SNIFFED_BYTES } from './file-kind.ts'
import { officeTypeOf } from './office-file.ts'
import { checkOutlookMessage } from './outlook-message.ts'
import { checkText } from './text-file.ts'

/** The content with the checks that its kind needs beyond its first bytes. */
export function checked(
  { contentType, check }: FileKind,
  { head, content }: { head: Buffer; content: AsyncIterable<Buffer> },
) {
  if (check === 'text' || check === 'mail') {
    const rejection = new RejectedFileError('It contains characters that no text has.')
    return { contentType, content: checkText(content, { kind: check, head, rejection }) }
  }
  if (check === 'outlook')
    return {
      contentType,
      content,
      inspect: async (read: ReadBytes) => {
        await checkOutlookMessage(read)
        return OUTLOOK_TYPE
      },
    }
  if (check !== 'office') return { contentType, content }
  const inspect = async (read: ReadBytes, size: number) => {
    const type = await officeTypeOf(read, size)
    if (contentType && type !== contentType)
      throw new RejectedFileError('The extension of the name does not match the content.')
    return type
  }
  return { contentType, content, inspect }
}

/** Returns the first bytes, and the whole content including them. */
export async function peek(content: AsyncIterable<Buffer>) {
  const iterator = content[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  let length = 0
  while (length < SNIFFED_BYTES) {
    const { value, done } = await iterator.next()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  async function* all() {
    yield* chunks
    for (;;) {
      const { value, done } = await iterator.next()
      if (done) return
      yield value
    }
  }
  return { head: Buffer.concat(chunks).subarray(0, SNIFFED_BYTES), content: all() }
}
