// Sign-in through a real issuer: oidc-provider in this process.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, generateKeyPair } from 'jose'
import { freePort } from '../../../scripts/free-port.ts'
import { startIssuer, walkThrough } from '../../../scripts/login-issuer.ts'
import { personOf, rolesIn } from '../../src/sign-in/external-login.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp } from '../support/harness.ts'
import { createPerson, createVisitor, newEmail, ORIGIN, PASSWORD, type Visitor } from '../support/people.ts'

const issuer = await startIssuer([ORIGIN])
after(() => issuer.stop())
const loginIssuer = {
  issuer: issuer.url,
  clientId: issuer.settings['LOGIN_OIDC_CLIENT_ID'] ?? '',
  clientSecret: issuer.settings['LOGIN_OIDC_CLIENT_SECRET'],
  rolesClaim: issuer.settings['LOGIN_OIDC_ROLES_CLAIM'] ?? '',
}
const test = await createTestApp({ config: { loginIssuer } })

const start = async (visitor: Visitor) => {
  const response = await visitor.call({ url: '/auth/v1/oidc/start' })
  assert.equal(response.status, 303, response.text)
  return String(response.headers['location'])
}
const pathOf = (url: string) => new URL(url).pathname + new URL(url).search

async function signIn(login: string, visitor = createVisitor(test)) {
  const callback = await walkThrough(await start(visitor), login)
  const response = await visitor.call({ url: pathOf(callback) })
  assert.equal(response.status, 303, response.text)
  return { visitor, callback, location: String(response.headers['location']) }
}
const userOf = async (visitor: Visitor) => (await visitor.call({ url: '/auth/v1/session' })).body?.user

describe('sign-in through the external issuer', () => {
  it('creates the user at the first sign-in, with the roles of the claim', async () => {
    const email = newEmail('zoe')
    const { visitor, location } = await signIn(`${email}#auditor,not-a-role`)
    assert.equal(location, '../../../console')
    const user = await userOf(visitor)
    assert.deepEqual([user.email, user.roles, user.companies], [email, ['auditor'], null])
    assert.equal((await visitor.call({ url: '/v2/case/health' })).status, 200)
    const again = await signIn(`${email}#auditor,not-a-role`)
    assert.equal((await userOf(again.visitor)).userId, user.userId)
    assert.equal((await again.visitor.call({ url: '/auth/v1/session' })).body.method, 'external-issuer')
  })

  it('is rejected where the ID token is not signed with a key of the issuer', async () => {
    const { publicKey } = await generateKeyPair('RS256')
    const key = { ...(await exportJWK(publicKey)), kid: 'another', alg: 'RS256', use: 'sig' }
    const forging = await startIssuer([ORIGIN], { jwks: { keys: [key] } })
    const other = await createTestApp({ config: { loginIssuer: { ...loginIssuer, issuer: forging.url } } })
    const visitor = createVisitor(other)
    const callback = await walkThrough(await start(visitor), `${newEmail()}#admin`)
    const { headers } = await visitor.call({ url: pathOf(callback) })
    assert.equal(headers['location'], '../../../sign-in?error=issuer-rejected')
    assert.equal((await visitor.call({ url: '/auth/v1/session' })).status, 401)
    await forging.stop()
  })

  it('sends state, nonce and a PKCE challenge, and none of their secrets', async () => {
    const url = new URL(await start(createVisitor(test)))
    const { searchParams: query } = url
    assert.equal(url.origin, issuer.url)
    assert.deepEqual(
      [query.get('response_type'), query.get('code_challenge_method'), query.get('redirect_uri')],
      ['code', 'S256', `${ORIGIN}/auth/v1/oidc/callback`],
    )
    for (const name of ['state', 'nonce', 'code_challenge'])
      assert.ok((query.get(name)?.length ?? 0) >= 43, name)
    assert.ok(!url.search.includes(loginIssuer.clientSecret ?? ''))
  })

  it('is rejected without a role, and leaves no user', async () => {
    for (const roles of ['', 'root', 'Admin']) {
      const email = newEmail('nobody')
      const { visitor, location } = await signIn(`${email}#${roles}`)
      assert.equal(location, '../../../sign-in?error=issuer-no-role')
      assert.equal(await userOf(visitor), undefined)
      const { body } = await test.call({ url: '/admin/v1/users' })
      assert.ok(!body.some((user: { email: string }) => user.email === email))
    }
  })

  it('is rejected for another browser than the one that began, and for a state or code that was used', async () => {
    const login = `${newEmail('eve')}#viewer`
    const began = createVisitor(test)
    const callback = await walkThrough(await start(began), login)
    const victim = createVisitor(test)
    const planted = await victim.call({ url: pathOf(callback) })
    assert.equal(planted.headers['location'], '../../../sign-in?error=issuer-rejected')
    assert.equal(await userOf(victim), undefined)
    await start(victim)
    const swapped = await victim.call({ url: pathOf(callback) })
    assert.equal(swapped.headers['location'], '../../../sign-in?error=issuer-rejected')

    const cookies = new Map(began.cookies)
    assert.equal((await began.call({ url: pathOf(callback) })).headers['location'], '../../../console')
    const replay = createVisitor(test)
    for (const [name, value] of cookies) replay.cookies.set(name, value)
    const replayed = await replay.call({ url: pathOf(callback) })
    assert.equal(replayed.headers['location'], '../../../sign-in?error=issuer-rejected')
  })

  it('is rejected when it takes too long, and when the person cancels', async () => {
    const late = createVisitor(test)
    const callback = await walkThrough(await start(late), `${newEmail()}#viewer`)
    test.clock.advance(301)
    const tooLate = await late.call({ url: pathOf(callback) })
    assert.equal(tooLate.headers['location'], '../../../sign-in?error=issuer-rejected')
    const visitor = createVisitor(test)
    const state = new URL(await start(visitor)).searchParams.get('state')
    const url = `/auth/v1/oidc/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(issuer.url)}`
    assert.equal((await visitor.call({ url })).headers['location'], '../../../sign-in?error=issuer-rejected')
    assert.match((await visitor.call({ url: '/sign-in?error=issuer-rejected' })).text, /was cancelled/)
  })

  it('links a known user by a verified address only', async () => {
    const { user } = await createPerson(test, { roles: ['viewer'] })
    const { visitor } = await signIn(`${user.email}#case-manager`)
    const linked = await userOf(visitor)
    assert.deepEqual([linked.userId, linked.roles], [user.userId, ['case-manager']])
    const other = await createPerson(test, { email: newEmail('unverified') })
    const claimed = await signIn(`${other.user.email}#admin`)
    assert.equal(claimed.location, '../../../sign-in?error=issuer-email-in-use')
    assert.equal(await userOf(claimed.visitor), undefined)
    const nameless = await signIn(`no-address-${Date.now()}#viewer`)
    assert.equal(nameless.location, '../../../sign-in?error=issuer-no-email')
  })

  it('links no user whose address only folds to the same one, or who is linked already', async () => {
    const { user } = await createPerson(test, { email: newEmail('gross').replace('gross', 'groß') })
    const folded = await signIn(`${user.email.replace('ß', 'ss')}#admin`)
    assert.equal(folded.location, '../../../sign-in?error=issuer-email-in-use')
    const email = newEmail('Anna')
    const first = await signIn(`${email}#viewer`)
    // Another subject, with the address in other case.
    const second = await signIn(`${email.toLowerCase()}#admin`)
    assert.equal(second.location, '../../../sign-in?error=issuer-email-in-use')
    const { userId, roles } = await userOf(first.visitor)
    assert.deepEqual(roles, ['viewer'])
    await test.call({ method: 'POST', url: `/admin/v1/users/${userId}/reset` })
    const third = await signIn(`${email.toLowerCase()}#auditor`)
    assert.deepEqual((await userOf(third.visitor)).userId, userId)
  })

  it('creates one user for two first sign-ins at the same time, beside an administrator too', async () => {
    for (const byAdmin of [false, true]) {
      const email = newEmail('twice')
      const visitors = [createVisitor(test), createVisitor(test)]
      const callbacks = await Promise.all(
        visitors.map(async visitor => walkThrough(await start(visitor), `${email}#viewer`)),
      )
      // Holds both back until the users of both are being inserted.
      const sent = await test.db.transaction(async tx => {
        await tx`lock table ${tx(byAdmin ? 'users' : 'user_identities')} in exclusive mode`
        const responses = visitors.map((visitor, index) =>
          visitor.call({ url: pathOf(callbacks[index] ?? '') }),
        )
        await sleep(500)
        if (byAdmin)
          await tx`
            insert into users (user_id, email, email_key, name, roles, created_at, updated_at)
            values (${`user-${email}`}, ${email}, ${email}, 'Zoe', '{viewer}', now(), now())`
        return () => Promise.all(responses)
      })
      for (const { status, headers } of await sent())
        assert.deepEqual([status, headers['location']], [303, '../../../console'])
      const ids = await Promise.all(visitors.map(async visitor => (await userOf(visitor)).userId))
      assert.equal(new Set(ids).size, 1)
      const sessions = await test.db.sql`select from sessions where user_id = ${ids[0]} and ended_at is null`
      assert.equal(sessions.length, 2)
    }
  })

  it('opens no session for a person whom a reset has unlinked meanwhile', async () => {
    const login = `${newEmail('reset')}#viewer`
    const { userId } = await userOf((await signIn(login)).visitor)
    const visitor = createVisitor(test)
    const callback = await walkThrough(await start(visitor), login)
    const sent = await test.db.transaction(async tx => {
      await tx`select from users where user_id = ${userId} for update`
      const response = visitor.call({ url: pathOf(callback) })
      await sleep(500)
      await tx`delete from user_identities where user_id = ${userId}`
      return () => response
    })
    assert.equal((await sent()).headers['location'], '../../../sign-in?error=issuer-rejected')
    assert.equal(await userOf(visitor), undefined)
  })

  it('is rejected for a user who is switched off', async () => {
    const login = `${newEmail('off')}#viewer`
    const { visitor } = await signIn(login)
    const { userId } = await userOf(visitor)
    await test.call({ method: 'PATCH', url: `/admin/v1/users/${userId}`, body: { active: false } })
    const again = await signIn(login)
    assert.equal(again.location, '../../../sign-in?error=issuer-user-inactive')
    assert.equal(await userOf(again.visitor), undefined)
  })

  it('takes the roles of each sign-in from the issuer', async () => {
    const login = `${newEmail('moved')}#viewer`
    const { visitor } = await signIn(login)
    const { userId } = await userOf(visitor)
    await test.call({ method: 'PATCH', url: `/admin/v1/users/${userId}`, body: { roles: ['admin'] } })
    assert.deepEqual((await userOf((await signIn(login)).visitor)).roles, ['viewer'])
  })

  it('without a role any more takes the roles of a known person, and ends the sessions', async () => {
    const { user, visitor: byPassword } = await createPerson(test, { roles: ['case-manager'] })
    const login = `${user.email}#case-manager`
    const { visitor } = await signIn(login)
    assert.equal((await byPassword.call({ url: '/v2/case/health' })).status, 200)
    issuer.setRoles(login, [])
    const { location } = await signIn(login)
    assert.equal(location, '../../../sign-in?error=issuer-no-role')
    for (const open of [visitor, byPassword])
      expectProblem(await open.call({ url: '/v2/case/health' }), { status: 401, code: 'session-required' })
    const { body: stored } = await test.call({ url: `/admin/v1/users/${user.userId}` })
    assert.deepEqual([stored.roles, stored.active], [[], true])
    const again = createVisitor(test)
    assert.equal((await again.signIn(user.email)).status, 201)
    expectProblem(await again.call({ url: '/v2/case/health' }), { status: 403, code: 'insufficient-scope' })
    const actions = await test.db.sql<{ action: string }[]>`
      select action from audit where record_id = ${user.userId} and action <> 'user.read' order by seq desc limit 4`
    assert.deepEqual(actions.map(({ action }) => action).reverse(), [
      'user.end_sessions',
      'user.write',
      'session.refused',
      'session.created',
    ])
    // The issuer gives them back.
    issuer.setRoles(login, ['viewer'])
    assert.deepEqual((await userOf((await signIn(login)).visitor)).roles, ['viewer'])
  })

  it('without a role any more leaves the last administrator the role', async () => {
    const other = await createTestApp({ config: { loginIssuer } })
    const login = `${newEmail('last')}#admin`
    const enter = async () => {
      const visitor = createVisitor(other)
      const response = await visitor.call({ url: '/auth/v1/oidc/start' })
      const callback = await walkThrough(String(response.headers['location']), login)
      const { headers } = await visitor.call({ url: pathOf(callback) })
      return { visitor, location: headers['location'] }
    }
    const { visitor } = await enter()
    const { userId } = await userOf(visitor)
    const rolesOf = async () => (await other.call({ url: `/admin/v1/users/${userId}` })).body.roles
    issuer.setRoles(login, [])
    assert.equal((await enter()).location, '../../../sign-in?error=issuer-no-role')
    assert.deepEqual(await rolesOf(), ['admin'])
    assert.equal(await userOf(visitor), undefined)
    await createPerson(other, { roles: ['admin'] })
    await enter()
    assert.deepEqual(await rolesOf(), [])
  })

  it('does not let a person without a password sign in by one', async () => {
    const email = newEmail('sso')
    await signIn(`${email}#viewer`)
    expectProblem(await createVisitor(test).signIn(email, PASSWORD), { status: 401, code: 'sign-in-failed' })
  })

  it('responds with 503 while the issuer does not, and works again afterwards', async () => {
    const port = await freePort()
    const down = await createTestApp({
      config: { loginIssuer: { ...loginIssuer, issuer: `http://localhost:${port}` } },
    })
    const response = await createVisitor(down).call({ url: '/auth/v1/oidc/start' })
    expectProblem(response, { status: 503, code: 'login-issuer-unavailable' })
    assert.equal(response.headers['retry-after'], '5')
    const back = await startIssuer([ORIGIN], { port })
    after(() => back.stop())
    assert.equal((await createVisitor(down).call({ url: '/auth/v1/oidc/start' })).status, 303)
  })

  it('is switched off where no issuer is configured', async () => {
    const without = await createTestApp()
    for (const url of ['/auth/v1/oidc/start', '/auth/v1/oidc/callback?code=x'])
      expectProblem(await createVisitor(without).call({ url }), { status: 409, code: 'sign-in-method-off' })
    assert.ok(!(await createVisitor(without).call({ url: '/sign-in' })).text.includes('oidc/start'))
    assert.ok((await createVisitor(test).call({ url: '/sign-in' })).text.includes('oidc/start'))
  })
})

describe('the person of an ID token and of userinfo', () => {
  it('has address and its verification from one of them', () => {
    const idToken = { iss: 'https://issuer', sub: 'x' }
    const of = (token: object, userInfo: object) => {
      const { email, isEmailVerified } = personOf({ ...idToken, ...token }, { ...userInfo }, 'roles')
      return [email, isEmailVerified]
    }
    const [email, other] = ['a@example.com', 'b@example.com']
    assert.deepEqual(of({ email_verified: true }, { email }), [email, false])
    assert.deepEqual(of({ email }, { email: other, email_verified: true }), [email, false])
    assert.deepEqual(of({ email_verified: false }, { email, email_verified: true }), [email, true])
    assert.deepEqual(of({ email, email_verified: true }, {}), [email, true])
  })
})

describe('the roles of a claim', () => {
  it('are a list or a text, without what is no role', () => {
    assert.deepEqual(rolesIn(['viewer', 'viewer', 'x', 1, null, 'admin']), ['viewer', 'admin'])
    assert.deepEqual(rolesIn('viewer auditor,case-manager root'), ['viewer', 'auditor', 'case-manager'])
    for (const claim of [undefined, null, 1, {}, '', 'constructor', { 0: 'admin' }])
      assert.deepEqual(rolesIn(claim), [], JSON.stringify(claim))
  })
})
