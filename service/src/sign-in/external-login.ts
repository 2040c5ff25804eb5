// Sign-in through an external OpenID Connect issuer: authorization code with PKCE, on the server.
import type { ClientAuth, Configuration } from 'openid-client'
import { declareProblem } from '../lib/problem.ts'
import { isRole, type Role } from '../lib/roles.ts'
import type { ChallengeData } from './challenges.ts'

export const loginIssuerUnavailable = declareProblem({
  code: 'login-issuer-unavailable',
  status: 503,
  title: 'The issuer that people sign in with does not respond at the moment.',
  remedy: 'Try again after the seconds in Retry-After, or sign in another way.',
})

export interface LoginIssuer {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  rolesClaim: string
}

/** What the issuer says of a person. */
export interface ExternalPerson {
  issuer: string
  subject: string
  email: string | undefined
  isEmailVerified: boolean
  name: string | undefined
  roles: Role[]
}

const TIMEOUT_SECONDS = 10
const SCOPE = 'openid email profile'

// Loaded by the first sign-in, so that a start does not wait for it.
const load = () => import('openid-client')

export type ExternalLogin = ReturnType<typeof createExternalLogin>

export function createExternalLogin({ issuer, clientId, clientSecret, rolesClaim }: LoginIssuer) {
  let discovered: Promise<Configuration> | undefined

  const discover = async (): Promise<Configuration> => {
    const client = await load()
    const address = new URL(issuer)
    const authenticate: ClientAuth = (server, metadata, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const basic = methods.includes('client_secret_basic')
      const use =
        clientSecret === undefined
          ? client.None()
          : basic
            ? client.ClientSecretBasic()
            : client.ClientSecretPost()
      use(server, metadata, body, headers)
    }
    return client.discovery(address, clientId, clientSecret, authenticate, {
      timeout: TIMEOUT_SECONDS,
      execute: [
        // Verifies the signatures of ID tokens, which by default counts as done by TLS.
        client.enableNonRepudiationChecks,
        // The settings accept plain HTTP for an issuer on this machine only.
        ...(address.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    })
  }

  const configuration = async (): Promise<Configuration> => {
    discovered ??= discover()
    return discovered.catch(() => {
      discovered = undefined
      throw loginIssuerUnavailable(undefined, { headers: { 'retry-after': '5' } })
    })
  }

  return {
    /** Where to send the browser, and what to remember until it comes back. */
    async start(redirectUri: string): Promise<{ url: string; data: ChallengeData['issuer'] }> {
      const client = await load()
      const config = await configuration()
      const data = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        redirectUri,
      }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state: data.state,
        nonce: data.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(data.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, data }
    },

    /** The person, once state, nonce, code and ID token are checked; undefined where one of them is wrong. */
    async finish(
      query: string,
      { state, nonce, verifier, redirectUri }: ChallengeData['issuer'],
    ): Promise<ExternalPerson | undefined> {
      const client = await load()
      const config = await configuration()
      try {
        const tokens = await client.authorizationCodeGrant(config, new URL(`?${query}`, redirectUri), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const idToken = tokens.claims()
        if (!idToken) return undefined
        const isComplete = claimAt(idToken, rolesClaim) !== undefined && idToken['email'] !== undefined
        const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined
        const userInfo =
          !isComplete && hasUserInfo
            ? await client.fetchUserInfo(config, tokens.access_token, idToken.sub)
            : {}
        return personOf(idToken, userInfo, rolesClaim)
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === 'OAUTH_TIMEOUT' || error instanceof TypeError)
          throw loginIssuerUnavailable(undefined, { headers: { 'retry-after': '5' } })
        return undefined
      }
    },
  }
}

export function personOf(
  idToken: Record<string, unknown> & { iss: string; sub: string },
  userInfo: Record<string, unknown>,
  rolesClaim: string,
): ExternalPerson {
  const claims = { ...userInfo, ...idToken }
  const { iss, sub, name } = claims
  // Together: one document may have an older address than the other.
  const { email, email_verified: verified } = idToken['email'] === undefined ? userInfo : idToken
  return {
    issuer: iss,
    subject: sub,
    email: typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email) ? email : undefined,
    isEmailVerified: verified === true,
    name: typeof name === 'string' && name.trim() ? name.trim().slice(0, 200) : undefined,
    roles: rolesIn(claimAt(claims, rolesClaim)),
  }
}

/** The claim of this name, or the one that a path such as `realm_access.roles` leads to. */
function claimAt(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      claims,
    )
}

/** Values that are no role of ours are ignored. */
export function rolesIn(claim: unknown): Role[] {
  const values = typeof claim === 'string' ? claim.split(/[\s,]+/) : Array.isArray(claim) ? claim : []
  return [...new Set(values.filter(isRole))]
}
