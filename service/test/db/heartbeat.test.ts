import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHeartbeat } from '../../src/db/heartbeat.ts'

const never = () => new Promise<never>(() => {})

describe('createHeartbeat', () => {
  it('resolves a check without a ping after a recent response', async () => {
    const heartbeat = createHeartbeat({ ping: never })
    await heartbeat.check()
    heartbeat.close()
  })

  it('sends one ping for concurrent checks when there was no recent response', async t => {
    t.mock.method(performance, 'now', () => now)
    let now = 0
    let pings = 0
    const heartbeat = createHeartbeat({ ping: async () => (pings += 1) })
    now = 10_000
    await Promise.all([heartbeat.check(), heartbeat.check(), heartbeat.check()])
    assert.equal(pings, 1)
    now = 20_000
    const failing = createHeartbeat({ ping: async () => Promise.reject(new Error('down')) })
    now = 30_000
    await assert.rejects(failing.check(), /down/)
    heartbeat.close()
    failing.close()
  })

  it('calls onTimeout repeatedly while there is no response, and not while there are responses', async () => {
    let timeouts = 0
    const monitor = { intervalMs: 10, timeoutMs: 60, onTimeout: () => (timeouts += 1) }
    const heartbeat = createHeartbeat({ ping: never, monitor })
    const responding = setInterval(heartbeat.recordResponse, 5)
    await sleep(300)
    assert.equal(timeouts, 0)
    clearInterval(responding)
    await sleep(400)
    assert.ok(timeouts >= 2, String(timeouts))
    heartbeat.close()
  })
})
