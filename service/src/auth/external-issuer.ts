// Verifies tokens of an external OpenID Connect issuer. Its keys are fetched when first needed and cached by jose.
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../lib/clock.ts'
import { externalCallerOf } from '../lib/external-caller.ts'
import { declareProblem } from '../lib/problem.ts'

export const issuerUnavailable = declareProblem({
  code: 'issuer-unavailable',
  status: 503,
  title: 'The issuer of this access token does not respond at the moment.',
  remedy: 'Retry the same request after the seconds in Retry-After.',
})

const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
const TIMEOUT_MS = 5_000
const MAX_LIFETIME_SECONDS = 86_400
/** How far the issuer's clock may be ahead of ours. */
const CLOCK_SKEW_SECONDS = 60

/** RFC 9068 requires `at+jwt`. Many issuers send `JWT` or no type; such a token must show that it is no other kind. */
const ACCESS_TOKEN_TYPES = ['at+jwt', 'application/at+jwt']
const PLAIN_TYPES = ['jwt', undefined]
/** Claims of ID tokens and of logout or security event tokens, which access tokens lack. */
const OTHER_KINDS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']

export interface ExternalToken {
  /** `oidc:<issuer>:<subject>:<client>`; see lib/external-caller.ts. */
  callerId: string
  /** All forms of the id under which the caller can be blocked. */
  names: string[]
  scope: unknown
  expiresAt: number
}

export interface ExternalIssuer {
  issuer: string
  /** Undefined, or a jose error, for a token that is not accepted. */
  verify(token: string): Promise<ExternalToken | undefined>
}

interface Options {
  issuer: string
  audience: string
  clock: Clock
}

export function createExternalIssuer({ issuer, audience, clock }: Options): ExternalIssuer {
  let keySet: Promise<JWTVerifyGetKey> | undefined

  const discover = async () => {
    const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    })
    if (!response.ok) throw new Error(`${issuer} responded with ${response.status}.`)
    const document = (await response.json()) as { issuer?: string; jwks_uri?: string }
    if (document.issuer !== issuer || !document.jwks_uri)
      throw new Error(`${issuer} describes another issuer.`)
    return unavailableOnFailure(
      createRemoteJWKSet(new URL(document.jwks_uri), { timeoutDuration: TIMEOUT_MS }),
    )
  }

  return {
    issuer,
    async verify(token) {
      keySet ??= discover()
      const keys = await keySet.catch(() => {
        keySet = undefined
        throw unavailable()
      })
      const now = clock.now()
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        requiredClaims: ['exp', 'iat'],
        currentDate: now,
      })
      if (!isAccessToken(protectedHeader.typ, payload) || !isShortLived(payload, now)) return undefined
      const client = payload['client_id'] ?? payload['azp']
      const caller = externalCallerOf({ issuer, subject: payload.sub, client })
      const scopes = scopesOf(payload)
      return (
        caller && {
          callerId: caller.id,
          names: caller.names,
          scope: Array.isArray(scopes) ? scopes.join(' ') : (scopes ?? ''),
          expiresAt: Number(payload.exp),
        }
      )
    },
  }
}

const scopesOf = (payload: JWTPayload) => payload['scope'] ?? payload['scp']

function isAccessToken(type: string | undefined, payload: JWTPayload): boolean {
  // Keycloak and Cognito name the kind in a claim.
  const { typ: kind, token_use: use } = payload
  if ((kind !== undefined && kind !== 'Bearer') || (use !== undefined && use !== 'access')) return false
  const given = type?.toLowerCase()
  if (given !== undefined && ACCESS_TOKEN_TYPES.includes(given)) return true
  if (!PLAIN_TYPES.includes(given) || scopesOf(payload) === undefined) return false
  return kind !== undefined || use !== undefined || !OTHER_KINDS.some(claim => claim in payload)
}

/** A stolen token is of use for a day at most, whatever its issuer allows. */
function isShortLived({ iat = Number.NaN, exp = Number.NaN }: JWTPayload, now: Date): boolean {
  const seconds = now.getTime() / 1000
  if (iat > seconds + CLOCK_SKEW_SECONDS || iat > exp) return false
  // The time of issue is not trusted alone: it may lie, as the expiry does, in the future.
  return exp - iat <= MAX_LIFETIME_SECONDS && exp - seconds <= MAX_LIFETIME_SECONDS + CLOCK_SKEW_SECONDS
}

const unavailable = () => issuerUnavailable(undefined, { headers: { 'retry-after': '5' } })

/** An unknown key makes the token invalid; a failure to fetch the keys means that the issuer is unavailable. */
function unavailableOnFailure(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = errors
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      const invalidToken = [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported]
      throw invalidToken.some(kind => error instanceof kind) ? error : unavailable()
    }
  }
}
