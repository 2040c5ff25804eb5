// Wall-clock dates, as a person writes them on a form. A zone or a fraction is accepted and dropped; nothing is converted
// from one zone to another.

const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** `YYYY-MM-DDTHH:MM:SS` of a real calendar date, or undefined. */
export function parseWallClock(text: string): string | undefined {
  const match = SHAPE.exec(text)
  if (!match) return undefined
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00'] = match
  const real =
    Number(year) >= 1 &&
    Number(month) >= 1 &&
    Number(day) >= 1 &&
    Number(day) <= daysIn(Number(year), Number(month)) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60
  return real ? `${year}-${month}-${day}T${hour}:${minute}:${second}` : undefined
}

/** The `YYYY-MM-DD` of a wall-clock value. */
export function dayOf(wallClock: string): string {
  return wallClock.slice(0, 10)
}

function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return (DAYS[month - 1] ?? 0) + (leap ? 1 : 0)
}

/** The first and the last day with a year of four digits. Documents that never expire have the last one. */
const FIRST_DAY = Date.parse('0001-01-01')
const LAST_DAY = Date.UTC(9999, 11, 31)

const textOf = (date: Date) =>
  new Date(Math.min(Math.max(date.getTime(), FIRST_DAY), LAST_DAY)).toISOString().slice(0, 10)

export function minusDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() - days)
  return textOf(date)
}

export const plusDays = (day: string, days: number): string => minusDays(day, -days)

/** The same day of an earlier month, or that month's last day where it has no such day. */
export function minusMonths(day: string, months: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  const dayOfMonth = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - months)
  const lastDay = new Date(date)
  lastDay.setUTCMonth(lastDay.getUTCMonth() + 1, 0)
  date.setUTCDate(Math.min(dayOfMonth, lastDay.getUTCDate()))
  return textOf(date)
}

/** How many days `day` lies before `other`. */
export function daysBetween(day: string, other: string): number {
  return Math.round((Date.parse(other) - Date.parse(day)) / 86_400_000)
}
