import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/db/database.ts'
import { hostsOf } from '../../src/db/hosts.ts'
import { openProbe } from '../../src/db/probe.ts'
import { silent, testConnection } from '../support/harness.ts'

describe('a probe', () => {
  it('closes a connection that opens after another one has responded, so that a command can end', async () => {
    const connection = testConnection('postgres')
    const [host] = hostsOf(connection)
    const late = new Socket()
    let opened = 0
    const probe = openProbe({
      ...host,
      open(options) {
        opened += 1
        if (opened > 1) return host.open(options)
        // The second connection is tried after a second.
        const socket = async () => {
          await sleep(1_500)
          return late.connect(connection.path)
        }
        return host.open({ ...options, socket } as typeof options)
      },
    })
    after(() => {
      probe.close()
      late.destroy()
    })
    const closed = once(late, 'close', { signal: AbortSignal.timeout(10_000) })
    assert.equal((await probe.state(5_000)).role, 'primary')
    assert.equal(opened, 2)
    await closed
  })

  it('opens no further connection when it is closed while it asks, so that a command can end', async () => {
    const [host] = hostsOf(testConnection('postgres'))
    // Probes of other tests are on the same server.
    const name = `probe ${randomUUID()}`
    let opened = 0
    const probe = openProbe({
      ...host,
      open(options) {
        opened += 1
        return host.open({ ...options, connection: { ...options.connection, application_name: name } })
      },
    })
    const asked = probe.state(3_000)
    probe.close()
    assert.deepEqual(await asked, { role: 'unreachable' })
    assert.equal(opened, 1)
    const { sql, close } = connect({ connection: testConnection('postgres'), log: silent, poolSize: 1 })
    after(close)
    const count = async () =>
      (await sql`select 1 from pg_stat_activity where application_name = ${name}`).length
    for (let tries = 0; tries < 40 && (await count()) > 0; tries++) await sleep(50)
    assert.equal(await count(), 0, 'the connection that was being opened is closed')
  })
})
