// Owns what Prometheus can read. Labels hold route templates and status classes, never anything a caller sent.
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { App } from './app-types.ts'
import { statusOf } from './in-flight.ts'

export function installMetrics(app: App): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the last byte of the answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that have begun and not ended.',
    registers: [registry],
    collect() {
      this.set(app.inFlight.count())
    },
  })
  // Looking a label set up by name costs more than the observation, so each is looked up once.
  const observers = new Map<string, { observe(seconds: number): void }>()

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const status = String(statusOf(reply))
    const key = `${request.method} ${status} ${route}`
    let observer = observers.get(key)
    if (!observer) {
      observer = duration.labels({ method: request.method, route, status })
      observers.set(key, observer)
    }
    observer.observe(reply.elapsedTime / 1000)
    done()
  })
  return registry
}
