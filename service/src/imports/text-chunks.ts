// Cuts the bytes of a file into small chunks, and decodes them as UTF-8, without the byte order mark.
import { isUtf8 } from 'node:buffer'
import type { Pauses } from '../lib/pauses.ts'
import { FileError } from './file-error.ts'

const NEWLINE = 0x0a
/** Parsed in a few milliseconds, also where each byte is a cell or a row. */
const CHUNK_BYTES = 16 * 1024

/** Pauses between chunks, however many bytes have arrived already. */
export async function* inSmallChunks(
  chunks: AsyncIterable<Uint8Array>,
  pauses: Pauses,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += CHUNK_BYTES) {
      if (pauses.areDue()) await pauses.pause()
      yield chunk.subarray(start, start + CHUNK_BYTES)
    }
}

export async function* readText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let lines = 0
  for await (const chunk of chunks) {
    let text: string
    try {
      text = decoder.decode(chunk, { stream: true })
    } catch {
      throw notUtf8(lines + linesBeforeError(chunk))
    }
    lines += countLines(chunk)
    if (text) yield text
  }
  try {
    const rest = decoder.decode()
    if (rest) yield rest
  } catch {
    throw notUtf8(lines)
  }
}

const notUtf8 = (lines: number) =>
  new FileError(`The file is not valid UTF-8: the error is near line ${lines + 1}. Save it as UTF-8.`)

function countLines(chunk: Uint8Array): number {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}

/** The first line may begin with the rest of a character, so it counts as valid if only its beginning is not. */
function linesBeforeError(chunk: Uint8Array): number {
  let lines = 0
  let start = 0
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
    const isContinued = start === 0
    if (!isContinued && !isUtf8(chunk.subarray(start, at))) break
    if (isContinued && !isUtf8(withoutContinuation(chunk.subarray(0, at)))) break
    lines += 1
    start = at + 1
  }
  return lines
}

/** At most three bytes belong to a character that began in the chunk before. */
function withoutContinuation(bytes: Uint8Array): Uint8Array {
  let at = 0
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1
  return bytes.subarray(at)
}
