// Users: people who sign in, with their roles and companies.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { company, UNKNOWN_ID } from './case-factories.ts'
import { call, credentials } from './client.ts'
import { expectInvalid, expectOk, expectProblem, type Fields, get, patch, post } from './people.ts'
import {
  createPerson,
  createVisitor,
  inviteUser,
  newEmail,
  PASSWORD,
  tokenIn,
  USERS,
  userAt,
} from './visitors.ts'

const ROLES = ['viewer', 'case-manager', 'auditor', 'admin']
/** A token that may change users, and has no other scope to give. */
const poor = { scopes: ['access:write'] }

describe('POST /admin/v1/users', () => {
  it('responds with 201, the user, its Location and a link that works once', async () => {
    const { companyId } = await company()
    const body = { email: newEmail(), name: 'Ruth Okafor', roles: ['case-manager'], companies: [companyId] }
    const response = await post(USERS, body)
    assert.equal(response.status, 201)
    const { userId, createdAt, updatedAt, invitation, ...rest } = response.body
    assert.deepEqual(rest, { ...body, active: true, joinedAt: null })
    assert.match(userId, /^[A-Za-z0-9_-]{23}=$/)
    assert.equal(updatedAt, createdAt)
    assert.match(invitation.url, /^http:\/\/[^/]+\/sign-in\?invitation=[\w-]{43}$/)
    const lifetime = Date.parse(invitation.expiresAt) - Date.parse(createdAt)
    assert.equal(lifetime, 72 * 3_600_000)
    const read = await get(response.headers.get('location') ?? '')
    assert.equal(read.body.userId, userId)
    assert.equal(read.body.invitation, undefined)
    const token = tokenIn(invitation)
    assert.equal(
      (await createVisitor().post('/auth/v1/invitation', { token, password: PASSWORD })).status,
      201,
    )
    await expectProblem(
      createVisitor().post('/auth/v1/invitation', { token, password: PASSWORD }),
      409,
      'invitation-invalid',
    )
  })

  it('rejects an address in use, without regard to case', async () => {
    const { user } = await inviteUser()
    const body = { email: user.email.toUpperCase(), name: 'Other', roles: ['viewer'] }
    await expectProblem(post(USERS, body), 409, 'email-in-use')
  })

  it('rejects an invalid body, and reports its errors', async () => {
    await expectInvalid(post(USERS, {}), '/email', '/name', '/roles')
    const wrong = { email: 'ruth', name: ' ', roles: ['root'], companies: 'all', userId: UNKNOWN_ID }
    await expectInvalid(post(USERS, wrong), '/email', '/name', '/roles/0', '/companies', '/userId')
    await expectInvalid(post(USERS, { email: newEmail(), name: 'Ruth', roles: [] }), '/roles')
  })

  it('rejects companies that do not exist', async () => {
    const body = { email: newEmail(), name: 'Ruth', roles: ['viewer'], companies: [UNKNOWN_ID] }
    await expectProblem(post(USERS, body), 422, 'unknown-company')
  })

  it('gives no role that the caller lacks', async () => {
    for (const role of ROLES) {
      const body = { email: newEmail(), name: 'Ruth', roles: [role] }
      await expectProblem(post(USERS, body, poor), 403, 'cannot-grant')
    }
  })
})

describe('GET /admin/v1/users', () => {
  it('lists all users, and reads one', async () => {
    const { user } = await inviteUser()
    const { body } = await get(USERS)
    const read = await get(userAt(user.userId))
    assert.deepEqual(
      body.find((one: Fields) => one['userId'] === user.userId),
      read.body,
    )
    const etag = read.headers.get('etag') ?? ''
    assert.equal((await get(userAt(user.userId), { headers: { 'if-none-match': etag } })).status, 304)
    for (const id of [UNKNOWN_ID, 'x', '\0', 'a/b'])
      await expectProblem(get(userAt(id)), 404, 'user-not-found')
  })
})

describe('GET /admin/v1/colleagues', () => {
  const names = async (person: { get: typeof get }) => {
    const { status, body } = await person.get('/admin/v1/colleagues')
    assert.equal(status, 200)
    return body as Fields[]
  }

  it('lists the names of active users to people who may read the lists of the desk', async () => {
    const manager = await createPerson({ roles: ['case-manager'] })
    const { user } = await inviteUser({ name: 'Noor Haddad' })
    const found = (await names(manager)).find(({ userId }) => userId === user.userId)
    assert.deepEqual(found, { userId: user.userId, name: 'Noor Haddad' })
    await expectOk(patch(userAt(user.userId), { active: false }))
    assert.ok(!(await names(manager)).some(({ userId }) => userId === user.userId))
  })

  it('gives a limited caller only the users of its companies', async () => {
    const [own, other] = [await company(), await company()]
    const person = await createPerson({ roles: ['viewer'], companies: [own.companyId] })
    const { user: colleague } = await inviteUser({ companies: [own.companyId] })
    const { user: stranger } = await inviteUser({ companies: [own.companyId, other.companyId] })
    const ids = (await names(person)).map(({ userId }) => userId)
    assert.ok(ids.includes(colleague.userId) && ids.includes(person.user.userId))
    assert.ok(!ids.includes(stranger.userId))
  })

  it('is rejected without the scope of the desk', async () => {
    await expectProblem(get('/admin/v1/colleagues', poor), 403, 'insufficient-scope')
  })
})

describe('PATCH /admin/v1/users/{userId}', () => {
  it('changes only the fields in the body', async () => {
    const { user } = await inviteUser()
    const { companyId } = await company()
    let expected = (await get(userAt(user.userId))).body
    for (const change of [
      { name: 'Ruth O.' },
      { roles: ['auditor', 'case-manager'] },
      { companies: [companyId] },
      { companies: null },
      { active: false },
    ] as Fields[]) {
      const changed = await patch(userAt(user.userId), change)
      assert.equal(changed.status, 200)
      expected = { ...expected, ...change, updatedAt: changed.body.updatedAt }
      assert.deepEqual(changed.body, expected)
    }
    const same = await patch(userAt(user.userId), { active: false })
    assert.deepEqual(same.body, expected)
  })

  it('is accepted only for the version that If-Match names', async () => {
    const { user } = await inviteUser()
    const headers = { 'if-match': (await get(userAt(user.userId))).headers.get('etag') ?? '' }
    assert.equal((await patch(userAt(user.userId), { name: 'One' }, { headers })).status, 200)
    await expectProblem(patch(userAt(user.userId), { name: 'Two' }, { headers }), 412, 'version-mismatch')
  })

  it('rejects an invalid body, an unknown user, and roles that the caller lacks', async () => {
    const { user } = await inviteUser()
    const wrong = { name: '', roles: [], companies: [1], active: null, email: 'new@example.com' }
    await expectInvalid(
      patch(userAt(user.userId), wrong),
      '/name',
      '/roles',
      '/companies/0',
      '/active',
      '/email',
    )
    await expectProblem(patch(userAt(UNKNOWN_ID), { active: false }), 404, 'user-not-found')
    await expectProblem(patch(userAt(user.userId), { companies: [UNKNOWN_ID] }), 422, 'unknown-company')
    await expectProblem(patch(userAt(user.userId), { roles: ['admin'] }, poor), 403, 'cannot-grant')
  })

  it('signs a person out who is disabled', async () => {
    const person = await createPerson()
    assert.equal((await person.get('/v2/case/health')).status, 200)
    await expectOk(patch(userAt(person.user.userId), { active: false }))
    await expectProblem(person.get('/v2/case/health'), 401, 'session-required')
    await expectProblem(person.signIn(person.user.email), 401, 'sign-in-failed')
  })

  it('keeps the last active administrator', async t => {
    const { body } = await get(USERS)
    if (body.some(({ roles, active }: Fields) => active && roles.includes('admin')))
      return t.skip('another administrator exists in this service')
    const admin = await createPerson({ roles: ['admin'] })
    const path = userAt(admin.user.userId)
    for (const change of [{ active: false }, { roles: ['viewer'] }])
      await expectProblem(patch(path, change), 409, 'last-admin')
    await expectProblem(admin.post(`${path}/reset`, {}), 409, 'last-admin')
  })
})

describe('POST /admin/v1/users/{userId}/invite and /reset', () => {
  for (const verb of ['invite', 'reset'])
    it(`${verb} returns a new link, and rejects an unknown user and a caller with less`, async () => {
      const { user, token } = await inviteUser()
      const response = await call({ method: 'POST', path: `${userAt(user.userId)}/${verb}` })
      assert.equal(response.status, 200)
      const next = tokenIn(response.body.invitation)
      await expectProblem(
        createVisitor().post('/auth/v1/invitation', { token, password: PASSWORD }),
        409,
        'invitation-invalid',
      )
      const accepted = await createVisitor().post('/auth/v1/invitation', { token: next, password: PASSWORD })
      assert.equal(accepted.status, 201)
      const path = `${userAt(UNKNOWN_ID)}/${verb}`
      await expectProblem(call({ method: 'POST', path }), 404, 'user-not-found')
      const poorCall = call({ method: 'POST', path: `${userAt(user.userId)}/${verb}`, ...poor })
      await expectProblem(poorCall, 403, 'cannot-grant')
    })

  for (const verb of ['invite', 'reset']) {
    it(`${verb} returns no link for a user who is switched off`, async () => {
      const { user } = await inviteUser()
      await expectOk(patch(userAt(user.userId), { active: false }))
      const again = () => call({ method: 'POST', path: `${userAt(user.userId)}/${verb}` })
      await expectProblem(again(), 409, 'user-inactive')
      await expectOk(patch(userAt(user.userId), { active: true }))
      await expectOk(again())
    })

    it(`${verb} returns the same link for the same Idempotency-Key`, async () => {
      const { user } = await inviteUser()
      const headers = { 'idempotency-key': randomUUID() }
      const send = ({ userId } = user) => call({ method: 'POST', path: `${userAt(userId)}/${verb}`, headers })
      const first = await expectOk(send())
      assert.deepEqual(await expectOk(send()), first)
      await expectProblem(send((await inviteUser()).user), 422, 'idempotency-key-reused')
      const next = await expectOk(call({ method: 'POST', path: `${userAt(user.userId)}/${verb}` }))
      assert.notEqual(next.invitation.url, first.invitation.url)
    })
  }

  it('reset removes the password and ends the sessions', async () => {
    const person = await createPerson()
    await expectOk(call({ method: 'POST', path: `${userAt(person.user.userId)}/reset` }))
    await expectProblem(person.get('/auth/v1/session'), 401, 'session-required')
    await expectProblem(person.signIn(person.user.email), 401, 'sign-in-failed')
  })
})

describe('DELETE /admin/v1/users/{userId}/sessions', () => {
  it('signs the person out everywhere, who can sign in again', async () => {
    const person = await createPerson()
    const other = createVisitor()
    assert.equal((await other.signIn(person.user.email)).status, 201)
    const path = `${userAt(person.user.userId)}/sessions`
    assert.equal((await call({ method: 'DELETE', path })).status, 204)
    for (const { get: read } of [person, other])
      await expectProblem(read('/auth/v1/session'), 401, 'session-required')
    assert.equal((await person.signIn(person.user.email)).status, 201)
    await expectProblem(call({ method: 'DELETE', path, ...poor }), 403, 'cannot-grant')
    const unknown = `${userAt(UNKNOWN_ID)}/sessions`
    await expectProblem(call({ method: 'DELETE', path: unknown }), 404, 'user-not-found')
  })
})

describe('GET /admin/v1/me', () => {
  it('returns the client of a token', async () => {
    const { body } = await get('/admin/v1/me', { scopes: ['cases:read'] })
    const { name, ...rest } = body
    assert.deepEqual(rest, {
      clientId: credentials.clientId,
      userId: null,
      roles: [],
      scopes: ['cases:read'],
      companies: null,
    })
    assert.ok(name)
  })

  it('returns the person of a session', async () => {
    const { companyId } = await company()
    const { user, ...person } = await createPerson({ roles: ['auditor'], companies: [companyId] })
    const { body } = await person.get('/admin/v1/me')
    const { scopes, ...rest } = body
    assert.deepEqual(rest, {
      clientId: `user:${user.userId}`,
      userId: user.userId,
      name: user.name,
      roles: ['auditor'],
      companies: [companyId],
    })
    assert.ok(scopes.includes('audit:read') && !scopes.includes('applicants:write'))
  })
})
