import type { Operation } from '../http/app-types.ts'
import { requiredText } from '../http/fields.ts'
import { allCompaniesRequired } from '../lib/boundary.ts'
import { EXTERNAL_ID_EXPECTED, EXTERNAL_ID_PATTERN } from '../lib/external-caller.ts'
import { type Static, Type } from '../lib/json-schema.ts'
import { blockNotFound } from './blocked-callers.service.ts'
import type { BlockedCaller as BlockedRow } from './blocked-callers.store.ts'

const BlockedCaller = Type.Object(
  {
    blockId: Type.String(),
    caller: Type.String({ description: 'As in the `clientId` of the audit, or without subject or client.' }),
    reason: Type.String(),
    createdBy: Type.String({ description: 'Client or person that blocked it.' }),
    createdAt: Type.String({ description: 'UTC, with `Z`.' }),
  },
  { title: 'BlockedCaller' },
)

const tags = ['Operator: clients'] as [string]

export const listBlockedCallers = {
  operationId: 'listBlockedCallers',
  tags,
  summary: 'List the blocked callers',
  description:
    'Returns all blocked callers of the external issuer in one array, in the order in which they were blocked. Disabled clients are in the list of clients instead.',
  response: { 200: Type.Array(BlockedCaller) },
} satisfies Operation

export const blockCaller = {
  operationId: 'blockCaller',
  idempotent: true,
  tags,
  summary: 'Block a caller of the external issuer',
  description: [
    'Rejects all tokens of a caller of the external issuer (`OIDC_ISSUER`), those in use included: at once in this service, within five seconds in others on the same database. Blocking a blocked caller again returns the existing entry (200).',
    '`caller` is the `clientId` of the audit. Without its last part, `oidc:<issuer>:<subject>`, it blocks the subject whatever client it uses; with an empty subject, `oidc:<issuer>::<client>`, the client whatever its subject.',
  ].join('\n\n'),
  body: Type.Object(
    {
      caller: Type.String({
        pattern: EXTERNAL_ID_PATTERN,
        maxLength: 1_024,
        expects: EXTERNAL_ID_EXPECTED,
      }),
      reason: requiredText({ description: 'For people: why it is blocked.' }),
    },
    { title: 'NewBlockedCaller', additionalProperties: false },
  ),
  response: { 200: BlockedCaller, 201: BlockedCaller },
  errors: [allCompaniesRequired],
  example: { caller: 'oidc:login.example.com:anna:desk', reason: 'Laptop lost on 3 March.' },
} satisfies Operation

export const unblockCaller = {
  operationId: 'unblockCaller',
  tags,
  summary: 'Unblock a caller',
  description:
    'Accepts the tokens of the caller again, those from before that have not expired included. A block that was removed before is not found (404).',
  params: Type.Object({ blockId: Type.String({ description: 'Id of the block, not of the caller.' }) }),
  response: { 204: Type.Null() },
  errors: [blockNotFound, allCompaniesRequired],
} satisfies Operation

export function toWire(blocked: BlockedRow): Static<typeof BlockedCaller> {
  return { ...blocked, createdAt: blocked.createdAt.toISOString() }
}
