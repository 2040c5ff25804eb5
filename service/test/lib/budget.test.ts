import assert from 'node:assert/strict'
import { afterEach, describe, it, mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { BudgetExceeded, createBudget, type Reservation } from '../../src/lib/budget.ts'

const options = { capacity: 10, maxWaiting: 3, maxWaitMs: 1_000 }

describe('a budget', () => {
  afterEach(() => mock.timers.reset())

  it('makes work wait that does not fit, and admits it in order as others end', async () => {
    const budget = createBudget(options)
    const first = await budget.reserve(6)
    const order: string[] = []
    const large = budget.reserve(8).then(() => order.push('large'))
    const small = budget.reserve(1).then(() => order.push('small'))
    await turn()
    assert.deepEqual([order, budget.reserved(), budget.waiting()], [[], 6, 2])
    first.release()
    first.release()
    await Promise.all([large, small])
    assert.deepEqual([order, budget.reserved(), budget.waiting()], [['large', 'small'], 9, 0])
  })

  it('admits as soon as a reservation shrinks, which never grows again', async () => {
    const budget = createBudget(options)
    const first = await budget.reserve(10)
    const second = budget.reserve(4)
    first.shrink(6)
    first.shrink(9)
    await second
    assert.equal(budget.reserved(), 10)
    first.release()
    assert.equal(budget.reserved(), 4)
  })

  it('rejects beyond the queue, and after the time that work may wait', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const budget = createBudget(options)
    const held = await budget.reserve(10)
    const waiting = [1, 2, 3].map(amount => budget.reserve(amount))
    const outcomes = Promise.allSettled(waiting)
    await assert.rejects(budget.reserve(1), BudgetExceeded)
    mock.timers.tick(1_000)
    for (const outcome of await outcomes)
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof BudgetExceeded)
    held.release()
    assert.deepEqual([budget.reserved(), budget.waiting()], [0, 0])
  })

  it('removes aborted work from the queue, and admits the work behind it', async () => {
    const budget = createBudget(options)
    const held = await budget.reserve(5)
    const left = new AbortController()
    const large = budget.reserve(10, left.signal)
    const small = budget.reserve(5)
    left.abort(new Error('left'))
    await assert.rejects(large, /left/)
    const admitted = await small
    held.release()
    admitted.release()
    assert.deepEqual([budget.reserved(), budget.waiting()], [0, 0])
  })

  it('reserves its capacity for work that asks for more', async () => {
    const budget = createBudget(options)
    const all = await budget.reserve(1_000)
    assert.equal(budget.reserved(), 10)
    all.release()
    assert.equal(budget.reserved(), 0)
  })

  it('never reserves more than its capacity, and nothing when all work has ended', async () => {
    const step = fc.record({ amount: fc.integer({ min: 1, max: 15 }), ends: fc.nat(5) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async steps => {
        const budget = createBudget({ ...options, maxWaiting: 100 })
        const open: Reservation[] = []
        const all = steps.map(({ amount, ends }) => {
          const asked = budget.reserve(amount).then(one => void open.push(one))
          for (const one of open.splice(0, ends)) one.release()
          assert.ok(budget.reserved() <= options.capacity)
          return asked
        })
        while (budget.waiting() > 0 || open.length > 0) {
          await turn()
          assert.ok(budget.reserved() <= options.capacity)
          for (const one of open.splice(0)) one.release()
        }
        await Promise.all(all)
        for (const one of open.splice(0)) one.release()
        assert.equal(budget.reserved(), 0)
      }),
    )
  })
})
