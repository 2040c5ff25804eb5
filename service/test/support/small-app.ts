// An application with authorization only: real keys, tokens and checks, the token endpoint and three test routes. It is
// created in milliseconds, for tests that need many applications.
import { after } from 'node:test'
import { createClients } from '../../src/auth/clients.service.ts'
import { createExternalIssuer } from '../../src/auth/external-issuer.ts'
import { oauthRoutes } from '../../src/auth/oauth.routes.ts'
import { createSigningKeys } from '../../src/auth/signing-keys.service.ts'
import { createTokenEndpoint } from '../../src/auth/token-endpoint.ts'
import { createTokens } from '../../src/auth/tokens.service.ts'
import type { Database } from '../../src/db/database.ts'
import { installAuthorization } from '../../src/http/authorization.ts'
import type { TrustProxy } from '../../src/http/forwarded.ts'
import { installProblems } from '../../src/http/problems.ts'
import { createServer } from '../../src/http/server.ts'
import type { Scope } from '../../src/lib/scopes.ts'
import { silent, type TestClock, testSealer } from './harness.ts'

interface Options {
  db: Database
  clock: TestClock
  publicUrl?: string
  oidc?: { issuer: string; audience: string }
  trustProxy?: TrustProxy
  tokenTtl?: number
}

export type SmallApp = Awaited<ReturnType<typeof createSmallApp>>

export async function createSmallApp({ db, clock, publicUrl, oidc, trustProxy = false, tokenTtl }: Options) {
  const issuer = { configured: publicUrl, fallback: 'http://127.0.0.1:8080' }
  const keys = createSigningKeys({ db, sealer: testSealer, clock, issuer })
  const externalIssuer = oidc && createExternalIssuer({ ...oidc, clock })
  const tokens = createTokens({ keys, externalIssuer, clock, ttl: tokenTtl ?? 86_400 })
  const clients = createClients({ db, clock, limitBelongings: async () => {} })
  const endpoint = createTokenEndpoint({ clients, tokens, clock })
  const app = createServer({ log: silent, trustProxy })
  installProblems(app, {})
  installAuthorization(app, {
    authenticator: {
      verify: tokens.verify,
      verifyApiKey: clients.verifyApiKey,
      stillHas: (clientId, grant) => clients.stillHas(db.sql, clientId, grant),
    },
    now: () => clock.now().getTime(),
    rateLimit: undefined,
  })
  const principal = async (request: { principal?: { clientId: string } | undefined }) => ({
    clientId: request.principal?.clientId,
  })
  app.get('/cases', { scope: 'cases:read' }, principal)
  app.get('/documents', { scope: 'documents:read' }, principal)
  app.get('/guarded', { scope: 'cases:write', apiKey: true }, principal)
  oauthRoutes(app, { endpoint, keys, externalIssuer: oidc?.issuer })
  await keys.rotate()
  after(() => app.close())

  return {
    app,
    keys,
    /** A token as the endpoint issues it, for a client that need not exist. */
    issue: async (scopes: Scope[] = ['cases:read']) =>
      (await tokens.issue('a-client', scopes)).access_token as string,
    async get(url: string, headers: Record<string, string> = {}) {
      const response = await app.inject({ url, headers })
      return { status: response.statusCode, headers: response.headers, body: response.json() }
    },
  }
}
