import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAuthenticator } from '../../../scripts/software-authenticator.ts'
import { totpCode } from '../../../scripts/totp-code.ts'
import { expectProblem, fieldErrorsOf } from '../support/expect-problem.ts'
import { createTestApp, testSealer } from '../support/harness.ts'
import { createPerson, createVisitor, inviteUser, ORIGIN, PASSWORD, type Visitor } from '../support/people.ts'

// The clock moves by days: the token of the administrator must outlive that.
const test = await createTestApp({ config: { tokenTtl: 365 * 86_400 } })
const OTHER_PASSWORD = 'seven umbrellas on Tuesday'
const SESSION = '/auth/v1/session'

const codeNow = (secret: string, offsetSeconds = 0) =>
  totpCode(secret, test.clock.now().getTime() + offsetSeconds * 1000)

async function enrolTotp(visitor: Visitor) {
  const enrolled = await visitor.post('/auth/v1/totp')
  assert.equal(enrolled.status, 200, enrolled.text)
  const { secret } = enrolled.body as { secret: string }
  const confirmed = await visitor.post('/auth/v1/totp/confirm', { code: codeNow(secret) })
  assert.equal(confirmed.status, 200, confirmed.text)
  test.clock.advance(60)
  return { secret, recoveryCodes: confirmed.body.recoveryCodes as string[] }
}

async function addPasskey(visitor: Visitor, authenticator = createAuthenticator(ORIGIN)) {
  const { body } = await visitor.post('/auth/v1/passkeys/options')
  const response = authenticator.create(body.options)
  const added = await visitor.post('/auth/v1/passkeys', {
    challenge: body.challenge,
    name: 'Laptop',
    response,
  })
  return { authenticator, added }
}

const firstFactor = async (email: string) => {
  const visitor = createVisitor(test)
  const response = await visitor.signIn(email)
  assert.equal(response.status, 200, response.text)
  assert.equal(response.headers['set-cookie'], undefined)
  return {
    visitor,
    step: response.body as { challenge: string; next: string; methods: string[]; passkey: never },
  }
}

describe('authenticator codes', () => {
  it('are asked for after the password once they are confirmed', async () => {
    const { user, visitor } = await createPerson(test)
    const { body } = await visitor.post('/auth/v1/totp')
    assert.match(body.uri, new RegExp(`secret=${body.secret}`))
    assert.equal((await createVisitor(test).signIn(user.email)).status, 201)
    expectProblem(await visitor.post('/auth/v1/totp/confirm', { code: '000000' }), {
      status: 409,
      code: 'wrong-code',
    })
    const { secret } = await enrolTotp(visitor)
    const { visitor: other, step } = await firstFactor(user.email)
    assert.deepEqual([step.next, step.methods, step.passkey], ['totp', ['totp', 'recovery-code'], null])
    expectProblem(await other.call({ url: SESSION }), { status: 401, code: 'session-required' })
    const signedIn = await other.post(SESSION, { challenge: step.challenge, code: codeNow(secret) })
    assert.equal(signedIn.status, 201, signedIn.text)
    assert.equal(signedIn.body.method, 'password+totp')
    assert.equal(signedIn.body.credentials.recoveryCodes, 10)
    assert.equal((await other.call({ url: '/v2/case/health' })).status, 200)
  })

  it('end all other sessions when they are confirmed', async () => {
    const { user, visitor } = await createPerson(test)
    const other = createVisitor(test)
    await other.signIn(user.email)
    await enrolTotp(visitor)
    expectProblem(await other.call({ url: SESSION }), { status: 401, code: 'session-required' })
    assert.equal((await visitor.call({ url: SESSION })).status, 200)
  })

  it('work once each, also for two requests at the same time', async () => {
    const { user, visitor } = await createPerson(test)
    const { secret } = await enrolTotp(visitor)
    const steps = [await firstFactor(user.email), await firstFactor(user.email)]
    const code = codeNow(secret)
    const sent = await Promise.all(
      steps.map(({ visitor: one, step }) => one.post(SESSION, { challenge: step.challenge, code })),
    )
    assert.deepEqual(sent.map(({ status }) => status).sort(), [201, 401])
    const again = await firstFactor(user.email)
    expectProblem(await again.visitor.post(SESSION, { challenge: again.step.challenge, code }), {
      status: 401,
      code: 'sign-in-failed',
    })
  })

  it('are limited to ten wrong ones', async () => {
    const { user, visitor } = await createPerson(test)
    const { secret } = await enrolTotp(visitor)
    const { visitor: other, step } = await firstFactor(user.email)
    const wrong = String((Number(codeNow(secret)) + 1) % 1_000_000).padStart(6, '0')
    for (let count = 0; count < 10; count++)
      expectProblem(await other.post(SESSION, { challenge: step.challenge, code: wrong }), {
        status: 401,
        code: 'sign-in-failed',
      })
    expectProblem(await other.post(SESSION, { challenge: step.challenge, code: codeNow(secret) }), {
      status: 429,
      code: 'too-many-requests',
    })
  })

  it('expire with their step, which works once', async () => {
    const { user, visitor } = await createPerson(test)
    const { secret } = await enrolTotp(visitor)
    const late = await firstFactor(user.email)
    test.clock.advance(301)
    expectProblem(
      await late.visitor.post(SESSION, { challenge: late.step.challenge, code: codeNow(secret) }),
      { status: 409, code: 'sign-in-expired' },
    )
    const used = await firstFactor(user.email)
    const body = { challenge: used.step.challenge, code: codeNow(secret) }
    assert.equal((await used.visitor.post(SESSION, body)).status, 201)
    test.clock.advance(30)
    expectProblem(await used.visitor.post(SESSION, { ...body, code: codeNow(secret) }), {
      status: 409,
      code: 'sign-in-expired',
    })
  })

  it('can be replaced by a recovery code, once each', async () => {
    const { user, visitor } = await createPerson(test)
    const { recoveryCodes } = await enrolTotp(visitor)
    assert.equal(new Set(recoveryCodes).size, 10)
    for (const code of recoveryCodes) assert.match(code, /^([a-z2-7]{4}-){7}[a-z2-7]{4}$/)
    const [first = '', second = ''] = recoveryCodes
    const one = await firstFactor(user.email)
    const signedIn = await one.visitor.post(SESSION, {
      challenge: one.step.challenge,
      recoveryCode: first.toUpperCase().replaceAll('-', ' '),
    })
    assert.equal(signedIn.status, 201, signedIn.text)
    assert.equal(signedIn.body.method, 'password+recovery-code')
    assert.equal(signedIn.body.credentials.recoveryCodes, 9)
    const two = await firstFactor(user.email)
    for (const recoveryCode of [first, 'aaaa-aaaa-aaaa-aaaa'])
      expectProblem(await two.visitor.post(SESSION, { challenge: two.step.challenge, recoveryCode }), {
        status: 401,
        code: 'sign-in-failed',
      })
    const right = await two.visitor.post(SESSION, { challenge: two.step.challenge, recoveryCode: second })
    assert.equal(right.status, 201)
    const [stored] = await test.db
      .sql`select count(*)::integer as count from recovery_codes where user_id = ${user.userId}`
    assert.equal(stored?.['count'], 8)
    const third = await firstFactor(user.email)
    await third.visitor.post(SESSION, { challenge: third.step.challenge, recoveryCode: recoveryCodes[2] })
    const remove = { recoveryCode: recoveryCodes[3] }
    assert.equal((await third.visitor.post('/auth/v1/totp/remove', remove)).status, 204)
    const audited = await test.db
      .sql`select from audit where record_id = ${user.userId} and action = 'user.use_recovery_code'`
    assert.equal(audited.length, 4)
  })

  it('are set up once, and removed with a code or a recovery code', async () => {
    const { user, visitor } = await createPerson(test)
    expectProblem(await visitor.post('/auth/v1/totp/confirm', { code: '123456' }), {
      status: 409,
      code: 'totp-not-enrolled',
    })
    expectProblem(await visitor.post('/auth/v1/totp/remove', { code: '123456' }), {
      status: 409,
      code: 'totp-not-enrolled',
    })
    const { secret, recoveryCodes } = await enrolTotp(visitor)
    expectProblem(await visitor.post('/auth/v1/totp'), { status: 409, code: 'totp-enrolled' })
    expectProblem(await visitor.post('/auth/v1/totp/confirm', { code: codeNow(secret) }), {
      status: 409,
      code: 'totp-enrolled',
    })
    expectProblem(await visitor.post('/auth/v1/totp/remove', { recoveryCode: 'aaaa' }), {
      status: 409,
      code: 'wrong-code',
    })
    expectProblem(await visitor.post('/auth/v1/totp/remove', {}), { status: 400, code: 'invalid-request' })
    assert.equal((await visitor.post('/auth/v1/totp/remove', { code: codeNow(secret) })).status, 204)
    assert.equal((await createVisitor(test).signIn(user.email)).status, 201)
    await enrolTotp(visitor)
    expectProblem(await visitor.post('/auth/v1/totp/remove', { recoveryCode: recoveryCodes[0] }), {
      status: 409,
      code: 'wrong-code',
    })
  })

  it('have a seed that is sealed before it is stored', async () => {
    const { user, visitor } = await createPerson(test)
    const { body } = await visitor.post('/auth/v1/totp')
    const [row] = await test.db.sql`select seed from user_totp where user_id = ${user.userId}`
    assert.match(row?.['seed'], /^sealed:v1:/)
    const place = { column: 'user_totp.seed', id: user.userId }
    assert.equal(testSealer.unseal(row?.['seed'], place), body.secret)
    assert.equal((await visitor.post('/auth/v1/totp/confirm', { code: codeNow(body.secret) })).status, 200)
  })
})

describe('a passkey', () => {
  it('signs in by itself, without an address', async () => {
    const { user, visitor } = await createPerson(test)
    const { authenticator, added } = await addPasskey(visitor)
    assert.equal(added.status, 201, added.text)
    const other = createVisitor(test)
    const { body } = await other.post('/auth/v1/passkey/options')
    assert.deepEqual([body.options.rpId, body.options.userVerification], ['localhost', 'required'])
    assert.deepEqual(body.options.allowCredentials ?? [], [])
    const passkey = authenticator.get(body.options)
    const signedIn = await other.post(SESSION, { challenge: body.challenge, passkey })
    assert.equal(signedIn.status, 201, signedIn.text)
    assert.deepEqual([signedIn.body.method, signedIn.body.user.userId], ['passkey', user.userId])
    const { body: list } = await other.call({ url: '/auth/v1/passkeys' })
    assert.equal(list.length, 1)
    assert.ok(list[0].lastUsedAt)
    expectProblem(await other.post(SESSION, { challenge: body.challenge, passkey }), {
      status: 409,
      code: 'sign-in-expired',
    })
  })

  it('is asked for after the password where it is the only second factor', async () => {
    const { user, visitor } = await createPerson(test)
    const { authenticator } = await addPasskey(visitor)
    const { visitor: other, step } = await firstFactor(user.email)
    assert.deepEqual([step.next, step.methods], ['passkey', ['passkey']])
    const passkey = authenticator.get(step.passkey)
    const signedIn = await other.post(SESSION, { challenge: step.challenge, passkey })
    assert.equal(signedIn.status, 201, signedIn.text)
    assert.equal(signedIn.body.method, 'password+passkey')
  })

  it('is not replaced by authenticator codes that were never confirmed', async () => {
    const { user, visitor } = await createPerson(test)
    await addPasskey(visitor)
    const { secret } = (await visitor.post('/auth/v1/totp')).body
    const { visitor: other, step } = await firstFactor(user.email)
    expectProblem(await other.post(SESSION, { challenge: step.challenge, code: codeNow(secret) }), {
      status: 401,
      code: 'sign-in-failed',
    })
  })

  it('of another person is no second factor', async () => {
    const { user, visitor } = await createPerson(test)
    await addPasskey(visitor)
    const stranger = await createPerson(test)
    const { authenticator } = await addPasskey(stranger.visitor)
    const { visitor: other, step } = await firstFactor(user.email)
    const passkey = authenticator.get(step.passkey)
    expectProblem(await other.post(SESSION, { challenge: step.challenge, passkey }), {
      status: 401,
      code: 'sign-in-failed',
    })
  })

  it('works while passwords are blocked', async () => {
    const { user, visitor } = await createPerson(test)
    const { authenticator } = await addPasskey(visitor)
    for (let count = 0; count < 11; count++) await createVisitor(test).signIn(user.email, 'not this password')
    assert.equal((await createVisitor(test).signIn(user.email)).status, 429)
    const { body } = await visitor.post('/auth/v1/passkey/options')
    const passkey = authenticator.get(body.options)
    assert.equal((await visitor.post(SESSION, { challenge: body.challenge, passkey })).status, 201)
  })

  it('is rejected for another origin, without its owner, with another key, and malformed', async () => {
    const { user, visitor } = await createPerson(test)
    const { authenticator } = await addPasskey(visitor)
    const attempt = async (make: (options: never) => unknown) => {
      const other = createVisitor(test)
      const { body } = await other.post('/auth/v1/passkey/options')
      return other.post(SESSION, { challenge: body.challenge, passkey: make(body.options as never) })
    }
    const stranger = createAuthenticator(ORIGIN)
    for (const make of [
      () => ({}),
      () => ({ id: 'nothing' }),
      (options: never) => stranger.get(options),
      (options: never) => ({ ...stranger.get(options), id: authenticator.id, rawId: authenticator.id }),
      (options: { challenge: string; rpId: string }) => authenticator.get({ ...options, challenge: 'AAAA' }),
      (options: { challenge: string; rpId: string }) =>
        authenticator.get({ ...options, rpId: 'evil.example' }),
    ])
      expectProblem(await attempt(make as never), { status: 401, code: 'sign-in-failed' })
    assert.equal((await attempt(options => authenticator.get(options))).status, 201)

    for (const bad of [
      createAuthenticator('http://evil.example'),
      createAuthenticator(ORIGIN, { verifiesOwner: false }),
    ])
      expectProblem((await addPasskey(visitor, bad)).added, { status: 409, code: 'passkey-rejected' })
    const { body } = await visitor.post('/auth/v1/passkeys/options')
    const other = await createPerson(test)
    const response = createAuthenticator(ORIGIN).create(body.options)
    expectProblem(
      await other.visitor.post('/auth/v1/passkeys', { challenge: body.challenge, name: 'Foreign', response }),
      { status: 409, code: 'passkey-rejected' },
    )
    assert.equal((await visitor.call({ url: '/auth/v1/passkeys' })).body.length, 1)
    assert.ok(user)
  })

  it('is registered once, for one user only', async () => {
    const { visitor } = await createPerson(test)
    const stranger = await createPerson(test)
    const { authenticator, added } = await addPasskey(visitor)
    assert.equal(added.status, 201)
    for (const one of [visitor, stranger.visitor])
      expectProblem((await addPasskey(one, authenticator)).added, { status: 409, code: 'passkey-rejected' })
    assert.equal((await stranger.visitor.call({ url: '/auth/v1/passkeys' })).body.length, 0)
  })

  it('is removed by its owner only', async () => {
    const { visitor } = await createPerson(test)
    const { added, authenticator } = await addPasskey(visitor)
    const url = `/auth/v1/passkeys/${encodeURIComponent(added.body.passkeyId)}`
    const stranger = await createPerson(test)
    for (const [one, status] of [
      [stranger.visitor, 404],
      [visitor, 204],
      [visitor, 404],
    ] as const)
      assert.equal((await one.call({ method: 'DELETE', url })).status, status)
    const { body } = await visitor.post('/auth/v1/passkey/options')
    const passkey = authenticator.get(body.options)
    expectProblem(await visitor.post(SESSION, { challenge: body.challenge, passkey }), {
      status: 401,
      code: 'sign-in-failed',
    })
  })
})

describe('changes of how to sign in', () => {
  it('need a session of the last 15 minutes', async () => {
    const { visitor } = await createPerson(test)
    test.clock.advance(901)
    for (const url of ['/auth/v1/totp', '/auth/v1/passkeys/options'])
      expectProblem(await visitor.post(url), { status: 409, code: 'sign-in-again' })
    expectProblem(await visitor.post('/auth/v1/totp/remove', { code: '123456' }), {
      status: 409,
      code: 'sign-in-again',
    })
    expectProblem(await visitor.call({ method: 'DELETE', url: '/auth/v1/passkeys/x' }), {
      status: 409,
      code: 'sign-in-again',
    })
    const body = { challenge: 'x', name: 'Laptop', response: {} }
    expectProblem(await visitor.post('/auth/v1/passkeys', body), { status: 409, code: 'sign-in-again' })
  })

  it('of the password need the current one, and end all other sessions', async () => {
    const { user, visitor } = await createPerson(test)
    const other = createVisitor(test)
    await other.signIn(user.email)
    const change = (body: object) => visitor.post('/auth/v1/password', body)
    expectProblem(await change({ newPassword: OTHER_PASSWORD }), { status: 409, code: 'wrong-password' })
    const wrong = await change({ currentPassword: 'not this password', newPassword: OTHER_PASSWORD })
    expectProblem(wrong, { status: 409, code: 'wrong-password' })
    const weak = await change({ currentPassword: PASSWORD, newPassword: 'password1234' })
    assert.match(fieldErrorsOf(weak)['/newPassword'] ?? '', /easy to guess/)
    assert.equal((await change({ currentPassword: PASSWORD, newPassword: OTHER_PASSWORD })).status, 204)
    expectProblem(await other.call({ url: SESSION }), { status: 401, code: 'session-required' })
    assert.equal((await visitor.call({ url: SESSION })).status, 200)
    assert.equal((await createVisitor(test).signIn(user.email)).status, 401)
    assert.equal((await createVisitor(test).signIn(user.email, OTHER_PASSWORD)).status, 201)
  })

  it('check ten concurrent guesses of a password or code at most', async () => {
    const { visitor } = await createPerson(test)
    const { secret } = await enrolTotp(visitor)
    const post = (url: string, body: object) => () => visitor.post(url, body)
    const wrong = String((Number(codeNow(secret)) + 1) % 1_000_000).padStart(6, '0')
    const statusesOf = async (guess: () => Promise<{ status: number }>) =>
      (await Promise.all(Array.from({ length: 60 }, guess))).map(({ status }) => status)
    const password = { currentPassword: 'not this password', newPassword: OTHER_PASSWORD }
    const byCode = await statusesOf(post('/auth/v1/totp/remove', { code: wrong }))
    assert.equal(byCode.filter(status => status === 409).length, 10, byCode.join())
    assert.equal((await visitor.post('/auth/v1/totp/remove', { code: codeNow(secret) })).status, 429)
    test.clock.advance(901)
    const byPassword = await statusesOf(post('/auth/v1/password', password))
    assert.ok(byPassword.filter(status => status === 409).length <= 10, byPassword.join())
    // 503 where the queue of hashes is too long for this machine.
    assert.ok(
      byPassword.every(status => [409, 429, 503].includes(status)),
      byPassword.join(),
    )
  })

  it('of the password are limited to ten wrong guesses', async () => {
    const { visitor } = await createPerson(test)
    const body = { currentPassword: 'not this password', newPassword: OTHER_PASSWORD }
    for (let count = 0; count < 10; count++)
      await visitor.call({ method: 'POST', url: '/auth/v1/password', body, address: `198.51.${count}.1` })
    expectProblem(await visitor.post('/auth/v1/password', { ...body, currentPassword: PASSWORD }), {
      status: 429,
      code: 'too-many-requests',
    })
  })
})

describe('the audit', () => {
  const rejectedSince = async (seq: string) =>
    test.db.sql<{ operation: string; status: number; code: string }[]>`
      select operation_id as operation, status, code from audit
      where seq > ${seq} and outcome = 'refused' order by seq`

  it('has invitations that are not valid, and steps and ways of signing in that do not hold', async () => {
    const [before] = await test.db.sql<[{ seq: string }]>`select coalesce(max(seq), 0) as seq from audit`
    const visitor = createVisitor(test)
    const token = 'nothing'
    await visitor.post('/auth/v1/invitation', { token, password: PASSWORD })
    await visitor.post('/auth/v1/session', { challenge: token, code: '123456' })
    await visitor.call({ url: '/auth/v1/oidc/start' })
    await visitor.call({ url: '/auth/v1/oidc/callback?code=x' })
    const address = '192.0.2.200'
    const begin = () => visitor.call({ method: 'POST', url: '/auth/v1/passkey/options', address })
    for (let count = 0; count < 1_000 && (await begin()).status === 200; count++);
    assert.deepEqual(
      (await rejectedSince(before.seq)).map(({ operation, status, code }) => [operation, status, code]),
      [
        ['acceptInvitation', 409, 'invitation-invalid'],
        ['createSession', 409, 'sign-in-expired'],
        ['startExternalSignIn', 409, 'sign-in-method-off'],
        ['finishExternalSignIn', 409, 'sign-in-method-off'],
        ['getPasskeySignInOptions', 429, 'too-many-requests'],
      ],
    )
  })
})

describe('an invitation', () => {
  it('works once, and is not used up by an invalid password', async () => {
    const { user, token } = await inviteUser(test, { name: 'Ruth' })
    const visitor = createVisitor(test)
    const weak = await visitor.post('/auth/v1/invitation', { token, password: 'password1234' })
    assert.match(fieldErrorsOf(weak)['/password'] ?? '', /easy to guess/)
    assert.deepEqual(fieldErrorsOf(await visitor.post('/auth/v1/invitation', { token })), {
      '/password': 'Required, but missing.',
    })
    const own = await visitor.post('/auth/v1/invitation', { token, password: user.email })
    assert.match(fieldErrorsOf(own)['/password'] ?? '', /address or name/)
    const accept = () =>
      visitor.post('/auth/v1/invitation', { token, name: 'Ruth Okafor', password: PASSWORD })
    const sent = await Promise.all([accept(), accept(), accept()])
    assert.deepEqual(sent.map(({ status }) => status).sort(), [201, 409, 409])
    expectProblem(await accept(), { status: 409, code: 'invitation-invalid' })
    const { body } = await test.call({ url: `/admin/v1/users/${user.userId}` })
    assert.deepEqual([body.name, body.joinedAt !== null], ['Ruth Okafor', true])
  })

  it('leaves a change of the name in the audit, and no change where the name stays', async () => {
    const renamed = await inviteUser(test, { name: 'Ruth' })
    const same = await inviteUser(test, { name: 'Vera' })
    const acceptAs = async (token: string, name: string) => {
      const body = { token, name, password: PASSWORD }
      assert.equal((await createVisitor(test).post('/auth/v1/invitation', body)).status, 201)
    }
    await acceptAs(renamed.token, 'Ruth Okafor')
    await acceptAs(same.token, 'Vera')
    const changesOf = async (userId: string) => {
      const rows = await test.db.sql<{ changes: unknown }[]>`
        select changes from audit where record_id = ${userId} and action = 'user.accept_invitation'`
      return rows.map(({ changes }) => changes)
    }
    assert.deepEqual(await changesOf(renamed.user.userId), [
      [{ pointer: '/name', before: 'Ruth', after: 'Ruth Okafor' }],
    ])
    assert.deepEqual(await changesOf(same.user.userId), [null])
  })

  it('expires, and a new one replaces it', async () => {
    const { user, token } = await inviteUser(test)
    const { body } = await test.call({ method: 'POST', url: `/admin/v1/users/${user.userId}/invite` })
    const next = new URL(body.invitation.url).searchParams.get('invitation')
    const accept = (given: unknown) =>
      createVisitor(test).post('/auth/v1/invitation', { token: given, password: PASSWORD })
    expectProblem(await accept(token), { status: 409, code: 'invitation-invalid' })
    test.clock.advance(72 * 3600 + 1)
    expectProblem(await accept(next), { status: 409, code: 'invitation-invalid' })
    expectProblem(await accept('nothing'), { status: 409, code: 'invitation-invalid' })
  })

  it('does not replace a second factor', async () => {
    const { user, visitor } = await createPerson(test)
    await enrolTotp(visitor)
    const { body } = await test.call({ method: 'POST', url: `/admin/v1/users/${user.userId}/invite` })
    const token = new URL(body.invitation.url).searchParams.get('invitation')
    const response = await createVisitor(test).post('/auth/v1/invitation', {
      token,
      password: OTHER_PASSWORD,
    })
    assert.equal(response.status, 200)
    assert.equal(response.body.next, 'totp')
    expectProblem(await visitor.call({ url: SESSION }), { status: 401, code: 'session-required' })
  })

  it('of a user who is switched off does not work', async () => {
    const { user, token } = await inviteUser(test)
    await test.call({ method: 'PATCH', url: `/admin/v1/users/${user.userId}`, body: { active: false } })
    const response = await createVisitor(test).post('/auth/v1/invitation', { token, password: PASSWORD })
    expectProblem(response, { status: 409, code: 'invitation-invalid' })
  })

  it('follows a reset, which removes everything that the person could sign in with', async () => {
    const { user, visitor } = await createPerson(test)
    await enrolTotp(visitor)
    const { authenticator } = await addPasskey(visitor)
    const { body } = await test.call({ method: 'POST', url: `/admin/v1/users/${user.userId}/reset` })
    assert.equal(body.joinedAt, null)
    expectProblem(await visitor.call({ url: SESSION }), { status: 401, code: 'session-required' })
    assert.equal((await createVisitor(test).signIn(user.email)).status, 401)
    const options = await visitor.post('/auth/v1/passkey/options')
    const passkey = authenticator.get(options.body.options)
    assert.equal((await visitor.post(SESSION, { challenge: options.body.challenge, passkey })).status, 401)
    const token = new URL(body.invitation.url).searchParams.get('invitation')
    const accepted = await visitor.post('/auth/v1/invitation', { token, password: OTHER_PASSWORD })
    assert.equal(accepted.status, 201)
    assert.deepEqual(accepted.body.credentials, {
      password: true,
      totp: false,
      recoveryCodes: 0,
      passkeys: 0,
    })
  })
})

describe('LOGIN_PASSWORD=off', () => {
  it('rejects passwords, and lets an invited person add a passkey', async () => {
    const off = await createTestApp({
      clock: test.clock,
      config: { loginPassword: false, tokenTtl: 365 * 86_400 },
    })
    const visitor = createVisitor(off)
    assert.deepEqual((await visitor.call({ url: '/auth/v1/methods' })).body, {
      password: false,
      passkey: true,
      externalIssuer: false,
    })
    expectProblem(await visitor.signIn('a@example.com'), { status: 409, code: 'sign-in-method-off' })
    const { token } = await inviteUser(off)
    const given = await visitor.post('/auth/v1/invitation', { token, password: PASSWORD })
    assert.match(fieldErrorsOf(given)['/password'] ?? '', /switched off/)
    assert.equal((await visitor.post('/auth/v1/invitation', { token })).status, 201)
    expectProblem(await visitor.post('/auth/v1/password', { newPassword: OTHER_PASSWORD }), {
      status: 409,
      code: 'sign-in-method-off',
    })
    const { added, authenticator } = await addPasskey(visitor)
    assert.equal(added.status, 201)
    const { body } = await visitor.post('/auth/v1/passkey/options')
    const passkey = authenticator.get(body.options)
    assert.equal((await visitor.post(SESSION, { challenge: body.challenge, passkey })).status, 201)
    assert.ok(!(await visitor.call({ url: '/sign-in' })).text.includes('id="password-form"'))
  })
})
