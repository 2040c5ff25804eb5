// Wall-clock dates: text such as 2026-11-16, without a time zone.
const DAY_MS = 86_400_000
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})$/
/** 16.11.2026, 16/11/2026 and 16 11 2026: the day first. */
const DAY_FIRST = /^(\d{1,2})[./\s](\d{1,2})[./\s](\d{4})$/
/** 20261116. */
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/
/** 16 Nov 2026, Nov 16 2026. */
const NAMED_DAY_FIRST = /^(\d{1,2})\.?\s+([\p{L}]{3,})\.?\s+(\d{4})$/u
const NAMED_MONTH_FIRST = /^([\p{L}]{3,})\.?\s+(\d{1,2}),?\s+(\d{4})$/u

/** The local day of the browser. */
export function today(now = new Date()): string {
  return iso(now.getFullYear(), now.getMonth() + 1, now.getDate())
}

/** The local day of a moment, such as 2026-11-16T23:30:00Z. */
export const localDay = (moment: string): string => today(new Date(moment))

/** When a local day begins, in UTC. */
export function startOfDay(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).toISOString()
}

/** The last moment of a local day, in UTC. */
export function endOfDay(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date, 23, 59, 59, 999).toISOString()
}

const iso = (year: number, month: number, day: number) =>
  `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`

function valid(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal && year >= 1000 && year <= 9999 ? iso(year, month, day) : undefined
}

/** What was typed as a date, or undefined. Where 03/04/2026 could be two days, the day comes first. */
export function parseDate(text: string, language = 'en', from = today()): string | undefined {
  const typed = text.trim().toLowerCase()
  const relative = /^([+-])(\d{1,4})([dwmy]?)$/.exec(typed)
  if (relative) return shifted(from, Number(`${relative[1]}${relative[2]}`), relative[3] || 'd')
  const ymd = ISO.exec(typed) ?? COMPACT.exec(typed)
  if (ymd) return valid(Number(ymd[1]), Number(ymd[2]), Number(ymd[3]))
  const dmy = DAY_FIRST.exec(typed)
  if (dmy) return valid(Number(dmy[3]), Number(dmy[2]), Number(dmy[1]))
  const named = NAMED_DAY_FIRST.exec(typed)
  if (named) return valid(Number(named[3]), monthOf(named[2] ?? '', language), Number(named[1]))
  const american = NAMED_MONTH_FIRST.exec(typed)
  if (american) return valid(Number(american[3]), monthOf(american[1] ?? '', language), Number(american[2]))
  return undefined
}

function monthOf(text: string, language: string): number {
  for (const locale of [language, 'en']) {
    const format = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' })
    for (let month = 0; month < 12; month++)
      if (
        format
          .format(Date.UTC(2024, month, 15))
          .toLowerCase()
          .startsWith(text)
      )
        return month + 1
  }
  return 0
}

function shifted(from: string, count: number, unit: string): string | undefined {
  const [year = 0, month = 1, day = 1] = from.split('-').map(Number)
  if (unit === 'd' || unit === 'w') {
    const date = new Date(Date.UTC(year, month - 1, day + count * (unit === 'w' ? 7 : 1)))
    return valid(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
  }
  const months = year * 12 + month - 1 + count * (unit === 'y' ? 12 : 1)
  const [newYear, newMonth] = [Math.floor(months / 12), (months % 12) + 1]
  // 31 January and a month is the last day of February.
  const lastDay = new Date(Date.UTC(newYear, newMonth, 0)).getUTCDate()
  return valid(newYear, newMonth, Math.min(day, lastDay))
}

const dayNumber = (date: string) => Math.floor(Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / DAY_MS)

/** Days from today, or from another day; negative in the past. */
export const daysUntil = (date: string, from = today()): number => dayNumber(date) - dayNumber(from)
