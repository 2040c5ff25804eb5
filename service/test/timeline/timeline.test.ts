// The order of a timeline: slices of its sources, cut at any position, are the rest of the merged order.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  byAge,
  positionOf,
  SOURCES,
  type Source,
  sliceFor,
  type TimelinePosition,
} from '../../src/timeline/timeline.ts'

interface Entry {
  source: Source
  at: Date
  seq: number
}

const entry = fc.record({
  source: fc.constantFrom(...SOURCES),
  at: fc.integer({ min: 0, max: 3 }).map(ms => new Date(1_780_000_000_000 + ms)),
  seq: fc.integer({ min: 1, max: 4 }),
})
const entries = fc.uniqueArray(entry, {
  maxLength: 30,
  selector: ({ source, seq, at }) => `${source} ${seq} ${at.getTime()}`,
})

/** What a store returns for a slice. */
function select(all: Entry[], source: Source, from: TimelinePosition | undefined, isNewer: boolean): Entry[] {
  const slice = sliceFor(source, { from, isNewer, limit: 100 })
  const [at, seq] = [Date.parse(slice.from.at), slice.from.seq]
  const compared = (one: Entry) => one.at.getTime() - at || one.seq - seq
  return all.filter(one => one.source === source && (isNewer ? compared(one) > 0 : compared(one) < 0))
}

const merged = (all: Entry[], from: TimelinePosition | undefined, isNewer: boolean) =>
  SOURCES.flatMap(source => select(all, source, from, isNewer)).sort(byAge)

describe('sliceFor', () => {
  it('selects everything without a position', () => {
    fc.assert(
      fc.property(entries, all => assert.deepEqual(merged(all, undefined, false), all.toSorted(byAge))),
    )
  })

  it('cuts the merged order at any entry, in both directions, with or without the entry', () => {
    fc.assert(
      fc.property(entries, all => {
        const order = all.toSorted(byAge)
        for (const [index, one] of order.entries())
          for (const inclusive of [false, true]) {
            const from = { ...positionOf(one), inclusive }
            assert.deepEqual(merged(all, from, false), order.slice(inclusive ? index : index + 1))
            assert.deepEqual(merged(all, from, true), order.slice(0, inclusive ? index + 1 : index))
          }
      }),
    )
  })
})
