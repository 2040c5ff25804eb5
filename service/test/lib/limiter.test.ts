import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLimiter } from '../../src/lib/limiter.ts'

describe('a limiter', () => {
  const create = (options: { limit?: number; capacity?: number } = {}) => {
    const time = { now: 1_000_000 }
    const limiter = createLimiter({ limit: 2, windowSeconds: 10, now: () => time.now, ...options })
    return { time, ...limiter }
  }

  it('returns for every event whether it was within the limit', () => {
    const { count } = create()
    assert.deepEqual([count('a'), count('a'), count('a'), count('b')], [true, true, false, true])
  })

  it('blocks a key once its limit is reached, for the rest of its window', () => {
    const { count, blockedFor, time } = create()
    count('a')
    assert.equal(blockedFor('a'), 0)
    count('a')
    assert.equal(blockedFor('a'), 10)
    assert.equal(blockedFor('b'), 0)
    time.now += 9_001
    assert.equal(blockedFor('a'), 1)
    time.now += 999
    assert.equal(blockedFor('a'), 0)
    assert.equal(count('a'), true)
  })

  it('begins a window with the first event, not with the clock', () => {
    const { count, time } = create()
    time.now += 9_000
    count('a')
    time.now += 2_000
    count('a')
    assert.equal(count('a'), false)
    time.now += 8_000
    assert.equal(count('a'), true)
  })

  it('is not prolonged by events beyond the limit', () => {
    const { count, blockedFor, time } = create()
    for (let event = 0; event < 20; event++) {
      count('a')
      time.now += 400
    }
    assert.equal(blockedFor('a'), 2)
  })

  it('keeps at most `capacity` keys, and drops the oldest windows first', () => {
    const { count, blockedFor } = create({ limit: 1, capacity: 3 })
    for (const key of ['a', 'b', 'c', 'd']) count(key)
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map(key => blockedFor(key) > 0),
      [false, true, true, true],
    )
  })
})
