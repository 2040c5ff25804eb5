// Files that must be rejected, files that may be stored, and hostile names.
import { deflateRawSync, gzipSync } from 'node:zlib'
import { compoundFile, openDocument, openXml, zipOf } from '../../scripts/office-files.ts'
import type { Random } from '../support/random.ts'

export interface Upload {
  what: string
  bytes: Buffer
  /** As sent in the part's header, byte by byte. */
  fileName: string
  declared: string
}

const bytes = (text: string) => Buffer.from(text, 'latin1')

const HARMLESS: [string, Buffer][] = [
  ['pdf', bytes('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')],
  ['png', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), bytes('\0\0\0\rIHDR')])],
  ['jpg', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), bytes('\0\x10JFIF\0')])],
  ['gif', bytes('GIF89a\x01\0\x01\0')],
  ['zip', bytes('PK\x03\x04\x14\0\0\0')],
  ['tiff', Buffer.from('49492a0008000000', 'hex')],
  ['rtf', bytes('{\\rtf1 ')],
  ['txt', bytes('To whom it may concern: ')],
  ['docx', openXml('docx')],
  ['odt', openDocument('text')],
]

/** Markup that browsers or servers execute anywhere in the first bytes of a file. */
const ACTIVE = [
  '<script>alert(1)</script>',
  '<ScRiPt\tsrc=//evil.example>',
  '<html><body onload=alert(1)>',
  '<!DOCTYPE html>',
  '<svg onload=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src=javascript:alert(1)>',
  '<?php system($_GET[0]); ?>',
  '<object data=evil.swf>',
  '<embed src=evil.swf>',
  '<meta http-equiv=refresh content=0>',
]

/** Text that browsers treat as HTML at the start of a file. */
const BEGINNINGS = [
  '<a href="javascript:alert(1)">',
  '<img src=x onerror=alert(1)>',
  '<style>@import "//evil"</style>',
  '<h1>x</h1>',
  '<div onclick=x()>',
  '<table background="javascript:x">',
  '<title>x</title>',
  '<!-- x --><b>',
  '<br onclick=x>',
  '<p>x',
  '<?xml version="1.0"?><x xmlns="http://www.w3.org/1999/xhtml"/>',
  '<form action=//evil>',
  '<video src=x onerror=alert(1)>',
]

const PROGRAMS = [
  '7f454c460201',
  '4d5a9000',
  'feedfacf',
  'cffaedfe',
  'cafebabe0000',
  '0061736d01',
  '6465780a303335',
  '4c0000000114020000',
  '23212f62696e2f7368',
  'efbbbf23212f62696e',
]

const NAMES = [
  'exe',
  'dll',
  'js',
  'html',
  'htm',
  'svg',
  'hta',
  'jar',
  'bat',
  'cmd',
  'ps1',
  'vbs',
  'scr',
  'com',
  'msi',
  'lnk',
  'sh',
  'php',
  'xhtml',
  'swf',
  'pif',
  'cpl',
  'wsf',
  'reg',
  'chm',
  'docm',
  'xlsm',
  'pptm',
  'jnlp',
  'one',
  'vhd',
  'rdp',
  'iso',
  'zip',
  'unknown',
]

/** Declared, so that nothing but its name is wrong. */
const part = (name: string) => ({
  entries: [{ name, content: 'x' }],
  types: '<Default Extension="bin" ContentType="application/octet-stream"/>',
})

/** Containers with macros, or of a kind that is not accepted. */
const MACROS: [what: string, bytes: Buffer, fileName: string][] = [
  ['a docm called docx', openXml('docm'), 'scan.docx'],
  ['an xlsm called xlsx', openXml('xlsm'), 'scan.xlsx'],
  ['an xlsb called xlsx', openXml('xlsb'), 'scan.xlsx'],
  ['a docx with macros', openXml('docx', part('word/vbaProject.bin')), 'scan.docx'],
  ['a docx with a program', openXml('docx', part('word/embeddings/oleObject1.bin')), 'scan.docx'],
  ['an odt with macros', openDocument('text', [{ name: 'Basic/x/y.xml', content: 'x' }]), 'scan.odt'],
  ['a zip called docx', zipOf([{ name: 'setup.exe', content: 'MZ' }]), 'scan.docx'],
  ['a docx behind another archive', Buffer.concat([openXml('docm'), openXml('docx')]), 'scan.docx'],
  ['a doc called msg', compoundFile(['WordDocument', 'Macros']), 'scan.msg'],
  ['a doc', compoundFile(['WordDocument']), 'scan.doc'],
]

/** Endings that Windows ignores or that are invisible. */
const ENDINGS = ['', '.', '..', ' ', '. .', '::$DATA', ':x', '\u200b', '\u202c', '\u2060']

export function mustBeRejected(random: Random): Upload {
  const [extension, start] = random.pick(HARMLESS)
  const plain = { bytes: start, fileName: `scan.${extension}`, declared: 'application/pdf' }
  const filler = () => Buffer.alloc(random.below(3_800), random.pick(['x', ' ', '\n']))
  switch (random.below(6)) {
    case 0: {
      const active = random.pick(ACTIVE)
      return {
        ...plain,
        what: `${extension} that contains ${active}`,
        bytes: Buffer.concat([start, filler(), bytes(active)]),
      }
    }
    case 1: {
      const begins = random.pick(BEGINNINGS)
      const space = random.pick(['', ' ', '\n\n', '\t', '\xef\xbb\xbf', '\f\r\n'])
      return {
        ...plain,
        what: `a text that begins with ${begins}`,
        bytes: bytes(space + begins),
        fileName: 'note.txt',
        declared: 'text/plain',
      }
    }
    case 2: {
      const utf16 = Buffer.from(`\ufeff${random.pick(ACTIVE)}`, 'utf16le')
      const swapped = random.chance(0.5)
      return {
        ...plain,
        what: `UTF-16 ${swapped ? 'big' : 'little'} endian HTML`,
        bytes: swapped ? utf16.swap16() : utf16,
      }
    }
    case 3: {
      const program = random.pick(PROGRAMS)
      return {
        ...plain,
        what: `a program ${program}`,
        bytes: Buffer.concat([Buffer.from(program, 'hex'), start, filler()]),
      }
    }
    case 4: {
      const [what, content, fileName] = random.pick(MACROS)
      return { ...plain, what, bytes: content, fileName }
    }
    default: {
      const name = `scan.pdf.${random.pick([(x: string) => x, (x: string) => x.toUpperCase()])(random.pick(NAMES))}${random.pick(ENDINGS)}`
      return {
        ...plain,
        what: `a file called ${JSON.stringify(name)}`,
        fileName: Buffer.from(name).toString('latin1'),
      }
    }
  }
}

const HOSTILE_NAMES = [
  '../../../../../../tmp/caseport-traversal.pdf',
  '..\\..\\..\\..\\windows\\system32\\x.pdf',
  '/etc/cron.d/caseport-traversal',
  'C:\\x.pdf',
  '%2e%2e%2f%2e%2e%2fx.pdf',
  '....//....//x.pdf',
  '..',
  '.',
  '',
  ' ',
  'a%0d%0aX-Injected: yes.pdf',
  "a%22; filename*=UTF-8''evil.exe; x=%22.pdf",
  'a\\".pdf',
  'a;b=c.pdf',
  'a\x00b.pdf',
  'a\x1b[2J.pdf',
  Buffer.from('пасспорт 護照 👩‍👧.pdf').toString('latin1'),
  Buffer.from('evil\u202efdp.exe.pdf').toString('latin1'),
  Buffer.from('\u2028\u2029.pdf').toString('latin1'),
  '\xff\xfe\xfd.pdf',
  `${'x'.repeat(5_000)}.pdf`,
  'CON.pdf',
  '$(reboot).pdf',
  '`id`.pdf',
  '<script>alert(1)</script>.pdf',
  "='cmd'|'/c calc'!A0.pdf",
]

const HOSTILE_TYPES = [
  'text/html',
  'image/svg+xml',
  'text/xml',
  'application/javascript',
  'text/plain; charset=utf-7',
  'multipart/x-mixed-replace',
  'application/x-httpd-php',
  'x',
  '',
  'text/html;x="',
  '\xff/\xff',
  'application/xhtml+xml',
  'text/plain\tX: y',
  'message/rfc822',
  'application/pdf, text/html',
]

/** Files that may be stored, but must be downloaded with harmless headers. */
export function mayBeStored(random: Random): Upload {
  const [extension, start] = random.pick(HARMLESS)
  const fileName = random.chance(0.7) ? random.pick(HOSTILE_NAMES) : `scan.${extension}`
  const declared = random.chance(0.7) ? random.pick(HOSTILE_TYPES) : 'application/octet-stream'
  return {
    what: `${extension} called ${JSON.stringify(fileName.slice(0, 60))} as ${declared}`,
    // Bytes behind an archive would make it a damaged one.
    bytes: ['docx', 'odt'].includes(extension)
      ? start
      : Buffer.concat([start, random.bytes(random.below(500))]),
    fileName,
    declared,
  }
}

/** Compression bombs: small files that expand to a huge size. */
export function bombs(): Upload[] {
  const zeros = Buffer.alloc(64 * 1024 * 1024)
  const declared = 'application/zip'
  return [
    {
      what: 'a gzip of 64 MiB of zeros',
      bytes: gzipSync(zeros),
      fileName: '42.gz',
      declared: 'application/gzip',
    },
    {
      what: 'a zip of 64 MiB of zeros',
      bytes: Buffer.concat([bytes('PK\x03\x04\x14\0\0\0\x08\0'), deflateRawSync(zeros)]),
      fileName: '42.zip',
      declared,
    },
    {
      what: 'a zip called an office document',
      bytes: Buffer.concat([bytes('PK\x03\x04\x14\0\0\0\x08\0'), deflateRawSync(zeros)]),
      fileName: 'bomb.docx',
      declared: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    },
    {
      what: 'a docx with 16 MiB of relationships',
      bytes: openXml('docx', {
        entries: [{ name: 'word/_rels/document.xml.rels', content: '<'.repeat(16 * 1024 * 1024) }],
      }),
      fileName: 'links.docx',
      declared: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    },
  ]
}
