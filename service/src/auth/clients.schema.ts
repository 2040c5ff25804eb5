import { unknownCompany } from '../companies/companies.service.ts'
import type { Operation } from '../http/app-types.ts'
import { NEW_CLIENT_ID_PATTERN, VISIBLE_PATTERN } from '../http/fields.ts'
import { allCompaniesRequired } from '../lib/boundary.ts'
import { EXTERNAL_ID_EXPECTED } from '../lib/external-caller.ts'
import { cannotGrant } from '../lib/grants.ts'
import { type Static, Type } from '../lib/json-schema.ts'
import { ALL_SCOPES } from '../lib/scopes.ts'
import { apiKeyNotFound, clientIdInUse, clientNotFound, externalClient } from './clients.service.ts'
import type { ClientRow } from './clients.store.ts'

const Timestamp = Type.String({ description: 'UTC, with `Z`.', example: '2026-03-01T09:30:00.000Z' })
const NullableTimestamp = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'UTC, with `Z`.',
})
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: VISIBLE_PATTERN,
  description: 'For people: what uses this client or key.',
})

const Scopes = Type.Array(Type.Unsafe<string>({ type: 'string', enum: ALL_SCOPES }), {
  minItems: 1,
  uniqueItems: true,
})

const Companies = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', minLength: 1, maxLength: 200 },
  maxItems: 1000,
  uniqueItems: true,
  description: 'Ids of the companies whose records it sees and changes; null is all companies.',
})

const ApiKey = Type.Object(
  { keyId: Type.String(), name: Type.String(), createdAt: Timestamp, revokedAt: NullableTimestamp },
  { title: 'ApiKey' },
)

const clientFields = {
  clientId: Type.String(),
  name: Type.String(),
  scopes: Scopes,
  companies: Companies,
  apiKeys: Type.Array(ApiKey),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  disabledAt: NullableTimestamp,
}

const Client = Type.Object(clientFields, { title: 'Client' })

const ClientWithSecret = Type.Object(
  {
    ...clientFields,
    clientSecret: Type.String({ description: 'Only in this response; it is stored as a hash.' }),
  },
  { title: 'ClientWithSecret' },
)

const CreatedClient = Type.Object(
  {
    ...clientFields,
    clientSecret: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'Only in this response; it is stored as a hash. Null for a caller of the external issuer, which issues its tokens.',
    }),
  },
  { title: 'CreatedClient' },
)

const clientId = Type.String({ description: 'Id of the client.' })
const ClientParams = Type.Object({ clientId })

const tags = ['Operator: clients'] as [string]

export const listClients = {
  operationId: 'listClients',
  tags,
  summary: 'List the clients',
  description:
    'Returns all clients in one array without pages, disabled ones included, each with its current and revoked API keys. Secrets and keys are never returned. A limited caller gets the clients that have only companies of its own.',
  response: { 200: Type.Array(Client) },
} satisfies Operation

export const createClient = {
  operationId: 'createClient',
  idempotent: 'sealed',
  tags,
  summary: 'Create a client',
  description:
    'Creates a client and returns its secret. No later response has the secret again, but for a retry with the same `Idempotency-Key`. To give an API key to a caller of the external issuer, create a client with the id of that caller, `oidc:<issuer>:<subject>:<client>` as in the `clientId` of the audit; it gets no secret. Only callers that see all companies can manage such a client. The caller must have every scope that it gives to the client.',
  body: Type.Object(
    {
      name: Name,
      scopes: Scopes,
      companies: Type.Optional(Companies),
      clientId: Type.Optional(
        Type.String({
          pattern: NEW_CLIENT_ID_PATTERN,
          maxLength: 1_024,
          expects: `1 to 128 printable characters without a colon, but not . or .., or for a caller of the external issuer ${EXTERNAL_ID_EXPECTED}`,
        }),
      ),
    },
    { title: 'NewClient', additionalProperties: false },
  ),
  response: { 201: CreatedClient },
  errors: [clientIdInUse, cannotGrant, unknownCompany, allCompaniesRequired],
  example: { name: 'Nightly HR feed', scopes: ['applicants:read', 'applicants:write'] },
} satisfies Operation

export const patchClient = {
  operationId: 'patchClient',
  tags,
  summary: 'Change a client',
  description:
    'Changes only the fields in the body. `companies` hold at once in this service and within five seconds in others on the same database, also for issued tokens; those keep their scopes until they expire. Webhooks of the client lose the companies that it loses, and its imports end. A caller can grant only what it has itself.',
  params: ClientParams,
  body: Type.Object(
    {
      name: Type.Optional(Name),
      scopes: Type.Optional(Scopes),
      companies: Type.Optional(Companies),
    },
    { title: 'ClientPatch', additionalProperties: false },
  ),
  response: { 200: Client },
  errors: [clientNotFound, cannotGrant, unknownCompany, allCompaniesRequired],
  example: { companies: null },
} satisfies Operation

export const getClient = {
  operationId: 'getClient',
  tags,
  summary: 'Read a client',
  description:
    'Returns the client with its scopes and its current and revoked API keys. Secrets and keys are never returned.',
  params: ClientParams,
  response: { 200: Client },
  errors: [clientNotFound],
} satisfies Operation

export const rotateSecret = {
  operationId: 'rotateClientSecret',
  optionalBody: true,
  idempotent: 'sealed',
  tags,
  summary: 'Rotate the secret of a client',
  description:
    'Creates a new secret and returns it. No later response has it again. The old secret stays valid for `graceSeconds`, so that the client can be switched over without downtime. Issued tokens stay valid until they expire.',
  params: ClientParams,
  body: Type.Object(
    {
      graceSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 604_800,
          default: 0,
          description: 'Seconds for which the old secret stays valid.',
        }),
      ),
    },
    { title: 'SecretRotation', additionalProperties: false },
  ),
  response: { 200: ClientWithSecret },
  errors: [clientNotFound, externalClient, cannotGrant],
  example: { graceSeconds: 86_400 },
} satisfies Operation

export const disableClient = {
  operationId: 'disableClient',
  idempotent: true,
  tags,
  summary: 'Disable a client',
  description:
    'Stops a client: it gets no new tokens, and its current tokens are rejected. This takes effect at once in this service and within five seconds in others on the same database. Disabling a disabled client keeps its `disabledAt`.',
  params: ClientParams,
  response: { 200: Client },
  errors: [clientNotFound, cannotGrant, allCompaniesRequired],
} satisfies Operation

export const enableClient = {
  operationId: 'enableClient',
  idempotent: true,
  tags,
  summary: 'Enable a disabled client',
  description:
    'Lets a disabled client get tokens again, with the secret, scopes and API keys it had. Tokens from before that have not expired are valid again. Enabling an enabled client has no further effect.',
  params: ClientParams,
  response: { 200: Client },
  errors: [clientNotFound, cannotGrant, allCompaniesRequired],
} satisfies Operation

export const createApiKey = {
  operationId: 'createApiKey',
  idempotent: 'sealed',
  tags,
  summary: 'Create an API key',
  description:
    'Creates an API key and returns it. No later response has it again. The key is valid only together with an access token of the same client. A client may have several keys.',
  params: ClientParams,
  body: Type.Object({ name: Name }, { title: 'NewApiKey', additionalProperties: false }),
  response: {
    201: Type.Object(
      {
        keyId: Type.String(),
        name: Type.String(),
        apiKey: Type.String({ description: 'Only in this response; it is stored as a hash.' }),
      },
      { title: 'ApiKeyWithSecret' },
    ),
  },
  errors: [clientNotFound, cannotGrant],
  example: { name: 'Renumbering after the merger' },
} satisfies Operation

export const revokeApiKey = {
  operationId: 'revokeApiKey',
  tags,
  summary: 'Revoke an API key',
  description:
    'Makes the key invalid at once and for good. The client still lists it, with `revokedAt`. A key that was revoked before is not found (404).',
  params: Type.Object({
    clientId,
    keyId: Type.String({ description: 'Id of the API key, not the key itself.' }),
  }),
  response: { 204: Type.Null() },
  errors: [apiKeyNotFound, cannotGrant],
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
