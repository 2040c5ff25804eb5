import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { coalesced } from '../../src/db/coalesce.ts'

/** A coalesced lookup, and the keys of each of its queries; keys that begin with `no` do not exist. */
function createLookup() {
  const queries: string[][] = []
  const find = coalesced(async keys => {
    queries.push(keys)
    await nextTurn()
    return new Map(keys.filter(key => !key.startsWith('no')).map(key => [key, `value of ${key}`]))
  })
  return { queries, find }
}

const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'none', 'no', '', '__proto__', 'Ä', 'A\u0308'), {
  maxLength: 12,
})

describe('coalesced', () => {
  it('returns each caller its own value, or undefined, whatever concurrent callers look up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(keys, { maxLength: 5 }), async turns => {
        const { find } = createLookup()
        const results: Promise<void>[] = []
        for (const turn of turns) {
          for (const key of turn) {
            const expected = key.startsWith('no') ? undefined : `value of ${key}`
            results.push(find(key).then(value => assert.equal(value, expected)))
          }
          await nextTurn()
        }
        await Promise.all(results)
      }),
    )
  })

  it('runs one query for all lookups of an event loop iteration, with each key once', async () => {
    await fc.assert(
      fc.asyncProperty(keys, async turn => {
        const { queries, find } = createLookup()
        await Promise.all(turn.map(find))
        assert.deepEqual(queries, turn.length === 0 ? [] : [[...new Set(turn)]])
      }),
    )
  })

  it('adds the lookups of the next iteration to the same query', async () => {
    const { queries, find } = createLookup()
    const first = find('a')
    await nextTurn()
    assert.deepEqual(await Promise.all([first, find('b')]), ['value of a', 'value of b'])
    assert.deepEqual(queries, [['a', 'b']])
  })

  it('begins another query while one is slow, and at most four at a time', async () => {
    const queries: string[][] = []
    const slow = Promise.withResolvers<void>()
    const find = coalesced(async keys => {
      queries.push(keys)
      await slow.promise
      return new Map(keys.map(key => [key, key]))
    })
    const found: Promise<unknown>[] = []
    for (let index = 0; index < 6; index++) {
      found.push(find(`k${index}`))
      await sleep(150)
    }
    assert.deepEqual(queries, [['k0'], ['k1'], ['k2'], ['k3']])
    slow.resolve()
    assert.deepEqual(await Promise.all(found), ['k0', 'k1', 'k2', 'k3', 'k4', 'k5'])
    assert.deepEqual(queries.slice(4), [['k4', 'k5']])
  })

  it('queues lookups while a query runs, and runs one query for all of them afterwards', async () => {
    const queries: string[][] = []
    const running = Promise.withResolvers<void>()
    const find = coalesced(async found => {
      queries.push(found)
      if (queries.length === 1) await running.promise
      return new Map(found.map(key => [key, key]))
    })
    const first = find('a')
    while (queries.length === 0) await nextTurn()
    const others = ['b', 'c', 'b'].map(find)
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    assert.deepEqual(queries, [['a']])
    running.resolve()
    assert.deepEqual(await Promise.all([first, ...others]), ['a', 'b', 'c', 'b'])
    assert.deepEqual(queries, [['a'], ['b', 'c']])
  })

  it('rejects the lookups of a failed query, and no later ones', async () => {
    let broken = true
    const find = coalesced<string>(async found => {
      if (broken) throw new Error('the database is down')
      return new Map(found.map(key => [key, key]))
    })
    const results = await Promise.allSettled([find('a'), find('b')])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    broken = false
    assert.equal(await find('a'), 'a')
  })

  it('rejects the lookup when the loader throws synchronously', async () => {
    const find = coalesced<string>(() => {
      throw new Error('synchronous')
    })
    await assert.rejects(find('a'), /synchronous/)
  })
})
