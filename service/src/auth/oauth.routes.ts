// The token endpoint and its metadata documents. Errors have the format of RFC 6749, not of RFC 9457.
import type { FastifyReply } from 'fastify'
import type { App } from '../http/app-types.ts'
import { Problem } from '../lib/problem.ts'
import { ALL_SCOPES } from '../lib/scopes.ts'
import * as schema from './oauth.schema.ts'
import type { SigningKeys } from './signing-keys.service.ts'
import { MAX_PARAMETERS, OAuthError, type TokenEndpoint } from './token-endpoint.ts'

const ISSUE = 'token.issue'

interface Options {
  endpoint: TokenEndpoint
  keys: SigningKeys
  externalIssuer: string | undefined
}

export function oauthRoutes(app: App, { endpoint, keys, externalIssuer }: Options): void {
  app.register(async scoped => tokenRoute(scoped as App, endpoint))

  app.get('/.well-known/jwks.json', { schema: schema.getJwks, scope: 'public' }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send((await keys.publicJwks()) as never),
  )

  app.get(
    '/.well-known/oauth-authorization-server',
    { schema: schema.getServerMetadata, scope: 'public' },
    async () => {
      const { issuer } = keys.current()
      return {
        issuer,
        token_endpoint: `${issuer}/oauth/token`,
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        scopes_supported: ALL_SCOPES,
        grant_types_supported: ['client_credentials'],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      }
    },
  )

  app.get(
    '/.well-known/oauth-protected-resource',
    { schema: schema.getResourceMetadata, scope: 'public' },
    async () => {
      const { issuer } = keys.current()
      return {
        resource: issuer,
        authorization_servers: externalIssuer ? [issuer, externalIssuer] : [issuer],
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        scopes_supported: ALL_SCOPES,
        bearer_methods_supported: ['header'],
      }
    },
  )
}

function tokenRoute(app: App, endpoint: TokenEndpoint): void {
  const form = 'application/x-www-form-urlencoded'
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(form, { parseAs: 'string', bodyLimit: 16_384 }, (_request, body, done) => {
    const form = body as string
    if (hasTooManyParameters(form))
      done(
        new OAuthError(
          400,
          'invalid_request',
          `Send at most ${MAX_PARAMETERS} parameters, of which grant_type is required.`,
        ),
      )
    else done(null, new URLSearchParams(form))
  })
  // The endpoint validates the parameters by the rules of RFC 6749, which a JSON schema cannot express.
  app.setValidatorCompiler(() => () => true)

  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    if (error instanceof OAuthError) return sendOAuthError(reply, error)
    if (error instanceof Problem) {
      const { status } = error.kind
      const name = status < 500 ? 'invalid_request' : 'temporarily_unavailable'
      return sendOAuthError(reply, new OAuthError(status, name, error.message, error.headers))
    }
    if (error.statusCode === 415)
      return sendOAuthError(reply, new OAuthError(400, 'invalid_request', `Send the parameters as ${form}.`))
    // As in http/problems.ts: the client can read the response while it is still sending.
    if (error.statusCode === 413) reply.removeHeader('connection')
    if (error.statusCode && error.statusCode < 500)
      return sendOAuthError(
        reply,
        new OAuthError(error.statusCode, 'invalid_request', 'The request cannot be read.'),
      )
    const { code } = error as { code?: string }
    request.log.error({ error: error.name, code }, 'token request failed')
    return sendOAuthError(
      reply,
      new OAuthError(503, 'temporarily_unavailable', 'Try again in a moment.', { 'retry-after': '2' }),
    )
  })

  app.addHook('onRequest', (request, _reply, done) => {
    request.auditNote = { action: ISSUE, recordIds: [] }
    done()
  })
  app.post(
    '/oauth/token',
    { schema: schema.issueToken, scope: 'public', audit: 'always' },
    async (request, reply) => {
      const token = await endpoint.issue({
        authorization: request.headers.authorization,
        form: request.body as unknown as URLSearchParams | undefined,
        address: request.ip,
        onClient(clientId, isAuthenticated) {
          request.auditNote = { action: ISSUE, recordIds: [clientId], ...(isAuthenticated && { clientId }) }
        },
      })
      return reply.header('pragma', 'no-cache').send(token)
    },
  )
}

/** Counts before parsing: a form of the permitted size can have thousands of parameters. */
function hasTooManyParameters(form: string): boolean {
  let count = 1
  for (let at = form.indexOf('&'); at >= 0 && count <= MAX_PARAMETERS; at = form.indexOf('&', at + 1))
    count += 1
  return count > MAX_PARAMETERS
}

function sendOAuthError(reply: FastifyReply, error: OAuthError): FastifyReply {
  reply.request.problemCode = error.error
  return reply
    .code(error.status)
    .headers(error.headers)
    .serializer(JSON.stringify)
    .header('content-type', 'application/json; charset=utf-8')
    .send({ error: error.error, error_description: error.message })
}
