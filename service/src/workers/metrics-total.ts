// Adds up the metrics of all workers. What workers that have ended had counted is kept: counters never fall.
import { AggregatorRegistry } from 'prom-client'
import type { Metrics } from './messages.ts'

/** Gauges describe a process that runs. */
const KEPT = new Set<string>(['counter', 'histogram', 'summary'])

export function createMetricsTotal() {
  let ended: Metrics = []

  return {
    /** Keeps the counts of a worker that has ended. */
    async keep(metrics: Metrics): Promise<void> {
      const counts = metrics.filter(({ type }) => KEPT.has(String(type)))
      ended = await AggregatorRegistry.aggregate([ended, counts]).getMetricsAsJSON()
    },
    textOf: (running: Metrics[]): Promise<string> =>
      AggregatorRegistry.aggregate([ended, ...running]).metrics(),
  }
}

export const gauge = (name: string, help: string, value: number) =>
  ({ name, help, type: 'gauge', aggregator: 'sum', values: [{ value, labels: {} }] }) as unknown as Metrics[0]

export const counter = (name: string, help: string, value: number) =>
  ({
    name,
    help,
    type: 'counter',
    aggregator: 'sum',
    values: [{ value, labels: {} }],
  }) as unknown as Metrics[0]
