// Traces over OTLP. Loaded only where a collector is configured.
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { traceDatabase } from './db/traced.ts'
import type { App } from './http/app-types.ts'
import { installTracing } from './http/tracing.ts'
import type { Log } from './lib/log.ts'
import { createOtlpExporter } from './lib/otlp-exporter.ts'
import { createTracer } from './lib/tracer.ts'

export interface Tracing {
  /** The same database, whose statements have spans. */
  database(db: Database): Database
  /** Begins and ends the spans of requests, and sends what is left when the application closes. */
  install(app: App): void
  /** How many spans wait for the collector, and how many were dropped. */
  counts(): { queued: number; dropped: number }
}

export function createTracing(settings: NonNullable<Config['tracing']>, log: Log): Tracing {
  const { endpoint, headers, serviceName, ratio } = settings
  const exporter = createOtlpExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers,
    resource: { 'service.name': serviceName },
    log,
  })
  const tracer = createTracer({ ratio, onEnd: exporter.add })
  return {
    database: traceDatabase,
    install(app) {
      installTracing(app, tracer)
      app.addHook('onClose', () => exporter.close())
    },
    counts: exporter.counts,
  }
}
