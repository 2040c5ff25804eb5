// Tracks the requests that have begun and not ended: how many there are, and when each must end at the latest. One timer
// serves all of them, because a timer per request costs more than reading its headers.
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../lib/problem.ts'
import type { App, InFlightRequest } from './app-types.ts'
import { overloaded, requestTimeout } from './problems.ts'

const DEFAULT_TIME_LIMIT_SECONDS = 25

export function trackRequests(app: App): void {
  // An array rather than a Set: when a Set's table is reallocated, the old table keeps the new one and its requests
  // alive, so that ended requests pile up for the garbage collector.
  const requests: InFlightRequest[] = []
  let ended = 0
  const remove = (one: InFlightRequest) => {
    ended += 1
    const last = requests.pop()
    if (!last || last === one) return
    requests[one.index] = last
    last.index = one.index
  }
  let second = 0
  const timer = setInterval(() => {
    second += 1
    for (const late of requests.filter(({ deadline }) => deadline < second)) endEarly(late, timeoutProblem)
  }, 1_000).unref()

  app.addHook('onRoute', route => {
    if (route.timeLimit) route.config = { ...route.config, timeLimit: route.timeLimit }
  })
  app.decorateRequest('inFlight', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions
    const deadline = second + (config.timeLimit ?? DEFAULT_TIME_LIMIT_SECONDS)
    const entry: InFlightRequest = {
      request,
      reply,
      deadline,
      index: requests.length,
      route: config,
    }
    requests.push(entry)
    request.inFlight = entry
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.inFlight) remove(request.inFlight)
    done()
  })
  // Fastify runs onResponse only for a response that finished or failed, not for one that is cut off. One listener per
  // connection costs less than one per request.
  const failResponses = (socket: Socket) => {
    for (const { reply } of requests.filter(({ request }) => request.raw.socket === socket))
      if (!reply.raw.writableFinished && reply.raw.listenerCount('error') > 0)
        reply.raw.emit('error', new Error('cut off'))
  }
  app.server.on('connection', socket => socket.once('close', () => setImmediate(failResponses, socket)))
  app.addHook('onClose', async () => clearInterval(timer))
  app.decorate('inFlight', {
    count: () => requests.length,
    ended: () => ended,
    closeConnections() {
      for (const { reply } of requests) if (!reply.raw.headersSent) reply.raw.setHeader('connection', 'close')
    },
    long: () => requests.filter(({ route }) => route.timeLimit !== undefined),
  })
}

/** The status for logs and metrics: 499, as in other web servers, where the client hung up before the response ended. */
export function statusOf({ raw, statusCode }: FastifyReply): number {
  return raw.writableEnded ? statusCode : 499
}

/**
 * Whether no client waits for the response: it hung up, or was told that the request took too long. It may already retry
 * with another instance of the service, so the abandoned request must not commit anything after that.
 */
export function isAbandoned({ raw: { socket } }: FastifyRequest, { sent }: FastifyReply): boolean {
  return sent || socket.destroyed || socket.writableEnded
}

/** Ends a request before its handler has, or before its client has read the response. */
export function endEarly(
  { request, reply }: InFlightRequest,
  problemOf: (request: FastifyRequest) => Problem,
): void {
  if (reply.raw.writableFinished) return
  // The whole response is written, and waits for a client that does not read. Others of the connection wait behind it.
  if (reply.raw.writableEnded) request.raw.socket.destroy()
  // A response that has begun cannot become an error.
  else if (reply.raw.headersSent) reply.raw.destroy()
  else void reply.send(problemOf(request))
}

/** 408 where the client was slow to send, 503 where the service was slow to respond. */
function timeoutProblem({ raw }: FastifyRequest): Problem {
  if (!raw.complete) return requestTimeout(undefined, { headers: { connection: 'close' } })
  return overloaded(undefined, { headers: { 'retry-after': '5' } })
}
