import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isSchedule, parseSchedule, reminderDays } from '../../src/lib/schedule.ts'

const rung = fc.oneof(fc.constantFrom(0, 1, 7, 30, 90, 3650), fc.nat({ max: 3650 }))
const space = fc.constantFrom('', ' ', '  ')

describe('parseSchedule', () => {
  it('returns the default without a schedule', () => {
    for (const nothing of [null, '', 0, '0', '000', '0,0', ' 0 '])
      assert.equal(parseSchedule(nothing), 'default')
  })

  it('parses a number like its text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -5, max: 20_000 }), fc.double()), value =>
        assert.deepEqual(parseSchedule(value), parseSchedule(String(value))),
      ),
    )
  })

  it('parses days in any order and spacing, sorted and without duplicates', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(rung, space, space), { minLength: 1, maxLength: 6 }), rungs => {
        const text = rungs.map(([day, before, behind]) => `${before}${day}${behind}`).join(',')
        const days = [...new Set(rungs.map(([day]) => day))].sort((a, b) => b - a)
        assert.deepEqual(parseSchedule(text), days.every(day => day === 0) ? 'default' : { days })
      }),
    )
  })

  it('rejects days beyond ten years', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3651, max: 99_999 }), rung, (far, near) => {
        assert.equal(parseSchedule(far), undefined)
        assert.equal(parseSchedule(`${near},${far}`), undefined)
      }),
    )
  })

  it('parses a duration as months and days, which have no fixed sum', () => {
    const part = fc.option(fc.nat({ max: 99 }), { nil: undefined })
    fc.assert(
      fc.property(part, part, part, part, (years, months, weeks, days) => {
        const parts = [
          [years, 'Y'],
          [months, 'M'],
          [weeks, 'W'],
          [days, 'D'],
        ] as const
        const text = parts.map(([value, unit]) => (value === undefined ? '' : `${value}${unit}`)).join('')
        const expected = {
          months: (years ?? 0) * 12 + (months ?? 0),
          days: (weeks ?? 0) * 7 + (days ?? 0),
        }
        assert.deepEqual(parseSchedule(`P${text}`), text === '' ? undefined : expected)
      }),
    )
  })

  it('parses a date or a date-time as that day', () => {
    assert.deepEqual(parseSchedule('2027-06-30'), { on: '2027-06-30' })
    assert.deepEqual(parseSchedule('2027-06-30T23:59:59+02:00'), { on: '2027-06-30' })
    assert.equal(parseSchedule('2027-02-29'), undefined)
  })

  it('rejects everything else', () => {
    const odd = [
      ' ', 'P', 'PT1H', 'P1', 'P1D1M', 'P-1D', 'p1d', '-1', '+1', '1.5', '1e2', '1,', ',1', '1,,2', '1;2', '1 2', '12345',
      'soon', '٣', '30 days', '2027-06', 'null',
    ] // biome-ignore format: a table reads better than a column
    for (const text of odd) assert.equal(parseSchedule(text), undefined, JSON.stringify(text))
    for (const value of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      assert.equal(parseSchedule(value), undefined)
  })

  it('returns for any text a schedule within its limits, or undefined', () => {
    const close = fc.string({ unit: fc.constantFrom(...'0123456789,PYMWDT- :') })
    fc.assert(
      fc.property(fc.oneof(close, fc.string({ unit: 'binary-ascii' })), text => {
        const parsed = parseSchedule(text)
        assert.equal(isSchedule(text), parsed !== undefined)
        if (parsed === undefined || parsed === 'default') return
        if ('on' in parsed) assert.match(parsed.on, /^\d{4}-\d{2}-\d{2}$/)
        else if ('months' in parsed)
          assert.ok(text.trim().startsWith('P') && parsed.months >= 0 && parsed.days >= 0)
        else assert.ok(parsed.days.length > 0 && parsed.days.every(day => day >= 0 && day <= 3650), text)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('reminderDays', () => {
  it('is the time from the first reminder to the expiry, and 0 for the default', () => {
    const expiry = '2027-06-30T00:00:00'
    for (const [schedule, days] of [
      [null, 0],
      [0, 0],
      [30, 30],
      ['7,90,30', 90],
      ['P1M', 31],
      ['2027-06-01', 29],
      ['2027-08-01', 0],
    ] as const)
      assert.equal(reminderDays(schedule, expiry), days, String(schedule))
  })
})
