import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { daysUntil, endOfDay, localDay, parseDate, startOfDay } from '../src/records/dates.ts'

describe('parseDate', () => {
  const forms: [string, string | undefined, string?][] = [
    ['2026-11-16', '2026-11-16'],
    ['2026-1-6', '2026-01-06'],
    ['20261116', '2026-11-16'],
    ['16.11.2026', '2026-11-16'],
    ['16/11/2026', '2026-11-16'],
    ['3/4/2026', '2026-04-03'],
    ['16 Nov 2026', '2026-11-16'],
    ['16 november 2026', '2026-11-16'],
    ['Nov 16, 2026', '2026-11-16'],
    ['16. März 2026', '2026-03-16', 'de'],
    ['2028-02-29', '2028-02-29'],
    ['2026-02-29', undefined],
    ['31.04.2026', undefined],
    ['13/13/2026', undefined],
    ['16 Foo 2026', undefined],
    ['soon', undefined],
    ['', undefined],
    ['+30d', '2026-12-16'],
    ['+2w', '2026-11-30'],
    ['-1d', '2026-11-15'],
    ['+3m', '2027-02-16'],
    ['+1y', '2027-11-16'],
    ['-1026y', '1000-11-16'],
    ['-1027y', undefined],
    ['-2000y', undefined],
    ['+7973y', '9999-11-16'],
    ['+7974y', undefined],
    ['+9999y', undefined],
    ['0001-01-01', undefined],
  ]
  for (const [text, expected, language] of forms)
    it(`reads ${JSON.stringify(text)} as ${expected ?? 'no date'}`, () =>
      assert.equal(parseDate(text, language, '2026-11-16'), expected))

  it('moves to the last day of a shorter month', () =>
    assert.equal(parseDate('+1m', 'en', '2027-01-31'), '2027-02-28'))
})

describe('daysUntil', () => {
  it('counts days of the calendar, with and without a time', () => {
    assert.equal(daysUntil('2026-11-17', '2026-11-16'), 1)
    assert.equal(daysUntil('2026-11-16T00:00:00', '2026-11-16'), 0)
    assert.equal(daysUntil('2026-10-25', '2026-10-24'), 1)
    assert.equal(daysUntil('2025-11-16', '2026-11-16'), -365)
  })
})

describe('localDay', () => {
  for (const [zone, expected] of [
    ['America/Los_Angeles', '2026-11-15'],
    ['Europe/Berlin', '2026-11-16'],
    ['Pacific/Kiritimati', '2026-11-16'],
  ] as const)
    it(`is ${expected} in ${zone}`, t => {
      const before = process.env['TZ']
      process.env['TZ'] = zone
      t.after(() => {
        if (before === undefined) delete process.env['TZ']
        else process.env['TZ'] = before
      })
      assert.equal(localDay('2026-11-16T04:30:00.000Z'), expected)
    })
})

it('A local day begins and ends in UTC where the browser is', () => {
  assert.equal(new Date(endOfDay('2026-03-01')).getTime() + 1, new Date(startOfDay('2026-03-02')).getTime())
})
