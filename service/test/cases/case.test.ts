// The due date of a step: what is sent wins, and only what was computed is computed again.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dueAfter, type StepDue } from '../../src/cases/case.ts'
import { plusDays } from '../../src/lib/dates.ts'

const NEW: StepDue = { dueDate: null, dueDays: 10, dueDateIsSet: false }
const at = (startDate: string | null, sent?: string | null) => ({ sent, startDate })

describe('dueAfter', () => {
  it('counts calendar days from the start, over the ends of months and leap days', () => {
    assert.equal(dueAfter(NEW, at('2028-02-20')).dueDate, '2028-03-01')
    assert.equal(dueAfter(NEW, at('2026-12-25')).dueDate, '2027-01-04')
    assert.equal(dueAfter({ ...NEW, dueDays: 0 }, at('2026-12-25')).dueDate, '2026-12-25')
    assert.equal(dueAfter(NEW, at('9999-12-30')).dueDate, '9999-12-31')
  })

  it('has no date before the start, and for a step without due days', () => {
    assert.equal(dueAfter(NEW, at(null)).dueDate, null)
    assert.equal(dueAfter({ ...NEW, dueDays: null }, at('2026-01-01')).dueDate, null)
  })

  it('agrees with a model for every sequence of starts and due dates that are sent', () => {
    const day = fc.integer({ min: 0, max: 60 }).map(days => plusDays('2026-01-01', days))
    const change = fc.record({
      startDate: fc.option(day, { nil: null }),
      sent: fc.option(fc.option(day, { nil: null }), { nil: undefined }),
    })
    const dueDays = fc.option(fc.integer({ min: 0, max: 20 }), { nil: null })
    fc.assert(
      fc.property(dueDays, fc.array(change, { maxLength: 12 }), (days, changes) => {
        let state: StepDue = { dueDate: null, dueDays: days, dueDateIsSet: false }
        let set: string | null = null
        for (const { startDate, sent } of changes) {
          state = dueAfter(state, { startDate, sent })
          const computed = startDate !== null && days !== null ? plusDays(startDate, days) : null
          if (sent === null) set = null
          else if (sent !== undefined && (set !== null || sent !== computed)) set = sent
          assert.deepEqual(state, { dueDate: set ?? computed, dueDays: days, dueDateIsSet: set !== null })
          if (sent) assert.equal(state.dueDate, sent)
        }
      }),
    )
  })
})
