import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../../src/db/hosts.ts'
import { findPrimary, type HostState } from '../../src/db/primary.ts'

const createHost = (name: string): Host => ({ name, open: () => assert.fail('not opened') })
const [one, two] = [createHost('one'), createHost('two')]
const hosts: [Host, ...Host[]] = [one, two]

/** The state of a host, and the milliseconds after which it responds. */
type Response = [HostState, number]
const find = (responses: [Response, Response], current?: Host) =>
  findPrimary({
    hosts,
    current,
    async probe(host) {
      const [state, milliseconds] = responses[hosts.indexOf(host)] ?? ['unreachable', 0]
      await sleep(milliseconds)
      return state
    },
  })

describe('findPrimary', { concurrency: true }, () => {
  it('keeps the current host while it is the primary, even when another one responds first', async () => {
    assert.equal(
      await find(
        [
          ['primary', 200],
          ['primary', 0],
        ],
        one,
      ),
      one,
    )
  })

  it('switches to another primary at once when the current host is unreachable or a standby', async () => {
    const begun = performance.now()
    assert.equal(
      await find(
        [
          ['unreachable', 0],
          ['primary', 20],
        ],
        one,
      ),
      two,
    )
    assert.equal(
      await find(
        [
          ['standby', 0],
          ['primary', 20],
        ],
        one,
      ),
      two,
    )
    assert.ok(performance.now() - begun < 1_000)
  })

  it('switches to another primary when the current host has not responded for three seconds', async () => {
    const begun = performance.now()
    assert.equal(
      await find(
        [
          ['unreachable', 6_000],
          ['primary', 0],
        ],
        one,
      ),
      two,
    )
    assert.ok(performance.now() - begun < 5_000)
  })

  it('waits longer for a slow host when there is no other primary', async () => {
    assert.equal(
      await find(
        [
          ['primary', 4_000],
          ['standby', 0],
        ],
        one,
      ),
      one,
    )
  })

  it('returns the first primary that responds when no host is in use', async () => {
    assert.equal(
      await find([
        ['unreachable', 3_000],
        ['primary', 0],
      ]),
      two,
    )
  })

  it('keeps the current host when it rejects us, and returns undefined when no host is usable', async () => {
    assert.equal(
      await find(
        [
          ['rejecting', 0],
          ['unreachable', 0],
        ],
        one,
      ),
      one,
    )
    assert.equal(
      await find(
        [
          ['unreachable', 0],
          ['standby', 0],
        ],
        one,
      ),
      undefined,
    )
  })
})
