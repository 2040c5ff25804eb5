// Issues tokens by the client credentials grant of RFC 6749, section 4.4, and limits attempts to guess secrets.
import type { Clock } from '../lib/clock.ts'
import { createGuessLimit, TooManyGuessesError } from '../lib/guess-limit.ts'
import { expandScopes } from '../lib/scopes.ts'
import { ONE_PROCESS, type WorkerBus } from '../lib/worker-bus.ts'
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

/** More than any client sends; the grant has four. */
export const MAX_PARAMETERS = 20
/** How often a client id may have been encoded. Each more needs three times as many characters. */
const MAX_ENCODINGS = 8

export function createTokenEndpoint({
  clients,
  tokens,
  clock,
  bus = ONE_PROCESS,
}: {
  clients: Clients
  tokens: Tokens
  clock: Clock
  bus?: WorkerBus
}) {
  const guesses = createGuessLimit({ now: () => clock.now().getTime(), name: 'secrets', bus })

  return {
    async issue({ authorization, form = new URLSearchParams(), address, onClient }: TokenRequest) {
      rejectDuplicates(form)
      const credentials = readCredentials(authorization, form)
      const grant = form.get('grant_type')
      if (!grant)
        throw new OAuthError(400, 'invalid_request', 'grant_type is missing; send client_credentials.')
      if (grant !== 'client_credentials')
        throw new OAuthError(400, 'unsupported_grant_type', 'The only grant_type here is client_credentials.')

      const found = await guesses
        .attempt({ account: accountOf(credentials.clientId), address }, () =>
          authenticate(clients, credentials),
        )
        .catch(error => {
          throw error instanceof TooManyGuessesError ? tooManyGuesses(error) : error
        })
      if (!found) {
        // The text may be anything, even a secret: only the id of a client is noted.
        if (await clients.exists(credentials.clientId)) onClient?.(credentials.clientId, false)
        throw new OAuthError(401, 'invalid_client', 'Unknown client, wrong secret, or disabled.', {
          'www-authenticate': 'Basic realm="caseport"',
        })
      }
      const { clientId: id, scopes: allowed, isLimited } = found
      onClient?.(id, true)
      const requested = form.get('scope')?.split(' ').filter(Boolean)
      const expanded: ReadonlySet<string> = expandScopes(allowed)
      const notAllowed = requested?.filter(scope => !expanded.has(scope)) ?? []
      if (notAllowed.length > 0)
        throw new OAuthError(400, 'invalid_scope', `The client may have ${allowed.join(' ')}.`)
      return tokens.issue(id, requested?.length ? [...new Set(requested)] : allowed, { isLimited })
    },
  }
}

interface Credentials {
  clientId: string
  secret: string
  /** Whether both parts may be form-encoded. */
  encoded: boolean
}

/** RFC 6749 requires both parts to be form-encoded inside Basic. Many clients do not encode them, so both are tried. */
async function authenticate(clients: Clients, { clientId, secret, encoded }: Credentials) {
  const found = await clients.authenticate(clientId, secret)
  if (found) return { clientId, ...found }
  if (!encoded || !/[%+]/.test(clientId + secret)) return undefined
  const decoded = decodeForm(clientId)
  const foundDecoded = await clients.authenticate(decoded, decodeForm(secret))
  return foundDecoded && { clientId: decoded, ...foundDecoded }
}

/** One name for all spellings of a client id, so that they share one limit. */
function accountOf(clientId: string): string {
  let account = clientId
  for (let encodings = 0; encodings < MAX_ENCODINGS; encodings++) {
    const decoded = decodeForm(account)
    if (decoded === account) break
    account = decoded
  }
  return account
}

function tooManyGuesses({ retryAfter }: TooManyGuessesError): OAuthError {
  return new OAuthError(429, 'too_many_requests', `Too many wrong secrets. Wait ${retryAfter} seconds.`, {
    'retry-after': String(retryAfter),
  })
}

function rejectDuplicates(form: URLSearchParams): void {
  const names = new Set<string>()
  for (const name of form.keys()) {
    if (names.has(name)) throw new OAuthError(400, 'invalid_request', 'A parameter is there twice.')
    names.add(name)
  }
}

function readCredentials(authorization: string | undefined, form: URLSearchParams): Credentials {
  const inForm = form.get('client_id')
  const secretInForm = form.get('client_secret')
  if (authorization === undefined) {
    if (inForm && secretInForm) return { clientId: inForm, secret: secretInForm, encoded: false }
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
  return { clientId, secret, encoded: true }
}

function decodeForm(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? text
}
