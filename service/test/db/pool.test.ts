// Connections to a server that accepts them and never responds, like one that is frozen.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostAt } from '../../src/db/hosts.ts'
import { openPool } from '../../src/db/pool.ts'

async function openSilent() {
  const server = net.createServer(socket => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as net.AddressInfo
  const host = hostAt('postgres://caseport@127.0.0.1/caseport', { host: '127.0.0.1', port })
  return openPool({ host, options: { connect_timeout: 2, backoff: () => 0 }, onConnectionLost() {} })
}

/** The code of the error, or what is known after a second. */
const failureOf = (query: Promise<unknown>) =>
  Promise.race([
    query.then(
      () => 'succeeded',
      error => error.code,
    ),
    sleep(1_000, 'still waits'),
  ])

describe('a pool that is moved, because its server does not respond,', { concurrency: true }, () => {
  for (const opened of ['for some time', 'just now'])
    it(`fails the queries of connections that were opened ${opened}`, async () => {
      const pool = await openSilent()
      const spare = pool.openSpare()
      assert.ok(spare)
      const failures = [pool.driver(), spare].map(driver => failureOf(driver`select 1`.execute()))
      if (opened === 'for some time') await sleep(200)
      pool.moveTo(undefined)
      assert.deepEqual(await Promise.all(failures), ['CONNECTION_DESTROYED', 'CONNECTION_DESTROYED'])
      assert.equal(pool.openSpare(), undefined)
    })

  it('does not use a connection to the former server', async () => {
    const pool = await openSilent()
    const [former, spare] = [pool.driver(), pool.openSpare()]
    assert.ok(spare)
    const other = hostAt('postgres://caseport@127.0.0.1/caseport', { host: '127.0.0.1', port: 1 })
    pool.moveTo(other)
    const current = pool.driver()
    pool.adopt(spare, former)
    assert.equal(pool.driver(), current)
    assert.notEqual(current, former)
    assert.equal(await failureOf(spare`select 1`.execute()), 'CONNECTION_ENDED')
    pool.moveTo(undefined)
  })

  it('keeps the connections beside one that is replaced', async () => {
    const pool = await openSilent()
    const [first, spare] = [pool.driver(), pool.openSpare()]
    assert.ok(spare)
    const failures = [first, spare].map(driver => failureOf(driver`select 1`.execute()))
    await sleep(50)
    pool.replace(first)
    assert.deepEqual(await Promise.all(failures), ['CONNECTION_DESTROYED', 'still waits'])
    pool.adopt(spare, pool.driver())
    assert.equal(pool.driver(), spare)
    pool.moveTo(undefined)
  })
})
