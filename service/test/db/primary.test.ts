import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../../src/db/hosts.ts'
import { findPrimary, type State } from '../../src/db/primary.ts'

const target = (name: string): Target => ({ name, open: () => assert.fail('not opened') })
const [one, two] = [target('one'), target('two')]
const targets: [Target, ...Target[]] = [one, two]

/** A server that responses this after so many milliseconds. */
type Answer = [State, number]
const find = (responses: [Answer, Answer], current?: Target) =>
  findPrimary({
    targets,
    current,
    async ask(asked) {
      const [state, milliseconds] = responses[targets.indexOf(asked)] ?? ['gone', 0]
      await sleep(milliseconds)
      return state
    },
  })

describe('findPrimary', { concurrency: true }, () => {
  it('keeps the server in use while it responses as the primary, whichever responses first', async () => {
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

  it('takes another primary at once where the one in use is gone, or is a standby', async () => {
    const begun = performance.now()
    assert.equal(
      await find(
        [
          ['gone', 0],
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

  it('takes another primary where the one in use keeps silent for three seconds', async () => {
    const begun = performance.now()
    assert.equal(
      await find(
        [
          ['gone', 6_000],
          ['primary', 0],
        ],
        one,
      ),
      two,
    )
    assert.ok(performance.now() - begun < 5_000)
  })

  it('waits longer for a slow server where there is no other', async () => {
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

  it('takes the first that responses as the primary where none is in use', async () => {
    assert.equal(
      await find([
        ['gone', 3_000],
        ['primary', 0],
      ]),
      two,
    )
  })

  it('keeps the server in use where it refuses us, and finds none where all are gone', async () => {
    assert.equal(
      await find(
        [
          ['refuses', 0],
          ['gone', 0],
        ],
        one,
      ),
      one,
    )
    assert.equal(
      await find(
        [
          ['gone', 0],
          ['standby', 0],
        ],
        one,
      ),
      undefined,
    )
  })
})
