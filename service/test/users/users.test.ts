import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expectProblem, fieldErrorsOf } from '../support/expect-problem.ts'
import { createTestApp } from '../support/harness.ts'
import { createPerson, createVisitor, inviteUser, newEmail, PASSWORD } from '../support/people.ts'

const path = '/admin/v1/users'
const at = (userId: string) => `${path}/${encodeURIComponent(userId)}`

describe('the last administrator', () => {
  it('can neither be disabled nor demoted nor limited, and another can once there are two', async () => {
    const test = await createTestApp()
    const patch = (userId: string, body: object) => test.call({ method: 'PATCH', url: at(userId), body })
    const { user: first } = await createPerson(test, { roles: ['admin'] })
    for (const body of [{ active: false }, { roles: ['viewer'] }, { companies: [] }])
      expectProblem(await patch(first.userId, body), { status: 409, code: 'last-admin' })
    assert.equal((await patch(first.userId, { name: 'Ada', roles: ['admin', 'viewer'] })).status, 200)
    // An invitation may be lost: whoever has never signed in does not count.
    const { user: second, token } = await inviteUser(test, { roles: ['admin'] })
    expectProblem(await patch(first.userId, { active: false }), { status: 409, code: 'last-admin' })
    await createVisitor(test).post('/auth/v1/invitation', { token, password: PASSWORD })
    assert.equal((await patch(first.userId, { active: false })).status, 200)
    expectProblem(await patch(second.userId, { active: false }), { status: 409, code: 'last-admin' })
  })

  it('cannot reset itself, but can be reset by another caller', async () => {
    const test = await createTestApp()
    const { user, visitor } = await createPerson(test, { roles: ['admin'] })
    const path = `${at(user.userId)}/reset`
    expectProblem(await visitor.post(path, {}), { status: 409, code: 'last-admin' })
    await createPerson(test, { roles: ['admin'] })
    assert.equal((await visitor.post(path, {})).status, 200)
    assert.equal((await test.call({ method: 'POST', url: path })).status, 200)
  })

  it('remains when the last two are disabled at the same time', async () => {
    const test = await createTestApp()
    for (let round = 0; round < 5; round++) {
      const admins = [
        await createPerson(test, { roles: ['admin'] }),
        await createPerson(test, { roles: ['admin'] }),
      ]
      const others = (await test.call({ url: path })).body.filter(
        (user: { userId: string; active: boolean }) =>
          user.active && !admins.some(admin => admin.user.userId === user.userId),
      )
      for (const { userId } of others)
        await test.call({ method: 'PATCH', url: at(userId), body: { active: false } })
      const sent = await Promise.all(
        admins.map(({ user }) =>
          test.call({ method: 'PATCH', url: at(user.userId), body: { active: false } }),
        ),
      )
      assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 409])
      const { body } = await test.call({ url: path })
      assert.equal(body.filter(({ active }: { active: boolean }) => active).length, 1)
    }
  })

  it('that nobody has used yet is protected, too', async () => {
    const test = await createTestApp()
    const { user } = await inviteUser(test, { roles: ['admin'] })
    const response = await test.call({ method: 'PATCH', url: at(user.userId), body: { active: false } })
    expectProblem(response, { status: 409, code: 'last-admin' })
  })
})

describe('a caller', () => {
  it('gives no role whose scopes it lacks, and changes nobody who has more', async () => {
    const test = await createTestApp()
    const { user: admin } = await createPerson(test, { roles: ['admin'] })
    const scopes = ['access:write', 'applicants:read', 'cases:read', 'documents:read', 'desk:read'] as const
    const call = (method: 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
      test.call({ method, url, scopes: [...scopes], ...(body && { body }) })
    const create = (roles: string[]) => call('POST', path, { email: newEmail(), name: 'Ruth', roles })
    for (const role of ['case-manager', 'auditor', 'admin'])
      expectProblem(await create([role]), { status: 403, code: 'cannot-grant' })
    const made = await create(['viewer'])
    assert.equal(made.status, 201)
    expectProblem(await call('PATCH', at(made.body.userId), { roles: ['viewer', 'auditor'] }), {
      status: 403,
      code: 'cannot-grant',
    })
    assert.equal((await call('PATCH', at(made.body.userId), { name: 'Ruth Okafor' })).status, 200)
    for (const [method, url, body] of [
      ['PATCH', at(admin.userId), { roles: ['viewer'] }],
      ['PATCH', at(admin.userId), { active: false }],
      ['POST', `${at(admin.userId)}/invite`, undefined],
      ['POST', `${at(admin.userId)}/reset`, undefined],
      ['DELETE', `${at(admin.userId)}/sessions`, undefined],
    ] as const)
      expectProblem(await call(method, url, body), { status: 403, code: 'cannot-grant' })
  })

  it('that is limited to companies sees and makes only users of these companies', async () => {
    const test = await createTestApp()
    const company = async (name: string) =>
      (await test.call({ method: 'POST', url: '/admin/v1/companies', body: { name } })).body
        .companyId as string
    const [own, second, foreign] = [await company('Own'), await company('Second'), await company('Foreign')]
    const { visitor } = await createPerson(test, { roles: ['admin'], companies: [own, second] })
    const { user: unlimited } = await inviteUser(test, {})
    const { user: mixed } = await inviteUser(test, { companies: [own, foreign] })
    const { user: nobodys } = await inviteUser(test, { companies: [] })
    const { user: colleague } = await inviteUser(test, { companies: [second] })
    const create = (fields: object) =>
      visitor.post(path, { email: newEmail(), name: 'Ruth', roles: ['viewer'], ...fields })
    for (const companies of [undefined, null, [], [foreign], [own, foreign]])
      expectProblem(await create({ companies }), { status: 403, code: 'cannot-grant' })
    const made = await create({ companies: [own] })
    assert.equal(made.status, 201, made.text)
    const listed = (await visitor.call({ url: path })).body.map(({ userId }: { userId: string }) => userId)
    assert.ok(listed.includes(colleague.userId) && listed.includes(made.body.userId))
    for (const { userId } of [unlimited, mixed, nobodys]) {
      assert.ok(!listed.includes(userId))
      expectProblem(await visitor.call({ url: at(userId) }), { status: 404, code: 'user-not-found' })
      const change = { method: 'PATCH', url: at(userId), body: { active: false } } as const
      expectProblem(await visitor.call(change), { status: 404, code: 'user-not-found' })
    }
    const widen = { method: 'PATCH', url: at(colleague.userId), body: { companies: null } } as const
    expectProblem(await visitor.call(widen), { status: 403, code: 'cannot-grant' })
    assert.equal((await visitor.call({ ...widen, body: { companies: [own, second] } })).status, 200)
    const me = await visitor.call({ url: '/admin/v1/me' })
    assert.deepEqual(me.body.companies, [own, second])
  })

  it('that is limited to companies makes many users at once', async () => {
    const test = await createTestApp()
    const { body: company } = await test.call({
      method: 'POST',
      url: '/admin/v1/companies',
      body: { name: 'Own' },
    })
    const companies = [company.companyId as string]
    const { visitor } = await createPerson(test, { roles: ['admin'], companies })
    // More than the connections of limited callers: a request that needed two of them would wait for ever.
    const made = await Promise.all(
      Array.from({ length: 20 }, () =>
        visitor.post(path, { email: newEmail(), name: 'Ruth', roles: ['viewer'], companies }),
      ),
    )
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]))
  })

  it('names companies that exist', async () => {
    const test = await createTestApp()
    const response = await test.call({
      method: 'POST',
      url: path,
      body: { email: newEmail(), name: 'Ruth', roles: ['viewer'], companies: ['nothing', 'has', 'these'] },
    })
    expectProblem(response, { status: 422, code: 'unknown-company' })
    assert.deepEqual(Object.keys(fieldErrorsOf(response)), ['/companies/0', '/companies/1', '/companies/2'])
  })
})

describe('a person who was switched off', () => {
  it('has no invitation and no calendar once switched on again, but the password', async () => {
    const test = await createTestApp()
    const { user, visitor } = await createPerson(test)
    const calendar = new URL((await visitor.post('/admin/v1/me/calendar')).body.url).pathname
    assert.equal((await createVisitor(test).call({ url: calendar })).status, 200)
    const url = `/admin/v1/users/${user.userId}`
    const { body } = await test.call({ method: 'POST', url: `${url}/invite` })
    const token = new URL(body.invitation.url).searchParams.get('invitation')
    for (const active of [false, true])
      assert.equal((await test.call({ method: 'PATCH', url, body: { active } })).status, 200)
    expectProblem(await createVisitor(test).post('/auth/v1/invitation', { token, password: PASSWORD }), {
      status: 409,
      code: 'invitation-invalid',
    })
    assert.equal((await createVisitor(test).call({ url: calendar })).status, 404)
    assert.equal((await createVisitor(test).signIn(user.email)).status, 201)
  })
})

describe('the first administrator', () => {
  it('is made by the link of the server, which works once and while there is no user', async () => {
    const test = await createTestApp()
    const [one, two] = [await test.invitations.createFirst(), await test.invitations.createFirst()]
    const visitor = createVisitor(test)
    const page = await visitor.call({ url: `/sign-in?invitation=${one?.token}` })
    assert.match(page.text, /id="email"/)
    const missing = await visitor.post('/auth/v1/invitation', { token: one?.token, password: PASSWORD })
    assert.deepEqual(Object.keys(fieldErrorsOf(missing)), ['/email', '/name'])
    const accept = (token: string | undefined) =>
      visitor.post('/auth/v1/invitation', {
        token,
        email: newEmail(),
        name: 'Ada Brandt',
        password: PASSWORD,
      })
    const sent = await Promise.all([accept(one?.token), accept(two?.token), accept(one?.token)])
    assert.deepEqual(sent.map(({ status }) => status).sort(), [201, 409, 409])
    const { body: users } = await test.call({ url: path })
    assert.equal(users.length, 1)
    assert.deepEqual([users[0].roles, users[0].companies], [['admin'], null])
    assert.equal(await test.invitations.createFirst(), undefined)
  })

  it('has 15 minutes', async () => {
    const test = await createTestApp()
    const invitation = await test.invitations.createFirst()
    test.clock.advance(15 * 60 + 1)
    const body = { token: invitation?.token, email: newEmail(), name: 'Ada', password: PASSWORD }
    expectProblem(await createVisitor(test).post('/auth/v1/invitation', body), {
      status: 409,
      code: 'invitation-invalid',
    })
    assert.match(
      (await createVisitor(test).call({ url: `/sign-in?invitation=${invitation?.token}` })).text,
      /was used already, or has expired/,
    )
  })
})

describe('an invitation by the server', () => {
  it('makes an administrator, and lets a known user in again', async () => {
    const test = await createTestApp()
    const email = newEmail()
    const { token } = await test.invitations.createFor(email)
    const accepted = await createVisitor(test).post('/auth/v1/invitation', {
      token,
      name: 'Ada',
      password: PASSWORD,
    })
    assert.equal(accepted.status, 201)
    assert.deepEqual(accepted.body.user.roles, ['admin'])
    const { user } = await createPerson(test, { roles: ['viewer'] })
    const again = await test.invitations.createFor(user.email.toUpperCase())
    const body = { token: again.token, password: 'seven umbrellas on Tuesday' }
    const known = await createVisitor(test).post('/auth/v1/invitation', body)
    assert.deepEqual(
      [known.status, known.body.user.userId, known.body.user.roles],
      [201, user.userId, ['viewer']],
    )
  })

  it('is rejected for what is no address, and for a user who is switched off', async () => {
    const test = await createTestApp()
    for (const email of ['', 'ruth', '--demo', 'a b@c'])
      await assert.rejects(test.invitations.createFor(email), /expected an e-mail address/)
    const { user } = await inviteUser(test)
    await test.call({ method: 'PATCH', url: at(user.userId), body: { active: false } })
    await assert.rejects(test.invitations.createFor(user.email), /switched off/)
  })
})

describe('the page /sign-in', () => {
  it('escapes what people have chosen, and has no inline script or style', async () => {
    const test = await createTestApp()
    const name = '<script>alert(1)</script>"\'&'
    const { token } = await inviteUser(test, { name })
    const visitor = createVisitor(test)
    const invitation = await visitor.call({ url: `/sign-in?invitation=${token}` })
    await visitor.post('/auth/v1/invitation', { token, password: PASSWORD })
    const signedIn = await visitor.call({ url: '/sign-in' })
    assert.match(signedIn.text, /You are signed in as/)
    for (const { text, headers } of [
      invitation,
      signedIn,
      await createVisitor(test).call({ url: '/sign-in?error=<b>&invitation="><script>' }),
    ]) {
      assert.ok(!/<script>|<b>|style=|onclick=/i.test(text), text)
      assert.match(
        String(headers['content-security-policy']),
        /default-src 'none'; script-src 'self'; style-src 'self'/,
      )
      assert.ok(!String(headers['content-security-policy']).includes('unsafe'))
      assert.equal(headers['cache-control'], 'no-store')
    }
  })
})
