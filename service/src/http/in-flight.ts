// Owns which requests are under way: how many, for how long, and that none stays for ever. One clock serves all of them,
// because a timer a request costs more than reading its headers.
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../lib/problem.ts'
import type { App, UnderWay } from './app-types.ts'
import { overloaded, requestTimeout } from './problems.ts'

const SECONDS = 25

export function trackRequests(app: App): void {
  // No Set: each time its table is made anew, the old one keeps hold of the new one and of the requests of its time, so
  // that they outlive their end and pile up for the garbage collector.
  const underWay: UnderWay[] = []
  const remove = (one: UnderWay) => {
    const last = underWay.pop()
    if (!last || last === one) return
    underWay[one.at] = last
    last.at = one.at
  }
  let second = 0
  const clock = setInterval(() => {
    second += 1
    for (const one of underWay.filter(({ until }) => until < second)) giveUp(one)
  }, 1_000).unref()

  app.addHook('onRoute', route => {
    if (route.timeLimit) route.config = { ...route.config, timeLimit: route.timeLimit }
  })
  app.decorateRequest('underWay', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions
    const until = second + (config.timeLimit ?? SECONDS)
    const one: UnderWay = { request, reply, until, at: underWay.length, route: config }
    underWay.push(one)
    request.underWay = one
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.underWay) remove(request.underWay)
    done()
  })
  // Fastify takes only a finished or failed answer for the end of a request, not one that is cut off. One listener for
  // all requests of a connection costs less than one for each.
  const cutOff = (socket: Socket) => {
    for (const { reply } of underWay.filter(({ request }) => request.raw.socket === socket))
      if (!reply.raw.writableFinished && reply.raw.listenerCount('error') > 0)
        reply.raw.emit('error', new Error('cut off'))
  }
  app.server.on('connection', socket => socket.once('close', () => setImmediate(cutOff, socket)))
  app.addHook('onClose', async () => clearInterval(clock))
  app.decorate('inFlight', { count: () => underWay.length })
}

/** 499, as web servers have come to write it, where the caller hung up before the answer was whole. */
export function statusOf({ raw, statusCode }: FastifyReply): number {
  return raw.writableEnded ? statusCode : 499
}

/**
 * Whether nobody waits for the answer any more: the caller hung up, or was told that it took too long. Such a caller sends
 * the request again, perhaps to another service, and goes on from there; what it gave up must not come about after that.
 */
export function isAbandoned({ raw: { socket } }: FastifyRequest, { sent }: FastifyReply): boolean {
  return sent || socket.destroyed || socket.writableEnded
}

function giveUp({ request, reply }: UnderWay): void {
  if (reply.raw.writableEnded) return
  // Half an answer cannot become an error any more.
  if (reply.raw.headersSent) reply.raw.destroy()
  else void reply.send(tooLate(request))
}

/** Either the caller was slow to send, or we were slow to answer. */
function tooLate({ raw }: FastifyRequest): Problem {
  if (!raw.complete) return requestTimeout(undefined, { headers: { connection: 'close' } })
  return overloaded(undefined, { headers: { 'retry-after': '5' } })
}
