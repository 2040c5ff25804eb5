// The guard: how many people an import may take something from.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addApplied,
  addRows,
  emptyGuard,
  type GuardedRow,
  heldBy,
  heldByApplied,
} from '../../src/imports/guard.ts'

const row = (number: number, taken: Partial<GuardedRow['taken']> = {}): GuardedRow => ({
  row: number,
  employeeNumber: `E-${number}`,
  changed: ['/primaryApplicant/jobTitle'],
  taken: { people: 1, affected: 1, values: 1, dependents: 0, companies: 0, ...taken },
})
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1))

describe('heldBy', () => {
  it('lets 25 people pass in a small file, and no more', () => {
    assert.equal(heldBy(addRows(emptyGuard(), rows(25), 0)), undefined)
    assert.deepEqual(heldBy(addRows(emptyGuard(), rows(26), 0))?.limit, 25)
  })

  it('lets 5 % of the people pass in a large file, counting those that do not change', () => {
    assert.equal(heldBy(addRows(emptyGuard(), rows(50), 950)), undefined)
    assert.equal(heldBy(addRows(emptyGuard(), rows(51), 950))?.limit, 50)
  })

  it('counts the people of all batches, and keeps the first samples of each reason', () => {
    const first = addRows(emptyGuard(), rows(20), 0)
    const second = addRows(first, [row(21, { values: 0, companies: 1 }), ...rows(9)], 0)
    const held = heldBy(second)
    assert.equal(held?.people, 30)
    assert.deepEqual(
      held?.reasons.map(({ code, people, samples }) => [code, people, samples.length]),
      [
        ['values-taken', 29, 5],
        ['companies-taken', 1, 1],
      ],
    )
    assert.equal(first.people, 20, 'a state is not changed')
  })
})

describe('heldByApplied', () => {
  const checked = addRows(emptyGuard(), rows(10), 0)

  it('counts what was taken by all batches that were applied, apart from what the check has found', () => {
    const first = addApplied(checked, rows(20))
    assert.equal(heldByApplied(checked), undefined)
    assert.equal(heldByApplied(first), undefined)
    const held = heldByApplied(addApplied(first, rows(6)))
    assert.deepEqual([held?.people, held?.limit], [26, 25])
    assert.match(held?.reasons[0]?.detail ?? '', /changed since the check/)
  })
})
