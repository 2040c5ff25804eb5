// Detects the kind of a file from its first bytes. Files that could run when opened are never stored.

export const SNIFFED_BYTES = 4_100

const SIGNATURES: [string, string][] = [
  ['application/pdf', '25504446'],
  ['image/jpeg', 'ffd8ff'],
  ['image/png', '89504e470d0a1a0a'],
  ['image/gif', '47494638'],
  ['image/tiff', '49492a00'],
  ['image/tiff', '4d4d002a'],
  ['image/bmp', '424d'],
  ['application/zip', '504b0304'],
  ['application/gzip', '1f8b'],
  ['application/x-7z-compressed', '377abcaf271c'],
  ['application/vnd.rar', '526172211a07'],
  ['application/rtf', '7b5c727466'],
  ['application/x-ole-storage', 'd0cf11e0a1b11ae1'],
]

const EXECUTABLES = [
  '7f454c46', // ELF
  '4d5a', // DOS and Windows
  'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', // Mach-O
  'cafebabe', // Java class, universal Mach-O
  '0061736d', // WebAssembly
  '6465780a', // Dalvik
  '4c000000011402', // Windows shortcut
  '2321', // #! script
  'efbbbf2321', // #! behind a byte order mark
] // biome-ignore format: a table

/** Rejected in files of any kind: an image that also holds a script is a polyglot. */
const ACTIVE_MARKUP =
  /<(?:!doctype\s+html|html|head|body|script|iframe|svg|object|embed|meta|xsl:stylesheet)\b|<\?php/i

/** Rejected in files of any kind but those of `BINARY`, in whose bytes `<%@` occurs by chance. */
const ACTIVE_TEXT = /<%@|^\s*@echo\s+off/i

/** Kinds that are compressed, and whose signature is no plausible beginning of a text. */
const BINARY = new Set([
  'application/pdf',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
  'image/heic',
  'application/zip',
  'application/gzip',
  'application/x-7z-compressed',
  'application/vnd.rar',
  'application/x-ole-storage',
])

/** Beginnings that a browser sniffs as HTML (WHATWG, MIME Sniffing), and some more. */
const HTML_BEGINNING =
  /^[\s\ufeff]*(?:\u00ef\u00bb\u00bf)?\s*<(?:!--|\?xml|(?:a|audio|b|base|br|button|details|div|font|form|h1|img|input|link|math|p|select|style|table|template|textarea|title|video)[\s/>])/i

const ACTIVE_NAMES =
  /\.(?:exe|dll|com|scr|msi|msp|bat|cmd|ps1|psm1|vbs|vbe|js|mjs|jse|wsf|wsh|hta|jar|app|sh|bash|csh|py|rb|pl|php\d?|phtml|asp|aspx|jsp|cgi|html?|xhtml|shtml|mht|mhtml|svg|svgz|xml|xsl|swf|lnk|url|reg|apk|dmg|iso|img|pif|cpl|msc|chm|vb|ws|wsc|sct|scf|inf|xll|desktop|command|msix|appx|diagcab|application)$/i

const DECLARED = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,100}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/
const ACTIVE_TYPES =
  /^multipart|html|script|java|php|perl|python|x-c?sh|hta|msdownload|executable|flash|svg|xml$/

/** Returns the media type, or undefined if the file must not be stored. */
export function kindOf(
  head: Buffer,
  { declared, fileName }: { declared: string; fileName: string },
): string | undefined {
  const hex = head.subarray(0, 16).toString('hex')
  if (EXECUTABLES.some(signature => hex.startsWith(signature))) return undefined
  const known = SIGNATURES.find(([, signature]) => hex.startsWith(signature))?.[0] ?? riffKind(head)
  const text = textOf(head)
  if (ACTIVE_NAMES.test(plainName(fileName)) || ACTIVE_MARKUP.test(text) || HTML_BEGINNING.test(text))
    return undefined
  if (!BINARY.has(known ?? '') && ACTIVE_TEXT.test(text)) return undefined
  const type = declared.toLowerCase().split(';')[0]?.trim() ?? ''
  if (known && known !== 'application/zip' && known !== 'application/x-ole-storage') return known
  // The bytes of an office document show only its container; the declared type tells the application.
  const office = /^application\/(?:vnd\.|msword|x-cfb)/.test(type)
  if (known) return office ? type : known
  return DECLARED.test(type) && !ACTIVE_TYPES.test(type) ? type : 'application/octet-stream'
}

/** Windows ignores trailing dots and spaces and the stream name after a colon; format characters are invisible. */
function plainName(fileName: string): string {
  return fileName
    .replace(/\p{Cf}/gu, '')
    .replace(/(?<=.):.*$/, '')
    .replace(/[.\s]+$/, '')
}

/** Decodes UTF-16 with a byte order mark as browsers do, so that it hides no markup. */
function textOf(head: Buffer): string {
  const mark = head.subarray(0, 2).toString('hex')
  if (mark === 'fffe') return head.toString('utf16le')
  if (mark === 'feff')
    return Buffer.from(head.subarray(0, head.length & ~1))
      .swap16()
      .toString('utf16le')
  return head.toString('latin1')
}

function riffKind(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, 16)
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp'
  // The four bytes before `ftyp` are the size of the box, which is small: the first two are zero.
  if (/^\0\0..ftyp(?:heic|heix|mif1|msf1)/s.test(text)) return 'image/heic'
  return undefined
}
