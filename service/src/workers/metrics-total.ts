// Adds up the metrics of all workers, and adds those of the primary process. What workers that have ended had counted is kept:
// counters never fall.
import { AggregatorRegistry } from 'prom-client'
import type { Metrics } from './messages.ts'

/** Gauges describe a process that runs. */
const KEPT = new Set<string>(['counter', 'histogram', 'summary'])

/** prom-client has the average, in which the one worker that is late disappears. */
const OF_SLOWEST = /^nodejs_eventloop_lag_(?:p\d+_)?seconds$/

export function createMetricsTotal() {
  let ended: Metrics = []

  return {
    /** Keeps the counts of a worker that has ended. */
    async keep(metrics: Metrics): Promise<void> {
      const counts = metrics.filter(({ type }) => KEPT.has(String(type)))
      ended = await AggregatorRegistry.aggregate([ended, counts]).getMetricsAsJSON()
    },
    /** Metrics of the primary process replace those of its workers that have the same name. */
    textOf(running: Metrics[], primary: Metrics): Promise<string> {
      const names = new Set(primary.map(({ name }) => name))
      const ofWorkers = running.map(metrics =>
        metrics.filter(({ name }) => !names.has(name)).map(withAggregator),
      )
      return AggregatorRegistry.aggregate([ended, ...ofWorkers, primary]).metrics()
    },
  }
}

const withAggregator = (metric: Metrics[0]): Metrics[0] =>
  OF_SLOWEST.test(metric.name) ? { ...metric, aggregator: 'max' } : metric

interface PrimaryState {
  /** Workers that serve requests. */
  running: number
  /** WORKERS. */
  configured: number
  replacements: number
}

/** The start of this process, to the millisecond: the same value at each scrape. */
const STARTED_AT = Math.round(performance.timeOrigin) / 1_000

/** What the primary process adds. It starts once; workers may be replaced. */
export const primaryMetrics = ({ running, configured, replacements }: PrimaryState): Metrics => [
  gauge('workers', 'Processes that serve requests.', running),
  gauge('workers_configured', 'Processes that should serve requests.', configured),
  counter('worker_replacements_total', 'Workers that have ended unexpectedly.', replacements),
  gauge(
    'process_start_time_seconds',
    'Start time of the first process since unix epoch in seconds.',
    STARTED_AT,
  ),
]

const gauge = (name: string, help: string, value: number) =>
  ({ name, help, type: 'gauge', aggregator: 'sum', values: [{ value, labels: {} }] }) as unknown as Metrics[0]

const counter = (name: string, help: string, value: number) =>
  ({
    name,
    help,
    type: 'counter',
    aggregator: 'sum',
    values: [{ value, labels: {} }],
  }) as unknown as Metrics[0]
