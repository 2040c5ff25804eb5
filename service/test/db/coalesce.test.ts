import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { coalesced } from '../../src/db/coalesce.ts'

/** A lookup that remembers what it was asked; keys that begin with `no` are not there. */
function recorded() {
  const asked: string[][] = []
  const find = coalesced(async keys => {
    asked.push(keys)
    await nextTurn()
    return new Map(keys.filter(key => !key.startsWith('no')).map(key => [key, `value of ${key}`]))
  })
  return { asked, find }
}

const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'none', 'no', '', '__proto__', 'Ä', 'A\u0308'), {
  maxLength: 12,
})

describe('a coalesced lookup', () => {
  it('gives everyone their own value, or undefined, whatever others ask for beside them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(keys, { maxLength: 5 }), async turns => {
        const { find } = recorded()
        const responses: Promise<void>[] = []
        for (const turn of turns) {
          for (const key of turn) {
            const expected = key.startsWith('no') ? undefined : `value of ${key}`
            responses.push(find(key).then(value => assert.equal(value, expected)))
          }
          await nextTurn()
        }
        await Promise.all(responses)
      }),
    )
  })

  it('asks once for all lookups of a turn, and for each key once', async () => {
    await fc.assert(
      fc.asyncProperty(keys, async turn => {
        const { asked, find } = recorded()
        await Promise.all(turn.map(find))
        assert.deepEqual(asked, turn.length === 0 ? [] : [[...new Set(turn)]])
      }),
    )
  })

  it('asks together for what comes in the turn after', async () => {
    const { asked, find } = recorded()
    const first = find('a')
    await nextTurn()
    assert.deepEqual(await Promise.all([first, find('b')]), ['value of a', 'value of b'])
    assert.deepEqual(asked, [['a', 'b']])
  })

  it('asks once, when the earlier query has been answered, for all that came while it was under way', async () => {
    const asked: string[][] = []
    const under = Promise.withResolvers<void>()
    const find = coalesced(async found => {
      asked.push(found)
      if (asked.length === 1) await under.promise
      return new Map(found.map(key => [key, key]))
    })
    const first = find('a')
    while (asked.length === 0) await nextTurn()
    const others = ['b', 'c', 'b'].map(find)
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    assert.deepEqual(asked, [['a']])
    under.resolve()
    assert.deepEqual(await Promise.all([first, ...others]), ['a', 'b', 'c', 'b'])
    assert.deepEqual(asked, [['a'], ['b', 'c']])
  })

  it('fails those who waited for what failed, and nobody else', async () => {
    let broken = true
    const find = coalesced<string>(async found => {
      if (broken) throw new Error('the database is gone')
      return new Map(found.map(key => [key, key]))
    })
    const responses = await Promise.allSettled([find('a'), find('b')])
    assert.deepEqual(
      responses.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    broken = false
    assert.equal(await find('a'), 'a')
  })

  it('fails the caller, not the process, where a lookup throws before its first await', async () => {
    const find = coalesced<string>(() => {
      throw new Error('at once')
    })
    await assert.rejects(find('a'), /at once/)
  })
})
