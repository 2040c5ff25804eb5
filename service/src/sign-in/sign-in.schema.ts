import { databaseUnavailable } from '../db/sqlstate.ts'
import type { Operation } from '../http/app-types.ts'
import { crossOrigin } from '../http/browser.ts'
import { requiredText } from '../http/fields.ts'
import { Type } from '../lib/json-schema.ts'
import { tooManyRequests } from '../lib/limiter.ts'
import { ALL_ROLES } from '../lib/roles.ts'
import { ALL_SCOPES } from '../lib/scopes.ts'
import { invitationInvalid } from '../users/users.errors.ts'
import type { User } from '../users/users.service.ts'
import { loginIssuerUnavailable } from './external-login.ts'
import type { Passkey as PasskeyRow } from './passkeys.service.ts'
import { MAX_LENGTH, MIN_LENGTH, signInBusy } from './passwords.ts'
import type { Session as SessionRow } from './sessions.service.ts'
import * as errors from './sign-in.errors.ts'

const Timestamp = Type.String({ description: 'UTC, with `Z`.', example: '2026-03-01T09:30:00.000Z' })
const NullableTimestamp = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'UTC, with `Z`.',
})
const tags = ['Sign-in'] as [string]
const strict = { additionalProperties: false }

const SessionFields = {
  sessionId: Type.String(),
  method: Type.String({ description: 'How the person has signed in.', example: 'password+totp' }),
  address: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'IP address of the sign-in.',
  }),
  userAgent: Type.String({ description: 'What the browser calls itself.' }),
  createdAt: Timestamp,
  lastSeenAt: Type.String({ description: 'UTC, with `Z`; exact to a minute.' }),
  expiresAt: Type.String({
    description: 'UTC, with `Z`: twelve hours after the last request, at most seven days after the sign-in.',
  }),
}

const Session = Type.Object(
  { ...SessionFields, current: Type.Boolean({ description: 'Whether this request belongs to it.' }) },
  { title: 'Session', ...strict },
)

const CurrentSession = Type.Object(
  {
    ...SessionFields,
    user: Type.Object(
      {
        userId: Type.String(),
        email: Type.String(),
        name: Type.String(),
        roles: Type.Array(Type.Unsafe<string>({ type: 'string', enum: ALL_ROLES })),
        scopes: Type.Array(Type.Unsafe<string>({ type: 'string', enum: ALL_SCOPES })),
        companies: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
      },
      { title: 'SignedInUser', ...strict },
    ),
    credentials: Type.Object(
      {
        password: Type.Boolean(),
        totp: Type.Boolean(),
        recoveryCodes: Type.Integer({ description: 'How many are left.' }),
        passkeys: Type.Integer(),
      },
      { title: 'CredentialSummary', description: 'The ways in which the person can sign in.', ...strict },
    ),
  },
  { title: 'CurrentSession', ...strict },
)

const WebAuthnOptions = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description:
    'For `PublicKeyCredential.parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()` in the browser (WebAuthn).',
})

const NextStep = Type.Object(
  {
    next: Type.Unsafe<string>({
      type: 'string',
      enum: ['totp', 'passkey'],
      description: 'What to ask the person for.',
    }),
    challenge: Type.String({ description: 'Send it with the second factor, within five minutes.' }),
    methods: Type.Array(Type.Unsafe<string>({ type: 'string', enum: ['totp', 'recovery-code', 'passkey'] }), {
      description: 'All second factors that the person can use.',
    }),
    passkey: WebAuthnOptions,
  },
  { title: 'SignInStep', ...strict },
)

const challenge = Type.String({ maxLength: 100, description: 'The challenge of the step before.' })
const code = Type.String({
  pattern: '^ *(\\d *){6}$',
  expects: 'a code of six digits',
  description: 'Of the authenticator app.',
})
const recoveryCode = Type.String({ minLength: 1, maxLength: 40, description: 'Works once.' })
const password = Type.String({ minLength: 1, maxLength: MAX_LENGTH })
const newPassword = Type.String({
  maxLength: MAX_LENGTH,
  description: `At least ${MIN_LENGTH} characters, not counting spaces around them, not easy to guess, and not the e-mail address or name.`,
})
const passkeyResponse = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'What `toJSON()` of the credential returns in the browser.',
})

/** A public operation checks its origin itself, and asks the database. */
const publicErrors = [crossOrigin, tooManyRequests, databaseUnavailable, signInBusy]

export const getMethods = {
  operationId: 'getSignInMethods',
  tags,
  summary: 'List the ways to sign in',
  description:
    'Returns which ways of signing in this installation offers: by password, by passkey, or through an external issuer. It needs no token.',
  response: {
    200: Type.Object(
      { password: Type.Boolean(), passkey: Type.Boolean(), externalIssuer: Type.Boolean() },
      { title: 'SignInMethods', ...strict },
    ),
  },
} satisfies Operation

export const createSession = {
  operationId: 'createSession',
  tags,
  summary: 'Sign in',
  description:
    'Takes `email` and `password`. Responds with 201 and the cookie of the session; or with 200 and what to ask for next, where the person has enrolled a second factor: then send `challenge` with `code`, `recoveryCode` or `passkey`. To sign in by passkey alone, begin with `POST /auth/v1/passkey/options`. Whether an address is known makes no difference to the response or its time. After ten wrong guesses in 15 minutes further ones get 429; a passkey still works.',
  body: Type.Object(
    {
      email: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
      password: Type.Optional(password),
      challenge: Type.Optional(challenge),
      code: Type.Optional(code),
      recoveryCode: Type.Optional(recoveryCode),
      passkey: Type.Optional(passkeyResponse),
    },
    { title: 'SignInRequest', ...strict },
  ),
  response: { 200: NextStep, 201: CurrentSession },
  errors: [errors.signInFailed, errors.stepExpired, errors.methodOff, ...publicErrors],
  example: { email: 'r.okafor@example.com', password: 'four words that nobody guesses' },
} satisfies Operation

export const getSession = {
  operationId: 'getSession',
  tags,
  summary: 'Read the current session',
  description:
    'Returns the session of the cookie: the person with roles, scopes and companies, when the session ends, and which credentials the person has. 401 means that nobody is signed in.',
  response: { 200: CurrentSession },
} satisfies Operation

export const endSession = {
  operationId: 'endCurrentSession',
  tags,
  summary: 'Sign out',
  description:
    'Ends the session of the cookie and removes the cookie. It is rejected at once by this service, within five seconds by others on the same database.',
  response: { 204: Type.Null() },
} satisfies Operation

export const listSessions = {
  operationId: 'listSessions',
  tags,
  summary: 'List your sessions',
  description:
    'Returns the sessions of the person that have not ended, newest first, with address and browser of each.',
  response: { 200: Type.Array(Session) },
} satisfies Operation

export const endOneSession = {
  operationId: 'endSession',
  tags,
  summary: 'End one of your sessions',
  description:
    'Signs the person out of one browser, the current one or another. A session that has ended is not found (404).',
  params: Type.Object({ sessionId: Type.String({ description: 'Id of the session.' }) }),
  response: { 204: Type.Null() },
  errors: [errors.sessionNotFound],
} satisfies Operation

export const changePassword = {
  operationId: 'changePassword',
  tags,
  summary: 'Change your password',
  description:
    'Replaces the password; `currentPassword` is needed where there is one. All other sessions of the person end. A person without a password, who signs in by passkey, can set one within 15 minutes of signing in.',
  body: Type.Object(
    { currentPassword: Type.Optional(password), newPassword },
    { title: 'PasswordChange', ...strict },
  ),
  response: { 204: Type.Null() },
  errors: [errors.wrongPassword, errors.methodOff, errors.signInAgain, signInBusy],
  example: {
    currentPassword: 'four words that nobody guesses',
    newPassword: 'five other words, chosen at random',
  },
} satisfies Operation

export const enrolTotp = {
  operationId: 'enrolTotp',
  tags,
  summary: 'Set up authenticator codes',
  description:
    'Returns a secret for an authenticator app (RFC 6238), as text and as an `otpauth` address for a QR code. It counts once a code is confirmed; until then, another call replaces it. The session must be at most 15 minutes old.',
  response: {
    200: Type.Object({ secret: Type.String(), uri: Type.String() }, { title: 'TotpEnrolment', ...strict }),
  },
  errors: [errors.totpEnrolled, errors.signInAgain],
} satisfies Operation

export const confirmTotp = {
  operationId: 'confirmTotp',
  tags,
  summary: 'Confirm authenticator codes',
  description:
    'Takes the first code of the app; from then on each sign-in by password asks for one. Returns ten recovery codes that work once each, for a lost telephone. They are in no later response. All other sessions of the person end.',
  body: Type.Object({ code }, { title: 'TotpConfirmation', ...strict }),
  response: {
    200: Type.Object({ recoveryCodes: Type.Array(Type.String()) }, { title: 'RecoveryCodes', ...strict }),
  },
  errors: [errors.wrongCode, errors.totpEnrolled, errors.totpNotEnrolled],
  example: { code: '123456' },
} satisfies Operation

export const removeTotp = {
  operationId: 'removeTotp',
  tags,
  summary: 'Remove authenticator codes',
  description:
    'Removes the secret of the authenticator app and all recovery codes. It takes a current code, or a recovery code. A sign-in by password then asks for no code.',
  body: Type.Object(
    { code: Type.Optional(code), recoveryCode: Type.Optional(recoveryCode) },
    { title: 'TotpRemoval', ...strict },
  ),
  response: { 204: Type.Null() },
  errors: [errors.wrongCode, errors.totpNotEnrolled, errors.signInAgain],
  example: { code: '123456' },
} satisfies Operation

const PasskeyOptions = Type.Object(
  {
    challenge: Type.String({ description: 'Send it with the credential, within five minutes.' }),
    options: WebAuthnOptions,
  },
  { title: 'PasskeyOptions', ...strict },
)

export const passkeySignInOptions = {
  operationId: 'getPasskeySignInOptions',
  tags,
  summary: 'Begin a sign-in by passkey',
  description:
    'Returns the options for `navigator.credentials.get()`. Send the credential with the challenge to `POST /auth/v1/session`. No e-mail address is needed: the passkey names its owner.',
  response: { 200: PasskeyOptions },
  errors: [crossOrigin, tooManyRequests, databaseUnavailable],
} satisfies Operation

const Passkey = Type.Object(
  {
    passkeyId: Type.String(),
    name: Type.String(),
    createdAt: Timestamp,
    lastUsedAt: NullableTimestamp,
  },
  { title: 'Passkey', ...strict },
)

export const listPasskeys = {
  operationId: 'listPasskeys',
  tags,
  summary: 'List your passkeys',
  description:
    'Returns the passkeys of the person in the order in which they were added, with their last use.',
  response: { 200: Type.Array(Passkey) },
} satisfies Operation

export const passkeyRegistrationOptions = {
  operationId: 'getPasskeyRegistrationOptions',
  tags,
  summary: 'Begin to add a passkey',
  description:
    'Returns the options for `navigator.credentials.create()`. Send the credential with the challenge to `POST /auth/v1/passkeys`. The session must be at most 15 minutes old.',
  response: { 200: PasskeyOptions },
  errors: [errors.signInAgain],
} satisfies Operation

export const createPasskey = {
  operationId: 'createPasskey',
  tags,
  summary: 'Add a passkey',
  description:
    'Verifies the credential that the browser has made and adds it. The person can then sign in with it alone, and a sign-in by password asks for it where no authenticator codes are set up.',
  body: Type.Object(
    {
      challenge,
      name: requiredText({ maxLength: 100, description: 'For the person: which device it is.' }),
      response: passkeyResponse,
    },
    { title: 'NewPasskey', ...strict },
  ),
  response: { 201: Passkey },
  errors: [errors.passkeyRejected, errors.stepExpired, errors.signInAgain],
  example: { challenge: 'q0m3…', name: 'Laptop', response: { id: '…', type: 'public-key' } },
} satisfies Operation

export const deletePasskey = {
  operationId: 'deletePasskey',
  tags,
  summary: 'Remove a passkey',
  description:
    'Removes a passkey of the person; it cannot be used again. The session must be at most 15 minutes old. Remove it from the device too.',
  params: Type.Object({ passkeyId: Type.String({ description: 'Id of the passkey.' }) }),
  response: { 204: Type.Null() },
  errors: [errors.passkeyNotFound, errors.signInAgain],
} satisfies Operation

export const acceptInvitation = {
  operationId: 'acceptInvitation',
  tags,
  summary: 'Accept an invitation',
  description:
    'Takes the token of an invitation link, sets the password, and signs the person in as `POST /auth/v1/session` does. The link of a first start also needs `email` and `name`, and makes an administrator. Where sign-in by password is switched off, leave `password` out and add a passkey next. An error leaves the invitation as it is.',
  body: Type.Object(
    {
      token: Type.String({ minLength: 1, maxLength: 100 }),
      email: Type.Optional(
        Type.String({
          maxLength: 320,
          pattern: '^[^\\s@]+@[^\\s@]+$',
          expects: 'an e-mail address of at most 320 characters',
        }),
      ),
      name: Type.Optional(requiredText({ maxLength: 200 })),
      password: Type.Optional(newPassword),
    },
    { title: 'InvitationAcceptance', ...strict },
  ),
  response: { 200: NextStep, 201: CurrentSession },
  errors: [invitationInvalid, ...publicErrors],
  example: { token: 'bWFkZSBhdCByYW5kb20', password: 'four words that nobody guesses' },
} satisfies Operation

export const startExternal = {
  operationId: 'startExternalSignIn',
  tags,
  summary: 'Sign in through the external issuer',
  description:
    'For browsers: redirects to the issuer of `LOGIN_OIDC_ISSUER` (authorization code with PKCE). The issuer sends the browser back to the callback, which signs the person in.',
  response: { 303: Type.Null({ description: 'To the issuer.' }) },
  errors: [errors.methodOff, tooManyRequests, databaseUnavailable, loginIssuerUnavailable],
} satisfies Operation

export const finishExternal = {
  operationId: 'finishExternalSignIn',
  tags,
  summary: 'Return from the external issuer',
  description:
    'Where the issuer sends the browser back to. Verifies state, nonce and code, creates the user at the first sign-in if the roles claim has a role, and redirects to the console, or to `/sign-in?error=` where the person was not signed in.',
  response: { 303: Type.Null({ description: 'To the console, or to the sign-in page.' }) },
  errors: [errors.methodOff, databaseUnavailable, loginIssuerUnavailable],
} satisfies Operation

export function sessionToWire(session: SessionRow, expiresAt: Date) {
  const { sessionId, method, address, userAgent, createdAt, lastSeenAt } = session
  return {
    sessionId,
    method,
    address,
    userAgent,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}

export function userToWire({ userId, email, name, roles, companies }: User, scopes: Iterable<string>) {
  return { userId, email, name, roles, scopes: [...scopes], companies }
}

export function passkeyToWire({ passkeyId, name, createdAt, lastUsedAt }: PasskeyRow) {
  return {
    passkeyId,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
