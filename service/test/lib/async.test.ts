import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { shareOutcome } from '../../src/lib/async.ts'

describe('a shared outcome', () => {
  it('is that of one run for concurrent callers, and for later ones until it expires', async () => {
    let runs = 0
    const check = shareOutcome(async () => ++runs, { resultMs: 50, errorMs: 1 })
    assert.deepEqual(await Promise.all([check(), check(), check()]), [1, 1, 1])
    assert.equal(await check(), 1)
    await sleep(70)
    assert.equal(await check(), 2)
  })

  it('is shared for a shorter time when it is an error', async () => {
    let runs = 0
    const work = async () => {
      runs += 1
      await sleep(5)
      throw new Error('broken')
    }
    const check = shareOutcome(work, { resultMs: 60_000, errorMs: 20 })
    const both = await Promise.allSettled([check(), check()])
    assert.ok(both.every(({ status }) => status === 'rejected'))
    await assert.rejects(check(), /broken/)
    assert.equal(runs, 1)
    await sleep(40)
    await assert.rejects(check(), /broken/)
    assert.equal(runs, 2)
  })
})
