import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RejectedFileError } from '../../src/documents/accepted-kinds.ts'
import { kindOf } from '../../src/documents/file-kind.ts'

/** The media type, or undefined if the file is rejected. */
function kindOfBytes(head: Buffer, fileName: string): string | undefined {
  try {
    return kindOf(head, fileName).contentType
  } catch (error) {
    if (error instanceof RejectedFileError) return undefined
    throw error
  }
}

const kind = (text: string, fileName = 'scan.txt') => kindOfBytes(Buffer.from(text, 'latin1'), fileName)

describe('a file is rejected', () => {
  it('that begins as a browser sniffs HTML', () => {
    const beginnings = [
      '<h1>x',
      '<a href=x>',
      '<img src=x onerror=y>',
      '<!-- x --><b>',
      '<?xml version="1.0"?>',
    ]
    for (const start of ['', ' ', '\n\t', '\xef\xbb\xbf', '\xef\xbb\xbf\n'])
      for (const text of beginnings) assert.equal(kind(start + text), undefined, start + text)
  })

  it('that is an Android program', () => {
    assert.equal(kind('dex\n035\0'), undefined)
  })

  it('whose name has the extension of a program, for Windows or to the eye', () => {
    for (const end of ['', '.', '..', ' ', '. .', '::$DATA', ':x', '\u200b', '\u202c'])
      assert.equal(kind('x', `scan.pdf.exe${end}`), undefined, JSON.stringify(end))
    assert.equal(kind('x', 'scan.pif'), undefined)
  })
})

describe('markup that imitates a picture', () => {
  it('is rejected', () => {
    assert.equal(kind('<!--ftypheic--><img src=x onerror=alert(1)>'), undefined)
    assert.equal(kind('<br/ftypheic><img src=x onerror=alert(1)>'), undefined)
    assert.equal(kind('<p >ftypmif1<a href=javascript:alert(1)>'), undefined)
  })

  it('does not keep real HEIC files out', () => {
    assert.equal(kind('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'scan.heic'), 'image/heic')
    assert.equal(kind('\0\0\0\x18ftypmif1\0\0\0\0mif1heic', 'scan.jpg'), 'image/heif')
  })
})

describe('server page directives', () => {
  const photograph = (hex: string) =>
    Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(2_000, 0xa5), Buffer.from('<%@')])

  it('are rejected in text', () => {
    assert.equal(kind('<%@ page language="java" %>'), undefined)
    assert.equal(kind('some text, then <%@ page import="x" %>'), undefined)
  })

  it('are ignored in photographs, where the three bytes occur by chance', () => {
    const name = 'passport.jpg'
    assert.equal(kindOfBytes(photograph('ffd8ffe0'), name), 'image/jpeg')
    assert.equal(kindOfBytes(photograph('89504e470d0a1a0a'), name), 'image/png')
    assert.equal(kindOfBytes(photograph('49492a00'), name), 'image/tiff')
    const bmp = '424d36040000000000003604000028000000'
    assert.equal(kindOfBytes(photograph(bmp), name), 'image/bmp')
  })

  it('are rejected behind a text that begins like a picture', () => {
    assert.equal(kind('BM<%@ Page Language="C#"%>'), undefined)
    assert.equal(kind('<%@ ftypheic page language="java" %>'), undefined)
  })

  it('do not hide a script in a photograph', () => {
    const polyglot = Buffer.concat([photograph('ffd8ffe0'), Buffer.from('<script>alert(1)</script>')])
    assert.equal(kindOfBytes(polyglot, 'passport.jpg'), undefined)
  })
})

describe('a file is stored', () => {
  it('that only resembles markup or a program', () => {
    assert.equal(kind('<anna@example.com> wrote: hello'), 'text/plain')
    assert.equal(kind('a < b and b > a'), 'text/plain')
    assert.equal(kind('%PDF-1.7', 'exe. in the middle.pdf'), 'application/pdf')
    assert.equal(kind('%PDF-1.7', ':.pdf'), 'application/pdf')
  })

  it('if its bytes and its name are of an accepted kind', () => {
    const accepted: [bytes: string, fileName: string, type: string][] = [
      ['%PDF-1.7', 'a.PDF', 'application/pdf'],
      ['%PDF-1.7', 'no extension', 'application/pdf'],
      ['\xff\xd8\xff\xe0', 'a.jpeg', 'image/jpeg'],
      ['GIF89a', 'a.gif', 'image/gif'],
      ['GIF87a', 'a.gif', 'image/gif'],
      ['RIFF\x24\0\0\0WEBPVP8 ', 'a.webp', 'image/webp'],
      ['MM\0*\0\0\0\x08', 'a.tif', 'image/tiff'],
      ['Name;Number\r\nSchmidt;1\r\n', 'a.csv', 'text/csv'],
      ['Ort: Z\xfcrich\n', 'latin-1.txt', 'text/plain'],
      ['\xef\xbb\xbfOrt', 'mark.txt', 'text/plain'],
      ['\xff\xfeO\0r\0t\0', 'utf-16.txt', 'text/plain'],
      ['From: anna@example.com\r\nSubject: Hello\r\n\r\n<html>', 'a.eml', 'message/rfc822'],
      ['Received: from a\n by b\nX-Spam: no\n', 'a.eml', 'message/rfc822'],
    ]
    for (const [bytes, fileName, type] of accepted) assert.equal(kind(bytes, fileName), type, fileName)
  })

  it('as PDF or image, under the name of another one of these', () => {
    assert.equal(kind('\x89PNG\r\n\x1a\n', 'scan.pdf'), 'image/png')
    assert.equal(kind('%PDF-1.7', 'scan.jpg'), 'application/pdf')
  })
})

describe('a file is rejected', () => {
  it('whose extension is of no accepted kind, whatever its bytes', () => {
    const extensions =
      'docm xlsm pptm dotm xlsb xlam doc xls ppt rtf jnlp one vhd vhdx iso img rdp html htm svg xml exe msi zip jar rar 7z gz js hta lnk url ics vcf slk iqy library-ms search-ms settingcontent-ms wsf ps1 py sh bin unknown'
    for (const extension of extensions.split(' '))
      for (const bytes of ['%PDF-1.7', 'plain text', 'PK\x03\x04', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'])
        assert.equal(kind(bytes, `scan.${extension}`), undefined, `${bytes} ${extension}`)
  })

  it('whose bytes are of no accepted kind, whatever its name', () => {
    const zip = 'PK\x03\x04'
    const compound = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
    for (const bytes of [
      '\x1f\x8b\x08',
      '7z\xbc\xaf\x27\x1c',
      'Rar!\x1a\x07',
      '{\\rtf1 ',
      'plain text',
      'BM',
      'ID;PWXL',
    ])
      for (const name of ['a.pdf', 'a.jpg', 'a.docx', 'a.msg', 'a.eml', 'a'])
        assert.equal(kind(bytes, name), undefined, `${bytes} ${name}`)
    for (const name of ['a.pdf', 'a.txt', 'a.eml', 'a.msg']) assert.equal(kind(zip, name), undefined, name)
    for (const name of ['a.pdf', 'a.txt', 'a.eml', 'a.docx'])
      assert.equal(kind(compound, name), undefined, name)
  })

  it('that is a document under the name of a text, or a text under the name of a document', () => {
    for (const name of ['a.txt', 'a.csv', 'a.eml', 'a.docx', 'a.msg'])
      assert.equal(kind('%PDF-1.7', name), undefined, name)
    for (const name of ['a.docx', 'a.xlsx', 'a.odt', 'a.msg', 'a.pdf', 'a.png', 'plain'])
      assert.equal(kind('plain text', name), undefined, name)
  })

  it('that is text of a format that opens in another program', () => {
    for (const bytes of ['{\\rtf1\\ansi', '  {\\rt', 'ID;PWXL;N;E', '\xef\xbb\xbfID;P', '@echo off'])
      for (const name of ['a.txt', 'a.csv']) assert.equal(kind(bytes, name), undefined, bytes)
  })

  it('that is no e-mail under the name of one', () => {
    for (const bytes of ['Hello', '<html>', 'Subject only\n', 'Title: A\nAuthor: B\n\n', '\n\nFrom: a@b\n'])
      assert.equal(kind(bytes, 'a.eml'), undefined, bytes)
  })
})
