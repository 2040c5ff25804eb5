import { Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { SCOPES } from '../lib/scopes.ts'

const tags = ['Authentication'] as [string]

export const issueToken = {
  operationId: 'issueToken',
  tags,
  summary: 'Get an access token',
  description: [
    'OAuth 2 client credentials (RFC 6749, section 4.4). Send the form with the client id and secret by HTTP Basic, or as `client_id` and `client_secret` in the form.',
    'Leave `scope` out for every scope the client has, or name fewer, separated by spaces.',
    `Scopes:\n${Object.entries(SCOPES)
      .map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`)
      .join('\n')}`,
    'After ten wrong secrets within five minutes a client id is refused from that address for the rest of them.',
  ].join('\n\n'),
  consumes: 'application/x-www-form-urlencoded',
  oauthErrors: true,
  body: Type.Object(
    {
      grant_type: Type.String({ description: 'Always `client_credentials`.' }),
      scope: Type.Optional(Type.String()),
      client_id: Type.Optional(Type.String()),
      client_secret: Type.Optional(Type.String()),
    },
    { title: 'TokenRequest' },
  ),
  response: {
    200: Type.Object(
      {
        access_token: Type.String(),
        token_type: Type.Literal('Bearer'),
        expires_in: Type.Integer({ description: 'Seconds.' }),
        scope: Type.String(),
      },
      { title: 'TokenAnswer' },
    ),
  },
  example: 'grant_type=client_credentials&scope=applicants:read',
} satisfies Operation

export const getJwks = {
  operationId: 'getJwks',
  tags,
  summary: 'Read the keys that sign access tokens',
  response: {
    200: Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.String())) }, { title: 'JwkSet' }),
  },
} satisfies Operation

const Strings = Type.Array(Type.String())

export const getServerMetadata = {
  operationId: 'getAuthorizationServerMetadata',
  tags,
  summary: 'Read how tokens are issued (RFC 8414)',
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
  summary: 'Read which tokens this service takes (RFC 9728)',
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
