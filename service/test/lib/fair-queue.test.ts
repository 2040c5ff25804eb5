import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFairQueue, QueueFullError } from '../../src/lib/fair-queue.ts'

/** Work that ends when it is told to; `begun` lists what has begun. */
function createWork() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    work: (name: string) => () =>
      new Promise<string>(resolve => {
        begun.push(name)
        ends.push(() => resolve(name))
      }),
    async endOne() {
      ends.shift()?.()
      await sleep(0)
    },
  }
}

const create = (concurrency: number, { maxWaiting = 9, maxWaitingSlow = 5 } = {}) =>
  createFairQueue({ concurrency, maxWaiting, maxWaitingSlow })

describe('a fair queue', () => {
  it('runs as much work at the same time as it may', async () => {
    const { begun, work, endOne } = createWork()
    const queue = create(2)
    const all = ['a', 'b', 'c'].map(name => queue.run('one', work(name)))
    assert.deepEqual(begun, ['a', 'b'])
    await endOne()
    assert.deepEqual(begun, ['a', 'b', 'c'])
    await endOne()
    await endOne()
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c'])
  })

  it('lets groups take turns', async () => {
    const { begun, work, endOne } = createWork()
    const queue = create(1)
    for (const name of ['a1', 'a2', 'a3', 'a4']) void queue.run('a', work(name))
    for (const name of ['b1', 'b2']) void queue.run('b', work(name))
    for (let ended = 0; ended < 6; ended++) await endOne()
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  })

  it('rejects work of a group whose queue is full, and of no other', async () => {
    const { begun, work, endOne } = createWork()
    const queue = create(1, { maxWaiting: 1 })
    void queue.run('a', work('a1'))
    void queue.run('a', work('a2'))
    await assert.rejects(queue.run('a', work('a3')), QueueFullError)
    void queue.run('b', work('b1'))
    for (let ended = 0; ended < 3; ended++) await endOne()
    assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  })

  it('waits between paced work of one group, and lets others pass', async () => {
    const queue = create(1)
    const times: [string, number][] = []
    const note = (name: string) => async () => {
      times.push([name, performance.now()])
    }
    const paced = ['p1', 'p2', 'p3'].map(name => queue.run('p', note(name), () => 60))
    const other = ['o1', 'o2'].map(name => queue.run('o', note(name)))
    await Promise.all([...paced, ...other])
    assert.deepEqual(
      times.map(([name]) => name),
      ['p1', 'o1', 'o2', 'p2', 'p3'],
    )
    const at = Object.fromEntries(times)
    for (const [from, to] of [
      ['p1', 'p2'],
      ['p2', 'p3'],
    ] as const)
      assert.ok((at[to] ?? 0) - (at[from] ?? 0) >= 59, `${from} → ${to}`)
  })

  it('rejects the oldest work of a group that has become slow', async () => {
    const { begun, work, endOne } = createWork()
    const queue = create(1, { maxWaitingSlow: 2 })
    let pace = 0
    const all = ['a', 'b', 'c', 'd', 'e'].map(name => queue.run('one', work(name), () => pace))
    const outcomes = Promise.allSettled(all)
    pace = 20
    await endOne()
    await sleep(60)
    await endOne()
    await sleep(60)
    await endOne()
    assert.deepEqual(begun, ['a', 'd', 'e'])
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
    )
  })

  it('goes on after work that fails', async () => {
    const queue = create(1)
    const failing = queue.run('a', async () => {
      throw new Error('broken')
    })
    await assert.rejects(failing, /broken/)
    assert.equal(await queue.run('a', async () => 'next'), 'next')
  })
})
