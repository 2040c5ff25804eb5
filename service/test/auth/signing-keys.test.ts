import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import type { Database } from '../../src/db/database.ts'
import { ALL_SCOPES } from '../../src/lib/scopes.ts'
import {
  createTestApp,
  createTestDatabase,
  type TestApp,
  type TestClock,
  testClock,
} from '../support/harness.ts'
import { createSmallApp, type SmallApp } from '../support/small-app.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A service with its own database and clock. */
async function createService(publicUrl?: string) {
  const db = await createTestDatabase()
  const clock = testClock()
  return { db, clock, ...(await createSmallApp({ db, clock, ...(publicUrl && { publicUrl }) })) }
}

/** Another service on the same database. */
const anotherService = ({ db, clock }: { db: Database; clock: TestClock }, publicUrl?: string) =>
  createSmallApp({ db, clock, ...(publicUrl && { publicUrl }) })

type Service = Pick<SmallApp, 'get' | 'issue'>

const use = async (service: Service, token: string): Promise<number> =>
  (await service.get('/cases', { authorization: `Bearer ${token}` })).status
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const issuerOf = (token: string) => decodeJwt(token).iss
const jwks = async (service: Service) => (await service.get('/.well-known/jwks.json')).body
const published = async (service: Service): Promise<string[]> =>
  (await jwks(service)).keys.map((key: { kid: string }) => key.kid).sort()
const stored = async (db: Database) =>
  (await db.sql<{ kid: string }[]>`select kid from signing_keys order by kid`).map(row => row.kid)

describe('signing keys', { concurrency: true }, () => {
  it('are shared by services on one database: each accepts the tokens of the other', async () => {
    const one = await createTestApp()
    const two = await createTestApp({ db: one.db, config: { port: 9999 } })
    const status = async (app: TestApp, token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await app.call({ url: '/v2/case/health', headers, scopes: null })).status
    }
    assert.equal(await status(two, await one.token()), 200)
    assert.equal(await status(one, await two.token()), 200)
    assert.equal(issuerOf(await one.token()), issuerOf(await two.token()))
    assert.equal((await stored(one.db)).length, 1)
  })

  it('are created once, however many services start or rotate at the same time', async () => {
    const db = await createTestDatabase()
    const clock = testClock()
    const services = await Promise.all(Array.from({ length: 6 }, () => anotherService({ db, clock })))
    const [first] = await stored(db)
    assert.equal((await stored(db)).length, 1)
    clock.advance(31 * DAY)
    await Promise.all(services.map(({ keys }) => keys.rotate()))
    assert.equal((await stored(db)).length, 2)
    clock.advance(HOUR)
    const signing = new Set(await Promise.all(services.map(async ({ issue }) => kidOf(await issue()))))
    assert.equal(signing.size, 1)
    assert.ok(!signing.has(first))
  })

  it('are not rotated before they are 30 days old', async () => {
    const { db, clock, keys } = await createService()
    clock.advance(30 * DAY)
    await keys.rotate()
    assert.equal((await stored(db)).length, 1)
    clock.advance(1)
    await keys.rotate()
    assert.equal((await stored(db)).length, 2)
  })
})

describe('a new key', { concurrency: true }, () => {
  it('is published before it signs, and signs ten minutes later', async () => {
    const service = await createService()
    const { db, clock, keys, issue } = service
    const [old] = await stored(db)
    await keys.rotate({ force: true })
    const fresh = (await stored(db)).find(kid => kid !== old)
    assert.deepEqual(await published(service), [fresh, old].sort())
    const before = await issue()
    assert.equal(kidOf(before), old)
    clock.advance(10 * MINUTE - 1)
    assert.equal(kidOf(await issue()), old)
    clock.advance(1)
    assert.equal(kidOf(await issue()), fresh)
    assert.equal(await use(service, before), 200)
    assert.equal(await use(service, await issue()), 200)
  })

  it('is also published by other services before it signs', async () => {
    const one = await createService()
    const two = await anotherService(one)
    const before = await published(two)
    await one.keys.rotate({ force: true })
    one.clock.advance(2 * MINUTE)
    const after = await published(two)
    assert.deepEqual(after, await stored(one.db))
    assert.equal(after.length, before.length + 1)
  })

  it('is accepted by a service that has not loaded it yet, and by one that is restarted', async () => {
    const one = await createService()
    const two = await anotherService(one)
    await one.keys.rotate({ force: true })
    one.clock.advance(10 * MINUTE)
    const token = await one.issue()
    assert.equal(await use(two, token), 200)
    const restarted = await anotherService(one)
    assert.equal(await use(restarted, token), 200)
    assert.equal(kidOf(await restarted.issue()), kidOf(token))
  })

  it('leaves tokens of the old key valid until they expire', async () => {
    const service = await createService()
    const { clock, keys, issue } = service
    await keys.rotate({ force: true })
    clock.advance(10 * MINUTE - 1)
    const last = await issue()
    for (const step of [HOUR, 12 * HOUR, 11 * HOUR - 1]) {
      clock.advance(step)
      await keys.rotate()
      assert.equal(await use(await anotherService(service), last), 200)
    }
    clock.advance(1)
    assert.equal(await use(service, last), 401)
  })
})

describe('an old key', { concurrency: true }, () => {
  it('is deleted two days after its successor began to sign, and not before', async () => {
    const service = await createService()
    const { db, clock, keys } = service
    const [old] = await stored(db)
    await keys.rotate({ force: true })
    clock.advance(10 * MINUTE + 2 * DAY)
    await keys.rotate()
    assert.ok((await stored(db)).includes(old as string))
    clock.advance(1)
    await keys.rotate()
    const left = await stored(db)
    assert.equal(left.length, 1)
    assert.notEqual(left[0], old)
    assert.deepEqual(await published(service), left)
  })

  it('is never deleted without a successor', async () => {
    const { db, clock, keys } = await createService()
    const [only] = await stored(db)
    clock.advance(400 * DAY)
    await keys.rotate()
    const left = await stored(db)
    assert.equal(left.length, 2)
    assert.ok(left.includes(only as string))
  })
})

describe('a changed PUBLIC_URL', { concurrency: true }, () => {
  it('applies to new tokens at once, while old ones stay valid', async () => {
    const before = await createService('https://old.example')
    const old = await before.issue()
    assert.equal(issuerOf(old), 'https://old.example')
    before.clock.advance(MINUTE)
    const after = await anotherService(before, 'https://new.example/caseport')
    const fresh = await after.issue()
    assert.equal(issuerOf(fresh), 'https://new.example/caseport')
    assert.equal(decodeJwt(fresh).aud, issuerOf(fresh))
    assert.equal(await use(after, old), 200)
    assert.equal(await use(after, fresh), 200)
    assert.equal(await use(before, fresh), 200)
  })

  it('also applies when the old issuer had a key that had not begun to sign', async () => {
    const before = await createService('https://old.example')
    await before.keys.rotate({ force: true })
    before.clock.advance(MINUTE)
    const after = await anotherService(before, 'https://new.example')
    const kid = kidOf(await after.issue())
    for (const step of [0, 5 * MINUTE, 5 * MINUTE, HOUR]) {
      before.clock.advance(step)
      await after.keys.rotate()
      const token = await after.issue()
      assert.equal(issuerOf(token), 'https://new.example')
      assert.equal(kidOf(token), kid)
    }
  })

  it('that is removed again leaves the issuer unchanged', async () => {
    const before = await createService('https://old.example')
    const after = await anotherService(before)
    assert.equal(issuerOf(await after.issue()), 'https://old.example')
    assert.equal((await stored(before.db)).length, 1)
  })
})

describe('GET /.well-known/jwks.json', { concurrency: true }, () => {
  it('has the public keys that verify a token, and nothing private', async () => {
    const service = await createService()
    const set = await jwks(service)
    assert.equal(set.keys.length, 1)
    for (const key of set.keys) {
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
      assert.deepEqual([key.kty, key.alg, key.use], ['EC', 'ES256', 'sig'])
    }
    const currentDate = service.clock.now()
    const { payload } = await jwtVerify(await service.issue(), createLocalJWKSet(set), {
      typ: 'at+jwt',
      currentDate,
    })
    assert.equal(payload['client_id'], 'a-client')
  })

  it('responds while the database is down', async () => {
    const service = await createService()
    const before = await published(service)
    await service.db.sql.unsafe('alter table signing_keys rename to elsewhere')
    service.clock.advance(HOUR)
    assert.deepEqual(await published(service), before)
  })

  it('may be cached for less time than a key is published before it signs', async () => {
    const { get } = await createService()
    assert.equal((await get('/.well-known/jwks.json')).headers['cache-control'], 'public, max-age=300')
  })
})

describe('the metadata documents', { concurrency: true }, () => {
  const server = '/.well-known/oauth-authorization-server'
  const resource = '/.well-known/oauth-protected-resource'

  it('have what RFC 8414 and RFC 9728 require', async () => {
    const { get, issue } = await createService('https://caseport.example')
    const metadata = await get(server)
    assert.equal(metadata.status, 200)
    assert.deepEqual(metadata.body, {
      issuer: 'https://caseport.example',
      token_endpoint: 'https://caseport.example/oauth/token',
      jwks_uri: 'https://caseport.example/.well-known/jwks.json',
      scopes_supported: ALL_SCOPES,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    })
    assert.deepEqual((await get(resource)).body, {
      resource: 'https://caseport.example',
      authorization_servers: ['https://caseport.example'],
      jwks_uri: 'https://caseport.example/.well-known/jwks.json',
      scopes_supported: ALL_SCOPES,
      bearer_methods_supported: ['header'],
    })
    const token = await issue()
    assert.equal(issuerOf(token), metadata.body.issuer)
    assert.equal(decodeJwt(token).aud, metadata.body.issuer)
  })

  it('name the external issuer beside our own when one is configured', async () => {
    const { db, clock } = await createService('https://caseport.example')
    const oidc = { issuer: 'https://login.example', audience: 'caseport' }
    const { get } = await createSmallApp({ db, clock, oidc })
    const { body } = await get(resource)
    assert.deepEqual(body.authorization_servers, ['https://caseport.example', 'https://login.example'])
  })

  it('use HOST and PORT as the issuer when PUBLIC_URL is not set', async () => {
    const app = await createTestApp({ config: { host: '127.0.0.1', port: 4711 } })
    const { body } = await app.call({ url: server, scopes: null })
    assert.equal(body.issuer, 'http://127.0.0.1:4711')
    assert.equal(issuerOf(await app.token()), body.issuer)
  })
})
