// Owns the Fastify instance: limits, identity of a request, headers of an answer, one log line a request.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { App } from './app-types.ts'
import { installJsonBody } from './json-body.ts'
import { invalidRequest, rawProblem, requestTimeout, routeNotFound, sendProblem } from './problems.ts'
import { installValidation } from './validation.ts'

export const JSON_BODY_LIMIT = 1024 * 1024
const HEADERS_TIMEOUT = 10_000
const HANDLER_TIMEOUT = 25_000
const LINGER = 1_000

export interface ServerOptions {
  log: FastifyBaseLogger
  trustProxy: boolean
}

export function createServer({ log, trustProxy }: ServerOptions): App {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    trustProxy,
    bodyLimit: JSON_BODY_LIMIT,
    // The time a request may take is bounded by a route's handlerTimeout, because an upload may rightly take long.
    requestTimeout: 0,
    handlerTimeout: HANDLER_TIMEOUT,
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
  installValidation(app)
  installJsonBody(app)
  app.decorateRequest('traceId', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    request.traceId = traceOf(request.headers.traceparent)
    setHeaders(request, reply)
    endWhenCutOff(reply)
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
  reply.raw.setHeader('x-request-id', request.id)
  reply.raw.setHeader('cache-control', 'no-store')
  reply.raw.setHeader('x-content-type-options', 'nosniff')
  reply.raw.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  reply.raw.setHeader('referrer-policy', 'no-referrer')
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      // The template, never the URL: a path holds employee numbers, a query may hold more.
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      clientId: request.principal?.clientId,
      traceId: request.traceId,
    },
    'request',
  )
}

/** Fastify takes only a finished or failed answer for the end of a request; one that is cut off would keep its timer. */
function endWhenCutOff({ raw }: FastifyReply): void {
  raw.once('close', () => {
    if (!raw.writableFinished && raw.listenerCount('error') > 0) raw.emit('error', new Error('cut off'))
  })
}

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID()
}

function traceOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  return /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/.exec(
    traceparent,
  )?.[1]
}
