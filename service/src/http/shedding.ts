// Owns what happens when there is more to do than can be done: beyond as many requests at
// work as end within a second, the next is refused at once. It then costs next to nothing, memory stays bounded, and those
// that were taken end in good time. A request keeps its slot until its response has ended and its handler has returned:
// after a hang-up the handler and its queries still run, and a client that retries would otherwise add to them unbounded.
import type { onRequestHookHandler, preHandlerHookHandler, RouteHandlerMethod } from 'fastify'
import { declareProblem } from '../lib/problem.ts'
import type { App } from './app-types.ts'

export const tooBusy = declareProblem({
  code: 'too-busy',
  status: 503,
  title: 'The service has too many requests in progress. Nothing was done.',
  remedy: 'Retry the same request after the seconds in Retry-After.',
})

/** Whoever watches the service has to see it, above all when it is busy. */
const ALWAYS = new Set(['/healthz', '/readyz', '/metrics'])

/** As many as end within a second may be at work, but some in any case, and never so many that memory gives out. */
export const PLACES = { least: 256, most: 2_000 }

export function installShedding(app: App, { least, most }: typeof PLACES): void {
  let working = 0
  let ended = 0
  let places = least
  const measure = setInterval(() => {
    places = Math.max(least, Math.min(most, ended))
    ended = 0
  }, 1_000).unref()
  app.addHook('onClose', async () => clearInterval(measure))
  // One for all: the stack of an error costs more than the refusal.
  const refusal = tooBusy(undefined, { headers: { 'retry-after': '1' } })
  const release = () => {
    working -= 1
    ended += 1
  }
  app.decorateRequest('atWork', false)
  app.decorateRequest('handling', undefined)
  app.addHook('onResponse', ({ atWork, handling }, _reply, done) => {
    if (atWork) {
      if (handling) handling.then(release, release)
      else release()
    }
    done()
  })
  const refuse: onRequestHookHandler = (_request, _reply, done) =>
    done(working >= places ? refusal : undefined)
  // Only from when the body is there: those who send slowly must not take the places of those who do not.
  const count: preHandlerHookHandler = (request, _reply, done) => {
    if (working >= places) return done(refusal)
    working += 1
    request.atWork = true
    done()
  }

  app.addHook('onRoute', route => {
    if (ALWAYS.has(route.url)) return
    route.onRequest = [...[route.onRequest ?? []].flat(), refuse]
    // Files come and go at the pace of the other side, a piece at a time.
    if (route.timeLimit) return
    route.preHandler = [count, ...[route.preHandler ?? []].flat()]
    route.handler = remembered(route.handler)
  })
}

/** The same handler; the promise that it returns is kept with the request. */
function remembered(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function (request, reply) {
    const result: unknown = handler.call(this, request, reply)
    if (result instanceof Promise) request.handling = result
    return result
  }
}
