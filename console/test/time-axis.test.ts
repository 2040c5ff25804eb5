import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { axisOf } from '../src/records/time-axis.ts'

const TODAY = '2026-11-16'
const paper = (id: string, from: string | null, to: string | null, lane = 'Permit') => ({
  id,
  lane,
  label: id,
  from,
  to,
})

describe('axisOf', () => {
  it('is undefined where nothing has an end', () =>
    assert.equal(axisOf([paper('a', '2020-01-01', null)], TODAY), undefined))

  it('finds the gap between two papers of a lane', () => {
    const axis = axisOf(
      [paper('a', '2020-01-01', '2022-12-31'), paper('b', '2023-02-01', '2029-01-31')],
      TODAY,
    )
    const gap = axis?.lanes[0]?.gaps[0]
    assert.deepEqual([gap?.from, gap?.to, gap?.days], ['2023-01-01', '2023-01-31', 31])
    assert.equal(axis?.lanes[0]?.gaps.length, 1)
  })

  it('finds no gap where papers follow each other or overlap', () => {
    const papers = [
      paper('a', '2020-01-01', '2022-12-31'),
      paper('b', '2023-01-01', '2025-01-01'),
      paper('c', '2024-06-01', '2029-01-31'),
    ]
    assert.deepEqual(axisOf(papers, TODAY)?.lanes[0]?.gaps, [])
  })

  it('has a gap from the last paper until today', () => {
    const gap = axisOf([paper('a', '2020-01-01', '2026-11-06')], TODAY)?.lanes[0]?.gaps[0]
    assert.deepEqual([gap?.from, gap?.to, gap?.days], ['2026-11-07', TODAY, 10])
  })

  it('compares papers of the same lane only', () => {
    const papers = [
      paper('a', '2020-01-01', '2030-01-01', 'Passport DE'),
      paper('b', '2025-01-01', '2030-01-01', 'Permit'),
    ]
    assert.deepEqual(
      axisOf(papers, TODAY)?.lanes.map(({ name, gaps }) => [name, gaps.length]),
      [
        ['Passport DE', 0],
        ['Permit', 0],
      ],
    )
  })

  it('says how papers stand today', () => {
    const papers = [
      paper('past', '2020-01-01', '2021-01-01'),
      paper('soon', '2022-01-01', '2026-12-31'),
      paper('valid', null, '2030-01-01'),
    ]
    const bars = axisOf(papers, TODAY)?.lanes[0]?.bars ?? []
    assert.deepEqual(
      bars.map(({ state, isOpen }) => [state, isOpen]),
      [
        ['past', false],
        ['soon', false],
        ['valid', true],
      ],
    )
  })

  it('keeps everything on the axis', () => {
    const axis = axisOf([paper('a', '1990-01-01', '2095-01-01')], TODAY)
    const bar = axis?.lanes[0]?.bars[0]
    assert.ok(bar && bar.start >= 0 && bar.end <= 1 && bar.start < bar.end)
    assert.ok(axis && axis.today > 0 && axis.today < 1)
  })

  it('ends within a lifetime where a paper ends in the year 9999, or began in the year 1900', () => {
    const axis = axisOf(
      [paper('a', '1900-01-01', '9999-12-31'), paper('b', '2024-01-01', '2027-01-01')],
      TODAY,
    )
    assert.ok(axis && axis.years.length <= 24, `${axis?.years.length} years`)
    assert.ok(axis.to < '2050' && axis.from > '1960', `${axis.from} to ${axis.to}`)
    const [open, dated] = axis.lanes[0]?.bars.toSorted((a, b) => b.to.localeCompare(a.to)) ?? []
    assert.deepEqual([open?.start, open?.end, open?.to], [0, 1, '9999-12-31'])
    assert.ok(dated && dated.end - dated.start > 0.02)
  })
})
