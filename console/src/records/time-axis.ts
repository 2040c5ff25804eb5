// Passports and permits as bars on a time axis, with the gaps in which a person had none.
import { daysUntil } from './dates.ts'

export interface Validity {
  id: string
  /** Papers of one lane follow each other: passports of a country, permits of a type. */
  lane: string
  label: string
  from: string | null
  to: string | null
}

export interface Bar {
  id: string
  label: string
  from: string
  to: string
  /** Parts of the axis, from 0 to 1. */
  start: number
  end: number
  state: 'past' | 'valid' | 'soon'
  /** The first day is not known; the bar begins where the axis does. */
  isOpen: boolean
}

export interface Gap {
  from: string
  to: string
  days: number
  start: number
  end: number
}

export interface Lane {
  name: string
  bars: Bar[]
  gaps: Gap[]
}

export interface Axis {
  from: string
  to: string
  today: number
  years: { year: number; at: number }[]
  lanes: Lane[]
}

const DAY_MS = 86_400_000
/** A paper that ends within these days is shown as ending soon. */
const SOON_DAYS = 90
/** The axis ends this far ahead: some papers have an end in 9999 and mean none. */
const MOST_AHEAD_DAYS = 20 * 365
const MOST_BEHIND_DAYS = 60 * 365
/** More labels would overlap. */
const MOST_YEARS = 24

const toDay = (date: string) => Math.floor(Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / DAY_MS)
const fromDay = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** Undefined where nothing has an end. */
export function axisOf(papers: readonly Validity[], today: string): Axis | undefined {
  const dated = papers.flatMap(paper => (paper.to ? [{ ...paper, to: paper.to.slice(0, 10) }] : []))
  if (dated.length === 0) return undefined
  const now = toDay(today)
  const starts = dated.map(({ from, to }) => (from ? toDay(from) : Math.min(toDay(to), now) - 365))
  const ends = dated.map(({ to }) => toDay(to))
  const first = Math.max(now - MOST_BEHIND_DAYS, Math.min(now - 180, ...starts))
  const last = Math.min(now + MOST_AHEAD_DAYS, Math.max(now + 365, ...ends))
  const margin = Math.round((last - first) * 0.02)
  const [begin, finish] = [first - margin, last + margin]
  const at = (day: number) => Math.max(0, Math.min(1, (day - begin) / (finish - begin)))

  const lanes = [...Map.groupBy(dated, ({ lane }) => lane)].map(([name, list]): Lane => {
    const sorted = list.toSorted((a, b) => a.to.localeCompare(b.to))
    const bars = sorted.map(({ id, label, from, to }): Bar => {
      const left = daysUntil(to, today)
      return {
        id,
        label,
        from: from?.slice(0, 10) ?? fromDay(begin),
        to,
        start: at(from ? toDay(from) : begin),
        end: at(toDay(to) + 1),
        state: left < 0 ? 'past' : left <= SOON_DAYS ? 'soon' : 'valid',
        isOpen: from === null,
      }
    })
    return { name, bars, gaps: gapsOf(bars, now, at) }
  })
  const years: { year: number; at: number }[] = []
  const firstYear = Number(fromDay(begin).slice(0, 4)) + 1
  const step = Math.ceil((Number(fromDay(finish).slice(0, 4)) - firstYear + 1) / MOST_YEARS)
  for (let year = firstYear; toDay(`${year}-01-01`) < finish; year += step)
    years.push({ year, at: at(toDay(`${year}-01-01`)) })
  return { from: fromDay(begin), to: fromDay(finish), today: at(now), years, lanes }
}

/** Days between two papers, and from the end of the last one until today. */
function gapsOf(bars: readonly Bar[], now: number, at: (day: number) => number): Gap[] {
  const gaps: Gap[] = []
  const add = (from: number, to: number) => {
    if (to < from) return
    gaps.push({ from: fromDay(from), to: fromDay(to), days: to - from + 1, start: at(from), end: at(to + 1) })
  }
  let covered: number | undefined
  for (const bar of bars.toSorted((a, b) => a.from.localeCompare(b.from))) {
    if (covered !== undefined && toDay(bar.from) > covered + 1) add(covered + 1, toDay(bar.from) - 1)
    covered = Math.max(covered ?? Number.NEGATIVE_INFINITY, toDay(bar.to))
  }
  if (covered !== undefined && covered < now) add(covered + 1, now)
  return gaps
}
