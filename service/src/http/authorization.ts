// Authorizes requests: every route declares a scope, and no handler runs before the token or the session with that scope is
// verified.
import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { runAs } from '../db/caller.ts'
import { type Grant, includesGrant } from '../lib/grants.ts'
import { createGuessLimit, type GuessLimit, TooManyGuessesError } from '../lib/guess-limit.ts'
import { createLimiter, tooManyRequests } from '../lib/limiter.ts'
import type { Principal } from '../lib/principal.ts'
import { declareProblem } from '../lib/problem.ts'
import { isScope, type Scope } from '../lib/scopes.ts'
import { ONE_PROCESS, type WorkerBus } from '../lib/worker-bus.ts'
import type { App } from './app-types.ts'
import type { Browser } from './browser.ts'
import { lacksIdentifiers } from './identifiers.ts'

export const tokenRequired = declareProblem({
  code: 'token-required',
  status: 401,
  title: 'This operation needs an access token.',
  remedy:
    'Get one from POST /oauth/token and send it as Authorization: Bearer <token>; or sign in at /sign-in and send the cookie.',
})
export const invalidToken = declareProblem({
  code: 'invalid-token',
  status: 401,
  title: 'The access token is invalid or has expired.',
  remedy: 'Get a new one from POST /oauth/token.',
})
export const sessionRequired = declareProblem({
  code: 'session-required',
  status: 401,
  title: 'No person is signed in, or the session has ended.',
  remedy: 'Sign in at /sign-in, or with POST /auth/v1/session, and send the cookie.',
})
export const insufficientScope = declareProblem({
  code: 'insufficient-scope',
  status: 403,
  title: 'The access token lacks the scope that this operation needs.',
  remedy:
    'Request a token with that scope. The operator decides which scopes a client has, and which roles a person has.',
})
export const apiKeyRequired = declareProblem({
  code: 'api-key-required',
  status: 401,
  title: 'This operation needs a valid API key in addition to the access token.',
  remedy: 'Send an API key of the same client in the X-API-Key header.',
})

/** Checking an API key is one query, so that several may run at the same time. */
const API_KEY_CHECKS = 16

const BEARER = /^bearer +([\w.~+/=-]+) *$/i

/** Implemented by auth/. `verify` is synchronous for a cached token. */
interface Authenticator {
  verify(token: string): Principal | undefined | Promise<Principal | undefined>
  verifyApiKey(clientId: string, key: string): Promise<boolean>
  /** Whether a client or external caller is enabled, and has what it had. */
  stillHas(clientId: string, grant: Grant): Promise<boolean>
}

/** Implemented by sign-in/. `verify` is synchronous for a cached session. */
interface SessionVerifier {
  verify(token: string): Principal | undefined | Promise<Principal | undefined>
}

interface Options {
  authenticator: Authenticator
  /** Undefined where people cannot sign in: then cookies are ignored. */
  people?: { sessions: SessionVerifier; browser: Browser }
  now: () => number
  /** Requests per minute and client. */
  rateLimit: number | undefined
  bus?: WorkerBus
}

/** Scopes that are none of OAuth: no credentials, any valid ones, and the session of a person. */
const SPECIAL = new Set(['public', 'any', 'session'])

export function installAuthorization(
  app: App,
  { authenticator, people, now, rateLimit, bus = ONE_PROCESS }: Options,
): void {
  app.decorateRequest('principal', undefined)
  app.addHook('onRoute', route => {
    const { scope, apiKey } = route
    if (!scope || (!SPECIAL.has(scope) && !isScope(scope)))
      throw new Error(
        `${[route.method].flat().join('/')} ${route.url} declares no known scope: add scope to its options.`,
      )
    if (lacksIdentifiers(route))
      throw new Error(
        `${[route.method].flat().join('/')} ${route.url} declares no identifiers in its schema.`,
      )
    route.config = { ...route.config, scope, ...(apiKey && { apiKey }) }
  })

  const keyGuesses = createGuessLimit({ now, name: 'API keys', bus, concurrency: API_KEY_CHECKS })
  const requests = rateLimit
    ? createLimiter({ limit: rateLimit, windowSeconds: 60, now, shared: bus.counts('requests') })
    : undefined

  const admit = (request: FastifyRequest, principal: Principal | undefined, byCookie: boolean) => {
    const scope = request.inFlight?.route.scope
    if (!principal || principal.expiresAt * 1000 <= now())
      throw byCookie ? askToSignIn() : challenge(invalidToken, { parameters: 'error="invalid_token"' })
    request.principal = principal
    if (requests && !requests.count(principal.clientId)) {
      const seconds = Math.max(1, requests.blockedFor(principal.clientId))
      throw tooManyRequests(`More than ${rateLimit} requests a minute.`, {
        headers: { 'retry-after': String(seconds) },
      })
    }
    if (scope === 'any' || scope === 'session') return
    if (!scope || !principal.scopes.has(scope)) throw lacksScope(scope)
  }

  const verify = (request: FastifyRequest) => {
    const { scope, apiKey } = request.inFlight?.route ?? {}
    const { authorization } = request.headers
    // A person has no API key, so that a cookie does not open the routes that need one.
    const byCookie = people !== undefined && !apiKey && (scope === 'session' || !authorization)
    const verified = byCookie
      ? verifySession(request, { ...people, isRequired: scope === 'session' })
      : authenticator.verify(bearerOf(authorization, apiKey))
    return { verified, byCookie }
  }
  app.decorate('isStillAllowed', async request => {
    const { principal } = request
    const current = await verify(request).verified
    if (!principal || !current || current.expiresAt * 1000 <= now()) return false
    return hasSameAccess(principal, current)
  })
  app.decorate('keepsAccess', async request => {
    const { principal } = request
    if (!principal) return true
    const { clientId, user, scopes, companies } = principal
    // Not by the token, which may expire while a download lasts. The scopes of a client are those of its token.
    if (!user) return authenticator.stillHas(clientId, { scopes: [], companies })
    const current = await verify(request).verified
    return current !== undefined && includesGrant(current, { scopes: [...scopes], companies })
  })

  app.addHook('onRequest', (request, _reply, done) => {
    const { scope, apiKey, url } = request.inFlight?.route ?? {}
    if (scope === 'public' || url === undefined) return done()
    try {
      const { verified, byCookie } = verify(request)
      if (!(verified instanceof Promise) && !apiKey) {
        admit(request, verified, byCookie)
        return done()
      }
      Promise.resolve(verified)
        .then(principal => admit(request, principal, byCookie))
        .then(() => (apiKey ? checkApiKey(request, { authenticator, keyGuesses }) : undefined))
        .then(() => done(), done)
    } catch (error) {
      done(error as Error)
    }
  })
  installBoundary(app)
}

const hasSameAccess = (before: Principal, after: Principal) =>
  isDeepStrictEqual([before.scopes, before.companies], [after.scopes, after.companies])

/** Handlers run for the companies of their caller. Without a caller they run for none, and see no record. */
function installBoundary(app: App): void {
  // Not earlier: the body arrives by events of the socket, which run for no caller.
  app.addHook('preValidation', ({ principal }, _reply, done) =>
    principal ? runAs(principal.companies, done) : done(),
  )
}

const lacksScope = (scope: string | undefined, detail = `This operation needs the scope ${scope}.`) =>
  insufficientScope(detail, {
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })

/** For operations that any of several scopes opens. */
export function requireOneScope({ principal }: FastifyRequest, scopes: readonly Scope[]): void {
  if (scopes.some(scope => principal?.scopes.has(scope))) return
  throw lacksScope(scopes.join(' '), `This operation needs one of the scopes ${scopes.join(', ')}.`)
}

/** For operations that need a second scope. */
export function requireScope({ principal }: FastifyRequest, scope: Scope): void {
  if (!principal?.scopes.has(scope)) throw lacksScope(scope)
}

function bearerOf(authorization: string | undefined, needsApiKey = false): string {
  if (!authorization)
    throw challenge(tokenRequired, {
      detail: needsApiKey
        ? 'This operation needs the access token and an API key of a client. A session does not open it.'
        : undefined,
    })
  const token = BEARER.exec(authorization)?.[1]
  if (!token) throw challenge(invalidToken, { parameters: 'error="invalid_request"' })
  return token
}

function verifySession(
  request: FastifyRequest,
  { sessions, browser, isRequired }: { sessions: SessionVerifier; browser: Browser; isRequired: boolean },
) {
  const token = browser.read(request)
  if (token === undefined) throw isRequired ? askToSignIn() : challenge(tokenRequired)
  // Before the session is looked up: a page of another origin learns nothing of it.
  browser.requireSameOrigin(request)
  return sessions.verify(token)
}

export const askToSignIn = () =>
  sessionRequired(undefined, { headers: { 'www-authenticate': 'Cookie realm="caseport"' } })

interface ApiKeyCheck {
  authenticator: Authenticator
  keyGuesses: GuessLimit
}

async function checkApiKey(
  request: FastifyRequest,
  { authenticator, keyGuesses }: ApiKeyCheck,
): Promise<void> {
  const key = request.headers['x-api-key']
  const clientId = request.principal?.clientId
  if (typeof key !== 'string' || key === '' || clientId === undefined) throw challenge(apiKeyRequired)
  const check = async () => (await authenticator.verifyApiKey(clientId, key)) || undefined
  const valid = await keyGuesses.attempt({ account: clientId, address: request.ip }, check).catch(error => {
    if (!(error instanceof TooManyGuessesError)) throw error
    throw tooManyRequests('Too many wrong API keys.', {
      headers: { 'retry-after': String(error.retryAfter) },
    })
  })
  if (!valid) throw challenge(apiKeyRequired)
}

export function challenge(
  problem: typeof invalidToken,
  { parameters, detail }: { parameters?: string; detail?: string | undefined } = {},
) {
  const value = `Bearer realm="caseport"${parameters ? `, ${parameters}` : ''}`
  return problem(detail, { headers: { 'www-authenticate': value } })
}
