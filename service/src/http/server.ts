// Creates the Fastify instance: limits, request ids, response headers, one log line per request.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { invalidRequest } from '../lib/problem.ts'
import { parseTraceparent } from '../lib/traceparent.ts'
import type { App } from './app-types.ts'
import { normalizeForwarded, type TrustProxy, trustOf } from './forwarded.ts'
import { statusOf, trackRequests } from './in-flight.ts'
import { installJsonBody } from './json-body.ts'
import { rawProblem, requestTimeout, routeNotFound, sendProblem } from './problems.ts'
import { headErrorOf, originFormOf } from './request-head.ts'
import { installShedding, SLOTS } from './shedding.ts'
import { installValidation } from './validation.ts'

const JSON_BODY_LIMIT = 1024 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const CLOSE_DELAY_MS = 1_000
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** For a year, where people and clients use TLS: browsers then never use plain HTTP. */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

interface ServerOptions {
  log: FastifyBaseLogger
  /** Whether the public address of the service is https. */
  isPublicHttps?: boolean
  trustProxy: TrustProxy
  /** How many requests are admitted before the next is rejected. */
  slots?: typeof SLOTS
}

export function createServer({ log, trustProxy, isPublicHttps = false, slots = SLOTS }: ServerOptions): App {
  const headers = { ...HEADERS, ...(isPublicHttps && STRICT_TRANSPORT) }
  const app = Fastify({
    loggerInstance: log,
    // Every line of a request's logger has its id. Fastify's own two lines per request hold the URL; ours is below.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy: trustOf(trustProxy),
    rewriteUrl: request => originFormOf(request) ?? request.url ?? '',
    bodyLimit: JSON_BODY_LIMIT,
    // in-flight.ts limits the time of a request per route, because an upload may take long.
    requestTimeout: 0,
    // Node would respond to a missing Host header without a problem document; the onRequest hook below does.
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: false,
    },
    return503OnClosing: false,
    // As long as a request line can be: a long id is 404 for the record, not for the route.
    routerOptions: { maxParamLength: 16_384 },
    // Hooks do not run for a path that the router cannot parse, so this does what the hooks below do.
    frameworkErrors(error, request, reply) {
      const unreadable = error.code === 'FST_ERR_BAD_URL'
      const problem = unreadable
        ? invalidRequest('The path holds an escape that cannot be read.')
        : routeNotFound()
      reply.headers(headers).header('x-request-id', request.id)
      reply.raw.once('finish', () => logRequest(request, reply))
      sendProblem(request, reply, problem)
    },
    clientErrorHandler(error, socket) {
      if (socket.writable)
        socket.end(
          rawProblem(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? requestTimeout : invalidRequest, nextId()),
        )
      // A client that keeps its end open would keep the service from stopping.
      setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref()
    },
  }) as unknown as App

  // Node would respond to an unknown Expect header with an empty 417; the service ignores the header.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  trackRequests(app)
  const rejectWhenFull = installShedding(app, slots)
  installValidation(app)
  installJsonBody(app)
  app.decorateRequest('traceId', undefined)
  let hasWarned = false
  app.addHook('onRequest', (request, reply, done) => {
    request.traceId = parseTraceparent(request.headers.traceparent)?.traceId
    reply.headers(headers).header('x-request-id', request.id)
    if (trustProxy) normalizeForwarded(request.raw)
    else if (!hasWarned && 'x-forwarded-for' in request.headers) {
      hasWarned = true
      log.warn(
        {},
        'a request has X-Forwarded-For, but TRUST_PROXY is off: callers behind a proxy share its address, and the limits on guessing',
      )
    }
    const detail = headErrorOf(request.raw)
    done(detail ? invalidRequest(detail, { headers: { connection: 'close' } }) : undefined)
  })
  app.addHook('onRequest', rejectWhenFull)
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply)
    if (request.raw.complete === false) closeUnlessComplete(request.raw)
    done()
  })
  return app
}

/** A client that got its response before it sent the whole request has a limited time for the rest, which is discarded. */
function closeUnlessComplete(request: IncomingMessage): void {
  const { socket } = request
  request.resume()
  setTimeout(() => request.complete || socket.destroy(), HEADERS_TIMEOUT_MS).unref()
}

/** The route is the template, never the URL: a path holds employee numbers, a query may hold more. */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const fields = {
    method: request.method,
    route: request.inFlight?.route.url ?? null,
    status: statusOf(reply),
    code: request.problemCode,
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

/** A UUID of version 8: a random prefix per process, then a counter, which is cheaper than a random one per request. */
const nextId = (() => {
  const random = randomUUID()
  const prefix = `${random.slice(0, 14)}8${random.slice(15, 24)}`
  let count = 0
  return () => {
    count += 1
    return prefix + count.toString(16).padStart(12, '0')
  }
})()
