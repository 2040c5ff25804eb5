// Issues tokens by the client credentials grant of RFC 6749, section 4.4, and limits attempts to guess secrets.
import type { Clock } from '../lib/clock.ts'
import { createLimiter } from '../lib/limiter.ts'
import type { Clients } from './clients.service.ts'
import type { Tokens } from './tokens.service.ts'

export class OAuthError extends Error {
  readonly status: number
  readonly error: string
  readonly headers: Record<string, string>

  constructor(status: number, error: string, description: string, headers: Record<string, string> = {}) {
    super(description)
    this.status = status
    this.error = error
    this.headers = headers
  }
}

export interface TokenRequest {
  authorization: string | undefined
  form: URLSearchParams | undefined
  address: string
  /** Called with the client that the request names, if there is one, for the audit. */
  onClient?: (clientId: string, isAuthenticated: boolean) => void
}

export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>

const WINDOW_SECONDS = 300
const MAX_FAILURES_PER_CLIENT = 10
const MAX_FAILURES_PER_ADDRESS = 100

export function createTokenEndpoint({
  clients,
  tokens,
  clock,
}: {
  clients: Clients
  tokens: Tokens
  clock: Clock
}) {
  const now = () => clock.now().getTime()
  const byClient = createLimiter({ limit: MAX_FAILURES_PER_CLIENT, windowSeconds: WINDOW_SECONDS, now })
  const byAddress = createLimiter({ limit: MAX_FAILURES_PER_ADDRESS, windowSeconds: WINDOW_SECONDS, now })

  const rejectBlocked = (guess: string, address: string) => {
    const wait = Math.max(byClient.blockedFor(guess), byAddress.blockedFor(address))
    if (wait > 0)
      throw new OAuthError(429, 'too_many_requests', `Too many wrong secrets. Wait ${wait} seconds.`, {
        'retry-after': String(wait),
      })
  }

  return {
    async issue({ authorization, form = new URLSearchParams(), address, onClient }: TokenRequest) {
      rejectDuplicates(form)
      const [clientId, secret] = readCredentials(authorization, form)
      const guess = `${clientId} ${address}`
      rejectBlocked(guess, address)
      const grant = form.get('grant_type')
      if (!grant)
        throw new OAuthError(400, 'invalid_request', 'grant_type is missing; send client_credentials.')
      if (grant !== 'client_credentials')
        throw new OAuthError(400, 'unsupported_grant_type', 'The only grant_type here is client_credentials.')

      const found = await authenticate(clients, clientId, secret)
      // Checked again because of concurrent guesses: beyond the limit, even a correct secret gets 429.
      rejectBlocked(guess, address)
      if (!found) {
        byClient.count(guess)
        byAddress.count(address)
        // The text may be anything, even a secret: only the id of a client is noted.
        if (await clients.exists(clientId)) onClient?.(clientId, false)
        throw new OAuthError(401, 'invalid_client', 'Unknown client, wrong secret, or disabled.', {
          'www-authenticate': 'Basic realm="caseport"',
        })
      }
      const { allowed } = found
      onClient?.(found.clientId, true)
      const requested = form.get('scope')?.split(' ').filter(Boolean)
      const notAllowed = requested?.filter(scope => !allowed.includes(scope)) ?? []
      if (notAllowed.length > 0)
        throw new OAuthError(400, 'invalid_scope', `The client may have ${allowed.join(' ')}.`)
      return tokens.issue(found.clientId, requested?.length ? [...new Set(requested)] : allowed)
    },
  }
}

/** RFC 6749 requires both parts to be form-encoded inside Basic. Many clients do not encode them, so both are tried. */
async function authenticate(clients: Clients, clientId: string, secret: string) {
  const allowed = await clients.authenticate(clientId, secret)
  if (allowed) return { clientId, allowed }
  if (!/[%+]/.test(clientId + secret)) return undefined
  const decoded = decodeForm(clientId)
  const allowedDecoded = await clients.authenticate(decoded, decodeForm(secret))
  return allowedDecoded && { clientId: decoded, allowed: allowedDecoded }
}

function rejectDuplicates(form: URLSearchParams): void {
  for (const name of new Set(form.keys())) {
    if (form.getAll(name).length > 1)
      throw new OAuthError(400, 'invalid_request', 'A parameter is there twice.')
  }
}

function readCredentials(authorization: string | undefined, form: URLSearchParams): [string, string] {
  const inForm = form.get('client_id')
  const secretInForm = form.get('client_secret')
  if (authorization === undefined) {
    if (inForm && secretInForm) return [inForm, secretInForm]
    throw new OAuthError(
      401,
      'invalid_client',
      'Send the client id and secret by HTTP Basic or in the form.',
      {
        'www-authenticate': 'Basic realm="caseport"',
      },
    )
  }
  if (secretInForm)
    throw new OAuthError(400, 'invalid_request', 'Send the secret by HTTP Basic or in the form, not both.')
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(authorization)?.[1]
  const [, clientId, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  if (!clientId || !secret)
    throw new OAuthError(
      401,
      'invalid_client',
      'The Authorization header is not HTTP Basic with id and secret.',
      {
        'www-authenticate': 'Basic realm="caseport"',
      },
    )
  return [clientId, secret]
}

function decodeForm(text: string): string {
  return new URLSearchParams(`v=${text}`).get('v') ?? text
}
