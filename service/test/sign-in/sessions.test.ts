import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from '../../src/app.ts'
import { openRepositories } from '../../src/blobs/open-repository.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp, silent, testSealer } from '../support/harness.ts'
import { createPerson, createVisitor, inviteUser, newEmail, ORIGIN, PASSWORD } from '../support/people.ts'

// The clock moves by days: the token of the administrator must outlive that.
const test = await createTestApp({ config: { tokenTtl: 365 * 86_400 } })
const HEALTH = '/v2/case/health'
const HOUR = 3600

const patchUser = (userId: string, body: object) =>
  test.call({ method: 'PATCH', url: `/admin/v1/users/${userId}`, body })
const auditOf = async (recordId: string): Promise<string[]> => {
  const rows = await test.db.sql<{ action: string; clientId: string }[]>`
    select action, client_id as "clientId" from audit where record_id = ${recordId} order by seq`
  return rows.map(({ action, clientId }) => `${action} ${clientId}`)
}

describe('a session', () => {
  it('is a cookie that scripts cannot read, and the database has only its hash', async () => {
    const { user, visitor } = await createPerson(test)
    const response = await createVisitor(test).signIn(user.email)
    assert.equal(response.status, 201)
    assert.match(
      String(response.headers['set-cookie']),
      /^caseport=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
    )
    const token = visitor.cookies.get('caseport') ?? ''
    const [found] = await test.db.sql`
      select count(*)::integer as count from sessions s where s::text like ${`%${token}%`}`
    assert.equal(found?.['count'], 0)
    assert.deepEqual(
      (await auditOf(user.userId)).filter(line => line.startsWith('session')),
      [`session.created user:${user.userId}`, `session.created user:${user.userId}`],
    )
  })

  it('is replaced when the same browser signs in again', async () => {
    const { user, visitor } = await createPerson(test)
    const before = new Map(visitor.cookies)
    assert.equal((await visitor.call({ url: HEALTH })).status, 200)
    assert.equal((await visitor.signIn(user.email)).status, 201)
    assert.notDeepEqual(visitor.cookies, before)
    assert.equal((await visitor.call({ url: '/auth/v1/sessions' })).body.length, 1)
    const old = createVisitor(test)
    for (const [name, value] of before) old.cookies.set(name, value)
    expectProblem(await old.call({ url: HEALTH }), { status: 401, code: 'session-required' })
  })

  it('is in the audit with its method, and when another one replaces it', async () => {
    const first = await createPerson(test)
    const second = await createPerson(test)
    await first.visitor.signIn(second.user.email)
    const entries = async ({ userId }: { userId: string }) => {
      const rows = await test.db.sql<{ action: string; clientId: string; after: unknown }[]>`
        select action, client_id as "clientId", changes->0->>'after' as after from audit
        where record_id = ${userId} and action like 'session.%' order by seq`
      return rows.map(({ action, clientId, after }) => [action, clientId, after])
    }
    const [one, two] = [`user:${first.user.userId}`, `user:${second.user.userId}`]
    assert.deepEqual(await entries(first.user), [
      ['session.created', one, 'invitation'],
      ['session.ended', two, null],
    ])
    assert.deepEqual(await entries(second.user), [
      ['session.created', two, 'invitation'],
      ['session.created', two, 'password'],
    ])
  })

  it('opens the routes of the roles, and no others', async () => {
    const { visitor } = await createPerson(test, { roles: ['viewer'] })
    assert.equal((await visitor.call({ url: HEALTH })).status, 200)
    const me = await visitor.call({ url: '/admin/v1/me' })
    assert.deepEqual(me.body.scopes.sort(), ['applicants:read', 'cases:read', 'desk:read', 'documents:read'])
    const applicant = { primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt' } }
    expectProblem(await visitor.post('/v2/applicant', applicant), { status: 403, code: 'insufficient-scope' })
    const manager = await createPerson(test, { roles: ['case-manager'] })
    assert.equal((await manager.visitor.post('/v2/applicant', applicant)).status, 201)
    expectProblem(await manager.visitor.call({ url: '/admin/v1/users' }), {
      status: 403,
      code: 'insufficient-scope',
    })
  })

  it('of a form that the service does not make is rejected without a lookup', async () => {
    const { visitor } = await createPerson(test)
    const token = visitor.cookies.get('caseport') ?? ''
    await test.db.transaction(async tx => {
      // A lookup would wait for the end of this transaction.
      await tx`lock table sessions in access exclusive mode`
      for (const cookie of ['x', token.slice(1), `${token}x`, token.replace(/.$/, '!')]) {
        visitor.cookies.set('caseport', cookie)
        for (const url of [HEALTH, '/auth/v1/session']) {
          const response = await Promise.race([visitor.call({ url }), sleep(2_000)])
          assert.ok(response, `a lookup of ${cookie.length} characters`)
          expectProblem(response, { status: 401, code: 'session-required' })
        }
      }
    })
    visitor.cookies.set('caseport', token)
    assert.equal((await visitor.call({ url: HEALTH })).status, 200)
  })

  it('is ignored where an access token is sent, good or bad', async () => {
    const { visitor } = await createPerson(test, { roles: ['admin'] })
    const authorization = `Bearer ${await test.token(['documents:read'])}`
    const response = await visitor.call({ url: HEALTH, headers: { authorization } })
    expectProblem(response, { status: 403, code: 'insufficient-scope' })
    expectProblem(await visitor.call({ url: HEALTH, headers: { authorization: 'Bearer nothing' } }), {
      status: 401,
      code: 'invalid-token',
    })
  })

  it('does not open routes that need an API key, which a person does not have', async () => {
    const { visitor } = await createPerson(test, { roles: ['admin'] })
    const response = await visitor.post('/v2/applicant/employeenumber/E-1/E-2', {})
    expectProblem(response, { status: 401, code: 'token-required' })
  })

  it('changes nothing for a page of another origin', async () => {
    const { visitor } = await createPerson(test, { roles: ['case-manager'] })
    const applicant = { primaryApplicant: { firstName: 'Anna', lastName: 'Schmidt' } }
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:8081', 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      const response = await visitor.call({ method: 'POST', url: '/v2/applicant', body: applicant, headers })
      expectProblem(response, { status: 403, code: 'cross-origin' })
    }
    const end = {
      method: 'DELETE',
      url: '/auth/v1/session',
      headers: { origin: 'http://evil.example' },
    } as const
    expectProblem(await visitor.call(end), { status: 403, code: 'cross-origin' })
    assert.equal((await visitor.call({ url: HEALTH })).status, 200)
  })

  it('ends after twelve hours without a request', async () => {
    const { visitor } = await createPerson(test)
    for (let count = 0; count < 3; count++) {
      test.clock.advance(11 * HOUR)
      assert.equal((await visitor.call({ url: HEALTH })).status, 200)
      await sleep(2_600)
    }
    test.clock.advance(12 * HOUR + 1)
    const response = await visitor.call({ url: HEALTH })
    expectProblem(response, { status: 401, code: 'session-required' })
    assert.equal(response.headers['www-authenticate'], 'Cookie realm="caseport"')
  })

  it('ends after seven days at the latest, also while its lookup is cached', async () => {
    const { user, visitor } = await createPerson(test)
    const created = test.clock.now()
    // As if the person had worked for all of the seven days.
    await test.db.sql`update sessions set last_seen_at = ${new Date(created.getTime() + 167.9 * HOUR * 1000)}
      where user_id = ${user.userId}`
    test.clock.advance(168 * HOUR - 2)
    assert.equal((await visitor.call({ url: HEALTH })).status, 200)
    const { body } = await visitor.call({ url: '/auth/v1/session' })
    assert.equal(body.expiresAt, new Date(created.getTime() + 168 * HOUR * 1000).toISOString())
    test.clock.advance(2)
    expectProblem(await visitor.call({ url: HEALTH }), { status: 401, code: 'session-required' })
  })

  it('is seen at most once a minute', async () => {
    const { user, visitor } = await createPerson(test)
    const seen = async () => {
      const [row] = await test.db.sql<{ at: Date }[]>`
        select last_seen_at as at from sessions where user_id = ${user.userId}`
      return row?.at.getTime()
    }
    const first = await seen()
    test.clock.advance(59)
    await visitor.call({ url: HEALTH })
    assert.equal(await seen(), first)
    test.clock.advance(2)
    await sleep(2_600)
    await visitor.call({ url: HEALTH })
    // The response does not wait for it.
    for (let tries = 0; (await seen()) === first && tries < 100; tries++) await sleep(20)
    assert.equal(await seen(), test.clock.now().getTime())
  })

  it('is listed and ended, one or all', async () => {
    const { user, visitor } = await createPerson(test)
    const other = createVisitor(test)
    await other.call({ url: '/sign-in' })
    assert.equal((await other.signIn(user.email, PASSWORD, '203.0.113.5')).status, 201)
    const { body } = await visitor.call({ url: '/auth/v1/sessions' })
    assert.deepEqual(
      body.map(({ address, current }: { address: string; current: boolean }) => [address, current]).sort(),
      [
        ['127.0.0.1', true],
        ['203.0.113.5', false],
      ],
    )
    const { sessionId } = body.find(({ current }: { current: boolean }) => !current)
    const stranger = await createPerson(test)
    const url = `/auth/v1/sessions/${encodeURIComponent(sessionId)}`
    expectProblem(await stranger.visitor.call({ method: 'DELETE', url }), {
      status: 404,
      code: 'session-not-found',
    })
    assert.equal((await other.call({ url: HEALTH })).status, 200)
    assert.equal((await visitor.call({ method: 'DELETE', url })).status, 204)
    expectProblem(await other.call({ url: HEALTH }), { status: 401, code: 'session-required' })
    assert.equal((await visitor.call({ url: HEALTH })).status, 200)

    const stolen = new Map(visitor.cookies)
    assert.equal((await visitor.call({ method: 'DELETE', url: '/auth/v1/session' })).status, 204)
    assert.equal(visitor.cookies.size, 0)
    for (const [name, value] of stolen) visitor.cookies.set(name, value)
    expectProblem(await visitor.call({ url: HEALTH }), { status: 401, code: 'session-required' })
  })

  it('ends everywhere when an administrator says so, and when the user is switched off', async () => {
    const { user, visitor } = await createPerson(test)
    assert.equal((await visitor.call({ url: HEALTH })).status, 200)
    const url = `/admin/v1/users/${user.userId}/sessions`
    assert.equal((await test.call({ method: 'DELETE', url })).status, 204)
    expectProblem(await visitor.call({ url: HEALTH }), { status: 401, code: 'session-required' })

    assert.equal((await visitor.signIn(user.email)).status, 201)
    assert.equal((await patchUser(user.userId, { active: false })).status, 200)
    expectProblem(await visitor.call({ url: HEALTH }), { status: 401, code: 'session-required' })
    expectProblem(await visitor.signIn(user.email), { status: 401, code: 'sign-in-failed' })
    assert.equal((await patchUser(user.userId, { active: true })).status, 200)
    expectProblem(await visitor.call({ url: HEALTH }), { status: 401, code: 'session-required' })
    assert.equal((await visitor.signIn(user.email)).status, 201)
  })

  it('has new roles at once', async () => {
    const { user, visitor } = await createPerson(test)
    assert.equal((await visitor.call({ url: HEALTH })).status, 200)
    await patchUser(user.userId, { roles: ['admin'] })
    assert.equal((await visitor.call({ url: '/admin/v1/users' })).status, 200)
    await patchUser(user.userId, { roles: ['viewer'] })
    expectProblem(await visitor.call({ url: '/admin/v1/users' }), { status: 403, code: 'insufficient-scope' })
  })

  it('is rejected by another service on the same database within five seconds', {
    timeout: 20_000,
  }, async () => {
    const other = buildApp({
      config: test.config,
      db: test.db,
      sealer: testSealer,
      blobs: await openRepositories(test.config.repositories),
      clock: test.clock,
      log: silent,
    })
    await other.start()
    after(() => other.app.close())
    const { user, visitor } = await createPerson(test)
    const elsewhere = createVisitor(test, other.app)
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value)
    assert.equal((await elsewhere.call({ url: HEALTH })).status, 200)
    await patchUser(user.userId, { active: false })
    const begun = performance.now()
    while ((await elsewhere.call({ url: HEALTH })).status === 200) await sleep(50)
    assert.ok(performance.now() - begun < 5_000)
    expectProblem(await elsewhere.call({ url: HEALTH }), { status: 401, code: 'session-required' })
  })
})

describe('POST /auth/v1/session', () => {
  it('and the other operations of the sign-in reject bodies of more than 16 KiB', async () => {
    const { visitor } = await createPerson(test)
    const paths = [
      'session',
      'invitation',
      'passkey/options',
      'password',
      'totp',
      'totp/confirm',
      'totp/remove',
    ]
    for (const path of [...paths, 'passkeys', 'passkeys/options']) {
      const response = await visitor.post(`/auth/v1/${path}`, { padding: 'x'.repeat(16 * 1024) })
      expectProblem(response, { status: 413, code: 'payload-too-large' })
    }
  })

  it('says the same of a wrong password, an unknown address and a user who is switched off', async () => {
    const { user } = await createPerson(test)
    const off = await createPerson(test)
    await patchUser(off.user.userId, { active: false })
    const { user: invited } = await inviteUser(test)
    const bodies = []
    for (const [email, password] of [
      [user.email, 'not this password'],
      [newEmail(), PASSWORD],
      [off.user.email, PASSWORD],
      [invited.email, PASSWORD],
    ] as const) {
      const response = await createVisitor(test).signIn(email, password)
      expectProblem(response, { status: 401, code: 'sign-in-failed' })
      assert.equal(response.headers['set-cookie'], undefined)
      const { requestId: _, instance: __, ...rest } = response.body
      bodies.push(rest)
    }
    for (const body of bodies) assert.deepEqual(body, bodies[0])
    assert.ok((await auditOf(user.userId)).includes('session.refused '))
    assert.ok((await auditOf('unknown')).includes('session.refused '))
    const outcomes = await test.db.sql`select distinct outcome from audit where action = 'session.refused'`
    assert.deepEqual([...outcomes], [{ outcome: 'refused' }])
  })

  it('has one audit entry for each rejected attempt, also for those of another origin', async () => {
    const countOf = async () => {
      const [row] = await test.db.sql<[{ count: number }]>`
        select count(*)::int as count from audit where outcome = 'refused' and operation_id = 'createSession'`
      return row.count
    }
    const before = await countOf()
    await createVisitor(test).signIn(newEmail(), 'not this password')
    assert.equal(await countOf(), before + 1)
    const foreign = await test.app.inject({
      method: 'POST',
      url: '/auth/v1/session',
      headers: { origin: 'https://elsewhere.example', 'content-type': 'application/json' },
      payload: { email: newEmail(), password: 'not this password' },
    })
    assert.equal(foreign.statusCode, 403)
    assert.equal(await countOf(), before + 2)
  })

  it('has one audit entry for every call of an operation of sign-in, with its status and code', async () => {
    const { user, token } = await inviteUser(test)
    const [{ seq }] = await test.db.sql<[{ seq: string }]>`select coalesce(max(seq), 0) as seq from audit`
    const visitor = createVisitor(test)
    const url = '/auth/v1/session'
    const json = { 'content-type': 'application/json' }
    const send = (body: string, headers = json) => visitor.call({ method: 'POST', url, body, headers })
    assert.equal((await send('{"email":"a@example.com"}')).status, 400)
    assert.equal((await send('no json')).status, 400)
    assert.equal((await send('text', { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await send(JSON.stringify({ email: 'x'.repeat(1_200_000) }))).status, 413)
    assert.equal((await visitor.signIn(user.email, 'not this password')).status, 401)
    assert.equal((await visitor.post('/auth/v1/invitation', { token, unknown: 1 })).status, 400)
    assert.equal((await visitor.post('/auth/v1/passkey/options')).status, 200)
    assert.equal((await visitor.post('/auth/v1/invitation', { token, password: PASSWORD })).status, 201)
    assert.equal((await visitor.signIn(user.email)).status, 201)
    const rows = await test.db.sql<Record<string, unknown>[]>`
      select operation_id, action, outcome, status, code from audit where seq > ${seq} order by seq`
    const session = 'createSession request.reject refused'
    assert.deepEqual(
      rows.map(row => Object.values(row).join(' ')),
      [
        `${session} 400 invalid-request`,
        `${session} 400 invalid-request`,
        `${session} 415 unsupported-media-type`,
        `${session} 413 payload-too-large`,
        'createSession session.refused refused 401 sign-in-failed',
        'acceptInvitation request.reject refused 400 invalid-request',
        'getPasskeySignInOptions session.begin ok 200 ',
        'acceptInvitation user.accept_invitation ok  ',
        'acceptInvitation session.created ok  ',
        'createSession session.ended ok  ',
        'createSession session.created ok  ',
      ],
    )
  })

  it('takes as long for an unknown address as for a wrong password', { timeout: 60_000 }, async () => {
    const { user } = await createPerson(test)
    const measure = async (email: string, address: string) => {
      const begun = performance.now()
      await createVisitor(test).signIn(email, 'not this password', address)
      return performance.now() - begun
    }
    const [known, unknown]: number[][] = [[], []]
    for (let round = 0; round < 9; round++) {
      known?.push(await measure(user.email, `10.1.0.${round}`))
      unknown?.push(await measure(newEmail(), `10.2.0.${round}`))
    }
    const median = (times: number[] = []) => times.sort((a, b) => a - b)[4] ?? 0
    const ratio = median(known) / median(unknown)
    // A missing hash would be a factor of ten or more.
    assert.ok(ratio > 0.4 && ratio < 2.5, `${median(known)} ms, ${median(unknown)} ms`)
  })

  it('ignores case and accents of no account, but the case of the address', async () => {
    const { user } = await createPerson(test)
    assert.equal((await createVisitor(test).signIn(user.email.toUpperCase())).status, 201)
  })

  it('blocks wrong guesses after ten of them, and the right password only where they came from', async () => {
    const { user } = await createPerson(test)
    const [attacker, desk] = ['203.0.113.7', '203.0.113.77']
    for (let count = 0; count < 10; count++)
      expectProblem(await createVisitor(test).signIn(user.email, 'not this password', attacker), {
        status: 401,
        code: 'sign-in-failed',
      })
    for (const [password, address] of [
      ['not this password', desk],
      [PASSWORD, attacker],
    ] as const) {
      const blocked = await createVisitor(test).signIn(user.email, password, address)
      expectProblem(blocked, { status: 429, code: 'too-many-requests' })
      assert.ok(Number(blocked.headers['retry-after']) > 800)
    }
    assert.equal((await createVisitor(test).signIn(user.email, PASSWORD, desk)).status, 201)
    test.clock.advance(901)
    assert.equal((await createVisitor(test).signIn(user.email, PASSWORD, attacker)).status, 201)
  })

  it('rejects wrong guesses alike beyond the limit of an address: known there, known elsewhere, or invented', async () => {
    const address = '192.0.2.44'
    const { user: known } = await createPerson(test)
    assert.equal((await createVisitor(test).signIn(known.email, PASSWORD, address)).status, 201)
    const { user: elsewhere } = await createPerson(test)
    const { user: invited } = await inviteUser(test)
    const invented = newEmail()
    for (let count = 0; count < 100; count++)
      await createVisitor(test).signIn(newEmail(), 'not this password', address)
    const responses = []
    const times = []
    for (const email of [known.email, elsewhere.email, invited.email, invented]) {
      const began = performance.now()
      const { status, headers, body } = await createVisitor(test).signIn(email, 'not this password', address)
      times.push(performance.now() - began)
      const { requestId: _, instance: __, ...rest } = body
      responses.push({ status, retryAfter: headers['retry-after'], rest })
    }
    assert.equal(responses[0]?.status, 429)
    for (const response of responses) assert.deepEqual(response, responses[0])
    assert.ok(
      times.every(time => time >= 490),
      times.join(),
    )
    assert.ok((await auditOf(known.userId)).includes('session.refused '))
    // The right password of the person passes there, at once.
    assert.equal((await createVisitor(test).signIn(known.email, PASSWORD, address)).status, 201)
    assert.equal((await createVisitor(test).signIn(elsewhere.email, PASSWORD, address)).status, 429)
    test.clock.advance(901)
    assert.equal((await createVisitor(test).signIn(elsewhere.email, PASSWORD, address)).status, 201)
  })

  it('rejects wrong guesses alike beyond a limit while too many passwords are compared', async () => {
    const address = '192.0.2.46'
    const { user: known } = await createPerson(test)
    assert.equal((await createVisitor(test).signIn(known.email, PASSWORD, address)).status, 201)
    const emails = [known.email, newEmail()]
    for (const email of emails)
      for (let count = 0; count < 10; count++)
        await createVisitor(test).signIn(email, 'not this password', `203.0.116.${count}`)
    let isOver = false
    const isBusy = Promise.withResolvers<void>()
    const others = Array.from({ length: 150 }, async (_, count) => {
      while (!isOver) {
        const { status } = await createVisitor(test).signIn(
          newEmail(),
          'not this password',
          `198.18.${count}.1`,
        )
        if (status !== 503) continue
        isBusy.resolve()
        await sleep(50)
      }
    })
    await isBusy.promise
    const guesses = emails.map(email => createVisitor(test).signIn(email, 'not this password', address))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    isOver = true
    await Promise.all(others)
    assert.deepEqual(statuses, [429, 429])
    test.clock.advance(901)
  })

  it('never says of a password that was not compared that it is wrong', async () => {
    const { user } = await createPerson(test)
    for (let count = 0; count < 10; count++)
      await createVisitor(test).signIn(user.email, 'not this password', '192.0.2.47')
    const signingIn = createVisitor(test).signIn(user.email, PASSWORD, '192.0.2.47')
    await sleep(250)
    test.clock.advance(901)
    assert.equal((await signingIn).status, 429)
  })

  it('rejects wrong guesses alike beyond the limit of an account, also where the person is known', async () => {
    const address = '192.0.2.45'
    const { user } = await createPerson(test)
    assert.equal((await createVisitor(test).signIn(user.email, PASSWORD, address)).status, 201)
    const statuses = []
    for (const email of [user.email, newEmail()]) {
      for (let count = 0; count < 10; count++)
        await createVisitor(test).signIn(email, 'not this password', `203.0.114.${count}`)
      statuses.push((await createVisitor(test).signIn(email, 'not this password', address)).status)
    }
    assert.deepEqual(statuses, [429, 429])
    assert.equal((await createVisitor(test).signIn(user.email, PASSWORD, address)).status, 201)
    test.clock.advance(901)
  })

  it('blocks concurrent guesses too', async () => {
    const { user } = await createPerson(test)
    const guesses = Array.from({ length: 30 }, () =>
      createVisitor(test).signIn(user.email, 'not this password', '198.51.100.1'),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    assert.ok(statuses.filter(status => status === 401).length <= 10, statuses.join())
    // 503 where the queue of hashes is too long for this machine.
    assert.ok(
      statuses.every(status => [401, 429, 503].includes(status)),
      statuses.join(),
    )
    if (statuses.includes(429))
      assert.equal((await createVisitor(test).signIn(user.email, PASSWORD, '198.51.100.1')).status, 429)
  })

  it('names what is missing and what does not belong', async () => {
    const visitor = createVisitor(test)
    const pointers = async (body: object) =>
      ((await visitor.post('/auth/v1/session', body)).body.errors as { pointer: string }[])
        .map(({ pointer }) => pointer)
        .sort()
    assert.deepEqual(await pointers({}), ['/email', '/password'])
    assert.deepEqual(await pointers({ email: 'a@b.c' }), ['/password'])
    assert.deepEqual(await pointers({ challenge: 'x' }), ['/code'])
    assert.deepEqual(await pointers({ challenge: 'x', code: '123456', password: 'y' }), ['/password'])
    assert.deepEqual(await pointers({ challenge: 'x', code: '12345' }), ['/code'])
    assert.deepEqual(await pointers({ email: 'a@b.c', password: 'x', code: '123456' }), ['/code'])
    assert.deepEqual(await pointers({ challenge: 'x', passkey: {}, recoveryCode: 'y' }), ['/recoveryCode'])
  })

  it('is rejected for a page of another origin', async () => {
    const { user } = await createPerson(test)
    const body = { email: user.email, password: PASSWORD }
    const headers = { origin: 'http://evil.example' }
    const response = await createVisitor(test).call({
      method: 'POST',
      url: '/auth/v1/session',
      body,
      headers,
    })
    expectProblem(response, { status: 403, code: 'cross-origin' })
    assert.equal(response.headers['set-cookie'], undefined)
    assert.equal(ORIGIN, 'http://localhost:8080')
  })
})
