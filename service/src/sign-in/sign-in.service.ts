// How people sign in: a first factor, and a second one where the person has enrolled one; or a passkey alone, or the
// external issuer. Every sign-in and every rejected one is in the audit.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Sql, Tx } from '../db/database.ts'
import { type Actor, type Recorders, runUnitOfWork, type UnitOfWork } from '../db/unit-of-work.ts'
import type { Clock } from '../lib/clock.ts'
import { fold } from '../lib/fold.ts'
import { type FieldError, invalid } from '../lib/problem.ts'
import type { Invitations } from '../users/invitations.service.ts'
import { invitationInvalid } from '../users/users.errors.ts'
import type { User, Users } from '../users/users.service.ts'
import type { Challenges } from './challenges.ts'
import * as credentials from './credentials.store.ts'
import type { ExternalLogin } from './external-login.ts'
import { saveExternalPerson, withdrawExternalPerson } from './external-users.ts'
import type { Guess, GuessLimits } from './guess-limits.ts'
import type { PasskeyResponse, Passkeys } from './passkeys.service.ts'
import { type Passwords, passwordErrorOf } from './passwords.ts'
import type { Session, Sessions } from './sessions.service.ts'
import { methodOff, signInFailed, totpNotEnrolled, wrongCode, wrongPassword } from './sign-in.errors.ts'
import type { ExternalReason, SignedIn, SignInResult, Visitor } from './sign-in.ts'
import type { Totp } from './totp.service.ts'

interface Options {
  db: Database
  clock: Clock
  recorders: Recorders
  users: Users
  invitations: Invitations
  sessions: Sessions
  passwords: Passwords
  totp: Totp
  passkeys: Passkeys
  challenges: Challenges
  limits: GuessLimits
  /** Undefined where no external issuer is configured. */
  external: ExternalLogin | undefined
  passwordEnabled: boolean
}

interface NewPassword {
  hash: string
  /** The hash that it replaces, which must not have changed; undefined where there was no password. */
  replaces: string | undefined
}

/** More than a hash takes. Beyond the limit on guesses, every rejection takes as long, though few passwords are compared. */
const REJECTION_MS = 500

export type SignIn = ReturnType<typeof createSignIn>

export function createSignIn(options: Options) {
  const {
    db,
    clock,
    recorders,
    users,
    invitations,
    sessions,
    passwords,
    totp,
    passkeys,
    challenges,
    limits,
  } = options
  const { external, passwordEnabled } = options

  const transact = <T>(actor: Actor, work: (unit: UnitOfWork) => Promise<T>): Promise<T> =>
    db.transaction(tx => runUnitOfWork({ tx, actor, now: clock.now(), recorders, work }))

  const asUser = (actor: Actor, { userId, name }: User): Actor => ({
    ...actor,
    clientId: `user:${userId}`,
    user: { userId, name },
  })

  const reject = ({ onRejected }: Visitor, user: User | undefined): never => {
    onRejected(user?.userId)
    throw challenge()
  }

  const rejectGuess = (visitor: Visitor, user: User | undefined, guess: Guess): never => {
    const error = limits.errorBeyond(guess)
    limits.countWrong(guess)
    return error ? rejectWith(error, { visitor, user }) : reject(visitor, user)
  }

  const rejectWith = (
    error: Error,
    { visitor, user }: { visitor: Visitor; user: User | undefined },
  ): never => {
    visitor.onRejected(user?.userId)
    throw error
  }

  /**
   * Runs the last part of a step with the person locked. Whatever changes credentials or ends sessions locks the person, too, so
   * that `work` can check that what was proven before still holds.
   */
  const asLocked = async <Result extends SignInResult | ExternalReason>(
    visitor: Visitor,
    user: User,
    work: (unit: UnitOfWork, current: User) => Promise<Result>,
  ): Promise<Result> => {
    const result = await transact(asUser(visitor.actor, user), async unit => {
      const current = await users.lock(unit.tx, user.userId)
      if (!current?.active) return reject(visitor, user)
      return work(unit, current)
    })
    if (typeof result === 'object' && result.kind === 'session') visitor.onAudited()
    return result
  }

  /** The user is locked. */
  const openSession = async (
    unit: UnitOfWork,
    user: User,
    { visitor, method }: { visitor: Visitor; method: string },
  ): Promise<SignedIn> => {
    const joined = user.joinedAt ? user : await users.update(unit, { ...user, joinedAt: unit.now })
    if (visitor.sessionToken !== undefined) await sessions.endReplaced(unit, visitor.sessionToken)
    const { device } = visitor
    const { token, session } = await sessions.create(unit, { userId: user.userId, method, device })
    return { kind: 'session', token, session, user: joined }
  }

  const guessOf = async (visitor: Visitor, account: string, user: User | undefined): Promise<Guess> => {
    const address = visitor.device.address ?? ''
    const isKnown = await sessions.isKnownAddress(db.sql, user?.userId ?? '', address)
    return { account, address, isKnown }
  }

  /** After the first factor, which must still hold: a session, or what is asked for next. */
  const continueWith = (
    visitor: Visitor,
    user: User,
    { first, holds }: { first: string; holds: (tx: Tx, current: User) => Promise<boolean> },
  ): Promise<SignInResult> =>
    asLocked(visitor, user, async (unit, current): Promise<SignInResult> => {
      const { tx } = unit
      if (!(await holds(tx, current))) return reject(visitor, user)
      const hasTotp = await totp.isEnrolled(user.userId, tx)
      const keys = await passkeys.list(user.userId, tx)
      if (!hasTotp && keys.length === 0) return openSession(unit, current, { visitor, method: first })
      const passkey = keys.length > 0 ? await passkeys.authenticationOptions(visitor.origin, keys) : null
      const data = { first, passkey: passkey?.data ?? null }
      return {
        kind: 'next',
        next: hasTotp ? 'totp' : 'passkey',
        challenge: await challenges.create('second-factor', data, { userId: user.userId, tx }),
        methods: [
          ...(hasTotp ? (['totp', 'recovery-code'] as const) : []),
          ...(passkey ? (['passkey'] as const) : []),
        ],
        passkey: passkey?.options ?? null,
      }
    })

  const hasHash = async (from: Sql, userId: string, hash: string | undefined): Promise<boolean> =>
    (await credentials.findPassword(from, userId)) === hash

  const requirePassword = () => {
    if (!passwordEnabled) throw methodOff('Sign-in by password is switched off here.')
  }

  const secondFactorByCode = async (
    visitor: Visitor,
    token: string,
    { code, recoveryCode }: { code?: string; recoveryCode?: string },
  ): Promise<SignInResult> => {
    const step = await challenges.find(token, ['second-factor'])
    const user = await users.find(step.userId ?? '')
    if (!user?.active) return reject(visitor, user)
    const guess = { ...(await guessOf(visitor, user.userId, user)), isCode: true }
    limits.requireAllowed(guess)
    const method = `${step.data.first}+${code === undefined ? 'recovery-code' : 'totp'}`
    return asLocked(visitor, user, async (unit, current) => {
      const right =
        code === undefined
          ? await totp.useRecoveryCode(unit, user.userId, recoveryCode ?? '')
          : await totp.useCode(unit, user.userId, code)
      // Checked again because of concurrent guesses: beyond the limit, even a right code is rejected.
      limits.requireAllowed(guess)
      if (!right) return rejectGuess(visitor, user, guess)
      // Deleted with the sessions that a reset or a new password ends: the first factor then counts no more.
      await challenges.take(unit.tx, token, 'second-factor')
      return openSession(unit, current, { visitor, method })
    })
  }

  /** A right passkey is never blocked by wrong guesses of passwords. */
  const byPasskey = async (
    visitor: Visitor,
    token: string,
    response: PasskeyResponse,
  ): Promise<SignInResult> => {
    const step = await challenges.find(token, ['second-factor', 'passkey'])
    const expected = step.kind === 'passkey' ? step.data : step.data.passkey
    const verified = expected && (await passkeys.verify(response, expected))
    const user = verified ? await users.find(verified.passkey.userId) : undefined
    const isOwn = step.userId === null || step.userId === user?.userId
    if (!verified || !user?.active || !isOwn) return reject(visitor, user)
    const method = step.kind === 'passkey' ? 'passkey' : `${step.data.first}+passkey`
    return asLocked(visitor, user, async (unit, current) => {
      await challenges.take(unit.tx, token, step.kind)
      if (!(await passkeys.recordUse(unit, verified.passkey, verified.counter))) return reject(visitor, user)
      return openSession(unit, current, { visitor, method })
    })
  }

  return {
    methods: () => ({ password: passwordEnabled, passkey: true, externalIssuer: external !== undefined }),

    async withPassword(visitor: Visitor, email: string, password: string): Promise<SignInResult> {
      requirePassword()
      const user = await users.findByEmail(email)
      const guess = await guessOf(visitor, fold(email), user)
      const beyond = limits.errorBeyond(guess)
      const rejection = beyond && sleep(REJECTION_MS)
      const stored = await credentials.findPassword(db.sql, user?.userId ?? '')
      if (beyond && limits.isBlocked(guess)) {
        await rejection
        return rejectWith(beyond, { visitor, user })
      }
      const isEqual = await passwords.verify(password, stored).catch(async error => {
        if (!beyond) throw error
        // Not every guess is compared: an error of its own would tell those that are.
        await rejection
        return rejectWith(beyond, { visitor, user })
      })
      // Checked again because of concurrent guesses.
      const right = isEqual && !limits.isBlocked(guess)
      if (!user?.active || !right || !stored) {
        await rejection
        return rejectGuess(visitor, user, guess)
      }
      const hash = passwords.isOutdated(stored) ? await passwords.hash(password) : stored
      if (hash !== stored)
        await credentials.replaceHash(db.sql, { userId: user.userId, before: stored, hash })
      const holds = (tx: Tx) => hasHash(tx, user.userId, hash)
      return continueWith(visitor, user, { first: 'password', holds })
    },

    secondFactorByCode,
    byPasskey,

    /** Options for a sign-in by passkey alone: the person is known by the passkey. */
    async passkeyOptions({ origin }: Visitor) {
      const { data, options: passkey } = await passkeys.authenticationOptions(origin)
      return { challenge: await challenges.create('passkey', data), options: passkey }
    },

    /** Uses an invitation: sets the password, and signs the person in. */
    async acceptInvitation(
      visitor: Visitor,
      input: { token: string; email?: string; name?: string; password?: string },
    ): Promise<SignInResult> {
      const { token, password } = input
      // Looked at first: an invalid password must not use the invitation up.
      const found = await invitations.find(token, clock.now())
      // Before the hash: a visitor without an invitation must not cost one.
      if (!found) throw invitationInvalid()
      const email = found === 'first' ? input.email : found.email
      const name = input.name ?? (typeof found === 'object' ? found.name : undefined)
      const errors: FieldError[] = []
      if (email === undefined) errors.push({ pointer: '/email', detail: 'Required, but missing.' })
      if (name === undefined) errors.push({ pointer: '/name', detail: 'Required, but missing.' })
      if (passwordEnabled) {
        const detail =
          password === undefined
            ? 'Required, but missing.'
            : passwordErrorOf(password, { email: email ?? '', name: name ?? '' })
        if (detail) errors.push({ pointer: '/password', detail })
      } else if (password !== undefined)
        errors.push({
          pointer: '/password',
          detail: 'Sign-in by password is switched off here. Leave it out.',
        })
      if (errors.length > 0) throw invalid(errors)

      const hash = password === undefined ? undefined : await passwords.hash(password)
      const user = await transact(visitor.actor, async unit => {
        const invited = await invitations.take(unit, token)
        const accepted =
          invited === 'first'
            ? await users.insert(unit, { email: email ?? '', name: name ?? '', roles: ['admin'] })
            : invited.name === name
              ? invited
              : await users.update(unit, { ...invited, name: name ?? invited.name })
        if (hash) await credentials.upsertPassword(unit.tx, { userId: accepted.userId, hash, now: unit.now })
        await sessions.endAll(unit, accepted.userId)
        // A first user has an entry of its own, as created.
        const before = invited === 'first' ? accepted : invited
        unit.audit({
          action: 'user.accept_invitation',
          recordId: accepted.userId,
          ...(before.name !== accepted.name && {
            before: { name: before.name },
            after: { name: accepted.name },
          }),
        })
        return accepted
      })
      sessions.forget()
      const holds = async (tx: Tx, { version }: User) =>
        hash === undefined ? version === user.version : hasHash(tx, user.userId, hash)
      return continueWith(visitor, user, { first: 'invitation', holds })
    },

    /** The new password, hashed, once the current one is verified. Runs before the transaction, because it takes long. */
    async prepareNewPassword(
      user: User,
      {
        currentPassword,
        newPassword,
        address,
      }: { currentPassword?: string; newPassword: string; address: string },
    ): Promise<NewPassword> {
      requirePassword()
      const detail = passwordErrorOf(newPassword, user)
      if (detail) throw invalid([{ pointer: '/newPassword', detail }])
      const stored = await credentials.findPassword(db.sql, user.userId)
      if (stored) {
        const guess = { account: user.userId, address, isKnown: true, isSignedIn: true }
        limits.requireAllowed(guess)
        const right = await passwords.verify(currentPassword ?? '', stored)
        // Checked again because of concurrent guesses: beyond the limit, even the right password changes nothing.
        limits.requireAllowed(guess)
        if (!right) {
          limits.countWrong(guess)
          throw wrongPassword()
        }
      }
      return { hash: await passwords.hash(newPassword), replaces: stored }
    },

    /**
     * For changes of how the person signs in: locks the person, and returns whether the session is still open. It may have ended
     * since the request began.
     */
    async lockOpen({ tx }: UnitOfWork, { userId, sessionId }: Session): Promise<boolean> {
      const user = await users.lock(tx, userId)
      return user?.active === true && sessions.isOpen(tx, sessionId)
    },

    /** Saves the new password, and ends all other sessions. The person is locked. */
    async changePassword(
      unit: UnitOfWork,
      { userId, sessionId }: Session,
      { hash, replaces }: NewPassword,
    ): Promise<void> {
      if (!(await hasHash(unit.tx, userId, replaces))) throw wrongPassword()
      await credentials.upsertPassword(unit.tx, { userId, hash, now: unit.now })
      await sessions.endAll(unit, userId, sessionId)
      unit.audit({ action: 'user.change_password', recordId: userId })
    },

    /** Removes the authenticator codes; one of them, or a recovery code, is needed. The person is locked. */
    async removeTotp(
      unit: UnitOfWork,
      userId: string,
      { code, recoveryCode, address }: { code?: string; recoveryCode?: string; address: string },
    ): Promise<void> {
      const guess = { account: userId, address, isKnown: true, isSignedIn: true }
      limits.requireAllowed(guess)
      if (!(await totp.isEnrolled(userId, unit.tx))) throw totpNotEnrolled()
      const isRight =
        code === undefined
          ? await totp.useRecoveryCode(unit, userId, recoveryCode ?? '')
          : await totp.useCode(unit, userId, code)
      if (!isRight) {
        limits.countWrong(guess)
        throw wrongCode()
      }
      await totp.remove(unit, userId)
    },

    hasPassword: async (userId: string) => (await credentials.findPassword(db.sql, userId)) !== undefined,

    /** Where to send the browser; the token leads back to what has to be remembered. */
    async startExternal(redirectUri: string): Promise<{ url: string; token: string }> {
      if (!external) throw methodOff('No external issuer is configured here.')
      const { url, data } = await external.start(redirectUri)
      return { url, token: await challenges.create('issuer', data) }
    },

    /** A session, or the reason why there is none. */
    async finishExternal(
      visitor: Visitor,
      { token, query }: { token: string | undefined; query: string },
    ): Promise<SignedIn | ExternalReason> {
      if (!external) throw methodOff('No external issuer is configured here.')
      const refuse = (reason: ExternalReason, user?: Pick<User, 'userId'>) => {
        visitor.onRejected(user?.userId)
        return reason
      }
      if (token === undefined) return refuse('issuer-rejected')
      const step = await challenges.take(db.sql, token, 'issuer').catch(() => undefined)
      const person = step && (await external.finish(query, step.data))
      if (!person) return refuse('issuer-rejected')
      if (person.roles.length === 0) {
        const userId = await transact(visitor.actor, unit => withdrawExternalPerson(unit, users, person))
        sessions.forget()
        return refuse('issuer-no-role', userId === undefined ? undefined : { userId })
      }
      const user = await transact(visitor.actor, unit => saveExternalPerson(unit, users, person))
      if (typeof user === 'string') return refuse(user)
      if (!user.active) return refuse('issuer-user-inactive', user)
      sessions.forget()
      return asLocked(visitor, user, async (unit, current): Promise<SignedIn | ExternalReason> => {
        const linkedTo = await credentials.findIdentity(unit.tx, person.issuer, person.subject)
        if (linkedTo !== user.userId) return refuse('issuer-rejected', user)
        return openSession(unit, current, { visitor, method: 'external-issuer' })
      })
    },

    /** Removes every way to sign in. */
    deleteCredentials: (unit: UnitOfWork, userId: string) => credentials.deleteCredentialsOf(unit.tx, userId),
    setPassword: async (unit: UnitOfWork, userId: string, password: string) =>
      credentials.upsertPassword(unit.tx, { userId, hash: await passwords.hash(password), now: unit.now }),

    async deleteExpired(): Promise<void> {
      await challenges.deleteExpired()
      await invitations.deleteExpired(clock.now())
      await sessions.deleteOld()
    },
  }
}

const challenge = () =>
  signInFailed(undefined, { headers: { 'www-authenticate': 'Cookie realm="caseport"' } })
