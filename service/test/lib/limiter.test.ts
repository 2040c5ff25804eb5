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

  it('shares its counts with the other processes', () => {
    const told: [string, number][] = []
    const time = { now: 1_000_000 }
    let receive: (key: string, ends: number, events: number) => void = () => {}
    const shared = {
      add: (key: string, ends: number) => void told.push([key, ends]),
      subscribe(given: typeof receive) {
        receive = given
      },
    }
    const limiter = createLimiter({ limit: 3, windowSeconds: 10, now: () => time.now, shared })
    limiter.count('a')
    assert.deepEqual(told, [['a', 1_010_000]])
    receive('a', 1_010_005, 2)
    assert.equal(limiter.blockedFor('a'), 10)
    receive('b', 1_004_000, 3)
    assert.equal(limiter.blockedFor('b'), 4)
    receive('c', 999_000, 3)
    assert.equal(limiter.blockedFor('c'), 0, 'a window that has ended does not count')
    assert.equal(told.length, 1, 'what others told is not told again')
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
