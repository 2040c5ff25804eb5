// The metrics that Prometheus scrapes. Labels hold route templates and statuses, never anything that a client sent.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { App } from './app-types.ts'
import { statusOf } from './in-flight.ts'

const NO_ROUTE = 'none'

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
    labelNames: ['method', 'route', 'status', 'long'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  // Apart from the durations, whose series begin with the first response: it starts at 0 for each route, so that Prometheus
  // sees the first error of a route as an increase.
  const internalErrors = new Counter({
    name: 'http_internal_errors_total',
    help: 'Responses with status 500.',
    labelNames: ['route'],
    registers,
  })
  internalErrors.inc({ route: NO_ROUTE }, 0)
  app.addHook('onRoute', ({ url }) => internalErrors.inc({ route: url }, 0))
  app.addHook('onResponse', (request, reply, done) => {
    const declared = request.inFlight?.route
    const route = declared?.url ?? NO_ROUTE
    const status = statusOf(reply)
    // Such a request lasts as long as its client reads or sends, so that alerts about slow requests leave it out.
    const long = declared?.timeLimit === undefined ? {} : { long: 'true' }
    durations.observe({ method: request.method, route, status, ...long }, reply.elapsedTime / 1000)
    if (status === 500) internalErrors.inc({ route })
    done()
  })
  return registry
}
