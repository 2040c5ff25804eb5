// Sign-ins and changes of credentials beside a reset: what was proven before must still hold when it counts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAuthenticator } from '../../../scripts/software-authenticator.ts'
import { totpCode } from '../../../scripts/totp-code.ts'
import type { Tx } from '../../src/db/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp } from '../support/harness.ts'
import { createPerson, createVisitor, ORIGIN, PASSWORD, type Visitor } from '../support/people.ts'

const test = await createTestApp()
const SESSION = '/auth/v1/session'
const NEW_PASSWORD = 'seven umbrellas on Tuesday'
const codeNow = (secret: string) => totpCode(secret, test.clock.now().getTime())

/** Sends a request while the person is locked; it finds this change when it goes on. */
async function beside<T>(userId: string, send: () => Promise<T>, change: (tx: Tx) => Promise<unknown>) {
  const sent: Promise<T>[] = []
  await test.db.transaction(async tx => {
    await tx`select from users where user_id = ${userId} for update`
    sent.push(send())
    await untilBlocked()
    await change(tx)
  })
  return sent[0] as Promise<T>
}

async function untilBlocked(): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const rows = await test.db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (rows.length > 0) return
    await sleep(10)
  }
  throw new Error('No request waits for the lock of the person.')
}

/** What a reset by an administrator does to sessions and credentials. */
const reset = (userId: string) => async (tx: Tx) => {
  await tx`update sessions set ended_at = now() where user_id = ${userId}`
  for (const table of ['user_passwords', 'user_totp', 'passkeys'])
    await tx`delete from ${tx(table)} where user_id = ${userId}`
}

async function addPasskey(visitor: Visitor) {
  const { body } = await visitor.post('/auth/v1/passkeys/options')
  const authenticator = createAuthenticator(ORIGIN)
  const response = authenticator.create(body.options)
  const added = await visitor.post('/auth/v1/passkeys', {
    challenge: body.challenge,
    name: 'Laptop',
    response,
  })
  assert.equal(added.status, 201, added.text)
  return authenticator
}

async function enrolTotp(visitor: Visitor): Promise<string> {
  const { secret } = (await visitor.post('/auth/v1/totp')).body
  assert.equal((await visitor.post('/auth/v1/totp/confirm', { code: codeNow(secret) })).status, 200)
  test.clock.advance(60)
  return secret
}

const sessionsOf = async (userId: string) =>
  (await test.db.sql`select from sessions where user_id = ${userId} and ended_at is null`).length

describe('a session does not begin', () => {
  it('with a password that a reset has removed meanwhile', async () => {
    const { user } = await createPerson(test)
    const signedIn = await beside(
      user.userId,
      () => createVisitor(test).signIn(user.email),
      reset(user.userId),
    )
    expectProblem(signedIn, { status: 401, code: 'sign-in-failed' })
    assert.equal(await sessionsOf(user.userId), 0)
  })

  it('without a second factor that was set up meanwhile', async () => {
    const { user } = await createPerson(test)
    const other = await createPerson(test)
    await addPasskey(other.visitor)
    const signedIn = await beside(
      user.userId,
      () => createVisitor(test).signIn(user.email),
      tx => tx`update passkeys set user_id = ${user.userId} where user_id = ${other.user.userId}`,
    )
    assert.deepEqual([signedIn.status, signedIn.body.next], [200, 'passkey'])
  })

  it('with a passkey that a reset has removed meanwhile', async () => {
    const { user, visitor } = await createPerson(test)
    const authenticator = await addPasskey(visitor)
    const { body } = await createVisitor(test).post('/auth/v1/passkey/options')
    const passkey = authenticator.get(body.options)
    const send = () => createVisitor(test).post(SESSION, { challenge: body.challenge, passkey })
    expectProblem(await beside(user.userId, send, reset(user.userId)), {
      status: 401,
      code: 'sign-in-failed',
    })
  })

  it('with a code after the password was changed, or the sessions ended', async () => {
    const { user, visitor } = await createPerson(test)
    const secret = await enrolTotp(visitor)
    const changePassword = () =>
      visitor.post('/auth/v1/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
    const endSessions = () => test.call({ method: 'DELETE', url: `/admin/v1/users/${user.userId}/sessions` })
    for (const [password, change] of [
      [PASSWORD, changePassword],
      [NEW_PASSWORD, endSessions],
    ] as const) {
      const other = createVisitor(test)
      const { challenge } = (await other.signIn(user.email, password)).body
      assert.equal((await change()).status, 204)
      expectProblem(await other.post(SESSION, { challenge, code: codeNow(secret) }), {
        status: 409,
        code: 'sign-in-expired',
      })
    }
  })
})

describe('a session that a reset has ended meanwhile', () => {
  const required = { status: 401, code: 'session-required' }

  it('sets no password', async () => {
    const { user, visitor } = await createPerson(test)
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    const changed = await beside(
      user.userId,
      () => visitor.post('/auth/v1/password', body),
      reset(user.userId),
    )
    expectProblem(changed, required)
    assert.equal((await createVisitor(test).signIn(user.email, NEW_PASSWORD)).status, 401)
  })

  it('registers no passkey', async () => {
    const { user, visitor } = await createPerson(test)
    const { body } = await visitor.post('/auth/v1/passkeys/options')
    const response = createAuthenticator(ORIGIN).create(body.options)
    const send = () =>
      visitor.post('/auth/v1/passkeys', { challenge: body.challenge, name: 'Laptop', response })
    expectProblem(await beside(user.userId, send, reset(user.userId)), required)
  })

  it('neither begins, confirms nor removes authenticator codes', async () => {
    const { user, visitor } = await createPerson(test)
    const begin = () => visitor.post('/auth/v1/totp')
    const end = (tx: Tx) => tx`update sessions set ended_at = now() where user_id = ${user.userId}`
    expectProblem(await beside(user.userId, begin, end), required)
    await visitor.signIn(user.email)
    const { secret } = (await begin()).body
    const confirm = () => visitor.post('/auth/v1/totp/confirm', { code: codeNow(secret) })
    expectProblem(await beside(user.userId, confirm, end), required)
    await visitor.signIn(user.email)
    assert.equal((await confirm()).status, 200)
    test.clock.advance(60)
    const remove = () => visitor.post('/auth/v1/totp/remove', { code: codeNow(secret) })
    expectProblem(await beside(user.userId, remove, end), required)
  })

  it('does not replace a password that was changed meanwhile', async () => {
    const { user, visitor } = await createPerson(test)
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    const changed = await beside(
      user.userId,
      () => visitor.post('/auth/v1/password', body),
      tx => tx`update user_passwords set hash = 'another' where user_id = ${user.userId}`,
    )
    expectProblem(changed, { status: 409, code: 'wrong-password' })
  })
})
