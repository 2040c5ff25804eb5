// Sheds load: at most as many requests are admitted at once as end within a second; others are rejected immediately. A
// rejection costs next to nothing, memory stays bounded, and admitted requests end within about a second. A request keeps its slot until its
// response has ended and its handler has returned: after a hang-up the handler and its queries still run, and a client
// that retries would otherwise add to them unbounded.
import type { onRequestHookHandler, preHandlerHookHandler, RouteHandlerMethod } from 'fastify'
import { declareProblem } from '../lib/problem.ts'
import type { App } from './app-types.ts'

export const tooBusy = declareProblem({
  code: 'too-busy',
  status: 503,
  title: 'The service has too many requests in progress. Nothing was done.',
  remedy: 'Retry the same request after the seconds in Retry-After.',
})

/** Monitoring must work, above all under load. */
const EXEMPT = new Set(['/healthz', '/readyz', '/metrics'])

/** Bounds of the number of slots, which follows the number of requests that ended in the last second. */
export const SLOTS = { min: 256, max: 2_000 }

/** Returns the hook that rejects a request while no slot is free. It runs before authorization, whose lookups cost more. */
export function installShedding(app: App, { min, max }: typeof SLOTS): onRequestHookHandler {
  let admitted = 0
  let ended = 0
  let slots = min
  const timer = setInterval(() => {
    slots = Math.max(min, Math.min(max, ended))
    ended = 0
  }, 1_000).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  // One instance for all: creating the stack trace of an error costs more than the rejection.
  const rejection = tooBusy(undefined, { headers: { 'retry-after': '1' } })
  const release = () => {
    admitted -= 1
    ended += 1
  }
  app.decorateRequest('admitted', false)
  app.decorateRequest('handlerResult', undefined)
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.admitted) {
      if (request.handlerResult) request.handlerResult.then(release, release)
      else release()
    }
    done()
  })
  // Only once the body is read: slow senders must not take the slots of others.
  const admit: preHandlerHookHandler = (request, _reply, done) => {
    if (admitted >= slots) return done(rejection)
    admitted += 1
    request.admitted = true
    done()
  }

  app.addHook('onRoute', route => {
    if (EXEMPT.has(route.url)) return
    // File transfers take no slot: they proceed at the client's pace, and share a memory budget instead.
    if (route.timeLimit) return
    route.preHandler = [admit, ...[route.preHandler ?? []].flat()]
    route.handler = keepResult(route.handler)
  })
  return ({ inFlight }, _reply, done) => {
    const url = inFlight?.route.url
    const isExempt = url === undefined || EXEMPT.has(url)
    done(admitted >= slots && !isExempt ? rejection : undefined)
  }
}

/** The same handler; the promise that it returns is kept on the request. */
function keepResult(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function (request, reply) {
    const result: unknown = handler.call(this, request, reply)
    if (result instanceof Promise) request.handlerResult = result
    return result
  }
}
