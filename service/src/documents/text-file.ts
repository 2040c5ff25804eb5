// Text and e-mail: what may be stored as either, and a check of all bytes while they are stored.
import { TextDecoder } from 'node:util'

/** Beginnings that a browser sniffs as HTML (WHATWG, MIME Sniffing), and some more. */
const HTML_BEGINNING =
  /^[\s\ufeff]*(?:\u00ef\u00bb\u00bf\s*)?<(?:!--|\?xml|(?:a|audio|b|base|br|button|details|div|font|form|h1|img|input|link|math|p|select|style|table|template|textarea|title|video)[\s/>])/i

/** Server pages and batch files. */
const SCRIPT = /<%@|^\s*@echo\s+off/i

/** RTF, and the text format of spreadsheets that Excel opens, macros included, under the name of a CSV file. */
const OTHER_FORMAT = /^[\s\ufeff]*(?:\u00ef\u00bb\u00bf\s*)?(?:\{\\rt|ID;)/i

/** Whether the beginning of a file is plain text, and no script or other format. */
export const isPlainText = (text: string): boolean =>
  !HTML_BEGINNING.test(text) && !SCRIPT.test(text) && !OTHER_FORMAT.test(text)

const HEADER_LINE = /^[!-9;-~]{1,76}:|^[ \t]/
const MAIL_HEADER = /^(?:from|received|return-path|delivered-to|date|message-id|x-sender):/i

/** Whether the beginning of a file is that of an e-mail: header fields of RFC 5322, one of which only e-mails have. */
export function isMail(text: string): boolean {
  const [block = ''] = text.split(/\r?\n\r?\n/, 1)
  const lines = block.split(/\r?\n/)
  // The last line may be cut off in the middle.
  const whole = block.length < text.length ? lines : lines.slice(0, Math.max(1, lines.length - 1))
  return whole.every(line => HEADER_LINE.test(line)) && whole.some(line => MAIL_HEADER.test(line))
}

const forbidden = (codes: number[]) => {
  const table = new Uint8Array(256)
  for (const code of codes) table[code] = 1
  return table
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
/** Control characters but tab, line feed, form feed and carriage return. */
const CONTROL = forbidden([...range(0, 8), 0x0b, ...range(0x0e, 0x1f), 0x7f])
/** Japanese e-mail switches its character set with escape characters. */
const NUL = forbidden([0])

interface TextCheck {
  kind: 'text' | 'mail'
  /** The first bytes, which show the encoding. */
  head: Buffer
  rejection: Error
}

/** Passes the content through, and throws `rejection` at the first byte that no text, or no e-mail, contains. */
export async function* checkText(
  content: AsyncIterable<Buffer>,
  { kind, head, rejection }: TextCheck,
): AsyncGenerator<Buffer> {
  const table = kind === 'mail' ? NUL : CONTROL
  const decoder = kind === 'text' ? utf16DecoderOf(head) : undefined
  for await (const chunk of content) {
    const rejected = decoder
      ? hasControl(decode(decoder, chunk, rejection))
      : chunk.some(byte => table[byte] === 1)
    if (rejected) throw rejection
    yield chunk
  }
  if (decoder) decode(decoder, undefined, rejection)
}

function utf16DecoderOf(head: Buffer): TextDecoder | undefined {
  const mark = head.subarray(0, 2).toString('hex')
  if (mark !== 'fffe' && mark !== 'feff') return undefined
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be', { fatal: true })
}

/** Half a character, or half a surrogate pair, is no text. */
function decode(decoder: TextDecoder, chunk: Buffer | undefined, rejection: Error): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    throw rejection
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected.
const hasControl = (text: string) => /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/.test(text)
