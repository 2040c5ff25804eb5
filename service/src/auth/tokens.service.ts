// Owns access tokens: JWTs as RFC 9068 describes them, signed with our keys, or an outside issuer's where one is set.
import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../lib/clock.ts'
import { isScope } from '../lib/scopes.ts'
import type { ExternalIssuer } from './external-issuer.ts'
import { ALGORITHM, type SigningKeys } from './signing-keys.service.ts'

const TYPE = 'at+jwt'
const MAX_LENGTH = 8_192
const MAX_CACHED = 20_000

interface Caller {
  clientId: string
  scopes: ReadonlySet<string>
  expiresAt: number
}

export type Tokens = ReturnType<typeof createTokens>

interface Options {
  keys: SigningKeys
  outside: ExternalIssuer | undefined
  clock: Clock
  ttl: number
}

export function createTokens({ keys, outside, clock, ttl }: Options) {
  // A token that was found good stays good until it expires; the clients that were disabled are asked for apart.
  const good = new Map<string, Caller>()
  let disabled: ReadonlySet<string> = new Set()

  const verifyOwn = async (token: string, kid: string): Promise<Caller | undefined> => {
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
    return caller(payload['client_id'], payload['scope'], payload.exp)
  }

  /** Whom the token names only decides who looks at it: the outside issuer's is not sought among our keys. */
  const verifyByIssuer = async (token: string): Promise<Caller | undefined> => {
    const { kid } = decodeProtectedHeader(token)
    if (outside && (!kid || decodeJwt(token).iss === outside.issuer))
      return caller(...(await outside.verify(token)))
    return kid ? verifyOwn(token, kid) : undefined
  }

  const examine = async (token: string): Promise<Caller | undefined> => {
    try {
      const found = await verifyByIssuer(token)
      if (found) remember(token, found)
      return found && !disabled.has(found.clientId) ? found : undefined
    } catch (error) {
      // jose throws for every token that is not good; anything else is a fault that must be seen.
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J'))
        return undefined
      if (error instanceof TypeError) return undefined
      throw error
    }
  }

  const remember = (token: string, found: Caller) => {
    if (good.size >= MAX_CACHED) good.clear()
    good.set(token, found)
  }

  return {
    verify(token: string): Caller | undefined | Promise<Caller | undefined> {
      const known = good.get(token)
      if (known) return disabled.has(known.clientId) ? undefined : known
      return token.length > MAX_LENGTH || !isCanonical(token) ? undefined : examine(token)
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

    refuseClients(clientIds: Iterable<string>) {
      disabled = new Set(clientIds)
    },
  }
}

/** Each token has one spelling: padding and spare bits, which a decoder overlooks, would make others of it. */
function isCanonical(token: string): boolean {
  return token.split('.').every(part => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function caller(clientId: unknown, scope: unknown, expiresAt: unknown): Caller | undefined {
  if (typeof clientId !== 'string' || typeof scope !== 'string' || typeof expiresAt !== 'number')
    return undefined
  return { clientId, scopes: new Set(scope.split(' ').filter(isScope)), expiresAt }
}
