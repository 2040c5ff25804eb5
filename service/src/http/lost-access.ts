// Ends long requests whose caller loses its access meanwhile: a client or person that is disabled, a session that ends, scopes
// or companies that are taken away. All others end soon by themselves.
import type { FastifyRequest } from 'fastify'
import { errorForLog } from '../lib/log.ts'
import type { App, InFlightRequest } from './app-types.ts'
import { askToSignIn, challenge, invalidToken } from './authorization.ts'
import { endEarly } from './in-flight.ts'

/** With the time for which a session is cached, less than the five seconds in which access is lost. */
const CHECK_MS = 2_000

export function installLostAccess(app: App): void {
  const check = async (entry: InFlightRequest) => {
    const { request } = entry
    if (await app.keepsAccess(request)) return
    request.log.warn('a request was ended: its caller has lost access')
    // As if the client had hung up during its upload, of which nothing is stored.
    if (!request.raw.complete) request.raw.destroy()
    else endEarly(entry, rejectionOf)
  }
  let isChecking = false
  const checkAll = async () => {
    if (isChecking) return
    isChecking = true
    const entries = app.inFlight.long().filter(({ request }) => request.principal)
    const outcomes = await Promise.allSettled(entries.map(check))
    isChecking = false
    // While the database does not respond, requests go on: the next check may succeed.
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected')
      app.log.error(errorForLog(failed.reason), 'the access of long requests could not be checked')
  }
  const timer = setInterval(checkAll, CHECK_MS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

const rejectionOf = ({ principal }: FastifyRequest) =>
  principal?.user ? askToSignIn() : challenge(invalidToken, { parameters: 'error="invalid_token"' })
