// Issues and verifies access tokens: JWTs according to RFC 9068, signed with our keys or by an external issuer.
import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../lib/clock.ts'
import type { Principal } from '../lib/principal.ts'
import { isScope } from '../lib/scopes.ts'
import type { ExternalIssuer } from './external-issuer.ts'
import { ALGORITHM, type SigningKeys } from './signing-keys.service.ts'

const TYPE = 'at+jwt'
const MAX_LENGTH = 8_192
const MAX_CACHED = 20_000

export type Tokens = ReturnType<typeof createTokens>

interface Options {
  keys: SigningKeys
  externalIssuer: ExternalIssuer | undefined
  clock: Clock
  ttl: number
  /** Undefined if there is no such client. */
  findClient?: (clientId: string) => Promise<ClientState | undefined>
}

interface ClientState {
  disabled: boolean
  /** The ids of the companies whose records it sees; null is all of them. */
  companies: readonly string[] | null
}

/** A verified token, with whether its client was limited to some companies when it was issued. */
interface Verified {
  principal: Principal
  wasLimited: boolean
}

export function createTokens({
  keys,
  externalIssuer,
  clock,
  ttl,
  findClient = async () => undefined,
}: Options) {
  // A verified token stays valid until it expires. Whether its client is disabled, and its companies, are looked up on
  // each request. The caller checks `expiresAt`.
  const verified = new Map<string, Verified>()
  let restricted: ReadonlyMap<string, ClientState> = new Map()
  const NONE: readonly string[] = []

  const withState = (principal: Principal, state: ClientState | undefined): Principal | undefined => {
    if (!state) return principal
    return state.disabled ? undefined : { ...principal, companies: state.companies }
  }

  /**
   * The caller of the token as it is now. A client that was limited when the token was issued, and is not known to be
   * limited, was created or changed by another service just now: it is looked up.
   */
  const current = ({
    principal,
    wasLimited,
  }: Verified): Principal | undefined | Promise<Principal | undefined> => {
    const state = restricted.get(principal.clientId)
    if (state || !wasLimited) return withState(principal, state)
    return findClient(principal.clientId).then(found =>
      withState(principal, found ?? { disabled: false, companies: NONE }),
    )
  }

  const verifyOwn = async (token: string, kid: string): Promise<Verified | undefined> => {
    const key = await keys.find(kid)
    if (!key) return undefined
    const { payload } = await jwtVerify(token, key.publicKey, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: key.issuer,
      audience: key.issuer,
      requiredClaims: ['exp', 'client_id', 'scope'],
      currentDate: clock.now(),
    })
    const principal = caller(payload['client_id'], payload['scope'], payload.exp)
    return principal && { principal, wasLimited: payload['limited'] === true }
  }

  /** The unverified `iss` only decides who verifies the token: our keys are not searched for those of the external issuer. */
  const verifyByIssuer = async (token: string): Promise<Verified | undefined> => {
    const { kid } = decodeProtectedHeader(token)
    if (externalIssuer && (!kid || decodeJwt(token).iss === externalIssuer.issuer)) {
      const principal = caller(...(await externalIssuer.verify(token)))
      return principal && { principal, wasLimited: false }
    }
    return kid ? verifyOwn(token, kid) : undefined
  }

  const verifyAndCache = async (token: string): Promise<Principal | undefined> => {
    try {
      const found = await verifyByIssuer(token)
      if (found) cache(token, found)
      return found && (await current(found))
    } catch (error) {
      // jose throws for invalid tokens; any other error must not be hidden.
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J'))
        return undefined
      if (error instanceof TypeError) return undefined
      throw error
    }
  }

  const cache = (token: string, found: Verified) => {
    if (verified.size >= MAX_CACHED) verified.clear()
    verified.set(token, found)
  }

  return {
    verify(token: string): Principal | undefined | Promise<Principal | undefined> {
      const cached = verified.get(token)
      if (cached) return current(cached)
      return token.length > MAX_LENGTH || !isCanonical(token) ? undefined : verifyAndCache(token)
    },

    async issue(clientId: string, scopes: string[], { isLimited = false } = {}) {
      const key = keys.current()
      const now = Math.floor(clock.now().getTime() / 1000)
      const scope = scopes.join(' ')
      const accessToken = await new SignJWT({
        client_id: clientId,
        scope,
        ...(isLimited && { limited: true }),
      })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.kid })
        .setIssuer(key.issuer)
        .setAudience(key.issuer)
        .setSubject(clientId)
        .setIssuedAt(now)
        .setExpirationTime(now + ttl)
        .setJti(randomUUID())
        .sign(key.privateKey)
      return { access_token: accessToken, token_type: 'Bearer' as const, expires_in: ttl, scope }
    },

    /** The clients that are disabled, whose tokens are rejected from now on, or limited to some companies. */
    setRestrictedClients(clients: ReadonlyMap<string, ClientState>) {
      restricted = clients
    },
  }
}

/** Rejects other spellings of the same token, with padding or other unused bits, which a Base64 decoder ignores. */
function isCanonical(token: string): boolean {
  return token.split('.').every(part => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function caller(clientId: unknown, scope: unknown, expiresAt: unknown): Principal | undefined {
  if (typeof clientId !== 'string' || typeof scope !== 'string' || typeof expiresAt !== 'number')
    return undefined
  return { clientId, scopes: new Set(scope.split(' ').filter(isScope)), companies: null, expiresAt }
}
