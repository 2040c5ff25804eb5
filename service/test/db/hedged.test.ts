// Hedged reads on stand-ins for connections, which respond, or are lost, when the test wants.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { createHedgedRead, type ReplaceableConnection } from '../../src/db/hedged.ts'

const TIMEOUTS = {
  hedgeAfterMs: 100,
  spareAfterMs: 100,
  timeoutMs: 2_000,
  frozenAfterMs: 1_000,
  onlyIdle: true,
}

interface Named {
  name: string
}

/** A connection whose drivers are named after it, with a number for each driver that replaced another. */
function standIn(name: string): ReplaceableConnection & { replaced: number; spares: number } {
  const named = (text: string) => ({ name: text }) as unknown as postgres.Sql
  let driver = named(`${name}0`)
  return {
    replaced: 0,
    spares: 0,
    driver: () => driver,
    prepare: async () => {},
    replace(old) {
      if (old !== driver) return
      this.replaced += 1
      driver = named(`${name}${this.replaced}`)
    },
    openSpare() {
      this.spares += 1
      return named(`spare of ${name}`)
    },
    closeSpare() {},
    adopt(spare, old) {
      if (old === driver) driver = spare
    },
  }
}

const nameOf = (driver: postgres.Sql) => (driver as unknown as Named).name
const lostAs = (code: string) => Object.assign(new Error('lost'), { code })

describe('a hedged read', () => {
  it('is repeated on a busy connection when its own is lost', async () => {
    const [one, two] = [standIn('one'), standIn('two')]
    const hedged = createHedgedRead([one, two])
    const busy = [1, 2].map(() => hedged(async driver => [await sleep(300), nameOf(driver)], TIMEOUTS))
    const used: string[] = []
    const result = await hedged(async driver => {
      used.push(nameOf(driver))
      if (used.length === 1) throw lostAs('ECONNRESET')
      return 'found'
    }, TIMEOUTS)
    assert.equal(result, 'found')
    assert.deepEqual(used, ['one0', 'two0'])
    assert.equal(one.replaced, 1)
    await Promise.all(busy)
  })

  it('that is slow is not sent to a busy connection', async () => {
    const [one, two] = [standIn('one'), standIn('two')]
    const hedged = createHedgedRead([one, two])
    const busy = [1, 2].map(() => hedged(async () => sleep(250), { ...TIMEOUTS, hedgeAfterMs: 1_000 }))
    const used: string[] = []
    await hedged(async driver => [used.push(nameOf(driver)), await sleep(400)], TIMEOUTS)
    assert.deepEqual(used, ['one0', 'spare of one'])
    await Promise.all(busy)
  })

  it('waits less for a new connection than for the second one, when told to', async () => {
    const hedged = createHedgedRead([standIn('one'), standIn('two')])
    const never = new Promise<never>(() => {})
    const began = performance.now()
    const sent: [string, number][] = []
    await hedged(
      async driver => {
        sent.push([nameOf(driver), performance.now() - began])
        return nameOf(driver).startsWith('spare') ? 'found' : never
      },
      { ...TIMEOUTS, hedgeAfterMs: 800, spareAfterMs: 50 },
    )
    const [, [, second = 0] = [], [, spare = 0] = []] = sent
    assert.deepEqual(
      sent.map(([name]) => name),
      ['one0', 'two0', 'spare of one'],
    )
    assert.ok(second >= 790 && spare - second < 700, `second after ${second} ms, spare after ${spare} ms`)
  })

  it('is repeated when its connection is replaced while a new one is tried for another read', async () => {
    const [one, two] = [standIn('one'), standIn('two')]
    const hedged = createHedgedRead([one, two])
    const never = new Promise<never>(() => {})
    // Both connections are silent, and so is the new one that the first read opens.
    const first = hedged(async () => never, TIMEOUTS).catch(error => error.code)
    await sleep(250)
    assert.equal(one.spares + two.spares, 1)
    const used: string[] = []
    const result = await hedged(async driver => {
      used.push(nameOf(driver))
      if (used.length > 1) return 'found'
      await sleep(300)
      throw lostAs('CONNECTION_DESTROYED')
    }, TIMEOUTS)
    assert.equal(result, 'found')
    assert.equal(await first, 'ETIMEDOUT')
  })

  it('gets a new connection of its own when another read needs one for longer', async () => {
    const [one, two] = [standIn('one'), standIn('two')]
    const hedged = createHedgedRead([one, two])
    const never = new Promise<never>(() => {})
    // The connections are silent, and the new one of the first read responds late.
    const silent = (late: number) =>
      hedged(
        async driver => {
          if (!nameOf(driver).startsWith('spare')) return never
          await sleep(late)
          return 'found'
        },
        { ...TIMEOUTS, frozenAfterMs: 10_000 },
      )
    const reads = [silent(400), silent(0), silent(0)]
    assert.deepEqual(await Promise.all(reads), ['found', 'found', 'found'])
  })
})
