import { unknownCompany } from '../companies/companies.service.ts'
import type { Operation } from '../http/app-types.ts'
import { requiredText } from '../http/fields.ts'
import { cannotGrant } from '../lib/grants.ts'
import { Type } from '../lib/json-schema.ts'
import { ALL_ROLES, type Role } from '../lib/roles.ts'
import { ALL_SCOPES } from '../lib/scopes.ts'
import { emailInUse, lastAdmin, userInactive, userNotFound } from './users.errors.ts'
import type { User as Row } from './users.store.ts'

const Timestamp = Type.String({ description: 'UTC, with `Z`.', example: '2026-03-01T09:30:00.000Z' })

const email = Type.String({
  maxLength: 320,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  expects: 'an e-mail address of at most 320 characters',
  description: 'Unique without regard to case. The person signs in with it.',
  example: 'r.okafor@example.com',
})
const name = requiredText({ maxLength: 200, description: 'For people: shown in the audit and beside notes.' })
const roles = Type.Array(Type.Unsafe<Role>({ type: 'string', enum: ALL_ROLES }), {
  minItems: 1,
  uniqueItems: true,
  description:
    'Sets of scopes: `viewer` reads, `case-manager` also writes, `auditor` also reads the audit, `admin` may do everything.',
})
const companies = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string' },
  uniqueItems: true,
  maxItems: 1_000,
  description: 'Ids of the companies whose records the person can see; null is all of them.',
})
const active = Type.Boolean({ description: 'A user who is not active cannot sign in and has no session.' })

const userFields = {
  userId: Type.String(),
  email: Type.String(),
  name: Type.String(),
  roles: Type.Array(Type.Unsafe<string>({ type: 'string', enum: ALL_ROLES }), {
    description: 'Empty where the external issuer gives the person no role any more.',
  }),
  companies,
  active,
  joinedAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'When the person signed in for the first time; null while the invitation is open.',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

const User = Type.Object(userFields, { title: 'User', additionalProperties: false })

const Invited = Type.Object(
  {
    ...userFields,
    invitation: Type.Object(
      {
        url: Type.String({
          description: 'Works once. Only in this response; the token in it is stored as a hash.',
        }),
        expiresAt: Timestamp,
      },
      { title: 'InvitationLink', additionalProperties: false },
    ),
  },
  { title: 'InvitedUser', additionalProperties: false },
)

const Me = Type.Object(
  {
    clientId: Type.String({ description: 'The caller in the audit; `user:<userId>` for a person.' }),
    userId: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null for a client.' }),
    name: Type.String({ description: 'Of the person or the client.' }),
    roles: Type.Array(Type.Unsafe<string>({ type: 'string', enum: ALL_ROLES }), {
      description: 'Empty for a client, which has scopes only.',
    }),
    scopes: Type.Array(Type.Unsafe<string>({ type: 'string', enum: ALL_SCOPES })),
    companies,
  },
  { title: 'Me', additionalProperties: false },
)

const tags = ['Operator: users'] as [string]
const params = Type.Object({ userId: Type.String({ description: 'Id of the user.' }) })

export const getMe = {
  operationId: 'getMe',
  tags,
  summary: 'Read who is calling',
  description:
    'Returns the person who is signed in, or the client that the access token belongs to, with its roles, scopes and companies. It needs no particular scope.',
  response: { 200: Me },
} satisfies Operation

const Colleague = Type.Object(
  { userId: Type.String(), name: Type.String() },
  { title: 'Colleague', additionalProperties: false },
)

export const listColleagues = {
  operationId: 'listColleagues',
  tags,
  summary: 'List colleagues',
  description:
    'Returns the active users that a case can be assigned to, in order of their names, in one array without pages. A caller that is limited to companies gets the users of these companies only. Only names are returned; List the users returns the rest.',
  response: { 200: Type.Array(Colleague) },
} satisfies Operation

export const listUsers = {
  operationId: 'listUsers',
  tags,
  summary: 'List the users',
  description:
    'Returns all users in order of their e-mail addresses, in one array without pages. A caller that is limited to companies sees the users of these companies only.',
  response: { 200: Type.Array(User) },
} satisfies Operation

export const createUser = {
  operationId: 'createUser',
  idempotent: 'sealed',
  tags,
  summary: 'Create a user',
  description:
    'Creates a user and returns a link that works once, for 72 hours: with it the person chooses a password or a passkey. Pass the link on yourself; no e-mail is sent. A caller cannot give roles or companies that it lacks.',
  body: Type.Object(
    { email, name, roles, companies: Type.Optional(companies) },
    { title: 'NewUser', additionalProperties: false },
  ),
  response: { 201: Invited },
  errors: [emailInUse, cannotGrant, unknownCompany],
  example: { email: 'r.okafor@example.com', name: 'Ruth Okafor', roles: ['case-manager'] },
} satisfies Operation

export const getUser = {
  operationId: 'getUser',
  tags,
  summary: 'Read a user',
  description: 'Returns one user, active or not, with roles and companies. Supports `If-None-Match`.',
  conditional: true,
  params,
  response: { 200: User },
  errors: [userNotFound],
} satisfies Operation

export const patchUser = {
  operationId: 'patchUser',
  tags,
  summary: 'Change a user',
  description:
    'Changes only the fields in the body. Setting `active` to false ends all sessions of the person; this and new roles hold within five seconds in all services. The last active administrator of all companies can neither be disabled nor lose that role.',
  conditional: true,
  params,
  body: Type.Object(
    {
      name: Type.Optional(name),
      roles: Type.Optional(roles),
      companies: Type.Optional(companies),
      active: Type.Optional(active),
    },
    { title: 'UserPatch', additionalProperties: false },
  ),
  response: { 200: User },
  errors: [userNotFound, cannotGrant, lastAdmin, unknownCompany],
  example: { roles: ['viewer'], active: true },
} satisfies Operation

export const inviteUser = {
  operationId: 'inviteUser',
  idempotent: 'sealed',
  tags,
  summary: 'Invite a user again',
  description:
    'Returns a new link for the person, which works once, for 72 hours. Earlier links of this user stop working. The person chooses a new password with it; a second factor stays and is asked for. A user who is not active is activated first.',
  params,
  response: { 200: Invited },
  errors: [userNotFound, cannotGrant, userInactive],
} satisfies Operation

export const resetUser = {
  operationId: 'resetUser',
  idempotent: 'sealed',
  tags,
  summary: 'Reset the credentials of a user',
  description:
    'Removes the password, the authenticator codes, the passkeys and the link to the external issuer of a person who has lost them, ends all sessions, and returns a new link as in Invite a user again. A user who is not active is activated first. The last active administrator of all companies cannot reset itself.',
  params,
  response: { 200: Invited },
  errors: [userNotFound, cannotGrant, userInactive, lastAdmin],
} satisfies Operation

export const endUserSessions = {
  operationId: 'endUserSessions',
  tags,
  summary: 'Sign a user out everywhere',
  description:
    'Ends all sessions of the person: at once in this service, within five seconds in others on the same database. The person can sign in again.',
  params,
  response: { 204: Type.Null() },
  errors: [userNotFound, cannotGrant],
} satisfies Operation

export function toWire({ version: _version, joinedAt, createdAt, updatedAt, ...rest }: Row) {
  return {
    ...rest,
    joinedAt: joinedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
