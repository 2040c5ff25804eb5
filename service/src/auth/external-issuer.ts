// Owns tokens of an outside OpenID Connect issuer: its keys are fetched when first needed and kept by jose.
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
const TIMEOUT = 5_000

export interface ExternalIssuer {
  issuer: string
  /** Client id, scopes and expiry of a good token; throws a jose error for any other. */
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
      signal: AbortSignal.timeout(TIMEOUT),
      redirect: 'error',
    })
    if (!response.ok) throw new Error(`${issuer} answers ${response.status}.`)
    const document = (await response.json()) as { issuer?: string; jwks_uri?: string }
    if (document.issuer !== issuer || !document.jwks_uri)
      throw new Error(`${issuer} describes another issuer.`)
    return orUnavailable(createRemoteJWKSet(new URL(document.jwks_uri), { timeoutDuration: TIMEOUT }))
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

/** That the issuer has no such key is the token's fault; that its keys cannot be had is not. */
function orUnavailable(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = errors
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      const unfit = [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported]
      throw unfit.some(kind => error instanceof kind) ? error : unavailable()
    }
  }
}
