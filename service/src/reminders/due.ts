// Owns when a reminder of an expiry is due. Everything is a calendar day in UTC, so that neither the zone of a machine
// nor a change to summer time moves anything.
import { minusDays, minusMonths } from '../lib/dates.ts'
import type { Schedule } from '../lib/schedule.ts'

export interface Rung {
  /** What stands in the record of notifications: together with the expiry it names this rung and no other. */
  name: string
  dueOn: string
}

interface Ladder {
  /** The last good day of the document, `YYYY-MM-DD`. */
  expiry: string
  schedule: Schedule
  defaultDays: number[]
}

/** The rungs of a document, in the order of their days, at most one a day. */
export function ladderOf({ expiry, schedule, defaultDays }: Ladder): Rung[] {
  const rungs = rungsOf({ expiry, schedule, defaultDays }).sort((a, b) => (a.dueOn < b.dueOn ? -1 : 1))
  return rungs.filter((rung, index) => rung.dueOn !== rungs[index + 1]?.dueOn)
}

function rungsOf({ expiry, schedule, defaultDays }: Ladder): Rung[] {
  if (schedule === 'default') return rungsOf({ expiry, schedule: { days: defaultDays }, defaultDays })
  // A day after the expiry would never come, so it counts as the day of the expiry.
  if ('on' in schedule)
    return [{ name: `on ${schedule.on}`, dueOn: schedule.on < expiry ? schedule.on : expiry }]
  if ('months' in schedule) {
    const { months, days } = schedule
    return [{ name: words(months, days), dueOn: minusDays(minusMonths(expiry, months), days) }]
  }
  return schedule.days.map(days => ({ name: words(0, days), dueOn: minusDays(expiry, days) }))
}

function words(months: number, days: number): string {
  const count = (number: number, unit: string) => `${number} ${unit}${number === 1 ? '' : 's'}`
  const parts = [months > 0 && count(months, 'month'), (days > 0 || months === 0) && count(days, 'day')]
  return parts.filter(Boolean).join(' ')
}

interface Question extends Ladder {
  today: string
  /** The day of the latest rung that was recorded for this expiry. */
  lastDueOn: string | null
}

/**
 * The rung to record today, if any: the latest whose day has come, unless it or a later one is on record. Those before
 * it that were missed are never made up for: after an outage there is one reminder, not three. The day of the expiry is
 * the last day on which anything is due, so a document that is already expired when reminders are switched on gets none.
 */
export function dueRung({ today, lastDueOn, ...ladder }: Question): Rung | undefined {
  if (today > ladder.expiry) return undefined
  const latest = ladderOf(ladder).findLast(({ dueOn }) => dueOn <= today)
  return latest && (lastDueOn === null || latest.dueOn > lastDueOn) ? latest : undefined
}

/** The next day on which there is anything to find out: that of the next rung, or else the day after the expiry. */
export function nextCheck({ today, ...ladder }: Ladder & { today: string }): string {
  return ladderOf(ladder).find(({ dueOn }) => dueOn > today)?.dueOn ?? minusDays(ladder.expiry, -1)
}
