// What the primary process and its workers send each other.
import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** Under which name a key was counted, until when its window lasts, and how often. */
export type CountEntry = [name: string, key: string, ends: number, events: number]
/** What one process sends to all others. */
export type Published = [topic: string, value?: string]
export type Metrics = MetricObjectWithValues<MetricValue<string>>[]

/** What a worker needs to begin. */
export interface WorkerStart<Access> {
  /** Whether it is the first: it makes what a first start makes, and prints the address. */
  isFirst: boolean
  database: Access
  counts: CountEntry[]
}

export type ToWorker<Access> =
  | ({ type: 'begin' } & WorkerStart<Access>)
  | { type: 'published'; published: Published[]; counts: CountEntry[] }
  | { type: 'report-metrics'; request: number }
  | { type: 'all-metrics'; request: number; text: string }
  | { type: 'start-jobs' }
  | { type: 'ping' }
  /** Serve what is connected, then end: another worker has the port. */
  | { type: 'leave' }
  /** End as soon as the requests in flight have. */
  | { type: 'stop' }

export type FromWorker =
  | { type: 'begun' }
  | { type: 'ready' }
  | { type: 'published'; published: Published[]; counts: CountEntry[] }
  | { type: 'metrics'; request: number | undefined; metrics: Metrics }
  | { type: 'get-metrics'; request: number }
  | { type: 'jobs-stopped' }
  | { type: 'pong' }
