import { type Static, Type } from 'typebox'
import type { Operation } from '../http/app-types.ts'
import { VISIBLE_PATTERN } from '../http/fields.ts'
import { ALL_SCOPES } from '../lib/scopes.ts'
import { apiKeyNotFound, clientIdInUse, clientNotFound } from './clients.service.ts'
import type { ClientRow } from './clients.store.ts'

const Timestamp = Type.String({ description: 'UTC, with Z.', example: '2026-03-01T09:30:00.000Z' })
const NullableTimestamp = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'UTC, with Z.',
})
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: VISIBLE_PATTERN,
  description: 'For people: what this client or key is used by.',
})

const Scopes = Type.Array(Type.Unsafe<string>({ type: 'string', enum: ALL_SCOPES }), {
  minItems: 1,
  uniqueItems: true,
})

const ApiKey = Type.Object(
  { keyId: Type.String(), name: Type.String(), createdAt: Timestamp, revokedAt: NullableTimestamp },
  { title: 'ApiKey' },
)

const clientFields = {
  clientId: Type.String(),
  name: Type.String(),
  scopes: Scopes,
  apiKeys: Type.Array(ApiKey),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  disabledAt: NullableTimestamp,
}

const Client = Type.Object(clientFields, { title: 'Client' })

const ClientWithSecret = Type.Object(
  {
    ...clientFields,
    clientSecret: Type.String({ description: 'Shown in this answer only; it is stored as a hash.' }),
  },
  { title: 'ClientWithSecret' },
)

const ClientParams = Type.Object({ clientId: Type.String() })

const tags = ['Operator: clients'] as [string]

export const listClients = {
  operationId: 'listClients',
  tags,
  summary: 'List the clients',
  description:
    'Every client, disabled ones too, with the API keys it has had. Secrets and keys themselves are never shown.',
  response: { 200: Type.Array(Client) },
} satisfies Operation

export const createClient = {
  operationId: 'createClient',
  tags,
  summary: 'Create a client',
  description:
    'The answer holds the secret, this once. Choose `clientId` yourself to give an API key to a caller whose tokens come from the outside issuer: it is then the `client_id`, `azp` or `sub` of those tokens.',
  body: Type.Object(
    {
      name: Name,
      scopes: Scopes,
      clientId: Type.Optional(
        Type.String({
          // A path cannot name `.` or `..`: callers' libraries take them out of it.
          pattern: '^(?!\\.{1,2}$)[!-9;-~]{1,128}$',
          expects: '1 to 128 printable characters without a colon, but not . or ..',
        }),
      ),
    },
    { title: 'NewClient', additionalProperties: false },
  ),
  response: { 201: ClientWithSecret },
  errors: [clientIdInUse],
  example: { name: 'Nightly HR feed', scopes: ['applicants:read', 'applicants:write'] },
} satisfies Operation

export const getClient = {
  operationId: 'getClient',
  tags,
  summary: 'Read a client',
  params: ClientParams,
  response: { 200: Client },
  errors: [clientNotFound],
} satisfies Operation

export const rotateSecret = {
  operationId: 'rotateClientSecret',
  tags,
  summary: 'Give a client a new secret',
  description:
    'The answer holds the new secret, this once. The old one stays good for `graceSeconds`, so that the client can be changed over without a gap; tokens that were issued stay good until they expire.',
  params: ClientParams,
  body: Type.Object(
    {
      graceSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: 'How long the old secret stays good.',
        }),
      ),
    },
    { title: 'SecretRotation', additionalProperties: false },
  ),
  response: { 200: ClientWithSecret },
  errors: [clientNotFound],
  example: { graceSeconds: 86_400 },
} satisfies Operation

export const disableClient = {
  operationId: 'disableClient',
  tags,
  summary: 'Disable a client',
  description:
    'It gets no new tokens, and those it holds are refused: at once here, within five seconds on services beside this one.',
  params: ClientParams,
  response: { 200: Client },
  errors: [clientNotFound],
} satisfies Operation

export const enableClient = {
  operationId: 'enableClient',
  tags,
  summary: 'Enable a client again',
  params: ClientParams,
  response: { 200: Client },
  errors: [clientNotFound],
} satisfies Operation

export const createApiKey = {
  operationId: 'createApiKey',
  tags,
  summary: 'Create an API key',
  description:
    'The answer holds the key, this once. It is good only beside an access token of the same client.',
  params: ClientParams,
  body: Type.Object({ name: Name }, { title: 'NewApiKey', additionalProperties: false }),
  response: {
    201: Type.Object(
      {
        keyId: Type.String(),
        name: Type.String(),
        apiKey: Type.String({ description: 'Shown in this answer only; it is stored as a hash.' }),
      },
      { title: 'ApiKeyWithSecret' },
    ),
  },
  errors: [clientNotFound],
  example: { name: 'Renumbering after the merger' },
} satisfies Operation

export const revokeApiKey = {
  operationId: 'revokeApiKey',
  tags,
  summary: 'Revoke an API key',
  params: Type.Object({ clientId: Type.String(), keyId: Type.String() }),
  response: { 204: Type.Null() },
  errors: [apiKeyNotFound],
} satisfies Operation

type WireClient = Static<typeof Client>

export function toWire<T extends ClientRow>(client: T): Omit<T, keyof ClientRow> & WireClient {
  return {
    ...client,
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
    disabledAt: client.disabledAt?.toISOString() ?? null,
    apiKeys: client.apiKeys.map(key => ({
      ...key,
      createdAt: key.createdAt.toISOString(),
      revokedAt: key.revokedAt?.toISOString() ?? null,
    })),
  }
}
