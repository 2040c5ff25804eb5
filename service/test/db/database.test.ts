import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Tx } from '../../src/db/database.ts'
import { isUnavailable, problemOf } from '../../src/db/sqlstate.ts'
import { declareProblem, Problem } from '../../src/lib/problem.ts'
import { createTestDatabase, silent, testConnection } from '../support/harness.ts'
import { createDatabaseProxy, eventually, useAll } from './database-proxy.ts'

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
