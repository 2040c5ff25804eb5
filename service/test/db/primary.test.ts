import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../../src/db/hosts.ts'
import { choosePrimary } from '../../src/db/primary.ts'
import { watchPrimary } from '../../src/db/primary-watch.ts'
import type { HostState } from '../../src/db/probe.ts'
import { silent } from '../support/harness.ts'

const createHost = (name: string): Host => ({ name, open: () => assert.fail('not opened') })
const [one, two] = [createHost('one'), createHost('two')]
const hosts: [Host, ...Host[]] = [one, two]

type Role = HostState['role'] | 'unknown'
/** What a host is, its timeline, and for how long it has been silent. */
type Seen = [role: Role, timeline?: number, silentMs?: number]
const choose = (seen: Seen[], { current, highest = 1 }: { current?: Host; highest?: number } = {}) =>
  choosePrimary({
    hosts: seen.map(([role, timeline = 1, silentMs = 0], index) => ({
      host: hosts[index] ?? assert.fail(),
      state: role === 'unknown' ? undefined : ({ role, timeline } as HostState),
      silentMs,
    })),
    current,
    highest,
  })

describe('choosePrimary', () => {
  it('keeps the current host while it is the primary', () => {
    assert.equal(choose([['primary'], ['primary']], { current: one }), one)
    assert.equal(choose([['primary'], ['primary']], { current: two }), two)
  })

  it('switches to another primary at once when the current host is unreachable or a standby', () => {
    assert.equal(choose([['unreachable'], ['primary']], { current: one }), two)
    assert.equal(choose([['standby'], ['primary']], { current: one }), two)
  })

  it('switches to another primary when the current host has not responded for three seconds', () => {
    assert.equal(choose([['primary', 1, 2_900], ['primary']], { current: one }), one)
    assert.equal(choose([['primary', 1, 3_100], ['primary']], { current: one }), two)
  })

  it('waits longer for a slow host when there is no other primary', () => {
    assert.equal(choose([['primary', 1, 4_000], ['standby']], { current: one }), one)
    assert.equal(choose([['primary', 1, 7_100], ['standby']], { current: one }), undefined)
  })

  it('waits for the first response of the current host', () => {
    assert.equal(
      choose(
        [
          ['unknown', 0, 1_000],
          ['primary', 3],
        ],
        { current: one, highest: 3 },
      ),
      one,
    )
    assert.equal(
      choose(
        [
          ['unknown', 0, 3_100],
          ['primary', 3],
        ],
        { current: one, highest: 3 },
      ),
      two,
    )
  })

  it('keeps the current host when it rejects us, and returns undefined when no host is usable', () => {
    assert.equal(choose([['rejecting'], ['unreachable']], { current: one }), one)
    assert.equal(choose([['unreachable'], ['standby']], { current: one }), undefined)
    assert.equal(choose([['unreachable'], ['standby']]), undefined)
  })

  it('switches to the primary with the highest timeline, and never back', () => {
    assert.equal(
      choose(
        [
          ['primary', 4],
          ['primary', 5],
        ],
        { current: one, highest: 5 },
      ),
      two,
    )
    assert.equal(
      choose(
        [
          ['primary', 4],
          ['primary', 5],
        ],
        { current: two, highest: 5 },
      ),
      two,
    )
    assert.equal(
      choose(
        [
          ['primary', 4],
          ['primary', 5],
        ],
        { highest: 5 },
      ),
      two,
    )
    assert.equal(choose([['primary', 4], ['unreachable']], { current: two, highest: 5 }), undefined)
    assert.equal(choose([['primary', 4], ['standby']], { highest: 5 }), undefined)
  })

  it('uses a single host whatever it is, but not on an older timeline', () => {
    assert.equal(choose([['standby']], { current: one }), one)
    assert.equal(choose([['rejecting']]), one)
    assert.equal(choose([['primary', 4]], { current: one, highest: 5 }), undefined)
    assert.equal(choose([['unreachable']], { current: one }), undefined)
  })
})

/** A watch on hosts whose states the test sets; a host without one does not respond. */
function watchFake(states: Map<Host, HostState>, watched: [Host, ...Host[]] = hosts) {
  const changes: (string | undefined)[] = []
  const errors: object[] = []
  const probes = new Map<Host, number>()
  const log = Object.assign(Object.create(silent), { error: (fields: object) => errors.push(fields) })
  const watch = watchPrimary({
    hosts: watched,
    log,
    periodic: true,
    onChange: host => changes.push(host?.name),
    openProbe: host => ({
      async state(timeoutMs) {
        probes.set(host, (probes.get(host) ?? 0) + 1)
        const state = states.get(host)
        if (state) return state
        await sleep(timeoutMs)
        return { role: 'unreachable' }
      },
      close() {},
    }),
  })
  return { watch, changes, errors, probes }
}

describe('watchPrimary', { concurrency: true }, () => {
  it('moves to a promoted host although the former primary still accepts writes, reports that one, and stays', async () => {
    const states = new Map<Host, HostState>([
      [one, { role: 'primary', timeline: 1 }],
      [two, { role: 'standby' }],
    ])
    const { watch, changes, errors } = watchFake(states)
    await sleep(100)
    states.set(two, { role: 'primary', timeline: 2 })
    await sleep(1_300)
    assert.deepEqual(changes, ['two'])
    assert.equal(errors.length, 1)
    assert.deepEqual(errors[0], { host: 'one', timeline: 1, highest: 2 })
    states.delete(two)
    await sleep(8_500)
    // Rather no primary than an older one.
    assert.deepEqual(changes, ['two', undefined])
    states.set(two, { role: 'primary', timeline: 2 })
    await sleep(1_500)
    assert.deepEqual(changes, ['two', undefined, 'two'])
    watch.close()
  })

  it('finds a new primary within a second, while another host does not respond', async () => {
    const states = new Map<Host, HostState>([
      [one, { role: 'unreachable' }],
      [two, { role: 'standby' }],
    ])
    const { watch, changes } = watchFake(states)
    await sleep(500)
    assert.deepEqual(changes, [undefined])
    states.delete(one)
    await sleep(500)
    states.set(two, { role: 'primary', timeline: 2 })
    await sleep(600)
    assert.deepEqual(changes, [undefined, 'two'])
    watch.close()
  })

  it('opens new connections when the single host is on a new timeline, and rejects an older one', async () => {
    const states = new Map<Host, HostState>([[one, { role: 'primary', timeline: 1 }]])
    const { watch, changes, errors } = watchFake(states, [one])
    await sleep(1_200)
    states.set(one, { role: 'primary', timeline: 2 })
    await sleep(1_200)
    assert.deepEqual(changes, ['one'])
    states.set(one, { role: 'primary', timeline: 1 })
    await sleep(1_200)
    assert.deepEqual(changes, ['one', undefined])
    assert.equal(errors.length, 1)
    watch.close()
  })

  it('asks each host about once a second', async () => {
    const states = new Map<Host, HostState>([
      [one, { role: 'primary', timeline: 1 }],
      [two, { role: 'standby' }],
    ])
    const { watch, probes } = watchFake(states)
    await sleep(3_500)
    watch.close()
    for (const host of hosts) assert.ok((probes.get(host) ?? 0) <= 4, `${probes.get(host)} probes`)
  })
})
