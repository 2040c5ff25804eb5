// Owns the ways in which a caller may say when to be reminded of an expiry.
import { dayOf, daysBetween, minusDays, minusMonths, parseWallClock } from './dates.ts'

const DAYS = /^\d{1,4}(?:\s*,\s*\d{1,4})*$/
const DURATION = /^P(?=\d)(?:(\d{1,3})Y)?(?:(\d{1,3})M)?(?:(\d{1,3})W)?(?:(\d{1,4})D)?$/
const LONGEST = 3650

/** Rungs in days before expiry, or one calendar day. Nothing asked for means the default ladder. */
export type Schedule = { days: number[] } | { on: string } | { months: number; days: number } | 'default'

/** Undefined where the text is none of the forms. */
export function parseSchedule(value: string | number | null): Schedule | undefined {
  if (value === null || value === '') return 'default'
  const text = String(value).trim()
  if (DAYS.test(text)) {
    const days = [...new Set(text.split(',').map(Number))].sort((a, b) => b - a)
    if (days.some(day => day > LONGEST)) return undefined
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

/** How many days before its expiry a document is first reminded of, at most what a client may send; 0 for the default ladder. */
export function reminderDays(value: string | number | null, expiryDate: string | null): number {
  return Math.min(LONGEST, firstDay(parseSchedule(value) ?? 'default', expiryDate))
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
