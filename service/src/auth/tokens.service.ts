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
  /** What the caller can be disabled or blocked by: the id of a client, the forms of the id of an external caller. */
  names: string[]
}

interface Options {
  keys: SigningKeys
  externalIssuer: ExternalIssuer | undefined
  clock: Clock
  ttl: number
}

export function createTokens({ keys, externalIssuer, clock, ttl }: Options) {
  // A verified token stays valid until it expires, except for those of disabled clients, which are checked on each request.
  // The caller checks `expiresAt`.
  const verified = new Map<string, Verified>()
  let disabled: ReadonlySet<string> = new Set()

  /** The principal, unless it is a disabled client or a blocked caller. */
  const admitted = ({ principal, names }: Verified): Principal | undefined =>
    disabled.size > 0 && names.some(name => disabled.has(name)) ? undefined : principal

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
    return caller({ clientId, names: [clientId], scope: payload['scope'], expiresAt: payload.exp })
  }

  /** The unverified `iss` only decides who verifies the token: our keys are not searched for those of the external issuer. */
  const verifyByIssuer = async (token: string): Promise<Verified | undefined> => {
    const { kid } = decodeProtectedHeader(token)
    if (externalIssuer && (!kid || decodeJwt(token).iss === externalIssuer.issuer)) {
      const external = await externalIssuer.verify(token)
      return external && caller({ ...external, clientId: external.callerId })
    }
    return kid ? verifyOwn(token, kid) : undefined
  }

  const verifyAndCache = async (token: string): Promise<Principal | undefined> => {
    try {
      const found = await verifyByIssuer(token)
      if (!found) return undefined
      cache(token, found)
      return admitted(found)
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

    async issue(clientId: string, scopes: string[]) {
      const key = keys.current()
      const now = Math.floor(clock.now().getTime() / 1000)
      const scope = scopes.join(' ')
      const accessToken = await new SignJWT({ client_id: clientId, scope })
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

    /** Rejects the tokens of these clients and external callers from now on. */
    setDisabledClients(names: Iterable<string>) {
      disabled = new Set(names)
    },
  }
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
}

function caller({ clientId, names, scope, expiresAt }: Claims): Verified | undefined {
  if (typeof scope !== 'string' || typeof expiresAt !== 'number') return undefined
  const scopes = expandScopes(scope.split(' '))
  return { principal: { clientId, scopes, companies: null, expiresAt }, names }
}
