import type { Operation } from '../http/app-types.ts'
import { Type } from '../lib/json-schema.ts'
import { SCOPES } from '../lib/scopes.ts'

const tags = ['Authentication'] as [string]

export const issueToken = {
  operationId: 'issueToken',
  tags,
  summary: 'Get an access token',
  description: [
    'Returns an access token for the OAuth 2 client credentials grant (RFC 6749, section 4.4). Send the client id and secret by HTTP Basic, or as `client_id` and `client_secret` in the form. There are no refresh tokens.',
    'Leave `scope` out to get every scope that the client has, or list fewer, separated by spaces.',
    `Scopes:\n${Object.entries(SCOPES)
      .map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)
      .join('\n')}`,
    'After ten wrong secrets for a client id from one address within five minutes, further wrong ones get 429 with `Retry-After`, and secrets are checked slowly. The right secret still gets a token. A request has at most 20 parameters and 16 KiB.',
  ].join('\n\n'),
  consumes: 'application/x-www-form-urlencoded',
  oauthErrors: true,
  body: Type.Object(
    {
      grant_type: Type.String({ description: 'Always `client_credentials`.' }),
      scope: Type.Optional(Type.String({ description: 'Scopes, separated by spaces.' })),
      client_id: Type.Optional(Type.String({ description: 'If it is not sent by HTTP Basic.' })),
      client_secret: Type.Optional(Type.String({ description: 'If it is not sent by HTTP Basic.' })),
    },
    { title: 'TokenRequest' },
  ),
  response: {
    200: Type.Object(
      {
        access_token: Type.String(),
        token_type: Type.Literal('Bearer'),
        expires_in: Type.Integer({ description: 'Lifetime in seconds.' }),
        scope: Type.String(),
      },
      { title: 'TokenResponse' },
    ),
  },
  example: { grant_type: 'client_credentials', scope: 'applicants:read' },
} satisfies Operation

export const getJwks = {
  operationId: 'getJwks',
  tags,
  summary: 'Read the keys that sign access tokens',
  description:
    'Returns the public keys (RFC 7517) that verify access tokens of this service. Cache them: the response allows five minutes. Keys are rotated, so fetch the set again for an unknown `kid`.',
  response: {
    200: Type.Object({ keys: Type.Array(Type.Record(Type.String())) }, { title: 'JwkSet' }),
  },
} satisfies Operation

const Strings = Type.Array(Type.String())

export const getServerMetadata = {
  operationId: 'getAuthorizationServerMetadata',
  tags,
  summary: 'Read how tokens are issued (RFC 8414)',
  description:
    'Returns where and how a client gets access tokens of this service. OAuth libraries read it to configure themselves. It needs no token.',
  response: {
    200: Type.Object(
      {
        issuer: Type.String(),
        token_endpoint: Type.String(),
        jwks_uri: Type.String(),
        scopes_supported: Strings,
        grant_types_supported: Strings,
        response_types_supported: Strings,
        token_endpoint_auth_methods_supported: Strings,
      },
      { title: 'AuthorizationServerMetadata' },
    ),
  },
} satisfies Operation

export const getResourceMetadata = {
  operationId: 'getProtectedResourceMetadata',
  tags,
  summary: 'Read which tokens this service accepts (RFC 9728)',
  description:
    'Returns the issuers whose access tokens this service accepts, and the scopes it knows. With an external issuer configured, both issuers are listed. It needs no token.',
  response: {
    200: Type.Object(
      {
        resource: Type.String(),
        authorization_servers: Strings,
        jwks_uri: Type.String(),
        scopes_supported: Strings,
        bearer_methods_supported: Strings,
      },
      { title: 'ProtectedResourceMetadata' },
    ),
  },
} satisfies Operation
