// Verifies tokens of an external OpenID Connect issuer. Its keys are fetched when first needed and cached by jose.
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../lib/clock.ts'
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

export interface ExternalIssuer {
  issuer: string
  /** Client id, scopes and expiry of a valid token; throws a jose error for any other. */
  verify(token: string): Promise<[unknown, unknown, unknown]>
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
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        requiredClaims: ['exp'],
        currentDate: clock.now(),
      })
      const scopes = payload['scope'] ?? payload['scp']
      return [
        payload['client_id'] ?? payload['azp'] ?? payload.sub,
        Array.isArray(scopes) ? scopes.join(' ') : (scopes ?? ''),
        payload.exp,
      ]
    },
  }
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
