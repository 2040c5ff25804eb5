// Owns the Fastify instance: limits, identity of a request, headers of an answer, one log line a request.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { invalidRequest } from '../lib/problem.ts'
import type { App } from './app-types.ts'
import { statusOf, trackRequests } from './in-flight.ts'
import { installJsonBody } from './json-body.ts'
import { rawProblem, requestTimeout, routeNotFound, sendProblem } from './problems.ts'
import { installShedding, SLOTS } from './shedding.ts'
import { installValidation } from './validation.ts'

export const JSON_BODY_LIMIT = 1024 * 1024
const HEADERS_TIMEOUT = 10_000
const LINGER = 1_000
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

export interface ServerOptions {
  log: FastifyBaseLogger
  trustProxy: boolean
  /** How many requests are admitted before the next is rejected. */
  slots?: typeof SLOTS
}

export function createServer({ log, trustProxy, slots = SLOTS }: ServerOptions): App {
  const app = Fastify({
    loggerInstance: log,
    // Every line of a request's logger has its id. Fastify's own two lines per request hold the URL; ours is below.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy,
    bodyLimit: JSON_BODY_LIMIT,
    // The time a request may take is bounded by a route's timeLimit, because an upload may rightly take long.
    requestTimeout: 0,
    // Node's own answer to a missing Host is no problem document; ours is below.
    http: { headersTimeout: HEADERS_TIMEOUT, connectionsCheckingInterval: 2_000, requireHostHeader: false },
    return503OnClosing: false,
    // As long as a request line can be: a long id is an unknown record, not an unknown path.
    routerOptions: { maxParamLength: 16_384 },
    // A path that the router cannot read meets no hook, so this does what the hooks below do.
    frameworkErrors(error, request, reply) {
      const unreadable = error.code === 'FST_ERR_BAD_URL'
      const problem = unreadable
        ? invalidRequest('The path holds an escape that cannot be read.')
        : routeNotFound()
      setHeaders(request, reply)
      reply.raw.once('finish', () => logRequest(request, reply))
      sendProblem(request, reply, problem)
    },
    clientErrorHandler(error, socket) {
      if (socket.writable)
        socket.end(rawProblem(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? requestTimeout : invalidRequest))
      // A caller who does not hang up as well would keep the connection, and keep the service from stopping.
      setTimeout(() => socket.destroy(), LINGER).unref()
    },
  }) as unknown as App

  // Node would refuse an expectation it does not know with an empty answer; we may as well pass over it.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  trackRequests(app)
  installShedding(app, slots)
  installValidation(app)
  installJsonBody(app)
  app.decorateRequest('traceId', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    request.traceId = traceOf(request.headers.traceparent)
    setHeaders(request, reply)
    const hostless = request.headers.host === undefined && request.raw.httpVersion === '1.1'
    done(
      hostless ? invalidRequest('There is no Host header.', { headers: { connection: 'close' } }) : undefined,
    )
  })
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply)
    if (request.raw.complete === false) cutOffUnlessComplete(request.raw)
    done()
  })
  return app
}

/** Who was answered before the request was whole has some time for the rest; then the connection would only be kept. */
function cutOffUnlessComplete(request: IncomingMessage): void {
  const { socket } = request
  setTimeout(() => request.complete || socket.destroy(), HEADERS_TIMEOUT).unref()
}

function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(HEADERS)
  reply.header('x-request-id', request.id)
}

/** The route is the template, never the URL: a path holds employee numbers, a query may hold more. */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const fields = {
    method: request.method,
    route: request.inFlight?.route.url ?? null,
    status: statusOf(reply),
    ms: Math.round(reply.elapsedTime * 10) / 10,
    clientId: request.principal?.clientId,
    traceId: request.traceId,
  }
  request.log.info(fields, 'request')
}

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : nextId()
}

/** A UUID of version 8: random but for its last part, which counts. A random one for each would cost as much as a log line. */
const nextId = (() => {
  const random = randomUUID()
  const ours = `${random.slice(0, 14)}8${random.slice(15, 24)}`
  let count = 0
  return () => {
    count += 1
    return ours + count.toString(16).padStart(12, '0')
  }
})()

function traceOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  return /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/.exec(
    traceparent,
  )?.[1]
}
