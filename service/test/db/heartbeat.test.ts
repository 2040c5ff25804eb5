import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPulse } from '../../src/db/heartbeat.ts'

const never = () => new Promise<never>(() => {})

describe('the pulse of a pool', () => {
  it('needs no question where something was answered just now', async () => {
    const pulse = createPulse({ ask: never })
    await pulse.check()
    pulse.close()
  })

  it('asks once for all who want to know, where nothing was answered lately', async t => {
    t.mock.method(performance, 'now', () => later)
    let later = 0
    let asked = 0
    const pulse = createPulse({ ask: async () => (asked += 1) })
    later = 10_000
    await Promise.all([pulse.check(), pulse.check(), pulse.check()])
    assert.equal(asked, 1)
    later = 20_000
    const failing = createPulse({ ask: async () => Promise.reject(new Error('gone')) })
    later = 30_000
    await assert.rejects(failing.check(), /gone/)
    pulse.close()
    failing.close()
  })

  it('tells of silence, again and again, and not of an answer to anything', async () => {
    let silent = 0
    const watch = { everyMs: 10, silenceMs: 60, onSilent: () => (silent += 1) }
    const pulse = createPulse({ ask: never, watch })
    const beating = setInterval(pulse.beat, 5)
    await sleep(300)
    assert.equal(silent, 0)
    clearInterval(beating)
    await sleep(400)
    assert.ok(silent >= 2, String(silent))
    pulse.close()
  })
})
