// How people sign in, and what their sessions can do.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { walkThrough } from '../scripts/login-issuer.ts'
import { createAuthenticator } from '../scripts/software-authenticator.ts'
import { totpCode } from '../scripts/totp-code.ts'
import { baseUrl, call } from './client.ts'
import { person as applicant, expectInvalid, expectProblem, get, newNumber, post } from './people.ts'
import {
  createPerson,
  createVisitor,
  inviteUser,
  newEmail,
  PASSWORD,
  sameOrigin,
  type Visitor,
} from './visitors.ts'

const SESSION = '/auth/v1/session'
const OTHER_PASSWORD = 'seven umbrellas on Tuesday'

async function enrolTotp(visitor: Visitor) {
  const { body } = await visitor.post('/auth/v1/totp')
  const now = Date.now()
  const [usedCode, nextCode] = [totpCode(body.secret, now), totpCode(body.secret, now + 30_000)]
  const confirmed = await visitor.post('/auth/v1/totp/confirm', { code: usedCode })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  return { usedCode, nextCode, recoveryCodes: confirmed.body.recoveryCodes as string[] }
}

async function addPasskey(visitor: Visitor, authenticator = createAuthenticator(sameOrigin.origin)) {
  const { body } = await visitor.post('/auth/v1/passkeys/options')
  const response = authenticator.create(body.options)
  const added = await visitor.post('/auth/v1/passkeys', {
    challenge: body.challenge,
    name: 'Laptop',
    response,
  })
  return { authenticator, added }
}

describe('POST /auth/v1/session', () => {
  it('responds with 201, the person and a cookie for this service alone', async () => {
    const { user } = await createPerson({ roles: ['case-manager'] })
    const response = await createVisitor().signIn(user.email)
    assert.equal(response.status, 201)
    const { sessionId, createdAt, lastSeenAt, expiresAt, userAgent, address, ...rest } = response.body
    assert.ok(sessionId && userAgent && address && createdAt === lastSeenAt)
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 12 * 3_600_000)
    assert.equal(rest.method, 'password')
    assert.equal(rest.user.email, user.email)
    assert.deepEqual(rest.user.roles, ['case-manager'])
    assert.deepEqual(rest.credentials, { password: true, totp: false, recoveryCodes: 0, passkeys: 0 })
    const [cookie = ''] = response.headers.getSetCookie()
    for (const flag of ['Path=/', 'HttpOnly', 'SameSite=Lax']) assert.ok(cookie.includes(flag), cookie)
    assert.ok(!/Domain=/i.test(cookie))
    assert.equal(cookie.startsWith('__Host-caseport='), cookie.includes('Secure'))
    assert.equal(cookie.includes('Secure'), baseUrl.startsWith('https:'))
  })

  it('rejects a wrong password and an unknown address alike', async () => {
    const { user } = await createPerson()
    const wrong = await createVisitor().signIn(user.email, 'not this password')
    const unknown = await createVisitor().signIn(newEmail())
    for (const response of [wrong, unknown]) {
      assert.deepEqual([response.status, response.body.code], [401, 'sign-in-failed'])
      assert.deepEqual(response.headers.getSetCookie(), [])
    }
    assert.equal(wrong.body.detail, unknown.body.detail)
  })

  it('rejects an invalid body, and a step that never was', async () => {
    const visitor = createVisitor()
    await expectInvalid(visitor.post(SESSION, {}), '/email', '/password')
    await expectInvalid(visitor.post(SESSION, { challenge: 'x', code: '1' }), '/code')
    const never = visitor.post(SESSION, { challenge: 'never', code: '123456' })
    await expectProblem(never, 409, 'sign-in-expired')
  })
})

describe('a session', () => {
  it('opens the routes that a token opens, within the scopes of the roles', async () => {
    const manager = await createPerson({ roles: ['case-manager'] })
    const number = newNumber()
    const path = `/v2/applicant/employeenumber/${number}`
    const body = { primaryApplicant: applicant({ employeeNumber: number }) }
    assert.equal((await manager.send({ method: 'PUT', path, body })).status, 201)
    assert.equal((await manager.get(path)).body.employeeNumber, number)
    const viewer = await createPerson({ roles: ['viewer'] })
    assert.equal((await viewer.get(path)).status, 200)
    await expectProblem(viewer.send({ method: 'PUT', path, body }), 403, 'insufficient-scope')
    await expectProblem(viewer.get('/admin/v1/users'), 403, 'insufficient-scope')
    const { body: audit } = await get(
      `/admin/v1/audit?startDate=2020-01-01&endDate=2100-01-01&clientId=${encodeURIComponent(`user:${manager.user.userId}`)}`,
    )
    assert.ok(audit.records.some(({ action }: { action: string }) => action === 'session.created'))
    assert.ok(audit.records.some(({ action }: { action: string }) => action.startsWith('applicant.')))
  })

  it('changes nothing without an origin, or for another one', async () => {
    const manager = await createPerson({ roles: ['case-manager'] })
    const { cookie = '' } = manager.headers()
    const path = `/v2/applicant/employeenumber/${newNumber()}`
    const body = { primaryApplicant: applicant() }
    for (const headers of [
      { cookie },
      { cookie, origin: 'https://evil.example' },
      { cookie, origin: 'null' },
    ])
      await expectProblem(call({ method: 'PUT', path, body, scopes: null, headers }), 403, 'cross-origin')
    await expectProblem(manager.get(path), 404, 'applicant-not-found')
  })

  it('is read, listed and ended', async () => {
    const { user, ...person } = await createPerson()
    const other = createVisitor()
    await other.signIn(user.email)
    const { body: current } = await person.get(SESSION)
    assert.equal(current.user.userId, user.userId)
    const { body: sessions } = await person.get('/auth/v1/sessions')
    assert.deepEqual(
      sessions.map(({ sessionId, current: own }: { sessionId: string; current: boolean }) => [
        own,
        sessionId === current.sessionId,
      ]),
      [
        [false, false],
        [true, true],
      ],
    )
    const path = `/auth/v1/sessions/${encodeURIComponent(sessions[0].sessionId)}`
    assert.equal((await person.delete(path)).status, 204)
    await expectProblem(person.delete(path), 404, 'session-not-found')
    await expectProblem(other.get(SESSION), 401, 'session-required')
    const cookies = [...person.cookies]
    assert.equal((await person.delete(SESSION)).status, 204)
    assert.equal(person.cookies.size, 0)
    for (const [name, value] of cookies) person.cookies.set(name, value)
    await expectProblem(person.get(SESSION), 401, 'session-required')
  })
})

describe('POST /auth/v1/invitation', () => {
  it('sets the name and the password', async () => {
    const { user, token } = await inviteUser()
    const visitor = createVisitor()
    await expectInvalid(visitor.post('/auth/v1/invitation', { token, password: 'password1234' }), '/password')
    const body = { token, name: 'Ruth O.', password: PASSWORD }
    const accepted = await visitor.post('/auth/v1/invitation', body)
    assert.equal(accepted.status, 201)
    assert.equal(accepted.body.user.name, 'Ruth O.')
    await expectProblem(visitor.post('/auth/v1/invitation', body), 409, 'invitation-invalid')
    assert.equal((await createVisitor().signIn(user.email)).status, 201)
  })
})

describe('POST /auth/v1/password', () => {
  it('needs the current password, and ends all other sessions', async () => {
    const { user, ...person } = await createPerson()
    const other = createVisitor()
    await other.signIn(user.email)
    const change = (currentPassword: string, newPassword: string) =>
      person.post('/auth/v1/password', { currentPassword, newPassword })
    await expectProblem(change('not this password', OTHER_PASSWORD), 409, 'wrong-password')
    await expectInvalid(change(PASSWORD, 'short'), '/newPassword')
    assert.equal((await change(PASSWORD, OTHER_PASSWORD)).status, 204)
    await expectProblem(other.get(SESSION), 401, 'session-required')
    assert.equal((await person.get(SESSION)).status, 200)
    assert.equal((await createVisitor().signIn(user.email, OTHER_PASSWORD)).status, 201)
  })
})

describe('authenticator codes', () => {
  it('are set up, asked for after the password, and removed', async () => {
    const { user, ...person } = await createPerson()
    await expectProblem(person.post('/auth/v1/totp/confirm', { code: '123456' }), 409, 'totp-not-enrolled')
    await expectProblem(person.post('/auth/v1/totp/remove', { code: '123456' }), 409, 'totp-not-enrolled')
    const { body } = await person.post('/auth/v1/totp')
    const wrong = String((Number(totpCode(body.secret)) + 7) % 1_000_000).padStart(6, '0')
    await expectProblem(person.post('/auth/v1/totp/confirm', { code: wrong }), 409, 'wrong-code')
    const { usedCode, nextCode, recoveryCodes } = await enrolTotp(person)
    assert.equal(recoveryCodes.length, 10)
    await expectProblem(person.post('/auth/v1/totp'), 409, 'totp-enrolled')
    await expectProblem(person.post('/auth/v1/totp/confirm', { code: '123456' }), 409, 'totp-enrolled')

    const visitor = createVisitor()
    const first = await visitor.signIn(user.email)
    assert.equal(first.status, 200)
    assert.deepEqual(
      [first.body.next, first.body.methods, visitor.cookies.size],
      ['totp', ['totp', 'recovery-code'], 0],
    )
    const { challenge } = first.body
    await expectProblem(visitor.post(SESSION, { challenge, code: usedCode }), 401, 'sign-in-failed')
    const second = await visitor.post(SESSION, { challenge, code: nextCode })
    assert.equal(second.status, 201, JSON.stringify(second.body))

    const again = await visitor.signIn(user.email)
    const [recoveryCode = '', another = ''] = recoveryCodes
    const recovered = await visitor.post(SESSION, { challenge: again.body.challenge, recoveryCode })
    assert.equal(recovered.status, 201)
    assert.equal(recovered.body.credentials.recoveryCodes, 9)
    await expectProblem(visitor.post('/auth/v1/totp/remove', { recoveryCode }), 409, 'wrong-code')
    assert.equal((await visitor.post('/auth/v1/totp/remove', { recoveryCode: another })).status, 204)
    assert.equal((await createVisitor().signIn(user.email)).status, 201)
  })
})

describe('a passkey', () => {
  it('is added, signs in alone and after the password, and is removed', async () => {
    const { user, ...person } = await createPerson()
    const { authenticator, added } = await addPasskey(person)
    assert.equal(added.status, 201, JSON.stringify(added.body))
    const { body: list } = await person.get('/auth/v1/passkeys')
    assert.deepEqual(list, [added.body])

    const visitor = createVisitor()
    const { body } = await visitor.post('/auth/v1/passkey/options')
    const passkey = authenticator.get(body.options)
    const alone = await visitor.post(SESSION, { challenge: body.challenge, passkey })
    assert.equal(alone.status, 201, JSON.stringify(alone.body))
    assert.deepEqual([alone.body.method, alone.body.user.userId], ['passkey', user.userId])

    const first = await createVisitor().signIn(user.email)
    assert.deepEqual([first.status, first.body.next], [200, 'passkey'])
    const second = await visitor.post(SESSION, {
      challenge: first.body.challenge,
      passkey: authenticator.get(first.body.passkey),
    })
    assert.equal(second.body.method, 'password+passkey')

    const path = `/auth/v1/passkeys/${encodeURIComponent(added.body.passkeyId)}`
    assert.equal((await person.delete(path)).status, 204)
    await expectProblem(person.delete(path), 404, 'passkey-not-found')
    assert.equal((await createVisitor().signIn(user.email)).status, 201)
  })

  it('of another origin, or for a challenge that was used, is rejected', async () => {
    const person = await createPerson()
    const foreign = await addPasskey(person, createAuthenticator('https://evil.example'))
    assert.deepEqual([foreign.added.status, foreign.added.body.code], [409, 'passkey-rejected'])
    const body = { challenge: 'never', name: 'Laptop', response: {} }
    await expectProblem(person.post('/auth/v1/passkeys', body), 409, 'sign-in-expired')
  })
})

describe('the external issuer', () => {
  const skip = process.env['LOGIN_ISSUER']
    ? false
    : 'the service under test has no issuer that a test can use'

  it('signs a person in with the roles of the claim', { skip }, async () => {
    const visitor = createVisitor()
    const start = await visitor.get('/auth/v1/oidc/start')
    assert.equal(start.status, 303)
    const login = `${newEmail()}#auditor`
    const callback = new URL(await walkThrough(start.headers.get('location') ?? '', login))
    const back = await visitor.get(callback.pathname + callback.search)
    assert.deepEqual([back.status, back.headers.get('location')], [303, '../../../console'])
    const { body } = await visitor.get(SESSION)
    assert.deepEqual([body.method, body.user.roles], ['external-issuer', ['auditor']])
  })

  it('signs nobody in without a role, or for an answer that was not asked for', { skip }, async () => {
    const visitor = createVisitor()
    const start = await visitor.get('/auth/v1/oidc/start')
    const callback = new URL(await walkThrough(start.headers.get('location') ?? '', newEmail()))
    const back = await visitor.get(callback.pathname + callback.search)
    assert.equal(back.headers.get('location'), '../../../sign-in?error=issuer-no-role')
    const unasked = await createVisitor().get('/auth/v1/oidc/callback?code=x&state=y')
    assert.equal(unasked.headers.get('location'), '../../../sign-in?error=issuer-rejected')
    await expectProblem(visitor.get(SESSION), 401, 'session-required')
  })
})

describe('GET /auth/v1/methods and /sign-in', () => {
  it('list the ways to sign in, and show them', async () => {
    const { body } = await get('/auth/v1/methods', { scopes: null })
    assert.equal(body.passkey, true)
    const page = await get('/sign-in', { scopes: null })
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/)
    assert.equal(page.bytes.includes('password-form'), body.password)
    assert.equal(page.bytes.includes('oidc/start'), body.externalIssuer)
    for (const file of ['sign-in.js', 'sign-in.css'])
      assert.equal((await get(`/sign-in/${file}`, { scopes: null })).status, 200)
  })

  it('is for people: a token opens no session', async () => {
    await expectProblem(post('/auth/v1/totp', undefined), 401, 'session-required')
  })
})
