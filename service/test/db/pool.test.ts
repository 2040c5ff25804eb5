// The pool of connections while the database is down, frozen, slow or elsewhere.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../../src/db/database.ts'
import { parseHosts, withHosts } from '../../src/db/hosts.ts'
import { isUnavailable } from '../../src/db/sqlstate.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestApp, createTestDatabase, type TestApp } from '../support/harness.ts'
import {
  createDatabaseProxy,
  type DatabaseProxy,
  eventually,
  type Proxied,
  useAll,
} from './database-proxy.ts'

const db = await createTestDatabase()

/** Repeats the request until it responds with this status, for at most ten seconds. */
async function becomes(app: TestApp, url: string, status: number): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const response = await app.call({ url })
    if (response.status === status) return
    assert.ok(performance.now() < deadline, `${url} stays ${response.status}`)
    await sleep(50)
  }
}

const HEALTH = ['/v2/applicant/health', '/v2/case/health', '/v2/document/health']
// Concurrent, because most of these tests wait. Those without an app only read and share a database: cloning one for each at
// the same time would keep the processor busy while some measure times.
describe('the pool', { concurrency: true }, () => {
  describe('a connection that fails before the response to its first statement', {
    concurrency: true,
  }, () => {
    /** Whether a chunk has a statement: those before it ask for TLS, start up and authenticate. */
    const isStatement = (chunk: Buffer) => ['P', 'Q'].includes(chunk.toString('latin1', 0, 1))
    const failures: Record<string, (proxy: DatabaseProxy, connection: Proxied) => void> = {
      closed: (_, { client }) => client.destroy(),
      reset: (_, { client }) => client.resetAndDestroy(),
      frozen: proxy => proxy.freeze(),
    }
    for (const [how, fail] of Object.entries(failures))
      it(`${how}: fails waiting queries, and the pool keeps working`, async () => {
        const proxy = await createDatabaseProxy(db.name)
        let statements = 0
        proxy.state.onChunk = (connection, _number, chunk) => {
          if (!isStatement(chunk)) return
          statements += 1
          fail(proxy, connection)
        }
        const database = proxy.connect()
        const asked = [database.sql`select 1`, database.transaction(tx => tx`select 1`)]
        for (const result of await Promise.allSettled(asked))
          assert.ok(result.status === 'rejected' && isUnavailable(result.reason), JSON.stringify(result))
        assert.ok(statements > 0)
        Object.assign(proxy.state, { onChunk: undefined, silent: false })
        await eventually(() => useAll(database))
        await database.close()
      })
  })

  describe('a database that is down', { concurrency: true }, () => {
    it('responds with 503 at once, and is used again when it is back', async () => {
      const own = await createTestDatabase()
      const proxy = await createDatabaseProxy(own.name)
      const app = await createTestApp({ db: proxy.connect() })
      assert.equal((await app.call({ url: '/admin/v1/clients' })).status, 200)
      await proxy.shut()

      const started = performance.now()
      const requests = [
        { url: '/admin/v1/clients' },
        { method: 'POST', url: '/admin/v1/clients', body: { name: 'x', scopes: ['admin'] } },
        { method: 'POST', url: '/admin/v1/clients/missing/disable' },
        { url: '/v2/applicant/missing' },
      ] as const
      for (const response of await Promise.all(requests.map(request => app.call(request)))) {
        expectProblem(response, { status: 503, code: 'database-unavailable' })
        assert.equal(response.headers['retry-after'], '2')
        assert.doesNotMatch(response.text, /ECONN|127\.0\.0\.1|CONNECTION/)
      }
      assert.ok(performance.now() - started < 10_000)

      expectProblem(await app.call({ url: '/readyz' }), { status: 503, code: 'not-ready' })
      assert.equal((await app.call({ url: '/healthz' })).status, 200)
      for (const url of HEALTH) {
        const health = await app.call({ url })
        expectProblem(health, { status: 503, code: 'database-unavailable' })
        assert.equal(health.headers['retry-after'], '2')
        expectProblem(await app.call({ url, scopes: null }), { status: 401, code: 'token-required' })
      }
      const unknown = await app.call({
        method: 'POST',
        url: '/admin/v1/clients/missing/disable',
        scopes: null,
      })
      expectProblem(unknown, { status: 401, code: 'token-required' })
      const token = await app.app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'grant_type=client_credentials&client_id=a&client_secret=b',
      })
      assert.equal(token.statusCode, 503)
      assert.equal(token.json().error, 'temporarily_unavailable')
      assert.ok(token.headers['retry-after'])

      await proxy.open()
      await becomes(app, '/admin/v1/clients', 200)
      await becomes(app, '/readyz', 200)
      for (const url of HEALTH) assert.equal((await app.call({ url })).status, 200)
      await useAll(app.db)
      await app.app.close()
      await app.db.close()
    })

    it('that accepts connections but does not respond times out after some seconds', async () => {
      const own = await createTestDatabase()
      const proxy = await createDatabaseProxy(own.name)
      const app = await createTestApp({ db: proxy.connect() })
      assert.equal((await app.call({ url: '/admin/v1/clients' })).status, 200)
      proxy.freeze()
      const started = performance.now()
      for (const health of await Promise.all(HEALTH.map(url => app.call({ url }))))
        expectProblem(health, { status: 503, code: 'database-unavailable' })
      assert.ok(performance.now() - started < 3_000, 'a health check waits for the database')
      await proxy.shut()
      await proxy.open()
      const [response, ready] = await Promise.all([
        app.call({ url: '/admin/v1/clients' }),
        app.call({ url: '/readyz' }),
      ])
      expectProblem(response, { status: 503, code: 'database-unavailable' })
      expectProblem(ready, { status: 503, code: 'not-ready' })
      assert.ok(performance.now() - started < 15_000)
      proxy.state.silent = false
      await becomes(app, '/admin/v1/clients', 200)
      await useAll(app.db)
      await app.app.close()
      await app.db.close()
    })
  })

  describe('a database that was switched off', { concurrency: true }, () => {
    it('fails queries and transactions without waiting for the network timeout', {
      timeout: 40_000,
    }, async () => {
      const [proxy, other] = [await createDatabaseProxy(db.name), await createDatabaseProxy(db.name)]
      other.freeze()
      const database = proxy.connect(other.port)
      await useAll(database)
      const work = async (tx: Tx) => tx`select 1`
      const begun = Promise.withResolvers<void>()
      const isFrozen = Promise.withResolvers<void>()
      // The driver queues the second statement until the first one has responded.
      const pipelined = database.transaction(async tx => {
        begun.resolve()
        await isFrozen.promise
        await Promise.allSettled([1, 2].map(number => tx`select ${number}::int`))
      })
      await begun.promise
      proxy.freeze()
      isFrozen.resolve()
      const started = performance.now()
      const asked = [
        database.sql`select 1`,
        pipelined,
        database.transaction(work),
        database.transaction(work),
      ]
      for (const result of await Promise.allSettled(asked)) {
        assert.ok(result.status === 'rejected' && isUnavailable(result.reason), JSON.stringify(result))
      }
      assert.ok(performance.now() - started < 10_000)
      other.state.silent = false
      const deadline = performance.now() + 10_000
      for (;;) {
        if (
          await database.sql`select 1`.then(
            () => true,
            () => false,
          )
        )
          break
        assert.ok(performance.now() < deadline, 'the other host was not found')
        await sleep(50)
      }
      await useAll(database)
    })
  })

  describe('a slow database', { concurrency: true }, () => {
    it('that accepts no new connections for a while keeps its pool with all running queries', {
      timeout: 40_000,
    }, async () => {
      const proxy = await createDatabaseProxy(db.name)
      const database = proxy.connect()
      await useAll(database)
      // The first probe is sent two seconds after the pool was opened.
      await sleep(3_000)
      proxy.state.acceptDelay = 20_000
      const asked = Array.from({ length: 5 }, () => database.sql`select pg_sleep(12)`)
      asked.push(database.transaction(async tx => tx`select pg_sleep(12)`) as never)
      for (const result of await Promise.allSettled(asked))
        assert.equal(result.status, 'fulfilled', JSON.stringify(result))
      await database.close()
    })

    it('that takes seconds for each response is waited for', { timeout: 220_000 }, async () => {
      const proxy = await createDatabaseProxy(db.name)
      const database = proxy.connect()
      await useAll(database)
      const looking = Array.from({ length: 8 }, () => database.lookup(sql => sql`select pg_sleep(0.2)`))
      await Promise.all(looking)
      await sleep(3_000)
      proxy.state.latency = 3_500
      for (let time = 0; time < 2; time++) assert.equal((await database.sql`select 1 as one`)[0]?.['one'], 1)
      // A lookup times out after eight seconds; the first one on a connection needs two responses.
      proxy.state.latency = 1_500
      for (let time = 0; time < 3; time++) {
        const looked = Array.from({ length: 6 }, () => database.lookup(sql => sql`select 1 as one`))
        for (const rows of await Promise.all(looked)) assert.equal(rows[0]?.['one'], 1)
      }
      await database.close()
    })
  })

  describe('all connections of the pool frozen, while new ones work', () => {
    it('are replaced, and readiness fails meanwhile', { timeout: 220_000 }, async () => {
      const proxy = await createDatabaseProxy(db.name)
      const database = proxy.connect()
      await useAll(database)
      await Promise.all(Array.from({ length: 5 }, () => database.transaction(async tx => tx`select 1`)))
      // What is idle for longer than a second is asked for a sign of life before a write uses it.
      await sleep(1_200)
      for (const connection of proxy.connections) proxy.freezeOne(connection)
      const begun = performance.now()
      const pinged = database.ping().then(
        () => 'responds',
        () => 'fails',
      )
      const [row] = await database.transaction(async tx => tx<[{ one: number }]>`select 1 as one`)
      assert.equal(row.one, 1)
      assert.ok(performance.now() - begun < 2_500, `a transaction waited ${performance.now() - begun} ms`)
      assert.equal(await Promise.race([pinged, sleep(0, 'waits')]), 'waits')
      assert.equal((await database.sql`select 1 as one`)[0]?.['one'], 1)
      assert.equal((await database.lookup(sql => sql`select 1 as one`))[0]?.['one'], 1)
      assert.ok(performance.now() - begun < 12_000)
      assert.equal(await pinged, 'responds')
      const again = performance.now()
      await Promise.all([useAll(database), database.ping(), database.transaction(async tx => tx`select 1`)])
      assert.ok(performance.now() - again < 3_000, 'a frozen connection is still used')
      await database.close()
    })
  })

  describe('one frozen connection of several', { concurrency: true }, () => {
    it('delays no read for longer than a second or two, and is replaced', async () => {
      const own = await createTestDatabase()
      const proxy = await createDatabaseProxy(own.name)
      const lookups = new Set<Proxied>()
      let isReading = false
      let frozen: Proxied | undefined
      proxy.state.onChunk = (connection, _number, chunk) => {
        if (chunk.includes('force_generic_plan')) lookups.add(connection)
        // Background jobs send similar statements by connections of the main pool.
        if (frozen || !isReading || !lookups.has(connection) || !chunk.includes('= any($1::text[])')) return
        frozen = connection
        proxy.freezeOne(connection)
      }
      const app = await createTestApp({ db: proxy.connect() })
      const numbers = Array.from({ length: 12 }, (_, index) => `/v2/applicant/employeenumber/F-${index}`)
      const body = { primaryApplicant: { firstName: 'A', lastName: 'B' } }
      for (const url of numbers) assert.equal((await app.call({ method: 'PUT', url, body })).status, 201)
      const read = async (url: string) => {
        const begun = performance.now()
        const { status } = await app.call({ url })
        assert.equal(status, 200, url)
        return performance.now() - begun
      }

      isReading = true
      const dependents = numbers.map(url => `${url}/dependents`)
      const waits = await Promise.all([...numbers, ...dependents].map(read))
      assert.ok(frozen, 'no lookup was seen')
      assert.ok(Math.max(...waits) < 3_000, `${Math.max(...waits)} ms`)
      assert.equal((await app.call({ url: '/readyz' })).status, 200)
      // The frozen connection is not used any more, so that no read waits.
      for (const url of [...numbers, ...dependents]) assert.ok((await read(url)) < 900, url)
      await app.app.close()
      await app.db.close()
    })

    it('fails reads and readiness when no other lookup connection responds', async () => {
      const own = await createTestDatabase()
      const proxy = await createDatabaseProxy(own.name)
      const lookups = new Set<Proxied>()
      let freezing = false
      // Lookup connections ask for generic plans in their start-up message. All others keep responding.
      proxy.state.onChunk = (connection, _number, chunk) => {
        if (chunk.includes('force_generic_plan')) lookups.add(connection)
        if (freezing && lookups.has(connection)) proxy.freezeOne(connection)
      }
      const app = await createTestApp({ db: proxy.connect() })
      assert.equal((await app.call({ url: '/v2/applicant/missing' })).status, 404)
      assert.equal((await app.call({ url: '/readyz' })).status, 200)
      freezing = true
      expectProblem(await app.call({ url: '/readyz' }), { status: 503, code: 'not-ready' })
      const begun = performance.now()
      const read = await app.call({ url: '/v2/applicant/missing' })
      expectProblem(read, { status: 503, code: 'database-unavailable' })
      assert.equal(read.headers['retry-after'], '2')
      assert.ok(performance.now() - begun < 12_000)
      assert.equal((await app.call({ url: '/admin/v1/clients' })).status, 200)
      freezing = false
      await becomes(app, '/v2/applicant/missing', 404)
      await becomes(app, '/readyz', 200)
      await app.app.close()
      await app.db.close()
    })
  })

  describe('several hosts', { concurrency: true }, () => {
    it('are read from the URL, with their ports', () => {
      assert.deepEqual(parseHosts('postgres://u:p@one:1,two,[::1]:3/db?x=y'), [
        { host: 'one', port: 1 },
        { host: 'two', port: 5432 },
        { host: '::1', port: 3 },
      ])
      assert.deepEqual(parseHosts('postgresql:///db'), [{ host: 'localhost', port: 5432 }])
      assert.equal(
        withHosts('postgres://u:p@one:1,two/db?x=y', [{ host: '::1', port: 3 }]),
        'postgres://u:p@[::1]:3/db?x=y',
      )
    })

    it('are tried until one is the primary, and again when that is lost', async () => {
      const [first, second] = [await createDatabaseProxy(db.name), await createDatabaseProxy(db.name)]
      await first.shut()
      const both = first.connect(second.port)
      const reachable = async () => {
        const deadline = performance.now() + 10_000
        for (;;) {
          try {
            return await both.sql`select 1`
          } catch (error) {
            assert.ok(isUnavailable(error), String(error))
            assert.ok(performance.now() < deadline, 'no host was reached')
            await sleep(50)
          }
        }
      }
      assert.equal((await reachable()).length, 1)
      await second.shut()
      await assert.rejects(both.sql`select 1`, isUnavailable)
      await first.open()
      assert.equal((await reachable()).length, 1)
      await useAll(both)
      await both.close()
    })
  })
})
