// What the primary process keeps of all workers: counts of limits, and metrics.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createMetricsTotal } from '../../src/workers/metrics-total.ts'
import { createSharedCounts } from '../../src/workers/shared-counts.ts'

describe('the counts of all workers', () => {
  it('add up by name, key and window, and leave out windows that have ended', () => {
    const time = { now: 1_000 }
    const counts = createSharedCounts(() => time.now)
    counts.add([
      ['secrets', 'a', 2_000, 1],
      ['requests', 'a', 3_000, 5],
    ])
    counts.add([['secrets', 'a', 2_001, 2]])
    assert.deepEqual(counts.list(), [
      ['secrets', 'a', 2_000, 3],
      ['requests', 'a', 3_000, 5],
    ])
    time.now = 2_500
    assert.deepEqual(counts.list(), [['requests', 'a', 3_000, 5]])
    counts.add([['secrets', 'a', 4_000, 1]])
    assert.deepEqual(counts.list(), [
      ['secrets', 'a', 4_000, 1],
      ['requests', 'a', 3_000, 5],
    ])
  })

  it('keep at most `capacity` keys of a name', () => {
    const counts = createSharedCounts(() => 0, 2)
    for (const key of ['a', 'b', 'c']) counts.add([['secrets', key, 10, 1]])
    assert.deepEqual(
      counts.list().map(([, key]) => key),
      ['b', 'c'],
    )
  })
})

describe('the metrics of all workers', () => {
  const worker = async (requests: number, memory: number) => {
    const registers = [new Registry()]
    new Counter({ name: 'requests_total', help: 'r', registers }).inc(requests)
    new Gauge({ name: 'memory', help: 'm', registers }).set(memory)
    const seconds = new Histogram({
      name: 'seconds',
      help: 's',
      buckets: [1],
      labelNames: ['route'],
      registers,
    })
    for (let n = 0; n < requests; n++) seconds.observe({ route: '/' }, 0.5)
    return (registers[0] as Registry).getMetricsAsJSON()
  }

  it('are the sum; counts of workers that have ended stay, their gauges do not', async () => {
    const total = createMetricsTotal()
    await total.keep(await worker(3, 100))
    await total.keep(await worker(4, 100))
    const text = await total.textOf([await worker(1, 10), await worker(2, 20)])
    const lines = text.split('\n').filter(line => line && !line.startsWith('#'))
    assert.deepEqual(lines, [
      'requests_total 10',
      'seconds_bucket{le="1",route="/"} 10',
      'seconds_bucket{le="+Inf",route="/"} 10',
      'seconds_sum{route="/"} 5',
      'seconds_count{route="/"} 10',
      'memory 30',
    ])
  })
})
