import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kindOf } from '../../src/documents/file-kind.ts'

const kind = (text: string, fileName = 'scan.txt', declared = 'text/plain') =>
  kindOf(Buffer.from(text, 'latin1'), { declared, fileName })

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
    assert.equal(kind('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), 'image/heic')
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
    const name = { declared: 'image/jpeg', fileName: 'passport.jpg' }
    assert.equal(kindOf(photograph('ffd8ffe0'), name), 'image/jpeg')
    assert.equal(kindOf(photograph('89504e470d0a1a0a'), name), 'image/png')
    assert.equal(kindOf(photograph('49492a00'), name), 'image/tiff')
  })

  it('are rejected behind a text that begins like a picture', () => {
    assert.equal(kind('BM<%@ Page Language="C#"%>'), undefined)
    assert.equal(kind('<%@ ftypheic page language="java" %>'), undefined)
  })

  it('do not hide a script in a photograph', () => {
    const polyglot = Buffer.concat([photograph('ffd8ffe0'), Buffer.from('<script>alert(1)</script>')])
    assert.equal(kindOf(polyglot, { declared: 'image/jpeg', fileName: 'passport.jpg' }), undefined)
  })
})

describe('a file is stored', () => {
  it('as application/octet-stream if a browser could run its declared type', () => {
    for (const declared of [
      'text/html',
      'image/svg+xml',
      'multipart/x-mixed-replace',
      'application/x-httpd-php',
      'no type',
    ])
      assert.equal(kind('x', 'scan.txt', declared), 'application/octet-stream')
  })

  it('that only resembles markup or a program', () => {
    assert.equal(kind('<anna@example.com> wrote: hello'), 'text/plain')
    assert.equal(kind('a < b and b > a'), 'text/plain')
    assert.equal(kind('%PDF-1.7', 'exe. in the middle.pdf'), 'application/pdf')
    assert.equal(kind('%PDF-1.7', ':.pdf'), 'application/pdf')
  })
})
