// What the primary process keeps of all workers: counts of limits, and metrics.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Metrics } from '../../src/workers/messages.ts'
import { createMetricsTotal, primaryMetrics } from '../../src/workers/metrics-total.ts'
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
    const text = await total.textOf([await worker(1, 10), await worker(2, 20)], [])
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

  it('have the start of the primary process, and the lag of the slowest worker', async () => {
    const late = async (seconds: number) => {
      const registry = new Registry()
      collectDefaultMetrics({ register: registry })
      return (await registry.getMetricsAsJSON()).map(metric =>
        metric.name === 'nodejs_eventloop_lag_p99_seconds'
          ? { ...metric, values: [{ value: seconds, labels: {} }] }
          : metric,
      ) as Metrics
    }
    const state = { running: 2, configured: 3, replacements: 1 }
    const text = await createMetricsTotal().textOf([await late(0.01), await late(2)], primaryMetrics(state))
    const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
    assert.equal(value('nodejs_eventloop_lag_p99_seconds'), 2)
    assert.equal(value('workers'), 2)
    assert.equal(value('workers_configured'), 3)
    assert.equal(value('worker_replacements_total'), 1)
    assert.ok(Math.abs(value('process_start_time_seconds') - performance.timeOrigin / 1_000) < 1)
    const later = await createMetricsTotal().textOf([], primaryMetrics(state))
    assert.ok(later.includes(`\nprocess_start_time_seconds ${value('process_start_time_seconds')}\n`), later)
  })
})
