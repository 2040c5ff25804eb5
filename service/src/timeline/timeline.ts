// The order of a timeline, without I/O. Entries come from several sources; each source has an order of its own, (at, seq),
// and they are merged by (at, source, seq), newest first.
import type { Position, Slice } from '../db/keyset.ts'

/** In the order of entries with the same time, the first one newest. */
export const SOURCES = ['reminder', 'document', 'note', 'change'] as const
export type Source = (typeof SOURCES)[number]

export interface TimelinePosition extends Position {
  source: Source
  /** Whether the entry at the position belongs to the page. */
  inclusive?: boolean
}

/** Newer than every entry. */
const END: TimelinePosition = { at: '9999-12-31T00:00:00Z', seq: 0, source: 'change' }
const MAX = Number.MAX_SAFE_INTEGER

const rankOf = (source: Source) => SOURCES.length - SOURCES.indexOf(source)

/** The part of a source that lies beyond a position of the whole timeline. */
export function sliceFor(
  source: Source,
  { from = END, isNewer, limit }: { from: TimelinePosition | undefined; isNewer: boolean; limit: number },
): Slice {
  const { at, seq, inclusive = false } = from
  const rank = Math.sign(rankOf(source) - rankOf(from.source))
  // At the same time, entries of a source with a higher rank are newer.
  if (rank !== 0) return { from: { at, seq: rank > 0 ? -1 : MAX }, isNewer, limit }
  return { from: { at, seq: inclusive ? seq + (isNewer ? -1 : 1) : seq }, isNewer, limit }
}

interface Placed {
  at: Date
  source: Source
  seq: number
}

/** Sorts newest first. */
export function byAge(a: Placed, b: Placed): number {
  return b.at.getTime() - a.at.getTime() || rankOf(b.source) - rankOf(a.source) || b.seq - a.seq
}

export const positionOf = ({ at, source, seq }: Placed): TimelinePosition => ({
  at: at.toISOString(),
  source,
  seq,
})
