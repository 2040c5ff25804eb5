// Owns which requests are under way: how many, for how long, and that none stays for ever. One clock serves all of them,
// because a timer a request costs more than reading its headers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../lib/problem.ts'
import type { App } from './app-types.ts'
import { overloaded, requestTimeout } from './problems.ts'

const SECONDS = 25

interface UnderWay {
  request: FastifyRequest
  reply: FastifyReply
  /** The last second in which it may end. */
  until: number
  /** Where it stands in the list of all. */
  at: number
}

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
  app.addHook('onRequest', (request, reply, done) => {
    const until = second + (request.routeOptions.config.timeLimit ?? SECONDS)
    const one: UnderWay = { request, reply, until, at: underWay.length }
    underWay.push(one)
    reply.raw.once('close', () => {
      remove(one)
      // Fastify takes only a finished or failed answer for the end of a request, not one that is cut off.
      if (!reply.raw.writableFinished && reply.raw.listenerCount('error') > 0)
        reply.raw.emit('error', new Error('cut off'))
    })
    done()
  })
  app.addHook('onClose', async () => clearInterval(clock))
  app.decorate('inFlight', { count: () => underWay.length })
}

/** 499, as web servers have come to write it, where the caller hung up before the answer was whole. */
export function statusOf({ raw, statusCode }: FastifyReply): number {
  return raw.writableEnded ? statusCode : 499
}

function giveUp({ request, reply }: UnderWay): void {
  if (reply.sent) return
  // Half an answer cannot become an error any more.
  if (reply.raw.headersSent) reply.raw.destroy()
  else void reply.send(tooLate(request))
}

/** Either the caller was slow to send, or we were slow to answer. */
function tooLate({ raw }: FastifyRequest): Problem {
  if (!raw.complete) return requestTimeout(undefined, { headers: { connection: 'close' } })
  return overloaded(undefined, { headers: { 'retry-after': '5' } })
}
