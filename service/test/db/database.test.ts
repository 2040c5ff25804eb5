import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Database, type Tx } from '../../src/db/database.ts'
import { parseHosts, withHosts } from '../../src/db/hosts.ts'
import { isUnavailable, problemOf } from '../../src/db/sqlstate.ts'
import { declareProblem, Problem } from '../../src/lib/problem.ts'
import { expectProblem } from '../support/expect-problem.ts'
import {
  createTestApp,
  createTestDatabase,
  silent,
  type TestApp,
  testConnection,
} from '../support/harness.ts'
import { createDatabaseProxy, type DatabaseProxy, eventually, type Proxied } from './database-proxy.ts'

const db = await createTestDatabase()
await db.sql.unsafe(`
  create table accounts (id int primary key, name text unique, amount int not null check (amount >= 0));
  insert into accounts values (1, 'one', 100), (2, 'two', 100)`)

const amounts = async () =>
  (await db.sql<{ amount: number }[]>`select amount from accounts order by id`).map(row => row.amount)
const add = (tx: Tx, id: number, amount: number) =>
  tx`update accounts set amount = amount + ${amount} where id = ${id}`

/** Resolves for all callers once as many have called. */
function barrier(size: number): () => Promise<void> {
  let arrived = 0
  const all = Promise.withResolvers<void>()
  return () => {
    arrived += 1
    if (arrived === size) all.resolve()
    return all.promise
  }
}

describe('a query', () => {
  it('returns its rows and their count', async () => {
    const rows = await db.sql`select id from accounts order by id`
    assert.deepEqual([...rows], [{ id: 1 }, { id: 2 }])
    assert.equal(rows.count, 2)
    const { count } = await db.sql`update accounts set amount = amount where id = ${1}`
    assert.equal(count, 1)
  })

  it('of a command may take as long as it needs, and is sent once', async () => {
    const connection = testConnection(db.name)
    const command = connect({ connection, log: silent, poolSize: 1, responseMs: Infinity })
    const running = async () => {
      const [row] = await db.sql`
        select count(*)::int as count from pg_stat_activity where query like 'select ''long'', pg_sleep%'`
      return row?.['count']
    }
    const long = Promise.all([command.sql`select 'long', pg_sleep(4.5)`])
    await sleep(3_000)
    assert.equal(await running(), 1)
    assert.equal((await long)[0].length, 1)
    await command.close()
  })

  it('for records by their keys uses a generic plan, whatever the number of keys', async () => {
    for (let keys = 1; keys < 12; keys++)
      await db.lookup(
        sql =>
          sql`select 'mark' from accounts where id = any(${Array.from({ length: keys }, (_, id) => id)}::int[])`,
      )
    const plans = await db.lookup(
      sql => sql`
      select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
      where statement like 'select ''mark''%'`,
    )
    assert.deepEqual([...plans], [{ generic: 11, custom: 0 }])
  })
})

describe('transaction', () => {
  it('is retried after a deadlock, so that both transactions succeed', async () => {
    const before = await amounts()
    const met = barrier(2)
    const attempts = [0, 0]
    const transfer = (worker: 0 | 1, from: number, to: number) =>
      db.transaction(async tx => {
        attempts[worker] = (attempts[worker] ?? 0) + 1
        await tx`set local deadlock_timeout = '50ms'`
        await add(tx, from, -10)
        await met()
        await add(tx, to, 10)
        return worker
      })
    assert.deepEqual(await Promise.all([transfer(0, 1, 2), transfer(1, 2, 1)]), [0, 1])
    assert.deepEqual(await amounts(), before)
    assert.ok(attempts.includes(1) && Math.max(...attempts) > 1, `${attempts}`)
  })

  it('is retried after a serialization failure', async () => {
    const [before = 0] = await amounts()
    const read = barrier(2)
    let attempts = 0
    const increment = () =>
      db.transaction(async tx => {
        attempts += 1
        await tx`set transaction isolation level serializable`
        const [row] = await tx<{ amount: number }[]>`select amount from accounts where id = 1`
        await read()
        await tx`update accounts set amount = ${(row?.amount ?? 0) + 1} where id = 1`
      })
    await Promise.all([increment(), increment()])
    assert.equal((await amounts())[0], before + 2)
    assert.ok(attempts > 2)
  })

  it('fails after ten attempts with the last error', async () => {
    let attempts = 0
    const work = db.transaction(async tx => {
      attempts += 1
      await tx.unsafe(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`)
    })
    await assert.rejects(work, { code: '40001' })
    assert.equal(attempts, 10)
  })

  it('is rolled back by any error, and not retried', async () => {
    const before = await amounts()
    let attempts = 0
    const failing = (fail: (tx: Tx) => unknown) =>
      db.transaction(async tx => {
        attempts += 1
        await add(tx, 1, 50)
        await fail(tx)
      })
    await assert.rejects(
      failing(() => {
        throw new Error('ours')
      }),
      /ours/,
    )
    await assert.rejects(
      failing(tx => add(tx, 2, -1000)),
      { code: '23514' },
    )
    assert.deepEqual(await amounts(), before)
    assert.equal(attempts, 2)
  })

  it('returns the result of the work', async () => {
    assert.equal(await db.transaction(async () => 'done'), 'done')
    assert.equal(await db.transaction(async () => undefined), undefined)
  })

  it('releases its connection after an error', async () => {
    const small = connect({ connection: testConnection(db.name), log: silent, poolSize: 1 })
    for (let attempt = 0; attempt < 5; attempt++)
      await assert.rejects(small.transaction(tx => tx`select 1/0`))
    const [row] = await small.sql`select 1 as one`
    assert.equal(row?.['one'], 1)
    await small.close()
  })
})

describe('dates', () => {
  it('are returned as they are stored, whatever the time zone', async () => {
    const [row] = await db.sql`select date '1990-05-31' as day, timestamp '2026-03-01 09:30:00' as moment`
    assert.deepEqual({ ...row }, { day: '1990-05-31', moment: '2026-03-01 09:30:00' })
  })
})

const nameInUse = declareProblem({ code: 'name-in-use', status: 409, title: 'In use.', remedy: 'None.' })
const constraints = { accounts_name_key: nameInUse }

async function errorOf(work: (tx: Tx) => Promise<unknown>): Promise<unknown> {
  // Not db.transaction, which would retry some of these errors.
  const { sql } = db as unknown as { sql: { begin(work: (tx: Tx) => Promise<unknown>): Promise<unknown> } }
  return sql.begin(work).then(
    () => assert.fail('It should have failed.'),
    (error: unknown) => error,
  )
}
const problemFor = async (work: (tx: Tx) => Promise<unknown>) => {
  const error = await errorOf(work)
  const problem = problemOf(error, constraints)
  return problem && { code: problem.kind.code, status: problem.kind.status, headers: problem.headers }
}

describe('problemOf an error of PostgreSQL', () => {
  const unavailable = { code: 'database-unavailable', status: 503, headers: { 'retry-after': '2' } }

  it('from a declared constraint returns its problem', async () => {
    assert.deepEqual(await problemFor(tx => tx`insert into accounts values (3, 'one', 0)`), {
      code: 'name-in-use',
      status: 409,
      headers: undefined,
    })
  })

  it('from any other constraint, or from wrong SQL, returns undefined', async () => {
    assert.equal(await problemFor(tx => tx`insert into accounts values (1, 'three', 0)`), undefined)
    assert.equal(await problemFor(tx => tx`insert into accounts values (3, 'three', -1)`), undefined)
    assert.equal(await problemFor(tx => tx.unsafe('select * from nowhere')), undefined)
    assert.equal(problemOf(new Error('x'), constraints), undefined)
    assert.equal(problemOf('x', constraints), undefined)
  })

  it('about text that cannot be stored returns 400', async () => {
    const problem = await problemFor(tx => tx`insert into accounts values (3, ${'a\0b'}, 0)`)
    assert.equal(problem?.code, 'invalid-request')
    assert.equal(problem?.status, 400)
  })

  it('about a statement or lock timeout returns 503 with Retry-After', async () => {
    const late = (tx: Tx) => tx.unsafe(`set local statement_timeout = '20ms'; select pg_sleep(1)`)
    assert.deepEqual(await problemFor(late), unavailable)
    const lockedOut = await db.transaction(async holder => {
      await add(holder, 1, 0)
      return problemFor(tx =>
        tx.unsafe(`set local lock_timeout = '20ms'; update accounts set amount = 1 where id = 1`),
      )
    })
    assert.deepEqual(lockedOut, unavailable)
  })

  it('about a standby returns 503 with Retry-After', async () => {
    const readOnly = (tx: Tx) => tx.unsafe('set transaction read only; delete from accounts')
    assert.deepEqual(await problemFor(readOnly), unavailable)
  })

  it('about a connection that the server does not accept returns 503 with Retry-After', async () => {
    const missing = connect({ connection: testConnection('missing'), log: silent })
    const error = await missing.transaction(async tx => tx`select 1`).catch((reason: unknown) => reason)
    assert.equal((error as { code: string }).code, '3D000')
    const problem = problemOf(error, constraints)
    assert.deepEqual([problem?.kind.status, problem?.headers], [503, { 'retry-after': '2' }])
    await missing.close()
  })

  it('about a full disk returns 507', () => {
    const full = Object.assign(new Error('could not extend file'), { code: '53100' })
    assert.equal(problemOf(full, constraints)?.kind.status, 507)
    assert.equal(problemOf(new Problem(nameInUse.kind, 'x'), constraints), undefined)
  })
})

describe('a transaction that is over', () => {
  it('rejects further statements', async () => {
    const kept = Promise.withResolvers<{ tx: Tx }>()
    await db.transaction(async tx => kept.resolve({ tx }))
    const { tx } = await kept.promise
    assert.throws(() => tx`select 1`, /over/)
    assert.throws(() => tx.unsafe('select 1'), /over/)
  })
})

/** Uses all connections of the pool, those for reads and those for writes. */
async function useAll(database: Database): Promise<void> {
  const each = Array.from({ length: 20 })
  await Promise.all([
    ...each.map(() => database.sql`select pg_sleep(0.03)`),
    ...each.map(() => database.transaction(async tx => tx`select pg_sleep(0.03)`)),
  ])
}

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

// A regression here would end the process of this test file.
describe('a connection that is lost in a transaction', { concurrency: 4 }, () => {
  const connectOwn = async () => {
    const own = await createTestDatabase()
    const proxy = await createDatabaseProxy(own.name)
    return { own, proxy, database: proxy.connect() }
  }
  type Own = Awaited<ReturnType<typeof connectOwn>>

  const losses: Record<string, (own: Own) => unknown> = {
    'closed by the network': ({ proxy }) => proxy.cut(),
    'reset by the network': ({ proxy }) => proxy.cut('resetAndDestroy'),
    'ended by the server': ({ own }) =>
      own.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${own.name} and pid <> pg_backend_pid()`,
  }
  const works: Record<string, (tx: Tx, lost: Promise<unknown>) => Promise<unknown>> = {
    'while a statement runs': tx => tx`select pg_sleep(10)`,
    'while several statements run': tx =>
      Promise.all([tx`select 1`, tx`select pg_sleep(10)`, tx`select 2`, tx`select 3`]),
    'between two statements': async (tx, lost) => {
      await tx`select 1`
      await lost
      await sleep(200)
      return tx`select 2`
    },
  }

  for (const [how, lose] of Object.entries(losses))
    for (const [when, work] of Object.entries(works))
      it(`${how} ${when} fails that transaction, and the pool keeps working`, async () => {
        const own = await connectOwn()
        const { database } = own
        await database.sql`select 1`
        const begun = Promise.withResolvers<void>()
        const lost = Promise.withResolvers<void>()
        let attempts = 0
        const failed = assert.rejects(
          database.transaction(tx => {
            attempts += 1
            begun.resolve()
            return work(tx, lost.promise)
          }),
          isUnavailable,
        )
        await begun.promise
        await sleep(50)
        await lose(own)
        lost.resolve()
        await failed
        // A probe that was cut off while it connected reports the database as down until the next one.
        await eventually(() => useAll(database))
        assert.equal(attempts, 1)
        const others = Array.from({ length: 12 }, (_, n) => database.transaction(async () => n))
        const results = await Promise.allSettled(others)
        const rejected = results.filter(result => result.status === 'rejected')
        assert.deepEqual(rejected, [])
        await database.close()
      })
})

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
