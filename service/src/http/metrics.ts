// The metrics that Prometheus scrapes. Labels hold route templates and statuses, never anything that a client sent.
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { App } from './app-types.ts'
import { statusOf } from './in-flight.ts'

export function installMetrics(app: App): Registry {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that have begun and not ended.',
    registers,
    collect() {
      this.set(app.inFlight.count())
    },
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the last byte of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  app.addHook('onResponse', (request, reply, done) => {
    const labels = {
      method: request.method,
      route: request.inFlight?.route.url ?? 'none',
      status: statusOf(reply),
    }
    durations.observe(labels, reply.elapsedTime / 1000)
    done()
  })
  return registry
}
