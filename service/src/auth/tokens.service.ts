// Issues and verifies access tokens: JWTs according to RFC 9068, signed with our keys or by an external issuer.
import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../lib/clock.ts'
import { isExternalId } from '../lib/external-caller.ts'
import type { Principal } from '../lib/principal.ts'
import { expandScopes } from '../lib/scopes.ts'
import type { ExternalIssuer } from './external-issuer.ts'
import { ALGORITHM, type SigningKeys } from './signing-keys.service.ts'

const TYPE = 'at+jwt'
const MAX_LENGTH = 8_192
const MAX_CACHED = 20_000

export type Tokens = ReturnType<typeof createTokens>

interface Verified {
  principal: Principal
  /** What the caller can be disabled, blocked or limited by: the id of a client, the forms of the id of an external caller. */
  names: string[]
  /** Whether the client was limited to some companies when the token was issued. */
  wasLimited: boolean
}

interface ClientState {
  disabled: boolean
  /** The ids of the companies whose records it sees; null is all of them. */
  companies: readonly string[] | null
}

interface Options {
  keys: SigningKeys
  externalIssuer: ExternalIssuer | undefined
  clock: Clock
  ttl: number
  /** Undefined if there is no such client. */
  findClient?: (clientId: string) => Promise<ClientState | undefined>
}

const NO_CLIENT: ClientState = { disabled: false, companies: [] }

export function createTokens({
  keys,
  externalIssuer,
  clock,
  ttl,
  findClient = async () => undefined,
}: Options) {
  // A verified token stays valid until it expires. Whether its client is disabled, and its companies, are looked up on each
  // request. The caller checks `expiresAt`.
  const verified = new Map<string, Verified>()
  let restricted: ReadonlyMap<string, ClientState> = new Map()

  /**
   * The principal as it is now, unless it is a disabled client or a blocked caller. A client that was limited when the token
   * was issued, and is not known to be limited, was created or changed by another service just now: it is looked up.
   */
  const admitted = (found: Verified): Principal | undefined | Promise<Principal | undefined> => {
    const { principal, names, wasLimited } = found
    const states = restricted.size > 0 ? names.flatMap(name => restricted.get(name) ?? []) : []
    if (states.length > 0 || !wasLimited) return withStates(principal, states)
    return findClient(principal.clientId).then(state => withStates(principal, [state ?? NO_CLIENT]))
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
    const clientId = payload['client_id']
    // No own token names an external caller or a person.
    if (typeof clientId !== 'string' || isExternalId(clientId)) return undefined
    return caller({
      clientId,
      names: [clientId],
      scope: payload['scope'],
      expiresAt: payload.exp,
      wasLimited: payload['limited'] === true,
    })
  }

  /** The unverified `iss` only decides who verifies the token: our keys are not searched for those of the external issuer. */
  const verifyByIssuer = async (token: string): Promise<Verified | undefined> => {
    const { kid } = decodeProtectedHeader(token)
    if (externalIssuer && (!kid || decodeJwt(token).iss === externalIssuer.issuer)) {
      const external = await externalIssuer.verify(token)
      return external && caller({ ...external, clientId: external.callerId, wasLimited: false })
    }
    return kid ? verifyOwn(token, kid) : undefined
  }

  const verifyAndCache = async (token: string): Promise<Principal | undefined> => {
    try {
      const found = await verifyByIssuer(token)
      if (!found) return undefined
      cache(token, found)
      return await admitted(found)
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
      if (cached) return admitted(cached)
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

    /** The clients and external callers that are disabled or blocked, or limited to some companies. */
    setRestrictedClients(clients: ReadonlyMap<string, ClientState>) {
      restricted = clients
    },
  }
}

/** A caller with several names has the companies that all of them have. */
function withStates(principal: Principal, states: ClientState[]): Principal | undefined {
  if (states.some(({ disabled }) => disabled)) return undefined
  const [first, ...others] = states.flatMap(({ companies }) => (companies ? [companies] : []))
  if (!first) return principal
  const companies =
    others.length > 0 ? first.filter(company => others.every(list => list.includes(company))) : first
  return { ...principal, companies }
}

/** Rejects other spellings of the same token, with padding or other unused bits, which a Base64 decoder ignores. */
function isCanonical(token: string): boolean {
  return token.split('.').every(part => Buffer.from(part, 'base64url').toString('base64url') === part)
}

interface Claims {
  clientId: string
  names: string[]
  scope: unknown
  expiresAt: unknown
  wasLimited: boolean
}

function caller({ clientId, names, scope, expiresAt, wasLimited }: Claims): Verified | undefined {
  if (typeof scope !== 'string' || typeof expiresAt !== 'number') return undefined
  const scopes = expandScopes(scope.split(' '))
  return { principal: { clientId, scopes, companies: null, expiresAt }, names, wasLimited }
}
