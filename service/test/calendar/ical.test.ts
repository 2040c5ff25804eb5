import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { calendarOf, escapeText, fold, initialsOf } from '../../src/calendar/ical.ts'

const unfold = (text: string) => text.replaceAll('\r\n ', '')
const unescaped = (text: string) => text.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char))
const text = fc.string({ unit: 'binary', maxLength: 300 })

describe('fold', () => {
  it('makes lines of at most 75 octets, of whole characters, which unfold to the text', () => {
    fc.assert(
      fc.property(text, line => {
        const plain = line.replace(/[\r\n]/g, '')
        const folded = fold(plain)
        for (const part of folded.split('\r\n')) {
          assert.ok(Buffer.byteLength(part) <= 75, String(Buffer.byteLength(part)))
          assert.ok(part.isWellFormed())
        }
        assert.equal(unfold(folded), plain)
      }),
    )
  })

  it('leaves a line of 75 octets, and folds one of 76', () => {
    assert.equal(fold('x'.repeat(75)), 'x'.repeat(75))
    assert.equal(fold('x'.repeat(76)), `${'x'.repeat(75)}\r\n x`)
    assert.equal(fold('ü'.repeat(38)), `${'ü'.repeat(37)}\r\n ü`)
  })
})

describe('escapeText', () => {
  it('escapes backslashes, semicolons, commas and line breaks', () =>
    assert.equal(escapeText('a\\b;c,d\ne\r\nf'), 'a\\\\b\\;c\\,d\\ne\\nf'))

  it('never ends a line, and loses nothing but control characters', () => {
    fc.assert(
      fc.property(text, value => {
        const escaped = escapeText(value)
        assert.doesNotMatch(escaped, /\p{Cc}/u)
        const expected = value.replace(/\r\n|\r|\u2028|\u2029/g, '\n').replace(/(?!\n)\p{Cc}/gu, ' ')
        assert.equal(unescaped(escaped), expected)
      }),
    )
  })
})

describe('initialsOf', () => {
  for (const [names, initials] of [
    [['Anna', 'Schmidt'], 'A. S.'],
    [['  élodie', "d'Angelo"], 'É. D.'],
    [['𠮷野', null], '𠮷.'],
    [[null, ''], '?'],
    [["'", 'Ng'], 'N.'],
  ] as [(string | null)[], string][])
    it(`of ${JSON.stringify(names)} is ${initials}`, () => assert.equal(initialsOf(...names), initials))
})

describe('calendarOf', () => {
  it('writes a calendar with an all-day event', () => {
    const calendar = calendarOf('Caseport', [
      {
        uid: 'step-abc=@caseport',
        day: '2027-06-30',
        summary: 'Step due: File, then wait (A. S.)',
        description: 'Case abc=',
        changedAt: new Date('2026-11-16T15:38:02.123Z'),
      },
    ])
    assert.equal(
      calendar,
      [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'PRODID:-//Caseport//Caseport//EN',
        'CALSCALE:GREGORIAN',
        'X-WR-CALNAME:Caseport',
        'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
        'X-PUBLISHED-TTL:PT1H',
        'BEGIN:VEVENT',
        'UID:step-abc=@caseport',
        'DTSTAMP:20261116T153802Z',
        'DTSTART;VALUE=DATE:20270630',
        'SUMMARY:Step due: File\\, then wait (A. S.)',
        'DESCRIPTION:Case abc=',
        'CLASS:PRIVATE',
        'TRANSP:TRANSPARENT',
        'END:VEVENT',
        'END:VCALENDAR',
        '',
      ].join('\r\n'),
    )
  })
})
