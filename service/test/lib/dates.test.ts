import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dayOf, minusDays, minusMonths, parseWallClock } from '../../src/lib/dates.ts'

const two = (value: number) => String(value).padStart(2, '0')
const four = (value: number) => String(value).padStart(4, '0')

/** Valid and invalid days: days up to 32 and months up to 13, around the ends of years and centuries. */
const days = fc.record({
  year: fc.oneof(fc.constantFrom(0, 1, 4, 1582, 1600, 1900, 2000, 2023, 2024, 9999), fc.nat({ max: 9999 })),
  month: fc.oneof(fc.constantFrom(0, 2, 12, 13), fc.nat({ max: 13 })),
  day: fc.oneof(fc.constantFrom(0, 28, 29, 30, 31, 32), fc.nat({ max: 32 })),
})

const times = fc.record({
  hour: fc.oneof(fc.constantFrom(0, 23, 24), fc.nat({ max: 25 })),
  minute: fc.oneof(fc.constantFrom(0, 59, 60), fc.nat({ max: 61 })),
  second: fc.oneof(fc.constantFrom(0, 59, 60), fc.nat({ max: 61 })),
})

const FRACTIONS = ['', '.0', '.123', ',5', '.999999999']
const ZONES = ['', 'Z', 'z', '+00:00', '-12:00', '+05:30', '+0530', '-08', '+14:00']

interface Day {
  year: number
  month: number
  day: number
}

const dayText = ({ year, month, day }: Day) => `${four(year)}-${two(month)}-${two(day)}`

/** Whether the day exists, by JavaScript's Date, which overflows into the next month otherwise. */
function isReal({ year, month, day }: Day): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return (
    year >= 1 &&
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day
  )
}

describe('parseWallClock', () => {
  it('accepts a plain date exactly when it exists', () => {
    fc.assert(
      fc.property(days, day => {
        const text = dayText(day)
        assert.equal(parseWallClock(text), isReal(day) ? `${text}T00:00:00` : undefined)
      }),
      { numRuns: 3_000 },
    )
  })

  it('keeps date and time as written, with any fraction or zone', () => {
    fc.assert(
      fc.property(
        days,
        times,
        fc.constantFrom('T', 't', ' '),
        fc.constantFrom(...FRACTIONS),
        fc.constantFrom(...ZONES),
        (day, { hour, minute, second }, separator, fraction, zone) => {
          const clock = `${two(hour)}:${two(minute)}:${two(second)}`
          const real = isReal(day) && hour < 24 && minute < 60 && second < 60
          assert.equal(
            parseWallClock(`${dayText(day)}${separator}${clock}${fraction}${zone}`),
            real ? `${dayText(day)}T${clock}` : undefined,
          )
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('accepts a time without seconds', () => {
    assert.equal(parseWallClock('2024-02-29T09:30'), '2024-02-29T09:30:00')
    assert.equal(parseWallClock('2024-02-29 09:30+02:00'), '2024-02-29T09:30:00')
  })

  it('returns its own results unchanged', () => {
    fc.assert(
      fc.property(days, times, (day, { hour, minute, second }) => {
        const parsed = parseWallClock(`${dayText(day)}T${two(hour)}:${two(minute)}:${two(second)}`)
        if (parsed !== undefined) assert.equal(parseWallClock(parsed), parsed)
      }),
    )
  })

  it('rejects text of any other form', () => {
    const odd = [
      '', ' ', 'today', '2024', '2024-02', '24-02-29', '2024-2-9', '2024/02/29', '29.02.2024', '20240229',
      '+2024-02-29', '-2024-02-29', '12024-02-29', '2024-02-29T', '2024-02-29T9:30', '2024-02-29T09', '2024-02-29Z',
      '2024-02-29T09:30:00.', '2024-02-29T09:30:00+', '2024-02-29T09:30:00 Z', ' 2024-02-29', '2024-02-29 ',
      '2024-02-29\n', '2024-02-29T09:30:00\n', '２０２４-02-29', '٢٠٢٤-02-29', '2024‐02‐29', '2024-W09-4', '2024-060',
    ] // biome-ignore format: a table reads better than a column
    for (const text of odd) assert.equal(parseWallClock(text), undefined, JSON.stringify(text))
  })

  it('returns the day of the text', () => {
    const close = fc
      .tuple(days, fc.string({ unit: fc.constantFrom(...'0123456789-:.,T +zZ\n٢２') }), fc.nat({ max: 12 }))
      .map(([day, noise, at]) => dayText(day).slice(0, at) + noise + dayText(day).slice(at))
    fc.assert(
      fc.property(fc.oneof(close, fc.string({ unit: 'binary-ascii' })), text => {
        const parsed = parseWallClock(text)
        if (parsed === undefined) return
        assert.match(parsed, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/)
        assert.equal(dayOf(parsed), text.slice(0, 10))
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('dayOf', () => {
  it('is the day of a wall-clock value', () => {
    assert.equal(dayOf('1990-05-31T23:59:59'), '1990-05-31')
  })
})

describe('a day before another one', () => {
  it('is in the years 1 to 9999', () => {
    assert.equal(minusMonths('0001-01-01', 24), '0001-01-01')
    assert.equal(minusDays('0001-01-31', 31), '0001-01-01')
    assert.equal(minusDays('9999-12-31', -1), '9999-12-31')
    assert.equal(minusMonths('2024-03-31', 1), '2024-02-29')
  })
})
