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
}

export function trackRequests(app: App): void {
  const underWay = new Set<UnderWay>()
  let second = 0
  const clock = setInterval(() => {
    second += 1
    for (const one of underWay) if (one.until < second) giveUp(one)
  }, 1_000).unref()

  app.addHook('onRoute', route => {
    if (route.timeLimit) route.config = { ...route.config, timeLimit: route.timeLimit }
  })
  app.addHook('onRequest', (request, reply, done) => {
    const one = { request, reply, until: second + (request.routeOptions.config.timeLimit ?? SECONDS) }
    underWay.add(one)
    reply.raw.once('close', () => {
      underWay.delete(one)
      // Fastify takes only a finished or failed answer for the end of a request, not one that is cut off.
      if (!reply.raw.writableFinished && reply.raw.listenerCount('error') > 0)
        reply.raw.emit('error', new Error('cut off'))
    })
    done()
  })
  app.addHook('onClose', async () => clearInterval(clock))
  app.decorate('inFlight', { count: () => underWay.size })
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
