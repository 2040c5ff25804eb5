// A span for each request. It has the route template and the status, never the URL, a header or a body.
import { runInSpan } from '../lib/spans.ts'
import { parseTraceparent } from '../lib/traceparent.ts'
import type { Tracer } from '../lib/tracer.ts'
import type { App } from './app-types.ts'
import { statusOf } from './in-flight.ts'

/** Probes and scrapes, which come all the time. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics'])

export function installTracing(app: App, tracer: Tracer): void {
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.inFlight?.route.url
    if (route && UNTRACED.has(route)) return done()
    const { method } = request
    request.span = tracer.begin(
      parseTraceparent(request.headers.traceparent),
      route ? `${method} ${route}` : method,
      { 'http.request.method': method, ...(route && { 'http.route': route }) },
    )
    request.traceId ??= request.span?.traceId
    runInSpan(request.span, done)
  })
  // The body arrives by events of the socket, which do not run within the span.
  app.addHook('preValidation', (request, _reply, done) => runInSpan(request.span, done))
  app.addHook('onResponse', ({ span }, reply, done) => {
    const status = statusOf(reply)
    span?.end({
      attributes: { 'http.response.status_code': status },
      ...(status >= 500 && { errorType: String(status) }),
    })
    done()
  })
}
