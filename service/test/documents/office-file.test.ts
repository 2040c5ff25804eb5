// The containers of office documents and Outlook messages.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { compoundFile, openDocument, openXml, zipOf } from '../../../scripts/office-files.ts'
import { RejectedFileError } from '../../src/documents/accepted-kinds.ts'
import { officeTypeOf } from '../../src/documents/office-file.ts'
import { checkOutlookMessage } from '../../src/documents/outlook-message.ts'

const readerOf = (bytes: Buffer) => async (start: number, length: number) =>
  bytes.subarray(Math.max(0, start), Math.max(0, start + length))
const typeOf = (bytes: Buffer) => officeTypeOf(readerOf(bytes), bytes.length)
const rejects = (bytes: Buffer, why: string, pattern = /./) =>
  assert.rejects(
    typeOf(bytes),
    error => error instanceof RejectedFileError && pattern.test(error.message),
    why,
  )

const OPEN_XML = 'application/vnd.openxmlformats-officedocument'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument'

describe('an office document without macros', () => {
  it('is recognized by its entries', async () => {
    assert.equal(await typeOf(openXml('docx')), `${OPEN_XML}.wordprocessingml.document`)
    assert.equal(await typeOf(openXml('xlsx')), `${OPEN_XML}.spreadsheetml.sheet`)
    assert.equal(await typeOf(openXml('pptx')), `${OPEN_XML}.presentationml.presentation`)
    assert.equal(await typeOf(openDocument('text')), `${OPEN_DOCUMENT}.text`)
    assert.equal(await typeOf(openDocument('spreadsheet')), `${OPEN_DOCUMENT}.spreadsheet`)
    assert.equal(await typeOf(openDocument('presentation')), `${OPEN_DOCUMENT}.presentation`)
  })

  it('may hold images, printer settings and other documents', async () => {
    const entries = [
      { name: 'word/media/image1.png', content: randomBytes(50_000) },
      { name: 'xl/printerSettings/printerSettings1.bin', content: 'x' },
      { name: 'word/embeddings/', content: '' },
      { name: 'word/embeddings/Microsoft_Excel_Sheet.xlsx', content: 'x' },
    ]
    const types =
      '<Default Extension="xlsx" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"/><Default Extension="bin" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.printerSettings"/>'
    assert.ok(await typeOf(openXml('docx', { entries, types })))
    assert.ok(await typeOf(openDocument('text', [{ name: 'Pictures/1.png', content: 'x' }])))
    assert.ok(await typeOf(openDocument('text', [{ name: 'Object 1/content.xml', content: 'x' }])))
  })
})

describe('an office document is rejected', () => {
  it('of a kind with macros, under any name', async () => {
    for (const kind of ['docm', 'xlsm', 'pptm', 'xlsb'] as const) await rejects(openXml(kind), kind, /macros/)
    await rejects(openXml('dotx'), 'dotx')
  })

  it('that holds macros, controls or programs', async () => {
    const names = [
      'word/vbaProject.bin', 'WORD\\VBAPROJECT.BIN', 'xl/vbaProjectSignature.bin', 'word/vbaData.xml',
      'word/activeX/activeX1.xml', 'xl/macrosheets/sheet1.xml', 'xl/dialogsheets/sheet1.xml',
      'word/embeddings/oleObject1.bin', 'word/embeddings/setup.exe', 'ppt/embeddings/Book1.xlsm',
    ] // biome-ignore format: a table
    for (const name of names)
      await rejects(openXml('docx', { entries: [{ name, content: 'x' }] }), name, /macros/)
    const types = [
      '<Override PartName="/word/x.bin" ContentType="application/vnd.ms-office.vbaProject"/>',
      '<Override PartName="/word/x.bin" ContentType="application/vnd.ms-office.VBAPROJECT"/>',
      '<Override PartName="/word/x.xml" ContentType="application/vnd.ms-word.vbaData+xml"/>',
      '<Override PartName="/xl/x.xml" ContentType="application/vnd.ms-excel.macrosheet+xml"/>',
      '<Default Extension="bin" ContentType="application/vnd.openxmlformats-officedocument.oleObject"/>',
    ]
    for (const type of types) await rejects(openXml('docx', { types: type }), type, /macros/)
    for (const name of ['Basic/Standard/Module1.xml', 'basic/x', 'Scripts/python/x.py', 'Object 1'])
      await rejects(openDocument('text', [{ name, content: 'x' }]), name, /macros/)
  })

  it('whose relationships name macros, whatever their content type', async () => {
    const names = [
      'word/_rels/document.xml.rels',
      'xl/_rels/workbook.xml.rels',
      'PPT\\_rels\\presentation.xml.rels',
    ]
    const base = 'http://schemas.microsoft.com/office/2006/relationships/'
    const docx = (name: string, content: string | Buffer) =>
      openXml('docx', {
        entries: [
          { name, content },
          { name: 'word/x.xml', content: 'x' },
        ],
      })
    for (const name of names) {
      for (const type of [
        `Type="${base}vbaProject"`,
        `Type = '${base}VBAPROJECT'`,
        `Type="${base}&#118;baProject"`,
      ])
        await rejects(docx(name, `<Relationship Id="r1" ${type} Target="x.xml"/>`), type, /macros/)
      await rejects(docx(name, Buffer.from(`<Relationship Type="${base}vbaProject"/>`, 'utf16le')), 'UTF-16')
    }
    const link = `<Relationship Id="r1" Type="x/hyperlink" Target="https://example.com/vbaProject?a&amp;b"/>`
    assert.ok(await typeOf(docx('word/_rels/document.xml.rels', link.repeat(20_000))))
  })

  it('whose main part has another name, and relationships with macros', async () => {
    const types = '<Default Extension="bin" ContentType="application/octet-stream"/>'
    const rels = '<Relationships><Relationship Id="r1" Type="x/vbaProject" Target="x.bin"/></Relationships>'
    for (const name of ['w/_rels/d.xml.rels', '_rels/main.xml.rels', 'W\\_RELS\\D.XML.RELS'])
      await rejects(
        openXml('docx', {
          types,
          entries: [
            { name, content: rels },
            { name: 'w/x.bin', content: 'x' },
          ],
        }),
        name,
        /macros/,
      )
    const many = (count: number, content: string) =>
      openXml('docx', {
        entries: Array.from({ length: count }, (_, index) => ({
          name: `w/_rels/d${index}.xml.rels`,
          content,
        })),
      })
    assert.ok(await typeOf(many(1_000, '<Relationships/>')))
    await rejects(many(5_000, ''), 'too many')
    await rejects(many(10, ' '.repeat(2_000_000)), 'too large')
    await rejects(many(1, `<Relationship Type="${' '.repeat(100_000)}vbaProject"/>`), 'a long one')
    await rejects(many(3, '<'.repeat(100_000)), 'more than any document has', /intact/)
  })

  it('that loads a template from another computer', async () => {
    const docx = (target: string) =>
      openXml('docx', {
        entries: [
          {
            name: 'word/_rels/settings.xml.rels',
            content: `<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" ${target} TargetMode="External"/></Relationships>`,
          },
        ],
      })
    for (const target of [
      'Target="https://example.com/x.dotm"',
      "Target = 'HTTP://example.com/x.dotm'",
      'Target="file:///\\\\server\\share\\x.dotm"',
      'Target="file://server/share/x.dotm"',
      'Target="\\\\server\\x.dotm"',
      'Target="&#104;ttps://example.com/x.dotm"',
      'Target="file:////server/share/x.dotm"',
      'Target="file:///%5C%5Cserver/share/x.dotm"',
      'Target="file:///&#47;server/share/x.dotm"',
      'Target="file:///.//server/share/x.dotm"',
      `X='Target="C:/x"' Target="https://example.com/x.dotm"`,
    ])
      await rejects(docx(target), target, /template/)
    for (const target of [
      'Target="file:///C:\\Users\\Anna\\Letter.dotx"',
      'Target = "C:/Letter.dotx"',
      'Target="file:///Users/anna/Letter.dotx"',
      'Target="file://localhost/Users/anna/Letter.dotx"',
    ])
      assert.ok(await typeOf(docx(target)), target)
  })

  it('that loads objects, frames or documents by its relationships, or content from a file share', async () => {
    const types = '<Default Extension="dat" ContentType="application/octet-stream"/>'
    const docx = (relationship: string) =>
      openXml('docx', {
        types,
        entries: [
          { name: 'word/_rels/document.xml.rels', content: `<Relationships>${relationship}</Relationships>` },
          { name: 'word/x.dat', content: 'x' },
        ],
      })
    const of = (type: string, target: string, mode = '') =>
      docx(`<Relationship Id="r1" Type="http://x/relationships/${type}" Target="${target}" ${mode}/>`)
    const external = (type: string, target: string) => of(type, target, 'TargetMode="External"')
    for (const type of [
      'oleObject', 'package', 'control', 'activeXControlBinary', 'xlMacrosheet', 'xlIntlMacrosheet', 'aFChunk',
    ]) // biome-ignore format: a table
      await rejects(of(type, 'x.dat'), type, /macros/)
    assert.ok(await typeOf(of('package', 'embeddings/a.xlsx')))
    for (const type of ['oleObject', 'frame', 'subDocument', 'aFChunk'])
      await rejects(external(type, 'http://evil.example/x.hta'), type)
    await rejects(external('image', 'file:////evil/share/x.png'), 'a file share', /another computer/)
    await rejects(external('image', '\\\\evil\\share\\x.png'), 'a file share', /another computer/)
    await rejects(external('unheardOf', 'https://example.com/'), 'unknown', /another computer/)
    await rejects(of('hyperlink', 'https://example.com/', 'TargetMode="&#69;xternal"'), 'an entity', /intact/)
    await rejects(
      docx('<Relationship Type="x/hyperlink" Type="x/oleObject" Target="x.dat"/>'),
      'an attribute twice',
      /intact/,
    )
    await rejects(docx('<?xml version="1.0" encoding="UTF-7"?>'), 'another encoding', /intact/)
    for (const [type, target] of [
      ['hyperlink', 'file://server/share/handbook.docx'],
      ['image', 'https://example.com/logo.png'],
      ['image', 'file:///C:\\Users\\Anna\\logo.png'],
      ['image', 'media/logo.png'],
      ['externalLinkPath', 'Salaries.xlsx'],
    ] as const)
      assert.ok(await typeOf(external(type, target)), `${type} ${target}`)
    assert.ok(await typeOf(docx('<?xml version="1.0" encoding="utf-8" standalone="yes"?>')))
  })

  it('with programs, scripts or documents of other kinds, whatever is declared', async () => {
    for (const extension of [
      'scr',
      'ps1',
      'bat',
      'msi',
      'hta',
      'jse',
      'rtf',
      'mht',
      'html',
      'doc',
      'xls',
      'vhd',
    ]) {
      const name = `word/x.${extension}`
      const types = `<Default Extension="${extension}" ContentType="application/octet-stream"/>`
      await rejects(openXml('docx', { types, entries: [{ name, content: 'x' }] }), name, /macros/)
      await rejects(openDocument('text', [{ name, content: 'x' }]), name, /macros/)
    }
    for (const name of ['Object A', 'OLE/x.bin', 'Dialogs/x.xml'])
      await rejects(openDocument('text', [{ name, content: 'x' }]), name, /macros/)
  })

  it('that is a workbook with links to other programs', async () => {
    const xlsx = (content: string) =>
      openXml('xlsx', {
        types:
          '<Override PartName="/xl/a.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.externalLink+xml"/>',
        entries: [{ name: 'xl/a.xml', content }],
      })
    await rejects(xlsx('<externalLink><ddeLink ddeService="cmd"/></externalLink>'), 'DDE', /macros/)
    await rejects(xlsx('<x:externalLink><x:oleLink/></x:externalLink>'), 'OLE', /macros/)
    assert.ok(await typeOf(xlsx('<externalLink><externalBook/></externalLink>')))
  })

  it('with a part that has no declared content type', async () => {
    for (const name of ['word/foo.bin', 'word/foo', 'word.png/foo'])
      await rejects(openXml('docx', { entries: [{ name, content: 'x' }] }), name, /intact/)
    const entries = ['word/', 'word/media/IMAGE1.PNG', 'word/A&b.bin', '[trash]/0000.dat'].map(name => ({
      name,
      content: 'x',
    }))
    const types = '<Override PartName="/word/a&amp;b.bin" ContentType="application/octet-stream"/>'
    assert.ok(await typeOf(openXml('docx', { entries, types })))
  })

  it('whose content types are spelled so that macros could hide', async () => {
    const types = [
      '<!ENTITY x "vba">',
      '<Override PartName="/x.bin" ContentType="application/vnd.ms-office.&#118;&#98;&#97;Project"/>',
    ]
    for (const type of types) await rejects(openXml('docx', { types: type }), type)
    const utf16 = Buffer.from('\ufeff<Types>wordprocessingml.document.main+xml</Types>', 'utf16le')
    await rejects(zipOf([{ name: '[Content_Types].xml', content: utf16 }]), 'UTF-16')
  })

  it('with an entry that is larger than the directory has it', async () => {
    const file = openXml('docx', { entries: [{ name: 'w/_rels/d.xml.rels', content: ' '.repeat(100) }] })
    assert.ok(await typeOf(file))
    const inDirectory = file.lastIndexOf('w/_rels/d.xml.rels') - 22
    assert.equal(file.readUInt32LE(inDirectory), 100)
    file.writeUInt32LE(99, inDirectory)
    await rejects(file, 'larger', /intact/)
  })

  it('that is an encrypted OpenDocument file', async () => {
    const encrypted = zipOf([
      { name: 'mimetype', content: `${OPEN_DOCUMENT}.text`, stored: true },
      { name: 'content.xml', content: 'x' },
      { name: 'META-INF/manifest.xml', content: '<manifest:encryption-data manifest:checksum="x"/>' },
    ])
    await rejects(encrypted, 'encrypted', /encrypted/)
  })

  it('that two readers could read differently', async () => {
    const entries = [{ name: '[Content_Types].xml', content: 'wordprocessingml.document.main+xml' }]
    assert.ok(await typeOf(zipOf(entries)))
    await rejects(zipOf([...entries, ...entries]), 'a name twice')
    await rejects(zipOf([...entries, { name: '[CONTENT_TYPES].XML', content: 'x' }]), 'a name in two cases')
    await rejects(
      zipOf(entries, { prefix: Buffer.from('PK\x03\x04 before the archive', 'latin1') }),
      'a prefix',
    )
    await rejects(zipOf(entries, { comment: 'x' }), 'a comment')
    await rejects(Buffer.concat([zipOf(entries), Buffer.from('x')]), 'bytes behind the archive')
    await rejects(Buffer.concat([zipOf(entries), zipOf(entries)]), 'two archives')
    await rejects(
      zipOf([{ ...entries[0], name: '[Content_Types].xml', content: 'x', flags: 1 }]),
      'encrypted',
    )
  })

  it('that is another archive, or damaged', async () => {
    await rejects(zipOf([{ name: 'readme.txt', content: 'x' }]), 'a zip', /archive/)
    await rejects(zipOf([{ name: 'META-INF/MANIFEST.MF', content: 'x' }]), 'a jar', /archive/)
    await rejects(
      zipOf([{ name: 'mimetype', content: 'application/epub+zip', stored: true }]),
      'an e-book',
      /archive/,
    )
    await rejects(zipOf([]), 'empty')
    const intact = openXml('docx')
    for (let length = 0; length < intact.length; length += 7)
      await rejects(intact.subarray(0, length), `cut at ${length}`)
    for (let round = 0; round < 2_000; round++) {
      const bytes = Buffer.from(intact)
      const at = Math.floor(Math.random() * bytes.length)
      bytes[at] = Math.floor(Math.random() * 256)
      await typeOf(bytes).catch(error =>
        assert.ok(error instanceof RejectedFileError, `byte ${at}: ${error}`),
      )
    }
  })

  it('whose entries have names of many KiB, at once', async () => {
    const entries = (count: number, name: string) =>
      Array.from({ length: count }, (_, index) => ({ name: `${name}${index}.docx`, content: '' }))
    const began = performance.now()
    await rejects(
      openXml('docx', { entries: entries(15, 'embeddings/'.repeat(5_940)) }),
      'embeddings',
      /intact/,
    )
    await rejects(openXml('docx', { entries: entries(1, 'x'.repeat(1_020)) }), 'more than 1 KiB', /intact/)
    assert.ok(performance.now() - began < 500, `${performance.now() - began} ms`)
    const names = entries(900, 'embeddings/'.repeat(92))
    const types = '<Default Extension="docx" ContentType="x"/>'
    assert.ok(await typeOf(openXml('docx', { entries: names, types })))
    await rejects(
      openXml('docx', { entries: [...names, { name: 'embeddings/a.docx/b.bin', content: 'x' }] }),
      'the last one',
      /macros/,
    )
  })

  it('whose content types expand to more than a megabyte', async () => {
    const content = `wordprocessingml.document.main+xml${' '.repeat(2_000_000)}`
    await rejects(zipOf([{ name: '[Content_Types].xml', content }]), 'a bomb')
  })
})

describe('a compound file', () => {
  const check = (bytes: Buffer) => checkOutlookMessage(readerOf(bytes))
  const MESSAGE = ['__nameid_version1.0', '__properties_version1.0']

  it('is accepted if it is an Outlook message, of any size', async () => {
    await check(compoundFile())
    await check(
      compoundFile([...MESSAGE, ...Array.from({ length: 300 }, (_, index) => `__substg1.0_${index}`)]),
    )
    // So large that its allocation table does not fit into the header.
    await check(compoundFile(MESSAGE, { filler: 20_000 }))
  })

  it('is rejected if it is a document of Word, Excel or PowerPoint, or encrypted', async () => {
    for (const names of [
      ['WordDocument', '1Table'],
      ['Workbook'],
      ['PowerPoint Document'],
      ['EncryptedPackage'],
      [],
    ])
      await assert.rejects(check(compoundFile(names)), RejectedFileError, names.join())
  })

  it('is rejected if it holds macros', async () => {
    for (const name of ['_VBA_PROJECT', 'VBA', 'Macros', '_VBA_PROJECT_CUR'])
      await assert.rejects(check(compoundFile([...MESSAGE, name])), RejectedFileError, name)
  })

  it('is rejected if it is damaged, without reading in circles', async () => {
    const intact = compoundFile()
    // The last sector holds free entries of the allocation table only.
    for (let length = 0; length < intact.length - 512; length += 100)
      await assert.rejects(check(intact.subarray(0, length)), RejectedFileError, `cut at ${length}`)
    for (let round = 0; round < 2_000; round++) {
      const bytes = Buffer.from(intact)
      for (let change = 0; change < 3; change++)
        bytes[Math.floor(Math.random() * bytes.length)] = Math.floor(Math.random() * 256)
      await check(bytes).catch(error => assert.ok(error instanceof RejectedFileError, String(error)))
    }
    const circle = Buffer.from(intact)
    // The directory is sector 0; the allocation table says that it is followed by itself.
    circle.writeUInt32LE(0, 512 + 512)
    await assert.rejects(check(circle), RejectedFileError)
  })
})
