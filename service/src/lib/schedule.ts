// Parses reminder schedules: days before the expiry, an ISO 8601 duration, or a date.
import { dayOf, daysBetween, minusDays, minusMonths, parseWallClock } from './dates.ts'

const DAYS = /^\d{1,4}(?:\s*,\s*\d{1,4})*$/
const DURATION = /^P(?=\d)(?:(\d{1,3})Y)?(?:(\d{1,3})M)?(?:(\d{1,3})W)?(?:(\d{1,4})D)?$/
const MAX_DAYS = 3650

/** Days before the expiry, a day, or a duration before the expiry. Without any, the default days apply. */
export type Schedule = { days: number[] } | { on: string } | { months: number; days: number } | 'default'

/** Undefined where the text is not a schedule. */
export function parseSchedule(value: string | number | null): Schedule | undefined {
  if (value === null || value === '') return 'default'
  const text = String(value).trim()
  if (DAYS.test(text)) {
    const days = [...new Set(text.split(',').map(Number))].sort((a, b) => b - a)
    if (days.some(day => day > MAX_DAYS)) return undefined
    return days.length === 1 && days[0] === 0 ? 'default' : { days }
  }
  const duration = DURATION.exec(text)
  if (duration) {
    const [years = 0, months = 0, weeks = 0, days = 0] = duration.slice(1).map(part => Number(part ?? 0))
    return { months: years * 12 + months, days: weeks * 7 + days }
  }
  const date = parseWallClock(text)
  return date ? { on: dayOf(date) } : undefined
}

export function isSchedule(text: string): boolean {
  return parseSchedule(text) !== undefined
}

export function sameSchedule(a: string | number | null, b: string | number | null): boolean {
  return JSON.stringify(parseSchedule(a)) === JSON.stringify(parseSchedule(b))
}

/** Days from the first reminder to the expiry, at most as many as a client may send; 0 for the default schedule. */
export function reminderDays(value: string | number | null, expiryDate: string | null): number {
  return Math.min(MAX_DAYS, firstDay(parseSchedule(value) ?? 'default', expiryDate))
}

function firstDay(schedule: Schedule, expiryDate: string | null): number {
  if (schedule === 'default') return 0
  if ('months' in schedule) {
    if (expiryDate === null) return schedule.months * 30 + schedule.days
    const expiry = dayOf(expiryDate)
    return daysBetween(minusDays(minusMonths(expiry, schedule.months), schedule.days), expiry)
  }
  if ('on' in schedule)
    return expiryDate === null ? 0 : Math.max(0, daysBetween(schedule.on, dayOf(expiryDate)))
  return schedule.days[0] ?? 0
}
