// People who sign in: the caller, users, sessions and what proves who they are.
import type { components } from './api-types.ts'
import type { CallOptions, Calls, PostOptions, ReadOptions, WriteOptions } from './calls.ts'

type Schemas = components['schemas']

export function createUsers({ read, post, patch, remove }: Calls) {
  return {
    /** The caller: a person or a client, with its scopes and companies. */
    me: {
      get: (options?: CallOptions) => read('/admin/v1/me', {}, options),

      calendar: {
        get: (options?: CallOptions) => read('/admin/v1/me/calendar', {}, options),

        /** Returns the address, which cannot be read again. An earlier one ends. */
        create: (options?: CallOptions) => post('/admin/v1/me/calendar', {}, undefined, options),

        delete: (options?: CallOptions) => remove('/admin/v1/me/calendar', {}, undefined, options),
      },
    },

    /** The names of the people that cases can be assigned to. */
    colleagues: { list: (options?: CallOptions) => read('/admin/v1/colleagues', {}, options) },

    users: {
      list: (options?: CallOptions) => read('/admin/v1/users', {}, options),

      get: (userId: string, options?: ReadOptions<Schemas['User']>) =>
        read('/admin/v1/users/{userId}', { userId }, options),

      /** Returns the invitation link, which cannot be read again. */
      create: (body: Schemas['NewUser'], options?: PostOptions) => post('/admin/v1/users', {}, body, options),

      update: (userId: string, body: Schemas['UserPatch'], options?: WriteOptions) =>
        patch('/admin/v1/users/{userId}', { userId }, body, options),

      /** Returns a new invitation link. */
      invite: (userId: string, options?: CallOptions) =>
        post('/admin/v1/users/{userId}/invite', { userId }, undefined, options),

      /** Removes password, passkeys and codes, ends all sessions, and returns a new invitation link. */
      reset: (userId: string, options?: CallOptions) =>
        post('/admin/v1/users/{userId}/reset', { userId }, undefined, options),

      endSessions: (userId: string, options?: CallOptions) =>
        remove('/admin/v1/users/{userId}/sessions', { userId }, undefined, options),
    },

    /** The session of the person, for clients with `auth: { kind: 'cookie' }`. */
    session: {
      get: (options?: CallOptions) => read('/auth/v1/session', {}, options),

      /** The ways to sign in that this service offers. */
      methods: (options?: CallOptions) => read('/auth/v1/methods', {}, options),

      /** Returns the session, or a step with a `challenge` where a second factor is needed: then call it again. */
      signIn: (body: Schemas['SignInRequest'], options?: CallOptions) =>
        post('/auth/v1/session', {}, body, options),

      /** Options for `navigator.credentials.get()`. */
      passkeyOptions: (options?: CallOptions) => post('/auth/v1/passkey/options', {}, undefined, options),

      acceptInvitation: (body: Schemas['InvitationAcceptance'], options?: CallOptions) =>
        post('/auth/v1/invitation', {}, body, options),

      signOut: (options?: CallOptions) => remove('/auth/v1/session', {}, undefined, options),

      /** All sessions of the person. */
      list: (options?: CallOptions) => read('/auth/v1/sessions', {}, options),

      end: (sessionId: string, options?: CallOptions) =>
        remove('/auth/v1/sessions/{sessionId}', { sessionId }, undefined, options),

      changePassword: (body: Schemas['PasswordChange'], options?: CallOptions) =>
        post('/auth/v1/password', {}, body, options),
    },

    passkeys: {
      list: (options?: CallOptions) => read('/auth/v1/passkeys', {}, options),

      /** Options for `navigator.credentials.create()`. */
      options: (options?: CallOptions) => post('/auth/v1/passkeys/options', {}, undefined, options),

      create: (body: Schemas['NewPasskey'], options?: CallOptions) =>
        post('/auth/v1/passkeys', {}, body, options),

      delete: (passkeyId: string, options?: CallOptions) =>
        remove('/auth/v1/passkeys/{passkeyId}', { passkeyId }, undefined, options),
    },

    /** Codes of an authenticator app. */
    totp: {
      enrol: (options?: CallOptions) => post('/auth/v1/totp', {}, undefined, options),

      /** Returns the recovery codes, which cannot be read again. */
      confirm: (body: Schemas['TotpConfirmation'], options?: CallOptions) =>
        post('/auth/v1/totp/confirm', {}, body, options),

      remove: (body: Schemas['TotpRemoval'], options?: CallOptions) =>
        post('/auth/v1/totp/remove', {}, body, options),
    },

    health: {
      /** The process runs. */
      live: (options?: CallOptions) => read('/healthz', {}, options),

      /** The service can serve requests. */
      ready: (options?: CallOptions) => read('/readyz', {}, options),

      applicants: (options?: CallOptions) => read('/v2/applicant/health', {}, options),
      cases: (options?: CallOptions) => read('/v2/case/health', {}, options),
      documents: (options?: CallOptions) => read('/v2/document/health', {}, options),
    },
  }
}
