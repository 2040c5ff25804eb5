// Owns what Prometheus can read. Labels hold route templates and status classes, never anything a caller sent.
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { App } from './app-types.ts'
import { statusOf } from './in-flight.ts'

const NAME = 'http_request_duration_seconds'
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

const NO_ROUTE: { url?: string } = {}

/** Of one method, route and status. */
interface Durations {
  labels: { method: string; route: string; status: string }
  /** How many fell between each bound and the one before it; the last is beyond all. */
  counts: number[]
  sum: number
}

export function installMetrics(app: App): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that have begun and not ended.',
    registers: [registry],
    collect() {
      this.set(app.inFlight.count())
    },
  })
  const all: Durations[] = []
  // By what the route declares, which is one object for all of its requests: there is no name to put together and look up.
  const byRoute = new Map<object, Map<number, Durations>>()
  registry.registerMetric(histogramOf(all))

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.underWay?.route ?? NO_ROUTE
    const status = statusOf(reply)
    let durations = byRoute.get(route)?.get(status)
    if (!durations) {
      const labels = {
        method: request.method,
        route: route.url ?? 'none',
        status: String(status),
      }
      durations = { labels, counts: new Array(BOUNDS.length + 1).fill(0), sum: 0 }
      all.push(durations)
      byRoute.set(route, (byRoute.get(route) ?? new Map()).set(status, durations))
    }
    const seconds = reply.elapsedTime / 1000
    let at = 0
    while (at < BOUNDS.length && seconds > (BOUNDS[at] ?? 0)) at++
    durations.counts[at] = (durations.counts[at] ?? 0) + 1
    durations.sum += seconds
    done()
  })
  return registry
}

/** The library's own histogram checks and hashes all labels at every observation, which costs more than a log line. */
function histogramOf(all: Durations[]): Metric {
  const get = async () => ({
    name: NAME,
    help: 'Time from the request line to the last byte of the answer.',
    type: 'histogram',
    aggregator: 'sum',
    values: all.flatMap(({ labels, counts, sum }) => {
      let total = 0
      const buckets = counts.map((count, at) => {
        total += count
        return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS[at] ?? '+Inf', ...labels }, value: total }
      })
      return [
        ...buckets,
        { metricName: `${NAME}_sum`, labels, value: sum },
        { metricName: `${NAME}_count`, labels, value: total },
      ]
    }),
  })
  return { name: NAME, get } as unknown as Metric
}
