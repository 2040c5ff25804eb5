// What proves who the caller is: a token of the client credentials grant, a token of the application, or the cookie of
// a session.
import { errorOf, invalidResponse, throwNetworkError } from './errors.ts'
import { onAbort } from './retry.ts'

export type Auth =
  /** Client id and secret, which belong on a server only. The SDK gets tokens and renews them. */
  | { kind: 'client'; clientId: string; clientSecret: string; scopes?: readonly string[] }
  /** A token that the application gets itself. A function is called for each request. */
  | { kind: 'token'; token: string | (() => string | Promise<string>) }
  /** A page of the service, with the session of the person who is signed in. */
  | { kind: 'cookie' }

export interface Authenticator {
  credentials: RequestCredentials
  /** The Authorization header, if there is one. */
  authorization(signal: AbortSignal): Promise<string | undefined>
  /** Called after a token was rejected. Returns whether there may be a better one. */
  renew(rejected: string | undefined): boolean
}

interface Endpoint {
  url: string
  fetch: typeof globalThis.fetch
}

const TOKEN_DEADLINE_MS = 30_000
/** A token is renewed this long before it expires, or after four fifths of a short life. */
const MARGIN_MS = 60_000

export function createAuthenticator(auth: Auth, endpoint: Endpoint): Authenticator {
  if (auth.kind === 'cookie')
    return { credentials: 'include', authorization: async () => undefined, renew: () => false }
  if (auth.kind === 'client') return clientAuthenticator(auth, endpoint)
  const { token } = auth
  return {
    credentials: 'omit',
    authorization: signal => abortable(bearerOf(token), signal),
    renew: () => typeof token === 'function',
  }
}

const bearerOf = async (token: string | (() => string | Promise<string>)) =>
  `Bearer ${typeof token === 'function' ? await token() : token}`

interface Cached {
  authorization: string
  renewAt: number
}

function clientAuthenticator(auth: Auth & { kind: 'client' }, endpoint: Endpoint): Authenticator {
  let cached: Cached | undefined
  let pending: Promise<string> | undefined

  const request = async () => {
    cached = await requestToken(auth, endpoint)
    return cached.authorization
  }

  return {
    credentials: 'omit',
    authorization(signal) {
      if (cached && Date.now() < cached.renewAt) return Promise.resolve(cached.authorization)
      pending ??= request().finally(() => {
        pending = undefined
      })
      // The request for a token is shared, so that one caller who gives up does not end it for the others.
      return abortable(pending, signal)
    },
    renew(rejected) {
      if (cached?.authorization === rejected) cached = undefined
      return true
    },
  }
}

/** Each call that waits for the token repeats the request within its own limits. */
async function requestToken(
  { clientId, clientSecret, scopes }: Auth & { kind: 'client' },
  { url, fetch }: Endpoint,
): Promise<Cached> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...(scopes && { scope: scopes.join(' ') }),
  })
  const sentAt = Date.now()
  const response = await fetch(url, {
    method: 'POST',
    body,
    signal: AbortSignal.timeout(TOKEN_DEADLINE_MS),
    credentials: 'omit',
    // A redirect would take the secret elsewhere.
    redirect: 'manual',
  }).catch(throwNetworkError)
  const text = await response.text().catch(throwNetworkError)
  if (!response.ok) throw errorOf(response, text)
  const { access_token: token, expires_in: seconds } = parseToken(text)
  const lifetime = seconds * 1000
  return {
    authorization: `Bearer ${token}`,
    renewAt: sentAt + lifetime - Math.min(MARGIN_MS, lifetime / 5),
  }
}

function parseToken(text: string): { access_token: string; expires_in: number } {
  try {
    const { access_token, expires_in } = JSON.parse(text)
    if (typeof access_token === 'string' && typeof expires_in === 'number')
      return { access_token, expires_in }
  } catch {
    // Falls through: text that is no JSON is reported like JSON without a token.
  }
  throw invalidResponse('The response has no token. Check baseUrl.')
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, reject)
    promise.then(resolve, reject).finally(release)
  })
}
