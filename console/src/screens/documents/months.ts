// Months as text such as 2026-11, without time zones.
const dayOf = (date: Date) => date.toISOString().slice(0, 10)
const parts = (month: string) => month.split('-').map(Number) as [year: number, month: number]

export function addMonths(month: string, count: number): string {
  const [year, number] = parts(month)
  return dayOf(new Date(Date.UTC(year, number - 1 + count, 1))).slice(0, 7)
}

export const monthsFrom = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => addMonths(first, index))

export function lastDayOf(month: string): string {
  const [year, number] = parts(month)
  return dayOf(new Date(Date.UTC(year, number, 0)))
}

/** Whole weeks, from Monday to Sunday, that have a day of the month. */
export function daysOfCalendar(month: string): string[] {
  const [year, number] = parts(month)
  const mondayBased = (date: Date) => (date.getUTCDay() + 6) % 7
  const first = new Date(Date.UTC(year, number - 1, 1))
  const last = new Date(Date.UTC(year, number, 0))
  const before = mondayBased(first)
  const count = before + last.getUTCDate() + (6 - mondayBased(last))
  return Array.from({ length: count }, (_, index) =>
    dayOf(new Date(Date.UTC(year, number - 1, 1 - before + index))),
  )
}

export function weekdays(language: string): string[] {
  const format = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  // 1 January 2024 is a Monday.
  return Array.from({ length: 7 }, (_, index) => format.format(new Date(Date.UTC(2024, 0, 1 + index))))
}
