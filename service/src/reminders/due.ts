// Decides when a reminder of an expiry is due, without I/O. All dates are calendar days in UTC, so that neither the time
// zone of the machine nor daylight saving time moves a reminder. The reminders of one document are its ladder; each is a
// rung.
import { minusDays, minusMonths } from '../lib/dates.ts'
import type { Schedule } from '../lib/schedule.ts'

interface Rung {
  /** As stored in the notification. Unique for one document and expiry. */
  name: string
  dueOn: string
}

interface Ladder {
  /** The last valid day of the document, `YYYY-MM-DD`. */
  expiry: string
  schedule: Schedule
  defaultDays: number[]
}

/** The rungs of a document in order of their days, at most one per day. */
export function ladderOf({ expiry, schedule, defaultDays }: Ladder): Rung[] {
  const rungs = rungsOf({ expiry, schedule, defaultDays }).sort((a, b) => (a.dueOn < b.dueOn ? -1 : 1))
  return rungs.filter((rung, index) => rung.dueOn !== rungs[index + 1]?.dueOn)
}

function rungsOf({ expiry, schedule, defaultDays }: Ladder): Rung[] {
  if (schedule === 'default') return rungsOf({ expiry, schedule: { days: defaultDays }, defaultDays })
  // Nothing is due after the expiry, so a later day counts as the day of the expiry.
  if ('on' in schedule)
    return [{ name: `on ${schedule.on}`, dueOn: schedule.on < expiry ? schedule.on : expiry }]
  if ('months' in schedule) {
    const { months, days } = schedule
    return [{ name: rungName(months, days), dueOn: minusDays(minusMonths(expiry, months), days) }]
  }
  return schedule.days.map(days => ({ name: rungName(0, days), dueOn: minusDays(expiry, days) }))
}

function rungName(months: number, days: number): string {
  const count = (number: number, unit: string) => `${number} ${unit}${number === 1 ? '' : 's'}`
  const parts = [months > 0 && count(months, 'month'), (days > 0 || months === 0) && count(days, 'day')]
  return parts.filter(Boolean).join(' ')
}

interface DueQuery extends Ladder {
  today: string
  /** The day of the latest rung that is recorded for this expiry. */
  lastDueOn: string | null
}

/**
 * The rung to record today, if any: the latest whose day has come, unless it or a later one is recorded already. Earlier
 * rungs that were missed are skipped: after an outage there is one reminder, not three. Nothing is due after the expiry,
 * so a document that has expired before reminders are switched on gets none.
 */
export function dueRung({ today, lastDueOn, ...ladder }: DueQuery): Rung | undefined {
  if (today > ladder.expiry) return undefined
  const latest = ladderOf(ladder).findLast(({ dueOn }) => dueOn <= today)
  return latest && (lastDueOn === null || latest.dueOn > lastDueOn) ? latest : undefined
}

/** The next day to check the document: that of the next rung, or else the day after the expiry. */
export function nextCheck({ today, ...ladder }: Ladder & { today: string }): string {
  return ladderOf(ladder).find(({ dueOn }) => dueOn > today)?.dueOn ?? minusDays(ladder.expiry, -1)
}
