// What a lost connection, commits that do not return, and a pooler do to the connections of a service.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Database } from '../../src/db/database.ts'
import { ignoresSettings, requireSessionMode } from '../../src/db/pooler.ts'
import { isUnavailable } from '../../src/db/sqlstate.ts'
import { createDatabaseProxy, type DatabaseProxy, eventually, type Proxied } from '../db/database-proxy.ts'
import { createTestApp, createTestDatabase, silent, testConnection } from '../support/harness.ts'

/** Uses several connections for reads and for writes. */
async function useSome(database: Database): Promise<void> {
  const each = Array.from({ length: 4 })
  await Promise.all([
    ...each.map(() => database.sql`select 1`),
    ...each.map(() => database.transaction(async tx => tx`select 1`)),
  ])
}

describe('a connection that is lost while it opens', { concurrency: 3 }, () => {
  // A regression here would end the process of this test file, or make a query wait for ever.
  const failures: Record<string, (proxy: DatabaseProxy, connection: Proxied) => void> = {
    closed: (_, { client }) => client.destroy(),
    reset: (_, { client }) => client.resetAndDestroy(),
    frozen: (proxy, connection) => proxy.freezeOne(connection),
  }
  // What a client sends: the request for TLS, the start, two messages of its password, the first statement in two chunks.
  for (const chunk of [1, 2, 3, 4, 5, 6])
    for (const [how, fail] of Object.entries(failures))
      it(`${how} with its chunk ${chunk} fails or repeats what waits for it, and the pool keeps working`, async () => {
        const own = await createTestDatabase()
        const proxy = await createDatabaseProxy(own.name)
        let failed = 0
        proxy.state.onChunk = (connection, number) => {
          if (number !== chunk || failed > 8) return
          failed += 1
          fail(proxy, connection)
        }
        const database = proxy.connect()
        const limited = database.forCompanies(['none'])
        const asked = [
          database.sql`select 1`,
          database.transaction(async tx => tx`select 1`),
          database.lookup(sql => sql`select 1`),
          database.append(sql => sql`select 1`),
          limited.lookup(sql => sql`select 1`),
          limited.transaction(async tx => tx`select 1`),
        ]
        for (const result of await Promise.allSettled(asked))
          assert.ok(result.status === 'fulfilled' || isUnavailable(result.reason), JSON.stringify(result))
        proxy.state.onChunk = undefined
        await eventually(() => useSome(database))
        assert.ok(failed > 0)
        await database.close()
      })
})

describe('commits that do not return', () => {
  it('leave reads, lookups and readiness their connections, and fail further writes after ten seconds', {
    timeout: 60_000,
  }, async () => {
    const own = await createTestDatabase()
    const app = await createTestApp({ db: connect({ connection: testConnection(own.name), log: silent }) })
    await own.sql.unsafe('create table stuck (id int primary key); insert into stuck values (1)')
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holder = own.transaction(async tx => {
      await tx`select from stuck for update`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const stuck = Array.from({ length: 14 }, () =>
      app.db.transaction(async tx => {
        await tx`set local lock_timeout = 0`
        await tx`update stuck set id = id`
      }),
    )
    for (const each of stuck) each.catch(() => {})
    await sleep(300)
    const begun = performance.now()
    assert.equal((await app.call({ url: '/v2/applicant/missing' })).status, 404)
    assert.equal((await app.db.sql`select 1 as one`)[0]?.['one'], 1)
    assert.equal((await app.call({ url: '/readyz' })).status, 200)
    assert.ok(performance.now() - begun < 3_000, `${performance.now() - begun} ms`)
    const outcomes = Promise.allSettled(stuck)
    await sleep(10_500)
    release.resolve()
    await holder
    const rejected = (await outcomes).filter(outcome => outcome.status === 'rejected')
    assert.equal(rejected.length, 4)
    for (const { reason } of rejected) assert.ok(isUnavailable(reason))
    await app.app.close()
    await app.db.close()
  })
})

describe('settings that are sent by statement, behind a pooler', () => {
  it('are in effect on every kind of connection', async () => {
    const own = await createTestDatabase()
    const connection = testConnection(own.name)
    const database = connect({
      connection,
      log: silent,
      settingsByStatement: true,
      role: 'caseport_service',
    })
    const seen = `select current_user as role, current_setting('statement_timeout') as timeout,
      current_setting('plan_cache_mode') as plans, current_setting('synchronous_commit') as commits,
      current_setting('search_path') as path`
    const common = { role: 'caseport_service', timeout: '30s', path: '"$user", public' }
    const limited = database.forCompanies(['none'])
    // The server of the tests has a setting of its own.
    const [server] = await own.sql`select current_setting('synchronous_commit') as commits`
    const expected = { ...common, plans: 'auto', commits: server?.['commits'] }
    assert.deepEqual({ ...(await database.sql.unsafe(seen))[0] }, expected)
    const planned = { ...expected, plans: 'force_generic_plan' }
    assert.deepEqual({ ...(await database.transaction(async tx => tx.unsafe(seen)))[0] }, planned)
    assert.deepEqual({ ...(await database.lookup(async sql => sql.unsafe(seen)))[0] }, planned)
    assert.deepEqual(
      { ...(await database.append(async sql => sql.unsafe(seen)))[0] },
      { ...expected, commits: 'off' },
    )
    assert.equal((await limited.transaction(async tx => tx.unsafe(seen)))[0]?.['path'], 'limited')
    assert.equal(await ignoresSettings(database), false)
    await requireSessionMode(connection)
    await database.close()
  })
})
